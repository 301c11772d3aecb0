/* In which order frontiers are visited. */
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/explore/frontier_route.h"
#include "test/support/choice_world.h"
#include "test/support/runner.h"

#define G CAIRN_FRONTIER_ROUTE_GROUPS
#define NEAR(a, b, by) ck_assert_double_eq_tol(a, b, by)

static float scratch[G << G];

START_TEST(the_round_on_a_line_is_the_one_worked_out_by_hand)
{
	/* A at -1, B at 2, C at 3; the robot at 0. A B C: 1 + 3 + 1 = 5. B first: C, then back to A: 2 + 1 + 4 = 7. C first: 3 +
	 * 1 + 3 = 7. */
	const double first[] = {1.0, 2.0, 3.0}, none[] = {0.0, 0.0, 0.0}, gain[] = {1.0, 1.0, 1.0};
	const double way[G][G] = {{0.0, 3.0, 4.0}, {3.0, 0.0, 1.0}, {4.0, 1.0, 0.0}};
	double cost[3];
	cairn_frontier_route_costs(3, first, way, none, gain, 0.0, scratch, cost);
	NEAR(cost[0], 5.0, 1e-6);
	NEAR(cost[1], 7.0, 1e-6);
	NEAR(cost[2], 7.0, 1e-6);
	/* With the way home at the end the round costs 8 whichever way round, unless C stands first: 3 + 1 + 3 + 1. */
	const double home[] = {1.0, 2.0, 3.0};
	cairn_frontier_route_costs(3, first, way, home, gain, 0.0, scratch, cost);
	NEAR(cost[0], 8.0, 1e-6);
	NEAR(cost[1], 8.0, 1e-6);
	NEAR(cost[2], 8.0, 1e-6);
}
END_TEST

START_TEST(eagerness_brings_what_shows_much_to_the_front)
{
	/* B shows nine times as much as A. Shortest: A (1), then B (3). Eager 2: A first: 1 * 3 + 3 * (1 + 2 * 0.9) = 11.4; B first:
	 * 2 * 3 + 3 * (1 + 2 * 0.1) = 9.6. */
	const double first[] = {1.0, 2.0}, none[] = {0.0, 0.0}, gain[] = {1.0, 9.0};
	const double way[G][G] = {{0.0, 3.0}, {3.0, 0.0}};
	double cost[2];
	cairn_frontier_route_costs(2, first, way, none, gain, 0.0, scratch, cost);
	ck_assert_double_lt(cost[0], cost[1]);
	cairn_frontier_route_costs(2, first, way, none, gain, 2.0, scratch, cost);
	NEAR(cost[0], 11.4, 1e-5);
	NEAR(cost[1], 9.6, 1e-5);
}
END_TEST

struct puzzle {
	double first[G], way[G][G], end[G], gain[G], eager, total;
	uint32_t count;
};

/* Every order tried: the least cost from `at` on, with the set seen. */
static double try_all(const struct puzzle *p, uint32_t at, uint32_t set)
{
	double seen = 0.0, best = INFINITY;
	for (uint32_t i = 0; i < p->count; i++)
		seen += (set >> i & 1u) != 0 ? p->gain[i] : 0.0;
	if (set == (1u << p->count) - 1u)
		return p->end[at];
	for (uint32_t i = 0; i < p->count; i++)
		if ((set >> i & 1u) == 0)
			best = fmin(best, p->way[at][i] * (1.0 + p->eager * (1.0 - seen / p->total)) +
					      try_all(p, i, set | 1u << i));
	return best;
}

