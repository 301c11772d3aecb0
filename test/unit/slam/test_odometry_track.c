#include "test/support/runner.h"

#include "common/map/deskewed_scan.h"
#include "common/slam/odometry_track.h"

static struct cairn_config cfg;
static struct cairn_odometry_track track;
static struct cairn_msg_scan scan;
static struct cairn_rays rays;

static void begin(void)
{
	cairn_config_defaults(&cfg);
	memset(&track, 0, sizeof(track));
}

static enum cairn_odometry_track_step add(double t_s, uint64_t epoch, double x_m, double y_m, double yaw_rad)
{
	struct cairn_msg_odom odom = {.x_m = x_m, .y_m = y_m, .yaw_rad = yaw_rad, .v_mps = 0.2};
	return cairn_odometry_track_add(&track, &odom, (int64_t)(t_s * 1e9), epoch, &cfg.robot);
}

static struct cairn_pose2 at(double t_s)
{
	return cairn_odometry_track_at(&track, (int64_t)(t_s * 1e9));
}

START_TEST(the_track_begins_at_zero_wherever_the_odometry_does)
{
	begin();
	ck_assert_int_eq(add(1.0, 5, 3.0, 4.0, 0.0), CAIRN_ODOMETRY_TRACK_FIRST);
	ck_assert_int_eq(add(1.1, 5, 3.05, 4.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_double_eq_tol(at(1.1).x_m, 0.05, 1e-12);
	ck_assert_double_eq_tol(at(1.05).x_m, 0.025, 1e-12); /* half way */
	ck_assert_double_eq_tol(at(0.5).x_m, 0.0, 1e-12);
}
END_TEST

START_TEST(beyond_the_newest_point_it_goes_on_for_a_fifth_of_a_second_at_most)
{
	begin();
	add(1.0, 5, 0.0, 0.0, 0.0);
	ck_assert_double_eq_tol(at(1.1).x_m, 0.02, 1e-9);
	ck_assert_double_eq_tol(at(9.0).x_m, 0.04, 1e-9);
}
END_TEST

START_TEST(a_restart_of_the_odometry_goes_on_from_the_last_pose)
{
	begin();
	add(1.0, 5, 0.0, 0.0, 0.0);
	add(1.1, 5, 0.05, 0.0, 0.0);
	ck_assert_int_eq(add(1.2, 6, 0.0, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_FIRST);
	ck_assert_int_eq(add(1.3, 6, 0.05, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_double_eq_tol(at(1.3).x_m, 0.10, 1e-9);
	ck_assert_uint_eq(track.restarts, 1);
}
END_TEST

START_TEST(a_restart_may_come_with_an_earlier_clock)
{
	begin();
	add(1000.0, 5, 0.0, 0.0, 0.0);
	ck_assert_int_eq(add(1.0, 6, 0.0, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_FIRST);
	ck_assert_int_eq(add(1.1, 6, 0.03, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_double_eq_tol(at(1.1).x_m, 0.03, 1e-9);
}
END_TEST

START_TEST(a_jump_no_robot_can_make_is_taken_as_standing_still)
{
	begin();
	add(1.0, 5, 0.0, 0.0, 0.0);
	ck_assert_int_eq(add(1.04, 5, 7.0, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_WILD);
	ck_assert_int_eq(add(1.08, 5, 7.01, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_int_eq(add(1.12, 5, 7.01, 0.0, 2.0), CAIRN_ODOMETRY_TRACK_WILD);
	ck_assert_double_eq_tol(at(1.12).x_m, 0.01, 1e-9);
	ck_assert_double_eq_tol(at(1.12).yaw_rad, 0.0, 1e-9);
	ck_assert_uint_eq(track.wild, 2);
}
END_TEST

START_TEST(what_is_not_finite_or_late_is_ignored)
{
	begin();
	add(1.0, 5, 0.0, 0.0, 0.0);
	ck_assert_int_eq(add(1.1, 5, NAN, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_IGNORED);
	ck_assert_int_eq(add(1.1, 5, 0.0, INFINITY, 0.0), CAIRN_ODOMETRY_TRACK_IGNORED);
	ck_assert_int_eq(add(0.9, 5, 0.01, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_IGNORED);
	ck_assert_int_eq(track.count, 1);
}
END_TEST

/* Two reports read from the wire at once carry one stamp. */
START_TEST(of_reports_with_one_stamp_the_last_counts)
{
	begin();
	add(1.0, 5, 0.0, 0.0, 0.0);
	ck_assert_int_eq(add(1.08, 5, 0.01, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_int_eq(add(1.08, 5, 0.02, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_OK);
	ck_assert_int_eq(track.count, 2);
	ck_assert_double_eq_tol(at(1.08).x_m, 0.02, 1e-9);
	ck_assert_double_eq_tol(at(1.04).x_m, 0.01, 1e-9);
	ck_assert_double_eq_tol(track.distance_m, 0.02, 1e-9);
}
END_TEST

START_TEST(hours_of_odometry_need_no_more_room)
{
	begin();
	for (int i = 0; i < 1000; i++)
		ck_assert_int_ne(add(1.0 + 0.04 * i, 5, 0.008 * i, 0.0, 0.0), CAIRN_ODOMETRY_TRACK_IGNORED);
	ck_assert_int_eq(track.count, CAIRN_ODOMETRY_TRACK_POINTS);
	ck_assert_double_eq_tol(track.distance_m, 0.008 * 999, 1e-6);
	ck_assert_double_eq_tol(at(40.0).x_m, 0.2 * 39.0, 1e-6);
}
END_TEST

/* How far the ray's end that is farthest off lies from the wall at x = 2 m. Compared one by one: gcc 12 for aarch64 ends with an
 * internal error where it makes a reduction of fmax. */
static double off_the_wall_m(struct cairn_pose2 end)
{
	double worst = 0.0;
	for (size_t i = 0; i < rays.count; i++) {
		struct cairn_vec2 p =
		    cairn_pose_apply(end, (struct cairn_vec2){(double)rays.x_m[i], (double)rays.y_m[i]});
		if (fabs(p.x_m - 2.0) > worst)
			worst = fabs(p.x_m - 2.0);
	}
	return worst;
}

/* A wall 2 m ahead of a robot that turns at 1 rad/s and drives at 0.3 m/s during the turn of the LiDAR. */
START_TEST(a_wall_seen_while_moving_is_straight_after_deskewing)
{
	begin();
	struct cairn_twist twist = {0.3, 1.0};
	struct cairn_pose2 end = cairn_pose_advance((struct cairn_pose2){0}, twist, 0.1);
	struct cairn_rays_motion motion, none = {0};
	for (int i = 0; i < CAIRN_RAYS_KNOTS; i++)
		motion.knot[i] = cairn_pose_between(end,
		    cairn_pose_advance((struct cairn_pose2){0}, twist, 0.1 * i / (CAIRN_RAYS_KNOTS - 1)));
	memset(&scan, 0, sizeof(scan));
	scan.range_max_m = 12.0F;
	scan.angle_rad_count = scan.range_m_count = 201;
	for (int i = 0; i <= 200; i++) {
		struct cairn_pose2 pose = cairn_pose_advance((struct cairn_pose2){0}, twist, 0.1 * i / 200);
		struct cairn_vec2 eye = cairn_pose_apply(pose, (struct cairn_vec2){cfg.robot.lidar_x_m, 0.0});
		double angle = -0.7 + 0.007 * i;
		scan.angle_rad[i] = (float)angle;
		scan.range_m[i] = (float)((2.0 - eye.x_m) / cos(pose.yaw_rad + angle));
	}
	double worst, worst_raw;
	ck_assert_uint_eq(cairn_rays_from_scan(&rays, &scan, &motion, &cfg), 201);
	worst = off_the_wall_m(end);
	cairn_rays_from_scan(&rays, &scan, &none, &cfg);
	worst_raw = off_the_wall_m(end);
	ck_assert_double_lt(worst, 0.001);
	ck_assert_double_gt(worst_raw, 0.05);
}
END_TEST

START_TEST(returns_that_are_none_or_the_robot_itself_are_left_out)
{
	begin();
	memset(&scan, 0, sizeof(scan));
	scan.range_min_m = 0.05F;
	scan.range_max_m = 12.0F;
	static const float range[] = {0.0F, NAN, INFINITY, -1.0F, 0.02F, 12.5F, 0.10F, 1.0F, 11.0F};
	scan.angle_rad_count = scan.range_m_count = 9;
	for (int i = 0; i < 9; i++)
		scan.range_m[i] = range[i]; /* 0.10 m ahead of the LiDAR is inside the body */
	struct cairn_rays_motion none = {0};
	ck_assert_uint_eq(cairn_rays_from_scan(&rays, &scan, &none, &cfg), 1);
	ck_assert_uint_eq(rays.count, 2);
	ck_assert_double_eq_tol((double)rays.x_m[0], 1.1, 1e-6);
	ck_assert(rays.hit[0]);
	ck_assert_double_eq_tol((double)rays.x_m[1], 10.1, 1e-5); /* 11 m, cut at map.range_use_m */
	ck_assert(!rays.hit[1]);
	scan.range_m_count = 3; /* lists of different lengths: the shorter counts */
	ck_assert_uint_eq(cairn_rays_from_scan(&rays, &scan, &none, &cfg), 0);
}
END_TEST

CAIRN_TEST_MAIN("map_track", the_track_begins_at_zero_wherever_the_odometry_does,
    beyond_the_newest_point_it_goes_on_for_a_fifth_of_a_second_at_most,
    a_restart_of_the_odometry_goes_on_from_the_last_pose, a_restart_may_come_with_an_earlier_clock,
    a_jump_no_robot_can_make_is_taken_as_standing_still, what_is_not_finite_or_late_is_ignored,
    of_reports_with_one_stamp_the_last_counts, hours_of_odometry_need_no_more_room,
    a_wall_seen_while_moving_is_straight_after_deskewing,
    returns_that_are_none_or_the_robot_itself_are_left_out)
