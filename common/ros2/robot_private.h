/* robot_private.h - what the files of robot.h share. */
#ifndef CAIRN_COMMON_ROS2_ROBOT_PRIVATE_H
#define CAIRN_COMMON_ROS2_ROBOT_PRIVATE_H

#include "common/ros2/robot.h"

/* Counts it and says why. False. */
bool ros2_robot_refuse(struct cairn_ros2_robot *r, struct cairn_error *err, const char *why);
/* builtin_interfaces/Time, in ns. */
int64_t ros2_robot_take_stamp(struct cairn_cdr_reader *c);
/* Whether a message of this stamp, of the driver's clock, is of now; then its moment by ours. False with the reason, counted. */
bool ros2_robot_is_fresh(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, int64_t stamp_ns,
    int64_t now_ns, int64_t *ret_t_ns, struct cairn_error *err);

#endif
