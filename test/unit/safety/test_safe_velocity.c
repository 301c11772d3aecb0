/* The one function between a wanted and a safe velocity. */
#include "common/base/rng.h"
#include "common/safety/safe_velocity.h"
#include "test/support/runner.h"

static struct cairn_points points;

static void one_point(double x_m, double y_m)
{
	points.count = 1;
	points.x_m[0] = (float)x_m;
	points.y_m[0] = (float)y_m;
}

/* Fixed here, so that tuning the defaults leaves the worked-out numbers alone. */
static struct cairn_config defaults(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	cfg.safety.margin_m = 0.02;
	cfg.safety.stop_distance_m = 0.06;
	cfg.safety.slow_distance_m = 0.40;
	cfg.robot.speed_max_mps = 0.5;
	cfg.robot.decel_max_mps2 = 1.2;
	return cfg;
}

START_TEST(speed_falls_with_the_free_way_ahead)
{
	struct cairn_config cfg = defaults();
	/* front 0.27, margin 0.02, stop 0.06, slow 0.40, speed_max 0.5: free d leaves 0.5 * (d - 0.06) / 0.34
	 * m/s, and v * 0.1 + v * v / 2.4 <= d - 0.06 */
	static const struct {
		double free_m, mps;
	} rows[] = {{1.00, 0.35}, {0.40, 0.35}, {0.23, 0.25}, {0.128, 0.1}, {0.06, 0.0}, {0.03, 0.0}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		one_point(0.29 + rows[i].free_m, 0.0);
		struct cairn_safe_velocity s =
		    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.35, 0.0}, 0.1);
		ck_assert_double_eq_tol(s.twist.v_mps, rows[i].mps, 1e-4);
		ck_assert_double_eq_tol(s.free_m, rows[i].free_m, 1e-5);
		ck_assert_double_eq_tol(s.ratio, rows[i].mps / 0.35, 1e-3);
	}
}
END_TEST

START_TEST(a_slow_reaction_lowers_the_speed)
{
	struct cairn_config cfg = defaults();
	one_point(0.29 + 0.16,
	    0.0); /* 0.1 m to use: 0.5 * 0.1 / 0.34 = 0.147; v * 0.8 + v * v / 2.4 = 0.1 gives 0.1177 */
	struct cairn_safe_velocity s =
	    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.35, 0.0}, 0.1);
	ck_assert_double_eq_tol(s.twist.v_mps, 0.1471, 1e-4);
	s = cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.35, 0.0}, 0.8);
	ck_assert_double_eq_tol(s.twist.v_mps, 0.1177, 1e-3);
}
END_TEST

START_TEST(the_way_back_is_judged_too)
{
	struct cairn_config cfg = defaults();
	one_point(-0.13, 0.0); /* 0.03 m behind the widened rear end */
	ck_assert_double_eq(
	    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){-0.1, 0.0}, 0.1).twist.v_mps, 0.0);
	ck_assert_double_eq_tol(
	    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.1, 0.0}, 0.1).twist.v_mps, 0.1, 1e-9);
}
END_TEST

START_TEST(the_arc_counts_and_not_what_lies_straight_ahead)
{
	struct cairn_config cfg = defaults();
	one_point(0.60, 0.0);
	double straight = cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.2, 0.0}, 0.1).free_m;
	struct cairn_safe_velocity arc =
	    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.2, 0.6}, 0.1);
	ck_assert_double_lt(straight, 0.32);
	ck_assert_double_eq(arc.free_m, CAIRN_SAFE_HORIZON_M);
	ck_assert_double_eq_tol(arc.twist.w_radps / arc.twist.v_mps, 3.0, 1e-9);
	one_point(0.30, 0.45); /* beside the straight way, on the left arc */
	ck_assert_double_eq(cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.2, 0.0}, 0.1).free_m,
	    CAIRN_SAFE_HORIZON_M);
	ck_assert(cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.2, 0.6}, 0.1).hit);
}
END_TEST

START_TEST(whatever_is_wanted_the_base_can_drive_what_comes_out)
{
	struct cairn_config cfg = defaults();
	static const double odd[] = {
	    NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0, -0.0, 5e-324, 0.3, -0.3, 7.0};
	const size_t n = sizeof(odd) / sizeof(odd[0]);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	for (int round = 0; round < 20; round++) {
		points.count = 40;
		for (size_t i = 0; i < points.count; i++) {
			points.x_m[i] = (float)(3.0 * cairn_rng_uniform(&rng) - 1.5);
			points.y_m[i] = (float)(3.0 * cairn_rng_uniform(&rng) - 1.5);
		}
		for (size_t i = 0; i < n * n; i++) {
			struct cairn_safe_velocity s = cairn_safe_velocity(
			    &cfg, &points, (struct cairn_twist){odd[i / n], odd[i % n]}, 0.2);
			double v = s.twist.v_mps, w = s.twist.w_radps;
			ck_assert(isfinite(v) && isfinite(w));
			ck_assert_double_le(fabs(v), cfg.robot.speed_max_mps + 1e-12);
			ck_assert_double_le(fabs(w), fabs(v) / cfg.robot.turn_radius_min_m + 1e-12);
			ck_assert(s.ratio >= 0.0 && s.ratio <= 1.0);
		}
	}
}
END_TEST

START_TEST(more_room_never_means_less_speed)
{
	struct cairn_config cfg = defaults();
	double last = 0.0;
	for (int mm = 0; mm < 1500; mm += 5) {
		one_point(0.28 + mm * 1e-3, 0.05);
		double v =
		    cairn_safe_velocity(&cfg, &points, (struct cairn_twist){0.5, 0.0}, 0.2).twist.v_mps;
		ck_assert_double_ge(v, last - 1e-9);
		last = v;
	}
	ck_assert_double_eq_tol(last, 0.5, 1e-9);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_safe", speed_falls_with_the_free_way_ahead, a_slow_reaction_lowers_the_speed,
    the_way_back_is_judged_too, the_arc_counts_and_not_what_lies_straight_ahead,
    whatever_is_wanted_the_base_can_drive_what_comes_out, more_room_never_means_less_speed)
