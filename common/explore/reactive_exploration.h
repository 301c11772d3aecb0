/* reactive_exploration.h - where to go when nothing but the present scan is known: neither a planned path nor a frontier.
 *
 * Of the directions of move_toward, the one whose arc is free the longest, a doorway in that direction counting for
 * half a metre and every degree off the straight line a little less; backward is the last resort. A doorway is a run of
 * directions that see at least 0.7 m farther than both its jambs, which stand 0.6 to 1.4 m apart and no farther than 3 m
 * away. */
#ifndef CAIRN_COMMON_EXPLORE_REACTIVE_EXPLORATION_H
#define CAIRN_COMMON_EXPLORE_REACTIVE_EXPLORATION_H

#include "common/scan/scan.h"
#include "common/config/config.h"

#define CAIRN_REACTIVE_DOORWAYS_MAX 8

/* Bearings (robot frame) of the doorways in sight, nearest jamb first as they come counter-clockwise from behind;
 * returns how many. */
size_t cairn_reactive_doorways(
    const struct cairn_points *points, double ret_bearing_rad[CAIRN_REACTIVE_DOORWAYS_MAX]);

/* free_m: of each direction's arc, as cairn_safe_survey gives it; negative for one that is forbidden. A direction needs
 * need_m of it. The direction, or -1 when there is none. */
int cairn_reactive_choose(
    const struct cairn_points *points, const double free_m[CAIRN_DIRECTION_COUNT], double need_m);

#endif
