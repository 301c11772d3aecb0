/* explorer.h - the owner of the exploration's choice: in which order the frontiers are best gone to, and which candidates
 * are offered (candidates.h). It knows the frontiers that were given up, the goal, the path under way and the named places
 * from the messages of other stages (explorer_ports.h), and works on the map where it lies: its process is the mapper's,
 * which holds grid, visits and wavefront; none of them is made or sent a second time. No clock, no sockets. */
#ifndef CAIRN_COMMON_EXPLORE_EXPLORER_H
#define CAIRN_COMMON_EXPLORE_EXPLORER_H

#include "common/explore/candidates.h"

struct cairn_explorer;
struct cairn_exploration_context;

/* Sets of candidates are numbered from first_set on; it must rise over restarts. NULL with the reason. */
struct cairn_explorer *cairn_explorer_new(
    const struct cairn_config *cfg, uint64_t first_set, struct cairn_error *err);
void cairn_explorer_destroy(struct cairn_explorer **explorer_p);

/* What the other stages have told; the rows of explorer_ports.h write it. */
struct cairn_exploration_context *cairn_explorer_context(struct cairn_explorer *explorer);

/* A goal that is known beforehand, in the map frame; takes the place of the mission's. For evaluations. */
void cairn_explorer_set_goal(struct cairn_explorer *explorer, struct cairn_vec2 goal);

/* The frontiers given up, for who finds frontiers (cairn_frontier_given_up). Valid until the next message. */
const struct cairn_msg_given_up *cairn_explorer_given_up(
    const struct cairn_explorer *explorer, uint32_t *ret_count);

/* Fills detour_m of the frontiers just found (frontier_route.h). False without memory: the nearest comes first. */
bool cairn_explorer_rank(struct cairn_explorer *explorer, const struct cairn_ground *ground,
    struct cairn_pose2 pose, struct cairn_msg_frontiers *frontiers);

/* The candidates, from frontiers that have been ranked. */
void cairn_explorer_candidates(struct cairn_explorer *explorer, const struct cairn_ground *ground,
    struct cairn_pose2 pose, const struct cairn_msg_frontiers *frontiers, int64_t now_ns,
    struct cairn_msg_candidates *ret);

#endif
