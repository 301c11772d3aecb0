/* What holds of every set that is offered, in houses and with wishes drawn at random. */
#include "common/base/rng.h"
#include "test/support/choice_set.h"

static void random_house(struct ground *g, struct cairn_rng *rng)
{
	ground_init(g, 5.0);
	ground_floor(g, -4.0, -4.0, 4.0, 4.0);
	for (int i = 0; i < 12; i++) {
		double x = 8.0 * cairn_rng_uniform(rng) - 4.0, y = 8.0 * cairn_rng_uniform(rng) - 4.0;
		double w = 0.1 + 2.0 * cairn_rng_uniform(rng), h = 0.1 + 1.0 * cairn_rng_uniform(rng);
		ground_fill(g, x, y, x + w, y + h, i % 3 == 0 ? CAIRN_ODDS_UNKNOWN : CAIRN_ODDS_MAX);
	}
	ground_floor(g, -0.4, -0.4, 0.4, 0.4);
	for (int i = 0; i < 4; i++) {
		double x = 6.0 * cairn_rng_uniform(rng) - 3.0;
		ground_visit(g, x, -3.0, x + 0.2, 3.0);
	}
}

static double anywhere(struct cairn_rng *rng)
{
	return 10.0 * cairn_rng_uniform(rng) - 5.0;
}

static void random_wishes(struct cairn_candidates_inputs *in, struct cairn_rng *rng)
{
	static struct cairn_msg_frontiers f;
	static struct cairn_msg_place p[20];
	static struct cairn_msg_path_point path[60];
	static struct cairn_vec2 goal;
	f.items_count = cairn_rng_u32(rng) % 49;
	for (uint32_t i = 0; i < f.items_count; i++)
		f.items[i] = opening(i + 1, anywhere(rng), anywhere(rng));
	for (int i = 0; i < 20; i++) {
		char word[8] = {(char)('a' + i)};
		name(&p[i], word, anywhere(rng), anywhere(rng));
	}
	goal = (struct cairn_vec2){anywhere(rng), anywhere(rng)};
	for (int i = 0; i < 60; i++) {
		path[i].x_m = (float)(goal.x_m * i / 59.0);
		path[i].y_m = (float)(goal.y_m * i / 59.0);
	}
	in->frontiers = &f;
	in->places = p;
	in->place_count = cairn_rng_u32(rng) % 21;
	in->goal = cairn_rng_u32(rng) % 2 == 0 ? &goal : NULL;
	in->path = path;
	in->path_count = 60;
	in->stuck = cairn_rng_u32(rng) % 3 == 0;
}

static void expect_good(const struct cairn_candidates_inputs *in)
{
	const struct cairn_grid *grid = in->ground.grid;
	ck_assert_uint_le(set.items_count, CAIRN_CANDIDATES_MAX);
	for (uint32_t i = 0; i < set.items_count; i++) {
		const struct cairn_msg_candidate *m = &set.items[i];
		int32_t cx = cairn_grid_cell(grid, m->x_m), cy = cairn_grid_cell(grid, m->y_m);
		ck_assert(cairn_odds_free(cairn_grid_odds(grid, cx, cy)));
		uint32_t steps = cairn_wavefront_distance(
		    in->ground.reach, cx - in->ground.reach_cx0, cy - in->ground.reach_cy0);
		ck_assert_uint_ne(steps, CAIRN_WAVEFRONT_NEVER);
		for (int32_t y = -2; y <= 2;
		     y++) { /* the width of the robot, and more is asked of its centre */
			for (int32_t x = -2; x <= 2; x++)
				ck_assert(!cairn_odds_occupied(cairn_grid_odds(grid, cx + x, cy + y)));
		}
		ck_assert_double_gt(m->clearance_m, 0.0);
		const double terms[] = {m->goal, m->clearance, m->novelty, m->feasibility, m->score};
		for (int k = 0; k < 5; k++)
			ck_assert(terms[k] >= 0.0 && terms[k] <= 1.0);
		ck_assert_uint_ne(m->id, 0);
		if (i > 0)
			ck_assert_double_le(m->score, set.items[i - 1].score);
		for (uint32_t k = 0; k < i; k++) {
			ck_assert_double_ge(hypot(set.items[k].x_m - m->x_m, set.items[k].y_m - m->y_m), 0.5);
			ck_assert_uint_ne(set.items[k].id, m->id);
		}
	}
}

START_TEST(whatever_the_house_places_are_free_reachable_apart_and_keep_their_numbers)
{
	static struct cairn_vec2 place_of[100000];
	static bool known[100000];
	struct cairn_rng rng;
	uint32_t offered = 0, few = 0, updates = 0;
	cairn_rng_seed(&rng, 17, 3);
	for (int house = 0; house < CAIRN_ROUNDS(40); house++) {
		struct ground g;
		random_house(&g, &rng);
		cairn_candidates_init(&choice, &g.cfg, 1);
		memset(known, 0, sizeof(known));
		struct cairn_candidates_inputs in =
		    ground_stand(&g, (struct cairn_pose2){0.0, 0.0, 0.3 * house});
		for (int i = 0; i < 12; i++) {
			random_wishes(&in, &rng);
			update(&in);
			expect_good(&in);
			updates++;
			few += set.items_count < CAIRN_CANDIDATES_MIN;
			for (uint32_t k = 0; k < set.items_count; k++) {
				const struct cairn_msg_candidate *m = &set.items[k];
				ck_assert_uint_lt(m->id, 100000);
				if (known[m->id])
					ck_assert(
					    place_of[m->id].x_m == m->x_m && place_of[m->id].y_m == m->y_m);
				known[m->id] = true;
				place_of[m->id] = (struct cairn_vec2){m->x_m, m->y_m};
				offered++;
			}
		}
		ground_free(&g);
	}
	ck_assert_uint_gt(offered, 4 * updates);
	ck_assert_uint_lt(few * 20, updates); /* only where the robot is walled in */
}
END_TEST

CAIRN_TEST_MAIN("choice_houses", whatever_the_house_places_are_free_reachable_apart_and_keep_their_numbers)
