/* sectors.h - what one turn of the LiDAR says, in the words of the prompt: sectors, nearest obstacle,
 * feasibility.
 *
 * Twelve sectors of 30 degrees run clockwise from the front; sector k covers [30k - 15, 30k + 15) degrees
 * clockwise, so sector 0 looks straight ahead, 3 to the right, 6 to the rear, 9 to the left. Distances are
 * those from the LiDAR, bearings are counter-clockwise radians from straight ahead as seen from the LiDAR.
 *
 * A return counts when its direction and range are finite, the range is positive, within the limits of the
 * scan (a limit that is not positive sets none), and its point does not lie on the robot itself. Everything
 * else is left out.
 *
 * The distance of a sector is the 10th percentile by nearest rank: of n values in rising order the one with
 * number ceil(n / 10), counted from 1. It is always a measured value: the smallest of up to ten, the sixth of
 * sixty.
 *
 * Time is O(n log n) at worst for any scan of up to 8192 points, and nothing allocates (about 150 kB of
 * stack). */
#ifndef CAIRN_COMMON_PERCEPT_SECTORS_H
#define CAIRN_COMMON_PERCEPT_SECTORS_H

#include "common/scan/scan.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_SECTOR_COUNT 12
#define CAIRN_FEASIBILITY_MIN 0.1f

struct cairn_percept_params {
	struct cairn_vec2 lidar;     /* in the robot frame */
	struct cairn_footprint body; /* returns from inside are the robot itself */
	double gap_jump_m;           /* a range jump larger than this is an edge */
	double gap_width_min_m;      /* narrower openings are none */
	double gap_width_max_m;      /* wider ones are open space, not an opening */
};

struct cairn_percept_params cairn_percept_params_from_config(const struct cairn_config *cfg);

/* The valid returns of a scan in clockwise order, sector by sector. */
struct cairn_polar {
	uint32_t count;
	uint32_t sector_begin[CAIRN_SECTOR_COUNT + 1]; /* sector k: [sector_begin[k], sector_begin[k + 1]) */
	float angle_rad[CAIRN_POINTS_MAX];             /* as in the scan */
	float range_m[CAIRN_POINTS_MAX];
};

/* False, with an empty result, for a scan whose two arrays differ in length. */
bool cairn_polar_from_scan(
    struct cairn_polar *out, const struct cairn_msg_scan *scan, const struct cairn_percept_params *params);

/* Fills sectors, feasibility, gaps and nearest obstacle of *out and zeroes the rest. Without a single valid
 * return all sectors are empty, nothing is feasible and nearest_m is negative. False for a malformed scan,
 * which counts as one without returns. */
bool cairn_percept_from_scan(struct cairn_msg_percept *out, const struct cairn_msg_scan *scan,
    const struct cairn_percept_params *params);

/* Label of a sector's distance: WALL below 0.5 m, OBSTACLE below 1, NEAR below 2, else CLEAR; EMPTY for 0. */
enum cairn_sector_label cairn_sector_label_of(float distance_m);

/* 0.1 at 0.5 m or less, 1.0 at 2.0 m or more, linear between; 0.1 for 0 (an empty sector: nothing is known).
 */
float cairn_feasibility_of(float distance_m);

/* The six directions in the order of enum direction. The smallest distance of the sectors that a direction
 * needs decides: forward 0; forward_left 11; forward_right 1; left 10 and 9; right 2 and 3; backward 6, the
 * rear. The sectors beside these (backward: 5 and 7) count too once they are nearer than half the robot's
 * width / sin 15: nearer than that the cone of a sector is narrower than the body, and what stands beside the
 * cone is in the way. An empty sector that is needed makes its direction unfeasible (0.1); an empty one
 * beside it does not matter. */
void cairn_feasibility(float feasibility[6], const float sector_m[CAIRN_SECTOR_COUNT], double half_width_m);

#endif
