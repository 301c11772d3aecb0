/* What goes from one search to the next: the numbers of frontiers, what was looked into in vain, and what the
 * finder keeps of the map. */
#include "common/base/rng.h"
#include "test/support/frontier_room.h"

START_TEST(ids_stay_while_the_map_grows_and_are_never_given_again)
{
	begin();
	room(0, 0, 79, 59);
	area(80, 20, 80, 37, FREE);
	find(20, 30, true);
	uint32_t id = found.items[0].id;
	ck_assert_uint_ge(id, 1);
	area(81, 19, 87, 38, WALL); /* the frontier moves 0.35 m through the door, the map grows */
	area(81, 20, 87, 37, FREE);
	area(0, -15, 3, -15, WALL);
	find(30, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.items[0].id, id);
	area(88, 19, 88, 38, WALL); /* closed; another opens elsewhere */
	area(10, 60, 30, 60, FREE);
	find(30, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_ne(found.items[0].id, id);
	for (int i = 0; i < 30; i++)
		find(30, 30, false);
	area(88, 20, 88, 37, FREE); /* long after, the door is open again: a new one */
	find(30, 30, true);
	ck_assert_uint_eq(found.total, 2);
	ck_assert_uint_ne(found.items[0].id, id);
	ck_assert_uint_ne(found.items[1].id, id);
	end();
}
END_TEST

START_TEST(an_opening_that_shows_nothing_however_long_it_is_looked_into_is_dropped)
{
	begin();
	room(0, 0, 79, 59);
	area(80, 20, 80, 37, FREE);
	for (int i = 0; i < 30; i++)
		find(70, 29, false); /* no scans come in: not its fault */
	ck_assert_uint_eq(found.total, 1);
	for (int i = 0; i < 30; i++)
		find(20, 29, true); /* from afar */
	ck_assert_uint_eq(found.total, 1);
	for (int i = 0; i < 10; i++)
		find(70, 29, true); /* half a metre before it: glass, or nothing returns */
	ck_assert_uint_eq(found.total, 0);
	ck_assert_uint_eq(found.reachable, 0);
	area(81, 22, 83, 35, FREE); /* now something is seen */
	find(70, 29, true);
	ck_assert_uint_eq(found.total, 1);
	end();
}
END_TEST

START_TEST(an_opening_around_the_corner_is_not_dropped)
{
	begin();
	room(0, 0, 79, 59);
	area(75, 61, 78, 61, FREE);
	area(60, 60, 75, 60, FREE); /* in the top wall; the robot stands right of it, too low to see in */
	area(76, 40, 76, 59, WALL);
	for (int i = 0; i < 20; i++)
		find(78, 50, true);
	ck_assert_uint_ge(found.total, 1);
	end();
}
END_TEST

START_TEST(an_opening_looked_into_in_vain_from_its_own_place_is_dropped)
{
	begin();
	room(0, 0, 79, 59);
	area(80, 20, 80, 37, FREE);
	area(70, 20, 70, 37, CAIRN_ODDS_OCCUPIED - 1); /* something in between hides the unknown from afar */
	find(20, 29, true);
	ck_assert_uint_eq(found.total, 1);
	int32_t x = cairn_grid_cell(&grid, found.items[0].goal_x_m),
		y = cairn_grid_cell(&grid, found.items[0].goal_y_m);
	ck_assert_uint_eq(found.blind_count, 0);
	struct cairn_msg_frontier was = found.items[0];
	for (int i = 0; i < 6; i++)
		find(x, y, true);
	ck_assert_uint_eq(found.total, 0);
	ck_assert_uint_eq(found.blind_count, 1); /* and told of, so that the end can say why */
	ck_assert_double_le(hypot(found.blind[0].x_m - was.x_m, found.blind[0].y_m - was.y_m), 0.1);
	end();
}
END_TEST

/* The edge of a shadow: the robot stands in its line, near the place to look in from, and sees nothing behind
 * it. */
START_TEST(an_opening_seen_along_its_edge_is_not_dropped)
{
	begin();
	room(0, 0, 79, 59);
	area(40, 31, 79, 60, CAIRN_ODDS_UNKNOWN);
	area(38, 31, 39, 59, WALL);
	area(40, 0, 79, 24, WALL); /* a passage of 0.3 m along the edge: no place is far from its line */
	area(40, 25, 79, 30, FREE);
	for (int32_t x = 41; x < 79; x++)
		cairn_grid_visit(&grid, (struct cairn_vec2){0.05 * (x - 1), 1.4},
		    (struct cairn_vec2){0.05 * x, 1.4}, 0.10, x == 41);
	for (int i = 0; i < 30; i++)
		find(52, 29, true);
	ck_assert_uint_ge(found.total, 1);
	ck_assert_double_le(hypot(found.items[0].goal_x_m - 2.6, found.items[0].goal_y_m - 1.475), 0.35);
	end();
}
END_TEST

/* Whatever changes, and however often: what is found is what a finder that sees the map for the first time
 * finds. In a room of width x height cells. */
static void change_at_random(uint32_t width, uint32_t height, int rounds)
{
	static struct cairn_msg_frontiers fresh;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	begin();
	ck_assert(cairn_grid_reserve(
	    &grid, (struct cairn_cell_box){-20, -20, (int32_t)width + 50, (int32_t)height + 50}));
	room(0, 0, (int32_t)width, (int32_t)height);
	for (int round = 0; round < rounds; round++) {
		int32_t x = (int32_t)(cairn_rng_u32(&rng) % (width - 10)),
			y = (int32_t)(cairn_rng_u32(&rng) % (height - 10));
		int8_t odds = round % 3 == 0 ? CAIRN_ODDS_UNKNOWN : round % 3 == 1 ? FREE : WALL;
		area(x, y, x + (int32_t)(cairn_rng_u32(&rng) % 40U), y + (int32_t)(cairn_rng_u32(&rng) % 30U),
		    odds);
		area(98, 70, 104, 76, FREE);
		if (round % 4 == 0) /* the robot has been between the two places */
			for (int32_t k = x; k < x + 9; k++)
				grid.visits[cairn_grid_index(&grid, k, y)]++;
		memset(&memory, 0, sizeof(memory));
		find(100, 73, false);
		fresh = found;
		struct cairn_frontier_finder *kept = finder;
		finder = cairn_frontier_finder_new();
		memset(&memory, 0, sizeof(memory));
		find(100, 73, false);
		ck_assert_mem_eq(&fresh, &found, sizeof(found));
		cairn_frontier_finder_destroy(&finder);
		finder = kept;
	}
	ck_assert_uint_gt(found.total, rounds < 60 ? 0 : 3);
	end();
}

START_TEST(after_any_change_the_frontiers_are_those_of_a_fresh_look)
{
	change_at_random(200, 150, CAIRN_ROUNDS(60));
}
END_TEST

START_TEST(after_any_change_of_a_large_map_the_frontiers_are_those_of_a_fresh_look)
{
	change_at_random(760, 700, CAIRN_ROUNDS(60));
}
END_TEST

CAIRN_TEST_MAIN("map_frontier_memory", ids_stay_while_the_map_grows_and_are_never_given_again,
    an_opening_that_shows_nothing_however_long_it_is_looked_into_is_dropped,
    an_opening_around_the_corner_is_not_dropped, an_opening_looked_into_in_vain_from_its_own_place_is_dropped,
    an_opening_seen_along_its_edge_is_not_dropped, after_any_change_the_frontiers_are_those_of_a_fresh_look,
    after_any_change_of_a_large_map_the_frontiers_are_those_of_a_fresh_look)
