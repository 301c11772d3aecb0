#include "test/support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/map/grid.h"
#include "test/support/map_world.h"

static struct cairn_rays rays;
static struct cairn_grid grid;

static void begin(double extent_m)
{
	cairn_grid_free(&grid);
	cairn_grid_init(&grid, 0.05, extent_m);
	rays.count = 0;
}

static void add_ray(double x_m, double y_m, bool hit)
{
	size_t i = rays.count++;
	rays.from_x_m[i] = rays.from_y_m[i] = 0.0F;
	rays.x_m[i] = (float)x_m;
	rays.y_m[i] = (float)y_m;
	rays.hit[i] = hit;
}

static int byte_at(int32_t cx, int32_t cy)
{
	uint8_t byte;
	cairn_grid_bytes(&grid, (struct cairn_cell_box){cx, cy, cx, cy}, &byte);
	return byte;
}

START_TEST(a_return_makes_its_cell_occupied_and_the_way_to_it_free)
{
	begin(60.0);
	add_ray(0.52, 0.02, true); /* cell 10; the cells 0..9 are on the way */
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	for (int32_t cx = 0; cx < 10; cx++)
		ck_assert_int_eq(byte_at(cx, 0), 40); /* 100 / (1 + exp(8 / 20)) */
	ck_assert_int_eq(byte_at(10, 0), 70);         /* 100 / (1 + exp(-17 / 20)) */
	ck_assert_int_eq(byte_at(11, 0), 255);
	ck_assert_int_eq(byte_at(-1, 0), 255);
	ck_assert_uint_eq(grid.free_cells, 10);
	ck_assert_uint_eq(grid.occupied_cells, 1);
	ck_assert_int_eq(grid.known.min_cx, 0);
	ck_assert_int_eq(grid.known.max_cx, 10);
}
END_TEST

START_TEST(a_ray_without_return_frees_its_way_and_says_nothing_of_its_end)
{
	begin(60.0);
	add_ray(0.52, 0.02, false);
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	ck_assert_int_eq(byte_at(9, 0), 40);
	ck_assert_int_eq(byte_at(10, 0), 255);
}
END_TEST

START_TEST(many_returns_of_one_scan_in_a_cell_count_once)
{
	begin(60.0);
	for (int i = 0; i < 5; i++)
		add_ray(0.51 + 0.005 * i, 0.02, true);
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	ck_assert_int_eq(byte_at(10, 0), 70);
	ck_assert_int_eq(byte_at(5, 0), 40);
	ck_assert_uint_eq(grid.hits[cairn_grid_index(&grid, 10, 0)], 5);
}
END_TEST

START_TEST(a_return_wins_over_a_ray_that_passes_in_the_same_scan)
{
	begin(60.0);
	add_ray(1.02, 0.02, true); /* passes cell 10 */
	add_ray(0.52, 0.02, true); /* ends there */
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	ck_assert_int_eq(byte_at(10, 0), 70);
}
END_TEST

START_TEST(what_has_gone_is_cleared_by_rays_through_its_place)
{
	begin(60.0);
	add_ray(0.525, 0.025, true);
	for (int i = 0; i < 20; i++)
		cairn_grid_insert(&grid, (struct cairn_pose2){0.0, 0.0, 0.0}, &rays);
	ck_assert_int_ge(byte_at(10, 0), 97);
	rays.x_m[0] = 1.05F; /* the same direction, twice as far */
	rays.y_m[0] = 0.05F;
	for (int i = 0; i < 8; i++) /* 72 - 8 * 8 = 8: not believed yet */
		cairn_grid_insert(&grid, (struct cairn_pose2){0.0, 0.0, 0.0}, &rays);
	ck_assert_int_ge(byte_at(10, 0), 50);
	for (int i = 0; i < 2; i++)
		cairn_grid_insert(&grid, (struct cairn_pose2){0.0, 0.0, 0.0}, &rays);
	ck_assert_int_lt(byte_at(10, 0), 50);
}
END_TEST

/* A LiDAR with half a degree between its rays beside a thin wall along y = 0.65, an edge of cells; side: -1
 * below it, 1 above. */
