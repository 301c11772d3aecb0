/* Turning in place behind the last gate: who may, when, how fast, and what ends it. */
#include "test/support/motor_rig.h"

static void fresh_two_wheels(void)
{
	two_wheels(&cfg);
	fresh_motor_of(false);
}

/* A robot that does as it is told, in a box about the start of the map. Twists of one run. */
struct ride {
	struct cairn_pose2 pose;
	struct cairn_twist is;
	double corner_max_m; /* how far a corner went beyond the right wall, at most */
};

static void ride(struct ride *r, const struct box *b, double v, double w, int ms)
{
	const double corner[4][2] = {{0.15, 0.13}, {0.15, -0.13}, {-0.15, 0.13}, {-0.15, -0.13}};
	for (int t = 0; t < ms; t += 20) {
		now += 20 * MS;
		r->pose = cairn_pose_advance(r->pose, r->is, 0.02);
		for (int i = 0; i < 4; i++) {
			struct cairn_vec2 at =
			    cairn_pose_apply(r->pose, (struct cairn_vec2){corner[i][0], corner[i][1]});
			r->corner_max_m = fmax(r->corner_max_m, -at.y_m - b->right_m);
		}
		if (t % 100 == 0) {
			look(b, r->pose, r->is);
			(void)send_scan();
		}
		command(v, w);
		cairn_motor_measured(&motor, r->is, now);
		r->is = cairn_motor_step(&motor, now);
	}
}

