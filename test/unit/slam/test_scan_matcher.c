#include "test/support/runner.h"

#include "common/slam/scan_matcher.h"
#include "test/support/map_world.h"

static struct map_world world;
static struct cairn_config cfg;
static struct map_robot robot;
static struct cairn_grid grid;
static struct cairn_likelihood_field field;
static struct cairn_matcher *matcher;
static struct cairn_msg_scan scan;
static struct cairn_rays rays;

static void begin(void)
{
	cairn_config_defaults(&cfg);
	map_robot_init(&robot, &world, &cfg);
	cairn_grid_init(&grid, cfg.map.cell_m, cfg.map.extent_max_m);
	cairn_likelihood_field_init(&field, 5);
	matcher = cairn_matcher_new();
	ck_assert_ptr_nonnull(matcher);
}

static void end(void)
{
	cairn_matcher_destroy(&matcher);
	cairn_likelihood_field_free(&field);
	cairn_grid_free(&grid);
}

/* What the robot sees, standing at pose. */
static void look(struct cairn_pose2 pose)
{
	struct cairn_rays_motion none = {0};
	map_robot_scan(&robot, pose, (struct cairn_twist){0.0, 0.0}, &scan);
	cairn_rays_from_scan(&rays, &scan, &none, &cfg);
	cairn_rays_find_faces(&rays);
}

static void learn(struct cairn_pose2 pose, int times)
{
	for (int i = 0; i < times; i++) {
		look(pose);
		cairn_grid_insert(&grid, pose, &rays);
	}
	ck_assert(cairn_likelihood_field_update(&field, &grid));
}

static struct cairn_match match(
    struct cairn_pose2 predicted, double window_m, double window_rad, double prior_m)
{
	struct cairn_match_request q = {.predicted = predicted,
	    .window_m = window_m,
	    .window_rad = window_rad,
	    .prior_xy_m = prior_m,
	    .prior_yaw_rad = prior_m};
	struct cairn_match m;
	ck_assert(cairn_match_scan(matcher, &grid, &field, &rays, &q, &m));
	return m;
}

START_TEST(a_scan_is_found_wherever_in_the_window_it_was_taken)
{
	map_world_flat(&world);
	begin();
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 3);
	learn((struct cairn_pose2){0.8, 0.0, 0.4}, 3);
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 9, 1);
	for (int i = 0; i < 60; i++) {
		struct cairn_pose2 truth = {0.4 + 0.4 * cairn_rng_uniform(&rng),
		    0.2 * cairn_rng_uniform(&rng), 1.0 * cairn_rng_uniform(&rng)};
		struct cairn_pose2 guess = {truth.x_m + 0.58 * (cairn_rng_uniform(&rng) - 0.5),
		    truth.y_m + 0.58 * (cairn_rng_uniform(&rng) - 0.5),
		    truth.yaw_rad + 0.58 * (cairn_rng_uniform(&rng) - 0.5)};
		look(truth);
		struct cairn_match m = match(guess, 0.3, 0.3, 0.3);
		ck_assert_double_lt(hypot(m.pose.x_m - truth.x_m, m.pose.y_m - truth.y_m), 0.02);
		ck_assert_double_lt(
		    fabs(cairn_wrap_rad(m.pose.yaw_rad - truth.yaw_rad)), cairn_deg_to_rad(0.5));
		ck_assert_double_gt(m.quality, 0.9);
		ck_assert(!m.truncated);
	}
	end();
}
END_TEST

START_TEST(a_lost_robot_is_found_in_a_window_of_3_m_and_all_directions)
{
	map_world_flat(&world);
	begin();
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 3);
	learn((struct cairn_pose2){2.2, -1.5, -1.0}, 3);
	struct cairn_pose2 truth = {2.0, -1.3, -2.0};
	look(truth);
	struct cairn_match m = match((struct cairn_pose2){0.2, 0.3, 0.9}, 3.0, M_PI, 2.0);
	ck_assert_double_lt(hypot(m.pose.x_m - truth.x_m, m.pose.y_m - truth.y_m), 0.02);
	ck_assert_double_lt(fabs(cairn_wrap_rad(m.pose.yaw_rad - truth.yaw_rad)), cairn_deg_to_rad(0.5));
	end();
}
END_TEST

