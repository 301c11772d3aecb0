#include "common/device/wheel_odom.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS

static struct cairn_wheel_odom odom;

static void fresh(int mask)
{
	cairn_wheel_odom_init(&odom, &(struct cairn_wheel_odom_params){
					 .ticks_per_m = 1000.0, .encoder_mask = mask, .speed_max_mps = 0.5});
}

static bool all_wheels(int64_t count, int64_t now_ns)
{
	int32_t c = (int32_t)(uint32_t)(uint64_t)count;
	return cairn_wheel_odom_encoders(&odom, (const int32_t[4]){c, c, c, c}, now_ns);
}

START_TEST(the_first_counts_only_set_the_reference)
{
	fresh(15);
	ck_assert(!all_wheels(123456, 0));
	ck_assert_double_eq(odom.distance_m, 0.0);
	ck_assert(all_wheels(123456 + 20, 40 * MS));
	ck_assert_double_eq_tol(odom.pose.x_m, 0.02, 1e-12);
	ck_assert_double_eq_tol(odom.v_mps, 0.5, 1e-9);
}
END_TEST

START_TEST(counters_that_wrap_go_on)
{
	fresh(15);
	all_wheels(INT32_MAX - 5, 0);
	ck_assert(all_wheels((int64_t)INT32_MAX + 15, 40 * MS));
	ck_assert_double_eq_tol(odom.distance_m, 0.02, 1e-12);
	ck_assert(all_wheels(INT32_MAX - 5, 80 * MS)); /* and back */
	ck_assert_double_eq_tol(odom.pose.x_m, 0.0, 1e-12);
	ck_assert_double_eq_tol(odom.distance_m, 0.04, 1e-12);
}
END_TEST

START_TEST(only_the_wheels_of_the_mask_count)
{
	fresh(1 | 8);
	cairn_wheel_odom_encoders(&odom, (const int32_t[4]){0, 0, 0, 0}, 0);
	cairn_wheel_odom_encoders(&odom, (const int32_t[4]){10, 9999, -9999, 20}, 40 * MS);
	ck_assert_double_eq_tol(odom.pose.x_m, 0.015, 1e-12);
}
END_TEST

START_TEST(without_a_gyro_the_heading_is_that_of_the_wheels)
{
	fresh(1 | 8);
	odom.params.wheel_separation_m = 0.2;
	cairn_wheel_odom_encoders(&odom, (const int32_t[4]){0, 0, 0, 0}, 0);
	cairn_wheel_odom_encoders(&odom, (const int32_t[4]){-10, 0, 0, 10}, 40 * MS); /* in place */
	ck_assert_double_eq_tol(odom.pose.yaw_rad, 0.02 / 0.2, 1e-12);
	ck_assert_double_eq_tol(odom.pose.x_m, 0.0, 1e-12);
	ck_assert_double_eq_tol(odom.w_radps, 0.1 / 0.04, 1e-9);
	cairn_wheel_odom_encoders(
	    &odom, (const int32_t[4]){10, 0, 0, 10}, 80 * MS); /* about the right wheel */
	ck_assert_double_eq_tol(odom.pose.yaw_rad, 0.0, 1e-12);
	ck_assert_double_eq_tol(odom.distance_m, 0.01, 1e-12);
}
END_TEST

START_TEST(a_quarter_circle_ends_where_it_must)
{
	fresh(15);
	cairn_wheel_odom_gyro(&odom, 1.0, 0);
	all_wheels(0, 0);
	/* 1 rad/s for pi / 2 s on a circle of 0.4 m: 0.4 m/s. */
	int steps = 100;
	for (int i = 1; i <= steps; i++) {
		int64_t t = (int64_t)(i * (M_PI / 2.0) / steps * 1e9);
		cairn_wheel_odom_gyro(&odom, 1.0, t);
		all_wheels(lround(1000.0 * 0.4 * (M_PI / 2.0) * i / steps), t);
	}
	ck_assert_double_eq_tol(odom.pose.x_m, 0.4, 2e-3);
	ck_assert_double_eq_tol(odom.pose.y_m, 0.4, 2e-3);
	ck_assert_double_eq_tol(odom.pose.yaw_rad, M_PI / 2.0, 1e-6);
	ck_assert_double_eq_tol(odom.distance_m, 0.4 * M_PI / 2.0, 1e-3);
}
END_TEST

