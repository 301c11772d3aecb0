/* pose_graph.h - a graph of poses tied together by measured relations, and the poses that fit them best.
 *
 * Minimises the sum of e' W e over all edges, e being the measured relation against the one the poses say, by
 * Gauss and Newton with Levenberg's damping (Grisetti et al., "A tutorial on graph-based SLAM", 2010). The
 * normal equations are sparse 3x3 blocks; they are factored by Cholesky in an order of small degree first, in
 * which a chain with a few loops hardly fills in (pose_graph_solver.c). Edges that may be wrong (loops) are weighted down
 * by how badly they fit (dynamic covariance scaling, Agarwal et al. 2013), so that one wrong loop does not
 * bend the map.
 *
 * Node 0 is fixed. Nothing here knows of scans. */
#ifndef CAIRN_COMMON_SLAM_POSE_GRAPH_H
#define CAIRN_COMMON_SLAM_POSE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/geom.h"

enum cairn_edge_kind {
	CAIRN_EDGE_CHAIN, /* from one keyframe to the next, both seen in one local map */
	CAIRN_EDGE_WEAK,  /* the same by odometry alone */
	CAIRN_EDGE_NEAR,  /* to an older keyframe of the same local map */
	CAIRN_EDGE_LOOP   /* found by searching; may be wrong */
};

struct cairn_pose_graph_edge {
	uint32_t a, b;
	uint8_t kind;              /* enum cairn_edge_kind */
	struct cairn_pose2 z;      /* b as seen from a */
	double info[6];            /* xx xy xt yy yt tt of the error in b's own axes; 1/m2, 1/m, 1 */
	double sigma_m, sigma_rad; /* worst direction; for reckoning how far two nodes may be off */
	double scale;              /* last robust weight, 0..1; 1 = fits */
};

struct cairn_pose_graph {
	struct cairn_pose2 *nodes;
	uint32_t node_count, node_capacity;
	struct cairn_pose_graph_edge *edges;
	uint32_t edge_count, edge_capacity;
	uint32_t *first_edge, *next_edge; /* edges of a node: index * 2 + end, chained; UINT32_MAX ends */
	uint32_t first_capacity, next_capacity;
	struct cairn_pose_graph_solver *solver; /* scratch, kept between calls, as the rest */
	struct cairn_pose2 *start;              /* the nodes as they were, and as they were a step ago */
	uint32_t *pairs;                        /* nodes tied by each edge */
	uint32_t start_capacity, pairs_capacity;
};

struct cairn_pose_graph_report {
	int steps;
	double chi2_before, chi2_after; /* robust */
	double moved_m, moved_rad;      /* the farthest a node went */
};

void cairn_pose_graph_init(struct cairn_pose_graph *graph);
void cairn_pose_graph_free(struct cairn_pose_graph *graph);

/* Room for more nodes and edges, so that adding them cannot fail for want of memory. */
bool cairn_pose_graph_reserve(struct cairn_pose_graph *graph, uint32_t nodes, uint32_t edges);

/* Takes memory that is there (prefault.h) for a graph of this size, what optimising it needs included. False
 * without. */
bool cairn_pose_graph_take(struct cairn_pose_graph *graph, uint32_t nodes, uint32_t edges);

/* The new node's number, or -ENOMEM. */
int64_t cairn_pose_graph_add_node(struct cairn_pose_graph *graph, struct cairn_pose2 pose);

/* Ties a and b. cov: of the error in b's own axes (x y yaw), positive definite. 0, -EINVAL or -ENOMEM. */
int cairn_pose_graph_add_edge(struct cairn_pose_graph *graph, uint32_t a, uint32_t b,
    enum cairn_edge_kind kind, struct cairn_pose2 z, const double cov[3][3]);

/* Takes the edges away for which drop says so, keeping the order of the rest. */
void cairn_pose_graph_drop_edges(struct cairn_pose_graph *graph,
    bool (*drop)(const struct cairn_pose_graph_edge *edge, void *ctx), void *ctx);

/* For nodes and edges that were read from a file: whether they make sense, and the rest is made from them. */
bool cairn_pose_graph_check(struct cairn_pose_graph *graph);

/* Moves the nodes to where the edges fit best. 0, or -ENOMEM / -EDOM (equations without a solution) with the
 * nodes left as they were. ret may be NULL. */
int cairn_pose_graph_optimise(struct cairn_pose_graph *graph, struct cairn_pose_graph_report *ret);

/* Error of an edge at two poses, and its derivatives by them (ja, jb: x y yaw in columns; may be NULL). */
void cairn_pose_graph_error(struct cairn_pose2 a, struct cairn_pose2 b, struct cairn_pose2 z, double ret_e[3],
    double ja[3][3], double jb[3][3]);

/* e' W e of an edge at the nodes' present poses. */
double cairn_pose_graph_chi2(const struct cairn_pose_graph *graph, const struct cairn_pose_graph_edge *edge);

#endif
