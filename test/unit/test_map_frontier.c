#include "test/support/runner.h"

#include "common/base/rng.h"
#include "common/map/frontier.h"

static struct cairn_config cfg;
static struct cairn_grid grid;
static struct cairn_frontier_finder *finder;
static struct cairn_frontier_memory memory;
static struct cairn_msg_frontiers found;

/* All in cells of 5 cm; the robot is put at a cell too. */
static void begin(void)
{
	cairn_config_defaults(&cfg);
	cairn_grid_init(&grid, 0.05, 60.0);
	ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){-20, -20, 300, 300}));
	finder = cairn_frontier_finder_new();
	ck_assert_ptr_nonnull(finder);
	memset(&memory, 0, sizeof(memory));
}

static void end(void)
{
	cairn_frontier_finder_destroy(&finder);
	cairn_grid_free(&grid);
}

static void area(int32_t x0, int32_t y0, int32_t x1, int32_t y1, int8_t odds)
{
	for (int32_t y = y0; y <= y1; y++) {
		for (int32_t x = x0; x <= x1; x++) {
			int8_t *cell = &grid.odds[cairn_grid_index(&grid, x, y)];
			grid.free_cells += (uint32_t)cairn_odds_free(odds) - (uint32_t)cairn_odds_free(*cell);
			*cell = odds;
			cairn_cell_box_add(&grid.known, x, y);
		}
	}
}

#define FREE ((int8_t)-40)
#define WALL ((int8_t)40)

/* A closed room: free floor from (x0, y0) to (x1, y1) with a wall one cell thick around. */
static void room(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
	area(x0 - 1, y0 - 1, x1 + 1, y1 + 1, WALL);
	area(x0, y0, x1, y1, FREE);
}

static void find(int32_t robot_x, int32_t robot_y, bool looking)
{
	struct cairn_pose2 pose = {(robot_x + 0.5) * 0.05, (robot_y + 0.5) * 0.05, 0.0};
	ck_assert(cairn_frontier_find(finder, &memory, &grid, pose, looking, &cfg, &found));
}

static int8_t at_m(double x_m, double y_m)
{
	return cairn_grid_odds(&grid, cairn_grid_cell(&grid, x_m), cairn_grid_cell(&grid, y_m));
}

START_TEST(a_closed_room_has_no_frontier)
{
	begin();
	find(0, 0, true);
	ck_assert_uint_eq(found.total, 0); /* nothing known at all: no frontier, no crash */
	room(0, 0, 79, 59);
	find(40, 30, true);
	ck_assert_uint_eq(found.total, 0);
	ck_assert_double_eq_tol(found.coverage, 1.0, 1e-12);
	ck_assert_double_eq_tol(found.free_m2, 80 * 60 * 0.0025, 1e-9);
	end();
}
END_TEST

START_TEST(a_doorway_is_one_frontier_with_a_place_to_stand)
{
	begin();
	room(0, 0, 79, 59);
	area(80, 20, 80, 37, FREE); /* 18 cells: 0.9 m in the right wall */
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.reachable, 1);
	const struct cairn_msg_frontier *f = &found.items[0];
	ck_assert_int_eq(f->kind, CAIRN_FRONTIER_KIND_DOORWAY);
	ck_assert_double_eq_tol(f->width_m, 0.9, 0.08);
	ck_assert_double_eq_tol(f->x_m, 80.5 * 0.05, 0.03);
	ck_assert_double_eq_tol(f->y_m, 29.0 * 0.05, 0.06);
	ck_assert_double_eq_tol(f->bearing_rad, atan2(-1.5, 60.0), 0.02);
	ck_assert_double_eq_tol(f->distance_m, f->goal_x_m - 20.5 * 0.05, 0.15);
	ck_assert(cairn_odds_free(at_m(f->goal_x_m, f->goal_y_m)));
	for (int k = 0; k < 16; k++) { /* 0.25 m of clearance */
		double a = k * M_PI / 8.0;
		ck_assert(
		    !cairn_odds_occupied(at_m(f->goal_x_m + 0.24 * cos(a), f->goal_y_m + 0.24 * sin(a))));
	}
	/* coverage: free / (free + 2 m behind each metre of opening) */
	ck_assert_double_eq_tol(found.coverage, found.free_m2 / (found.free_m2 + 2.0 * f->width_m), 1e-9);
	end();
}
END_TEST

START_TEST(openings_narrower_than_asked_for_do_not_count)
{
	for (int32_t gap = 1; gap <= 10; gap++) {
		begin();
		room(0, 0, 79, 59);
		area(80, 20, 80, 19 + gap, FREE);
		find(20, 30, true);
		ck_assert_int_eq((int)found.total, gap >= 6); /* 0.30 m */
		end();
	}
}
END_TEST

