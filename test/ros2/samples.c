/* samples.c - one message of each type of common/ros2, and what a reader is to find in it is in test_cdr.mjs. One JSON object a
 * line: name, schema, and the bytes in hexadecimal. */
#include <stdio.h>

#include "common/ros2/ros2.h"

#define UNIX_NS INT64_C(1700000000123456789)

static uint8_t buf[1 << 20];

static void print(enum cairn_ros2_type type, const void *from)
{
	int bytes = cairn_ros2_encode(type, UNIX_NS, from, buf, sizeof(buf));
	printf("{\"name\":\"%s\",\"schema\":\"", cairn_ros2_types[type].name);
	for (const char *p = cairn_ros2_types[type].schema; *p != '\0'; p++)
		printf(*p == '\n' ? "\\n" : "%c", *p);
	printf("\",\"hex\":\"");
	for (int i = 0; i < bytes; i++)
		printf("%02x", buf[i]);
	printf("\"}\n");
}

static void print_messages(void)
{
	static struct cairn_msg_scan scan = {.range_min_m = 0.05f,
	    .range_max_m = 16.0f,
	    .angle_rad_count = 4,
	    .angle_rad = {1.5f, 0.5f, -0.5f, -1.5f},
	    .range_m_count = 4,
	    .range_m = {4.0f, 0.0f, 2.0f, 1.0f}};
	static struct cairn_msg_nav_path path = {.points_count = 3,
	    .points = {{.x_m = 1.0f, .y_m = 2.0f}, {.x_m = 3.0f, .y_m = 4.0f, .yaw_rad = 0.5f},
		{.x_m = 5.0f, .y_m = 6.0f, .yaw_rad = -0.5f}}};
	print(CAIRN_ROS2_LASER_SCAN, &scan);
	print(CAIRN_ROS2_ODOMETRY,
	    &(struct cairn_msg_odom){.x_m = 1.5, .y_m = -2.5, .yaw_rad = 1.0, .v_mps = 0.3, .w_radps = -0.7});
	print(CAIRN_ROS2_POSE_STAMPED, &(struct cairn_msg_pose){.x_m = 7.0, .y_m = 8.0, .yaw_rad = -2.0});
	print(CAIRN_ROS2_PATH, &path);
	print(CAIRN_ROS2_BATTERY_STATE, &(struct cairn_msg_battery){.voltage_v = 11.5, .percent = 62.5});
	print(CAIRN_ROS2_IMU, &(struct cairn_msg_imu){.gyro_radps_count = 3,
				  .gyro_radps = {0.1, 0.2, 0.3},
				  .accel_mps2_count = 0,
				  .roll_rad = 0.1,
				  .pitch_rad = 0.2,
				  .yaw_rad = 0.3});
	print(CAIRN_ROS2_TF,
	    &(struct cairn_ros2_transforms){2, {{"map", "odom", {1.0, 2.0, 0.5}, 0.0, 0.0, 0.0},
						   {"base_link", "laser", {0.1, 0.0, 0.3}, 0.18, 0.1, 0.2}}});
	print(CAIRN_ROS2_LOG, &(struct cairn_ros2_log_line){
				  CAIRN_LOG_ERROR, "mapper", "T\303\274r \342\202\254", "grid.c", 88});
	print(CAIRN_ROS2_LOG, &(struct cairn_ros2_log_line){CAIRN_LOG_DEBUG, "motor", "", "main.c", 7});
}

static void print_markers(void)
{
	static struct cairn_msg_scene scene = {.nodes_count = 2,
	    .nodes = {{.id = "kitchen-1",
			  .kind = CAIRN_SCENE_KIND_ROOM,
			  .label = "kitchen",
			  .x_m = 1.0,
			  .y_m = 2.0},
		{.id = "cup-7",
		    .kind = CAIRN_SCENE_KIND_OBJECT,
		    .label = "cup",
		    .box_m_count = 6,
		    .box_m = {1.0f, 2.0f, 0.0f, 2.0f, 4.0f, 0.5f},
		    .stale = true}}};
	static struct cairn_msg_zones zones = {.items_count = 1,
	    .items = {{.kind = CAIRN_ZONE_KIND_KEEPOUT,
		.name = "stairs",
		.corners_count = 3,
		.corners = {{0.0f, 0.0f}, {3.0f, 0.0f}, {0.0f, 3.0f}}}}};
	static struct cairn_msg_frontiers frontiers = {.items_count = 1,
	    .items = {{.id = 12, .x_m = 5.0, .y_m = 6.0, .distance_m = -1.0}},
	    .blind_count = 1,
	    .blind = {{7.0, 8.0}}};
	print(CAIRN_ROS2_SCENE_MARKERS, &scene);
	print(CAIRN_ROS2_ZONE_MARKERS, &zones);
	print(CAIRN_ROS2_FRONTIER_MARKERS, &frontiers);
}

