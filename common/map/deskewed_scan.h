/* deskewed_scan.h - one turn of the LiDAR as rays in the robot frame at one moment.
 *
 * A LiDAR turn takes a tenth of a second, in which the robot moves. cairn_rays_from_scan moves each point to
 * where it would have been seen from the robot's place at the end of the turn ("deskewing"), given the
 * robot's motion. */
#ifndef CAIRN_COMMON_MAP_DESKEWED_SCAN_H
#define CAIRN_COMMON_MAP_DESKEWED_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_RAYS_MAX 8192
#define CAIRN_RAYS_KNOTS 9

/* Directions of a LiDAR's points: those of the next turn are mostly the same. */
struct cairn_rays_angles {
	uint32_t count;
	float rad[CAIRN_RAYS_MAX];
	double c[CAIRN_RAYS_MAX], s[CAIRN_RAYS_MAX];
};

/* All zero before the first scan. */
struct cairn_rays {
	size_t count;
	float from_x_m[CAIRN_RAYS_MAX], from_y_m[CAIRN_RAYS_MAX]; /* where the LiDAR was */
	float x_m[CAIRN_RAYS_MAX], y_m[CAIRN_RAYS_MAX];           /* end of the ray */
	float face_x[CAIRN_RAYS_MAX], face_y[CAIRN_RAYS_MAX]; /* which way its surface faces; 0 0: unknown */
	bool hit[CAIRN_RAYS_MAX]; /* false: the ray was cut at range_use_m, nothing is known of its end */
	bool alone
	    [CAIRN_RAYS_MAX]; /* no neighbour tells which way its surface faces: taken to face the LiDAR */
	struct cairn_rays_angles angles; /* of the newest scan */
};

/* The robot during the turn: its pose at KNOTS evenly spaced times from the first point to the last, relative
 * to its pose at the last. All zero for a robot that stands. */
struct cairn_rays_motion {
	struct cairn_pose2 knot[CAIRN_RAYS_KNOTS];
};

/* Invalid returns (0, not finite, outside the scan's limits) and the robot's own body are left out. Rays
 * longer than map.range_use_m are cut. Which way surfaces face is left as it was. Returns the number of hits.
 */
size_t cairn_rays_from_scan(struct cairn_rays *out, const struct cairn_msg_scan *scan,
    const struct cairn_rays_motion *motion, const struct cairn_config *cfg);

/* Fills face_x and face_y of the hits from their neighbours in the scan: a unit vector square to the surface,
 * on the LiDAR's side of it. What stands alone faces the LiDAR. */
void cairn_rays_find_faces(struct cairn_rays *rays);

#endif
