#include "common/plan/costmap.h"

#include "common/base/rng.h"
#include "common/plan/cell_bits.h"
#include "common/plan/footprint_mask.h"
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

START_TEST(cost_falls_from_the_peak_to_one_at_the_inflation_distance)
{
	struct test_grid g = test_grid_new(2.0, 0.5, 0.05);
	test_grid_box(&g, 0.0, 0.0, 0.05, 0.5, 100); /* the first column */
	g.cells[5 * g.width + 30] = CAIRN_GRID_UNKNOWN;
	g.cells[5 * g.width + 34] = 64; /* nearly occupied is not occupied */
	struct cairn_costmap cm;
	load(&cm, &g);
	int y = 5 * g.width;
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 1), 20.0f, 1e-4f);  /* 0.05 m */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 2), 20.0f, 1e-4f);  /* 0.10 m */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 4), 7.84f, 1e-3f);  /* 1 + 19 * (0.15 / 0.25)^2 */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 6), 1.76f, 1e-3f);  /* 1 + 19 * (0.05 / 0.25)^2 */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 7), 1.0f, 1e-4f);   /* 0.35 m */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 30), 50.0f, 1e-4f); /* unknown */
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, y + 34), 1.0f, 1e-4f);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(footprint_tests_agree_with_distances_measured_cell_by_cell)
{
	struct test_grid g = test_grid_new(4.0, 3.0, 0.05);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	for (int i = 0; i < g.width * g.height; i++)
		g.cells[i] = cairn_rng_uniform(&rng) < 0.01 ? 100 : 0;
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_rect rect = cairn_rect_around(&body, 0.03);
	struct cairn_cell_bits bits = {0};
	struct cairn_footprint_masks stamps = {0};
	ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
	ck_assert_int_eq(cairn_footprint_masks_start(&stamps, &rect, 0.05), 0);
	ck_assert_ptr_nonnull(stamps.stamp);
	int fits = 0, not = 0;
	for (int i = 0; i < CAIRN_ROUNDS(3000); i++) {
		struct cairn_pose2 p = {4.0 * cairn_rng_uniform(&rng), 3.0 * cairn_rng_uniform(&rng),
		    7.0 * cairn_rng_uniform(&rng) - 3.5};
		double nearest = 0.5;
		for (int y = 0; y < g.height; y++)
			for (int x = 0; x < g.width; x++) {
				if (g.cells[y * g.width + x] != 100)
					continue;
				struct cairn_pose2 q = cairn_pose_between(
				    p, (struct cairn_pose2){(x + 0.5) * 0.05, (y + 0.5) * 0.05, 0.0});
				double ox = fmax(q.x_m - 0.30, -0.11 - q.x_m), oy = fabs(q.y_m) - 0.13;
				double d = ox > 0.0 && oy > 0.0 ? hypot(ox, oy) : fmax(ox, oy);
				nearest = fmin(nearest, d - 0.025);
			}
		ck_assert_double_eq_tol(cairn_costmap_clearance(&cm, &p, &rect, 0.5), nearest, 1e-9);
		bool fit = cairn_costmap_fits(&cm, &p, &rect);
		if (fabs(nearest) > 1e-9)
			ck_assert(fit == (nearest > 0.0));
		ck_assert(cairn_costmap_fits_bits(
			      &cm, &bits, p.x_m, p.y_m, cos(p.yaw_rad), sin(p.yaw_rad), &rect) == fit);
		ck_assert(cairn_footprint_masks_fit(
			      &stamps, &cm, &bits, &p, cos(p.yaw_rad), sin(p.yaw_rad)) == fit);
		fits += nearest > 0.0;
		not += nearest < 0.0;
	}
	ck_assert_int_gt(fits, CAIRN_ROUNDS(3000) / 10);
	ck_assert_int_gt(not, CAIRN_ROUNDS(3000) / 10);
	cairn_footprint_masks_free(&stamps);
	cairn_cell_bits_free(&bits);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(stamps_that_few_cells_make_give_the_answers_of_the_footprint_itself)
{
	/* Obstacles on both sides of the outline, closer to it than a stamp can tell; a rectangle that is not
	 * the same on all sides, and one too large for stamps. */
	const struct cairn_rect rects[] = {
	    {0.435, 0.12, 0.14, 0.10}, {0.31, 0.245, 0.14, 0.14}, {1.5, 0.4, 0.3, 0.3}};
	struct test_grid g = test_grid_new(6.0, 6.0, 0.05);
	struct cairn_costmap cm;
	struct cairn_cell_bits bits = {0};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	test_grid_border(&g);
	for (int i = 0; i < g.width * g.height; i++)
		if (cairn_rng_uniform(&rng) < 0.006)
			g.cells[i] = 100;
	load(&cm, &g);
	ck_assert_int_eq(cairn_cell_bits_take(&bits, &cm, CAIRN_CELL_OBSTACLE), 0);
	for (size_t k = 0; k < sizeof(rects) / sizeof(rects[0]); k++) {
		struct cairn_footprint_masks stamps = {0};
		int fits = 0, not = 0;
		ck_assert_int_eq(cairn_footprint_masks_start(&stamps, &rects[k], 0.05), 0);
		ck_assert((stamps.stamp != NULL) == (k < 2));
		for (int i = 0; i < CAIRN_ROUNDS(40000); i++) {
			struct cairn_pose2 p = {6.0 * cairn_rng_uniform(&rng), 6.0 * cairn_rng_uniform(&rng),
			    20.0 * cairn_rng_uniform(&rng) - 10.0};
			bool fit = cairn_costmap_fits(&cm, &p, &rects[k]);
			ck_assert(cairn_footprint_masks_fit(
				      &stamps, &cm, &bits, &p, cos(p.yaw_rad), sin(p.yaw_rad)) == fit);
			fits += fit;
			not += !fit;
		}
		ck_assert_int_gt(fits, 20);
		ck_assert_int_gt(not, 1000);
		cairn_footprint_masks_free(&stamps);
	}
	cairn_cell_bits_free(&bits);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(live_points_are_laid_over_the_map_and_taken_away_again)
{
	struct test_grid g = test_grid_new(5.0, 5.0, 0.05);
	test_grid_border(&g);
	struct cairn_costmap cm, both;
	load(&cm, &g);
	const struct cairn_vec2 points[] = {
	    {2.52, 2.52}, {2.57, 2.52}, {0.07, 1.0}, {9.0, 1.0}, {NAN, 1.0}, {3.4, 1.1}};
	/* The third lies beside the wall of the map: the same wall. */
	ck_assert_int_eq(cairn_costmap_set_live(&cm, points, 6, 0.08), 3);
	test_grid_box(&g, 2.5, 2.5, 2.6, 2.55, 100);
	test_grid_box(&g, 3.4, 1.1, 3.45, 1.15, 100);
	load(&both, &g);
	for (int i = 0; i < g.width * g.height; i++)
		ck_assert_float_eq_tol(cairn_costmap_cost(&cm, i), cairn_costmap_cost(&both, i), 1e-5f);
	struct cairn_rect rect = cairn_rect_around(&body, 0.0);
	struct cairn_pose2 there = {2.4, 2.5, 0.0};
	ck_assert(!cairn_costmap_fits(&cm, &there, &rect));
	ck_assert_int_eq(cairn_costmap_set_live(&cm, NULL, 0, 0.0), 0);
	ck_assert(cairn_costmap_fits(&cm, &there, &rect));
	for (int i = 0; i < g.width * g.height; i++)
		ck_assert_float_eq(cm.dist[i], cm.map_dist[i]);
	cairn_costmap_free(&cm);
	cairn_costmap_free(&both);
	free(g.cells);
}
END_TEST

START_TEST(cells_under_the_robot_are_free)
{
	struct test_grid g = test_grid_new(3.0, 3.0, 0.05);
	test_grid_box(&g, 1.6, 1.4, 1.65, 1.6, 100);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_pose2 pose = {1.5, 1.5, 0.0};
	struct cairn_rect rect = cairn_rect_around(&body, 0.0);
	ck_assert(!cairn_costmap_fits(&cm, &pose, &rect));
	ck_assert(cairn_costmap_clear_under(&cm, &pose, &body));
	ck_assert_double_gt(cairn_costmap_clearance(&cm, &pose, &rect, 0.5), -0.03);
	ck_assert_float_gt(cm.dist[cairn_costmap_index(&cm, 1.625, 1.525)], 0.5f);
	ck_assert(!cairn_costmap_clear_under(&cm, &pose, &body));
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(impossible_grids_are_refused_and_the_old_one_stays)
{
	struct test_grid g = test_grid_new(1.0, 1.0, 0.05);
	struct cairn_costmap cm;
	load(&cm, &g);
	struct cairn_plan_grid bad[5];
	for (int i = 0; i < 5; i++)
		bad[i] = test_grid_view(&g);
	bad[0].width = 0;
	bad[1].height = -4;
	bad[2].cell_m = NAN;
	bad[3].origin_x_m = INFINITY;
	bad[4].cells = NULL;
	for (int i = 0; i < 5; i++)
		ck_assert_int_lt(cairn_costmap_set_grid(&cm, &bad[i], NULL, &body), 0);
	ck_assert_int_eq(cm.width, 20);
	ck_assert_int_eq(cairn_costmap_index(&cm, -0.01, 0.5), -1);
	ck_assert_int_eq(cairn_costmap_index(&cm, NAN, 0.5), -1);
	ck_assert_int_eq(cairn_costmap_index(&cm, 0.99, 0.99), 399);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(zones_close_and_slow_the_cells_they_touch)
{
	struct test_grid g = test_grid_new(4.0, 4.0, 0.05);
	struct cairn_costmap cm;
	load(&cm, &g);
	const struct cairn_plan_zone zones[3] = {
	    {.keepout = true, .count = 4, .corners = {{1, 1}, {2, 1}, {2, 2}, {1, 2}}},
	    {.speed_max_mps = 0.1, .count = 3, .corners = {{3, 3}, {4, 3}, {4, 4}}},
	    {.keepout = true, .count = 2, .corners = {{0, 0}, {1, 1}}}};
	struct cairn_pose2 outside = {0.5, 0.5, 0.0}, inside = {1.5, 1.5, 0.0};
	struct cairn_rect rect = cairn_rect_around(&body, 0.0);
	ck_assert_int_eq(cairn_costmap_set_zones(&cm, zones, 3, &outside), 2);
	ck_assert(!cairn_costmap_fits(&cm, &inside, &rect));
	ck_assert_float_eq(cm.dist[cairn_costmap_index(&cm, 1.5, 1.01)], 0.0f);
	ck_assert_float_gt(cm.dist[cairn_costmap_index(&cm, 1.5, 0.94)], 0.0f);
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, cairn_costmap_index(&cm, 3.8, 3.4)), 3.0f, 1e-6f);
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, cairn_costmap_index(&cm, 3.2, 3.6)), 1.0f, 1e-6f);
	ck_assert_double_eq(cairn_costmap_speed_max(&cm, 3.8, 3.4), 0.1);
	ck_assert_double_infinite(cairn_costmap_speed_max(&cm, 1.5, 1.5));
	/* They hold for the next grid; the one that the robot stands in is dear, not closed. */
	struct cairn_plan_grid view = test_grid_view(&g);
	ck_assert_int_eq(cairn_costmap_set_grid(&cm, &view, &inside, &body), 0);
	ck_assert(cairn_costmap_fits(&cm, &inside, &rect));
	ck_assert_float_eq_tol(cairn_costmap_cost(&cm, cairn_costmap_index(&cm, 1.5, 1.5)), 50.0f, 1e-6f);
	ck_assert_int_eq(cairn_costmap_set_zones(&cm, NULL, 0, &inside), 0);
	ck_assert_float_ge(cm.dist[cairn_costmap_index(&cm, 1.5, 1.5)], CAIRN_EDT_FAR);
	cairn_costmap_free(&cm);
	free(g.cells);
}
END_TEST