static void see_wall(struct cairn_rng *rng, double x_m, int side, double lo_m, double hi_m)
{
	rays.count = 0;
	for (int i = 1; i < 360; i++) {
		double angle = 0.5 * M_PI / 180.0 * i,
		       range = 0.55 / sin(angle) + 0.01 * cairn_rng_normal(rng);
		double hit_m = x_m + range * cos(angle);
		if (hit_m > lo_m && hit_m < hi_m)
			add_ray(range * cos(angle), -side * range * sin(angle), true);
	}
	cairn_grid_insert(&grid, (struct cairn_pose2){x_m, 0.65 + side * 0.55, 0.0}, &rays);
}

START_TEST(a_thin_wall_is_not_worn_away_by_rays_along_it_from_both_sides)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	begin(60.0);
	for (int i = 0; i < 5; i++) {
		see_wall(&rng, 0.0, -1, -1.0, 1.0);
		see_wall(&rng, 0.0, 1, -1.0, 1.0);
	}
	for (int i = 0; i < 200; i++) { /* from 4 m on, at 8 degrees and less */
		see_wall(&rng, -5.0 - 0.003 * i, -1, -1.0, 4.0);
		see_wall(&rng, -5.0 - 0.003 * i, 1, -1.0, 4.0);
	}
	int whole = 0;
	for (int32_t cx = -18; cx < 18; cx++)
		whole += byte_at(cx, 12) >= 65 || byte_at(cx, 13) >= 65;
	ck_assert_int_ge(whole, 34);
}
END_TEST

/* One turn with half a degree between rays in the middle of a corridor from x = 0 to 14 m with walls at y = 0.63 and 1.17, seen
 * with a heading that is off by turn_rad. */
static void look_along_corridor(struct cairn_rng *rng, double x_m, double turn_rad)
{
	rays.count = 0;
	for (int i = 0; i < 720; i++) {
		double angle = 0.5 * M_PI / 180.0 * i + 0.001, c = cos(angle), s = sin(angle);
		double range =
		    fmin(0.27 / fmax(fabs(s), 1e-9), (c > 0.0 ? 14.0 - x_m : x_m) / fmax(fabs(c), 1e-9));
		range += 0.01 * cairn_rng_normal(rng);
		add_ray(range * c, range * s, true);
	}
	cairn_rays_find_faces(&rays);
	cairn_grid_insert(&grid, (struct cairn_pose2){x_m, 0.90, turn_rad}, &rays);
}

/* The wall's cells are seen one by one from beside them; from 8 m away neighbouring returns are metres apart, and every turn most of
 * the wall is passed by a ray a few centimetres before it. */
START_TEST(a_corridors_wall_seen_from_near_stays_while_the_robot_looks_along_it_from_afar)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 7, 1);
	begin(60.0);
	for (int i = 0; i < 140; i++)
		look_along_corridor(&rng, 13.5 - 0.08 * i, 0.002 * cairn_rng_normal(&rng));
	for (int i = 0; i < 300; i++)
		look_along_corridor(&rng, 2.2, 0.002 * cairn_rng_normal(&rng));
	int gaps = 0;
	for (int32_t cx = cairn_grid_cell(&grid, 9.0); cx < cairn_grid_cell(&grid, 13.5); cx++)
		gaps += (byte_at(cx, 12) < 65 && byte_at(cx, 13) < 65) +
			(byte_at(cx, 23) < 65 && byte_at(cx, 22) < 65);
	ck_assert_int_le(gaps, 6); /* of 180 */
}
END_TEST

START_TEST(growing_keeps_every_cell_where_it_was)
{
	begin(60.0);
	add_ray(0.52, 0.02, true);
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	uint32_t layout = grid.layout;
	cairn_grid_insert(&grid, (struct cairn_pose2){-12.0, -9.0, M_PI}, &rays);
	cairn_grid_insert(&grid, (struct cairn_pose2){14.0, 11.0, 0.0}, &rays);
	ck_assert_uint_ne(grid.layout, layout);
	ck_assert_int_eq(byte_at(10, 0), 70);
	ck_assert_int_eq(byte_at(3, 0), 40);
	ck_assert_int_eq(byte_at(cairn_grid_cell(&grid, -12.52), cairn_grid_cell(&grid, -9.02)), 70);
	ck_assert_int_eq(byte_at(cairn_grid_cell(&grid, 14.52), cairn_grid_cell(&grid, 11.02)), 70);
}
END_TEST

