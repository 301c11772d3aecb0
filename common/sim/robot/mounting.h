/* mounting.h - how sensors and wheels of the simulated robot truly are, whatever the robot's configuration believes. */
#ifndef CAIRN_COMMON_SIM_ROBOT_MOUNTING_H
#define CAIRN_COMMON_SIM_ROBOT_MOUNTING_H

#include "common/camera/camera_pose.h"
#include "common/device/base_axes.h"

struct cairn_mounting {
	double lidar_yaw_rad;
	bool lidar_mirrored;
	struct cairn_base_axes axes;
	double ticks_per_m;
	struct cairn_camera_mount camera;
};

/* By sim.mounting: from robot.* or from sim.*; how far ahead the camera is always from robot.*. */
struct cairn_mounting cairn_mounting_from(const struct cairn_config *cfg);

/* Encoder counts of a wheel that has rolled so far forward. */
int32_t cairn_mounting_count(const struct cairn_mounting *m, double rolled_m);

#endif
