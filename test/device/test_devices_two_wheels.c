/* A base with two driven wheels at the motor stage's port: it drives and turns in place, and every fault of line or base stands it. */
#include "test/device/rig.h"

static bool turns_left(void)
{
	return two_wheels.left_mps < -0.02 && fabs(two_wheels.left_mps + two_wheels.right_mps) < 1e-9;
}

static bool wheel_fault(void)
{
	return motion.state == CAIRN_MOTOR_STATE_WHEEL_FAULT;
}

static bool contradiction(void)
{
	return motion.state == CAIRN_MOTOR_STATE_CONTRADICTION;
}

static void begin(void)
{
	is_two_wheels = true;
	up_and_driving();
}

START_TEST(it_drives_and_turns_in_place_and_the_silence_of_commands_stops_it)
{
	begin();
	double from_m = odom.distance_m, true_m = travelled_m;
	pump(1000, NULL);
	ck_assert_double_eq_tol(odom.distance_m - from_m, travelled_m - true_m, 0.03);
	command_mps = 0.0;
	command_radps = 0.6;
	ck_assert_int_ge(pump(PATIENCE_MS, turns_left), 0);
	double yaw = odom.yaw_rad, heading = heading_rad;
	pump(800, NULL);
	ck_assert_double_gt(heading_rad - heading, 0.2);
	ck_assert_double_eq_tol(cairn_wrap_rad(odom.yaw_rad - yaw), heading_rad - heading, 0.06);
	command_mps = NAN;
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	uint64_t before = two_wheels.orders.taken;
	pump(500, NULL);
	ck_assert_uint_ge(two_wheels.orders.taken - before, 22); /* zeros go on */
	ck_assert_uint_eq(two_wheels.orders.refused, 0);
	teardown();
}
END_TEST

START_TEST(a_base_that_is_unplugged_mute_or_has_lost_its_gyro_is_no_device_until_it_is_back)
{
	begin();
	vanish(&board_port);
	ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
	cairn_dev_diffdrive_init(&two_wheels, true);
	appear(&board_port);
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	two_wheels.faults.gyro_silent = true;
	ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	two_wheels.faults.gyro_silent = false;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	two_wheels.faults.mute = true;
	ck_assert_int_ge(pump(PATIENCE_MS, no_device), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	two_wheels.faults.mute = false;
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	teardown();
}
END_TEST

START_TEST(noise_on_its_line_costs_reports_and_no_process)
{
	begin();
	two_wheels.faults.corrupt_every = 4;
	for (int i = 0; i < 20; i++) {
		static const char junk[] = "$E,1,2,3$*\n\r$V,0,0*00\r\n\xff\xfb";
		(void)!write(board_port.master, junk, sizeof(junk));
		pump(50, NULL);
	}
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	ck_assert_int_eq(waitpid(motor_pid, NULL, WNOHANG), 0);
	teardown();
}
END_TEST

START_TEST(a_deaf_base_without_a_dead_man_is_a_wheel_fault_and_so_the_state_says)
{
	begin();
	two_wheels.faults.no_dead_man = two_wheels.faults.deaf = true;
	command_mps = 0.0;
	ck_assert_int_ge(pump(PATIENCE_MS, wheel_fault), 0);
	teardown();
}
END_TEST

START_TEST(a_killed_motor_stage_leaves_a_base_that_stands_by_itself)
{
	begin();
	end(&motor_pid, SIGKILL);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	motor_pid = spawn("cairn-motor", "motor");
	ck_assert_int_ge(pump(PATIENCE_MS, driving), 0);
	end(&motor_pid, SIGTERM); /* in good order it says so itself */
	pump(50, NULL);
	ck_assert(wheels_stand());
	teardown();
}
END_TEST

START_TEST(exchanged_wheels_are_found_out_in_the_first_turn)
{
	begin();
	command_mps = 0.0;
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	two_wheels.faults.wheels_exchanged = true;
	double heading = heading_rad;
	command_radps = 0.7;
	ck_assert_int_ge(pump(PATIENCE_MS, contradiction), 0);
	ck_assert_int_ge(pump(PATIENCE_MS, wheels_stand), 0);
	ck_assert_double_lt(fabs(heading_rad - heading), 0.9);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("devices-two-wheels", it_drives_and_turns_in_place_and_the_silence_of_commands_stops_it,
    a_base_that_is_unplugged_mute_or_has_lost_its_gyro_is_no_device_until_it_is_back,
    noise_on_its_line_costs_reports_and_no_process,
    a_deaf_base_without_a_dead_man_is_a_wheel_fault_and_so_the_state_says,
    a_killed_motor_stage_leaves_a_base_that_stands_by_itself,
    exchanged_wheels_are_found_out_in_the_first_turn)
