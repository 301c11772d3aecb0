/* What is a frontier of a map, where one stands to look into it, and how far that is. */
#include "test/support/frontier_room.h"

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

/* Eight wedges of the unknown that widen with the distance, to so many cells, and as many holes in the wall behind
 * them. */
static void slits_between_far_rays(int32_t widest)
{
	begin();
	room(0, 0, 199, 99);
	for (int32_t x = 100; x <= 200; x++)
		for (int32_t k = 0; k < 8; k++)
			for (int32_t d = 0; d < 1 + (x - 100) * (widest - 1) / 100; d++)
				grid.odds[cairn_grid_index(&grid, x, 10 + 11 * k + d)] = CAIRN_ODDS_UNKNOWN;
}

START_TEST(unknown_slits_between_far_rays_are_no_frontiers)
{
	slits_between_far_rays(4);
	cfg.mission.hidden_min_m2 = 0.0;
	find(20, 50, true);
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

START_TEST(of_slits_between_far_rays_no_narrow_ones_are_hidden_floor_and_others_are)
{
	slits_between_far_rays(2); /* 0.10 m */
	find(20, 50, true);
	ck_assert_uint_eq(found.total, 0);
	cfg.mission.frontier_min_width_m = 0.2;
	find(20, 50, true);
	ck_assert_uint_eq(found.total, 0);
	cfg.mission.frontier_min_width_m = 0.3;
	end();
	slits_between_far_rays(5); /* 0.15 m and more over 2.5 m: 0.45 m2 each */
	find(20, 50, true);
	ck_assert_uint_ge(found.total, 8);
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

/* A corner between a shelf and an open leaf at x = 60, seen from above past the shelf's end, which is at shelf_x: the
 * unknown from y0 up to a slanting edge, and known floor in a wedge between that edge and the shelf. */
static void corner_behind_a_leaf(int32_t shelf_x, int32_t y0)
{
	static const int32_t edge[] = {15, 15, 16, 16, 17, 18, 20, 22, 24, 26};
	begin();
	room(0, 0, 99, 59);
	area(39, 0, 39, 40, WALL);
	area(40, 0, 60, y0 - 1, WALL);
	area(60, 0, 60, 27, WALL);
	for (int32_t x = 40; x < 60; x++)
		area(x, y0, x, x < 50 ? 14 : edge[x - 50],
		    x <= shelf_x || x >= 50 ? CAIRN_ODDS_UNKNOWN : FREE);
	area(40, 18, shelf_x, 40, WALL);
	find(70, 40, true);
}

START_TEST(floor_behind_a_leaf_that_the_robot_fits_on_is_a_frontier_though_its_edge_slants)
{
	corner_behind_a_leaf(50, 0);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.reachable, 1);
	ck_assert_double_ge(found.items[0].width_m, 0.6); /* all of the edge, the wedge's included */
	area(40, 0, 59, 27, FREE);                        /* once it is seen nothing is left */
	area(40, 18, 50, 40, WALL);
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

START_TEST(floor_behind_a_gap_that_the_robot_does_not_fit_through_is_none)
{
	for (int32_t shelf_x = 48; shelf_x < 57; shelf_x++) {
		corner_behind_a_leaf(shelf_x, 0);
		ck_assert_int_eq((int)found.reachable, 59 - shelf_x >= 8); /* 0.38 m */
		end();
	}
}
END_TEST

START_TEST(hidden_floor_too_small_for_a_look_is_none)
{
	corner_behind_a_leaf(50, 7); /* 0.52 m2 */
	ck_assert_uint_eq(found.total, 1);
	end();
	corner_behind_a_leaf(50, 12); /* 0.27 m2 */
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

/* As past a door's jamb: a strip too narrow for an opening, along a wall. */
START_TEST(a_strip_along_a_wall_is_hidden_floor_when_it_is_long)
{
	begin();
	room(0, 0, 99, 59);
	area(20, 56, 49, 59, CAIRN_ODDS_UNKNOWN); /* 4 x 30 cells = 0.30 m2 */
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.reachable, 1);
	ck_assert_double_eq_tol(found.items[0].width_m, 1.6, 1e-6); /* and a cell beside each of its ends */
	ck_assert_double_lt(found.items[0].goal_y_m, found.items[0].y_m);
	area(20, 56, 20, 59, FREE); /* 0.29 m2 */
	find(20, 30, true);
	ck_assert_uint_eq(found.total, 0);
	end();
}
END_TEST

/* The same at 45 degrees, where a strip of 0.25 m does not hold a square of 0.25 m. */
START_TEST(a_slanting_strip_is_hidden_floor_as_a_straight_one_is)
{
	begin();
	room(0, 0, 99, 59);
	for (int32_t k = 0; k < 40; k++) {
		area(30 + k, 15 + k, 33 + k, 15 + k, WALL);
		if (k >= 10 && k < 30) /* 7 x 20 cells = 0.35 m2 */
			area(34 + k, 15 + k, 40 + k, 15 + k, CAIRN_ODDS_UNKNOWN);
	}
	find(80, 20, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_uint_eq(found.reachable, 1);
	ck_assert_double_lt(found.items[0].goal_y_m, found.items[0].y_m); /* from its open side */
	ck_assert_double_gt(found.items[0].goal_x_m, found.items[0].x_m);
	end();
}
END_TEST

START_TEST(hidden_floor_is_looked_for_when_every_other_frontier_is_given_up)
{
	corner_behind_a_leaf(50, 0);
	uint32_t corner = found.items[0].id;
	area(80, 60, 95, 60, CAIRN_ODDS_UNKNOWN); /* a gap in the upper wall */
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 2); /* what was listed stays, so that no way there ends for that */
	ck_assert(found.items[0].id == corner || found.items[1].id == corner);
	cairn_frontier_finder_destroy(&finder);
	finder = cairn_frontier_finder_new();
	memset(&memory, 0, sizeof(memory));
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 1);
	struct cairn_msg_given_up up = {.x_m = found.items[0].x_m + 0.3, .y_m = found.items[0].y_m};
	ck_assert_double_gt(up.y_m, 2.9);
	cairn_frontier_given_up(finder, &up, 1);
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 2);
	ck_assert_double_lt(fmin(found.items[0].y_m, found.items[1].y_m), 1.2); /* the corner */
	uint32_t id = found.items[found.items[0].y_m < 1.2 ? 0 : 1].id;
	find(70, 40, true);
	ck_assert_uint_eq(found.items[found.items[0].y_m < 1.2 ? 0 : 1].id, id);
	cfg.mission.hidden_min_m2 = 0.0; /* not wanted */
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 1);
	cfg.mission.hidden_min_m2 = 0.30;
	cairn_frontier_given_up(finder, NULL, 0); /* it gets another chance */
	find(70, 40, true);
	ck_assert_uint_eq(found.total, 1);
	ck_assert_double_gt(found.items[0].y_m, 2.9);
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

