/* Values and messages as CDR: bytes worked out by hand, and no byte past the buffer. A decoder of others reads every type in
 * test/ros2. */
#include "common/ros2/ros2.h"

#include <errno.h>

#include "common/base/rng.h"
#include "test/support/runner.h"

#define UNIX_NS INT64_C(1700000000000000005) /* 0x6553F100 s, 5 ns */
#define STAMP 0x00, 0xF1, 0x53, 0x65, 5, 0, 0, 0

static uint8_t buf[1 << 20];

static void check_bytes(int bytes, const uint8_t *expected, size_t count)
{
	ck_assert_int_eq(bytes, (int)count);
	for (size_t i = 0; i < count; i++)
		ck_assert_msg(buf[i] == expected[i], "byte %zu is %02x, not %02x", i, buf[i], expected[i]);
}

START_TEST(values_are_aligned_to_their_size_from_the_end_of_the_header)
{
	static const uint8_t expected[] = {0, 1, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 0, 1, 2, 0, 0, 0, 0,
	    0, 0x20, 0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F};
	struct cairn_cdr c;
	memset(buf, 0xEE, sizeof(buf)); /* padding is written, not left */
	cairn_cdr_init(&c, buf, sizeof(buf));
	cairn_cdr_put_u8(&c, 7);
	cairn_cdr_put_text(&c, "ab"); /* length from 4 on, ends at 11 */
	cairn_cdr_put_bool(&c, true);
	cairn_cdr_put_u32(&c, 2);
	cairn_cdr_put_f32(&c, -2.5f);
	cairn_cdr_put_i32(&c, -1);
	cairn_cdr_put_u8(&c, 9);
	cairn_cdr_put_f64(&c, 1.0); /* from 32 on behind the header */
	check_bytes(cairn_cdr_end(&c), expected, sizeof(expected));
}
END_TEST

START_TEST(a_log_line_has_its_texts_after_odd_lengths)
{
	static const uint8_t expected[] = {0, 1, 0, 0, STAMP, 30, 0, 0, 0, 6, 0, 0, 0, 'm', 'o', 't', 'o',
	    'r', 0, 0, 0, 3, 0, 0, 0, 'h', 'i', 0, 0, 4, 0, 0, 0, 'a', '.', 'c', 0, 1, 0, 0, 0, 0, 0, 0, 0,
	    88, 0, 0, 0};
	struct cairn_ros2_log_line line = {CAIRN_LOG_WARN, "motor", "hi", "a.c", 88};
	check_bytes(
	    cairn_ros2_encode(CAIRN_ROS2_LOG, UNIX_NS, &line, buf, sizeof(buf)), expected, sizeof(expected));
}
END_TEST

START_TEST(a_scan_is_rays_from_the_first_direction_to_the_last)
{
	static const uint8_t expected[] = {0, 1, 0, 0, STAMP, 6, 0, 0, 0, 'l', 'a', 's', 'e', 'r', 0, 0, 0, 0,
	    0, 0, 0xBF, 0, 0, 0, 0x3F,                      /* -0.5 to 0.5 */
	    0, 0, 0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0,          /* by 0.5; no times */
	    0, 0, 0x80, 0x3E, 0, 0, 0x80, 0x41, 3, 0, 0, 0, /* 0.25 to 16 m; three rays */
	    0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x7F, 0, 0, 0, 0x40, 0, 0, 0, 0};
	static struct cairn_msg_scan scan = {.range_min_m = 0.25f,
	    .range_max_m = 16.0f,
	    .angle_rad_count = 3,
	    .angle_rad = {0.5f, 0.0f, -0.5f}, /* clockwise, as a LiDAR turns */
	    .range_m_count = 3,
	    .range_m = {2.0f, 0.0f, 1.0f}};
	check_bytes(cairn_ros2_encode(CAIRN_ROS2_LASER_SCAN, UNIX_NS, &scan, buf, sizeof(buf)), expected,
	    sizeof(expected));
}
END_TEST