START_TEST(no_order_is_better_than_the_one_found)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 3, 0);
	for (int k = 0; k < 40; k++) {
		struct puzzle p = {
		    .count = 1 + cairn_rng_u32(&rng) % 7, .eager = 3.0 * cairn_rng_uniform(&rng)};
		double x[G], y[G], cost[G];
		for (uint32_t i = 0; i < p.count; i++) {
			x[i] = 10.0 * cairn_rng_uniform(&rng);
			y[i] = 10.0 * cairn_rng_uniform(&rng);
			p.first[i] = hypot(x[i] - 5.0, y[i] - 5.0);
			p.end[i] = cairn_rng_uniform(&rng);
			p.total += p.gain[i] = 0.1 + cairn_rng_uniform(&rng);
		}
		for (uint32_t i = 0; i < p.count; i++)
			for (uint32_t m = 0; m < p.count; m++)
				p.way[i][m] = hypot(x[i] - x[m], y[i] - y[m]);
		cairn_frontier_route_costs(
		    p.count, p.first, (const double(*)[G])p.way, p.end, p.gain, p.eager, scratch, cost);
		for (uint32_t i = 0; i < p.count; i++)
			NEAR(cost[i], p.first[i] * (1.0 + p.eager) + try_all(&p, i, 1u << i), 1e-3);
	}
}
END_TEST

START_TEST(the_gain_is_what_the_rays_reach_of_the_unknown)
{
	struct ground *g = malloc(sizeof(*g));
	ground_init(g, 4.0);
	NEAR(cairn_frontier_route_gain_m2(&g->grid, 0.0, 0.0, 2.0), M_PI * 4.0,
	    0.02 * M_PI * 4.0 + 0.35); /* all of the disc */
	ground_floor(g, -4.0, -4.0, 0.0, 4.0);
	NEAR(cairn_frontier_route_gain_m2(&g->grid, 0.0, 0.0, 2.0), M_PI * 2.0, 0.4); /* half of it */
	ground_wall(g, 0.5, -4.0, 0.55, 4.0);
	NEAR(cairn_frontier_route_gain_m2(&g->grid, -0.01, 0.0, 2.0), 1.7,
	    0.5); /* the strip before the wall alone */
	ground_floor(g, -4.0, -4.0, 0.5, 4.0);
	NEAR(cairn_frontier_route_gain_m2(&g->grid, 0.0, 0.0, 2.0), 0.0, 1e-9);
	ground_free(g);
	free(g);
}
END_TEST

/* A corridor along x with the robot at 0: an opening 1 m behind it, two far ahead. */
struct scene {
	struct ground ground;
	struct cairn_msg_frontiers frontiers;
	struct cairn_candidates_inputs in;
};

static struct cairn_msg_frontier opening(const struct scene *s, uint32_t id, double x)
{
	return (struct cairn_msg_frontier){.id = id,
	    .x_m = x,
	    .goal_x_m = x,
	    .width_m = 1.0,
	    .distance_m = cairn_ground_way_m(&s->in.ground, x, 0.0)};
}

static struct scene *corridor(double yaw_rad)
{
	struct scene *s = calloc(1, sizeof(*s));
	ground_init(&s->ground, 10.0);
	ground_floor(&s->ground, -9.0, -0.5, 9.0, 0.5);
	s->in = ground_stand(&s->ground, (struct cairn_pose2){0.0, 0.0, yaw_rad});
	s->frontiers.items_count = 3;
	s->frontiers.items[0] = opening(s, 1, -2.5);
	s->frontiers.items[1] = opening(s, 2, 3.0);
	s->frontiers.items[2] = opening(s, 3, 6.0);
	return s;
}

static void end(struct scene *s)
{
	ground_free(&s->ground);
	free(s);
}

START_TEST(the_small_thing_behind_is_done_before_the_far_ones_unless_turning_costs_more)
{
	struct scene *s = corridor(M_PI); /* faces it */
	s->ground.cfg.choice.tour_eager = 0.0;
	struct cairn_frontier_route *t = cairn_frontier_route_new(&s->ground.cfg);
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[0].detour_m, 0.0);
	/* 2.5 + 5.5 + 3 = 11 against, half a turn first, 2 + 3 + 3 + 8.5 = 16.5 */
	NEAR(s->frontiers.items[1].detour_m, 5.5, 0.8);
	cairn_frontier_route_destroy(&t);
	end(s);
}
END_TEST

