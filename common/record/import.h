/* import.h - recordings of others as recordings of cairn: LiDAR logs (common/slam/log_reader.h) and folders of RGB-D frames. */
#ifndef CAIRN_COMMON_RECORD_IMPORT_H
#define CAIRN_COMMON_RECORD_IMPORT_H

#include "common/base/error.h"
#include "common/mcap/mcap_writer.h"

struct cairn_imported {
	uint32_t scans, frames;
	uint64_t messages;
	double duration_s, path_m; /* path_m: of the odometry, or of the camera */
	double lidar_x_m;          /* of the log's robot: what robot.lidar_x_m is to be in a replay */
};

/* Scans, and the odometry that leads to them at 20 Hz. Where the log's times are of no use (equal, backwards, far apart), the robot
 * drives 0.5 m/s and turns 1 rad/s at most. False with the reason. */
bool cairn_import_log(const char *path, cairn_mcap_write_fn *write, void *ctx, struct cairn_imported *ret,
    struct cairn_error *err);

/* A folder as of 7-Scenes: frame-NNNNNN.color.jpg, frame-NNNNNN.depth.png (16 bit, mm, 65535 = unknown), frame-NNNNNN.pose.txt (4x4,
 * camera to world, m); NNNNNN counts 1/30 s. The pose is that of the camera relative to the first one, on the floor. */
bool cairn_import_frames(const char *folder, cairn_mcap_write_fn *write, void *ctx,
    struct cairn_imported *ret, struct cairn_error *err);

#endif