START_TEST(a_path_has_a_header_in_each_pose)
{
	static const uint8_t expected[] = {0, 1, 0, 0, STAMP, 4, 0, 0, 0, 'm', 'a', 'p', 0, 1, 0, 0,
	    0,                                                                               /* one pose */
	    STAMP, 4, 0, 0, 0, 'm', 'a', 'p', 0, 0, 0, 0, 0,                                 /* to 40 */
	    0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, /* 1 -2 0 */
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0,
	    0x3F};
	static struct cairn_msg_nav_path path = {.points_count = 1, .points = {{.x_m = 1.0f, .y_m = -2.0f}}};
	check_bytes(
	    cairn_ros2_encode(CAIRN_ROS2_PATH, UNIX_NS, &path, buf, sizeof(buf)), expected, sizeof(expected));
}
END_TEST

START_TEST(a_stamp_before_1970_counts_its_nanoseconds_upward)
{
	struct cairn_ros2_log_line line = {CAIRN_LOG_INFO, "", "", "", 0};
	ck_assert_int_gt(cairn_ros2_encode(CAIRN_ROS2_LOG, -1, &line, buf, sizeof(buf)), 0);
	static const uint8_t expected[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x9A, 0x3B};
	ck_assert_mem_eq(buf + 4, expected, 8);
}
END_TEST

static float ray(uint32_t i) /* of a scan, behind the header of 36 + 16 bytes */
{
	float value;
	memcpy(&value, buf + 4 + 8 + 12 + 28 + 4 + 4 * i, 4);
	return value;
}

START_TEST(a_direction_keeps_its_nearest_return_and_one_without_any_is_not_a_number)
{
	static struct cairn_msg_scan scan = {.angle_rad_count = 5,
	    .angle_rad = {0.0f, 0.02f, NAN, 0.98f},
	    .range_m_count = 5,
	    .range_m = {3.0f, 2.0f, 1.0f, 0.0f, 5.0f}};
	scan.angle_rad[4] = 1.0f + 2.0f * (float)M_PI;
	ck_assert_int_gt(cairn_ros2_encode(CAIRN_ROS2_LASER_SCAN, UNIX_NS, &scan, buf, sizeof(buf)), 0);
	/* Five directions from 0 by 0.25. */
	ck_assert_float_eq(ray(0), 2.0f);
	for (uint32_t i = 1; i < 4; i++)
		ck_assert_float_nan(ray(i));
	ck_assert_float_eq(ray(4), 5.0f); /* a return counts more than none beside it */
}
END_TEST

START_TEST(a_frame_of_another_format_or_shorter_than_it_says_is_refused)
{
	static const uint8_t pixels[24];
	struct cairn_frame_header hdr = {
	    .format = CAIRN_FORMAT_RGB8, .width = 4, .height = 2, .stride_bytes = 12, .payload_bytes = 24};
	struct cairn_ros2_frame frame = {&hdr, pixels, "camera"};
	ck_assert_int_gt(cairn_ros2_encode(CAIRN_ROS2_IMAGE, 0, &frame, buf, sizeof(buf)), 0);
	ck_assert_int_eq(cairn_ros2_encode(CAIRN_ROS2_OCCUPANCY_GRID, 0, &frame, buf, sizeof(buf)), -EINVAL);
	hdr.payload_bytes = 23;
	ck_assert_int_eq(cairn_ros2_encode(CAIRN_ROS2_IMAGE, 0, &frame, buf, sizeof(buf)), -EINVAL);
	hdr.payload_bytes = 24;
	hdr.stride_bytes = 11;
	ck_assert_int_eq(cairn_ros2_encode(CAIRN_ROS2_IMAGE, 0, &frame, buf, sizeof(buf)), -EINVAL);
	hdr.format = CAIRN_FORMAT_SNAPSHOT;
	hdr.stride_bytes = 12;
	ck_assert_int_eq(cairn_ros2_encode(CAIRN_ROS2_IMAGE, 0, &frame, buf, sizeof(buf)), -EINVAL);
}
END_TEST

/* The same random values into a large buffer and into one of any size. */
static int put_random(uint64_t seed, uint8_t *data, size_t room)
{
	struct cairn_rng rng;
	struct cairn_cdr c;
	cairn_rng_seed(&rng, seed, 1);
	cairn_cdr_init(&c, data, room);
	for (int i = 0; i < 12; i++) {
		uint32_t kind = cairn_rng_u32(&rng) % 4, length = cairn_rng_u32(&rng) % 9;
		if (kind == 0)
			cairn_cdr_put_u8(&c, 1);
		else if (kind == 1)
			cairn_cdr_put_f32(&c, 1.0f);
		else if (kind == 2)
			cairn_cdr_put_f64(&c, 1.0);
		else
			cairn_cdr_put_text(&c, &"12345678"[8 - length]);
	}
	return cairn_cdr_end(&c);
}

