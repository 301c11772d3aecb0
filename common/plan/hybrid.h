/* hybrid.h - Hybrid A*: paths that the base can drive: an Ackermann one's with three-point turns, a differential one's with turns
 * in place.
 *
 * Dolgov, Thrun, Montemerlo & Diebel 2010 ("Path Planning for Autonomous Vehicles in Unknown Semi-structured
 * Environments"): A* over (cell, heading bin) with continuous poses, arcs of constant curvature forward and
 * backward, a heuristic from the grid (common/plan/cost_field.h) and of what turning to where it leads takes
 * (hybrid_heuristic.c), and now and then a closed-form shot at the goal. The heuristic is greedy: good paths, not
 * the cheapest. The 72 heading bins are relative to the start's heading, so arcs are tables. Costs are in cells times
 * the costmap's factor.
 *
 * A start with less room than asked for may only be left by moves that do not lose clearance (down to
 * touching). Deterministic; time enters only through the caller's clock. */
#ifndef CAIRN_COMMON_PLAN_HYBRID_H
#define CAIRN_COMMON_PLAN_HYBRID_H

#include "common/plan/cost_field.h"
#include "common/plan/path.h"

enum cairn_plan_result {
	CAIRN_PLAN_OK,
	CAIRN_PLAN_NEAREST,       /* a path to a point near the goal, as the query allowed */
	CAIRN_PLAN_PARTIAL,       /* out of budget; a path that gets nearer */
	CAIRN_PLAN_START_BLOCKED, /* no move is possible */
	CAIRN_PLAN_GOAL_BLOCKED,  /* nowhere to stand within the tolerance */
	CAIRN_PLAN_NO_PATH,
	CAIRN_PLAN_LIMIT, /* out of budget and no nearer */
	CAIRN_PLAN_RESULT_COUNT
};

/* Words for people. */
const char *cairn_plan_result_text(enum cairn_plan_result result);

struct cairn_hybrid_params {
	struct cairn_footprint body;
	double turn_radius_m;  /* of the tightest arc used */
	double clearance_m;    /* around the body */
	double lead_m;         /* ahead in the direction of travel, at least clearance_m */
	double reverse_factor; /* cost of backward against forward, >= 1 */
	double switch_m;       /* a change of direction costs as much as this length */
	double turn_factor;    /* cost of the tightest arc against straight, >= 1 */
	double spin_m_per_rad; /* turning in place costs as much as this length; 0: the base cannot */
	double spin_m;         /* and beginning or ending to as much as this */
	int nodes_max;         /* bound of memory: states per search */
};

struct cairn_hybrid_query {
	struct cairn_pose2 start;
	double goal_x_m, goal_y_m;
	double tolerance_m;
	bool heading_given;
	double goal_yaw_rad, yaw_tolerance_rad;
	double nearest_m; /* > 0: when the goal cannot be reached, a point this near to it will do */
	/* > 0: a path that costs this much or more, in the search's own count (path->cost), is of no use. What can only lead
	 * to such paths is left out, and NO_PATH is the answer when nothing else is left, where no move is possible as well. */
	double cost_max;
	int expansions_max;           /* 0 = as many as nodes_max allows */
	int64_t (*now_ns)(void *ctx); /* NULL: no clock */
	void *ctx;
	int64_t deadline_ns;
};

struct cairn_hybrid_stats {
	int expansions, nodes, shots;
	double goal_x_m, goal_y_m; /* what was planned to (moved when CAIRN_PLAN_NEAREST) */
};

struct cairn_hybrid;

/* NULL when out of memory or a parameter makes no sense. */
struct cairn_hybrid *cairn_hybrid_new(const struct cairn_hybrid_params *params);
void cairn_hybrid_destroy(struct cairn_hybrid **h_p);

/* Searches; *path is written for OK, NEAREST and PARTIAL only. stats may be NULL. No allocation once the
 * map's size was seen. */
enum cairn_plan_result cairn_hybrid_search(struct cairn_hybrid *h, const struct cairn_costmap *cm,
    const struct cairn_hybrid_query *query, struct cairn_path *path, struct cairn_hybrid_stats *stats);

/* Cost of driving path from pose index `from` on, on this costmap and by the same terms; INFINITY when the
 * footprint with margin_m around does not fit somewhere within the first horizon_m (ret_blocked_m: how far
 * along, may be NULL). */
double cairn_hybrid_path_cost(const struct cairn_hybrid *h, const struct cairn_costmap *cm,
    const struct cairn_path *path, int from, double margin_m, double horizon_m, double *ret_blocked_m);

#endif
