/* A robot that leans, or is picked up, stands. */
#include "test/support/motor_rig.h"

static struct cairn_lean_check lean;
static int64_t t_ns;

/* Gravity as a board that is tilted by rad about its x axis feels it, on axis `up`. */
static bool feel(double rad, int up, double seconds, bool stands)
{
	bool leans = false;
	for (int i = 0; i < (int)(seconds * 25.0); i++) {
		double a[3] = {0};
		a[up] = 9.81 * cos(rad);
		a[(up + 1) % 3] = 9.81 * sin(rad);
		t_ns += 40 * MS;
		leans = cairn_lean_check_step(&lean, 0.35, a, stands, t_ns);
	}
	return leans;
}

START_TEST(leaning_more_than_the_limit_is_told_whatever_way_round_the_board_lies)
{
	for (int up = 0; up < 3; up++) {
		lean = (struct cairn_lean_check){0};
		t_ns = CAIRN_NS_PER_S;
		ck_assert(!feel(0.05, up, 2.0, true)); /* mounted a little askew: that is level */
		ck_assert(lean.known);
		ck_assert(!feel(0.05 + 0.30, up, 2.0, false));
		ck_assert(feel(0.05 + 0.45, up, 1.0, false));
		ck_assert(feel(0.05 + 0.31, up, 3.0, false)); /* not yet clearly below the limit */
		ck_assert(!feel(0.05, up, 3.0, false));
	}
}
END_TEST

START_TEST(a_knock_and_braking_are_no_leaning_and_a_sensor_that_shows_no_gravity_is_not_believed)
{
	lean = (struct cairn_lean_check){0};
	t_ns = CAIRN_NS_PER_S;
	feel(0.0, 2, 2.0, true);
	for (int i = 0; i < 50; i++) { /* 1.2 m/s2 of braking, with a knock of one report now and then */
		t_ns += 40 * MS;
		double a[3] = {i % 17 == 3 ? 9.0 : -1.2, 0.0, 9.81};
		ck_assert(!cairn_lean_check_step(&lean, 0.35, a, false, t_ns));
	}
	lean = (struct cairn_lean_check){0};
	for (int i = 0; i < 100; i++) {
		t_ns += 40 * MS;
		ck_assert(!cairn_lean_check_step(&lean, 0.35, (const double[3]){0.0, 0.1, 0.0}, true, t_ns));
	}
	ck_assert(!lean.known);
}
END_TEST

START_TEST(a_picked_up_robot_is_a_state_of_the_motor_stage_and_one_that_stands_again_drives)
{
	up_and_driving(0.2, 0.0);
	cairn_motor_init(&motor, &params, false, now);
	cairn_motor_device(&motor, true);
	for (int i = 0; i < 60; i++) {
		silence(20);
		cairn_motor_accelerated(&motor, (const double[3]){0.0, 0.0, 9.81}, now);
	}
	run(&hall, 0.2, 0.0, 1500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	for (int i = 0; i < 50; i++) {
		run(&hall, 0.2, 0.0, 20);
		cairn_motor_accelerated(&motor, (const double[3]){6.9, 0.0, 6.9}, now);
	}
	struct cairn_twist t = run(&hall, 0.2, 0.0, 100);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_TILTED);
	ck_assert_double_eq(t.v_mps, 0.0);
	ck_assert_ptr_nonnull(strstr(reason(), "leans by 45 degrees"));
	for (int i = 0; i < 150; i++) {
		run(&hall, 0.2, 0.0, 20);
		cairn_motor_accelerated(&motor, (const double[3]){0.0, 0.0, 9.81}, now);
	}
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

START_TEST(an_empty_battery_stops_the_robot_until_it_is_charged)
{
	up_and_driving(0.2, 0.0);
	cairn_motor_charge(&motor, 4.0);
	struct cairn_twist t = run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BATTERY_EMPTY);
	ck_assert_double_eq(t.v_mps, 0.0);
	ck_assert_str_eq(reason(), "the battery is empty (4 %): charge it");
	cairn_motor_charge(&motor, 7.0); /* it comes back a little when nothing pulls */
	run(&hall, 0.2, 0.0, 500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_BATTERY_EMPTY);
	cairn_motor_charge(&motor, 30.0);
	run(&hall, 0.2, 0.0, 1000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
	cairn_motor_charge(&motor, -1.0); /* not known: nobody stops for that */
	run(&hall, 0.2, 0.0, 500);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_DRIVING);
}
END_TEST

CAIRN_TEST_MAIN("lean-check", leaning_more_than_the_limit_is_told_whatever_way_round_the_board_lies,
    a_knock_and_braking_are_no_leaning_and_a_sensor_that_shows_no_gravity_is_not_believed,
    a_picked_up_robot_is_a_state_of_the_motor_stage_and_one_that_stands_again_drives,
    an_empty_battery_stops_the_robot_until_it_is_charged)
