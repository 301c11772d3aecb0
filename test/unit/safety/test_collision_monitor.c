/* How fast the motor core drives by what it sees, and how smoothly. */
#include "test/support/motor_rig.h"

/* ---- collision monitor ---- */

START_TEST(the_limit_follows_the_three_zones)
{
	fresh_motor(false);
	params.monitor.stop_distance_m = 0.06; /* so near that each of the three rules holds somewhere */
	params.monitor.slow_distance_m = 0.40;
	const struct cairn_monitor_params *p = &params.monitor; /* ttc 0.8, decel 1.2, max 0.5 */
	ck_assert_double_eq(cairn_monitor_speed(p, -1.0), 0.0);
	ck_assert_double_eq(cairn_monitor_speed(p, 0.06), 0.0);
	ck_assert_double_eq(cairn_monitor_speed(p, NAN), 0.0);
	ck_assert_double_eq_tol(cairn_monitor_speed(p, 0.14), 0.1, 1e-9); /* 0.08 / 0.8 */
	ck_assert_double_eq_tol(
	    cairn_monitor_speed(p, 0.399), 0.339 / 0.8, 1e-9); /* below 0.5 * 0.339 / 0.34 */
	ck_assert_double_eq_tol(cairn_monitor_speed(p, 5.0), 0.5, 1e-9);
	double last = 0.0;
	for (double f = 0.0; f < 2.0; f += 0.001) {
		double v = cairn_monitor_speed(p, f);
		ck_assert_double_ge(v, last);
		if (f > 0.06)
			ck_assert_double_le(v * v / (2.0 * 1.2), f - 0.06 + 1e-12);
		last = v;
	}
}
END_TEST

START_TEST(by_default_it_slows_from_one_metre_and_stands_at_thirty_centimetres_from_its_centre)
{
	fresh_motor(false);
	const struct cairn_monitor_params *p = &params.monitor;
	const double half_m = 0.5 * (p->body.front_m + p->body.rear_m);
	for (double d = 0.0; d < 2.0; d += 0.01) /* d: from the footprint's centre */
		ck_assert_double_eq_tol(cairn_monitor_speed(p, d - half_m),
		    0.5 * cairn_clamp((d - 0.3) / (1.0 - 0.3), 0.0, 1.0), 1e-9);
}
END_TEST

