/* gaps.h - doorway-like openings in a scan.
 *
 * An edge is where the range jumps by more than gap_jump_m between neighbouring valid returns (at most 6
 * degrees apart), and the far one does not lie on the straight continuation of the surface the near one
 * belongs to: a wall seen at a grazing angle jumps too, without an opening. The near point A of the jump is
 * one side of the opening. The other side B is the point closest to A among those that follow on the open
 * side, within 180 degrees.
 *
 * width = |A - B|, from gap_width_min_m to gap_width_max_m; distance = the range of the nearer of A and B;
 * bearing = that of the middle of A and B, as seen from the LiDAR, within the front 180 degrees. Of openings
 * that share a side the narrowest stays: a door is found from both of its posts, and is one. Openings behind
 * one another are both kept. */
#ifndef CAIRN_COMMON_PERCEPT_GAPS_H
#define CAIRN_COMMON_PERCEPT_GAPS_H

#include "common/percept/sectors.h"

/* Writes the nearest openings, nearest first, at most capacity; the number written. At most 64 edges of a
 * scan are looked at, so that noise cannot cost time. */
int cairn_gaps_find(struct cairn_msg_gap *out, int capacity, const struct cairn_polar *polar,
    const struct cairn_percept_params *params);

#endif
