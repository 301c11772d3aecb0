/* frontier.h - openings into the unknown, and whether and how far the robot can go to them.
 *
 * A frontier cell is a free cell with an unknown one among its four neighbours (Yamauchi 1997). What makes an
 * exploration end is what does NOT count:
 *
 * 1. unknown slits narrower than about mission.frontier_min_width_m (between two far rays, along a wall seen
 * at a grazing angle, in the corners behind furniture): a morphological opening of the unknown closes them;
 *
 * 2. what lies beside a strip of floor as narrow as that, such as the gap between two cupboards;
 *
 * 3. unknown pockets below 0.15 m2 that known cells enclose;
 *
 * 4. openings narrower than mission.frontier_min_width_m;
 *
 * 5. openings that the robot has stood before, in plain sight or at the place chosen for looking in, without
 *    learning anything; `blind` lists them.
 *
 * When none is left that can be reached and was not given up, what 1 and 2 leave out is looked through once more,
 * slits down to half of that width: the edge of unknown floor of mission.hidden_min_m2 or more that the robot's
 * circle, as far as is known, could get onto and cover (frontier_hidden.c). Such is the known floor before a corner
 * behind an open leaf, which runs out into a wedge, or a strip along a wall past a door's jamb. Once found they stay
 * listed beside others that turn up.
 *
 * Cells belong to one frontier when they are within 0.5 m of each other over free floor (so never through a
 * wall); long ones are cut. Reachability and distance come from a wavefront over free cells with the robot's
 * clearance, or that it has driven over. The place to stand looks into the opening, not along it; of one that cannot
 * be reached it is its own middle, or the reachable place nearest to it where that is worth a look, as a doorway may turn
 * out to be wide enough from near: for one of CAIRN_FRONTIER_WIDE_M, and one on known floor that the robot would fit on.
 *
 * Of one that cannot be reached it is told how wide the way there is where it is narrowest (frontier_gap.c).
 *
 * The finder keeps what it made of the map and compares: clearances and masks are computed anew only around
 * the cells that changed, whatever changed them, so that a map drawn anew after a loop closure needs no word
 * to it. */
#ifndef CAIRN_COMMON_EXPLORE_FRONTIER_H
#define CAIRN_COMMON_EXPLORE_FRONTIER_H

#include "common/map/grid.h"
#include "common/map/wavefront.h"

#define CAIRN_FRONTIERS_MAX 64
#define CAIRN_FRONTIER_WIDE_M 2.0 /* so wide, a room lies behind it */

struct cairn_frontier_known {
	uint32_t id;
	struct cairn_vec2 at;
	uint32_t cells;
	uint32_t seen;   /* update in which it was there last */
	uint32_t stared; /* updates in which the robot looked at it in vain, while it did not change */
};

/* What must survive a restart so that ids stay the same. */
struct cairn_frontier_memory {
	struct cairn_frontier_known items[4 * CAIRN_FRONTIERS_MAX];
	uint32_t count;
	uint32_t next_id;
	uint32_t update;
};

struct cairn_frontier_finder; /* scratch, grows with the map */

struct cairn_frontier_finder *cairn_frontier_finder_new(void);
void cairn_frontier_finder_destroy(struct cairn_frontier_finder **finder_p);

/* What the mission has given up, as far as its message lists it: the next finds look for hidden floor when nothing else
 * is left. At most CAIRN_FRONTIERS_MAX are kept, those of the end. */
void cairn_frontier_given_up(
    struct cairn_frontier_finder *finder, const struct cairn_msg_given_up *items, uint32_t count);

/* Is it one of those, by its place? */
bool cairn_frontier_is_given_up(
    const struct cairn_msg_given_up *items, uint32_t count, const struct cairn_msg_frontier *frontier);

/* Finds the frontiers of the grid as seen from pose (map frame). *ret is filled but for map_seq. looking: the
 * robot sees (scans are coming in and match), so that staring in vain counts. False without memory (then *ret
 * is empty). */
bool cairn_frontier_find(struct cairn_frontier_finder *finder, struct cairn_frontier_memory *memory,
    const struct cairn_grid *grid, struct cairn_pose2 pose, bool looking, const struct cairn_config *cfg,
    struct cairn_msg_frontiers *ret);

/* The wavefront of the last find, from the robot over floor that it fits on; *ret_cx0, *ret_cy0: map cell of
 * its cell (0, 0). NULL before the first. Valid until the next find. */
const struct cairn_wavefront *cairn_frontier_reach(
    const struct cairn_frontier_finder *finder, int32_t *ret_cx0, int32_t *ret_cy0);

#endif
