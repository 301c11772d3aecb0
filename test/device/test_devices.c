/* What comes from the devices and what goes to them, also when they vanish or talk nonsense, and when a stage
 * dies. */
#include "common/base/rng.h"
#include "test/device/rig.h"

/* ---- the LiDAR's way ---- */

START_TEST(scans_come_out_at_the_rate_of_the_turns)
{
	setup(true);
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	scans = 0;
	ck_assert_int_ge(pump(PATIENCE_MS, eight_scans), 700); /* never faster than the device turns */
	ck_assert_uint_eq(scan.range_m_count, NODES);
	ck_assert_uint_eq(scan.angle_rad_count, NODES);
	ck_assert_double_eq_tol((double)scan.angle_rad[NODES / 4], -M_PI / 2.0, 1e-3);
	ck_assert_double_eq_tol((double)scan.range_m[NODES / 4], 3.0, 2e-3);
	ck_assert_int_lt(mono_ns() - last_scan_ns, PATIENCE_MS * MS);
	double turn_ms = (double)(last_scan_ns - scan.t_start_ns) * 1e-6;
	ck_assert_double_ge(turn_ms, 90.0);
	teardown();
}
END_TEST

START_TEST(a_lidar_that_vanishes_is_back_within_half_a_second)
{
	up_and_driving();
	for (int i = 0; i < 2; i++) {
		vanish(&lidar_port);
		ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
		ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
		pump(150 * i, NULL);
		cairn_dev_lidar_init(&lidar);
		appear(&lidar_port);
		scans = 0;
		int took = pump(PATIENCE_MS, some_scan);
		ck_assert_int_ge(took, 0);
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(garbage_on_the_lidars_line_costs_turns_but_no_process)
{
	setup(true);
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	for (int i = 0; i < 20; i++) {
		uint8_t junk[333];
		for (size_t k = 0; k < sizeof(junk); k++)
			junk[k] = (uint8_t)cairn_rng_u32(&rng);
		(void)!write(lidar_port.master, junk, sizeof(junk));
		pump(10, NULL);
		for (uint32_t k = 0; k < scan.range_m_count; k++) {
			double side = fabs(sin((double)scan.angle_rad[k])), r = (double)scan.range_m[k];
			ck_assert(r == 0.0 || fabs(r * side - 3.0) < 0.05);
		}
	}
	scans = 0;
	ck_assert_int_ge(pump(PATIENCE_MS, some_scan), 0);
	ck_assert_int_eq(waitpid(bridge_pid, NULL, WNOHANG), 0);
	teardown();
}
END_TEST

START_TEST(a_lidar_that_repeats_its_last_revolution_is_no_scan_until_it_looks_again)
{
	up_and_driving();
	lidar_frozen = true; /* the line is busy, the stamps are new */
	ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	scans = 0;
	pump(500, NULL);
	ck_assert_int_eq(scans, 0); /* nor does anybody else hear of it */
	lidar_frozen = false;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(an_ld06_is_driven_by_also_when_it_vanishes_or_its_line_has_garbage)
{
	static const uint8_t junk[100] = {0x54, 0x2C, 0x54, 0x2C, 1, 2, 3};
	is_ld06 = true;
	up_and_driving();
	ck_assert_uint_eq(scan.range_m_count, NODES);
	ck_assert_double_eq_tol((double)scan.angle_rad[NODES / 4], -M_PI / 2.0, 0.02);
	ck_assert_double_eq_tol((double)scan.range_m[NODES / 4], 3.0, 2e-3);
	(void)!write(lidar_port.master, junk, sizeof(junk));
	scans = 0;
	ck_assert_int_ge(pump(PATIENCE_MS, eight_scans), 0);
	vanish(&lidar_port);
	ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	appear(&lidar_port);
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(a_killed_bridge_is_taken_back_by_the_motor_stage)
{
	up_and_driving();
	end(&bridge_pid, SIGKILL);
	ck_assert_int_ge(pump(PATIENCE_MS, no_scan), 0);
	bridge_pid = spawn("cairn-sensor-bridge", "sensor-bridge");
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

/* ---- the wheels' way ---- */

START_TEST(a_command_reaches_the_wheels_and_its_silence_stops_them)
{
	up_and_driving();
	ck_assert_uint_eq(board.car_type, 9); /* a fresh board is of another type: it was set */
	odoms = 0;
	double from_m = odom.distance_m, true_m = travelled_m;
	pump(1000, NULL);
	ck_assert_int_ge(odoms, 20);
	ck_assert_int_le(odoms, 27);
	ck_assert_double_eq_tol(odom.distance_m - from_m, travelled_m - true_m, 0.03);
	ck_assert_double_eq_tol(odom.v_mps, 0.2, 0.005);
	uint64_t before = board.commands;
	pump(1000, NULL);
	ck_assert_uint_ge(board.commands - before, 50); /* 50 Hz and one at each scan */
	command_mps = NAN;
	int took = pump(PATIENCE_MS, wheels_stand);
	ck_assert_int_ge(took, 100);
	before = board.commands;
	pump(500, NULL);
	ck_assert_uint_ge(board.commands - before, 22); /* zeros go on */
	teardown();
}
END_TEST

START_TEST(an_obstacle_in_a_turn_of_the_lidar_stops_the_wheels_and_going_away_it_frees_them)
{
	up_and_driving();
	intruder_m = 0.20; /* 3 cm before the nose */
	ck_assert_int_ge(pump(PATIENCE_MS, blocked), 0);
	pump(1000, NULL);
	ck_assert(blocked()); /* it stays so, whatever is commanded */
	intruder_m = 0.0;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

static bool wheel_fault(void)
{
	return motion.state == CAIRN_MOTOR_STATE_WHEEL_FAULT;
}

START_TEST(
    a_board_that_no_longer_obeys_while_its_reports_go_on_is_an_alarm_and_is_reset_when_it_listens_again)
{
	up_and_driving();
	board_deaf = true; /* it holds its last command, as the real one does */
	command_mps = 0.0;
	ck_assert_int_ge(pump(PATIENCE_MS, wheel_fault), 0);
	ck_assert_ptr_nonnull(strstr(motion.reason, "wheels run at"));
	board_deaf = false;
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(a_board_that_vanishes_is_back_within_half_a_second)
{
	up_and_driving();
	for (int i = 0; i < 2; i++) {
		vanish(&board_port);
		ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
		pump(150 * i, NULL);
		cairn_dev_board_init(&board);
		appear(&board_port);
		int took = pump(PATIENCE_MS, in_service);
		ck_assert_int_ge(took, 0);
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(without_devices_both_stages_wait_and_then_work)
{
	setup(false);
	command_mps = 0.2;
	ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
	pump(500, NULL);
	appear(&board_port);
	appear(&lidar_port);
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

START_TEST(garbage_on_the_boards_line_changes_nothing)
{
	up_and_driving();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	double from_m = odom.distance_m, true_m = travelled_m;
	for (int i = 0; i < 25; i++) {
		uint8_t junk[100];
		for (size_t k = 0; k < sizeof(junk); k++)
			junk[k] = (uint8_t)cairn_rng_u32(&rng);
		(void)!write(board_port.master, junk, sizeof(junk));
		pump(20, NULL);
	}
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	pump(100, NULL);
	ck_assert_double_eq_tol(odom.distance_m - from_m, travelled_m - true_m, 0.05);
	teardown();
}
END_TEST

START_TEST(an_ended_or_crashed_motor_stage_leaves_the_wheels_standing)
{
	const int signals[] = {SIGTERM, SIGSEGV, SIGABRT};
	up_and_driving();
	for (int i = 0; i < 3; i++) {
		ck_assert(!wheels_stand());
		end(&motor_pid, signals[i]);
		ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
		motion.state = CAIRN_MOTOR_STATE_IDLE;
		motor_pid = spawn("cairn-motor", "motor");
		ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	}
	teardown();
}
END_TEST

START_TEST(a_killed_motor_stage_drives_again_when_reborn)
{
	up_and_driving();
	end(&motor_pid, SIGKILL);
	motion.state = CAIRN_MOTOR_STATE_IDLE;
	motor_pid = spawn("cairn-motor", "motor");
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0); /* the board had kept driving */
	int took = pump(PATIENCE_MS, driving);
	ck_assert_int_ge(took, 0);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("devices", scans_come_out_at_the_rate_of_the_turns,
    a_lidar_that_vanishes_is_back_within_half_a_second, garbage_on_the_lidars_line_costs_turns_but_no_process,
    a_lidar_that_repeats_its_last_revolution_is_no_scan_until_it_looks_again,
    an_ld06_is_driven_by_also_when_it_vanishes_or_its_line_has_garbage,
    a_killed_bridge_is_taken_back_by_the_motor_stage, a_command_reaches_the_wheels_and_its_silence_stops_them,
    an_obstacle_in_a_turn_of_the_lidar_stops_the_wheels_and_going_away_it_frees_them,
    a_board_that_no_longer_obeys_while_its_reports_go_on_is_an_alarm_and_is_reset_when_it_listens_again,
    a_board_that_vanishes_is_back_within_half_a_second, without_devices_both_stages_wait_and_then_work,
    garbage_on_the_boards_line_changes_nothing, an_ended_or_crashed_motor_stage_leaves_the_wheels_standing,
    a_killed_motor_stage_drives_again_when_reborn)
