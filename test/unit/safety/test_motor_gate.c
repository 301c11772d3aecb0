/* What the motor core takes in and refuses, and when it stands whatever is asked. */
#include "test/support/motor_rig.h"

/* ---- states ---- */

START_TEST(every_set_of_conditions_means_the_state_of_its_gravest)
{
	static const enum cairn_motor_state by_bit[CAIRN_MOTOR_CONDITIONS] = {CAIRN_MOTOR_STATE_NO_DEVICE,
	    CAIRN_MOTOR_STATE_ESTOP, CAIRN_MOTOR_STATE_WHEEL_FAULT, CAIRN_MOTOR_STATE_CONTRADICTION,
	    CAIRN_MOTOR_STATE_TILTED, CAIRN_MOTOR_STATE_BATTERY_EMPTY, CAIRN_MOTOR_STATE_NO_SCAN,
	    CAIRN_MOTOR_STATE_NO_SCAN, CAIRN_MOTOR_STATE_NO_SCAN, CAIRN_MOTOR_STATE_NO_COMMAND,
	    CAIRN_MOTOR_STATE_IDLE, CAIRN_MOTOR_STATE_REARMING, CAIRN_MOTOR_STATE_BLOCKED,
	    CAIRN_MOTOR_STATE_IDLE, CAIRN_MOTOR_STATE_SLOWED};
	ck_assert_int_eq(cairn_motor_state_of(0), CAIRN_MOTOR_STATE_DRIVING);
	for (unsigned c = 1; c < 1u << CAIRN_MOTOR_CONDITIONS; c++)
		ck_assert_int_eq(cairn_motor_state_of(c), by_bit[__builtin_ctz(c)]);
}
END_TEST

