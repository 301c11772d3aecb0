/* When the wheels were told to stop, and when they stood. */
#include "common/sim/robot/stop_timer.h"

#include "common/base/geom.h"
#include "test/support/runner.h"

static struct cairn_stop_timer stops;

/* One command every 10 ms; the wheels do at once what they are told. */
static void drive(const double *cmd_mps, int count, int64_t from_ms)
{
	for (int i = 0; i < count; i++)
		cairn_stop_timer_step(&stops, cmd_mps[i], cmd_mps[i], (from_ms + 10 * i) * CAIRN_NS_PER_MS);
}

START_TEST(a_stop_begins_with_the_first_falling_command_and_ends_when_the_wheels_stand)
{
	static const double cmd[] = {0.1, 0.2, 0.2, 0.15, 0.1, 0.0, 0.0};
	stops = (struct cairn_stop_timer){0};
	drive(cmd, 7, 100);
	ck_assert_uint_eq(stops.count, 1);
	ck_assert_int_eq(stops.braked_ns, 130 * CAIRN_NS_PER_MS);
	ck_assert_int_eq(stops.stood_ns, 150 * CAIRN_NS_PER_MS);
}
END_TEST

START_TEST(a_robot_that_speeds_up_again_has_not_stopped)
{
	static const double cmd[] = {0.2, 0.1, 0.2, 0.2, 0.0};
	stops = (struct cairn_stop_timer){0};
	drive(cmd, 4, 100);
	ck_assert_uint_eq(stops.count, 0);
	ck_assert_int_eq(stops.falling_ns, 0);
	drive(cmd + 4, 1, 140);
	ck_assert_int_eq(stops.braked_ns, 140 * CAIRN_NS_PER_MS);
}
END_TEST

START_TEST(driving_backward_stops_just_the_same)
{
	static const double cmd[] = {-0.2, -0.1, 0.0};
	stops = (struct cairn_stop_timer){0};
	drive(cmd, 3, 100);
	ck_assert_uint_eq(stops.count, 1);
	ck_assert_int_eq(stops.braked_ns, 110 * CAIRN_NS_PER_MS);
}
END_TEST

START_TEST(wheels_that_lag_stand_later_than_they_are_told_to)
{
	stops = (struct cairn_stop_timer){0};
	cairn_stop_timer_step(&stops, 0.2, 0.2, 1000);
	cairn_stop_timer_step(&stops, 0.0, 0.1, 2000);
	ck_assert_uint_eq(stops.count, 0);
	cairn_stop_timer_step(&stops, 0.0, 0.004, 3000);
	ck_assert_int_eq(stops.braked_ns, 2000);
	ck_assert_int_eq(stops.stood_ns, 3000);
	cairn_stop_timer_step(&stops, 0.0, 0.0, 4000); /* it stands on: the same stop */
	ck_assert_int_eq(stops.stood_ns, 3000);
}
END_TEST

CAIRN_TEST_MAIN("sim_stops", a_stop_begins_with_the_first_falling_command_and_ends_when_the_wheels_stand,
    a_robot_that_speeds_up_again_has_not_stopped, driving_backward_stops_just_the_same,
    wheels_that_lag_stand_later_than_they_are_told_to)
