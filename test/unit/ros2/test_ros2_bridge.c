/* What comes from ROS 2 and what is said of types there: values read back from either byte order, no byte past the end, hashes as
 * they are published, and commands only from what is whole and finite. */
#include "common/ros2/bridge.h"

#include <errno.h>

#include "common/base/rng.h"
#include "common/ros2/cdr_read.h"
#include "common/ros2/type_hash.h"
#include "test/support/runner.h"

static uint8_t buf[1 << 20];
static struct cairn_config cfg;

START_TEST(hashes_are_those_that_are_published)
{
	/* As nodes of ROS 2 Jazzy print them (`ros2 topic info -v`) and the description files of its packages have them. */
	static const struct {
		enum cairn_ros2_type type;
		const char *hash;
	} published[] = {
	    {CAIRN_ROS2_LASER_SCAN,
		"RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828"},
	    {CAIRN_ROS2_ODOMETRY, "RIHS01_3cc97dc7fb7502f8714462c526d369e35b603cfc34d946e3f2eda2766dfec6e0"},
	    {CAIRN_ROS2_POSE_STAMPED,
		"RIHS01_10f3786d7d40fd2b54367835614bff85d4ad3b5dab62bf8bca0cc232d73b4cd8"},
	    {CAIRN_ROS2_PATH, "RIHS01_1957a5bb3cee5da65c4e52e52b65a93df227efce4c20f8458b36e73066ca334b"},
	    {CAIRN_ROS2_BATTERY_STATE,
		"RIHS01_4bee5dfce981c98faa6828b868307a0a73f992ed0789f374ee96c8f840e69741"},
	    {CAIRN_ROS2_IMU, "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"},
	    {CAIRN_ROS2_TF, "RIHS01_e369d0f05a23ae52508854b66f6aa0437f3449d652e8cbf22d5abe85d020f087"},
	    {CAIRN_ROS2_LOG, "RIHS01_e28ce254ca8abc06abf92773b74602cdbf116ed34fbaf294fb9f81da9f318eac"},
	    {CAIRN_ROS2_OCCUPANCY_GRID,
		"RIHS01_8d348150c12913a31ee0ec170fbf25089e4745d17035792a1ba94d6f0bc0cfc7"},
	    {CAIRN_ROS2_IMAGE, "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47"},
	    {CAIRN_ROS2_COMPRESSED_IMAGE,
		"RIHS01_15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a"},
	    {CAIRN_ROS2_ZONE_MARKERS,
		"RIHS01_86cb8800b6fb05b5eff1abd7a56f62a5641d3ae9a1c29e78e67e704f1d067dcf"},
	    {CAIRN_ROS2_TEXT, "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"},
	    {CAIRN_ROS2_TWIST, "RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a"},
	};
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		const struct cairn_ros2_row *row = &cairn_ros2_types[published[i].type];
		char hash[CAIRN_ROS2_HASH_BYTES];
		ck_assert_int_eq(cairn_ros2_type_hash(row->name, row->schema, hash), 0);
		ck_assert_str_eq(hash, published[i].hash);
	}
}
END_TEST

START_TEST(every_type_has_a_hash_and_one_that_refers_to_nothing_has_none)
{
	char hash[CAIRN_ROS2_HASH_BYTES];
	for (int i = 0; i < CAIRN_ROS2_TYPE_COUNT; i++)
		ck_assert_int_eq(
		    cairn_ros2_type_hash(cairn_ros2_types[i].name, cairn_ros2_types[i].schema, hash), 0);
	ck_assert_int_eq(cairn_ros2_type_hash("a/msg/B", "c/D missing\n", hash), -EINVAL);
}
END_TEST