START_TEST(a_scan_of_another_place_does_not_fit)
{
	map_world_flat(&world);
	begin();
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 3);
	/* At its best somewhere near 0.4, by the noise; the mapper takes 0.55 for a good fit. */
	for (int i = 0; i < 40; i++) {
		look((struct cairn_pose2){5.6, 2.0, 2.0});
		struct cairn_match m = match((struct cairn_pose2){0.0, 0.0, 0.0}, 0.3, 0.3, 0.1);
		ck_assert_double_lt(m.quality, 0.5);
	}
	end();
}
END_TEST

/* A corridor of 24 m without a feature within sight: along it, only the prediction can tell. */
START_TEST(along_a_bare_corridor_the_prediction_decides_and_the_sigma_says_so)
{
	world.count = 0;
	map_world_wall(&world, -12.0, 0.7, 12.0, 0.7);
	map_world_wall(&world, -12.0, -0.7, 12.0, -0.7);
	begin();
	for (int i = 0; i < 20; i++)
		learn((struct cairn_pose2){0.1 * i, 0.0, 0.0}, 1);
	look((struct cairn_pose2){2.05, 0.03, 0.02});
	struct cairn_match m = match((struct cairn_pose2){2.00, -0.05, 0.0}, 0.3, 0.3, 0.05);
	ck_assert_double_eq_tol(m.pose.x_m, 2.00, 0.02);
	ck_assert_double_eq_tol(m.pose.y_m, 0.03, 0.01);
	ck_assert_double_eq_tol(m.pose.yaw_rad, 0.02, cairn_deg_to_rad(0.3));
	ck_assert_double_gt(m.sigma_xy_m, 0.03);
	ck_assert_double_lt(sqrt(m.cov[1][1]), 0.01);
	ck_assert(m.weak_axis && m.blind);
	ck_assert_double_lt(fabs(sin(m.axis_rad)), sin(cairn_deg_to_rad(2.0))); /* along x */
	ck_assert_double_lt(m.info[0][0], 0.01 * m.info[1][1]);
	end();
}
END_TEST

/* The same with a door frame 0.15 m deep on either side, which the wrong prediction is 0.2 m off. */
START_TEST(along_a_corridor_with_a_door_the_door_decides)
{
	world.count = 0;
	map_world_wall(&world, -12.0, 0.7, 12.0, 0.7);
	map_world_wall(&world, -12.0, -0.7, 12.0, -0.7);
	for (int side = -1; side <= 1; side += 2) {
		map_world_wall(&world, 3.0, side * 0.55, 3.0, side * 0.7);
		map_world_wall(&world, 3.0, side * 0.55, 4.0, side * 0.55);
		map_world_wall(&world, 4.0, side * 0.55, 4.0, side * 0.7);
	}
	begin();
	for (int i = 0; i < 20; i++)
		learn((struct cairn_pose2){0.1 * i, 0.0, 0.0}, 1);
	look((struct cairn_pose2){2.05, 0.03, 0.02});
	struct cairn_match m = match((struct cairn_pose2){1.85, -0.05, 0.0}, 0.3, 0.3, 0.2);
	ck_assert(!m.blind);
	ck_assert_double_gt(m.along_drop, 0.065);
	ck_assert_double_eq_tol(m.pose.x_m, 2.05, 0.03);
	end();
}
END_TEST

START_TEST(sigma_is_small_in_a_room_that_fixes_the_pose)
{
	map_world_flat(&world);
	begin();
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 3);
	look((struct cairn_pose2){0.1, 0.0, 0.0});
	struct cairn_match m = match((struct cairn_pose2){0.05, 0.0, 0.0}, 0.3, 0.3, 0.1);
	ck_assert_double_lt(m.sigma_xy_m, 0.02);
	ck_assert_double_gt(m.sigma_xy_m, 0.0005);
	ck_assert_double_lt(m.sigma_yaw_rad, cairn_deg_to_rad(0.5));
	end();
}
END_TEST

