/* The terms of a candidate's score, worked out by hand. Cells are 5 cm. */
#include "common/base/rng.h"
#include "test/support/choice_world.h"
#include "test/support/runner.h"

#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 1e-9)

static struct cairn_config_choice defaults(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	return cfg.choice;
}

START_TEST(the_goal_term_is_the_share_of_the_way_that_a_place_saves)
{
	struct cairn_config_choice cfg = defaults();
	struct cairn_pose2 here = {0.0, 0.0, 1.0};
	const struct cairn_vec2 far = {4.0, 0.0}, near = {0.5, 0.0};
	NEAR(cairn_score_goal(&cfg, here, &far, 4.0, 0.0, 9.0), 1.0);
	NEAR(cairn_score_goal(&cfg, here, &far, 2.0, 0.0, 9.0), 0.5);  /* 1 - 2 / 4 */
	NEAR(cairn_score_goal(&cfg, here, &far, 4.0, 3.0, 9.0), 0.25); /* 1 - 3 / 4 */
	NEAR(cairn_score_goal(&cfg, here, &far, 0.0, 0.0, 9.0), 0.0);
	NEAR(cairn_score_goal(&cfg, here, &far, -1.0, 0.0, 9.0), 0.0);
	NEAR(cairn_score_goal(&cfg, here, &near, 0.5, 0.5, 9.0), 0.5); /* nearer than 1 m counts as 1 m */
}
END_TEST

START_TEST(without_a_goal_the_nearer_place_is_the_better_one)
{
	struct cairn_config_choice cfg = defaults();
	struct cairn_pose2 here = {0};
	NEAR(cairn_score_goal(&cfg, here, NULL, 5.0, 5.0, 0.0), 1.0);
	NEAR(cairn_score_goal(&cfg, here, NULL, 5.0, 5.0, 3.0), 0.5);
	NEAR(cairn_score_goal(&cfg, here, NULL, 5.0, 5.0, 6.0), 1.0 / 3.0);
}
END_TEST

START_TEST(a_ranked_frontier_is_worth_what_the_round_loses_by_it)
{
	NEAR(cairn_score_detour(0.0), 1.0);
	NEAR(cairn_score_detour(0.3), 0.5);
	NEAR(cairn_score_detour(2.7), 0.1);
}
END_TEST

START_TEST(the_clearance_term_is_room_up_to_half_a_metre)
{
	struct cairn_config_choice cfg = defaults();
	NEAR(cairn_score_clearance(&cfg, -0.1), 0.0);
	NEAR(cairn_score_clearance(&cfg, 0.25), 0.5);
	NEAR(cairn_score_clearance(&cfg, 0.50), 1.0);
	NEAR(cairn_score_clearance(&cfg, 0.85), 1.0);
}
END_TEST

START_TEST(clearance_is_from_the_side_of_the_robot_to_the_edge_of_the_nearest_obstacle)
{
	struct ground g;
	ground_init(&g, 3.0);
	ground_floor(&g, -3.0, -3.0, 3.0, 3.0);
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0});
	NEAR(cairn_ground_clearance_m(&in.ground, 0.10, 0.02, 0.02), 0.875); /* nothing within 20 cells */
	ground_wall(&g, 0.52, -0.50, 0.53, 0.50); /* the cells 10 to the right of that of (0.02, 0.02) */
	NEAR(cairn_ground_clearance_m(&in.ground, 0.10, 0.02, 0.02),
	    0.375); /* 9.5 cells less half the width */
	NEAR(cairn_ground_clearance_m(&in.ground, 0.10, 0.42, 0.02), -0.025); /* 1.5 cells */
	ground_free(&g);
}
END_TEST

START_TEST(whether_clearance_is_over_a_limit_is_what_the_clearance_says)
{
	struct ground g;
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	ground_init(&g, 3.0);
	ground_floor(&g, -3.0, -3.0, 3.0, 3.0);
	for (int i = 0; i < 12; i++) {
		double x = 5.0 * cairn_rng_uniform(&rng) - 2.5, y = 5.0 * cairn_rng_uniform(&rng) - 2.5;
		ground_wall(&g, x, y, x + 0.01, y + 0.01);
	}
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0});
	int over = 0;
	for (int i = 0; i < 5000; i++) {
		double x = 5.0 * cairn_rng_uniform(&rng) - 2.5, y = 5.0 * cairn_rng_uniform(&rng) - 2.5,
		       m = -1.0;
		double is_m = cairn_ground_clearance_m(&in.ground, 0.10, x, y);
		double least_m = i % 3 == 0   ? is_m
				 : i % 3 == 1 ? nextafter(is_m, -1.0)
					      : 0.9 * cairn_rng_uniform(&rng) - 0.1;
		ck_assert(
		    cairn_ground_clearance_over(&in.ground, 0.10, x, y, least_m, &m) == (is_m > least_m));
		ck_assert(m == (is_m > least_m ? is_m : -1.0));
		over += is_m > least_m;
	}
	ck_assert_int_gt(over, 1000);
	ck_assert_int_lt(over, 4000);
	ground_free(&g);
}
END_TEST

START_TEST(novelty_is_half_the_unknown_and_half_the_unvisited)
{
	NEAR(cairn_score_novelty(0.0, 0.0), 0.5);
	NEAR(cairn_score_novelty(0.125, 0.0), 0.75);
	NEAR(cairn_score_novelty(0.25, 0.25), 0.5);
	NEAR(cairn_score_novelty(0.0, 0.125), 0.25);
	NEAR(cairn_score_novelty(0.0, 0.9), 0.0);
	NEAR(cairn_score_novelty(0.9, 0.0), 1.0);
}
END_TEST

