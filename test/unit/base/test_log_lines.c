#include "test/support/runner.h"

#include "common/base/log_lines.h"

START_TEST(a_line_bears_its_time_and_level)
{
	struct cairn_log_stamp stamp = {1.0, 'D'};
	int at = -1;
	ck_assert(cairn_log_stamp_parse("12.345 W mapper grid.c:88 text", &stamp, &at));
	ck_assert_double_eq_tol(stamp.t_s, 12.345, 1e-9);
	ck_assert_int_eq(stamp.letter, 'W');
	ck_assert_int_eq(at, 7);
	ck_assert_str_eq(cairn_log_letter_name('W'), "warn");
	ck_assert_str_eq(cairn_log_letter_name('?'), "info");
}
END_TEST

START_TEST(what_has_no_stamp_keeps_that_of_the_line_before)
{
	static const char *const others[] = {"", "==1234==ERROR: AddressSanitizer", "12.345", "12.345 W",
	    "12.345 X mapper", "W 12.345 mapper", "at 12.3 W mapper"};
	struct cairn_log_stamp stamp = {7.5, 'I'};
	int at = 3;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!cairn_log_stamp_parse(others[i], &stamp, &at), "%s", others[i]);
	ck_assert_double_eq(stamp.t_s, 7.5);
	ck_assert_int_eq(stamp.letter, 'I');
	ck_assert_int_eq(at, 3);
}
END_TEST

START_TEST(lines_are_merged_by_time_and_those_of_one_moment_keep_their_order)
{
	struct cairn_log_lines lines = {0};
	char text[32];
	for (int i = 0; i < 1000; i++) { /* times 9 9 9 ... 0 0 0 */
		snprintf(text, sizeof(text), "%d\nnot of it", i);
		ck_assert(cairn_log_lines_add(
		    &lines, "mapper", (struct cairn_log_stamp){(double)(9 - i / 100), 'I'}, text));
	}
	cairn_log_lines_sort(&lines);
	ck_assert_uint_eq(lines.count, 1000);
	for (int i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "%d", (9 - i / 100) * 100 + i % 100);
		ck_assert_str_eq(lines.items[i].text, text);
	}
	cairn_log_lines_free(&lines);
	ck_assert_ptr_null(lines.items);
}
END_TEST

START_TEST(only_the_newest_of_a_part_are_kept)
{
	struct cairn_log_lines lines = {0};
	static const char *const texts[] = {"a", "b", "c", "d", "e"};
	for (int i = 0; i < 5; i++)
		ck_assert(cairn_log_lines_add(&lines, "motor", (struct cairn_log_stamp){i, 'I'}, texts[i]));
	cairn_log_lines_keep(&lines, 1, 4); /* no more than that are there */
	ck_assert_uint_eq(lines.count, 5);
	cairn_log_lines_keep(&lines, 1, 2);
	ck_assert_uint_eq(lines.count, 3);
	ck_assert_str_eq(lines.items[0].text, "a");
	ck_assert_str_eq(lines.items[1].text, "d");
	ck_assert_str_eq(lines.items[2].text, "e");
	cairn_log_lines_keep(&lines, 0, 0);
	ck_assert_uint_eq(lines.count, 0);
	cairn_log_lines_free(&lines);
}
END_TEST

CAIRN_TEST_MAIN("log-lines", a_line_bears_its_time_and_level, what_has_no_stamp_keeps_that_of_the_line_before,
    lines_are_merged_by_time_and_those_of_one_moment_keep_their_order, only_the_newest_of_a_part_are_kept)
