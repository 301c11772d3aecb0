/* Which GPIO line is what, and what their levels mean. */
#include <math.h>
#include <string.h>

#include "common/device/guard_lines.h"
#include "test/support/runner.h"

static struct cairn_gpio_lines lines;
static struct cairn_error err;

START_TEST(levels_become_what_was_felt)
{
	ck_assert(cairn_guard_lines_parse(
	    &lines, "bumper 17 low, bumper 18 low,cliff 22 high , bumper_rear 5 high", &err));
	ck_assert_uint_eq(lines.count, 4);
	ck_assert_uint_eq(lines.number[2], 22);
	for (unsigned levels = 0; levels < 16; levels++) {
		bool level[4];
		for (int i = 0; i < 4; i++)
			level[i] = (levels >> i & 1) != 0;
		struct cairn_msg_guard m = cairn_guard_lines_message(&lines, level);
		ck_assert_int_eq(m.bumper, !level[0] || !level[1]); /* one of the two is enough */
		ck_assert_int_eq(m.bumper_rear, level[3]);
		ck_assert_double_eq(m.floor_m, level[2] ? INFINITY : 0.0);
	}
}
END_TEST

START_TEST(without_a_cliff_sensor_nothing_is_said_of_the_floor)
{
	bool level[1] = {true};
	ck_assert(cairn_guard_lines_parse(&lines, "bumper 0 low", &err));
	ck_assert(cairn_guard_lines_have(&lines, CAIRN_GUARD_BUMPER));
	ck_assert(!cairn_guard_lines_have(&lines, CAIRN_GUARD_CLIFF));
	ck_assert_double_lt(cairn_guard_lines_message(&lines, level).floor_m, 0.0);
	ck_assert(cairn_guard_lines_parse(&lines, "", &err));
	ck_assert_uint_eq(lines.count, 0);
}
END_TEST

START_TEST(what_is_no_line_is_refused_and_named)
{
	static const char *const bad[] = {"bumper", "bumper 3", "bumper 3 down", "horn 3 low",
	    "bumper -3 low", "bumper 3 low high", "bumper 1024 low", "bumper 3 low, ", ","};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(!cairn_guard_lines_parse(&lines, bad[i], &err), "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "is not WHAT LINE LEVEL"));
	}
	ck_assert(!cairn_guard_lines_parse(&lines, "bumper 3 low, cliff 3 high", &err));
	ck_assert_str_eq(err.text, "line 3 is named twice");
	ck_assert(!cairn_guard_lines_parse(&lines,
	    "cliff 1 low,cliff 2 low,cliff 3 low,cliff 4 low,cliff 5 low,"
	    "cliff 6 low,cliff 7 low,cliff 8 low,cliff 9 low",
	    &err));
	ck_assert_str_eq(err.text, "more than 8 lines");
}
END_TEST

CAIRN_TEST_MAIN("guard_lines", levels_become_what_was_felt,
    without_a_cliff_sensor_nothing_is_said_of_the_floor, what_is_no_line_is_refused_and_named)
