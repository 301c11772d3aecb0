/* ros2.h - cairn's messages and frames as the standard messages of ROS 2: one row a type, with the schema that a reader
 * without ROS decodes it by.
 *
 * Axes are those of REP-103 as everywhere in cairn, frames those of REP-105: map -> odom -> base_link, and "laser" where the
 * LiDAR sits. Times are Unix ns: the monotonic stamp plus an offset that the caller knows. Covariances are zero, which in
 * ROS means not known, unless cairn measures them. Pure functions: no clocks, no sockets, nothing allocated. */
#ifndef CAIRN_COMMON_ROS2_ROS2_H
#define CAIRN_COMMON_ROS2_ROS2_H

#include "common/base/geom.h"
#include "common/base/log.h"
#include "common/ros2/cdr.h"
#include "ipc/frame_layout.h"
#include "ipc/topics.h"

#define CAIRN_ROS2_FRAME_MAP "map"
#define CAIRN_ROS2_FRAME_ODOM "odom"
#define CAIRN_ROS2_FRAME_BASE "base_link"
#define CAIRN_ROS2_FRAME_LASER "laser"
#define CAIRN_ROS2_FRAME_OPTICAL "camera_optical" /* z into the picture, x to the right */

/* ---- what types are made from, where it is no message of the bus ---- */

/* A frame of camera.rgb, camera.depth (Image) or map.grid (OccupancyGrid), as a reader of ipc/frames.h holds it. */
struct cairn_ros2_frame {
	const struct cairn_frame_header *hdr; /* checked by cairn_frame_header_check() */
	const void *payload;                  /* hdr->payload_bytes */
	const char *frame_id;                 /* of the camera; not used by a grid, which is in the map */
};

struct cairn_ros2_jpeg {
	const void *data;
	uint32_t bytes;
	const char *frame_id;
};

/* One line of a log; the texts are UTF-8. */
struct cairn_ros2_log_line {
	enum cairn_log_level level;
	const char *name, *text, *file; /* name: of the stage */
	uint32_t line;
};

/* `child` as seen from `parent`: rolled about x, then pitched about y, then turned about z. */
struct cairn_ros2_transform {
	const char *parent, *child;
	struct cairn_pose2 pose;
	double z_m, roll_rad, pitch_rad;
};

/* A camera without distortion. */
struct cairn_ros2_camera {
	uint32_t width_px, height_px;
	double hfov_rad;
	const char *frame_id;
};

struct cairn_ros2_health {
	const struct cairn_msg_health *health; /* NULL: the watchdog has said nothing yet */
	const struct cairn_msg_stages *stages;
};

#define CAIRN_ROS2_GID_BYTES 16

/* What belongs to a participant of DDS that is one node. */
struct cairn_ros2_nodes {
	uint8_t participant[CAIRN_ROS2_GID_BYTES];
	const char *name;
	uint32_t gid_bytes; /* on the wire: 16, or 24 up to ROS 2 Humble */
	uint32_t reader_count, writer_count;
	const uint8_t (*readers)[CAIRN_ROS2_GID_BYTES], (*writers)[CAIRN_ROS2_GID_BYTES];
};

struct cairn_ros2_transforms {
	uint32_t count;
	struct cairn_ros2_transform items[3];
};

/* ---- types ---- */

/* Made from the message of the bus of that name (odometry: odom, path: nav_path, ZONE_MARKERS: zones, POSE_COVARIANCE: pose, TWIST and TWIST_STAMPED: motion, ...),
 * TF from struct cairn_ros2_transforms, LOG from struct cairn_ros2_log_line, OCCUPANCY_GRID and IMAGE from struct
 * cairn_ros2_frame, COMPRESSED_IMAGE from struct cairn_ros2_jpeg, CAMERA_INFO, DIAGNOSTICS and NODES from the structs above,
 * TEXT from const char *. */
enum cairn_ros2_type {
#define TYPE(id, name, function, text) CAIRN_ROS2_##id,
#include "common/ros2/ros2_types.def"
	CAIRN_ROS2_TYPE_COUNT
};

typedef void cairn_ros2_encode_fn(struct cairn_cdr *c, int64_t unix_ns, const void *from);

struct cairn_ros2_row {
	const char *name;   /* "sensor_msgs/msg/LaserScan" */
	const char *schema; /* "ros2msg": the fields, then each definition that they refer to */
	cairn_ros2_encode_fn *encode;
};
extern const struct cairn_ros2_row cairn_ros2_types[CAIRN_ROS2_TYPE_COUNT];

#define TYPE(id, name, function, text) cairn_ros2_encode_fn cairn_ros2_put_##function;
#include "common/ros2/ros2_types.def"

/* std_msgs/Header: the beginning of most of them. */
void cairn_ros2_put_header(struct cairn_cdr *c, int64_t unix_ns, const char *frame_id);
void cairn_ros2_put_f64s(struct cairn_cdr *c, const double *values, uint32_t count);
void cairn_ros2_put_pose(
    struct cairn_cdr *c, double x_m, double y_m, double z_m, double yaw_rad); /* geometry_msgs/Pose */

/* The message as CDR into buf: bytes written, -ENOBUFS, or -EINVAL for a frame of a format that the type is not made from.
 * from: see enum cairn_ros2_type. */
int cairn_ros2_encode(
    enum cairn_ros2_type type, int64_t unix_ns, const void *from, void *buf, size_t buf_bytes);

/* ---- topics ---- */

/* What ROS calls a topic of the bus. */
struct cairn_ros2_topic {
	enum cairn_topic topic;
	const char *name;
	enum cairn_ros2_type type;
};
#define CAIRN_ROS2_TOPIC_COUNT 10
extern const struct cairn_ros2_topic cairn_ros2_topics[CAIRN_ROS2_TOPIC_COUNT];

/* What ROS calls the pictures of the frames. The camera's and the snapshot's are JPEG (COMPRESSED_IMAGE), the others as they are. */
#define CAIRN_ROS2_TOPIC_CAMERA "/camera/image/compressed"
#define CAIRN_ROS2_TOPIC_DEPTH "/camera/depth"
#define CAIRN_ROS2_TOPIC_MAP "/map"
#define CAIRN_ROS2_TOPIC_SNAPSHOT "/camera/annotated/compressed"
#define CAIRN_ROS2_TOPIC_VIEW "/camera/above/compressed"
#define CAIRN_ROS2_FRAME_CAMERA "camera"

/* ---- transforms ---- */

#define CAIRN_ROS2_ODOM_KEPT 32 /* more than a second */

/* map -> odom is what the mapper corrects the odometry by. A pose is of an earlier moment than the newest odometry, so it is
 * compared with the odometry of its own stamp. All zero but laser_... is a start. */
struct cairn_ros2_tf {
	double laser_x_m, laser_y_m, laser_z_m; /* in the robot frame */
	uint64_t odom_epoch;                    /* of the motor stage that counts */
	uint32_t kept;
	struct {
		int64_t t_ns;
		struct cairn_pose2 pose;
	} odom[CAIRN_ROS2_ODOM_KEPT]; /* oldest first */
	bool corrected;
	struct cairn_pose2 odom_in_map;
};

void cairn_ros2_tf_pose(
    struct cairn_ros2_tf *tf, const struct cairn_header *hdr, const struct cairn_msg_pose *pose);
/* The transforms of the moment of this odometry: odom -> base_link, base_link -> laser and, once there was a pose, map -> odom. */
void cairn_ros2_tf_odom(struct cairn_ros2_tf *tf, const struct cairn_header *hdr,
    const struct cairn_msg_odom *odom, struct cairn_ros2_transforms *ret);

#endif
