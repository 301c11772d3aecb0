#include "common/base/geom.h"
#include "common/base/rng.h"
#include "test/support/runner.h"

START_TEST(wrapping_keeps_angles_in_the_half_open_turn)
{
	ck_assert_double_eq_tol(cairn_wrap_rad(3 * M_PI), M_PI, 1e-12);
	ck_assert_double_eq_tol(cairn_wrap_rad(-M_PI), M_PI, 1e-12);
	ck_assert_double_eq_tol(cairn_wrap_rad(-3.5 * M_PI), 0.5 * M_PI, 1e-12);
}
END_TEST

START_TEST(between_undoes_compose)
{
	struct cairn_pose2 a = {1.0, -2.0, 2.5}, b = {0.3, 0.4, -1.7};
	struct cairn_pose2 r = cairn_pose_between(a, cairn_pose_compose(a, b));
	ck_assert_double_eq_tol(r.x_m, b.x_m, 1e-12);
	ck_assert_double_eq_tol(r.y_m, b.y_m, 1e-12);
	ck_assert_double_eq_tol(r.yaw_rad, b.yaw_rad, 1e-12);
}
END_TEST

START_TEST(a_quarter_circle_ends_beside_its_centre)
{
	/* radius 1 to the left: v = 1, w = 1, for pi/2 s: from the origin to (1, 1), facing +y */
	struct cairn_pose2 p =
	    cairn_pose_advance((struct cairn_pose2){0}, (struct cairn_twist){1.0, 1.0}, M_PI / 2);
	ck_assert_double_eq_tol(p.x_m, 1.0, 1e-12);
	ck_assert_double_eq_tol(p.y_m, 1.0, 1e-12);
	ck_assert_double_eq_tol(p.yaw_rad, M_PI / 2, 1e-12);
}
END_TEST

START_TEST(compass_is_clockwise_from_the_start_heading)
{
	ck_assert_str_eq(cairn_compass_point(cairn_compass_deg(0.0)), "N");
	ck_assert_str_eq(cairn_compass_point(cairn_compass_deg(-M_PI / 2)), "E");
	ck_assert_str_eq(cairn_compass_point(cairn_compass_deg(M_PI / 4)), "NW");
	ck_assert_str_eq(cairn_compass_point(359.0), "N");
	ck_assert_int_eq(cairn_compass_whole_deg(-M_PI / 2), 90);
	ck_assert_int_eq(cairn_compass_whole_deg(0.001), 0); /* 359.94 */
	ck_assert_int_eq(cairn_compass_whole_deg(0.01), 359);
	ck_assert_int_eq(cairn_compass_whole_deg(NAN), 0);
	ck_assert_double_eq_tol(cairn_compass_deg(M_PI / 2), 270.0, 1e-9);
	ck_assert(!signbit(cairn_compass_deg(0.0))); /* nobody wants to read "N -0" */
}
END_TEST

START_TEST(a_distance_compares_with_a_limit_as_hypot_does)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	ck_assert_int_eq(cairn_compare_distance(3.0, -4.0, 5.0), 0);
	ck_assert_int_eq(cairn_compare_distance(0.0, 0.0, 0.0), 0);
	ck_assert_int_eq(cairn_compare_distance(1e-9, 0.0, 0.0), 1);
	ck_assert_int_eq(cairn_compare_distance(1.0, NAN, 1.0), 0);
	for (int i = 0; i < 20000; i++) {
		double x = 8.0 * cairn_rng_uniform(&rng) - 4.0, y = 8.0 * cairn_rng_uniform(&rng) - 4.0,
		       d = hypot(x, y);
		double limits[4] = {d, nextafter(d, 9.0), nextafter(d, 0.0), 4.0 * cairn_rng_uniform(&rng)};
		for (int k = 0; k < 4; k++)
			ck_assert_int_eq(
			    cairn_compare_distance(x, y, limits[k]), (d > limits[k]) - (d < limits[k]));
	}
}
END_TEST

CAIRN_TEST_MAIN("geom", a_distance_compares_with_a_limit_as_hypot_does,
    wrapping_keeps_angles_in_the_half_open_turn, between_undoes_compose,
    a_quarter_circle_ends_beside_its_centre, compass_is_clockwise_from_the_start_heading)