static void print_frames(void)
{
	static const uint8_t cells[] = {
	    0, 50, 100, 0xEE, 255, 7, 8, 0xEE}; /* two rows of three, a byte of padding each */
	static const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
	static const uint8_t depth[] = {0x10, 0x27, 0, 0}; /* 10 m, unknown */
	struct cairn_frame_header grid = {.format = CAIRN_FORMAT_GRID8,
	    .width = 3,
	    .height = 2,
	    .stride_bytes = 4,
	    .payload_bytes = sizeof(cells),
	    .origin_x_m = -1.0,
	    .origin_y_m = -2.0,
	    .cell_m = 0.05};
	struct cairn_frame_header rgb = {
	    .format = CAIRN_FORMAT_RGB8, .width = 2, .height = 1, .stride_bytes = 6, .payload_bytes = 6};
	struct cairn_frame_header mm = {
	    .format = CAIRN_FORMAT_DEPTH16, .width = 1, .height = 2, .stride_bytes = 2, .payload_bytes = 4};
	print(CAIRN_ROS2_OCCUPANCY_GRID, &(struct cairn_ros2_frame){&grid, cells, NULL});
	print(CAIRN_ROS2_IMAGE, &(struct cairn_ros2_frame){&rgb, pixels, "camera"});
	print(CAIRN_ROS2_IMAGE, &(struct cairn_ros2_frame){&mm, depth, "camera"});
	print(CAIRN_ROS2_COMPRESSED_IMAGE, &(struct cairn_ros2_jpeg){"\377\330\377\331", 4, "camera"});
}

/* What is said of the robot beside what it measures. */
static void print_status(void)
{
	static struct cairn_msg_stages stages = {.items_count = 2,
	    .items = {{.name = "motor",
			  .state = CAIRN_STAGE_STATE_UP,
			  .restarts = 2,
			  .uptime_s = 12.5,
			  .cpu_cores = 0.0625,
			  .rss_mb = 9.5},
		{.name = "mapper", .state = CAIRN_STAGE_STATE_FAILED, .note = "died 5 times"}}};
	static struct cairn_msg_health health = {.ok = false, .problem = "mapper is down"};
	static struct cairn_msg_detections seen = {.items_count = 1,
	    .items = {{.label = "cup",
		.confidence = 0.75f,
		.x_m = 1.0,
		.y_m = 2.0,
		.z_m = 0.5,
		.box_m_count = 6,
		.box_m = {1.0f, 2.0f, 0.0f, 2.0f, 4.0f, 0.5f}}}};
	static const uint8_t gids[2][CAIRN_ROS2_GID_BYTES] = {{1, 2, 3}, {4, 5, 6}};
	print(CAIRN_ROS2_TWIST, &(struct cairn_msg_motion){.v_mps = 0.25, .w_radps = -0.5});
	print(CAIRN_ROS2_TWIST_STAMPED, &(struct cairn_msg_motion){.v_mps = 0.25, .w_radps = -0.5});
	print(CAIRN_ROS2_POSE_COVARIANCE,
	    &(struct cairn_msg_pose){
		.x_m = 7.0, .y_m = 8.0, .yaw_rad = -2.0, .sigma_xy_m = 0.5, .sigma_yaw_rad = 0.25});
	print(CAIRN_ROS2_TEXT, "{\"id\":7}");
	print(CAIRN_ROS2_CAMERA_INFO, &(struct cairn_ros2_camera){640, 480, M_PI_2, "camera_optical"});
	print(CAIRN_ROS2_DIAGNOSTICS, &(struct cairn_ros2_health){&health, &stages});
	print(CAIRN_ROS2_DETECTIONS, &seen);
	print(CAIRN_ROS2_NODES, &(struct cairn_ros2_nodes){.participant = {9},
				    .name = "cairn",
				    .gid_bytes = CAIRN_ROS2_GID_BYTES,
				    .reader_count = 1,
				    .writer_count = 2,
				    .readers = gids,
				    .writers = gids});
}

int main(void)
{
	print_messages();
	print_frames();
	print_markers();
	print_status();
	return 0;
}