START_TEST(nothing_is_written_past_the_buffer)
{
	static uint8_t small[256], untouched[256];
	memset(untouched, 0xEE, sizeof(untouched));
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(100); seed++) {
		int whole = put_random(seed, buf, sizeof(buf));
		ck_assert(whole > 12 && whole < 200);
		for (size_t room = 0; room < 200; room++) {
			bool fits = room >= (size_t)whole;
			memset(small, 0xEE, sizeof(small));
			bool good = put_random(seed, small, room) == (fits ? whole : -ENOBUFS) &&
				    memcmp(small + room, untouched, sizeof(small) - room) == 0 &&
				    (!fits || memcmp(small, buf, (size_t)whole) == 0);
			ck_assert_msg(good, "seed %d in %zu bytes", (int)seed, room);
		}
	}
}
END_TEST

START_TEST(map_to_odom_takes_the_odometry_of_the_pose_s_own_moment)
{
	struct cairn_ros2_tf tf = {.laser_x_m = 0.1, .laser_z_m = 0.18};
	struct cairn_ros2_transforms got;
	struct cairn_header hdr = {.epoch = 1, .valid = true};
	struct cairn_msg_pose pose = {.x_m = 5.0, .y_m = 1.0, .yaw_rad = M_PI / 2.0};
	cairn_ros2_tf_pose(&tf, &hdr, &pose); /* nothing to compare it with */
	for (int i = 0; i <= 100; i++) {      /* 1 m/s along x, 25 a second */
		hdr.t_ns = i * 40 * CAIRN_NS_PER_MS;
		cairn_ros2_tf_odom(&tf, &hdr, &(struct cairn_msg_odom){.x_m = i * 0.04}, &got);
		ck_assert_uint_eq(got.count, 2);
	}
	hdr.t_ns = 3900 * CAIRN_NS_PER_MS; /* half way from 3.88 to 3.92 */
	hdr.valid = false;
	cairn_ros2_tf_pose(&tf, &hdr, &pose);
	ck_assert(!tf.corrected);
	hdr.valid = true;
	cairn_ros2_tf_pose(&tf, &hdr, &pose);
	hdr.t_ns = 4040 * CAIRN_NS_PER_MS;
	cairn_ros2_tf_odom(&tf, &hdr, &(struct cairn_msg_odom){.x_m = 4.04}, &got);
	ck_assert_uint_eq(got.count, 3);
	ck_assert_str_eq(got.items[0].parent, "map");
	ck_assert_str_eq(got.items[0].child, "odom");
	ck_assert_double_eq_tol(got.items[0].pose.x_m, 5.0, 1e-9);
	ck_assert_double_eq_tol(got.items[0].pose.y_m, 1.0 - 3.9, 1e-9);
	ck_assert_double_eq_tol(got.items[0].pose.yaw_rad, M_PI / 2.0, 1e-9);
	ck_assert_str_eq(got.items[2].child, "laser");
	ck_assert_double_eq(got.items[2].pose.x_m, 0.1);
	hdr.epoch = 2; /* the motor stage has started anew */
	cairn_ros2_tf_odom(&tf, &hdr, &(struct cairn_msg_odom){.x_m = 0.0}, &got);
	ck_assert_uint_eq(got.count, 2);
	hdr.t_ns += 101 * CAIRN_NS_PER_MS; /* too far from it */
	cairn_ros2_tf_pose(&tf, &hdr, &pose);
	ck_assert(!tf.corrected);
}
END_TEST

CAIRN_TEST_MAIN("ros2", values_are_aligned_to_their_size_from_the_end_of_the_header,
    a_log_line_has_its_texts_after_odd_lengths, a_scan_is_rays_from_the_first_direction_to_the_last,
    a_path_has_a_header_in_each_pose, a_stamp_before_1970_counts_its_nanoseconds_upward,
    a_direction_keeps_its_nearest_return_and_one_without_any_is_not_a_number,
    a_frame_of_another_format_or_shorter_than_it_says_is_refused, nothing_is_written_past_the_buffer,
    map_to_odom_takes_the_odometry_of_the_pose_s_own_moment)
