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
#define MARKER_ARRAY                                                                                         \
	"visualization_msgs/Marker[] markers\n" DEFINITION("visualization_msgs/Marker",                      \
	    "int32 ARROW=0\nint32 CUBE=1\nint32 SPHERE=2\nint32 CYLINDER=3\nint32 LINE_STRIP=4\n"            \
	    "int32 LINE_LIST=5\nint32 CUBE_LIST=6\nint32 SPHERE_LIST=7\nint32 POINTS=8\n"                    \
	    "int32 TEXT_VIEW_FACING=9\nint32 MESH_RESOURCE=10\nint32 TRIANGLE_LIST=11\nint32 ADD=0\n"        \
	    "int32 MODIFY=0\nint32 DELETE=2\nint32 DELETEALL=3\nstd_msgs/Header header\nstring ns\n"         \
	    "int32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\n"     \
	    "std_msgs/ColorRGBA color\nbuiltin_interfaces/Duration lifetime\nbool frame_locked\n"            \
	    "geometry_msgs/Point[] points\nstd_msgs/ColorRGBA[] colors\nstring texture_resource\n"           \
	    "sensor_msgs/CompressedImage texture\nvisualization_msgs/UVCoordinate[] uv_coordinates\n"        \
	    "string text\nstring mesh_resource\nvisualization_msgs/MeshFile mesh_file\n"                     \
	    "bool mesh_use_embedded_materials\n") HEADER POSE VECTOR3 DEFINITION("std_msgs/ColorRGBA",       \
	    "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n")                                                  \
	    DEFINITION("builtin_interfaces/Duration", "int32 sec\nuint32 nanosec\n") DEFINITION(             \
		"sensor_msgs/CompressedImage", "std_msgs/Header header\nstring format\nuint8[] data\n")      \
		DEFINITION("visualization_msgs/UVCoordinate", "float32 u\nfloat32 v\n")                      \
		    DEFINITION("visualization_msgs/MeshFile", "string filename\nuint8[] data\n")

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
    {CAIRN_TOPIC_SCENE, "/markers/scene", CAIRN_ROS2_SCENE_MARKERS},
    {CAIRN_TOPIC_ZONES, "/markers/zones", CAIRN_ROS2_ZONE_MARKERS},
    {CAIRN_TOPIC_FRONTIERS, "/markers/frontiers", CAIRN_ROS2_FRONTIER_MARKERS},
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