START_TEST(too_few_points_or_an_empty_map_give_the_prediction_back)
{
	map_world_flat(&world);
	begin();
	look((struct cairn_pose2){0.0, 0.0, 0.0});
	struct cairn_match_request q = {.predicted = {0.3, 0.2, 0.1},
	    .window_m = 0.3,
	    .window_rad = 0.3,
	    .prior_xy_m = 0.1,
	    .prior_yaw_rad = 0.1};
	struct cairn_match m;
	ck_assert(!cairn_match_scan(matcher, &grid, &field, &rays, &q, &m));
	ck_assert_double_eq(m.pose.x_m, 0.3);
	ck_assert_double_eq(m.quality, 0.0);
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 1);
	rays.count = 10;
	ck_assert(!cairn_match_scan(matcher, &grid, &field, &rays, &q, &m));
	ck_assert_double_eq(m.pose.y_m, 0.2);
	end();
}
END_TEST

START_TEST(each_level_of_the_field_is_the_maximum_over_its_window)
{
	map_world_flat(&world);
	begin();
	learn((struct cairn_pose2){0.0, 0.0, 0.0}, 2);
	learn((struct cairn_pose2){0.5, 0.0, 0.3}, 2); /* the second time only a part is computed */
	for (int k = 0; k < field.levels; k++) {
		for (int32_t y = 0; y < field.height; y += 3) {
			for (int32_t x = 0; x < field.width; x += 3) {
				uint8_t most = 0;
				for (int32_t v = y; v < y + (1 << k) && v < field.height; v++)
					for (int32_t u = x; u < x + (1 << k) && u < field.width; u++)
						most = field.level[0][v * field.width + u] > most
							   ? field.level[0][v * field.width + u]
							   : most;
				ck_assert_uint_eq(field.level[k][y * field.width + x], most);
			}
		}
	}
	end();
}
END_TEST

START_TEST(level_zero_falls_with_the_distance_from_what_is_occupied)
{
	begin();
	ck_assert(cairn_grid_reserve(&grid, (struct cairn_cell_box){0, 0, 20, 20}));
	grid.odds[cairn_grid_index(&grid, 10, 10)] = CAIRN_ODDS_MAX;
	cairn_cell_box_add(&grid.known, 10, 10);
	ck_assert(cairn_likelihood_field_update(&field, &grid));
	const uint8_t *at = field.level[0] + cairn_grid_index(&grid, 10, 10);
	ck_assert_uint_eq(at[0], 255);
	ck_assert_uint_eq(at[1], 155);                  /* 255 exp(-1 / 2) */
	ck_assert_uint_eq(at[field.width + 1], 94);     /* 255 exp(-2 / 2) */
	ck_assert_uint_eq(at[3], 3);                    /* 255 exp(-9 / 2) */
	ck_assert_uint_eq(at[-3 * field.width - 1], 0); /* sqrt(10) cells away: beyond the reach */
	ck_assert_uint_eq(at[4], 0);
	end();
}
END_TEST

START_TEST(a_field_brought_up_to_date_is_the_one_made_at_once_whatever_was_drawn_before)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 4, 1);
	map_world_flat(&world);
	begin();
	for (int i = 0; i < 60; i++) {
		if (i % 8 == 7) /* another place, with what was drawn still in the arrays */
			ck_assert(cairn_grid_restart(&grid, -150 - i, -140 + i, 200, 200));
		struct cairn_pose2 pose = {0.8 * cairn_rng_uniform(&rng), 0.3 * cairn_rng_uniform(&rng),
		    6.0 * cairn_rng_uniform(&rng)};
		look(pose);
		pose.x_m += 0.1 * (i % 3); /* so that walls are worn away again */
		cairn_grid_insert(&grid, pose, &rays);
		ck_assert(cairn_likelihood_field_update(&field, &grid));
		struct cairn_likelihood_field once;
		cairn_likelihood_field_init(&once, field.levels);
		ck_assert(cairn_likelihood_field_update(&once, &grid));
		for (int k = 0; k < field.levels; k++)
			ck_assert_mem_eq(
			    field.level[k], once.level[k], (size_t)grid.width * (size_t)grid.height);
		cairn_likelihood_field_free(&once);
	}
	ck_assert_uint_gt(grid.occupied_cells, 100);
	end();
}
END_TEST

