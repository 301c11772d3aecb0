/* own_body.h - where the LiDAR sees the robot itself: posts, cables, the camera's mount.
 *
 * While the robot is turned, the room turns round the LiDAR, and what belongs to the robot stays: a direction is the robot's own when
 * its nearest return hardly changes over all revolutions of a turn. In the LiDAR's frame, as its points are. Pure. */
#ifndef CAIRN_COMMON_CALIBRATION_OWN_BODY_H
#define CAIRN_COMMON_CALIBRATION_OWN_BODY_H

#include "common/scan/scan.h"

#define CAIRN_OWN_BODY_DIRECTIONS 360
#define CAIRN_OWN_BODY_ARCS 8

/* Zeroed before a turn. */
struct cairn_own_body {
	uint32_t revolutions;
	uint32_t seen[CAIRN_OWN_BODY_DIRECTIONS]; /* revolutions with a return there */
	float least_m[CAIRN_OWN_BODY_DIRECTIONS],
	    most_m[CAIRN_OWN_BODY_DIRECTIONS]; /* of the nearest returns */
};

struct cairn_own_arc {
	int from_deg, to_deg; /* counter-clockwise from x, to_deg may exceed 359; both included */
	double nearest_m, farthest_m;
};

void cairn_own_body_scan(struct cairn_own_body *body, const struct cairn_points *points);

/* How many; the widest gaps between directions of one thing are a degree. turned_rad: by how much the robot was turned meanwhile, on
 * which it depends that the room cannot be taken for it: 0 arcs below CAIRN_MOUNT_TURN_MIN_RAD. */
int cairn_own_body_found(
    const struct cairn_own_body *body, double turned_rad, struct cairn_own_arc arcs[CAIRN_OWN_BODY_ARCS]);

/* A return in this direction at this distance is of one of them. */
bool cairn_own_body_is(const struct cairn_own_arc *arcs, int count, double angle_rad, double range_m);

#endif