/* Two gaps lead to the far room: 0.15 and 0.25 m between walls one cell thick, whose middles are a cell farther apart. */
START_TEST(of_what_cannot_be_reached_it_is_told_how_wide_the_way_there_is_where_it_is_narrowest)
{
	begin();
	room(0, 0, 79, 59);
	room(81, 0, 120, 59);
	area(80, 8, 80, 10, FREE);
	area(80, 40, 80, 44, FREE);
	area(121, 10, 121, 40, FREE);
	find(20, 30, true);
	ck_assert_uint_eq(found.items_count, 1);
	ck_assert_double_lt(found.items[0].distance_m, 0.0);
	ck_assert_double_eq_tol(found.items[0].gap_m, 0.30, 0.001);
	ck_assert_double_eq_tol(found.items[0].gap_x_m, 80.5 * 0.05, 0.001);
	ck_assert_double_eq_tol(found.items[0].gap_y_m, 42.5 * 0.05, 0.001);
	ck_assert_double_gt(found.needs_m, found.items[0].gap_m);
	area(80, 36, 80, 47, FREE); /* 0.60 m */
	find(20, 30, true);
	ck_assert_double_gt(found.items[0].distance_m, 0.0);
	ck_assert_double_eq(found.items[0].gap_m, 0.0);
	end();
}
END_TEST

