/* zone_around.h - the outline of a zone that the model names but never draws: what the LiDAR sees around the
 * robot.
 *
 * SLOWDOWN: the free floor all round, as far as CAIRN_ZONE_REACH_M in each of 32 directions. KEEPOUT: the
 * free floor ahead, within 45 degrees of where the robot faces (what the picture shows), from
 * CAIRN_ZONE_STAND_OFF_M before the robot's nose to CAIRN_ZONE_AHEAD_M from its origin: through a gap, if
 * there is one, and never under the robot itself. Both end a little before what the LiDAR hits. Pure. */
#ifndef CAIRN_COMMON_SEQUENCER_ZONE_AROUND_H
#define CAIRN_COMMON_SEQUENCER_ZONE_AROUND_H

#include "common/base/error.h"
#include "common/base/polygon.h"
#include "common/scan/scan.h"

#define CAIRN_ZONE_REACH_M 1.5
#define CAIRN_ZONE_AHEAD_M 2.5
#define CAIRN_ZONE_STAND_OFF_M 0.25

/* points: in the robot frame of pose. ret_corners: map frame, counter-clockwise, at most
 * CAIRN_POLYGON_CORNERS_MAX, valid in the sense of cairn_polygon_valid. Their number, or 0 with the reason:
 * the pose is not finite, the scan is empty, or nothing ahead is free enough to be kept out of. */
size_t cairn_zone_around(enum cairn_zone_kind kind, const struct cairn_points *points,
    const struct cairn_footprint *body, struct cairn_pose2 pose,
    struct cairn_vec2 ret_corners[CAIRN_POLYGON_CORNERS_MAX], struct cairn_error *err);

#endif
