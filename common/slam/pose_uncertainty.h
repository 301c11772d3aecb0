/* pose_uncertainty.h - how far off may two keyframes be from each other? The least uncertain way along the edges of the
 * pose graph bounds it from above (Dijkstra); good enough to tell what may be drawn into one map, and where
 * to look for a loop. */
#ifndef CAIRN_COMMON_SLAM_POSE_UNCERTAINTY_H
#define CAIRN_COMMON_SLAM_POSE_UNCERTAINTY_H

#include "common/slam/pose_graph.h"

#define CAIRN_POSE_UNCERTAINTY_LEVER_M                                                                       \
	4.0 /* an error of heading counts as the shift of a point so far away */

/* Of a way that only odometry measures, this share of its length may be missing, all of it with one sign. */
#define CAIRN_BLIND_SHARE 0.07

struct cairn_pose_uncertainty_node {
	double cost; /* variance in m2, heading included by the lever; INFINITY = farther than asked */
	double var_m2, var_rad2;
	double path_m; /* length of the way */
	/* Of it, what scans did not measure: sum of d d' / |d| over its steps d, graph frame; the length along each axis. */
	double blind_xx_m, blind_xy_m, blind_yy_m;
	double cov[3][3]; /* x y yaw of the node, graph frame, along the way, without what is blind */
};

struct cairn_pose_uncertainty {
	struct cairn_pose_uncertainty_node *nodes; /* as many as the graph's */
	uint32_t node_capacity;
	struct cairn_pose_uncertainty_item {
		double cost;
		uint32_t node;
	} * heap;
	uint32_t heap_count, heap_capacity;
	uint32_t from, count;
};

void cairn_pose_uncertainty_init(struct cairn_pose_uncertainty *reach);
void cairn_pose_uncertainty_free(struct cairn_pose_uncertainty *reach);

/* From one node to all others as far as cost_max. False without memory. */
bool cairn_pose_uncertainty_from(struct cairn_pose_uncertainty *reach, const struct cairn_pose_graph *graph,
    uint32_t from, double cost_max);

/* chi2 (three unknowns) of moving a node by this as seen from the start of the way, graph frame: how well does the way allow
 * it? What lies along steps that only odometry measures may be more; and a way that would have to bend to and fro, as it would
 * from one corridor into the next, is told from one that has turned. */
double cairn_pose_uncertainty_chi2(const struct cairn_pose_uncertainty *reach, uint32_t node,
    struct cairn_pose2 offset, double floor_m, double floor_rad);

/* How far a node may be off, and its heading (one sigma): heading errors grow into shifts along the way. */
double cairn_pose_uncertainty_sigma_m(const struct cairn_pose_uncertainty *reach, uint32_t node);
double cairn_pose_uncertainty_sigma_rad(const struct cairn_pose_uncertainty *reach, uint32_t node);

#endif