START_TEST(comments_constants_and_defaults_do_not_change_a_hash)
{
	char plain[CAIRN_ROS2_HASH_BYTES], dressed[CAIRN_ROS2_HASH_BYTES], bounded[CAIRN_ROS2_HASH_BYTES];
	ck_assert_int_eq(cairn_ros2_type_hash("a/msg/B", "float64 x\nstring[3] names\n", plain), 0);
	ck_assert_int_eq(
	    cairn_ros2_type_hash(
		"a/msg/B", "# what it is\n\nuint8 RED=1\nfloat64 x 2.5 # metres\nstring[3] names\n", dressed),
	    0);
	ck_assert_int_eq(cairn_ros2_type_hash("a/msg/B", "float64 x\nstring[<=3] names\n", bounded), 0);
	ck_assert_str_eq(plain, dressed);
	ck_assert_str_ne(plain, bounded);
}
END_TEST

START_TEST(values_are_read_in_either_byte_order)
{
	static const uint8_t little[] = {0, 1, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 0, 0, /* to 12 */
	    5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F};
	static const uint8_t big[] = {0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 3, 'a', 'b', 0, 0, /* to 12 */
	    0, 0, 0, 0, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0};
	struct cairn_cdr_reader r;
	cairn_cdr_read(&r, big, sizeof(big));
	ck_assert_uint_eq(cairn_cdr_take_u8(&r), 7);
	ck_assert_str_eq(cairn_cdr_take_text(&r), "ab");
	ck_assert_double_eq(cairn_cdr_take_f64(&r), 1.5); /* from 16 on behind the header */
	ck_assert(!r.failed && r.at == r.bytes);
	cairn_cdr_read(&r, little, sizeof(little));
	ck_assert_uint_eq(cairn_cdr_take_u8(&r), 7);
	ck_assert_str_eq(cairn_cdr_take_text(&r), "ab");
	ck_assert_uint_eq(cairn_cdr_take_u32(&r), 5);
	ck_assert_int_eq(cairn_cdr_take_i32(&r), 6);
	ck_assert_double_eq(cairn_cdr_take_f64(&r), 1.5);
	ck_assert(!r.failed);
	ck_assert_uint_eq(cairn_cdr_take_u8(&r), 0); /* there is none */
	ck_assert(r.failed);
}
END_TEST

START_TEST(another_encoding_and_what_reaches_over_the_end_are_refused)
{
	static const uint8_t parameters[] = {0, 3, 0, 0, 1, 0, 0, 0}, xcdr2[] = {0, 7, 0, 0, 1, 0, 0, 0},
			     long_text[] = {0, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 'a', 0},
			     open_text[] = {0, 1, 0, 0, 2, 0, 0, 0, 'a', 'b'};
	struct cairn_cdr_reader r;
	cairn_cdr_read(&r, parameters, sizeof(parameters));
	ck_assert(r.failed);
	cairn_cdr_read(&r, xcdr2, sizeof(xcdr2));
	ck_assert(r.failed);
	cairn_cdr_read(&r, xcdr2, 3);
	ck_assert(r.failed);
	cairn_cdr_read(&r, long_text, sizeof(long_text));
	ck_assert_str_eq(cairn_cdr_take_text(&r), "");
	ck_assert(r.failed);
	cairn_cdr_read(&r, open_text, sizeof(open_text));
	ck_assert_str_eq(cairn_cdr_take_text(&r), ""); /* without its NUL */
	ck_assert(r.failed);
	cairn_cdr_read(&r, open_text, sizeof(open_text));
	cairn_cdr_skip(&r, 8, SIZE_MAX / 4);
	ck_assert(r.failed);
}
END_TEST

static size_t goal(double x_m, double y_m, const char *frame_id)
{
	struct cairn_cdr c;
	cairn_cdr_init(&c, buf, sizeof(buf));
	cairn_ros2_put_header(&c, 1, frame_id);
	cairn_ros2_put_pose(&c, x_m, y_m, 0.0, 1.0);
	return (size_t)cairn_cdr_end(&c);
}