START_TEST(the_kind_follows_the_width_between_walls)
{
	static const struct {
		int32_t cells;
		enum cairn_frontier_kind kind;
	} row[] = {{8, CAIRN_FRONTIER_KIND_OPEN}, {16, CAIRN_FRONTIER_KIND_DOORWAY},
	    {23, CAIRN_FRONTIER_KIND_DOORWAY}, {30, CAIRN_FRONTIER_KIND_CORRIDOR},
	    {38, CAIRN_FRONTIER_KIND_CORRIDOR}, {50, CAIRN_FRONTIER_KIND_OPEN}};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		begin();
		room(0, 0, 79, 59);
		area(80, 5, 80, 4 + row[i].cells, FREE);
		find(20, 30, true);
		ck_assert_uint_eq(found.total, 1);
		ck_assert_int_eq(found.items[0].kind, row[i].kind);
		end();
	}
}
END_TEST

START_TEST(unknown_slits_between_far_rays_are_no_frontiers)
{
	begin();
	room(0, 0, 199, 99);
	for (int32_t x = 100; x < 200;
	     x++) /* wedges of the unknown that widen to 4 cells with the distance */
		for (int32_t k = 0; k < 8; k++)
			for (int32_t d = 0; d < 1 + (x - 100) / 30; d++)
				grid.odds[cairn_grid_index(&grid, x, 10 + 11 * k + d)] = CAIRN_ODDS_UNKNOWN;
	for (int32_t k = 0; k < 8; k++) /* and the wall behind them has holes */
		for (int32_t d = 0; d < 4; d++)
			grid.odds[cairn_grid_index(&grid, 200, 10 + 11 * k + d)] = CAIRN_ODDS_UNKNOWN;
	find(20, 50, true);
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

/* A gap of 0.10 m between two cupboards whose sides are not seen: the unknown on both sides is large. */
START_TEST(a_look_into_a_narrow_gap_opens_nothing)
{
	begin();
	room(0, 0, 79, 59);
	area(81, 0, 99, 59, CAIRN_ODDS_UNKNOWN);
	area(80, 30, 95, 31, FREE);
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 0);
	area(80, 26, 95, 35, FREE); /* half a metre: an aisle */
	find(20, 30, true);
	ck_assert_uint_ge(found.total, 1);
	end();
}
END_TEST

START_TEST(a_wall_seen_in_dashes_is_no_frontier)
{
	begin();
	room(0, 0, 199, 39);
	for (int32_t x = 0; x < 200; x++)
		if (x % 5 != 0) /* at a grazing angle only every fifth cell returned */
			grid.odds[cairn_grid_index(&grid, x, 40)] = CAIRN_ODDS_UNKNOWN;
	find(20, 20, true);
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

START_TEST(small_enclosed_pockets_do_not_count_and_larger_ones_do)
{
	begin();
	room(0, 0, 79, 59);
	for (int32_t y = 20; y < 27; y++) /* 7 x 8 cells = 0.14 m2 */
		for (int32_t x = 20; x < 28; x++)
			grid.odds[cairn_grid_index(&grid, x, y)] = CAIRN_ODDS_UNKNOWN;
	find(60, 30, true);
	ck_assert_uint_eq(found.total, 0);
	for (int32_t y = 20; y < 32; y++) /* 12 x 12 cells = 0.36 m2 */
		for (int32_t x = 20; x < 32; x++)
			grid.odds[cairn_grid_index(&grid, x, y)] = CAIRN_ODDS_UNKNOWN;
	find(60, 30, true);
	ck_assert_uint_eq(found.total, 1);
	end();
}
END_TEST

START_TEST(what_is_seen_through_a_slot_too_narrow_for_the_robot_cannot_be_reached)
{
	begin();
	room(0, 0, 79, 59);
	room(81, 0, 120, 59);
	area(80, 28, 80, 30, FREE);   /* a slot of 0.15 m between the rooms */
	area(121, 10, 121, 40, FREE); /* and an opening of the far one */
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.reachable, 0);
	ck_assert_uint_eq(found.items_count, 1);
	ck_assert_double_lt(found.items[0].distance_m, 0.0);
	end();
}
END_TEST

