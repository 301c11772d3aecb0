#include "common/plan/heading_mask.h"

#include "common/base/rng.h"
#include "test/support/grids.h"
#include "test/support/runner.h"

static const struct cairn_costmap_params params = {0.35, 0.10, 20.0, 50.0, 3.0, 0.0};
static const struct cairn_footprint body = {0.27, 0.08, 0.10};

static void load(struct cairn_costmap *cm, const struct test_grid *g)
{
	struct cairn_plan_grid view = test_grid_view(g);
	cairn_costmap_init(cm, &params);
	ck_assert_int_eq(cairn_costmap_set_grid(cm, &view, NULL, &body), 0);
}

/* The answer, which must be the one that is kept. */
static bool passes(const struct cairn_heading_mask *w, int x, int y, enum cairn_heading_way way)
{
	uint8_t known = 0;
	bool open = cairn_heading_mask_look(w, y * w->cm->width + x, way, &known), kept;
	ck_assert(cairn_heading_mask_known(known, way, &kept));
	ck_assert(kept == open);
	return open;
}

START_TEST(a_gap_of_one_body_width_is_passed_along_its_axis_alone)
{
	struct test_grid g = test_grid_new(4.0, 4.0, 0.05);
	test_grid_box(&g, 0.0, 2.0, 4.0, 2.05, 100);
	test_grid_box(&g, 1.85, 2.0, 2.15, 2.05, 0); /* six cells: 0.30 m and the obstacles' round edges */
	struct cairn_costmap cm;
	struct cairn_heading_mask w = {0};
	struct cairn_cell_bits bits = {0};
	struct cairn_rect rect = cairn_rect_around(&body, 0.02);
	load(&cm, &g);
	ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
	cairn_heading_mask_start(&w, &cm, &bits, &rect);
	ck_assert(passes(&w, 39, 40, CAIRN_HEADING_WAY_Y));
	ck_assert(!passes(&w, 39, 40, CAIRN_HEADING_WAY_X));
	ck_assert(!passes(&w, 36, 40, CAIRN_HEADING_WAY_Y)); /* beside a post */
	test_grid_box(&g, 1.80, 2.0, 1.95, 2.05, 100);
	cairn_costmap_free(&cm);
	load(&cm, &g);
	ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
	cairn_heading_mask_start(&w, &cm, &bits, &rect);
	for (int x = 38; x < 44; x++) /* 0.20 m: a disc of the half width passes, the body does not */
		ck_assert(!passes(&w, x, 40, CAIRN_HEADING_WAY_Y));
	ck_assert(passes(&w, 40, 10, CAIRN_HEADING_WAY_FALLING));
	cairn_cell_bits_free(&bits);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(ways_agree_with_the_footprint_laid_at_every_heading)
{
	struct test_grid g = test_grid_new(3.0, 2.5, 0.05);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 6, 1);
	for (int i = 0; i < g.width * g.height; i++)
		g.cells[i] = cairn_rng_uniform(&rng) < 0.02 ? 100 : 0;
	struct cairn_costmap cm;
	struct cairn_heading_mask w = {0};
	struct cairn_cell_bits bits = {0};
	struct cairn_rect rect = cairn_rect_around(&body, 0.033);
	load(&cm, &g);
	ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
	cairn_heading_mask_start(&w, &cm, &bits, &rect);
	int open = 0, shut = 0;
	for (int index = 0; index < g.width * g.height; index++) {
		if (cm.dist[index] >= w.clear_cells)
			continue;
		struct cairn_vec2 at = cairn_costmap_center(&cm, index);
		for (int way = 0; way < 4; way++) {
			bool want = false;
			for (int k = -2; k <= 2; k++)
				for (int about = 0; about < 2; about++) {
					struct cairn_pose2 pose = {at.x_m, at.y_m,
					    way * M_PI / 4.0 + k * M_PI / 12.0 + about * M_PI};
					want = want || cairn_costmap_fits(&cm, &pose, &rect);
				}
			ck_assert(passes(&w, index % g.width, index / g.width, (enum cairn_heading_way)way) ==
				  want);
			open += want;
			shut += !want;
		}
	}
	ck_assert_int_gt(open, 300);
	ck_assert_int_gt(shut, 300);
	cairn_cell_bits_free(&bits);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(obstacle_bits_are_the_cells_and_nothing_stands_around_them)
{
	for (int width = 57; width <= 70; width++) {
		struct test_grid g = test_grid_new(0.05 * width, 0.5, 0.05);
		ck_assert_int_eq(g.width, width);
		struct cairn_rng rng;
		cairn_rng_seed(&rng, (uint64_t)width, 1);
		for (int i = 0; i < g.width * g.height; i++)
			g.cells[i] = cairn_rng_uniform(&rng) < 0.3 ? 100 : 0;
		struct cairn_costmap cm;
		struct cairn_cell_bits bits = {0};
		load(&cm, &g);
		cm.cells[0] |= CAIRN_CELL_LIVE;
		cm.cells[1] |= CAIRN_CELL_KEEPOUT;
		cm.cells[2] = CAIRN_CELL_UNKNOWN | CAIRN_CELL_SLOW | CAIRN_CELL_UNSEEN | CAIRN_CELL_LEAVE;
		ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
		const int margin = CAIRN_CELL_BITS_MARGIN;
		for (int y = -margin; y < g.height + margin; y++)
			for (int x = -margin; x < g.width; x++) {
				uint64_t want = 0;
				for (int k = 0; k < 64; k++) {
					bool inside = y >= 0 && y < g.height && x + k >= 0 && x + k < g.width;
					bool stands = inside && (cm.cells[y * g.width + x + k] &
								    CAIRN_CELL_OBSTACLE) != 0;
					want |= (uint64_t)stands << k;
				}
				ck_assert_uint_eq(cairn_cell_bits_from(&bits, x, y), want);
			}
		cairn_cell_bits_free(&bits);
		cairn_costmap_free(&cm);
		free(g.cells);
	}
}
END_TEST

CAIRN_TEST_MAIN("ways", obstacle_bits_are_the_cells_and_nothing_stands_around_them,
    a_gap_of_one_body_width_is_passed_along_its_axis_alone,
    ways_agree_with_the_footprint_laid_at_every_heading)