START_TEST(a_goal_is_the_command_goto_of_a_place_in_the_map)
{
	struct cairn_msg_command cmd;
	struct cairn_error err = {""};
	size_t bytes = goal(1.5, -2.0, "map");
	ck_assert(cairn_ros2_read_goal(buf, bytes, &cmd, &err));
	ck_assert_str_eq(cmd.verb, "goto");
	ck_assert_str_eq(cmd.arg, "");
	ck_assert_str_eq(cmd.who, "ros2");
	ck_assert_double_eq(cmd.x_m, 1.5);
	ck_assert_double_eq(cmd.y_m, -2.0);
	for (size_t cut = 0; cut < bytes; cut++)
		ck_assert(!cairn_ros2_read_goal(buf, cut, &cmd, &err));
	ck_assert_str_eq(err.text, "not a geometry_msgs/PoseStamped: 75 bytes");
	ck_assert(!cairn_ros2_read_goal(buf, goal(1.0, 1.0, "odom"), &cmd, &err));
	ck_assert_str_eq(err.text, "its frame is 'odom'; poses are taken in the frame 'map'");
	ck_assert(!cairn_ros2_read_goal(buf, goal((double)NAN, 1.0, "map"), &cmd, &err));
	ck_assert(!cairn_ros2_read_goal(buf, goal(1.0, (double)INFINITY, "map"), &cmd, &err));
}
END_TEST

START_TEST(an_initial_pose_is_the_command_locate_and_nothing_else)
{
	struct cairn_msg_command cmd;
	struct cairn_error err = {""};
	struct cairn_msg_pose pose = {.x_m = 1.25, .y_m = -2.5, .yaw_rad = M_PI_2, .sigma_xy_m = 0.5};
	size_t n = (size_t)cairn_ros2_encode(CAIRN_ROS2_POSE_COVARIANCE, 5, &pose, buf, sizeof(buf));
	ck_assert(cairn_ros2_read_initial_pose(buf, n, &cmd, &err));
	ck_assert_str_eq(cmd.verb, "locate");
	ck_assert_str_eq(cmd.arg, "1.250 -2.500 90.0");
	ck_assert_str_eq(cmd.who, "ros2");
	ck_assert(!cairn_ros2_read_initial_pose(buf, n - 1, &cmd, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "PoseWithCovarianceStamped"));
	pose.yaw_rad = (double)NAN;
	n = (size_t)cairn_ros2_encode(CAIRN_ROS2_POSE_COVARIANCE, 5, &pose, buf, sizeof(buf));
	ck_assert(!cairn_ros2_read_initial_pose(buf, n, &cmd, &err));
	ck_assert_str_eq(err.text, "its heading is not a number");
}
END_TEST

static bool steer(double v_mps, double w_radps, struct cairn_msg_teleop *ret, struct cairn_error *err)
{
	struct cairn_cdr c;
	cairn_cdr_init(&c, buf, sizeof(buf));
	cairn_ros2_put_f64s(&c, (const double[]){v_mps, 0.0, 0.0, 0.0, 0.0, w_radps}, 6);
	return cairn_ros2_read_cmd_vel(&cfg, buf, (size_t)cairn_cdr_end(&c), ret, err);
}

