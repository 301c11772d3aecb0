/* Charge by voltage. */
#include "common/base/geom.h"
#include "common/device/battery.h"
#include "test/support/runner.h"

static struct cairn_battery battery;
static struct cairn_error err;

START_TEST(the_charge_lies_on_straight_lines_between_the_points_and_ends_at_the_ends)
{
	struct cairn_battery_curve c;
	ck_assert(cairn_battery_curve_parse(&c, "10:0, 11:40 ,12:100", &err));
	ck_assert_int_eq(c.count, 3);
	ck_assert_double_eq(cairn_battery_percent(&c, 9.0), 0.0);
	ck_assert_double_eq_tol(cairn_battery_percent(&c, 10.5), 20.0, 1e-9);
	ck_assert_double_eq_tol(cairn_battery_percent(&c, 11.0), 40.0, 1e-9);
	ck_assert_double_eq_tol(cairn_battery_percent(&c, 11.75), 85.0, 1e-9);
	ck_assert_double_eq(cairn_battery_percent(&c, 13.0), 100.0);
}
END_TEST

START_TEST(a_curve_that_is_none_is_refused_with_the_point_and_an_empty_one_says_nothing)
{
	static const char *const bad[][2] = {{"10", "'10' is not volts:percent"},
	    {"10:0, x:5", "'x:5' is not volts:percent"}, {"10:0, 9:50", "'9:50' does not rise"},
	    {"10:50, 11:40", "'11:40' does not rise"}, {"10:0, 11:101", "'11:101' is not volts:percent"},
	    {"10:0 11:50", "'11:50': points are separated by commas"},
	    {"nan:0", "'nan:0' is not volts:percent"}};
	struct cairn_battery_curve c;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert(!cairn_battery_curve_parse(&c, bad[i][0], &err));
		ck_assert_str_eq(err.text, bad[i][1]);
	}
	ck_assert(cairn_battery_curve_parse(&c, "", &err));
	ck_assert_double_lt(cairn_battery_percent(&c, 12.0), 0.0);
}
END_TEST

START_TEST(a_voltage_that_sags_for_a_moment_is_no_empty_battery)
{
	int64_t now_ns = CAIRN_NS_PER_S;
	battery = (struct cairn_battery){0};
	ck_assert(cairn_battery_curve_parse(&battery.curve, "10:0, 12:100", &err));
	ck_assert_double_lt(cairn_battery_charge(&battery), 0.0); /* nothing measured */
	cairn_battery_measured(&battery, 11.5, now_ns);
	ck_assert_double_eq_tol(cairn_battery_charge(&battery), 75.0, 1e-9);
	for (int i = 0; i < 10; i++) /* the motors pull for a second */
		cairn_battery_measured(&battery, 9.0, now_ns += CAIRN_NS_PER_S / 10);
	ck_assert_double_gt(cairn_battery_charge(&battery), 60.0);
	for (int i = 0; i < 600; i++)
		cairn_battery_measured(&battery, 10.2, now_ns += CAIRN_NS_PER_S / 10);
	ck_assert_double_eq_tol(cairn_battery_charge(&battery), 10.0, 1.0);
	double before = cairn_battery_charge(&battery);
	cairn_battery_measured(&battery, 0.0, now_ns += CAIRN_NS_PER_S);
	cairn_battery_measured(&battery, NAN, now_ns += CAIRN_NS_PER_S);
	ck_assert_double_eq(cairn_battery_charge(&battery), before);
}
END_TEST

/* 90 % to 84 % in ten minutes: 0.6 % a minute; from 84 % down to 15 % that is 115 minutes. */
START_TEST(the_time_left_is_told_once_the_charge_has_fallen_and_begins_anew_when_it_was_charged)
{
	struct cairn_battery_pace pace = {0};
	int64_t now_ns = CAIRN_NS_PER_S;
	ck_assert_double_lt(cairn_battery_minutes(&pace, 15.0), 0.0);
	for (int s = 0; s <= 600; s++) {
		cairn_battery_pace_take(&pace, 90.0 - 0.01 * s, now_ns + s * CAIRN_NS_PER_S);
		if (s == 239 || s == 299)
			ck_assert_double_lt(cairn_battery_minutes(&pace, 15.0), 0.0); /* too early to tell */
	}
	ck_assert_double_eq_tol(cairn_battery_minutes(&pace, 15.0), 115.0, 0.01);
	ck_assert_double_eq(cairn_battery_minutes(&pace, 90.0), 0.0);
	cairn_battery_pace_take(&pace, CAIRN_BATTERY_UNKNOWN, now_ns + 601 * CAIRN_NS_PER_S);
	ck_assert_double_eq_tol(cairn_battery_minutes(&pace, 15.0), 115.0, 0.01);
	cairn_battery_pace_take(&pace, 100.0, now_ns + 602 * CAIRN_NS_PER_S);
	ck_assert_double_lt(cairn_battery_minutes(&pace, 15.0), 0.0);
	/* Half an hour at 0.6 % a minute, then twice as fast: an hour later the new pace is told. */
	pace = (struct cairn_battery_pace){0};
	double percent = 95.0;
	for (int s = 0; s <= 5400; s++) {
		percent -= s < 1800 ? 0.01 : 0.02;
		cairn_battery_pace_take(&pace, fmax(percent, 5.0), now_ns + s * CAIRN_NS_PER_S);
		if (s == 5000)
			ck_assert_double_eq_tol(cairn_battery_minutes(&pace, percent - 12.0), 10.0, 0.5);
	}
}
END_TEST

CAIRN_TEST_MAIN("battery", the_charge_lies_on_straight_lines_between_the_points_and_ends_at_the_ends,
    a_curve_that_is_none_is_refused_with_the_point_and_an_empty_one_says_nothing,
    a_voltage_that_sags_for_a_moment_is_no_empty_battery,
    the_time_left_is_told_once_the_charge_has_fallen_and_begins_anew_when_it_was_charged)
