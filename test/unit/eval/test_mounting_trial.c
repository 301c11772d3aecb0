/* Wrong signs and turned sensors, in houses by chance: the robot is stopped in time, and says why. */
#include "common/eval/mounting_trial.h"
#include "common/rules/config_check.h"
#include "test/support/runner.h"

#define SEEDS 3
#define SECONDS 60.0
#define SHOWN_MAX_M 0.30

static struct cairn_config cfg;
static struct cairn_mounting_result result;

static void drive(enum cairn_mounting_fault fault, uint64_t seed, double seconds)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert_msg(cairn_mounting_trial(&cfg, fault, seed, seconds, &result, &err), "%s", err.text);
}

static int drive_off(enum cairn_mounting_fault fault)
{
	const char *name = cairn_mounting_fault_name(fault);
	int drove = 0;
	for (uint64_t seed = 1; seed <= CAIRN_ROUNDS(SEEDS); seed++) {
		drive(fault, seed, SECONDS);
		if (result.skipped)
			continue;
		drove++;
		ck_assert_msg(result.stopped, "%s, seed %d: not stopped after %.2f m", name, (int)seed,
		    result.driven_m);
		ck_assert_msg(result.contacts == 0 && result.shown_m <= SHOWN_MAX_M,
		    "%s, seed %d: %u contacts, %.2f m, %s", name, (int)seed, result.contacts, result.shown_m,
		    result.reason);
		ck_assert_str_ne(result.reason, "");
	}
	return drove;
}

START_TEST(every_wrong_sign_and_turned_sensor_stops_the_robot_within_30_cm_and_before_a_contact)
{
	for (int fault = CAIRN_MOUNTING_LIDAR_MIRRORED; fault < CAIRN_MOUNTING_COUNT; fault++)
		ck_assert_int_gt(drive_off((enum cairn_mounting_fault)fault), 0);
}
END_TEST

START_TEST(a_robot_with_everything_right_is_not_stopped_for_it)
{
	drive(CAIRN_MOUNTING_RIGHT, 1, 240.0);
	ck_assert_uint_eq(result.stopped, false);
	ck_assert_uint_gt(result.heard, 100);
	ck_assert_uint_eq(result.contacts, 0);
}
END_TEST

START_TEST(one_key_makes_the_first_drive_slow)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cfg.robot.speed_max_mps = 0.1;
	ck_assert_msg(cairn_config_check(&cfg, &err), "%s", err.text);
	ck_assert_msg(
	    cairn_mounting_trial(&cfg, CAIRN_MOUNTING_RIGHT, 1, 60.0, &result, &err), "%s", err.text);
	ck_assert(!result.skipped && !result.stopped);
	ck_assert_double_gt(result.driven_m, 1.0);
	ck_assert_double_lt(result.driven_m, 0.1 * 60.0);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("mounting-trial", 300.0,
    every_wrong_sign_and_turned_sensor_stops_the_robot_within_30_cm_and_before_a_contact,
    a_robot_with_everything_right_is_not_stopped_for_it, one_key_makes_the_first_drive_slow)