START_TEST(what_was_given_up_cannot_be_reached_or_is_narrow_is_not_ranked)
{
	struct scene *s = corridor(M_PI);
	const struct cairn_msg_given_up gone = {.x_m = -2.4};
	struct cairn_frontier_route *t = cairn_frontier_route_new(&s->ground.cfg);
	s->frontiers.items[1].width_m = 0.1;
	s->frontiers.items[2].distance_m = -1.0;
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, &gone, 1, &s->frontiers));
	for (int i = 0; i < 3; i++)
		ck_assert_double_lt(s->frontiers.items[i].detour_m, 0.0);
	cairn_frontier_route_destroy(&t);
	end(s);
}
END_TEST

START_TEST(the_target_stays_until_another_is_clearly_better)
{
	struct scene *s = corridor(0.0);
	s->frontiers.items_count = 2;
	s->frontiers.items[0] = opening(s, 1, 3.0);
	s->frontiers.items[1] = opening(s, 2, -3.05);
	s->ground.cfg.choice.tour_eager = 0.0;
	s->ground.cfg.choice.tour_turn_m = 0.0;
	struct cairn_frontier_route *t = cairn_frontier_route_new(&s->ground.cfg);
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[0].detour_m, 0.0);
	s->frontiers.items[0].distance_m += 0.3; /* the other one is nearer by a little now */
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[0].detour_m, 0.0);
	s->frontiers.items[0].distance_m += 1.0;
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[1].detour_m, 0.0);
	ck_assert_double_gt(s->frontiers.items[0].detour_m, 0.5);
	cairn_frontier_route_destroy(&t);
	end(s);
}
END_TEST

START_TEST(the_order_nearest_is_that_of_the_ways)
{
	struct scene *s = corridor(M_PI);
	s->ground.cfg.mission.order = CAIRN_CHOICE_ORDER_NEAREST;
	struct cairn_frontier_route *t = cairn_frontier_route_new(&s->ground.cfg);
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[0].detour_m, 0.0);
	NEAR(s->frontiers.items[1].detour_m, 0.5, 0.06);
	NEAR(s->frontiers.items[2].detour_m, 3.5, 0.06);
	cairn_frontier_route_destroy(&t);
	end(s);
}
END_TEST

START_TEST(more_frontiers_than_are_thought_of_are_ranked_behind_them)
{
	struct scene *s = corridor(0.0);
	s->frontiers.items_count = 40;
	for (uint32_t i = 0; i < 40; i++)
		s->frontiers.items[i] = opening(s, i + 1, 0.5 + 0.2 * i);
	struct cairn_frontier_route *t = cairn_frontier_route_new(&s->ground.cfg);
	ck_assert(cairn_frontier_route_rank(t, &s->in.ground, s->in.pose, NULL, 0, &s->frontiers));
	ck_assert_double_eq(s->frontiers.items[0].detour_m, 0.0);
	for (uint32_t i = CAIRN_FRONTIER_ROUTE_FRONTIERS; i < 40; i++)
		for (uint32_t k = 0; k < CAIRN_FRONTIER_ROUTE_FRONTIERS; k++)
			ck_assert_double_gt(s->frontiers.items[i].detour_m, s->frontiers.items[k].detour_m);
	cairn_frontier_route_destroy(&t);
	end(s);
}
END_TEST

CAIRN_TEST_MAIN("tour", the_round_on_a_line_is_the_one_worked_out_by_hand,
    eagerness_brings_what_shows_much_to_the_front, no_order_is_better_than_the_one_found,
    the_gain_is_what_the_rays_reach_of_the_unknown,
    the_small_thing_behind_is_done_before_the_far_ones_unless_turning_costs_more,
    what_was_given_up_cannot_be_reached_or_is_narrow_is_not_ranked,
    the_target_stays_until_another_is_clearly_better, the_order_nearest_is_that_of_the_ways,
    more_frontiers_than_are_thought_of_are_ranked_behind_them)
