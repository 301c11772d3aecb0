/* candidate_score.h - what a place is worth: four terms, each 0..1, and their weighted mean.
 *
 *   score         (w_goal goal + w_clearance clearance + w_novelty novelty + w_feasibility feasibility)
 *                 / sum of w, with w: choice.weight_*
 *
 *   goal          the first of these that applies:
 *     ranked        1 / (1 + d / 0.3 m)             a frontier that has been ranked, with a goal or without
 *     with a goal   1 - min(1, c / max(r, 1 m))     1 at the goal, 0 for what is no nearer than the robot
 *     without       1 / (1 + p / near_m)            new floor is the goal, and the sooner the better
 *   clearance     min(1, clearance_m / room_m)
 *   novelty       1/2 min(1, u / 0.25) + 1/2 (1 - min(1, v / 0.25))
 *   feasibility   1/2 min(1, s / p) + 1/2 t
 *
 *   d             what the whole round loses by going there next (frontier_route.h)
 *   c, r          straight distance to the goal, from the place and from the robot
 *   p, s          length of the way from the robot to the place, and the straight distance
 *   clearance_m   from the side of the robot standing there to the nearest occupied cell (a disc of half a
 *                 cell); 1 m around the place is looked at
 *   u             unknown share of the cells within 1 m that the place is not walled off from (a flood over
 *                 cells that are not occupied, so that the unknown behind a wall does not count)
 *   v             share of the cells within 0.5 m that the robot has stood on (one pass through the middle
 *                 covers a quarter of them)
 *   t             1 - |bearing| / pi, or 0 inside the tightest circles beside the robot, which an Ackermann
 *                 base reaches by a manoeuvre only
 *
 * near_m and room_m are choice.near_m and choice.room_m. What is not reachable is not scored but left out. */
#ifndef CAIRN_COMMON_EXPLORE_CANDIDATE_SCORE_H
#define CAIRN_COMMON_EXPLORE_CANDIDATE_SCORE_H

#include "common/config/config.h"
#include "common/map/belief.h"
#include "common/map/grid.h"
#include "common/map/wavefront.h"
#include "ipc/messages.h"

#define CAIRN_SCORE_DETOUR_M 0.3
#define CAIRN_SCORE_LOOK_M 1.0
#define CAIRN_SCORE_VISIT_M 0.5
#define CAIRN_SCORE_SHARE 0.25
#define CAIRN_SCORE_LOOK_CELLS 40  /* finer grids are looked at less far */
#define CAIRN_SCORE_FLOOD_CELLS 31 /* and for what is unknown, so that a row of it is a word */
#define CAIRN_SCORE_ROWS (2 * CAIRN_SCORE_FLOOD_CELLS + 1)

/* The ground the places lie on. reach: spread from the robot over floor that it fits on; its cell (0, 0) is
 * map cell (reach_cx0, reach_cy0). */
struct cairn_ground {
	const struct cairn_grid *grid;
	const struct cairn_wavefront *reach;
	int32_t reach_cx0, reach_cy0;
	const struct cairn_belief *belief; /* what the model claims beside the grid; NULL: nothing */
};

/* A bit a cell, the lowest for the first of the row. */
struct cairn_score_scratch {
	uint64_t open[CAIRN_SCORE_ROWS], unknown[CAIRN_SCORE_ROWS], reached[CAIRN_SCORE_ROWS];
};

/* Length of the way from the robot over known floor; negative when the place is not known, not free or not
 * reachable. */
double cairn_ground_way_m(const struct cairn_ground *ground, double x_m, double y_m);
double cairn_ground_clearance_m(
    const struct cairn_ground *ground, double half_width_m, double x_m, double y_m);
/* False when it is no more than least_m, which is found out sooner than how much it is. */
bool cairn_ground_clearance_over(const struct cairn_ground *ground, double half_width_m, double x_m,
    double y_m, double least_m, double *ret_m);
/* u and v of the formula. */
double cairn_ground_unknown_share(
    const struct cairn_ground *ground, struct cairn_score_scratch *scratch, double x_m, double y_m);
double cairn_ground_visited_share(const struct cairn_ground *ground, double x_m, double y_m);

/* Of a frontier that has been ranked (frontier_route.h). */
double cairn_score_detour(double detour_m);
/* goal may be NULL. */
double cairn_score_goal(const struct cairn_config_choice *cfg, struct cairn_pose2 pose,
    const struct cairn_vec2 *goal, double x_m, double y_m, double path_m);
double cairn_score_clearance(const struct cairn_config_choice *cfg, double clearance_m);
double cairn_score_novelty(double unknown_share, double visited_share);
double cairn_score_feasibility(
    double turn_radius_m, struct cairn_pose2 pose, double x_m, double y_m, double path_m);
double cairn_score_sum(
    const struct cairn_config_choice *cfg, double goal, double clearance, double novelty, double feasibility);

#endif
