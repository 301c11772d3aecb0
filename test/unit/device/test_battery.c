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

CAIRN_TEST_MAIN("battery", the_charge_lies_on_straight_lines_between_the_points_and_ends_at_the_ends,
    a_curve_that_is_none_is_refused_with_the_point_and_an_empty_one_says_nothing,
    a_voltage_that_sags_for_a_moment_is_no_empty_battery)
