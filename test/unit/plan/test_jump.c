#include "common/plan/jump.h"

#include <errno.h>

#include "common/base/rng.h"
#include "test/support/lengths.h"
#include "test/support/runner.h"

enum { SIDE_MAX = 300 };

struct scene {
	uint8_t cells[SIDE_MAX * SIDE_MAX];
	int width, height;
	struct cairn_passable open;
	struct cairn_jump *jump;
	int path[SIDE_MAX * SIDE_MAX];
};

static struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));
	s->jump = cairn_jump_new();
	return s;
}

static void scene_free(struct scene *s)
{
	cairn_jump_destroy(&s->jump);
	cairn_passable_free(&s->open);
	free(s);
}

static void scene_set(struct scene *s)
{
	ck_assert_int_eq(cairn_passable_set(&s->open, s->cells, (size_t)s->width, s->width, s->height), 0);
}

/* Single cells, or walls with gaps: both have to be met. */
static void draw(struct scene *s, struct cairn_rng *rng, int width, int height)
{
	s->width = width;
	s->height = height;
	bool walls = cairn_rng_u32(rng) % 2 == 0;
	double share = (walls ? 0.0 : 0.05) + (walls ? 0.1 : 0.4) * cairn_rng_uniform(rng);
	for (int i = 0; i < width * height; i++)
		s->cells[i] = cairn_rng_uniform(rng) >= share;
	for (int n = 0; walls && n < (width + height) / 6; n++) {
		bool level = cairn_rng_u32(rng) % 2 == 0;
		int along = (int)(cairn_rng_u32(rng) % (uint32_t)(level ? width : height));
		int at = (int)(cairn_rng_u32(rng) % (uint32_t)(level ? height : width));
		int length = (int)(cairn_rng_u32(rng) % (uint32_t)(level ? width : height));
		for (int k = along; k < along + length && k < (level ? width : height); k++)
			s->cells[level ? at * width + k : k * width + at] = 0;
	}
}

static double length_of_path(struct scene *s, int start, int goal)
{
	int count = cairn_jump_path(s->jump, s->path, SIDE_MAX * SIDE_MAX);
	double length = 0.0;
	ck_assert_int_ge(count, 1);
	ck_assert_int_eq(s->path[0], start);
	ck_assert_int_eq(s->path[count - 1], goal);
	for (int i = 0; i < count; i++) {
		int b = s->path[i], a = i > 0 ? s->path[i - 1] : b, w = s->width;
		int dx = b % w - a % w, dy = b / w - a / w;
		ck_assert(abs(dx) <= 1 && abs(dy) <= 1);
		ck_assert(s->cells[b] && s->cells[a + dx] && s->cells[a + dy * w]);
		length += hypot(dx, dy);
	}
	return length;
}

static int some_cell(struct scene *s, struct cairn_rng *rng)
{
	int cell = (int)(cairn_rng_u32(rng) % (uint32_t)(s->width * s->height));
	s->cells[cell] = 1;
	return cell;
}

START_TEST(paths_are_as_short_as_can_be_legal_and_symmetric_on_random_grids)
{
	struct scene *s = scene_new();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 31, 1);
	static double dist[SIDE_MAX * SIDE_MAX];
	int found = 0, none = 0;
	for (int round = 0; round < CAIRN_ROUNDS(400); round++) {
		draw(s, &rng, 1 + (int)(cairn_rng_u32(&rng) % 40), 1 + (int)(cairn_rng_u32(&rng) % 30));
		int start = some_cell(s, &rng), goal = some_cell(s, &rng);
		scene_set(s);
		test_lengths(s->cells, NULL, s->width, s->height, start, dist);
		struct cairn_jump_query q = {.open = &s->open, .start = start, .goal = goal};
		struct cairn_astar_stats there, back;
		enum cairn_astar_result r = cairn_jump_search(s->jump, &q, &there);
		ck_assert_int_eq(r, isinf(dist[goal]) ? CAIRN_ASTAR_NO_PATH : CAIRN_ASTAR_OK);
		if (r != CAIRN_ASTAR_OK) {
			ck_assert_int_eq(there.expansions, 0);
			ck_assert_int_eq(cairn_jump_path(s->jump, s->path, 1), 0);
			none++;
			continue;
		}
		ck_assert_double_eq_tol(there.length, dist[goal], 1e-6);
		ck_assert_double_eq_tol(length_of_path(s, start, goal), dist[goal], 1e-6);
		q.start = goal;
		q.goal = start;
		ck_assert_int_eq(cairn_jump_search(s->jump, &q, &back), CAIRN_ASTAR_OK);
		ck_assert_double_eq_tol(back.length, there.length, 1e-6);
		found++;
	}
	ck_assert_int_gt(found, CAIRN_ROUNDS(400) / 2);
	ck_assert_int_gt(none, CAIRN_ROUNDS(400) / 20);
	scene_free(s);
}
END_TEST

