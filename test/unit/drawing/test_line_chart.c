/* A number over time, as characters and as a picture; and the numbers of messages by their names. */
#include "common/drawing/line_chart.h"

#include <math.h>

#include "ipc/message_number.h"
#include "test/support/runner.h"

static struct cairn_series s;
static struct cairn_error err;

static char *chart(int columns, int rows)
{
	struct cairn_text t = {0};
	cairn_chart_text(&s, "x", columns, rows, &t);
	ck_assert(!t.failed);
	return t.data;
}

START_TEST(a_ramp_is_a_diagonal_of_dots)
{
	memset(&s, 0, sizeof(s));
	/* 20 columns are 40 dots, 5 rows 20: the line goes from the lowest left to the highest right */
	cairn_series_add(&s, 0.0, 0.0);
	cairn_series_add(&s, 39.0, 19.0);
	char *text = chart(20, 5);
	const char *line = strchr(text, '\n') + 1;
	ck_assert_int_eq(strncmp(text, "x: 19\n", 6), 0);
	ck_assert_ptr_nonnull(strstr(line, "       19 "));
	/* the top row ends with its highest dot at the right: dots 7 and 8 rise to 4 and 5 in the last cell */
	const char *end = strchr(line, '\n');
	ck_assert_int_eq((unsigned char)end[-3], 0xE2);
	ck_assert_uint_ne((unsigned char)end[-1] & 0x08, 0); /* dot 4: upper right */
	int lines = 0;
	for (const char *c = text; *c != '\0'; c++)
		lines += *c == '\n';
	ck_assert_int_eq(lines, 7);
	ck_assert_ptr_nonnull(strstr(text, "-39.0 s"));
	free(text);
}
END_TEST

START_TEST(a_constant_stands_in_the_middle_and_a_gap_stays_empty)
{
	memset(&s, 0, sizeof(s));
	double least, greatest;
	for (int i = 0; i < 30; i++)
		cairn_series_add(&s, i, i < 10 || i > 20 ? 5.0 : NAN);
	ck_assert(cairn_series_range(&s, &least, &greatest));
	ck_assert_double_eq(least, 5.0);
	ck_assert_double_eq(greatest, 5.0);
	char *text = chart(30, 5);
	char *third = text;
	for (int i = 0; i < 3; i++)
		third = strchr(third, '\n') + 1;
	ck_assert_ptr_nonnull(strstr(third, "        5 \xe2"));
	ck_assert_ptr_nonnull(strstr(third, "      ")); /* where there was no number */
	free(text);
}
END_TEST

START_TEST(the_oldest_makes_room_and_time_does_not_go_back)
{
	memset(&s, 0, sizeof(s));
	for (int i = 0; i < CAIRN_SERIES_MAX + 10; i++)
		cairn_series_add(&s, i, i);
	ck_assert_uint_eq(s.count, CAIRN_SERIES_MAX);
	ck_assert_double_eq(s.t_s[0], 10.0);
	cairn_series_add(&s, 5.0, 1.0);
	cairn_series_add(&s, NAN, 1.0);
	ck_assert_uint_eq(s.count, CAIRN_SERIES_MAX);
	ck_assert_double_eq(s.value[CAIRN_SERIES_MAX - 1], CAIRN_SERIES_MAX + 9);
}
END_TEST

START_TEST(without_values_it_says_so_and_draws_no_picture)
{
	memset(&s, 0, sizeof(s));
	char *text = chart(0, 0);
	ck_assert_ptr_nonnull(strstr(text, "no values"));
	free(text);
	ck_assert(!cairn_chart_png(&s, "x", "/nowhere/x.png", &err));
	cairn_series_add(&s, 1.0, NAN);
	ck_assert(!cairn_chart_png(&s, "x", "/nowhere/x.png", &err));
	cairn_series_add(&s, 2.0, 1.0);
	ck_assert(!cairn_chart_png(&s, "x", "/nowhere/x.png", &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere"));
	for (int rows = -5; rows < 200; rows += 41) { /* any size is brought into bounds */
		text = chart(rows * 7, rows);
		free(text);
	}
}
END_TEST

START_TEST(numbers_of_messages_are_found_by_their_names)
{
	static struct cairn_msg_frontiers f = {.items_count = 2, .items = {{.x_m = 1.5}, {.cells = 7}}};
	static struct cairn_msg_imu imu = {.gyro_radps_count = 3, .gyro_radps = {1.0, 2.0, 3.0}};
	static struct cairn_msg_motion motion = {.state = CAIRN_MOTOR_STATE_COUNT - 1, .rejected = 9};
	struct cairn_msg_number n;
	double v = 0.0;
	ck_assert(cairn_msg_number_find(&cairn_desc_frontiers, "items[0].x_m", &n, &err));
	ck_assert(cairn_msg_number_get(&n, &f, &v) && v == 1.5);
	ck_assert(cairn_msg_number_find(&cairn_desc_frontiers, "items[1].cells", &n, &err));
	ck_assert(cairn_msg_number_get(&n, &f, &v) && v == 7.0);
	ck_assert(cairn_msg_number_find(&cairn_desc_frontiers, "items[2].cells", &n, &err));
	ck_assert(!cairn_msg_number_get(&n, &f, &v)); /* not there now */
	ck_assert(cairn_msg_number_find(&cairn_desc_imu, "gyro_radps[2]", &n, &err));
	ck_assert(cairn_msg_number_get(&n, &imu, &v) && v == 3.0);
	ck_assert(cairn_msg_number_find(&cairn_desc_motion, "state", &n, &err));
	ck_assert(cairn_msg_number_get(&n, &motion, &v) && v == CAIRN_MOTOR_STATE_COUNT - 1);
	ck_assert(cairn_msg_number_find(&cairn_desc_motion, "rejected", &n, &err));
	ck_assert(cairn_msg_number_get(&n, &motion, &v) && v == 9.0);
}
END_TEST

START_TEST(what_names_no_number_is_refused_with_what_there_is)
{
	static const char *const cases[][2] = {{"v", "has no field 'v'; it has x_m, y_m"},
	    {"", "has no field"}, {"x_m.y", "no number"}, {"x_m[0]", "is no list"}};
	static const char *const lists[][2] = {{"items", "is a list"}, {"items[0]", "no number"},
	    {"items[48].x_m", "below its size"}, {"items[-1].x_m", "brackets"}, {"items[1", "brackets"},
	    {"items[0].x_m ", "no field"}, {"items[0]x_m", "no number"}};
	struct cairn_msg_number n;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(!cairn_msg_number_find(&cairn_desc_pose, cases[i][0], &n, &err) &&
				  strstr(err.text, cases[i][1]) != NULL,
		    "%s: %s", cases[i][0], err.text);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		ck_assert_msg(!cairn_msg_number_find(&cairn_desc_frontiers, lists[i][0], &n, &err) &&
				  strstr(err.text, lists[i][1]) != NULL,
		    "%s: %s", lists[i][0], err.text);
	ck_assert(!cairn_msg_number_find(&cairn_desc_motion, "reason", &n, &err)); /* a text */
}
END_TEST

CAIRN_TEST_MAIN("line-chart", a_ramp_is_a_diagonal_of_dots,
    a_constant_stands_in_the_middle_and_a_gap_stays_empty, the_oldest_makes_room_and_time_does_not_go_back,
    without_values_it_says_so_and_draws_no_picture, numbers_of_messages_are_found_by_their_names,
    what_names_no_number_is_refused_with_what_there_is)
