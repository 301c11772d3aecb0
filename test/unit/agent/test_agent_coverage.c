/* What the camera has looked at, in a house of two rooms with a door between them. */
#include <math.h>

#include "test/support/runner.h"
#include "test/support/two_rooms.h"

static void glance(struct cairn_coverage *c, double x_m, double y_m, double yaw_rad)
{
	struct cairn_msg_detections seen = two_rooms_picture(x_m, y_m, yaw_rad);
	cairn_coverage_on_picture(c, &seen);
}

static void look(struct cairn_coverage *c, double x_m, double y_m, double yaw_rad)
{
	glance(c, x_m, y_m, yaw_rad);
	glance(c, x_m, y_m, yaw_rad);
}

static struct cairn_coverage *begin(void)
{
	struct cairn_coverage *c = cairn_coverage_new();
	struct cairn_scene_grid grid = two_rooms();
	cairn_coverage_map(c, TWO_ROOMS_MAP);
	cairn_coverage_on_grid(c, &grid);
	return c;
}

static double left_m2(struct cairn_coverage *c, struct cairn_pose2 at)
{
	struct cairn_unseen u[12];
	uint32_t closed, n = cairn_coverage_unseen(c, at, u, 12, &closed);
	double sum = 0.0;
	for (uint32_t i = 0; i < n; i++)
		sum += u[i].area_m2;
	return sum;
}

START_TEST(a_turn_all_round_shows_the_room_and_not_the_one_behind_the_wall)
{
	struct cairn_coverage *c = begin();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	double all_m2 = left_m2(c, at);
	ck_assert_double_gt(all_m2,
	    16.0); /* of 7.8 x 3.8 m: what a dozen views show, each the floor that the ones before do not */
	look(c, 0.0, 0.0, 0.0);
	ck_assert_double_lt(left_m2(c, at), all_m2 - 2.5);
	for (int i = 1; i < 8; i++)
		look(c, 0.0, 0.0, i * M_PI / 4.0);
	double behind_m2 = left_m2(c, at);
	ck_assert_double_lt(behind_m2, 15.0); /* the other room, 4 x 3.8 m, less what the door shows of it */
	ck_assert_double_gt(behind_m2, 9.0);
	cairn_coverage_free(&c);
}
END_TEST

START_TEST(it_tells_where_to_stand_and_what_was_looked_at_from_there_is_not_offered_again)
{
	struct cairn_coverage *c = begin();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	struct cairn_unseen u[12];
	uint32_t closed, looks = 0, n;
	while ((n = cairn_coverage_unseen(c, at, u, 12, &closed)) > 0) {
		ck_assert_uint_lt(looks++, 24);
		struct cairn_pose2 s = u[0].stand;
		double m = hypot(u[0].x_m - s.x_m, u[0].y_m - s.y_m);
		ck_assert(m > 0.3 && m < 3.1);
		ck_assert_double_lt(
		    fabs(cairn_wrap_rad(atan2(u[0].y_m - s.y_m, u[0].x_m - s.x_m) - s.yaw_rad)), 1e-9);
		ck_assert(fabs(s.x_m - 2.0) > 0.15 || fabs(s.y_m) < 0.4); /* not in the wall */
		for (uint32_t i = 1; i < n; i++)
			ck_assert_double_ge(u[i].distance_m, u[i - 1].distance_m);
		look(c, s.x_m, s.y_m, s.yaw_rad);
		cairn_coverage_tried(c, &u[0], true);
		at = s;
	}
	ck_assert_uint_ge(looks, 4);
	ck_assert_uint_eq(closed, 0);
	cairn_coverage_free(&c);
}
END_TEST

START_TEST(what_could_not_be_driven_to_is_counted_and_a_new_map_begins_anew)
{
	struct cairn_coverage *c = begin();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	struct cairn_unseen u[12];
	uint32_t closed;
	for (int i = 0; i < 60 && cairn_coverage_unseen(c, at, u, 12, &closed) > 0; i++)
		cairn_coverage_tried(c, &u[0], false);
	ck_assert_uint_eq(cairn_coverage_unseen(c, at, u, 12, &closed), 0);
	ck_assert_uint_gt(closed, 3);
	cairn_coverage_map(c, TWO_ROOMS_MAP + 1);
	struct cairn_scene_grid grid = two_rooms();
	cairn_coverage_on_grid(c, &grid);
	look(c, 0.0, 0.0, 0.0); /* of the map before: not counted */
	ck_assert_uint_gt(cairn_coverage_unseen(c, at, u, 12, &closed), 0);
	ck_assert_uint_eq(closed, 0);
	cairn_coverage_free(&c);
}
END_TEST

