/* ranges.h - a scan in steps of one degree around the LiDAR: what a line of sight and a plot from above need.
 */
#ifndef CAIRN_COMMON_PERCEPT_RANGES_H
#define CAIRN_COMMON_PERCEPT_RANGES_H

#include "common/drawing/font.h"
#include "common/percept/sectors.h"
#include "ipc/messages.h"

/* Nearest valid return in each degree around the LiDAR, counter-clockwise from straight ahead; 0 = none. Bin
 * k covers [k - 0.5, k + 0.5) degrees. */
struct cairn_ranges {
	float m[360];
};

/* Circles around the LiDAR, in one colour wherever they are drawn: red 1 m, yellow 2 m, green 3 m and 4 m. */
struct cairn_ring {
	double radius_m;
	struct cairn_rgb colour;
};
#define CAIRN_RINGS 4
extern const struct cairn_ring cairn_rings[CAIRN_RINGS];

/* Takes a well-formed scan. scratch is worked in. */
void cairn_ranges_from_scan(struct cairn_ranges *ranges, const struct cairn_msg_scan *scan,
    const struct cairn_percept_params *params, struct cairn_polar *scratch);

/* How far the LiDAR sees in a direction: the nearest return of the bin and its two neighbours; 0 = no return.
 */
double cairn_ranges_sight_m(const struct cairn_ranges *ranges, double bearing_rad);

#endif
