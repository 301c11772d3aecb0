/* lidar_turn.h - a whole revolution of a LiDAR of any make, and the message that it becomes.
 *
 * Angles are degrees times 64, clockwise seen from above, 0 at the device's own mark. */
#ifndef CAIRN_COMMON_DEVICE_LIDAR_TURN_H
#define CAIRN_COMMON_DEVICE_LIDAR_TURN_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

#define CAIRN_LIDAR_TURN_MAX 4096 /* points; an SLLidar C1 makes 400 to 600, an LD06 350 to 900 */
#define CAIRN_LIDAR_TURN_MIN 90   /* fewer are not a turn one may drive by */
#define CAIRN_LIDAR_Q6_TURN (360 * 64)

struct cairn_lidar_turn {
	int64_t t_start_ns, t_end_ns; /* arrival of the first point and of the next turn's first */
	uint32_t count;
	uint16_t angle_q6[CAIRN_LIDAR_TURN_MAX];
	float range_m[CAIRN_LIDAR_TURN_MAX]; /* 0 = no return */
};

/* A turn as the scan message: angles counter-clockwise in the robot frame, in the order of time. yaw_rad:
 * direction of the device's zero mark in the robot frame; mirrored: it hangs upside down. */
void cairn_lidar_scan(struct cairn_msg_scan *out, const struct cairn_lidar_turn *turn, double yaw_rad,
    bool mirrored, double range_min_m, double range_max_m);

#endif