START_TEST(a_twist_is_the_steering_angle_that_turns_so_fast_at_that_speed)
{
	struct cairn_msg_teleop m;
	struct cairn_error err = {""};
	cfg.robot.wheelbase_m = 0.25;
	ck_assert(steer(0.5, 2.0, &m, &err)); /* a radius of 0.25 m: 45 degrees */
	ck_assert_double_eq_tol(m.steer_rad, M_PI_4, 1e-12);
	ck_assert_double_eq(m.v_mps, 0.5);
	ck_assert(steer(-0.5, 2.0, &m, &err)); /* backward the wheels stand to the other side */
	ck_assert_double_eq_tol(m.steer_rad, -M_PI_4, 1e-12);
	ck_assert(steer(0.0, 0.0, &m, &err)); /* let go */
	ck_assert_double_eq(m.v_mps, 0.0);
	ck_assert_double_eq(m.steer_rad, 0.0);
	ck_assert(steer(1e-9, 5.0, &m, &err));
	ck_assert_double_eq_tol(m.steer_rad, 1.4, 1e-12);
	ck_assert(!steer(0.0, 1.0, &m, &err));
	ck_assert_str_eq(err.text, "it turns on the spot, which the robot cannot: it steers like a car");
	cfg.robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
	cfg.robot.turn_rate_max_radps = 2.0;
	ck_assert(steer(0.0, -1.0, &m, &err)); /* half as fast as it may */
	ck_assert_double_eq(m.v_mps, 0.0);
	ck_assert_double_eq(m.steer_rad, -0.25);
	cfg.robot.kinematics = CAIRN_CHOICE_KINEMATICS_ACKERMANN;
	ck_assert(!steer((double)NAN, 0.0, &m, &err));
	ck_assert(!steer(0.1, (double)INFINITY, &m, &err));
	ck_assert(!cairn_ros2_read_cmd_vel(&cfg, buf, 51, &m, &err));
}
END_TEST

START_TEST(nothing_comes_in_unless_its_own_key_says_so)
{
	cairn_config_defaults(&cfg);
	ck_assert(!cfg.ros2.enabled);
	ck_assert_str_eq(cfg.ros2.interface, "lo");
	for (int i = 0; i < CAIRN_ROS2_IN_COUNT; i++)
		ck_assert(!cairn_ros2_takes(&cfg.ros2, (enum cairn_ros2_in)i));
	cfg.ros2.take_goal = true;
	ck_assert(cairn_ros2_takes(&cfg.ros2, CAIRN_ROS2_IN_GOAL));
	ck_assert(!cairn_ros2_takes(&cfg.ros2, CAIRN_ROS2_IN_CMD_VEL));
}
END_TEST

/* Of the camera: its place, and the columns of the rotation that its quaternion says. */
static void camera_transform(double ret_at[3], double ret_axis[3][3])
{
	static struct cairn_ros2_bridge bridge;
	struct cairn_cdr_reader r;
	double q[4] = {0};
	cairn_ros2_bridge_init(&bridge, &cfg);
	int bytes = cairn_ros2_bridge_once(&bridge, CAIRN_ROS2_OUT_TF_STATIC, 5, buf, sizeof(buf));
	ck_assert_int_gt(bytes, 0);
	cairn_cdr_read(&r, buf, (size_t)bytes);
	ck_assert_uint_eq(cairn_cdr_take_u32(&r), 2);
	for (int i = 0; i < 2; i++) {
		cairn_cdr_skip(&r, 4, 2);
		ck_assert_str_eq(cairn_cdr_take_text(&r), "base_link");
		ck_assert_str_eq(cairn_cdr_take_text(&r), i == 0 ? "laser" : "camera_optical");
		for (int k = 0; k < 3; k++)
			ret_at[k] = cairn_cdr_take_f64(&r);
		for (int k = 0; k < 4; k++)
			q[k] = cairn_cdr_take_f64(&r);
	}
	ck_assert(!r.failed);
	double x = q[0], y = q[1], z = q[2], w = q[3];
	const double axis[3][3] = {
	    {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
	    {2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)},
	    {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)}};
	memcpy(ret_axis, axis, sizeof(axis));
}

static void expect_axis(const double axis[3], double x, double y, double z)
{
	const double want[3] = {x, y, z};
	for (int k = 0; k < 3; k++)
		ck_assert_double_eq_tol(axis[k], want[k], 1e-9);
}

