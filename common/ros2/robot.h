/* robot.h - the core of the stage ros2-robot: a robot whose drivers speak ROS 2, as the devices that cairn drives.
 *
 * Messages of drivers in; out of them turns of a LiDAR (common/device/scan_stream.h), lines of a base (docs/diffdrive-serial.md) and pictures of
 * a camera helper (common/device/camera_link.h). What the motor stage writes to that base becomes the twist that the driver is told.
 * So every check, timeout and dead man of the devices holds as it is: a topic that falls silent is a device that falls silent, and nothing
 * here makes up what a driver does not say.
 *
 * Nothing that comes from ROS is believed: a message that is not whole, not finite, not newer than the last one or too old is refused with the
 * reason. No DDS, no sockets and no clock here. */
#ifndef CAIRN_COMMON_ROS2_ROBOT_H
#define CAIRN_COMMON_ROS2_ROBOT_H

#include "common/base/error.h"
#include "common/config/config.h"
#include "common/device/camera_link.h"
#include "common/device/diffdrive_orders.h"
#include "common/device/lidar_turn.h"
#include "common/ros2/cdr_read.h"
#include "common/ros2/ros2.h"

enum cairn_ros2_robot_in {
#define FROM(id, key, type, what) CAIRN_ROS2_ROBOT_##id,
#include "common/ros2/robot.def"
	CAIRN_ROS2_ROBOT_COUNT
};

#define CAIRN_ROS2_ROBOT_DEAD_MAN_NS (CAIRN_DIFFDRIVE_DEAD_MAN_MS * CAIRN_NS_PER_MS)

/* Name of the topic; empty: not read. The string is of cfg. */
const char *cairn_ros2_robot_topic(const struct cairn_config_ros2 *cfg, enum cairn_ros2_robot_in in);
enum cairn_ros2_type cairn_ros2_robot_type(const struct cairn_config_ros2 *cfg, enum cairn_ros2_robot_in in);
/* What the driver is told in: TWIST or TWIST_STAMPED. */
enum cairn_ros2_type cairn_ros2_robot_twist_type(const struct cairn_config_ros2 *cfg);

struct cairn_ros2_robot {
	const struct cairn_config *cfg;
	int64_t clock_offset_ns; /* Unix time minus monotonic time, kept by the caller */
	int64_t
	    stamp_ns[CAIRN_ROS2_ROBOT_COUNT]; /* of the newest message, by the driver's clock; 0: none yet */
	uint64_t taken[CAIRN_ROS2_ROBOT_COUNT], refused;
	/* the base */
	struct cairn_diffdrive_orders orders;
	int64_t told_ns;       /* when the newest speed came */
	double v_mps, w_radps; /* as told */
	bool has_pose;
	struct cairn_pose2 pose; /* as the driver last told it */
	double left_m, right_m;  /* that the wheels have rolled */
	uint64_t jumps;          /* of the driver's pose, which were not taken for motion */
};

/* cfg outlives it. */
void cairn_ros2_robot_init(struct cairn_ros2_robot *r, const struct cairn_config *cfg);

/* Each of these: a message of the row's topic, which arrived at now_ns. False with the reason, counted. */

bool cairn_ros2_robot_scan(struct cairn_ros2_robot *r, const void *cdr, size_t bytes, int64_t now_ns,
    struct cairn_lidar_turn *ret, struct cairn_error *err);
/* ODOM, IMU, BATTERY: the line that a base says then, with its end. *ret_bytes may be 0: there is nothing to say. */
bool cairn_ros2_robot_line(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, const void *cdr,
    size_t bytes, int64_t now_ns, char out[CAIRN_DIFFDRIVE_LINE_MAX], size_t *ret_bytes,
    struct cairn_error *err);

/* A picture within the bytes of a message. */
struct cairn_ros2_picture {
	struct cairn_camera_header hdr; /* as it goes to the socket, but for its number */
	int source;                     /* how its pixels are told */
	uint32_t step_bytes;            /* of a row of data */
	const uint8_t *data;
};
/* COLOR, DEPTH. *ret borrows from cdr. */
bool cairn_ros2_robot_picture(struct cairn_ros2_robot *r, enum cairn_ros2_robot_in in, const void *cdr,
    size_t bytes, int64_t now_ns, struct cairn_ros2_picture *ret, struct cairn_error *err);
/* Its payload, of hdr.payload_bytes. */
void cairn_ros2_picture_put(const struct cairn_ros2_picture *picture, uint8_t *out);

/* Bytes that were written to the base, up to the end of the first order; returns how many were consumed. *ret_told: the driver is to be told
 * anew. What it answers is written to out, *ret_bytes of it. */
size_t cairn_ros2_robot_hear(struct cairn_ros2_robot *r, const uint8_t *data, size_t len, int64_t now_ns,
    bool *ret_told, char out[CAIRN_DIFFDRIVE_LINE_MAX], size_t *ret_bytes);
/* What the driver is to be told now. Zero when nobody has told the base a speed for CAIRN_ROS2_ROBOT_DEAD_MAN_NS. */
struct cairn_msg_motion cairn_ros2_robot_motion(const struct cairn_ros2_robot *r, int64_t now_ns);

#endif
