/* A robot whose drivers speak ROS 2: what they say as bytes of devices, what the motor stage says as a twist, and nothing that is not of now. */
#include "common/ros2/robot.h"

#include <math.h>

#include "common/device/base_link.h"
#include "common/device/scan_stream.h"
#include "common/device/wheel_odom.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define OFFSET_NS (INT64_C(1700000000) * CAIRN_NS_PER_S)
#define NOW_NS (50 * CAIRN_NS_PER_S)
#define UNIX_NS (NOW_NS + OFFSET_NS)

static struct cairn_config cfg;
static struct cairn_ros2_robot robot;
static struct cairn_error err;
static struct cairn_lidar_turn turn;
static uint8_t buf[1 << 17];

static void set_up(void)
{
	cairn_config_defaults(&cfg);
	cfg.robot.drive = CAIRN_CHOICE_DRIVE_ROS2;
	cfg.robot.base_model = CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL;
	cfg.robot.wheel_separation_m = 0.2;
	cfg.robot.encoder_ticks_per_m = 1000.0;
	memcpy(cfg.ros2.scan_from, "/scan", 6);
	memcpy(cfg.ros2.odom_from, "/odom", 6);
	memcpy(cfg.ros2.cmd_vel_to, "/cmd_vel", 9);
	memcpy(cfg.ros2.color_from, "/image_raw", 11);
	memcpy(cfg.ros2.depth_from, "/depth", 7);
	cairn_ros2_robot_init(&robot, &cfg);
	robot.clock_offset_ns = OFFSET_NS;
	err.text[0] = '\0';
}

/* ---- messages as drivers write them ---- */

struct rays {
	uint32_t count;
	float first_rad, step_rad, point_s;
	int64_t unix_ns;
};

static size_t laser_scan(struct rays s)
{
	struct cairn_cdr c;
	cairn_cdr_init(&c, buf, sizeof(buf));
	cairn_ros2_put_header(&c, s.unix_ns, "base_scan");
	cairn_cdr_put_f32(&c, s.first_rad);
	cairn_cdr_put_f32(&c, s.first_rad + s.step_rad * (float)(s.count - 1));
	cairn_cdr_put_f32(&c, s.step_rad);
	cairn_cdr_put_f32(&c, s.point_s);
	cairn_cdr_put_f32(&c, 0.2f);
	cairn_cdr_put_f32(&c, 0.12f);
	cairn_cdr_put_f32(&c, 3.5f);
	cairn_cdr_put_u32(&c, s.count);
	for (uint32_t i = 0; i < s.count; i++)
		cairn_cdr_put_f32(&c, i % 4 == 0   ? INFINITY
				      : i % 4 == 1 ? 0.05f /* nearer than it measures */
				      : i % 4 == 2 ? NAN
						   : 1.0f + 0.001f * (float)i);
	cairn_cdr_put_u32(&c, 0);
	return (size_t)cairn_cdr_end(&c);
}

static const struct rays turtlebot = {.count = 360,
    .first_rad = 0.0f,
    .step_rad = 0.0174532925f,
    .point_s = 0.0002f,
    .unix_ns = UNIX_NS - 80 * MS};

static size_t odometry(int64_t unix_ns, double x_m, double y_m, double yaw_rad, double v_mps, double w_radps)
{
	struct cairn_msg_odom m = {
	    .x_m = x_m, .y_m = y_m, .yaw_rad = yaw_rad, .v_mps = v_mps, .w_radps = w_radps};
	return (size_t)cairn_ros2_encode(CAIRN_ROS2_ODOMETRY, unix_ns, &m, buf, sizeof(buf));
}

/* The line that an odometry becomes; "" when it is refused. */
static const char *line_of(size_t bytes, int64_t now_ns, enum cairn_ros2_robot_in in)
{
	static char out[CAIRN_DIFFDRIVE_LINE_MAX + 1];
	size_t n = 0;
	bool good = cairn_ros2_robot_line(&robot, in, buf, bytes, now_ns, out, &n, &err);
	ck_assert(good || n == 0);
	out[n] = '\0';
	return out;
}