START_TEST(a_changed_grid_gives_what_a_new_start_would)
{
	struct test_grid g = test_grid_new(5.0, 4.0, 0.05);
	struct cairn_costmap kept, fresh;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 12, 1);
	load(&kept, &g);
	for (int round = 0; round < CAIRN_ROUNDS(60); round++) {
		double x = 5.0 * cairn_rng_uniform(&rng), y = 4.0 * cairn_rng_uniform(&rng);
		test_grid_box(&g, x, y, x + 0.4, y + 0.2, cairn_rng_u32(&rng) % 2 == 0 ? 100 : 0);
		struct cairn_plan_grid view = test_grid_view(&g);
		struct cairn_vec2 live = {5.0 * cairn_rng_uniform(&rng), 4.0 * cairn_rng_uniform(&rng)};
		struct cairn_pose2 at = {2.5, 2.0, 6.0 * cairn_rng_uniform(&rng)};
		cairn_costmap_init(&fresh, &params);
		ck_assert_int_eq(cairn_costmap_set_grid(&kept, &view, &at, &body), 0);
		ck_assert_int_eq(cairn_costmap_set_grid(&fresh, &view, &at, &body), 0);
		cairn_costmap_set_live(&kept, &live, 1, 0.05);
		cairn_costmap_set_live(&fresh, &live, 1, 0.05);
		for (int i = 0; i < g.width * g.height; i++) {
			ck_assert_float_eq(kept.dist[i], fresh.dist[i]);
			ck_assert_int_eq(kept.cells[i], fresh.cells[i]);
		}
		cairn_costmap_free(&fresh);
	}
	cairn_costmap_free(&kept);
	free(g.cells);
}
END_TEST

CAIRN_TEST_MAIN("costmap", zones_close_and_slow_the_cells_they_touch,
    a_changed_grid_gives_what_a_new_start_would, cost_falls_from_the_peak_to_one_at_the_inflation_distance,
    footprint_tests_agree_with_distances_measured_cell_by_cell,
    stamps_that_few_cells_make_give_the_answers_of_the_footprint_itself,
    live_points_are_laid_over_the_map_and_taken_away_again, cells_under_the_robot_are_free,
    impossible_grids_are_refused_and_the_old_one_stays)