START_TEST(a_steered_base_is_refused_a_turn_in_place_and_one_with_two_wheels_is_not)
{
	fresh_motor(false);
	struct cairn_twist out = run(&hall, 0.0, 0.6, 1000);
	ck_assert_double_eq(out.w_radps, 0.0);
	ck_assert_str_eq(reason(), "cannot turn on the spot");
	fresh_two_wheels();
	struct ride r = {.corner_max_m = -1.0};
	ride(&r, &hall, 0.0, 0.6, 1500);
	ck_assert_double_eq(r.is.v_mps, 0.0);
	ck_assert_double_eq_tol(r.is.w_radps, 0.6, 1e-9);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(it_turns_no_faster_than_it_may_and_not_at_once)
{
	fresh_two_wheels();
	struct ride r = {0};
	const double reach = hypot(0.15, 0.13);
	ride(&r, &hall, 0.0, 50.0, 400); /* until scans and commands have been fresh */
	double last = r.is.w_radps;
	for (int i = 0; i < 200; i++) {
		ride(&r, &hall, 0.0, 50.0, 20);
		ck_assert_double_le((r.is.w_radps - last) * reach, 0.60 * 0.02 + 1e-9);
		last = r.is.w_radps;
	}
	ck_assert_double_eq_tol(last, 1.0, 1e-9);
}
END_TEST

START_TEST(it_stands_before_it_turns_and_before_it_drives)
{
	fresh_two_wheels();
	struct ride r = {0};
	ride(&r, &hall, 0.3, 0.0, 1500);
	ck_assert_double_eq_tol(r.is.v_mps, 0.3, 1e-9);
	bool turned = false, drove = false;
	for (int i = 0; i < 100; i++) {
		ride(&r, &hall, 0.0, -0.8, 20);
		ck_assert(r.is.v_mps == 0.0 || r.is.w_radps == 0.0);
		turned |= r.is.w_radps < -0.7;
	}
	ck_assert(turned);
	for (int i = 0; i < 100; i++) {
		double before = r.is.w_radps;
		ride(&r, &hall, 0.3, 0.0, 20);
		ck_assert(r.is.v_mps == 0.0 || (before == 0.0 && r.is.w_radps == 0.0));
		drove |= r.is.v_mps > 0.25;
	}
	ck_assert(drove);
}
END_TEST

START_TEST(a_wall_beside_it_ends_the_turn_before_a_corner_touches_it)
{
	/* The corners sweep 0.198 m; the wall to the right is at 0.16 m, 3 cm from the side. */
	const struct box beside = {4.0, 4.0, 3.0, 0.16};
	const double rates[] = {0.3, 1.0, -0.3, -1.0};
	for (int i = 0; i < 4; i++) {
		fresh_two_wheels();
		struct ride r = {.corner_max_m = -1.0};
		ride(&r, &beside, 0.0, rates[i], 6000);
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
		ck_assert_double_eq(r.is.w_radps, 0.0);
		ck_assert_double_gt(fabs(r.pose.yaw_rad), 0.01); /* as far as it goes, */
		ck_assert_double_lt(r.corner_max_m, 0.0);        /* and no farther */
		ck_assert_ptr_nonnull(strstr(reason(), "right"));
		double stood = r.pose.yaw_rad;
		ride(&r, &beside, 0.0, -rates[i], 1500); /* but back it can */
		ck_assert_double_lt((r.pose.yaw_rad - stood) * rates[i], 0.0);
	}
}
END_TEST

START_TEST(silence_of_commands_of_scans_and_an_emergency_stop_end_a_turn)
{
	for (int what = 0; what < 3; what++) {
		fresh_two_wheels();
		struct ride r = {0};
		ride(&r, &hall, 0.0, 0.8, 1500);
		ck_assert_double_eq_tol(r.is.w_radps, 0.8, 1e-9);
		struct cairn_twist out = r.is;
		if (what == 2)
			cairn_motor_operator_stop(&motor, "test");
		for (int t = 0; t < 500; t += 20) {
			now += 20 * MS;
			if (what != 0)
				command(0.0, 0.8);
			if (what != 1 && t % 100 == 0) {
				r.pose = cairn_pose_advance(r.pose, out, 0.1);
				look(&hall, r.pose, out);
				(void)send_scan();
			}
			cairn_motor_measured(&motor, out, now);
			out = cairn_motor_step(&motor, now);
			if (what == 2)
				ck_assert_double_eq(out.w_radps, 0.0); /* at once */
		}
		ck_assert_double_eq(out.w_radps, 0.0);
		ck_assert_int_eq(state(), what == 0   ? CAIRN_MOTOR_STATE_NO_COMMAND
					  : what == 1 ? CAIRN_MOTOR_STATE_NO_SCAN
						      : CAIRN_MOTOR_STATE_ESTOP);
	}
}
END_TEST

START_TEST(a_drop_ahead_holds_a_turn)
{
	fresh_two_wheels();
	struct ride r = {0};
	ride(&r, &hall, 0.0, 0.8, 1500);
	struct cairn_header h = header(44, 1, now);
	ck_assert(cairn_motor_guard(&motor, &h, &(struct cairn_msg_guard){.floor_m = INFINITY}, now));
	ride(&r, &hall, 0.0, 0.8, 600);
	ck_assert_double_eq(r.is.w_radps, 0.0);
	ck_assert_ptr_nonnull(strstr(reason(), "drop"));
}
END_TEST

START_TEST(wheels_that_turn_it_the_other_way_or_against_a_zero_are_a_fault)
{
	fresh_two_wheels();
	params.wheels.limit_s = 0.5;
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	struct ride r = {0};
	ride(&r, &hall, 0.0, 0.8, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	struct cairn_twist out = {0};
	for (int t = 0; t < 800; t += 20) { /* told to stand, it goes on turning */
		now += 20 * MS;
		command(0.0, 0.0);
		r.pose = cairn_pose_advance(r.pose, (struct cairn_twist){0.0, 0.8}, 0.02);
		if (t % 100 == 0) {
			look(&hall, r.pose, (struct cairn_twist){0.0, 0.8});
			(void)send_scan();
		}
		cairn_motor_measured(&motor, (struct cairn_twist){0.0, 0.8}, now);
		out = cairn_motor_step(&motor, now);
	}
	ck_assert_double_eq(out.w_radps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_WHEEL_FAULT);
	ck_assert_ptr_nonnull(strstr(reason(), "turns at"));
	fresh_two_wheels();
	params.wheels.limit_s = 0.5;
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	double yaw = 0.0, turned = 0.0;
	for (int t = 0; t < 3000 && state() != CAIRN_MOTOR_STATE_CONTRADICTION; t += 20) {
		now += 20 * MS;
		command(0.0, 0.8);
		yaw -= out.w_radps * 0.02; /* exchanged wheels */
		turned += fabs(out.w_radps) * 0.02;
		if (t % 100 == 0) {
			look(&hall, (struct cairn_pose2){0.0, 0.0, yaw},
			    (struct cairn_twist){0.0, -out.w_radps});
			(void)send_scan();
		}
		cairn_motor_measured(&motor, (struct cairn_twist){0.0, -out.w_radps}, now);
		out = cairn_motor_step(&motor, now);
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_CONTRADICTION);
	ck_assert_double_lt(turned, 0.6);
}
END_TEST

START_TEST(a_mirrored_lidar_or_a_gyro_of_the_wrong_sign_stops_a_robot_that_turns_in_place)
{
	const struct box room = {1.2, 2.1, 0.9, 1.7};
	for (int mirrored = 0; mirrored < 2; mirrored++) {
		fresh_two_wheels();
		struct cairn_twist out = {0};
		double yaw = 0.0;
		for (int t = 0; t < 4000 && state() != CAIRN_MOTOR_STATE_CONTRADICTION; t += 20) {
			now += 20 * MS;
			command(0.0, 0.7);
			yaw += out.w_radps * 0.02;
			if (t % 100 == 0) {
				look(&room, (struct cairn_pose2){0.0, 0.0, yaw}, out);
				for (uint32_t i = 0; mirrored && i < scan.angle_rad_count; i++)
					scan.angle_rad[i] = -scan.angle_rad[i];
				(void)send_scan();
			}
			cairn_motor_measured(
			    &motor, (struct cairn_twist){0.0, mirrored ? out.w_radps : -out.w_radps}, now);
			out = cairn_motor_step(&motor, now);
		}
		ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_CONTRADICTION);
		ck_assert_double_lt(fabs(yaw), 0.5);
		ck_assert_ptr_nonnull(strstr(reason(), mirrored ? "LiDAR" : "gyro"));
	}
}
END_TEST

CAIRN_TEST_MAIN("motor_spin", a_steered_base_is_refused_a_turn_in_place_and_one_with_two_wheels_is_not,
    it_turns_no_faster_than_it_may_and_not_at_once, it_stands_before_it_turns_and_before_it_drives,
    a_wall_beside_it_ends_the_turn_before_a_corner_touches_it,
    silence_of_commands_of_scans_and_an_emergency_stop_end_a_turn, a_drop_ahead_holds_a_turn,
    wheels_that_turn_it_the_other_way_or_against_a_zero_are_a_fault,
    a_mirrored_lidar_or_a_gyro_of_the_wrong_sign_stops_a_robot_that_turns_in_place)