START_TEST(a_counter_jump_is_not_motion)
{
	fresh(15);
	all_wheels(500000, 0);
	ck_assert(!all_wheels(0, 40 * MS)); /* the board was started anew */
	ck_assert_uint_eq(odom.jumps, 1);
	ck_assert_double_eq(odom.distance_m, 0.0);
	ck_assert(all_wheels(20, 80 * MS));
	ck_assert_double_eq_tol(odom.distance_m, 0.02, 1e-12);
}
END_TEST

START_TEST(reports_read_in_one_go_lose_nothing)
{
	fresh(15);
	all_wheels(0, 0);
	for (int i = 1; i <= 10; i++)
		ck_assert(all_wheels(20 * i, 400 * MS));
	ck_assert_double_eq_tol(odom.pose.x_m, 0.2, 1e-12);
	ck_assert_double_eq_tol(odom.distance_m, 0.2, 1e-12);
	ck_assert_double_eq_tol(odom.v_mps, 0.02 / 0.4, 1e-12); /* of the first: the rest took no time */
	ck_assert(all_wheels(220, 400 * MS + 1000));
	ck_assert_double_eq_tol(odom.v_mps, 0.02 / 0.4, 1e-12);
}
END_TEST

START_TEST(a_standing_robot_learns_the_bias_of_its_gyro)
{
	fresh(15);
	for (int64_t t = 0; t < 20000 * MS; t += 40 * MS) {
		cairn_wheel_odom_gyro(&odom, 0.01, t);
		all_wheels(7, t);
	}
	ck_assert_double_eq_tol(odom.bias_radps, 0.01, 1e-4);
	ck_assert_double_eq_tol(odom.w_radps, 0.0, 1e-4);
	ck_assert_double_lt(fabs(odom.pose.yaw_rad), 0.04);
	/* A turn in place by hand is no bias. */
	double bias = odom.bias_radps;
	cairn_wheel_odom_gyro(&odom, 1.0, 20000 * MS);
	ck_assert_double_eq(odom.bias_radps, bias);
}
END_TEST

START_TEST(a_moving_robot_learns_no_bias)
{
	fresh(15);
	for (int64_t t = 0, n = 0; t < 5000 * MS; t += 40 * MS, n += 10) {
		cairn_wheel_odom_gyro(&odom, 0.03, t);
		all_wheels(n, t);
	}
	ck_assert_double_eq(odom.bias_radps, 0.0);
}
END_TEST

START_TEST(after_a_break_the_pose_stays_and_references_are_new)
{
	fresh(15);
	all_wheels(0, 0);
	all_wheels(20, 40 * MS);
	cairn_wheel_odom_break(&odom);
	ck_assert_double_eq(odom.v_mps, 0.0);
	ck_assert(!all_wheels(-77777, 5000 * MS));
	ck_assert_double_eq_tol(odom.pose.x_m, 0.02, 1e-12);
	ck_assert_uint_eq(odom.jumps, 0);
}
END_TEST

START_TEST(speed_is_the_boards_own_while_it_is_fresh)
{
	fresh(15);
	all_wheels(0, 1000 * MS);
	cairn_wheel_odom_speed(&odom, 0.123, 0.2, 1010 * MS);
	all_wheels(20, 1040 * MS);
	struct cairn_msg_odom m;
	cairn_wheel_odom_message(&odom, &m);
	ck_assert_double_eq(m.v_mps, 0.123);
	ck_assert_double_eq(m.steer_rad, 0.2);
	all_wheels(40, 1140 * MS);
	cairn_wheel_odom_message(&odom, &m);
	ck_assert_double_eq_tol(m.v_mps, 0.2, 1e-9);
}
END_TEST

CAIRN_TEST_MAIN("wheel-odom", the_first_counts_only_set_the_reference, counters_that_wrap_go_on,
    only_the_wheels_of_the_mask_count, without_a_gyro_the_heading_is_that_of_the_wheels,
    a_quarter_circle_ends_where_it_must, a_counter_jump_is_not_motion, reports_read_in_one_go_lose_nothing,
    a_standing_robot_learns_the_bias_of_its_gyro, a_moving_robot_learns_no_bias,
    after_a_break_the_pose_stays_and_references_are_new, speed_is_the_boards_own_while_it_is_fresh)
