/* The motor core with a robot at its end: walls, stalls, deaths and nonsense. */
#include "test/support/motor_rig.h"

/* ---- closed loop: a robot with lag drives at walls ---- */

struct robot {
	struct cairn_pose2 pose;
	double v, k;
};

static double body_gap(const struct box *b, struct cairn_pose2 pose)
{
	const struct cairn_footprint *f = &params.monitor.body;
	const struct cairn_vec2 corner[4] = {{f->front_m, f->half_width_m}, {f->front_m, -f->half_width_m},
	    {-f->rear_m, f->half_width_m}, {-f->rear_m, -f->half_width_m}};
	double gap = INFINITY;
	for (int i = 0; i < 4; i++) {
		struct cairn_vec2 p = cairn_pose_apply(pose, corner[i]);
		gap = fmin(gap, fmin(fmin(b->front_m - p.x_m, p.x_m + b->rear_m),
				    fmin(b->left_m - p.y_m, p.y_m + b->right_m)));
	}
	return gap;
}

/* Speed follows the command with a time constant of 60 ms, steering at 5 1/m a second; scans at 10 Hz with
 * noise. */
static double drive(struct robot *r, const struct box *b, double v, double k, int ms, struct cairn_rng *rng)
{
	double least = INFINITY;
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 5) {
		now += 5 * MS;
		double steer =
		    cairn_clamp((out.v_mps != 0.0 ? out.w_radps / out.v_mps : r->k) - r->k, -0.025, 0.025);
		r->k += steer;
		r->v += (out.v_mps - r->v) * (0.005 / 0.06);
		struct cairn_twist moving = {r->v, r->v * r->k};
		r->pose = cairn_pose_advance(r->pose, moving, 0.005);
		least = fmin(least, body_gap(b, r->pose));
		if (t % 40 == 0)
			cairn_motor_measured(&motor, moving, now);
		if (t % 100 == 0) {
			look(b, r->pose, moving);
			for (uint32_t i = 0; i < scan.range_m_count; i++)
				scan.range_m[i] += (float)(0.003 * cairn_rng_normal(rng));
			send_scan();
			out = cairn_motor_step(&motor, now);
		}
		if (t % 50 == 0)
			command(v, k * v);
		if (t % 20 == 0)
			out = cairn_motor_step(&motor, now);
	}
	return least;
}

START_TEST(full_speed_at_a_wall_ends_near_the_stop_distance)
{
	fresh_motor(false);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 1);
	const struct box b = {3.0, 2.0, 2.0, 2.0};
	struct robot r = {0};
	double least = drive(&r, &b, 0.5, 0.0, 12000, &rng);
	ck_assert_double_ge(least, cfg.safety.stop_distance_m);
	ck_assert_double_le(least, cfg.safety.stop_distance_m + 0.07);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_eq_tol(r.v, 0.0, 1e-3);
	least = drive(&r, &b, -0.5, 0.0, 15000, &rng);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	ck_assert_double_ge(least, cfg.safety.stop_distance_m);
}
END_TEST

START_TEST(no_sequence_of_commands_makes_it_touch_a_wall)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 77, 1);
	double travelled = 0.0;
	for (int round = 0; round < 12; round++) {
		fresh_motor(false);
		const struct box b = {0.6 + cairn_rng_uniform(&rng), 0.5 + cairn_rng_uniform(&rng),
		    0.4 + cairn_rng_uniform(&rng), 0.4 + cairn_rng_uniform(&rng)};
		struct robot r = {0};
		for (int leg = 0; leg < 12; leg++) {
			double v = 1.2 * cairn_rng_uniform(&rng) - 0.6;
			double k = (2.0 * cairn_rng_uniform(&rng) - 1.0) / 0.25;
			struct cairn_pose2 from = r.pose;
			double least = drive(&r, &b, v, k, 1500, &rng);
			ck_assert_msg(least > 0.0, "round %d leg %d: %g", round, leg, least);
			travelled += hypot(r.pose.x_m - from.x_m, r.pose.y_m - from.y_m);
		}
	}
	ck_assert_double_gt(travelled, 10.0);
}
END_TEST

START_TEST(a_wrong_measurement_does_not_carry_obstacles_out_of_the_way)
{
	fresh_motor(false);
	const struct box near = {cfg.robot.footprint_front_m + 0.08, 6.0, 5.0, 5.0};
	const struct cairn_twist wrong[] = {{30.0, 0.0}, {-1e308, 0.0}, {0.0, 1e300}, {2e7, 3.0}, {NAN, 0.0}};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		fresh_motor(false);
		ck_assert_double_eq(run(&near, 0.5, 0.0, 1500).v_mps, 0.0);
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
		for (int t = 0; t < 200; t += 20) { /* until the next scan, and after it */
			now += 20 * MS;
			if (t == 100) {
				look(&near, (struct cairn_pose2){0}, (struct cairn_twist){0});
				ck_assert(send_scan());
			}
			command(0.5, 0.0);
			cairn_motor_measured(&motor, wrong[i], now);
			ck_assert_double_eq(cairn_motor_step(&motor, now).v_mps, 0.0);
		}
	}
}
END_TEST