START_TEST(the_map_does_not_grow_beyond_its_limit)
{
	begin(10.0);
	add_ray(0.52, 0.02, true);
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays);
	cairn_grid_insert(&grid, (struct cairn_pose2){30.0, 0.0, 0.0}, &rays);
	ck_assert_int_le(grid.width, 200);
	ck_assert_uint_eq(grid.clipped, 1);
	ck_assert_int_eq(byte_at(10, 0), 70);
	struct cairn_cell_box box = cairn_grid_published(&grid);
	ck_assert_int_le(box.max_cx - box.min_cx + 1, 200);
}
END_TEST

START_TEST(a_visit_counts_when_the_robot_comes_not_while_it_stays)
{
	begin(60.0);
	struct cairn_vec2 a = {0.025, 0.025}, b = {1.025, 0.025};
	cairn_grid_visit(&grid, a, a, 0.01, true);
	cairn_grid_visit(&grid, a, a, 0.01, false);
	ck_assert_uint_eq(grid.visits[cairn_grid_index(&grid, 0, 0)], 1);
	cairn_grid_visit(&grid, a, b, 0.01, false);
	cairn_grid_visit(&grid, b, a, 0.01, false);
	ck_assert_uint_eq(grid.visits[cairn_grid_index(&grid, 0, 0)], 2);
	ck_assert_uint_eq(grid.visited_cells, 2);
	ck_assert_int_lt(byte_at(0, 0), 50); /* where the robot stood nothing is */
}
END_TEST

START_TEST(the_published_box_lies_on_multiples_of_16_cells_around_all_that_is_known)
{
	begin(60.0);
	ck_assert(cairn_cell_box_empty(cairn_grid_published(&grid)));
	add_ray(0.52, 0.02, true);
	cairn_grid_insert(&grid, (struct cairn_pose2){0.01, 0.0, 0.0}, &rays); /* known: cells 0..10, 0 */
	struct cairn_cell_box box = cairn_grid_published(&grid);
	ck_assert_int_eq(box.min_cx, -16);
	ck_assert_int_eq(box.min_cy, -16);
	ck_assert_int_eq(box.max_cx, 31);
	ck_assert_int_eq(box.max_cy, 15);
}
END_TEST

START_TEST(figures_and_box_agree_with_the_cells_whatever_is_inserted)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 1);
	begin(60.0);
	for (int scan = 0; scan < CAIRN_ROUNDS(60); scan++) {
		rays.count = 0;
		for (int i = 0; i < 60; i++)
			add_ray(8.0 * cairn_rng_uniform(&rng) - 4.0, 8.0 * cairn_rng_uniform(&rng) - 4.0,
			    i % 5 != 0);
		struct cairn_pose2 pose = {
		    6.0 * cairn_rng_uniform(&rng), -6.0 * cairn_rng_uniform(&rng), scan};
		cairn_grid_insert(&grid, pose, &rays);
	}
	uint32_t free_cells = 0, occupied = 0;
	struct cairn_cell_box box = cairn_cell_box_none();
	for (int32_t y = 0; y < grid.height; y++) {
		for (int32_t x = 0; x < grid.width; x++) {
			int8_t odds = grid.odds[(size_t)y * (size_t)grid.width + (size_t)x];
			free_cells += cairn_odds_free(odds);
			occupied += cairn_odds_occupied(odds);
			if (odds != CAIRN_ODDS_UNKNOWN)
				cairn_cell_box_add(&box, x + grid.cx0, y + grid.cy0);
		}
	}
	ck_assert_uint_gt(occupied, 100);
	ck_assert_uint_eq(grid.free_cells, free_cells);
	ck_assert_uint_eq(grid.occupied_cells, occupied);
	ck_assert_mem_eq(&grid.known, &box, sizeof(box));
}
END_TEST

