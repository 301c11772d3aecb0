/* path_clearance.h - what stands in each direction of move_toward, for people and models: how far it is clear, what kind of
 * thing ends it, how much room is left beside the body. By the same points, footprint and margin as the safety layers
 * (safe_velocity.h); it stops nothing and lifts no stop. Pure. */
#ifndef CAIRN_COMMON_SAFETY_PATH_CLEARANCE_H
#define CAIRN_COMMON_SAFETY_PATH_CLEARANCE_H

#include "common/config/config.h"
#include "common/safety/depth_layer.h"
#include "common/scan/scan.h"
#include "ipc/messages.h"

#define CAIRN_PATH_CLEARANCE_HORIZON_M 5.0 /* a straight is judged this far; arcs: half a circle at most */
#define CAIRN_PATH_CLEARANCE_BESIDE_M 1.0  /* more room than this is not told */

struct cairn_path_clearance_view {
	const struct cairn_points *points; /* robot frame; the depth camera's behind the LiDAR's */
	size_t lidar_count;                /* of points */
	const struct cairn_depth_layer
	    *floor;              /* where those of the depth camera are from; NULL: there are none */
	struct cairn_pose2 pose; /* of the robot in the frame of floor */
	bool drop;               /* the cliff sensor measures no floor in front */
};

/* All directions, in the order of the enum. Obstacle NONE: nothing ends the way as far as it is judged, and free_m and
 * drive_m are that far. */
void cairn_path_clearance(const struct cairn_config *cfg, const struct cairn_path_clearance_view *view,
    struct cairn_msg_path_clear ret[CAIRN_DIRECTION_COUNT]);

#endif