START_TEST(the_camera_looks_along_z_of_its_optical_frame)
{
	double at[3], axis[3][3];
	cairn_config_defaults(&cfg);
	cfg.robot.camera_pitch_rad = 0.5;
	camera_transform(at, axis);
	expect_axis(axis[2], cos(0.5), 0.0, -sin(0.5)); /* ahead, and down by the pitch */
	expect_axis(axis[0], 0.0, -1.0, 0.0);           /* to the robot's right */
	/* Turned to the left by a quarter it looks along y, its right is ahead of the robot. */
	cfg.robot.camera_pitch_rad = 0.0;
	cfg.robot.camera_y_m = 0.1;
	cfg.robot.camera_yaw_rad = M_PI / 2.0;
	camera_transform(at, axis);
	expect_axis(at, cfg.robot.camera_x_m, 0.1, cfg.robot.camera_z_m);
	expect_axis(axis[2], 0.0, 1.0, 0.0);
	expect_axis(axis[0], 1.0, 0.0, 0.0);
	expect_axis(axis[1], 0.0, 0.0, -1.0);
	/* With its right side down by a quarter, too, its right is down, and its down is back. */
	cfg.robot.camera_roll_rad = M_PI / 2.0;
	camera_transform(at, axis);
	expect_axis(axis[2], 0.0, 1.0, 0.0);
	expect_axis(axis[0], 0.0, 0.0, -1.0);
	expect_axis(axis[1], -1.0, 0.0, 0.0);
}
END_TEST

START_TEST(what_stands_in_tf_static_is_not_repeated_in_tf)
{
	static struct cairn_ros2_bridge bridge;
	struct cairn_cdr_reader r;
	cairn_config_defaults(&cfg);
	cairn_ros2_bridge_init(&bridge, &cfg);
	struct cairn_header hdr = {.epoch = 1, .valid = true, .t_ns = 1000};
	struct cairn_msg_odom odom = {.x_m = 1.0};
	cairn_ros2_bridge_hear(&bridge, CAIRN_TOPIC_ODOM, &hdr, &odom);
	cairn_ros2_bridge_hear(&bridge, CAIRN_TOPIC_POSE, &hdr, &(struct cairn_msg_pose){.x_m = 3.0});
	cairn_ros2_bridge_hear(&bridge, CAIRN_TOPIC_ODOM, &hdr, &odom);
	int bytes = cairn_ros2_bridge_message(&bridge, CAIRN_ROS2_OUT_TF, &hdr, &odom, buf, sizeof(buf));
	cairn_cdr_read(&r, buf, (size_t)bytes);
	ck_assert_uint_eq(cairn_cdr_take_u32(&r), 2);
	for (int i = 0; i < 2; i++) {
		cairn_cdr_skip(&r, 4, 2);
		ck_assert_str_eq(cairn_cdr_take_text(&r), i == 0 ? "map" : "odom");
		ck_assert_str_eq(cairn_cdr_take_text(&r), i == 0 ? "odom" : "base_link");
		ck_assert_double_eq(cairn_cdr_take_f64(&r), i == 0 ? 2.0 : 1.0);
		cairn_cdr_skip(&r, 8, 6);
	}
	ck_assert(!r.failed && r.at == r.bytes);
	ck_assert_int_eq(
	    cairn_ros2_bridge_message(&bridge, CAIRN_ROS2_OUT_MAP, &hdr, &odom, buf, sizeof(buf)), -EINVAL);
}
END_TEST

CAIRN_TEST_MAIN("ros2-bridge", hashes_are_those_that_are_published,
    every_type_has_a_hash_and_one_that_refers_to_nothing_has_none,
    comments_constants_and_defaults_do_not_change_a_hash, values_are_read_in_either_byte_order,
    another_encoding_and_what_reaches_over_the_end_are_refused,
    a_goal_is_the_command_goto_of_a_place_in_the_map, an_initial_pose_is_the_command_locate_and_nothing_else,
    a_twist_is_the_steering_angle_that_turns_so_fast_at_that_speed,
    nothing_comes_in_unless_its_own_key_says_so, the_camera_looks_along_z_of_its_optical_frame,
    what_stands_in_tf_static_is_not_repeated_in_tf)