/* Cell by cell with the next border on each axis (Amanatides and Woo 1987). */
static void walk_plainly(uint8_t *passed, int32_t side, double x0, double y0, double x1, double y1)
{
	int32_t x = (int32_t)floor(x0), y = (int32_t)floor(y0);
	int32_t steps = abs((int32_t)floor(x1) - x) + abs((int32_t)floor(y1) - y);
	double dx = x1 - x0, dy = y1 - y0;
	double next_x = dx > 0.0 ? (x + 1 - x0) / dx : dx < 0.0 ? (x - x0) / dx : HUGE_VAL;
	double next_y = dy > 0.0 ? (y + 1 - y0) / dy : dy < 0.0 ? (y - y0) / dy : HUGE_VAL;
	for (int32_t i = 0; i < steps; i++) {
		passed[y * side + x] = 1;
		if (next_x < next_y) {
			x += dx > 0.0 ? 1 : -1;
			next_x += fabs(1.0 / dx);
		} else {
			y += dy > 0.0 ? 1 : -1;
			next_y += fabs(1.0 / dy);
		}
	}
}

START_TEST(a_ray_misses_exactly_the_cells_that_it_passes_whichever_way_it_goes)
{
	enum { SIDE = 400 };
	static uint8_t passed[SIDE * SIDE];
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	for (int i = 0; i < CAIRN_ROUNDS(400); i++) {
		begin(40.0);
		/* Some along an axis and on the borders between cells, most anywhere. */
		double x = i % 8 == 0 || i % 16 == 2 ? 2.0 : 4.0 * cairn_rng_uniform(&rng),
		       y = i % 8 == 1 || i % 16 == 3 ? 3.0 : 4.0 * cairn_rng_uniform(&rng);
		double to_x = i % 16 == 2 ? 0.0 : 10.0 * cairn_rng_uniform(&rng) - 5.0,
		       to_y = i % 16 == 3 ? 0.0 : 10.0 * cairn_rng_uniform(&rng) - 5.0;
		add_ray(to_x, to_y, false);
		cairn_grid_insert(&grid, (struct cairn_pose2){x, y, 0.0}, &rays);
		memset(passed, 0, sizeof(passed));
		double ex = (double)rays.x_m[0], ey = (double)rays.y_m[0];
		walk_plainly(passed, SIDE, x / 0.05 + 150.0, y / 0.05 + 150.0, (x + ex) / 0.05 + 150.0,
		    (y + ey) / 0.05 + 150.0);
		uint32_t count = 0;
		for (int32_t k = 0; k < SIDE * SIDE; k++) {
			int32_t cx = k % SIDE - 150, cy = k / SIDE - 150;
			bool known = cairn_grid_odds(&grid, cx, cy) != CAIRN_ODDS_UNKNOWN;
			if (known != (passed[k] != 0))
				ck_abort_msg(
				    "ray %d from %f %f by %f %f: cell %d %d", i, x, y, ex, ey, cx, cy);
			count += known;
		}
		ck_assert_uint_eq(count, grid.free_cells);
	}
}
END_TEST

CAIRN_TEST_MAIN("map_grid", a_return_makes_its_cell_occupied_and_the_way_to_it_free,
    a_ray_without_return_frees_its_way_and_says_nothing_of_its_end,
    many_returns_of_one_scan_in_a_cell_count_once, a_return_wins_over_a_ray_that_passes_in_the_same_scan,
    what_has_gone_is_cleared_by_rays_through_its_place,
    a_thin_wall_is_not_worn_away_by_rays_along_it_from_both_sides,
    a_corridors_wall_seen_from_near_stays_while_the_robot_looks_along_it_from_afar,
    growing_keeps_every_cell_where_it_was, the_map_does_not_grow_beyond_its_limit,
    a_visit_counts_when_the_robot_comes_not_while_it_stays,
    the_published_box_lies_on_multiples_of_16_cells_around_all_that_is_known,
    figures_and_box_agree_with_the_cells_whatever_is_inserted,
    a_ray_misses_exactly_the_cells_that_it_passes_whichever_way_it_goes)