START_TEST(lengths_are_those_of_a_star_on_large_grids)
{
	struct scene *s = scene_new();
	struct cairn_astar *a = cairn_astar_new();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 32, 1);
	for (int round = 0; round < CAIRN_ROUNDS(60); round++) {
		/* Sizes about the words that are scanned at a time. */
		draw(s, &rng, 60 + (int)(cairn_rng_u32(&rng) % 240), 60 + (int)(cairn_rng_u32(&rng) % 240));
		int start = some_cell(s, &rng), goal = some_cell(s, &rng);
		scene_set(s);
		struct cairn_jump_query q = {.open = &s->open, .start = start, .goal = goal};
		struct cairn_astar_query plain = {.passable = s->cells,
		    .width = s->width,
		    .height = s->height,
		    .start = start,
		    .goal = goal};
		struct cairn_astar_stats by_jump, by_astar;
		enum cairn_astar_result r = cairn_jump_search(s->jump, &q, &by_jump);
		ck_assert_int_eq(cairn_astar_search(a, &plain, &by_astar), r);
		if (r != CAIRN_ASTAR_OK)
			continue;
		ck_assert_double_eq_tol(by_jump.length, by_astar.length, 1e-6);
		ck_assert_double_eq_tol(length_of_path(s, start, goal), by_astar.length, 1e-6);
	}
	cairn_astar_destroy(&a);
	scene_free(s);
}
END_TEST

static int64_t late(void *ctx)
{
	return *(int64_t *)ctx;
}

START_TEST(the_reason_for_no_path_is_told)
{
	struct scene *s = scene_new();
	struct cairn_rng rng;
	s->width = s->height = 200;
	memset(s->cells, 1, sizeof(s->cells));
	s->cells[5] = 0;
	scene_set(s);
	struct cairn_jump_query q = {.open = &s->open, .start = 5, .goal = 199};
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_START_BLOCKED);
	q.start = -1;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_START_BLOCKED);
	q.start = 0;
	q.goal = 5;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_GOAL_BLOCKED);
	q.goal = 200 * 200;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_GOAL_BLOCKED);
	memset(s->cells + 50 * 200, 0, 200);
	scene_set(s);
	q.goal = 200 * 200 - 1;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_NO_PATH);
	cairn_rng_seed(&rng, 1, 1);
	for (int i = 0; i < 200 * 200; i++)
		s->cells[i] = cairn_rng_uniform(&rng) > 0.2 || i == 0 || i == q.goal;
	scene_set(s);
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_OK);
	q.expansions_max = 20;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, NULL), CAIRN_ASTAR_LIMIT);
	int64_t now = 1000;
	q.expansions_max = 0;
	q.now_ns = late;
	q.ctx = &now;
	q.deadline_ns = 999;
	struct cairn_astar_stats st;
	ck_assert_int_eq(cairn_jump_search(s->jump, &q, &st), CAIRN_ASTAR_LIMIT);
	ck_assert_int_le(st.expansions, 256);
	scene_free(s);
}
END_TEST

START_TEST(regions_are_what_a_path_connects)
{
	struct scene *s = scene_new();
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 33, 1);
	static double dist[SIDE_MAX * SIDE_MAX];
	for (int round = 0; round < CAIRN_ROUNDS(200); round++) {
		draw(s, &rng, 1 + (int)(cairn_rng_u32(&rng) % 30), 1 + (int)(cairn_rng_u32(&rng) % 30));
		int start = some_cell(s, &rng), cells = s->width * s->height;
		scene_set(s);
		test_lengths(s->cells, NULL, s->width, s->height, start, dist);
		double x = 40.0 * cairn_rng_uniform(&rng) - 5.0, y = 40.0 * cairn_rng_uniform(&rng) - 5.0;
		double nearest = 9.0;
		for (int i = 0; i < cells; i++) {
			ck_assert(cairn_passable_connected(&s->open, start, i) == isfinite(dist[i]));
			ck_assert(
			    cairn_passable_at(&s->open, i % s->width, i / s->width) == (s->cells[i] != 0));
			ck_assert_int_lt(s->open.region[i], s->open.regions);
			if (isfinite(dist[i]))
				nearest = fmin(nearest, hypot(i % s->width - x, i / s->width - y));
		}
		int got = cairn_passable_nearest(&s->open, start, x, y, 9.0);
		ck_assert((got >= 0) == (nearest < 9.0));
		if (got >= 0) {
			ck_assert(isfinite(dist[got]));
			ck_assert_double_eq_tol(hypot(got % s->width - x, got / s->width - y), nearest, 1e-9);
		}
	}
	ck_assert(!cairn_passable_at(&s->open, -1, 0) && !cairn_passable_at(&s->open, 0, s->height));
	ck_assert_int_eq(cairn_passable_set(&s->open, s->cells, 4, 5, 5), -EINVAL);
	scene_free(s);
}
END_TEST

CAIRN_TEST_MAIN("jump", paths_are_as_short_as_can_be_legal_and_symmetric_on_random_grids,
    lengths_are_those_of_a_star_on_large_grids, the_reason_for_no_path_is_told,
    regions_are_what_a_path_connects)
