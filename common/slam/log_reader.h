/* log_reader.h - recorded 2-D LiDAR logs as scans and odometry.
 *
 * Two formats, plain or gzipped, told apart by their first lines:
 * - CARMEN text logs (ODOM and FLASER lines). Corrected logs carry the output of somebody's SLAM as the pose
 * of FLASER; it is never handed out. Odometry is chained from the steps between: from the pose of a FLASER
 * line to the last ODOM line before the next one, as both are in the same frame.
 * - The tick format of the BreezySLAM examples: 707 blank-separated numbers a line, wheel ticks and ranges in
 * mm of a URG-04LX (see rover_turn in the .c for the rover's measures). */
#ifndef CAIRN_COMMON_SLAM_LOG_READER_H
#define CAIRN_COMMON_SLAM_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "ipc/messages.h"

struct cairn_log_reader;

/* One scan, points in the robot frame at one moment. */
struct cairn_log_turn {
	uint32_t number;         /* from 0 */
	struct cairn_pose2 odom; /* chained from 0 0 0 */
	double t_s;              /* as the log has it; too coarse to be of use in some */
	double lidar_x_m;        /* ahead of the robot's centre */
	struct cairn_msg_scan scan;
};

/* trajectory_path: a file of `scan odo_x odo_y odo_th ...` lines whose odometry is used instead; may be NULL.
 * NULL with the reason in err. */
struct cairn_log_reader *cairn_log_open(
    const char *path, const char *trajectory_path, struct cairn_error *err);
void cairn_log_close(struct cairn_log_reader **reader_p);

/* 1 and *ret, 0 at the end, negative with the reason in err for a line that cannot be read. */
int cairn_log_next(struct cairn_log_reader *reader, struct cairn_log_turn *ret, struct cairn_error *err);

#endif
