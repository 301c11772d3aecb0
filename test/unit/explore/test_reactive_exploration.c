/* Where to go by the scan alone. */
#include "common/explore/reactive_exploration.h"
#include "test/support/runner.h"

static struct cairn_points points;

static void wall(double ax_m, double ay_m, double bx_m, double by_m)
{
	int n = (int)(hypot(bx_m - ax_m, by_m - ay_m) / 0.03);
	for (int i = 0; i <= n; i++) {
		points.x_m[points.count] = (float)(ax_m + (bx_m - ax_m) * i / n);
		points.y_m[points.count++] = (float)(ay_m + (by_m - ay_m) * i / n);
	}
}

/* A room of 4 by 3 m around the robot; a wall at x = 2 with an opening of that width, its middle at y = 0.8, and a room
 * behind it. */
static void room(double opening_m)
{
	points.count = 0;
	wall(-2, -1.5, 2, -1.5);
	wall(-2, 1.5, 2, 1.5);
	wall(-2, -1.5, -2, 1.5);
	wall(2, -1.5, 2, 0.8 - 0.5 * opening_m);
	if (0.8 + 0.5 * opening_m < 1.5)
		wall(2, 0.8 + 0.5 * opening_m, 2, 1.5);
	wall(4.5, -1.5, 4.5, 4.0);
}

START_TEST(a_doorway_is_an_opening_that_something_lies_behind)
{
	static const struct {
		double width_m;
		size_t doorways;
	} rows[] = {{0.0, 0}, {0.4, 0}, {0.8, 1}, {0.9, 1}, {1.2, 1}};
	double bearing_rad[CAIRN_REACTIVE_DOORWAYS_MAX];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		room(rows[i].width_m);
		ck_assert_msg(cairn_reactive_doorways(&points, bearing_rad) == rows[i].doorways, "%.1f m",
		    rows[i].width_m);
		if (rows[i].doorways == 1)
			ck_assert_double_eq_tol(bearing_rad[0], atan2(0.8, 2.0), 0.06);
	}
	points.count = 0;
	ck_assert_uint_eq(cairn_reactive_doorways(&points, bearing_rad), 0);
}
END_TEST

START_TEST(the_longest_way_is_taken_unless_a_doorway_lies_on_another_one)
{
	/* forward, forward left, forward right, left, right, backward: the order of the enum is not this test's */
	double free_m[CAIRN_DIRECTION_COUNT];
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++)
		free_m[d] = 0.5;
	free_m[CAIRN_DIRECTION_FORWARD_RIGHT] = 0.9;
	free_m[CAIRN_DIRECTION_FORWARD_LEFT] = 0.6;
	room(0.0);
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.3), CAIRN_DIRECTION_FORWARD_RIGHT);
	room(0.9);
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.3), CAIRN_DIRECTION_FORWARD_LEFT);
	free_m[CAIRN_DIRECTION_FORWARD_RIGHT] = 1.4; /* more than a doorway is worth */
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.3), CAIRN_DIRECTION_FORWARD_RIGHT);
}
END_TEST

START_TEST(straight_on_goes_before_turning_and_backward_is_the_last_resort)
{
	double free_m[CAIRN_DIRECTION_COUNT];
	room(0.0);
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++)
		free_m[d] = 1.5;
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.3), CAIRN_DIRECTION_FORWARD);
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++)
		free_m[d] = d == CAIRN_DIRECTION_BACKWARD ? 1.5 : 0.35;
	ck_assert_int_ne(cairn_reactive_choose(&points, free_m, 0.3), CAIRN_DIRECTION_BACKWARD);
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.4), CAIRN_DIRECTION_BACKWARD);
	free_m[CAIRN_DIRECTION_BACKWARD] = -1.0; /* forbidden */
	ck_assert_int_eq(cairn_reactive_choose(&points, free_m, 0.4), -1);
}
END_TEST

CAIRN_TEST_MAIN("react", a_doorway_is_an_opening_that_something_lies_behind,
    the_longest_way_is_taken_unless_a_doorway_lies_on_another_one,
    straight_on_goes_before_turning_and_backward_is_the_last_resort)