START_TEST(a_wide_opening_behind_a_slot_has_the_nearest_reachable_place_to_look_from)
{
	begin();
	room(0, 0, 79, 59);
	room(81, 0, 120, 59);
	area(80, 28, 80, 30, FREE);
	area(121, 8, 121, 52, FREE); /* 2.25 m */
	find(20, 30, true);
	ck_assert_uint_eq(found.items_count, 1);
	const struct cairn_msg_frontier *f = &found.items[0];
	ck_assert_double_ge(f->width_m, CAIRN_FRONTIER_WIDE_M);
	ck_assert_double_lt(f->distance_m, 0.0);
	ck_assert_double_lt(
	    f->goal_x_m, 79 * 0.05); /* this side of the wall, as near as the robot's clearance lets it */
	ck_assert_double_gt(f->goal_x_m, 72 * 0.05);
	ck_assert_double_eq_tol(f->goal_y_m, f->y_m, 0.2);
	end();
}
END_TEST

/* Behind a slot lies known floor in rows y0 to y1 of cells, open at its far end. Is there a place to look from? */
static bool looked_at_behind_a_slot(int32_t y0, int32_t y1)
{
	begin();
	room(0, 0, 79, 59);
	room(81, y0, 125, y1);
	area(80, 28, 80, 30, FREE);
	area(126, y0 + 1, 126, y1 - 1, FREE);
	find(20, 30, true);
	ck_assert_uint_eq(found.items_count, 1);
	const struct cairn_msg_frontier f = found.items[0];
	end();
	ck_assert_double_lt(f.width_m, CAIRN_FRONTIER_WIDE_M);
	ck_assert_double_lt(f.distance_m, 0.0);
	bool told = f.goal_x_m != f.x_m || f.goal_y_m != f.y_m;
	ck_assert(!told || (f.goal_x_m < 79 * 0.05 && f.goal_x_m > 72 * 0.05));
	return told;
}

START_TEST(an_opening_on_floor_that_the_robot_fits_on_has_a_place_to_look_from_and_one_of_a_niche_has_none)
{
	ck_assert(looked_at_behind_a_slot(14, 45));  /* 1.60 m: its middle has 1.20 m to be in */
	ck_assert(!looked_at_behind_a_slot(25, 34)); /* 0.50 m: it has 0.10 m */
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

CAIRN_TEST_MAIN("map_frontier", a_closed_room_has_no_frontier,
    a_doorway_is_one_frontier_with_a_place_to_stand, openings_narrower_than_asked_for_do_not_count,
    the_kind_follows_the_width_between_walls, unknown_slits_between_far_rays_are_no_frontiers,
    of_slits_between_far_rays_no_narrow_ones_are_hidden_floor_and_others_are,
    a_look_into_a_narrow_gap_opens_nothing, a_wall_seen_in_dashes_is_no_frontier,
    floor_behind_a_leaf_that_the_robot_fits_on_is_a_frontier_though_its_edge_slants,
    floor_behind_a_gap_that_the_robot_does_not_fit_through_is_none, hidden_floor_too_small_for_a_look_is_none,
    a_strip_along_a_wall_is_hidden_floor_when_it_is_long,
    a_slanting_strip_is_hidden_floor_as_a_straight_one_is,
    hidden_floor_is_looked_for_when_every_other_frontier_is_given_up,
    small_enclosed_pockets_do_not_count_and_larger_ones_do,
    what_is_seen_through_a_slot_too_narrow_for_the_robot_cannot_be_reached,
    of_what_cannot_be_reached_it_is_told_how_wide_the_way_there_is_where_it_is_narrowest,
    a_wide_opening_behind_a_slot_has_the_nearest_reachable_place_to_look_from,
    an_opening_on_floor_that_the_robot_fits_on_has_a_place_to_look_from_and_one_of_a_niche_has_none,
    on_a_large_map_doors_stay_doors_and_slots_stay_shut_wherever_they_lie,
    the_distance_is_that_of_the_way_not_of_the_crow, the_way_to_the_start_leads_round_the_walls,
    openings_on_both_sides_of_a_wall_are_two, a_ragged_edge_is_one_frontier_and_a_long_one_is_cut,
    one_stands_where_one_looks_in_not_along, where_the_robot_has_been_it_can_go_again,
    more_openings_than_a_message_holds_are_counted,
    cells_within_half_a_metre_are_one_frontier_and_farther_ones_are_two)
