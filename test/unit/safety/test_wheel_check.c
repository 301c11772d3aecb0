/* Wheels that do something else than they are told: as the check sees it, and as the motor stage acts on it. */
#include "common/safety/wheel_check.h"
#include "test/support/motor_rig.h"

static struct cairn_wheel_check check;
static const struct cairn_wheel_params limits = {0.6, 1.0};

static enum cairn_wheels for_s(double sent_mps, double measured_mps, double s)
{
	enum cairn_wheels verdict = check.verdict;
	for (int i = 0; i < (int)(s / 0.02 + 0.5); i++)
		verdict = cairn_wheel_check_step(&check, &limits, sent_mps, true, measured_mps, 0.02);
	return verdict;
}

static void fresh(void)
{
	check = (struct cairn_wheel_check){0};
}

START_TEST(motion_against_a_zero_command_is_running_once_the_wheels_had_time_to_stop)
{
	fresh();
	ck_assert_int_eq(for_s(0.3, 0.3, 5.0), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.0, 0.3, 0.7), CAIRN_WHEELS_OBEY); /* it may still brake */
	ck_assert_int_eq(for_s(0.0, 0.3, 0.8), CAIRN_WHEELS_RUN);
	ck_assert_double_eq(check.measured_mps, 0.3);
	ck_assert_int_eq(for_s(0.0, 0.0, 0.9), CAIRN_WHEELS_RUN);
	ck_assert_int_eq(for_s(0.0, 0.0, 0.2), CAIRN_WHEELS_OBEY);
	ck_assert_uint_eq(check.alarms, 1);
}
END_TEST

START_TEST(the_wrong_direction_and_much_too_fast_are_running_and_a_controller_that_overshoots_is_not)
{
	fresh();
	ck_assert_int_eq(for_s(0.2, -0.2, 1.0), CAIRN_WHEELS_RUN);
	fresh();
	ck_assert_int_eq(for_s(-0.2, -0.35, 1.0), CAIRN_WHEELS_RUN);
	fresh();
	ck_assert_int_eq(for_s(0.2, 0.28, 20.0), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.2, 0.1, 20.0), CAIRN_WHEELS_OBEY); /* uphill */
}
END_TEST

START_TEST(standing_against_a_command_is_tried_again_later_and_later_until_it_moves)
{
	fresh();
	ck_assert_int_eq(for_s(0.1, 0.0, 1.1), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.1, 0.0, 0.2), CAIRN_WHEELS_STAND);
	ck_assert_int_eq(for_s(0.0, 0.0, 1.8), CAIRN_WHEELS_STAND);
	ck_assert_int_eq(for_s(0.0, 0.0, 0.3), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.1, 0.0, 1.3), CAIRN_WHEELS_STAND);
	ck_assert_int_eq(for_s(0.0, 0.0, 3.8), CAIRN_WHEELS_STAND);
	ck_assert_int_eq(for_s(0.0, 0.0, 0.3), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.1, 0.1, 5.0), CAIRN_WHEELS_OBEY);
	ck_assert_int_eq(for_s(0.1, 0.0, 1.3), CAIRN_WHEELS_STAND);
	ck_assert_double_eq(check.retry_s, CAIRN_WHEELS_RETRY_S);
}
END_TEST

START_TEST(creeping_silence_of_the_board_and_a_limit_of_zero_prove_nothing)
{
	fresh();
	ck_assert_int_eq(for_s(0.04, 0.0, 60.0), CAIRN_WHEELS_OBEY);
	for (int i = 0; i < 500; i++)
		ck_assert_int_eq(
		    cairn_wheel_check_step(&check, &limits, 0.3, false, 0.0, 0.02), CAIRN_WHEELS_OBEY);
	struct cairn_wheel_params off = {0.0, 1.0};
	for (int i = 0; i < 500; i++)
		ck_assert_int_eq(
		    cairn_wheel_check_step(&check, &off, 0.0, true, 0.5, 0.02), CAIRN_WHEELS_OBEY);
}
END_TEST

/* Fresh scans and commands; the board reports measured_mps whatever it is told. */
static struct cairn_twist with_wheels(double v, double measured_mps, int ms)
{
	struct cairn_twist out = {0};
	for (int t = 0; t < ms; t += 20) {
		now += 20 * MS;
		if (t % 100 == 0) {
			look(&hall, (struct cairn_pose2){0}, (struct cairn_twist){0});
			ck_assert(send_scan());
		}
		command(v, 0.0);
		cairn_motor_measured(&motor, (struct cairn_twist){measured_mps, 0.0}, now);
		out = cairn_motor_step(&motor, now);
	}
	return out;
}

START_TEST(wheels_that_stand_against_a_command_are_a_state_that_sends_zero_and_says_why)
{
	fresh_motor(false);
	with_wheels(0.2, 0.0, 1000);
	params.wheels.limit_s = motor.params.wheels.limit_s = cfg.safety.wheels_timeout_s;
	struct cairn_twist out = with_wheels(0.2, 0.0, 2000);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_WHEEL_FAULT);
	ck_assert_double_eq(out.v_mps, 0.0);
	ck_assert_str_eq(reason(), "wheels stand (0.00 m/s) against a command of 0.20 m/s");
}
END_TEST

START_TEST(wheels_that_run_against_a_zero_command_are_a_state_and_a_release_does_not_end_it)
{
	struct cairn_error err = {""};
	fresh_motor(false);
	motor.params.wheels.limit_s = cfg.safety.wheels_timeout_s;
	for (int t = 0; t < 1500;
	     t += 20) { /* no command, no scan: it stands for other reasons, and yet it moves */
		now += 20 * MS;
		cairn_motor_measured(&motor, (struct cairn_twist){0.25, 0.0}, now);
		cairn_motor_step(&motor, now);
	}
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_WHEEL_FAULT);
	ck_assert_str_eq(reason(), "wheels run at 0.25 m/s against a command of 0.00 m/s");
	ck_assert(cairn_motor_operator_release(&motor, now, &err));
	cairn_motor_measured(&motor, (struct cairn_twist){0.25, 0.0}, now);
	cairn_motor_step(&motor, now);
	ck_assert_int_eq(state(), CAIRN_MOTOR_STATE_WHEEL_FAULT);
}
END_TEST

CAIRN_TEST_MAIN("wheel-check", motion_against_a_zero_command_is_running_once_the_wheels_had_time_to_stop,
    the_wrong_direction_and_much_too_fast_are_running_and_a_controller_that_overshoots_is_not,
    standing_against_a_command_is_tried_again_later_and_later_until_it_moves,
    creeping_silence_of_the_board_and_a_limit_of_zero_prove_nothing,
    wheels_that_stand_against_a_command_are_a_state_that_sends_zero_and_says_why,
    wheels_that_run_against_a_zero_command_are_a_state_and_a_release_does_not_end_it)
