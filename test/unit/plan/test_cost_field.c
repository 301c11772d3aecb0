#include "common/plan/cost_field.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/plan/astar.h"
#include "test/support/grids.h"
#include "test/support/runner.h"

static const struct cairn_costmap_params params = {
    .inflation_m = 0.35, .inscribed_m = 0.10, .near_cost = 20.0, .unknown_cost = 50.0, .slow_cost = 3.0};
static const struct cairn_footprint body = {0.27, 0.08, 0.10};

static void load(struct cairn_costmap *cm, const struct test_grid *g)
{
	struct cairn_plan_grid view = test_grid_view(g);
	cairn_costmap_init(cm, &params);
	ck_assert_int_eq(cairn_costmap_set_grid(cm, &view, NULL, &body), 0);
}

static void check_cost_to_go(bool aimed)
{
	struct test_grid g = test_grid_flat(0.10, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	int n = g.width * g.height;
	uint8_t *open = malloc((size_t)n);
	float *factor = malloc((size_t)n * sizeof(*factor));
	struct cairn_cost_field field = {0};
	ck_assert_int_eq(cairn_cost_field_start(&field, &cm, 1, 0.14, NULL, 0.0, NULL), 0);
	for (int i = 0; i < n; i++) {
		open[i] = cairn_cost_field_open(&field, i);
		factor[i] = cairn_costmap_cost(&cm, i);
	}
	int goal = cairn_costmap_index(&cm, 11.0, 8.3);
	if (aimed)
		cairn_cost_field_aim(&field, cairn_costmap_index(&cm, 0.5, 3.2));
	ck_assert(cairn_cost_field_seed(&field, goal, 0.0f));
	struct cairn_astar *a = cairn_astar_new();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	for (int k = 0; k < 60; k++) {
		int from = (int)(cairn_rng_u32(&rng) % (uint32_t)n);
		struct cairn_astar_query q = {.passable = open,
		    .factor = factor,
		    .width = g.width,
		    .height = g.height,
		    .start = from,
		    .goal = goal};
		struct cairn_astar_stats st;
		float got = cairn_cost_field_at(&field, from);
		if (cairn_astar_search(a, &q, &st) == CAIRN_ASTAR_OK)
			ck_assert_double_eq_tol((double)got, st.length, 1e-3 * st.length + 1e-3);
		else
			ck_assert_float_infinite(got);
	}
	cairn_astar_destroy(&a);
	cairn_cost_field_free(&field);
	cairn_costmap_free(&cm);
	free(open);
	free(factor);
	free(g.cells);
}

START_TEST(cost_to_go_agrees_with_a_star)
{
	check_cost_to_go(false);
}
END_TEST

START_TEST(cost_to_go_is_the_same_when_the_wave_is_aimed)
{
	check_cost_to_go(true);
}
END_TEST

/* Far from every obstacle a cell costs one: lengths are those of octile steps. */
START_TEST(blocks_count_in_the_cells_of_the_costmap)
{
	struct test_grid g =
	    test_grid_new(2.05, 1.55, 0.05); /* 41 x 31: the last block of a row has one cell */
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_cost_field field = {0};
	ck_assert_int_eq(cairn_cost_field_start(&field, &cm, 2, 0.14, NULL, 0.0, NULL), 0);
	ck_assert(cairn_cost_field_seed(&field, 0, 0.0f));
	ck_assert_float_eq_tol(cairn_cost_field_at(&field, 1), 0.0f, 1e-6f);   /* same block */
	ck_assert_float_eq_tol(cairn_cost_field_at(&field, 20), 20.0f, 1e-4f); /* ten blocks along */
	ck_assert_float_eq_tol(cairn_cost_field_at(&field, 40), 40.0f, 1e-4f); /* the cut-off block */
	ck_assert_float_eq_tol(cairn_cost_field_at(&field, 20 * 41 + 20), 28.2843f, 1e-3f);
	ck_assert_float_eq_tol(
	    cairn_cost_field_at(&field, 30 * 41 + 40), 52.4264f, 1e-3f); /* 15 slant, 5 along */
	cairn_cost_field_free(&field);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

/* What is reached cell by cell is reached by blocks, and costs about the same. */
START_TEST(blocks_reach_what_cells_reach_at_about_the_same_cost)
{
	struct test_grid g = test_grid_flat(0.10, 0.70);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_cost_field fine = {0}, coarse = {0};
	ck_assert_int_eq(cairn_cost_field_start(&fine, &cm, 1, 0.14, NULL, 0.0, NULL), 0);
	ck_assert_int_eq(cairn_cost_field_start(&coarse, &cm, 2, 0.14, NULL, 0.0, NULL), 0);
	int goal = cairn_costmap_index(&cm, 11.0, 8.3), reached = 0;
	ck_assert(cairn_cost_field_seed(&fine, goal, 0.0f));
	ck_assert(cairn_cost_field_seed(&coarse, goal, 0.0f));
	for (int i = 0; i < g.width * g.height; i++) {
		ck_assert_int_eq(cairn_cost_field_open(&fine, i), cairn_cost_field_open(&coarse, i));
		float exact = cairn_cost_field_at(&fine, i);
		if (!(exact < INFINITY))
			continue;
		reached++;
		ck_assert_float_eq_tol(cairn_cost_field_at(&coarse, i), exact, 0.25f * exact + 40.0f);
	}
	ck_assert_int_gt(reached, 5000);
	cairn_cost_field_free(&fine);
	cairn_cost_field_free(&coarse);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

/* The middle of a gap of one open cell, which may lie in either half of a block. */
START_TEST(a_gap_of_one_cell_stays_open_in_blocks_and_a_wall_closed)
{
	for (int shift = 0; shift < 2; shift++) {
		for (int gap = 0; gap < 2; gap++) {
			struct test_grid g = test_grid_new(4.0, 3.0, 0.05);
			int low = 27 + shift;
			for (int y = 0; y < g.height; y++)
				if (gap == 0 || y <= low ||
				    y >= low + 6) /* five free rows, 0.15 m to each side */
					g.cells[y * g.width + 40] = 100;
			struct cairn_costmap cm;
			load(&cm, &g);
			struct cairn_cost_field field = {0};
			ck_assert_int_eq(cairn_cost_field_start(&field, &cm, 2, 0.14, NULL, 0.0, NULL), 0);
			ck_assert(cairn_cost_field_seed(&field, 30 * g.width + 20, 0.0f));
			ck_assert_int_eq(cairn_cost_field_at(&field, 30 * g.width + 60) < INFINITY, gap == 1);
			cairn_cost_field_free(&field);
			cairn_costmap_free(&cm);
			free(g.cells);
		}
	}
}
END_TEST

/* What a block of two costs, cell by cell. */
static float plain_block_cost(const struct cairn_cost_field *f, int x, int y, double radius_m)
{
	const struct cairn_costmap *cm = f->cm;
	float sum = 0.0f;
	int open = 0;
	for (int v = 2 * y; v < 2 * y + 2 && v < cm->height; v++)
		for (int u = 2 * x; u < 2 * x + 2 && u < cm->width; u++) {
			int index = v * cm->width + u;
			bool wide = (double)cm->dist[index] * cm->cell_m >= radius_m;
			bool eased = u >= f->ease.x0 && u < f->ease.x1 && v >= f->ease.y0 && v < f->ease.y1 &&
				     cm->dist[index] > 0.0f;
			sum += wide ? cairn_costmap_cost(cm, index) : eased ? 60.0f : 0.0f;
			open += wide || eased;
		}
	return open > 0 ? sum / (float)open : 0.0f;
}

START_TEST(blocks_cost_the_mean_of_their_open_cells_to_the_bit)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, 1);
	struct cairn_cost_field field = {0};
	int dear = 0, eased = 0, closed = 0;
	for (int round = 0; round < 40; round++) {
		struct test_grid g = test_grid_new(0.05 * (60 + round % 7), 0.05 * (41 + round % 3), 0.05);
		for (int i = 0; i < g.width * g.height; i++) {
			double u = cairn_rng_uniform(&rng);
			g.cells[i] = u < 0.01 ? 100 : u < 0.1 ? 255 : 0;
		}
		struct cairn_costmap cm;
		load(&cm, &g);
		for (int i = 0; i < g.width * g.height; i++)
			cm.cells[i] |= cairn_rng_uniform(&rng) < 0.2 ? CAIRN_CELL_SLOW : 0;
		struct cairn_pose2 at = {
		    3.2 * cairn_rng_uniform(&rng) - 0.1, 2.2 * cairn_rng_uniform(&rng) - 0.1, 0.0};
		const double radius_m = 0.10 + 0.01 * (round % 5);
		ck_assert_int_eq(cairn_cost_field_start(&field, &cm, 2, radius_m, &at, 0.4, NULL), 0);
		for (int i = 0; i < g.width * g.height; i++)
			(void)cairn_cost_field_seed(&field, i, 0.0f);
		cairn_cost_field_finish(&field);
		for (int y = 0; y < field.height; y++)
			for (int x = 0; x < field.width && field.row_known[y + 1]; x++) {
				float got = field.cost[cairn_cost_field_block(&field, 2 * x, 2 * y)];
				ck_assert_float_eq(got, plain_block_cost(&field, x, y, radius_m));
				dear += got > 3.0f && got < 60.0f;
				eased += got == 60.0f;
				closed += got == 0.0f;
			}
		cairn_costmap_free(&cm);
		free(g.cells);
	}
	ck_assert_int_gt(dear, 5000);
	ck_assert_int_gt(eased, 50);
	ck_assert_int_gt(closed, 500);
	cairn_cost_field_free(&field);
}
END_TEST

CAIRN_TEST_MAIN("cost_field", blocks_cost_the_mean_of_their_open_cells_to_the_bit,
    cost_to_go_agrees_with_a_star, cost_to_go_is_the_same_when_the_wave_is_aimed,
    blocks_count_in_the_cells_of_the_costmap, blocks_reach_what_cells_reach_at_about_the_same_cost,
    a_gap_of_one_cell_stays_open_in_blocks_and_a_wall_closed)