START_TEST(the_unknown_behind_a_wall_does_not_count)
{
	static struct cairn_score_scratch scratch;
	struct ground g;
	ground_init(&g, 3.0);
	ground_floor(&g, -3.0, -3.0, 0.05, 3.0); /* up to and with the cell of the place */
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){-1.0, 0.0, 0.0});
	/* 1257 cells have their centre within 20 cells; 41 of them are in the column of the place itself. */
	NEAR(cairn_ground_unknown_share(&in.ground, &scratch, 0.02, 0.02), 608.0 / 1257.0);
	NEAR(cairn_ground_unknown_share(&in.ground, &scratch, -1.48, 0.02), 0.0);
	ground_wall(&g, 0.06, -2.0, 0.09, 2.0); /* the next column */
	NEAR(cairn_ground_unknown_share(&in.ground, &scratch, 0.02, 0.02), 0.0);
	ground_free(&g);
}
END_TEST

START_TEST(one_pass_through_the_middle_makes_a_place_visited)
{
	struct ground g;
	ground_init(&g, 3.0);
	ground_floor(&g, -3.0, -3.0, 3.0, 3.0);
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){0});
	NEAR(cairn_ground_visited_share(&in.ground, 0.02, 0.02), 0.0);
	ground_visit(&g, -2.0, -0.10, 2.0, 0.15); /* five rows of cells: dy from -2 to 2 */
	/* 317 cells within 10; rows of 21, twice 19 and twice 19 of them visited */
	NEAR(cairn_ground_visited_share(&in.ground, 0.02, 0.02), 97.0 / 317.0);
	ck_assert_double_gt(97.0 / 317.0, CAIRN_SCORE_SHARE);
	NEAR(cairn_ground_visited_share(&in.ground, 0.02, 1.02), 0.0);
	ground_free(&g);
}
END_TEST

START_TEST(feasibility_is_a_straight_way_and_little_turning)
{
	struct cairn_pose2 here = {1.0, 1.0, M_PI_2}; /* faces +y */
	NEAR(cairn_score_feasibility(0.3, here, 1.0, 3.0, 2.0), 1.0);
	NEAR(cairn_score_feasibility(0.3, here, 1.0, 3.0, 4.0), 0.75);  /* twice as long as straight */
	NEAR(cairn_score_feasibility(0.3, here, -1.0, 1.0, 2.0), 0.75); /* a quarter turn to the left */
	NEAR(cairn_score_feasibility(0.3, here, 1.0, -1.0, 2.0), 0.5);  /* right behind */
	NEAR(cairn_score_feasibility(0.3, here, 0.7, 1.1, 0.1), 0.5); /* beside it, inside the tightest arc */
	NEAR(cairn_score_feasibility(0.3, here, 1.3, 1.1, 0.1), 0.5); /* and on the other side */
	ck_assert_double_gt(
	    cairn_score_feasibility(0.3, here, 1.0, 1.2, 0.2), 0.99); /* straight ahead is not */
}
END_TEST

START_TEST(the_score_is_the_weighted_mean_of_the_terms)
{
	struct cairn_config_choice cfg = defaults();
	/* 0.4 * 0.5 + 0.2 * 1 + 0.25 * 0.75 + 0.15 * 0.8 */
	NEAR(cairn_score_sum(&cfg, 0.5, 1.0, 0.75, 0.8), 0.7075);
	NEAR(cairn_score_sum(&cfg, 1.0, 1.0, 1.0, 1.0), 1.0);
	cfg.weight_goal = cfg.weight_clearance = cfg.weight_novelty = 0.0;
	NEAR(cairn_score_sum(&cfg, 0.5, 1.0, 0.75, 0.8), 0.8);
	cfg.weight_novelty = 0.45;
	NEAR(cairn_score_sum(&cfg, 0.5, 1.0, 0.75, 0.8), (0.45 * 0.75 + 0.15 * 0.8) / 0.6);
}
END_TEST

START_TEST(ways_lead_over_known_floor_only)
{
	struct ground g;
	ground_init(&g, 3.0);
	ground_floor(&g, -2.0, -1.0, 2.0, 1.0);
	ground_wall(&g, 0.96, -1.0, 0.99, 1.0);
	struct cairn_candidates_inputs in = ground_stand(&g, (struct cairn_pose2){-1.0, 0.0, 0.0});
	ck_assert_double_eq_tol(cairn_ground_way_m(&in.ground, 0.5, 0.0), 1.5, 0.11);
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, 1.5, 0.0), 0.0); /* behind the wall */
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, 0.9, 0.0), 0.0); /* too near to it */
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, 0.0, 2.0), 0.0); /* unknown */
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, 9.0, 0.0), 0.0); /* off the map */
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, NAN, 0.0), 0.0);
	ck_assert_double_lt(cairn_ground_way_m(&in.ground, 1e300, 0.0), 0.0);
	ground_free(&g);
}
END_TEST

CAIRN_TEST_MAIN("choice_score", a_ranked_frontier_is_worth_what_the_round_loses_by_it,
    the_goal_term_is_the_share_of_the_way_that_a_place_saves,
    without_a_goal_the_nearer_place_is_the_better_one, the_clearance_term_is_room_up_to_half_a_metre,
    clearance_is_from_the_side_of_the_robot_to_the_edge_of_the_nearest_obstacle,
    whether_clearance_is_over_a_limit_is_what_the_clearance_says,
    novelty_is_half_the_unknown_and_half_the_unvisited, the_unknown_behind_a_wall_does_not_count,
    one_pass_through_the_middle_makes_a_place_visited, feasibility_is_a_straight_way_and_little_turning,
    the_score_is_the_weighted_mean_of_the_terms, ways_lead_over_known_floor_only)