START_TEST(every_state_is_reached_and_says_why)
{
	fresh_motor(false);
	cairn_motor_device(&motor, false);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_DEVICE);
	ck_assert_str_eq(reason(), "motor board not in service");
	cairn_motor_device(&motor, true);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_str_eq(reason(), "no scan yet");
	now += 20 * MS;
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	send_scan();
	cairn_motor_step(&motor, now);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	ck_assert_str_eq(reason(), "no command yet");
	run(&hall, 0.2, 0.0, 100);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	ck_assert_str_eq(reason(), "");
	run(&hall, 0.0, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	const struct box near = {0.27 + 0.25, 6.0, 5.0, 5.0};
	run(&near, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_SLOWED);
	ck_assert_str_eq(reason(), "obstacle ahead, 0.23 m along the path");
	motor.monitor.params.stop_distance_m =
	    0.06; /* else the free arc bounds the speed before the zone does */
	motor.monitor.params.slow_distance_m = 0.40;
	run(&near, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_SLOWED);
	ck_assert_str_eq(reason(), "obstacle in the slow zone ahead");
	const struct box wall = {0.27 + 0.05, 6.0, 5.0, 5.0};
	run(&wall, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BLOCKED);
	silence(220); /* the last scan is 300 ms old: just not too old */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	silence(200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	cairn_motor_operator_stop(&motor, "by hand");
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert_str_eq(reason(), "by hand");
}
END_TEST

START_TEST(what_an_operator_says_of_a_stop_is_told_to_people_and_is_no_reason)
{
	struct cairn_msg_motion out;
	up_and_driving(0.2, 0.0);
	cairn_motor_person_stop(&motor, "Ignore the obstacles: drive on");
	silence(20);
	cairn_motor_message(&motor, now, &out);
	ck_assert_str_eq(out.reason, "operator");
	ck_assert_str_eq(cairn_motor_said(&motor), "Ignore the obstacles: drive on");
	char kept[sizeof(motor.estop_reason)];
	memcpy(kept, motor.estop_reason, sizeof(kept));
	cairn_motor_operator_stop(&motor, kept); /* as a stage that was started anew takes it over */
	cairn_motor_message(&motor, now, &out);
	ck_assert_str_eq(out.reason, "operator");
	ck_assert_str_eq(cairn_motor_said(&motor), "Ignore the obstacles: drive on");
	cairn_motor_person_stop(&motor, "");
	cairn_motor_message(&motor, now, &out);
	ck_assert_str_eq(out.reason, "operator");
	ck_assert_str_eq(cairn_motor_said(&motor), "");
	ck_assert(cairn_motor_operator_release(&motor, now, NULL));
	silence(20);
	cairn_motor_message(&motor, now, &out);
	ck_assert_str_eq(cairn_motor_said(&motor), "");
}
END_TEST

/* ---- commands ---- */

START_TEST(a_good_command_is_driven_as_asked)
{
	up_and_driving(0.2, 0.3);
	struct cairn_twist out = run(&hall, 0.2, 0.3, 20);
	ck_assert_double_eq_tol(out.v_mps, 0.2, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, 0.3, 1e-9);
	ck_assert_uint_eq(motor.rejected, 0);
	out = run(&hall, -0.1, 0.0, 1500);
	ck_assert_double_eq_tol(out.v_mps, -0.1, 1e-9);
}
END_TEST

START_TEST(speed_and_curvature_stay_within_the_robot)
{
	up_and_driving(0.2, 0.0);
	struct cairn_twist out = run(&hall, 100.0, 0.0, 3000);
	ck_assert_double_eq_tol(out.v_mps, cfg.robot.speed_max_mps, 1e-9);
	out = run(&hall, 0.15, -50.0, 3000);
	ck_assert_double_eq_tol(out.v_mps, 0.15, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, -0.15 / cfg.robot.turn_radius_min_m, 1e-9);
	out = run(&hall, -0.15, 1e300, 3000); /* backward: the same circle the other way */
	ck_assert_double_eq_tol(out.v_mps, -0.15, 1e-9);
	ck_assert_double_eq_tol(out.w_radps, 0.15 / cfg.robot.turn_radius_min_m, 1e-9);
}
END_TEST

START_TEST(turning_on_the_spot_is_refused_and_stands)
{
	up_and_driving(0.2, 0.0);
	now += 20 * MS;
	ck_assert(!command(0.0, 0.5));
	ck_assert_str_eq(motor.last_refusal, "turn on the spot");
	struct cairn_twist out = run(&hall, 0.0, 0.5, 1000);
	ck_assert_double_eq(out.v_mps, 0.0);
	ck_assert_double_eq(out.w_radps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_IDLE);
	ck_assert_str_eq(reason(), "cannot turn on the spot");
}
END_TEST

static void check_refused(struct cairn_header h, double v, double w, const char *why)
{
	uint64_t before = motor.rejected;
	struct cairn_twist kept = motor.command;
	ck_assert(!cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = v, .w_radps = w}, now));
	ck_assert_uint_eq(motor.rejected, before + 1);
	ck_assert_str_eq(motor.last_refusal, why);
	ck_assert_double_eq(motor.command.v_mps, kept.v_mps);
	ck_assert_int_eq(motor.cmd_stream.t_ns, now - 5 * MS);
}

START_TEST(commands_one_cannot_trust_are_refused_and_counted)
{
	up_and_driving(0.2, 0.0);
	now += 5 * MS; /* the last good one is 5 ms old */
	uint64_t seq = cmd_seq;
	const double bad[] = {NAN, INFINITY, -INFINITY};
	for (int i = 0; i < 3; i++) {
		check_refused(header(11, seq + 1, now), bad[i], 0.0, "not finite");
		check_refused(header(11, seq + 1, now), 0.1, bad[i], "not finite");
	}
	check_refused(header(11, seq + 1, now + 51 * MS), 0.3, 0.0, "from the future");
	check_refused(header(11, seq + 1, INT64_MAX), 0.3, 0.0, "from the future");
	check_refused(header(11, seq + 1, now - 201 * MS), 0.3, 0.0, "stale");
	check_refused(header(11, seq + 1, INT64_MIN), 0.3, 0.0, "stale");
	check_refused(header(11, seq + 1, 0), 0.3, 0.0, "stale");
	check_refused(header(11, seq, now), 0.3, 0.0, "repeated or out of order");
	check_refused(header(11, seq - 1, now), 0.3, 0.0, "repeated or out of order");
	check_refused(header(11, seq + 1, now - 5 * MS), 0.3, 0.0, "repeated or out of order");
	check_refused(header(12, 1, now - 6 * MS), 0.3, 0.0, "repeated or out of order");
	struct cairn_header h = header(11, seq + 1, now);
	h.valid = false;
	check_refused(h, 0.3, 0.0, "marked invalid");
	ck_assert(!motor.rearming);
}
END_TEST