/* A wall seen far off makes the window so large that ways are measured between blocks of cells. */
START_TEST(on_a_large_map_doors_stay_doors_and_slots_stay_shut_wherever_they_lie)
{
	for (int at = 0; at < 4; at++) {
		begin();
		ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){-20, -20, 720, 720}));
		room(0, 0, 79, 59);
		room(81, 0, 120, 59);
		area(80, 20 + at, 80, 33 + at, FREE); /* 0.70 m */
		room(82, 61, 120, 99);
		area(84 + at, 60, 86 + at, 60, FREE);   /* a slot of 0.15 m */
		area(121, 10 + at, 121, 40 + at, FREE); /* an opening behind the door */
		area(121, 65 + at, 121, 90 + at, FREE); /* and one behind the slot */
		find(20, 40 + at, true);
		struct cairn_msg_frontiers small = found;
		ck_assert_uint_eq(small.total, 2);
		ck_assert_uint_eq(small.reachable, 1);
		area(710, 710, 710, 710, WALL);
		find(20, 40 + at, true);
		ck_assert_uint_eq(found.total, 2);
		ck_assert_uint_eq(found.reachable, 1);
		for (uint32_t i = 0; i < 2; i++) {
			ck_assert_uint_eq(found.items[i].id, small.items[i].id);
			ck_assert_uint_eq(found.items[i].cells, small.items[i].cells);
		}
		/* The place to stand may be another one, as good within what the ways are off. */
		ck_assert_double_eq_tol(found.items[0].distance_m, small.items[0].distance_m, 0.5);
		ck_assert_double_lt(found.items[1].distance_m, 0.0);
		end();
	}
}
END_TEST

START_TEST(the_distance_is_that_of_the_way_not_of_the_crow)
{
	begin();
	room(0, 0, 99, 59);
	area(40, 0, 40, 49, WALL); /* a wall with its only gap at the far end */
	area(60, -1, 80, -1, FREE);
	find(20, 5, true);
	ck_assert_uint_eq(found.reachable, 1);
	ck_assert_double_gt(found.items[0].distance_m, 2.0 * 45 * 0.05);
	end();
}
END_TEST

START_TEST(the_way_to_the_start_leads_round_the_walls)
{
	begin();
	room(-10, -10, 99, 59);
	area(40, -10, 40, 49, WALL);
	find(5, 0, true);
	ck_assert_double_eq_tol(found.home_m, 5 * 0.05, 0.11);
	find(60, 0, true);
	/* round the wall's end at (40, 50), and so much room that the robot fits by */
	ck_assert_double_gt(found.home_m, (hypot(20.0, 50.0) + hypot(40.0, 50.0)) * 0.05);
	ck_assert_double_lt(found.home_m, 8.0);
	area(40, -10, 40, 59, WALL); /* shut */
	find(60, 0, true);
	ck_assert_double_lt(found.home_m, 0.0);
	end();
}
END_TEST

START_TEST(openings_on_both_sides_of_a_wall_are_two)
{
	begin();
	room(0, 0, 79, 99);
	area(40, 0, 40, 99, WALL);
	area(40, 45, 40, 54, FREE);
	for (int32_t x = 20; x <= 60; x++) /* the top wall is not seen near the dividing wall */
		for (int32_t y = 100; y <= 100; y++)
			grid.odds[cairn_grid_index(&grid, x, y)] = CAIRN_ODDS_UNKNOWN;
	find(20, 50, true);
	ck_assert_uint_eq(found.total, 2);
	end();
}
END_TEST

START_TEST(a_ragged_edge_is_one_frontier_and_a_long_one_is_cut)
{
	begin();
	area(-1, -1, 160, 60, WALL);
	area(0, 0, 159, 59, FREE);
	area(0, 60, 159, 60, FREE);
	for (int32_t x = 0; x < 40; x++) /* a ragged edge of 2 m */
		for (int32_t d = 0; d < 3; d++)
			if (d <= x % 4)
				area(x, 60 + d, x, 60 + d, FREE);
	area(40, 60, 159, 60, WALL);
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_double_eq_tol(found.items[0].width_m, 2.0, 0.15);
	area(40, 60, 159, 60, FREE); /* 8 m in all */
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 3);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_double_lt(found.items[i].width_m, 3.0);
	ck_assert_double_le(found.items[0].distance_m, found.items[1].distance_m); /* nearest first */
	ck_assert_double_le(found.items[1].distance_m, found.items[2].distance_m);
	end();
}
END_TEST

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

START_TEST(one_stands_where_one_looks_in_not_along)
{
	begin();
	room(0, 0, 79, 59);
	area(0, 60, 60, 60, FREE); /* the whole top is open, but a table leaves only its ends to stand at */
	find(40, 10, true);
	for (uint32_t i = 0; i < found.items_count; i++) {
		const struct cairn_msg_frontier *f = &found.items[i];
		double dx = f->x_m - f->goal_x_m, dy = f->y_m - f->goal_y_m;
		ck_assert(hypot(dx, dy) <= 0.16 || dy >= 0.2 * hypot(dx, dy));
	}
	ck_assert_uint_ge(found.items_count, 1);
	area(0, 56, 60, 56,
	    WALL); /* behind a wall 0.2 m before it nothing can stand: seen along it from its ends only */
	find(40, 10, true);
	for (uint32_t i = 0; i < found.items_count; i++)
		ck_assert(found.items[i].x_m > 2.9 || found.items[i].distance_m < 0.0);
	end();
}
END_TEST