START_TEST(a_picture_is_cast_again_over_a_map_that_comes_later)
{
	struct cairn_coverage *early = cairn_coverage_new(), *late = begin();
	struct cairn_scene_grid grid = two_rooms();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	cairn_coverage_map(early, TWO_ROOMS_MAP);
	look(early, 0.0, 0.0, 1.0);
	cairn_coverage_on_grid(early, &grid);
	look(late, 0.0, 0.0, 1.0);
	ck_assert_double_eq_tol(left_m2(early, at), left_m2(late, at), 1e-9);
	cairn_coverage_free(&early);
	cairn_coverage_free(&late);
}
END_TEST

START_TEST(nonsense_is_left_out)
{
	struct cairn_coverage *c = begin();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	double all_m2 = left_m2(c, at);
	look(c, NAN, 0.0, 0.0);
	look(c, 0.0, 0.0, INFINITY);
	look(c, 1e12, -1e12, 0.0);
	ck_assert_double_eq_tol(left_m2(c, at), all_m2, 1e-9);
	ck_assert_double_eq_tol(left_m2(c, (struct cairn_pose2){1e9, 0.0, 0.0}), 0.0, 1e-9);
	cairn_coverage_free(&c);
}
END_TEST

START_TEST(one_picture_is_not_enough_and_two_are)
{
	struct cairn_coverage *c = begin();
	struct cairn_pose2 at = {0.0, 0.0, 0.0};
	struct cairn_unseen u[12];
	uint32_t closed;
	double all_m2 = left_m2(c, at);
	ck_assert_uint_gt(cairn_coverage_unseen(c, at, u, 12, &closed), 0);
	ck_assert_double_eq(u[0].distance_m, 0.0); /* the first look needs no drive */
	glance(c, u[0].stand.x_m, u[0].stand.y_m, u[0].stand.yaw_rad);
	ck_assert_double_eq_tol(left_m2(c, at), all_m2, 0.8); /* its view's width is known now, no more */
	ck_assert(cairn_coverage_is_unseen(c, &u[0]));
	glance(c, u[0].stand.x_m, u[0].stand.y_m, u[0].stand.yaw_rad);
	ck_assert_double_lt(left_m2(c, at), all_m2 - 2.0);
	ck_assert(!cairn_coverage_is_unseen(c, &u[0]));
	cairn_coverage_free(&c);
}
END_TEST

/* A slit of one cell between the rooms: the robot may or may not get through, and that is for the planner to say. */
START_TEST(floor_behind_a_narrow_door_is_offered_and_floor_behind_a_wall_is_told)
{
	for (int door = 0; door < 2; door++) {
		struct cairn_coverage *c = cairn_coverage_new();
		struct cairn_scene_grid grid = door == 0 ? two_rooms_door(0, 0) : two_rooms_door(36, 44);
		struct cairn_pose2 at = {0.0, 0.0, 0.0};
		struct cairn_unseen u[12];
		uint32_t closed, behind = 0;
		cairn_coverage_map(c, TWO_ROOMS_MAP);
		cairn_coverage_on_grid(c, &grid);
		uint32_t n = cairn_coverage_unseen(c, at, u, 12, &closed);
		for (uint32_t i = 0; i < n; i++)
			behind += u[i].stand.x_m > 2.2;
		ck_assert_int_eq(behind > 0, door);
		ck_assert_int_eq(closed > 0, 1 - door);
		cairn_coverage_free(&c);
	}
}
END_TEST

CAIRN_TEST_MAIN("agent coverage", a_turn_all_round_shows_the_room_and_not_the_one_behind_the_wall,
    it_tells_where_to_stand_and_what_was_looked_at_from_there_is_not_offered_again,
    what_could_not_be_driven_to_is_counted_and_a_new_map_begins_anew,
    a_picture_is_cast_again_over_a_map_that_comes_later, nonsense_is_left_out,
    one_picture_is_not_enough_and_two_are,
    floor_behind_a_narrow_door_is_offered_and_floor_behind_a_wall_is_told)