/* Streams that stall, die and are reborn, stops, a board that comes and goes: never faster without fresh
 * inputs, and off again soon after everything is well. */
START_TEST(it_never_speeds_up_on_old_inputs_and_always_goes_on_on_new_ones)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 17, 1);
	fresh_motor(false);
	bool cmd_on = true, scan_on = true, device = true;
	int64_t cmd_ns = 0, scan_ns = 0;
	double was_mps = 0.0;
	struct cairn_error err = {""};
	for (int i = 0; i < 40000; i++) {
		now += 20 * MS;
		bool healthy = i % 1000 >= 800; /* the end of every twenty seconds */
		uint32_t any = healthy ? 999 : cairn_rng_u32(&rng) % 1000;
		cmd_on = any == 0 ? !cmd_on : cmd_on;
		scan_on = any == 1 ? !scan_on : scan_on;
		device = any == 2 ? !device : device;
		cmd_epoch += any == 3;
		scan_epoch += any == 4;
		if (any == 5)
			cairn_motor_operator_stop(&motor, "test");
		cairn_motor_device(&motor, device);
		if (healthy) {
			cmd_on = scan_on = device = true;
			cairn_motor_device(&motor, true);
			if (i % 1000 == 800)
				cairn_motor_operator_release(&motor, now, &err);
		}
		if (scan_on && i % 5 == 0) {
			look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
			scan_ns = send_scan() ? now : scan_ns;
		}
		if (cmd_on)
			cmd_ns = command(0.3, 0.2) ? now : cmd_ns;
		cairn_motor_measured(&motor, (struct cairn_twist){0}, now);
		double v = cairn_motor_step(&motor, now).v_mps;
		bool old = now - cmd_ns > 200 * MS || now - scan_ns > 300 * MS;
		if (old || motor.estop || !device)
			ck_assert_double_le(v, fmax(was_mps - 0.02, 0.0));
		was_mps = v;
		if (i % 1000 == 999)
			ck_assert_msg(v > 0.29, "%s: %s",
			    cairn_enum_text(&cairn_enum_motor_state, (int)state()), reason());
	}
}
END_TEST

START_TEST(hostile_messages_never_yield_more_than_the_robot_can)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 6, 1);
	fresh_motor(false);
	const double odd[] = {0.0, 1e-9, -0.5, 0.5, 1e308, -1e308, NAN, INFINITY, 0.1};
	for (int i = 0; i < 5000; i++) {
		now += 10 * MS;
		double v = odd[cairn_rng_u32(&rng) % 9], w = odd[cairn_rng_u32(&rng) % 9];
		struct cairn_header h = header(cairn_rng_u32(&rng) % 500 == 0 ? 5 : 11, ++cmd_seq,
		    now + (int64_t)((cairn_rng_uniform(&rng) - 0.5) * 3e8));
		cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now);
		look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
		for (int k = 0; k < 20; k++)
			scan.range_m[cairn_rng_u32(&rng) % 720] = (float)odd[cairn_rng_u32(&rng) % 9];
		scan.t_start_ns = (int64_t)((uint64_t)cairn_rng_u32(&rng) << 32);
		if (i % 10 == 0)
			send_scan();
		cairn_motor_measured(&motor, (struct cairn_twist){v, w}, now);
		struct cairn_twist out = cairn_motor_step(&motor, now);
		ck_assert(isfinite(out.v_mps) && isfinite(out.w_radps));
		ck_assert_double_le(fabs(out.v_mps), cfg.robot.speed_max_mps + 1e-9);
		ck_assert_double_le(fabs(out.w_radps), fabs(out.v_mps) / cfg.robot.turn_radius_min_m + 1e-9);
	}
	ck_assert_uint_gt(motor.rejected, 1000);
}
END_TEST

CAIRN_TEST_MAIN("motor-closed-loop", full_speed_at_a_wall_ends_near_the_stop_distance,
    no_sequence_of_commands_makes_it_touch_a_wall,
    a_wrong_measurement_does_not_carry_obstacles_out_of_the_way,
    it_never_speeds_up_on_old_inputs_and_always_goes_on_on_new_ones,
    hostile_messages_never_yield_more_than_the_robot_can)
