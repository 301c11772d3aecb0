/* planner.h - from a goal, a pose, a map and scans to a velocity proposal, a path, and what is going on.
 *
 * Ties together the costmap, the Hybrid A* search and the path follower. It proposes; the sequencer decides.
 * Pure: stamps and `now` are passed in, one call of cairn_planner_step makes one proposal (20 Hz). The same
 * calls give the same answers unless a clock is given to bound searches by time.
 *
 * Status: FOLLOWING while velocities are proposed (backing off after being stuck included); REACHED holds
 * until the goal changes; STUCK is final for a goal, after three recoveries. NO_PATH, START_BLOCKED and
 * GOAL_BLOCKED are tried again every second and whenever the map changes. PLANNING also covers waiting for
 * something that moves to get out of the way. */
#ifndef CAIRN_COMMON_PLAN_PLANNER_H
#define CAIRN_COMMON_PLAN_PLANNER_H

#include "common/config/config.h"
#include "common/plan/costmap.h"
#include "ipc/messages.h"

struct cairn_planner;

/* NULL with err set when out of memory or the configuration makes no sense. */
struct cairn_planner *cairn_planner_new(const struct cairn_config *cfg, struct cairn_error *err);
void cairn_planner_destroy(struct cairn_planner **p_p);

/* A clock that bounds each search by nav.planning_ms. Without one, the number of expansions does. */
void cairn_planner_set_clock(struct cairn_planner *p, int64_t (*now_ns)(void *ctx), void *ctx);

/* Inputs with their stamps. Values that are not finite are refused: false, and counted. */
bool cairn_planner_goal(struct cairn_planner *p, const struct cairn_msg_nav_goal *goal, int64_t t_ns);
bool cairn_planner_pose(struct cairn_planner *p, const struct cairn_msg_pose *pose, int64_t t_ns);
bool cairn_planner_scan(struct cairn_planner *p, const struct cairn_msg_scan *scan, int64_t t_ns);
bool cairn_planner_motion(struct cairn_planner *p, const struct cairn_msg_motion *motion, int64_t t_ns);
/* What the depth camera sees of the floor: obstacles that the LiDAR misses, and floor that must have been
 * seen before the robot backs onto it. Nothing is done with it where safety.depth is off. */
bool cairn_planner_depth(struct cairn_planner *p, const struct cairn_msg_depth_scan *scan, int64_t t_ns);
/* Replaces all zones; one whose outline is not a polygon is refused, the others hold. */
bool cairn_planner_zones(struct cairn_planner *p, const struct cairn_msg_zones *zones);
/* What the model claims of the map. Only that a place is occupied counts, and only where it is unknown: it costs more there. */
bool cairn_planner_claims(struct cairn_planner *p, const struct cairn_msg_claims *claims);
/* Copied. */
bool cairn_planner_grid(struct cairn_planner *p, const struct cairn_plan_grid *grid, int64_t t_ns);

struct cairn_planner_output {
	bool has_velocity; /* there is a goal; a zero velocity is a proposal to stand */
	struct cairn_msg_nav_velocity velocity;
	struct cairn_msg_nav_status status;
	bool status_changed; /* state, goal or reason */
	bool path_changed;
};

void cairn_planner_step(struct cairn_planner *p, int64_t now_ns, struct cairn_planner_output *out);

/* The path being followed, empty if none; thinned to what the message holds, ends and changes of direction
 * kept. */
void cairn_planner_path(const struct cairn_planner *p, struct cairn_msg_nav_path *out);

uint64_t cairn_planner_rejects(const struct cairn_planner *p);

#endif
