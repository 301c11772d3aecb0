/* scan_shift.h - the motion between two LiDAR revolutions, from the returns alone.
 *
 * Each return of the later revolution is laid over the earlier one and drawn to the line through the returns nearest to it
 * (point-to-line ICP: Censi 2008, "An ICP variant using a point-to-line metric"), with less weight the farther it is off,
 * so that people and doors hardly count. Neighbours are looked for by direction, so the motion between the two has to be
 * small: up to about 0.25 m and 0.35 rad. Pure. */
#ifndef CAIRN_COMMON_SCAN_SCAN_SHIFT_H
#define CAIRN_COMMON_SCAN_SCAN_SHIFT_H

#include "common/scan/scan.h"

#define CAIRN_SHIFT_BINS 360
#define CAIRN_SHIFT_LINES 2048

/* A revolution as lines, one through each return that has enough neighbours; caller-owned, a few dozen kB. */
struct cairn_shift_lines {
	uint32_t count;
	float x_m[CAIRN_SHIFT_LINES], y_m[CAIRN_SHIFT_LINES];
	float nx[CAIRN_SHIFT_LINES], ny[CAIRN_SHIFT_LINES]; /* unit normal */
	uint32_t first[CAIRN_SHIFT_BINS + 1];               /* of each direction around the robot */
};

struct cairn_shift {
	struct cairn_pose2 moved; /* the later robot frame in the earlier one */
	double sd_m[2], sd_rad;   /* of moved.x_m, moved.y_m and its heading */
	double fit;               /* share of returns that lie on the earlier lines, 0 to 1 */
};

void cairn_shift_lines_from(struct cairn_shift_lines *lines, const struct cairn_points *points);

/* Share of points that lie on the lines, within 4 cm, after this motion. */
double cairn_shift_fit(
    const struct cairn_shift_lines *lines, const struct cairn_points *points, struct cairn_pose2 moved);

/* False: too few returns on lines to tell. guess: where the search begins. */
bool cairn_shift_find(const struct cairn_shift_lines *lines, const struct cairn_points *points,
    struct cairn_pose2 guess, struct cairn_shift *ret);

#endif