static size_t image(const char *encoding, uint32_t width, uint32_t height, uint32_t step, const void *data,
    uint32_t bytes, bool big_endian, int64_t unix_ns)
{
	struct cairn_cdr c;
	cairn_cdr_init(&c, buf, sizeof(buf));
	cairn_ros2_put_header(&c, unix_ns, "camera");
	cairn_cdr_put_u32(&c, height);
	cairn_cdr_put_u32(&c, width);
	cairn_cdr_put_text(&c, encoding);
	cairn_cdr_put_u8(&c, big_endian);
	cairn_cdr_put_u32(&c, step);
	cairn_cdr_put_u32(&c, bytes);
	cairn_cdr_put_bytes(&c, data, bytes);
	return (size_t)cairn_cdr_end(&c);
}

/* ---- LiDAR ---- */

START_TEST(a_scan_becomes_a_turn_clockwise_with_its_times_and_without_what_is_no_return)
{
	set_up();
	size_t n = laser_scan(turtlebot);
	ck_assert(cairn_ros2_robot_scan(&robot, buf, n, NOW_NS, &turn, &err));
	ck_assert_uint_eq(turn.count, 360);
	ck_assert_int_eq(turn.t_start_ns, NOW_NS - 80 * MS);
	ck_assert_int_le(llabs(turn.t_end_ns - (NOW_NS - 80 * MS + 359 * 200000)), 1000);
	ck_assert_uint_eq(turn.angle_q6[0], 0);
	/* 90 degrees to the left are 270 clockwise. */
	ck_assert_uint_eq(turn.angle_q6[90], 270 * 64);
	for (uint32_t i = 0; i < 360; i++)
		ck_assert_double_eq_tol((double)turn.range_m[i], i % 4 == 3 ? 1.0 + 0.001 * i : 0.0, 1e-6);
	/* And the sensor bridge takes it. */
	static struct cairn_scan_stream stream;
	static uint8_t frame[CAIRN_SCAN_STREAM_FRAME_MAX];
	bool some;
	cairn_scan_stream_init(&stream);
	size_t bytes = cairn_scan_stream_write(frame, &turn);
	ck_assert_uint_eq(cairn_scan_stream_feed(&stream, frame, bytes, NOW_NS + MS, &some), bytes);
	ck_assert(some);
}
END_TEST

START_TEST(a_scan_that_is_stamped_at_its_end_is_not_from_the_future)
{
	set_up();
	struct rays s = turtlebot;
	s.unix_ns = UNIX_NS - MS;
	ck_assert(cairn_ros2_robot_scan(&robot, buf, laser_scan(s), NOW_NS, &turn, &err));
	ck_assert_int_eq(turn.t_end_ns, NOW_NS);
}
END_TEST

static void scan_refused(struct rays s, const char *why)
{
	uint64_t before = robot.refused;
	err.text[0] = '\0';
	ck_assert_msg(
	    !cairn_ros2_robot_scan(&robot, buf, laser_scan(s), NOW_NS, &turn, &err), "taken: %s", why);
	ck_assert_msg(strstr(err.text, why) != NULL, "'%s', not '%s'", err.text, why);
	ck_assert_uint_eq(robot.refused, before + 1);
}

START_TEST(a_scan_that_is_old_repeated_unstamped_or_not_all_round_is_refused_with_the_reason)
{
	set_up();
	struct rays s = turtlebot;
	s.unix_ns = UNIX_NS - 260 * MS;
	scan_refused(s, "s old");
	s.unix_ns = UNIX_NS + 60 * MS;
	scan_refused(s, "from the future");
	s.unix_ns = 0;
	scan_refused(s, "no stamp");
	s = turtlebot;
	s.count = 270;
	scan_refused(s, "sweeps 270 degrees");
	s.count = 5000;
	scan_refused(s, "at most 4096");
	s.count = 60;
	s.step_rad *= 6.0f;
	scan_refused(s, "60 points");
	s = turtlebot;
	s.step_rad = NAN;
	scan_refused(s, "no whole");
	ck_assert(cairn_ros2_robot_scan(&robot, buf, laser_scan(turtlebot), NOW_NS, &turn, &err));
	scan_refused(turtlebot, "not newer");
	size_t n = laser_scan(turtlebot);
	for (size_t cut = 0; cut < n - 8; cut += 13)
		ck_assert(!cairn_ros2_robot_scan(&robot, buf, cut, NOW_NS, &turn, &err));
}
END_TEST