/* A corridor seen at grazing angles by a LiDAR that turns one way: whatever is picked of the returns, the
 * noise must not turn the pose. Each map is one noisy scan, so that their errors are independent; their mean
 * has a sigma of about 0.01 degrees, and the first return of each square in place of their mean would give
 * -0.08. */
START_TEST(noise_does_not_turn_the_pose)
{
	double sum_rad = 0.0;
	const int rounds = 60;
	world.count = 0;
	map_world_box(&world, -2.4, -0.62, 2.4, 0.58);
	map_world_box(&world, 0.8, 0.3, 1.3, 0.58);
	begin();
	for (int i = 0; i < rounds; i++) {
		struct cairn_pose2 here = {0.0, 0.0, 0.0};
		ck_assert(cairn_grid_restart(&grid, -128, -128, 384, 384));
		learn(here, 1);
		for (int k = 0; k < 5; k++) {
			look(here);
			sum_rad += match(here, 0.0, 0.0, 1.0).pose.yaw_rad;
		}
	}
	double mean_deg = cairn_rad_to_deg(sum_rad / (5 * rounds));
	printf("# mean %.4f deg\n", mean_deg);
	ck_assert_double_lt(fabs(mean_deg), 0.03);
	end();
}
END_TEST

/* Both sides of a wall of 12 cm are in the map, the far one half as thick again away from where the scan has
 * it: only the side that the scan has seen may draw it. */
START_TEST(the_far_side_of_a_wall_does_not_draw_a_scan)
{
	world.count = 0;
	map_world_box(&world, -2.0, -2.0, 2.0, 2.0);
	map_world_box(&world, 2.12, -2.0, 6.12, 2.0);
	begin();
	for (int i = 0; i < 5; i++) {
		learn((struct cairn_pose2){0.0, 0.0, 0.0}, 1);
		learn((struct cairn_pose2){4.12, 0.3, 3.0}, 1);
	}
	look((struct cairn_pose2){0.5, 0.2, 0.3});
	for (int i = -1; i <= 1;
	     i++) { /* the wall of the scan near the far side, in place, and on its own side */
		struct cairn_match m = match((struct cairn_pose2){0.5 + 0.09 * i, 0.2, 0.3}, 0.0, 0.0, 1.0);
		ck_assert_double_lt(fabs(m.pose.x_m - 0.5), 0.01);
		ck_assert_double_lt(fabs(m.pose.yaw_rad - 0.3), cairn_deg_to_rad(0.3));
	}
	/* A scan that can see nothing but that wall. */
	world.count = 0;
	map_world_wall(&world, 2.0, -1.9, 2.0, 1.9);
	look((struct cairn_pose2){0.5, 0.0, 0.0});
	struct cairn_match m = match((struct cairn_pose2){0.59, 0.0, 0.0}, 0.0, 0.0, 1.0);
	ck_assert_double_lt(fabs(m.pose.x_m - 0.5), 0.01);
	end();
}
END_TEST

CAIRN_TEST_MAIN("map_match", noise_does_not_turn_the_pose, the_far_side_of_a_wall_does_not_draw_a_scan,
    a_scan_is_found_wherever_in_the_window_it_was_taken,
    a_lost_robot_is_found_in_a_window_of_3_m_and_all_directions, a_scan_of_another_place_does_not_fit,
    along_a_bare_corridor_the_prediction_decides_and_the_sigma_says_so,
    along_a_corridor_with_a_door_the_door_decides, sigma_is_small_in_a_room_that_fixes_the_pose,
    too_few_points_or_an_empty_map_give_the_prediction_back,
    each_level_of_the_field_is_the_maximum_over_its_window,
    level_zero_falls_with_the_distance_from_what_is_occupied,
    a_field_brought_up_to_date_is_the_one_made_at_once_whatever_was_drawn_before)
