#include "common/sequencer/zone_around.h"

#include "common/base/rng.h"
#include "test/support/runner.h"

static const struct cairn_footprint body = {0.30, 0.05, 0.10};
static struct cairn_points points;
static struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
static struct cairn_error err;

static void add(double x, double y)
{
	points.x_m[points.count] = (float)x;
	points.y_m[points.count++] = (float)y;
}

/* A wall across at x, from y0 to y1, a point every centimetre. */
static void wall_across(double x, double y0, double y1)
{
	for (double y = y0; y <= y1; y += 0.01)
		add(x, y);
}

static size_t around(enum cairn_zone_kind kind, double x, double y, double yaw)
{
	err.text[0] = '\0';
	return cairn_zone_around(kind, &points, &body, (struct cairn_pose2){x, y, yaw}, corners, &err);
}

START_TEST(a_keepout_zone_begins_before_the_nose_and_ends_before_the_wall)
{
	points.count = 0;
	wall_across(1.5, -3.0, 3.0);
	size_t n = around(CAIRN_ZONE_KIND_KEEPOUT, 0, 0, 0);
	ck_assert_uint_eq(n, 15);
	ck_assert(!cairn_polygon_contains(corners, n, 0.50, 0.0)); /* the near line is at 0.30 + 0.25 */
	ck_assert(cairn_polygon_contains(corners, n, 0.60, 0.0));
	ck_assert(cairn_polygon_contains(corners, n, 1.40, 0.0));
	ck_assert(!cairn_polygon_contains(corners, n, 1.50, 0.0));
	ck_assert(!cairn_polygon_contains(corners, n, 0.0, 1.0));
	ck_assert_double_gt(cairn_polygon_area(corners, n), 0.0); /* counter-clockwise */
}
END_TEST

START_TEST(a_keepout_zone_reaches_through_a_gap)
{
	points.count = 0;
	wall_across(1.0, -3.0, -0.45);
	wall_across(1.0, 0.45, 3.0);
	size_t n = around(CAIRN_ZONE_KIND_KEEPOUT, 0, 0, 0);
	ck_assert(cairn_polygon_contains(corners, n, 2.2, 0.0));  /* beyond the gap */
	ck_assert(!cairn_polygon_contains(corners, n, 1.2, 1.1)); /* behind the wall */
}
END_TEST

START_TEST(a_slowdown_zone_is_the_free_floor_all_round)
{
	points.count = 0;
	wall_across(0.8, -2.0, 2.0);
	size_t n = around(CAIRN_ZONE_KIND_SLOWDOWN, 0, 0, 0);
	ck_assert_uint_eq(n, 32);
	ck_assert(cairn_polygon_contains(corners, n, 0.0, 0.0));
	ck_assert(cairn_polygon_contains(corners, n, -1.4, 0.0));
	ck_assert(cairn_polygon_contains(corners, n, 0.7, 0.0));
	ck_assert(!cairn_polygon_contains(corners, n, 0.8, 0.0));
	ck_assert(!cairn_polygon_contains(corners, n, -1.6, 0.0));
}
END_TEST

START_TEST(the_outline_turns_and_moves_with_the_robot)
{
	points.count = 0;
	wall_across(1.5, -3.0, 3.0);
	size_t n = around(CAIRN_ZONE_KIND_KEEPOUT, 10.0, -4.0, M_PI / 2.0); /* faces +y */
	ck_assert(cairn_polygon_contains(corners, n, 10.0, -3.0));
	ck_assert(!cairn_polygon_contains(corners, n, 11.0, -4.0));
}
END_TEST

START_TEST(without_free_floor_scan_or_pose_there_is_no_zone)
{
	points.count = 0;
	ck_assert_uint_eq(around(CAIRN_ZONE_KIND_SLOWDOWN, 0, 0, 0), 0);
	ck_assert_str_eq(err.text, "the scan is empty");
	wall_across(0.7, -3.0, 3.0); /* 0.65 - 0.55: 10 cm deep */
	ck_assert_uint_eq(around(CAIRN_ZONE_KIND_KEEPOUT, 0, 0, 0), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "nothing ahead"));
	ck_assert_uint_eq(around(CAIRN_ZONE_KIND_SLOWDOWN, NAN, 0, 0), 0);
	ck_assert_str_eq(err.text, "the pose is not known");
}
END_TEST

START_TEST(no_zone_is_under_the_robot_when_it_is_to_keep_out_and_all_are_valid_and_small)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	int made = 0;
	for (int round = 0; round < 3000; round++) {
		points.count = 0;
		uint32_t count = 1 + cairn_rng_u32(&rng) % 300;
		for (uint32_t i = 0; i < count; i++)
			add(6.0 * cairn_rng_uniform(&rng) - 3.0, 6.0 * cairn_rng_uniform(&rng) - 3.0);
		enum cairn_zone_kind kind =
		    round % 2 == 0 ? CAIRN_ZONE_KIND_KEEPOUT : CAIRN_ZONE_KIND_SLOWDOWN;
		size_t n = around(kind, 0, 0, 0);
		if (n == 0)
			continue;
		made++;
		ck_assert(cairn_polygon_valid(corners, n));
		ck_assert_double_lt(
		    cairn_polygon_area(corners, n), 4.0 * CAIRN_ZONE_AHEAD_M * CAIRN_ZONE_AHEAD_M);
		bool under = cairn_polygon_contains(corners, n, 0.0, 0.0);
		ck_assert(under == (kind == CAIRN_ZONE_KIND_SLOWDOWN));
		ck_assert(kind == CAIRN_ZONE_KIND_SLOWDOWN ||
			  cairn_polygon_distance_m(corners, n, body.front_m, 0.0) > 0.2);
	}
	ck_assert_int_gt(made, 1500);
}
END_TEST

CAIRN_TEST_MAIN("zone around", a_keepout_zone_begins_before_the_nose_and_ends_before_the_wall,
    a_keepout_zone_reaches_through_a_gap, a_slowdown_zone_is_the_free_floor_all_round,
    the_outline_turns_and_moves_with_the_robot, without_free_floor_scan_or_pose_there_is_no_zone,
    no_zone_is_under_the_robot_when_it_is_to_keep_out_and_all_are_valid_and_small)