START_TEST(by_arrival_a_clock_of_its_own_counts_only_by_going_on)
{
	set_up();
	cfg.ros2.stamps = CAIRN_CHOICE_ROS2_STAMPS_ARRIVAL;
	struct rays s = turtlebot;
	s.point_s = 0.0f;
	s.unix_ns = 12 * CAIRN_NS_PER_S; /* twelve seconds of simulated time */
	ck_assert(cairn_ros2_robot_scan(&robot, buf, laser_scan(s), NOW_NS, &turn, &err));
	ck_assert_int_eq(turn.t_end_ns, NOW_NS);
	ck_assert_int_eq(turn.t_start_ns, NOW_NS);
	scan_refused(s, "not newer"); /* a simulator that is paused, or a message that is repeated */
	s.unix_ns = CAIRN_NS_PER_S;   /* started anew */
	ck_assert(cairn_ros2_robot_scan(&robot, buf, laser_scan(s), NOW_NS + MS, &turn, &err));
}
END_TEST

/* ---- base ---- */

START_TEST(odometry_becomes_counts_and_speeds_of_two_wheels)
{
	set_up();
	ck_assert_str_eq(line_of(odometry(UNIX_NS, 5.0, 5.0, 0.0, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM),
	    "$E,0,0,0,0*45\r\n");
	/* 40 mm ahead at 0.4 m/s */
	const char *line = line_of(
	    odometry(UNIX_NS + 100 * MS, 5.04, 5.0, 0.0, 0.4, 0.0), NOW_NS + 100 * MS, CAIRN_ROS2_ROBOT_ODOM);
	ck_assert_ptr_nonnull(strstr(line, "$E,40,40,400,400*"));
	/* A tenth of a radian to the left on the spot: the wheels 0.2 m apart roll 10 mm against each other. */
	line = line_of(
	    odometry(UNIX_NS + 200 * MS, 5.04, 5.0, 0.1, 0.0, 1.0), NOW_NS + 200 * MS, CAIRN_ROS2_ROBOT_ODOM);
	ck_assert_ptr_nonnull(strstr(line, "$E,30,50,-100,100*"));
	/* And back in the direction it now has. */
	line = line_of(
	    odometry(UNIX_NS + 300 * MS, 5.04 - 0.03 * cos(0.1), 5.0 - 0.03 * sin(0.1), 0.1, -0.3, 0.0),
	    NOW_NS + 300 * MS, CAIRN_ROS2_ROBOT_ODOM);
	ck_assert_ptr_nonnull(strstr(line, "$E,0,20,-300,-300*"));
	ck_assert_uint_eq(robot.jumps, 0);
}
END_TEST

START_TEST(a_pose_that_is_put_elsewhere_is_no_motion)
{
	set_up();
	(void)line_of(odometry(UNIX_NS, 5.0, 5.0, 3.0, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM);
	const char *line = line_of(
	    odometry(UNIX_NS + 100 * MS, 0.0, 0.0, 0.0, 0.2, 0.0), NOW_NS + 100 * MS, CAIRN_ROS2_ROBOT_ODOM);
	ck_assert_ptr_nonnull(strstr(line, "$E,20,20,200,200*")); /* as its speed says */
	ck_assert_uint_eq(robot.jumps, 1);
	/* Across the half turn is a small turn. */
	set_up();
	(void)line_of(odometry(UNIX_NS, 0.0, 0.0, 3.12, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM);
	line = line_of(odometry(UNIX_NS + 100 * MS, 0.0, 0.0, -3.12, 0.0, 0.0), NOW_NS + 100 * MS,
	    CAIRN_ROS2_ROBOT_ODOM);
	ck_assert_ptr_nonnull(strstr(line, "$E,-4,4,0,0*"));
	ck_assert_uint_eq(robot.jumps, 0);
}
END_TEST

START_TEST(odometry_that_is_no_number_or_of_the_past_says_nothing)
{
	set_up();
	ck_assert_str_eq(
	    line_of(odometry(UNIX_NS, (double)NAN, 0.0, 0.0, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM), "");
	ck_assert_str_eq(
	    line_of(odometry(UNIX_NS, 0.0, 0.0, 0.0, (double)INFINITY, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM),
	    "");
	ck_assert_str_eq(
	    line_of(odometry(UNIX_NS - 300 * MS, 0.0, 0.0, 0.0, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM),
	    "");
	size_t n = odometry(UNIX_NS, 0.0, 0.0, 0.0, 0.0, 0.0);
	memset(buf + 4 + 8 + 4 + 8 + 4 + 12 + 24, 0, 32 + 8); /* a rotation of no length */
	ck_assert_str_eq(line_of(n, NOW_NS, CAIRN_ROS2_ROBOT_ODOM), "");
	ck_assert_ptr_nonnull(strstr(err.text, "no rotation"));
	ck_assert_uint_eq(robot.refused, 4);
}
END_TEST

START_TEST(gyro_and_battery_become_the_lines_of_the_base)
{
	set_up();
	struct cairn_msg_imu m = {.gyro_radps_count = 3,
	    .gyro_radps = {0.001, -0.002, 0.5},
	    .accel_mps2_count = 3,
	    .accel_mps2 = {0.1, 0.2, 9.81}};
	size_t n = (size_t)cairn_ros2_encode(CAIRN_ROS2_IMU, UNIX_NS, &m, buf, sizeof(buf));
	ck_assert_ptr_nonnull(strstr(line_of(n, NOW_NS, CAIRN_ROS2_ROBOT_IMU), "$G,1,-2,500,100,200,9810*"));
	struct cairn_msg_battery b = {.voltage_v = 11.5};
	n = (size_t)cairn_ros2_encode(CAIRN_ROS2_BATTERY_STATE, 0, &b, buf, sizeof(buf));
	ck_assert_ptr_nonnull(strstr(line_of(n, NOW_NS, CAIRN_ROS2_ROBOT_BATTERY), "$B,11500*"));
	b.voltage_v = (double)NAN;
	n = (size_t)cairn_ros2_encode(CAIRN_ROS2_BATTERY_STATE, 0, &b, buf, sizeof(buf));
	ck_assert_str_eq(line_of(n, NOW_NS, CAIRN_ROS2_ROBOT_BATTERY), "");
}
END_TEST

/* What the motor stage's link writes, heard. */
static bool hear(const uint8_t *bytes, size_t n, int64_t now_ns, char *answer)
{
	bool told = false;
	answer[0] = '\0';
	for (size_t at = 0; at < n;) {
		bool now_told;
		size_t len;
		char said[CAIRN_DIFFDRIVE_LINE_MAX];
		at += cairn_ros2_robot_hear(&robot, bytes + at, n - at, now_ns, &now_told, said, &len);
		if (len > 0)
			snprintf(answer, CAIRN_DIFFDRIVE_LINE_MAX + 1, "%.*s", (int)len, said);
		told |= now_told;
	}
	return told;
}

START_TEST(the_driver_is_told_what_the_motor_stage_says_and_zero_when_it_is_silent)
{
	static struct cairn_base_link link;
	uint8_t out[CAIRN_BASE_FRAME_MAX];
	char answer[CAIRN_DIFFDRIVE_LINE_MAX + 1];
	set_up();
	cairn_base_link_init(&link, &cfg.robot, NOW_NS);
	ck_assert_double_eq(
	    cairn_ros2_robot_motion(&robot, NOW_NS).v_mps, 0.0); /* nobody has said anything */
	ck_assert(hear(out, cairn_base_link_motion(&link, 0.3, -0.5, out), NOW_NS, answer));
	struct cairn_msg_motion m = cairn_ros2_robot_motion(&robot, NOW_NS + 200 * MS);
	ck_assert_double_eq_tol(m.v_mps, 0.3, 1e-9);
	ck_assert_double_eq_tol(m.w_radps, -0.5, 1e-9);
	m = cairn_ros2_robot_motion(&robot, NOW_NS + 201 * MS);
	ck_assert(m.v_mps == 0.0 && m.w_radps == 0.0);
	/* What stops it in any mode stops it at once. */
	ck_assert(hear(out, cairn_base_link_motion(&link, 0.3, 0.0, out), NOW_NS, answer));
	ck_assert(hear(out, cairn_base_stop_frame(cfg.robot.base_model, out), NOW_NS + MS, answer));
	ck_assert_double_eq(cairn_ros2_robot_motion(&robot, NOW_NS + MS).v_mps, 0.0);
	/* What is damaged tells nothing. */
	size_t n = cairn_base_link_motion(&link, 0.3, 0.0, out);
	out[4] ^= 1;
	ck_assert(!hear(out, n, NOW_NS + MS, answer));
	ck_assert_double_eq(cairn_ros2_robot_motion(&robot, NOW_NS + MS).v_mps, 0.0);
}
END_TEST

START_TEST(the_motor_stage_takes_it_into_service_and_out_when_the_topic_is_silent)
{
	static struct cairn_base_link link;
	struct cairn_base_report report;
	uint8_t out[CAIRN_BASE_FRAME_MAX];
	char answer[CAIRN_DIFFDRIVE_LINE_MAX + 1];
	bool some;
	set_up();
	cairn_base_link_init(&link, &cfg.robot, NOW_NS);
	cairn_base_link_opened(&link, NOW_NS);
	ck_assert(!hear(out, cairn_base_link_poll(&link, NOW_NS, out), NOW_NS, answer));
	cairn_base_link_feed(&link, (const uint8_t *)answer, strlen(answer), NOW_NS, &report, &some);
	ck_assert(some && report.kind == CAIRN_BASE_IDENTITY);
	ck_assert(!cairn_base_link_in_service(&link, NOW_NS)); /* no odometry yet */
	const char *line = line_of(odometry(UNIX_NS, 0.0, 0.0, 0.0, 0.0, 0.0), NOW_NS, CAIRN_ROS2_ROBOT_ODOM);
	cairn_base_link_feed(&link, (const uint8_t *)line, strlen(line), NOW_NS, &report, &some);
	ck_assert(some && report.kind == CAIRN_BASE_ENCODERS);
	ck_assert(cairn_base_link_in_service(&link, NOW_NS + 200 * MS));
	ck_assert(!cairn_base_link_in_service(&link, NOW_NS + 201 * MS));
	/* With a gyro it has to speak, too. */
	set_up();
	memcpy(cfg.ros2.imu_from, "/imu", 5);
	ck_assert(!hear((const uint8_t *)"$Q*51\r\n", 7, NOW_NS, answer));
	ck_assert_str_eq(answer, "$I,1,1*49\r\n");
}
END_TEST

/* ---- pictures ---- */

static bool picture(enum cairn_ros2_robot_in in, size_t bytes, struct cairn_ros2_picture *ret)
{
	return cairn_ros2_robot_picture(&robot, in, buf, bytes, NOW_NS, ret, &err);
}

START_TEST(pictures_of_any_usual_encoding_become_those_of_a_camera_helper)
{
	static const struct {
		const char *encoding;
		uint32_t pixel_bytes;
		uint8_t in[4], out[3];
	} cases[] = {{"rgb8", 3, {1, 2, 3}, {1, 2, 3}}, {"bgr8", 3, {3, 2, 1}, {1, 2, 3}},
	    {"rgba8", 4, {1, 2, 3, 9}, {1, 2, 3}}, {"bgra8", 4, {3, 2, 1, 9}, {1, 2, 3}},
	    {"mono8", 1, {7}, {7, 7, 7}}};
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		set_up();
		uint32_t step = 4 * cases[k].pixel_bytes + 5; /* rows with padding */
		uint8_t data[3 * 21] = {0}, out[4 * 3 * 3];
		struct cairn_ros2_picture p;
		for (uint32_t i = 0; i < 12; i++)
			memcpy(data + i / 4 * step + i % 4 * cases[k].pixel_bytes, cases[k].in,
			    cases[k].pixel_bytes);
		ck_assert(picture(CAIRN_ROS2_ROBOT_COLOR,
		    image(cases[k].encoding, 4, 3, step, data, 3 * step, false, UNIX_NS - 40 * MS), &p));
		ck_assert_uint_eq(p.hdr.format, CAIRN_CAMERA_RGB8);
		ck_assert(p.hdr.width == 4 && p.hdr.height == 3 && p.hdr.payload_bytes == sizeof(out) &&
			  p.hdr.stride_bytes == 12);
		ck_assert_int_eq(p.hdr.t_ns, NOW_NS - 40 * MS);
		cairn_ros2_picture_put(&p, out);
		for (int i = 0; i < 12; i++)
			ck_assert_mem_eq(out + 3 * i, cases[k].out, 3);
	}
}
END_TEST

START_TEST(depth_in_metres_or_millimetres_is_depth_in_millimetres)
{
	set_up();
	static const float metres[6] = {1.0f, 0.0f, -2.0f, 66.0f, 0.5004f, 2.0f};
	float with_holes[6];
	struct cairn_ros2_picture p;
	uint8_t out[12];
	memcpy(with_holes, metres, sizeof(metres));
	with_holes[5] = NAN;
	ck_assert(
	    picture(CAIRN_ROS2_ROBOT_DEPTH, image("32FC1", 3, 2, 12, with_holes, 24, false, UNIX_NS), &p));
	ck_assert_uint_eq(p.hdr.format, CAIRN_CAMERA_DEPTH16);
	ck_assert_uint_eq(p.hdr.payload_bytes, 12);
	cairn_ros2_picture_put(&p, out);
	static const uint16_t want[6] = {1000, 0, 0, 0, 500, 0};
	ck_assert_mem_eq(out, want, sizeof(want));
	static const uint16_t mm[8] = {1, 2, 3, 0xFFFF, 4, 5, 6, 0xFFFF}; /* a pixel of padding a row */
	ck_assert(picture(CAIRN_ROS2_ROBOT_DEPTH, image("16UC1", 3, 2, 8, mm, 16, false, UNIX_NS + MS), &p));
	cairn_ros2_picture_put(&p, out);
	static const uint16_t plain[6] = {1, 2, 3, 4, 5, 6};
	ck_assert_mem_eq(out, plain, sizeof(plain));
}
END_TEST

START_TEST(a_jpeg_goes_through_as_it_is_where_the_topic_says_so)
{
	set_up();
	memcpy(cfg.ros2.color_from, "/camera/compressed", 19);
	struct cairn_ros2_picture p;
	uint8_t out[5];
	ck_assert_int_eq(
	    (int)cairn_ros2_robot_type(&cfg.ros2, CAIRN_ROS2_ROBOT_COLOR), CAIRN_ROS2_COMPRESSED_IMAGE);
	struct cairn_ros2_jpeg jpeg = {"\377\330abc", 5, "camera"};
	size_t n = (size_t)cairn_ros2_encode(CAIRN_ROS2_COMPRESSED_IMAGE, UNIX_NS, &jpeg, buf, sizeof(buf));
	ck_assert(picture(CAIRN_ROS2_ROBOT_COLOR, n, &p));
	ck_assert_uint_eq(p.hdr.format, CAIRN_CAMERA_JPEG);
	ck_assert_uint_eq(p.hdr.payload_bytes, 5);
	cairn_ros2_picture_put(&p, out);
	ck_assert_mem_eq(out, jpeg.data, 5);
	jpeg.data = "\211PNG.";
	n = (size_t)cairn_ros2_encode(CAIRN_ROS2_COMPRESSED_IMAGE, UNIX_NS + MS, &jpeg, buf, sizeof(buf));
	ck_assert(!picture(CAIRN_ROS2_ROBOT_COLOR, n, &p));
}
END_TEST

static void picture_refused(enum cairn_ros2_robot_in in, size_t bytes, const char *why)
{
	struct cairn_ros2_picture p;
	ck_assert_msg(!picture(in, bytes, &p), "taken: %s", why);
	ck_assert_msg(strstr(err.text, why) != NULL, "'%s', not '%s'", err.text, why);
}

START_TEST(pictures_whose_parts_do_not_go_together_are_refused_with_the_reason)
{
	set_up();
	static const uint8_t data[64];
	picture_refused(CAIRN_ROS2_ROBOT_COLOR, image("yuv422", 4, 3, 12, data, 36, false, UNIX_NS),
	    "encoding is 'yuv422'");
	picture_refused(
	    CAIRN_ROS2_ROBOT_COLOR, image("16UC1", 4, 3, 8, data, 24, false, UNIX_NS), "rgb8, bgr8");
	picture_refused(
	    CAIRN_ROS2_ROBOT_DEPTH, image("rgb8", 4, 3, 12, data, 36, false, UNIX_NS), "32FC1 is read");
	picture_refused(
	    CAIRN_ROS2_ROBOT_COLOR, image("rgb8", 4, 3, 11, data, 36, false, UNIX_NS), "do not go together");
	picture_refused(
	    CAIRN_ROS2_ROBOT_COLOR, image("rgb8", 4, 3, 12, data, 35, false, UNIX_NS), "do not go together");
	picture_refused(
	    CAIRN_ROS2_ROBOT_COLOR, image("rgb8", 0, 3, 12, data, 36, false, UNIX_NS), "do not go together");
	picture_refused(CAIRN_ROS2_ROBOT_COLOR,
	    image("rgb8", 0x55555556, 0x80000000, 2, data, 36, false, UNIX_NS), "do not go together");
	picture_refused(
	    CAIRN_ROS2_ROBOT_DEPTH, image("16UC1", 4, 3, 8, data, 24, true, UNIX_NS), "big-endian");
	picture_refused(
	    CAIRN_ROS2_ROBOT_DEPTH, image("16UC1", 4, 3, 8, data, 24, false, UNIX_NS - 300 * MS), "s old");
	size_t n = image("rgb8", 4, 3, 12, data, 36, false, UNIX_NS);
	for (size_t cut = 0; cut < n; cut++)
		picture_refused(CAIRN_ROS2_ROBOT_COLOR, cut, "no whole");
}
END_TEST

CAIRN_TEST_MAIN("ros2-robot", a_scan_becomes_a_turn_clockwise_with_its_times_and_without_what_is_no_return,
    a_scan_that_is_stamped_at_its_end_is_not_from_the_future,
    a_scan_that_is_old_repeated_unstamped_or_not_all_round_is_refused_with_the_reason,
    by_arrival_a_clock_of_its_own_counts_only_by_going_on, odometry_becomes_counts_and_speeds_of_two_wheels,
    a_pose_that_is_put_elsewhere_is_no_motion, odometry_that_is_no_number_or_of_the_past_says_nothing,
    gyro_and_battery_become_the_lines_of_the_base,
    the_driver_is_told_what_the_motor_stage_says_and_zero_when_it_is_silent,
    the_motor_stage_takes_it_into_service_and_out_when_the_topic_is_silent,
    pictures_of_any_usual_encoding_become_those_of_a_camera_helper,
    depth_in_metres_or_millimetres_is_depth_in_millimetres,
    a_jpeg_goes_through_as_it_is_where_the_topic_says_so,
    pictures_whose_parts_do_not_go_together_are_refused_with_the_reason)