START_TEST(where_the_robot_has_been_it_can_go_again)
{
	begin();
	room(0, 0, 79, 59);
	room(81, 0, 160, 59);
	area(80, 28, 80, 32, FREE);   /* 0.25 m: too narrow by the map */
	area(161, 10, 161, 40, FREE); /* an opening of the far room */
	find(20, 30, true);
	ck_assert_uint_eq(found.reachable, 0);
	for (int32_t x = 60; x <= 100; x++)
		cairn_grid_visit(&grid, (struct cairn_vec2){0.05 * (x - 1), 1.525},
		    (struct cairn_vec2){0.05 * x, 1.525}, 0.10, x == 60);
	find(20, 30, true);
	ck_assert_uint_eq(found.reachable, 1);
	end();
}
END_TEST

START_TEST(more_openings_than_a_message_holds_are_counted)
{
	begin();
	area(0, 0, 290, 290, WALL);
	for (int32_t j = 0; j < 9; j++)
		for (int32_t i = 0; i < 9; i++)
			area(5 + 32 * i, 5 + 32 * j, 20 + 32 * i, 20 + 32 * j, FREE);
	for (int32_t j = 0; j < 9; j++)
		for (int32_t i = 0; i < 9; i++)
			for (int32_t y = 0; y < 8; y++)
				for (int32_t x = 0; x < 8; x++)
					grid.odds[cairn_grid_index(&grid, 21 + 32 * i + x, 8 + 32 * j + y)] =
					    CAIRN_ODDS_UNKNOWN;
	find(10, 10, true);
	ck_assert_uint_eq(found.total, 81);
	ck_assert_uint_eq(found.items_count, 48);
	ck_assert_uint_eq(found.reachable, 1);
	ck_assert_double_ge(
	    found.items[0].distance_m, 0.0); /* the one that can be reached is among them, first */
	end();
}
END_TEST

/* Two openings of half a metre in one wall whose nearest cells are so many cells apart. */
static uint32_t openings_apart(int32_t cells)
{
	begin();
	room(0, 0, 79, 59);
	area(80, 10, 80, 19, FREE);
	area(80, 19 + cells, 80, 28 + cells, FREE);
	find(20, 30, true);
	uint32_t total = found.total;
	end();
	return total;
}

START_TEST(cells_within_half_a_metre_are_one_frontier_and_farther_ones_are_two)
{
	for (int32_t gap = 2; gap <= 16; gap++) /* the cells' centres are gap cells apart */
		ck_assert_uint_eq(openings_apart(gap), gap <= 10 ? 1 : 2);
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
	ck_assert_uint_gt(found.total, 3);
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

CAIRN_TEST_MAIN("map_frontier", cells_within_half_a_metre_are_one_frontier_and_farther_ones_are_two,
    after_any_change_the_frontiers_are_those_of_a_fresh_look,
    after_any_change_of_a_large_map_the_frontiers_are_those_of_a_fresh_look, a_closed_room_has_no_frontier,
    a_doorway_is_one_frontier_with_a_place_to_stand, openings_narrower_than_asked_for_do_not_count,
    the_kind_follows_the_width_between_walls, unknown_slits_between_far_rays_are_no_frontiers,
    a_look_into_a_narrow_gap_opens_nothing, a_wall_seen_in_dashes_is_no_frontier,
    small_enclosed_pockets_do_not_count_and_larger_ones_do,
    what_is_seen_through_a_slot_too_narrow_for_the_robot_cannot_be_reached,
    on_a_large_map_doors_stay_doors_and_slots_stay_shut_wherever_they_lie,
    the_distance_is_that_of_the_way_not_of_the_crow,
    the_way_to_the_start_leads_round_the_walls, openings_on_both_sides_of_a_wall_are_two,
    a_ragged_edge_is_one_frontier_and_a_long_one_is_cut,
    ids_stay_while_the_map_grows_and_are_never_given_again,
    an_opening_that_shows_nothing_however_long_it_is_looked_into_is_dropped,
    an_opening_around_the_corner_is_not_dropped, an_opening_looked_into_in_vain_from_its_own_place_is_dropped,
    an_opening_seen_along_its_edge_is_not_dropped, one_stands_where_one_looks_in_not_along,
    where_the_robot_has_been_it_can_go_again, more_openings_than_a_message_holds_are_counted)
