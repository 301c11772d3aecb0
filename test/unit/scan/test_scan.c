/* Points of a scan: from beams, carried by the motion of the robot, the nearest of them. */
#include <math.h>

#include "test/support/runner.h"
#include "test/support/scan_points.h"

static struct cairn_directions directions; /* one for all scans here, which differ */
static struct cairn_msg_scan scan;

static void one_beam(double angle_rad, double range_m)
{
	scan = (struct cairn_msg_scan){.range_min_m = 0.05f, .range_max_m = 16.0f};
	scan.angle_rad_count = scan.range_m_count = 1;
	scan.angle_rad[0] = (float)angle_rad;
	scan.range_m[0] = (float)range_m;
}

/* ---- points of a scan ---- */

START_TEST(beams_become_points_of_the_robot_frame)
{
	one_beam(M_PI / 2.0, 2.0);
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.05}, &body);
	ck_assert_uint_eq(points.count, 1);
	ck_assert_double_eq_tol((double)points.x_m[0], 0.1, 1e-6);
	ck_assert_double_eq_tol((double)points.y_m[0], 2.05, 1e-6);
}
END_TEST

START_TEST(directions_are_those_of_the_scan_not_of_the_one_before)
{
	const uint32_t n = 40;
	scan = (struct cairn_msg_scan){
	    .range_min_m = 0.05f, .range_max_m = 16.0f, .angle_rad_count = n, .range_m_count = n};
	for (uint32_t i = 0; i < n; i++) {
		scan.angle_rad[i] = 0.1f * (float)i;
		scan.range_m[i] = 2.0f;
	}
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0}, &body);
	scan.angle_rad[n - 1] = -1.0f;
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0}, &body);
	ck_assert_uint_eq(points.count, n);
	ck_assert_double_eq_tol((double)points.x_m[n - 1], 2.0 * cos(1.0), 1e-6);
	ck_assert_double_eq_tol((double)points.y_m[n - 1], -2.0 * sin(1.0), 1e-6);
	/* Kept ones say the same, and a return left out leaves no gap. */
	scan.range_m[3] = 0.0f;
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0}, &body);
	ck_assert_uint_eq(points.count, n - 1);
	for (uint32_t i = 3; i < n - 1; i++)
		ck_assert_double_eq_tol(
		    (double)points.y_m[i], 2.0 * sin((double)scan.angle_rad[i + 1]), 1e-6);
}
END_TEST

START_TEST(invalid_returns_are_left_out)
{
	const double bad[] = {0.0, -1.0, 0.04, 16.5, NAN, INFINITY, -INFINITY};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		one_beam(0.0, bad[i]);
		cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
		ck_assert_uint_eq(points.count, 0);
	}
	one_beam(NAN, 1.0);
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 0);
	one_beam(0.0, 1.0);
	scan.range_max_m = NAN;
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 0);
}
END_TEST

START_TEST(returns_of_the_robot_itself_are_left_out)
{
	one_beam(0.0, 0.10); /* x = 0.20, inside the body */
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 0);
	one_beam(0.0, 0.18); /* x = 0.28, 1 cm in front of it */
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 1);
}
END_TEST

START_TEST(unequal_array_lengths_use_the_shorter)
{
	one_beam(0.0, 1.0);
	scan.angle_rad_count = 5;
	cairn_points_from_scan(&points, &scan, &directions, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 1);
}
END_TEST

START_TEST(points_of_a_moving_robot_are_carried_to_the_end_of_the_turn)
{
	/* A pillar at (3, 1) of the frame at the end, seen by every beam of a turn of 0.1 s driven on an arc.
	 */
	const struct cairn_twist twist = {0.5, 1.0};
	const int n = 720;
	scan = (struct cairn_msg_scan){
	    .range_min_m = 0.05f, .range_max_m = 16.0f, .t_start_ns = 900 * CAIRN_NS_PER_MS};
	scan.angle_rad_count = scan.range_m_count = (uint32_t)n;
	for (int i = 0; i < n; i++) {
		struct cairn_pose2 at =
		    cairn_pose_advance((struct cairn_pose2){0}, twist, -0.1 * (1.0 - (double)i / n));
		struct cairn_vec2 p = cairn_pose_apply(cairn_pose_inverse(at), (struct cairn_vec2){3.0, 1.0});
		scan.angle_rad[i] = (float)atan2(p.y_m, p.x_m - 0.1);
		scan.range_m[i] = (float)hypot(p.y_m, p.x_m - 0.1);
	}
	cairn_points_from_scan_moving(
	    &points, &scan, &directions, 1000 * CAIRN_NS_PER_MS, twist, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_uint_eq(points.count, 720);
	for (int i = 0; i < n; i++) {
		ck_assert_double_eq_tol((double)points.x_m[i], 3.0, 5e-3);
		ck_assert_double_eq_tol((double)points.y_m[i], 1.0, 5e-3);
	}
	/* A turn that lasts no plausible time is taken as it is. */
	cairn_points_from_scan_moving(
	    &points, &scan, &directions, 100 * CAIRN_NS_PER_MS, twist, (struct cairn_vec2){0.1, 0.0}, &body);
	ck_assert_double_gt(fabs((double)points.x_m[0] - 3.0), 0.03);
}
END_TEST

START_TEST(moved_points_are_seen_from_the_later_frame)
{
	points.count = 2;
	points.x_m[0] = 1.0f, points.y_m[0] = 0.0f;
	points.x_m[1] = 0.5f, points.y_m[1] = 2.0f;
	cairn_points_move(&points, &points, (struct cairn_pose2){0.5, 0.0, M_PI / 2.0});
	ck_assert_double_eq_tol((double)points.x_m[0], 0.0, 1e-6);
	ck_assert_double_eq_tol((double)points.y_m[0], -0.5, 1e-6);
	ck_assert_double_eq_tol((double)points.x_m[1], 2.0, 1e-6);
	ck_assert_double_eq_tol((double)points.y_m[1], 0.0, 1e-6);
}
END_TEST

START_TEST(nearest_is_measured_from_the_bare_footprint)
{
	double bearing = 9.0;
	points.count = 0;
	ck_assert_double_lt(cairn_points_nearest(&points, &body, &bearing), 0.0);
	ck_assert_double_eq(bearing, 0.0);
	one_point(0.57, 0.0);
	ck_assert_double_eq_tol(cairn_points_nearest(&points, &body, &bearing), 0.30, 1e-6);
	one_point(0.0, -0.35);
	ck_assert_double_eq_tol(cairn_points_nearest(&points, &body, &bearing), 0.25, 1e-6);
	ck_assert_double_eq_tol(bearing, -M_PI / 2.0, 1e-6);
	one_point(0.27 + 0.03, 0.10 + 0.04); /* 3-4-5 off the corner */
	ck_assert_double_eq_tol(cairn_points_nearest(&points, &body, NULL), 0.05, 1e-6);
	one_point(0.1, 0.05);
	ck_assert_double_eq(cairn_points_nearest(&points, &body, NULL), 0.0);
}
END_TEST

CAIRN_TEST_MAIN("scan", beams_become_points_of_the_robot_frame,
    directions_are_those_of_the_scan_not_of_the_one_before, invalid_returns_are_left_out,
    returns_of_the_robot_itself_are_left_out, unequal_array_lengths_use_the_shorter,
    points_of_a_moving_robot_are_carried_to_the_end_of_the_turn, moved_points_are_seen_from_the_later_frame,
    nearest_is_measured_from_the_bare_footprint)
