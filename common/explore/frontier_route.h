/* frontier_route.h - in which order to visit the frontiers that are left.
 *
 * Going to the nearest frontier first leaves small ones behind that cost a way back later. Here the whole round is
 * thought of: frontiers near each other are grouped, ways between the groups are measured over the known floor that the
 * robot fits on, and of all orders of the groups the one is found exactly (Held and Karp 1962) that has the least
 *
 *   cost = sum over the legs of way_m * (1 + choice.tour_eager * share of the gain that is still unseen)
 *          + choice.tour_home * way_m from the last group to the start
 *
 * The first leg includes what it takes to turn round (choice.tour_turn_m for half a turn). With tour_eager = 0 the round is
 * the shortest one; the more, the sooner much is seen (the minimum latency problem). Gain is the unknown area that a
 * turn of the LiDAR in the opening would show, by rays of choice.tour_look_m that occupied cells end. From the place to
 * stand the jambs would hide most of it, and of a large room no more would be reckoned than of a small one.
 *
 * What comes of it is a number for each frontier: detour_m, what is lost by going there next instead of to the best one.
 * The best has 0. The one that was best last time stays so until another is better by choice.tour_keep_m.
 *
 * Pure: the same calls give the same numbers. Memory is taken when the map grows. */
#ifndef CAIRN_COMMON_EXPLORE_FRONTIER_ROUTE_H
#define CAIRN_COMMON_EXPLORE_FRONTIER_ROUTE_H

#include "common/explore/candidate_score.h"

#define CAIRN_FRONTIER_ROUTE_FRONTIERS                                                                       \
	32 /* of more, the farthest are ranked behind these, by their distance */
#define CAIRN_FRONTIER_ROUTE_GROUPS 11

struct cairn_frontier_route;

/* NULL without memory. */
struct cairn_frontier_route *cairn_frontier_route_new(const struct cairn_config *cfg);
void cairn_frontier_route_destroy(struct cairn_frontier_route **tour_p);

/* Fills detour_m of every frontier: negative for those that cannot be reached, are narrower than
 * mission.frontier_min_width_m, or were given up. The ground is that of the search that found the frontiers. False without
 * memory: then detour_m is by distance alone. */
bool cairn_frontier_route_rank(struct cairn_frontier_route *tour, const struct cairn_ground *ground,
    struct cairn_pose2 pose, const struct cairn_msg_given_up *given_up, uint32_t given_up_count,
    struct cairn_msg_frontiers *frontiers);

/* Unknown area in m2 that a turn of the LiDAR at (x, y) would show. */
double cairn_frontier_route_gain_m2(const struct cairn_grid *grid, double x_m, double y_m, double look_m);

/* The exact order of `count` groups, at most CAIRN_FRONTIER_ROUTE_GROUPS. first_m: from the robot to each; way_m[i][k]: between them
 * (symmetric, 0 on the diagonal); end_m: added when the round ends there; gain: what each shows. *ret_cost_m[i]: the least
 * cost of a round that begins with i. scratch: count << count floats. */
void cairn_frontier_route_costs(uint32_t count, const double *first_m,
    const double way_m[][CAIRN_FRONTIER_ROUTE_GROUPS], const double *end_m, const double *gain, double eager,
    float *scratch, double *ret_cost_m);

#endif