START_TEST(an_obstacle_on_the_commanded_arc_stops_that_arc_only)
{
	fresh_motor(false);
	const struct box b = {0.27 + 0.04, 6.0, 5.0, 5.0}; /* a wall 4 cm ahead */
	ck_assert_double_eq(run(&b, 0.2, 0.0, 1500).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_eq(run(&b, 0.2, 0.6, 1000).v_mps, 0.0);
	ck_assert_double_eq_tol(run(&b, -0.1, 0.0, 1000).v_mps, -0.1, 1e-9); /* but it can leave */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	const struct box behind = {6.0, 0.08 + 0.04, 5.0, 5.0};
	ck_assert_double_eq(run(&behind, -0.2, 0.0, 1000).v_mps, 0.0);
	ck_assert_ptr_nonnull(strstr(reason(), "behind"));
	ck_assert_double_eq_tol(run(&behind, 0.1, 0.0, 1000).v_mps, 0.1, 1e-9);
}
END_TEST

START_TEST(a_robot_closer_than_its_margin_can_creep_away)
{
	fresh_motor(false);
	const struct box tight = {0.27 + 0.005, 6.0, 5.0, 0.10 + 0.008}; /* 5 mm ahead, 8 mm to the right */
	ck_assert_double_eq(run(&tight, 0.1, 0.0, 1000).v_mps, 0.0);
	ck_assert_double_eq_tol(run(&tight, -0.1, 0.0, 1500).v_mps, -0.1, 1e-9);
}
END_TEST

START_TEST(an_old_scan_is_judged_from_where_the_robot_is_now)
{
	up_and_driving(0.4, 0.0);
	const struct box b = {0.27 + 0.52, 6.0, 5.0, 5.0};
	now += 20 * MS;
	look(&b, (struct cairn_pose2){0}, (struct cairn_twist){0.4, 0.0});
	command(0.4, 0.0);
	cairn_motor_measured(&motor, (struct cairn_twist){0.4, 0.0}, now);
	ck_assert(send_scan());
	cairn_motor_step(&motor, now);
	double first = cairn_points_nearest(&motor.monitor.points, &params.monitor.body, NULL);
	ck_assert_double_eq_tol(first, 0.52, 2e-3);
	for (int i = 0; i < 5; i++) {
		now += 20 * MS;
		cairn_motor_measured(&motor, (struct cairn_twist){0.4, 0.0}, now);
		cairn_motor_step(&motor, now);
	}
	double later = cairn_points_nearest(&motor.monitor.points, &params.monitor.body, NULL);
	ck_assert_double_eq_tol(later, 0.52 - 0.4 * 0.1, 3e-3);
}
END_TEST

/* ---- smoothness ---- */

START_TEST(speed_changes_within_acceleration_and_jerk)
{
	const struct cairn_velocity_smoother_params p = {0.6, 1.2, 8.0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 8, 1);
	struct cairn_velocity_smoother s = {0};
	double target = 0.0;
	for (int i = 0; i < 20000; i++) {
		if (i % 40 == 0)
			target = cairn_rng_uniform(&rng) - 0.5;
		double before = s.v_mps, a_before = s.a_mps2;
		double v = cairn_velocity_smoother_step(&s, &p, target, 0.02);
		double dv = v - before;
		ck_assert_double_le(fabs(dv), 1.2 * 0.02 + 1e-12);
		if (fabs(v) > fabs(before))
			ck_assert_double_le(fabs(dv), 0.6 * 0.02 + 1e-12);
		if (s.a_mps2 != 0.0 && s.a_mps2 * a_before > 0.0)
			ck_assert_double_le(fabs(s.a_mps2 - a_before), 8.0 * 0.02 + 1e-12);
		ck_assert_double_ge(v * before, 0.0); /* never through zero in one step */
		ck_assert_double_le(fabs(v), fmax(fabs(before), fabs(target)) + 1e-12);
	}
	for (int i = 0; i < 100; i++)
		cairn_velocity_smoother_step(&s, &p, 0.3, 0.02);
	ck_assert_double_eq(s.v_mps, 0.3);
}
END_TEST

/* The limit by both arcs, each looked at farther than any limit reaches. */
static double plain_limit(
    const struct cairn_monitor *m, double k, double k_driven, bool forward, double speed)
{
	const struct cairn_monitor_params *p = &m->params;
	const double far_m = 9.0, lead_m = speed * p->reaction_s;
	double free_m = cairn_arc_clearance(&m->points, &p->body, p->margin_m, k, forward, far_m).free_m;
	double limit = cairn_monitor_speed(p, free_m - lead_m);
	free_m = cairn_arc_clearance(&m->points, &p->body, p->margin_m, k_driven, forward, far_m).free_m;
	return fmin(limit, sqrt(2.0 * p->decel_mps2 * fmax(free_m - lead_m, 0.0)));
}

START_TEST(the_arc_still_driven_limits_as_if_it_were_looked_at_to_its_end)
{
	struct cairn_rng rng;
	int braked = 0;
	cairn_rng_seed(&rng, 11, 1);
	fresh_motor(false);
	struct cairn_monitor *m = &motor.monitor;
	for (int i = 0; i < 20000; i++) {
		m->points.count = 1 + (size_t)(40.0 * cairn_rng_uniform(&rng));
		for (size_t j = 0; j < m->points.count; j++) {
			double a = 2.0 * M_PI * cairn_rng_uniform(&rng),
			       r = 0.2 + 2.0 * cairn_rng_uniform(&rng);
			m->points.x_m[j] = (float)(r * cos(a));
			m->points.y_m[j] = (float)(r * sin(a));
		}
		double k = 4.0 * cairn_rng_uniform(&rng) - 2.0, driven = 4.0 * cairn_rng_uniform(&rng) - 2.0;
		double k_max = m->params.curvature_max_1pm, speed = 0.05 + 0.45 * cairn_rng_uniform(&rng);
		bool forward = i % 2 == 0;
		double v = forward ? speed : -speed;
		struct cairn_monitor_verdict got =
		    cairn_monitor_limit(m, k, forward, (struct cairn_twist){v, v * driven});
		double k_driven = cairn_clamp(v * driven / v, -k_max, k_max);
		double plain = plain_limit(m, k, k_driven, forward, speed);
		ck_assert_double_eq_tol(got.limit_mps, plain, 1e-9);
		braked += plain < plain_limit(m, k, k, forward, speed) - 1e-6;
	}
	ck_assert_int_gt(braked, 100); /* the driven arc does count */
}
END_TEST

CAIRN_TEST_MAIN("motor-monitor", the_limit_follows_the_three_zones,
    by_default_it_slows_from_one_metre_and_stands_at_thirty_centimetres_from_its_centre,
    an_obstacle_on_the_commanded_arc_stops_that_arc_only, a_robot_closer_than_its_margin_can_creep_away,
    an_old_scan_is_judged_from_where_the_robot_is_now,
    the_arc_still_driven_limits_as_if_it_were_looked_at_to_its_end,
    speed_changes_within_acceleration_and_jerk)
