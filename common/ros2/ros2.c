#include "common/ros2/ros2.h"

#include <errno.h>

/* Definitions that several types refer to. */
#define DEFINITION(name, fields)                                                                             \
	"================================================================================\nMSG: " name       \
	"\n" fields
#define TIME DEFINITION("builtin_interfaces/Time", "int32 sec\nuint32 nanosec\n")
#define HEADER DEFINITION("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id\n") TIME
#define VECTOR3 DEFINITION("geometry_msgs/Vector3", "float64 x\nfloat64 y\nfloat64 z\n")
#define QUATERNION                                                                                           \
	DEFINITION("geometry_msgs/Quaternion", "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n")
#define POSE                                                                                                 \
	DEFINITION(                                                                                          \
	    "geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n")    \
	DEFINITION("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z\n") QUATERNION

const struct cairn_ros2_row cairn_ros2_types[CAIRN_ROS2_TYPE_COUNT] = {
#define TYPE(id, name, function, text) [CAIRN_ROS2_##id] = {name, text, cairn_ros2_put_##function},
#include "common/ros2/ros2_types.def"
};

const struct cairn_ros2_topic cairn_ros2_topics[CAIRN_ROS2_TOPIC_COUNT] = {
    {CAIRN_TOPIC_SCAN, "/scan", CAIRN_ROS2_LASER_SCAN},
    {CAIRN_TOPIC_ODOM, "/odom", CAIRN_ROS2_ODOMETRY},
    {CAIRN_TOPIC_ODOM, "/tf", CAIRN_ROS2_TF},
    {CAIRN_TOPIC_POSE, "/pose", CAIRN_ROS2_POSE_STAMPED},
    {CAIRN_TOPIC_NAV_PATH, "/plan", CAIRN_ROS2_PATH},
    {CAIRN_TOPIC_BATTERY, "/battery_state", CAIRN_ROS2_BATTERY_STATE},
    {CAIRN_TOPIC_IMU, "/imu/data", CAIRN_ROS2_IMU},
};

/* Which frames a type is made from. */
static bool takes(enum cairn_ros2_type type, const void *from)
{
	if (type != CAIRN_ROS2_IMAGE && type != CAIRN_ROS2_OCCUPANCY_GRID)
		return true;
	const struct cairn_frame_header *hdr = ((const struct cairn_ros2_frame *)from)->hdr;
	uint32_t pixel_bytes = hdr->format == CAIRN_FORMAT_RGB8      ? 3
			       : hdr->format == CAIRN_FORMAT_DEPTH16 ? 2
								     : 1;
	bool grid = hdr->format == CAIRN_FORMAT_GRID8, picture = pixel_bytes > 1;
	return (type == CAIRN_ROS2_IMAGE ? picture : grid) &&
	       (uint64_t)hdr->width * pixel_bytes <= hdr->stride_bytes &&
	       (uint64_t)hdr->height * hdr->stride_bytes <= hdr->payload_bytes;
}

int cairn_ros2_encode(
    enum cairn_ros2_type type, int64_t unix_ns, const void *from, void *buf, size_t buf_bytes)
{
	struct cairn_cdr c;
	if (!takes(type, from))
		return -EINVAL;
	cairn_cdr_init(&c, buf, buf_bytes);
	cairn_ros2_types[type].encode(&c, unix_ns, from);
	return cairn_cdr_end(&c);
}