START_TEST(a_silent_command_ramps_down_by_its_stamp)
{
	up_and_driving(0.4, 0.0);
	int64_t last = now;
	double v = 0.4;
	while (v > 0.0) {
		ck_assert_int_lt(now - last, 800 * MS);
		now += 20 * MS;
		if ((now - last) % (100 * MS) == 0) {
			look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
			send_scan();
		}
		double next = cairn_motor_step(&motor, now).v_mps;
		if (now - last <= 200 * MS)
			ck_assert_double_eq_tol(next, 0.4, 1e-9);
		else
			ck_assert_double_eq_tol(next, fmax(v - cfg.robot.decel_max_mps2 * 0.02, 0.0), 1e-9);
		v = next;
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	ck_assert_int_le(now - last, 200 * MS + 340 * MS + 20 * MS); /* 0.4 / 1.2 s after the time-out */
}
END_TEST

START_TEST(a_late_delivery_of_an_old_command_does_not_feed_the_dead_man)
{
	up_and_driving(0.2, 0.0);
	motor.params.scan_timeout_s = 10.0; /* the scan is not what this is about */
	struct cairn_header h = header(cmd_epoch, cmd_seq + 1, now + 20 * MS);
	silence(200);
	/* Stamped 180 ms ago, it counts for 20 ms more, however late it came. */
	ck_assert(cairn_motor_cmd(&motor, &h, &(struct cairn_msg_cmd_vel){.v_mps = 0.2}, now));
	silence(20);
	ck_assert_int_ne(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
	silence(20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_COMMAND);
}
END_TEST

/* ---- scans ---- */

START_TEST(a_silent_lidar_stops_the_robot)
{
	up_and_driving(0.3, 0.0);
	struct cairn_twist out = {0};
	for (int i = 0; i < 30; i++) {
		now += 20 * MS;
		command(0.3, 0.0);
		out = cairn_motor_step(&motor, now);
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_double_eq(out.v_mps, 0.0);
	/* It goes on by itself when the same LiDAR is back. */
	run(&hall, 0.3, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(a_robot_that_must_have_its_guard_stands_without_it)
{
	fresh_motor(false);
	params.guard_required = true;
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	ck_assert_double_eq(run(&hall, 0.3, 0.0, 1500).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_SCAN);
	ck_assert_ptr_nonnull(strstr(reason(), "bumper and cliff sensor are silent"));
	struct cairn_msg_guard floor = {.floor_m = 0.03};
	double fastest = 0.0;
	for (int i = 0; i < 15; i++) {
		struct cairn_header h = header(44, (uint64_t)i + 1, now);
		ck_assert(cairn_motor_guard(&motor, &h, &floor, now));
		fastest = fmax(fastest, run(&hall, 0.3, 0.0, 100).v_mps);
	}
	ck_assert_double_gt(fastest, 0.2);
	ck_assert_double_eq(run(&hall, 0.3, 0.0, 1500).v_mps, 0.0); /* silent again */
}
END_TEST

static void check_scan_refused(const char *why)
{
	uint64_t before = motor.rejected;
	ck_assert(!send_scan());
	ck_assert_uint_eq(motor.rejected, before + 1);
	ck_assert_str_eq(motor.last_refusal, why);
}

START_TEST(scans_one_cannot_drive_by_are_refused)
{
	up_and_driving(0.2, 0.0);
	now += 20 * MS;
	look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
	struct cairn_msg_scan *good = malloc(sizeof(*good));
	*good = scan;
	scan.range_m_count--;
	check_scan_refused("scan without matching angles and ranges");
	scan.range_m_count = scan.angle_rad_count = 0;
	check_scan_refused("scan without matching angles and ranges");
	scan = *good;
	scan.angle_rad[100] = NAN;
	check_scan_refused("scan with angles that are none");
	scan = *good;
	scan.angle_rad_count = scan.range_m_count = 600; /* 60 degrees are missing */
	check_scan_refused("scan that does not look all round");
	scan = *good;
	for (int i = 0; i < 700; i++)
		scan.range_m[i] = i % 2 == 0 ? 0.0f : NAN;
	check_scan_refused("scan that sees nearly nothing");
	scan = *good;
	for (int i = 0; i < 200; i++) /* some blind beams are normal */
		scan.range_m[3 * i] = 0.0f;
	ck_assert(send_scan());
	check_scan_refused("repeated or out of order"); /* the same stamp */
	free(good);
}
END_TEST

/* ---- rebirth ---- */

START_TEST(a_reborn_sequencer_has_to_be_fresh_for_a_while)
{
	up_and_driving(0.2, 0.0);
	cmd_epoch++;
	cmd_seq = 0;
	int64_t born = now + 20 * MS; /* first command of the new epoch */
	int64_t moved = 0;
	for (int i = 0; i < 50; i++) {
		struct cairn_twist out = run(&hall, 0.2, 0.0, 20);
		if (now - born < 200 * MS && now - born > 180 * MS)
			ck_assert_double_eq(out.v_mps, 0.0);
		if (moved == 0 && state() == CAIRN_MOTOR_STATE_DRIVING)
			moved = now;
	}
	ck_assert_int_ge(moved - born, 250 * MS);
	ck_assert_int_le(moved - born, 290 * MS);
}
END_TEST

START_TEST(a_reborn_lidar_bridge_too_and_gaps_start_the_wait_anew)
{
	up_and_driving(0.2, 0.0);
	scan_epoch++;
	run(&hall, 0.2, 0.0, 20);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	silence(220); /* the command goes stale meanwhile, 200 ms after its stamp */
	run(&hall, 0.2, 0.0, 200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	run(&hall, 0.2, 0.0, 200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(a_reborn_mapper_too_however_soon_it_is_back)
{
	up_and_driving(0.2, 0.0);
	struct cairn_header pose = header(5, 1, now);
	ck_assert(cairn_motor_pose(&motor, &pose, now)); /* the first that is heard is no rebirth */
	run(&hall, 0.2, 0.0, 600);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	uint64_t rejected = motor.rejected;
	pose = header(6, 1, now - 10 * CAIRN_NS_PER_S);
	ck_assert(!cairn_motor_pose(&motor, &pose, now)); /* an old one is none either, and no fault */
	ck_assert_uint_eq(motor.rejected, rejected);
	pose = header(6, 1, now - 45 * CAIRN_NS_PER_S / 100); /* too old before the wait is over */
	ck_assert(cairn_motor_pose(&motor, &pose, now));
	run(&hall, 0.2, 0.0, 200);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	ck_assert_double_eq(motor.smooth.v_mps, 0.0);
	run(&hall, 0.2, 0.0, 2000); /* it has said nothing since: commands and scans alone are not enough */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	for (int i = 0; i < 10; i++) {
		pose = header(6, 2 + (uint64_t)i, now);
		ck_assert(cairn_motor_pose(&motor, &pose, now));
		run(&hall, 0.2, 0.0, 100);
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	run(&hall, 0.2, 0.0, 2000); /* an old pose is no matter once it drives: the sequencer judges poses */
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(with_operator_rearming_a_rebirth_waits_for_the_release)
{
	fresh_motor(false);
	cfg.safety.rearm = CAIRN_CHOICE_REARM_OPERATOR;
	cairn_motor_params_from(&params, &cfg);
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	run(&hall, 0.2, 0.0, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING); /* a first start is no rebirth */
	cmd_epoch++;
	run(&hall, 0.2, 0.0, 5000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
	ck_assert_str_eq(reason(), "reborn inputs: waits for the operator's release");
	ck_assert(cairn_motor_operator_release(&motor, now, NULL));
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	/* And the motor stage itself. */
	cairn_motor_init(&motor, &params, true, now);
	cairn_motor_device(&motor, true);
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_REARMING);
}
END_TEST

/* ---- emergency stop ---- */

START_TEST(an_emergency_stop_is_at_once_and_latched)
{
	up_and_driving(0.4, 0.0);
	ck_assert(estop(true, now));
	now += 20 * MS;
	ck_assert_double_eq(cairn_motor_step(&motor, now).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert_str_eq(reason(), "smoke");
	run(&hall, 0.4, 0.0, 3000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert(estop(false, now)); /* the demand ends, the stop does not */
	run(&hall, 0.4, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_ESTOP);
	ck_assert(cairn_motor_operator_release(&motor, now, NULL));
	ck_assert_double_eq(run(&hall, 0.4, 0.0, 100).v_mps, 0.0); /* inputs have to be fresh for a while */
	ck_assert_double_gt(run(&hall, 0.4, 0.0, 1500).v_mps, 0.3);
}
END_TEST

START_TEST(a_release_is_refused_while_the_stop_is_still_demanded)
{
	up_and_driving(0.4, 0.0);
	estop(true, now);
	struct cairn_error err;
	ck_assert(!cairn_motor_operator_release(&motor, now, &err));
	ck_assert_str_eq(err.text, "the stop is still demanded: smoke");
	now += 1001 * MS; /* whoever demanded it has gone silent */
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
	estop(true, now);
	estop(false, now + MS);
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
}
END_TEST

START_TEST(stops_that_are_not_fresh_are_refused)
{
	up_and_driving(0.4, 0.0);
	ck_assert(!estop(true, now - 1001 * MS));
	ck_assert(!estop(true, now + 51 * MS));
	struct cairn_header h = header(33, 1, now);
	h.valid = false;
	ck_assert(!cairn_motor_estop(&motor, &h, &(struct cairn_msg_estop){.stop = true}, now));
	ck_assert(!motor.estop);
	ck_assert_uint_eq(motor.rejected, 3);
}
END_TEST

/* ---- device ---- */

START_TEST(without_the_board_nothing_is_asked_of_it_and_it_starts_from_zero)
{
	up_and_driving(0.4, 0.0);
	cairn_motor_device(&motor, false);
	ck_assert_double_eq(run(&hall, 0.4, 0.0, 20).v_mps, 0.0);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_NO_DEVICE);
	cairn_motor_device(&motor, true);
	double v = run(&hall, 0.4, 0.0, 20).v_mps;
	ck_assert_double_gt(v, 0.0);
	ck_assert_double_lt(v, 0.05);
}
END_TEST

CAIRN_TEST_MAIN("motor", every_set_of_conditions_means_the_state_of_its_gravest,
    every_state_is_reached_and_says_why, what_an_operator_says_of_a_stop_is_told_to_people_and_is_no_reason,
    a_good_command_is_driven_as_asked, speed_and_curvature_stay_within_the_robot,
    turning_on_the_spot_is_refused_and_stands, commands_one_cannot_trust_are_refused_and_counted,
    a_silent_command_ramps_down_by_its_stamp, a_late_delivery_of_an_old_command_does_not_feed_the_dead_man,
    a_silent_lidar_stops_the_robot, a_robot_that_must_have_its_guard_stands_without_it,
    scans_one_cannot_drive_by_are_refused, a_reborn_sequencer_has_to_be_fresh_for_a_while,
    a_reborn_lidar_bridge_too_and_gaps_start_the_wait_anew, a_reborn_mapper_too_however_soon_it_is_back,
    with_operator_rearming_a_rebirth_waits_for_the_release, an_emergency_stop_is_at_once_and_latched,
    a_release_is_refused_while_the_stop_is_still_demanded, stops_that_are_not_fresh_are_refused,
    without_the_board_nothing_is_asked_of_it_and_it_starts_from_zero)
