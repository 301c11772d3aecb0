#include "common/plan/astar.h"

#include <math.h>
#include <zlib.h>

#include "common/base/rng.h"
#include "test/support/lengths.h"
#include "test/support/runner.h"

enum { W = 24, H = 17 };

static double path_cost(const uint8_t *open, const float *factor, const int *cells, int count)
{
	double cost = 0.0;
	for (int i = 1; i < count; i++) {
		int a = cells[i - 1], b = cells[i];
		int dx = b % W - a % W, dy = b / W - a / W;
		ck_assert_int_le(abs(dx), 1);
		ck_assert_int_le(abs(dy), 1);
		ck_assert(open[b] && open[a + dx] && open[a + dy * W]);
		double c = hypot(dx, dy);
		cost += factor != NULL ? c * 0.5 * ((double)factor[a] + (double)factor[b]) : c;
	}
	return cost;
}

static void check_random(bool weighted)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 11, weighted ? 2 : 1);
	struct cairn_astar *a = cairn_astar_new();
	uint8_t open[W * H];
	float factor[W * H];
	double dist[W * H];
	int cells[W * H], found = 0, none = 0;
	for (int round = 0; round < 250; round++) {
		double share = 0.1 + 0.4 * cairn_rng_uniform(&rng);
		for (int i = 0; i < W * H; i++) {
			open[i] = cairn_rng_uniform(&rng) >= share;
			factor[i] = 1.0f + 9.0f * (float)cairn_rng_uniform(&rng);
		}
		int start = (int)(cairn_rng_u32(&rng) % (W * H)), goal = (int)(cairn_rng_u32(&rng) % (W * H));
		open[start] = open[goal] = 1;
		test_lengths(open, weighted ? factor : NULL, W, H, start, dist);
		struct cairn_astar_query q = {.passable = open,
		    .factor = weighted ? factor : NULL,
		    .width = W,
		    .height = H,
		    .start = start,
		    .goal = goal};
		struct cairn_astar_stats there, back;
		enum cairn_astar_result r = cairn_astar_search(a, &q, &there);
		if (isinf(dist[goal])) {
			ck_assert_int_eq(r, CAIRN_ASTAR_NO_PATH);
			ck_assert_int_eq(cairn_astar_path(a, cells, W * H), 0);
			none++;
			continue;
		}
		ck_assert_int_eq(r, CAIRN_ASTAR_OK);
		ck_assert_double_eq_tol(there.length, dist[goal], 1e-6);
		int count = cairn_astar_path(a, cells, W * H);
		ck_assert_int_eq(cells[0], start);
		ck_assert_int_eq(cells[count - 1], goal);
		ck_assert_double_eq_tol(path_cost(open, q.factor, cells, count), dist[goal], 1e-6);
		q.start = goal;
		q.goal = start;
		ck_assert_int_eq(cairn_astar_search(a, &q, &back), CAIRN_ASTAR_OK);
		ck_assert_double_eq_tol(back.length, there.length, 1e-6);
		found++;
	}
	ck_assert_int_gt(found, 40);
	ck_assert_int_gt(none, 5);
	cairn_astar_destroy(&a);
}

START_TEST(paths_are_optimal_legal_and_symmetric_on_random_grids)
{
	check_random(false);
}
END_TEST

START_TEST(paths_are_cheapest_where_cells_cost)
{
	check_random(true);
}
END_TEST

START_TEST(corners_are_not_cut)
{
	uint8_t open[W * H];
	memset(open, 1, sizeof(open));
	open[1] = 0; /* right of the start */
	struct cairn_astar *a = cairn_astar_new();
	struct cairn_astar_query q = {.passable = open, .width = W, .height = H, .start = 0, .goal = W + 1};
	struct cairn_astar_stats st;
	ck_assert_int_eq(cairn_astar_search(a, &q, &st), CAIRN_ASTAR_OK);
	ck_assert_double_eq_tol(st.length, 2.0, 1e-9);
	cairn_astar_destroy(&a);
}
END_TEST

static int64_t late(void *ctx)
{
	return *(int64_t *)ctx;
}

START_TEST(the_reason_for_no_path_is_told)
{
	enum { N = 100 };
	uint8_t *open = calloc(N * N, 1);
	memset(open, 1, N * N);
	open[5] = 0;
	struct cairn_astar *a = cairn_astar_new();
	struct cairn_astar_query q = {
	    .passable = open, .width = N, .height = N, .start = 5, .goal = N * N - 1};
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_START_BLOCKED);
	q.start = -1;
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_START_BLOCKED);
	q.start = 0;
	q.goal = 5;
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_GOAL_BLOCKED);
	q.goal = N * N;
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_GOAL_BLOCKED);
	memset(open + 50 * N, 0, N);
	q.goal = N * N - 1;
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_NO_PATH);
	q.expansions_max = 20;
	ck_assert_int_eq(cairn_astar_search(a, &q, NULL), CAIRN_ASTAR_LIMIT);
	int64_t now = 1000;
	q.expansions_max = 0;
	q.now_ns = late;
	q.ctx = &now;
	q.deadline_ns = 999;
	struct cairn_astar_stats st;
	ck_assert_int_eq(cairn_astar_search(a, &q, &st), CAIRN_ASTAR_LIMIT);
	ck_assert_int_le(st.expansions, 1024);
	free(open);
	cairn_astar_destroy(&a);
}
END_TEST

START_TEST(benchmark_lengths_are_met)
{
	char map_path[1024];
	const char *p = cairn_shared_path("gridmaps/arena.map.gz");
	if (p == NULL)
		return; /* said in main */
	snprintf(map_path, sizeof(map_path), "%s", p);
	gzFile map = gzopen(map_path, "rb"),
	       scen = gzopen(cairn_shared_path("gridmaps/arena.map.scen.gz"), "rb");
	ck_assert(map != NULL && scen != NULL);
	char line[2048];
	int width = 0, height = 0;
	while (gzgets(map, line, sizeof(line)) != NULL && strncmp(line, "map", 3) != 0) {
		sscanf(line, "height %d", &height);
		sscanf(line, "width %d", &width);
	}
	ck_assert(width > 0 && width < 2000 && height > 0 && height < 2000);
	uint8_t *open = calloc((size_t)width * (size_t)height, 1);
	for (int y = 0; y < height && gzgets(map, line, sizeof(line)) != NULL; y++)
		for (int x = 0; x < width; x++)
			open[y * width + x] = line[x] == '.' || line[x] == 'G';
	struct cairn_astar *a = cairn_astar_new();
	int problems = 0;
	while (gzgets(scen, line, sizeof(line)) != NULL) {
		int sx, sy, gx, gy;
		double optimal;
		if (sscanf(line, "%*d %*s %*d %*d %d %d %d %d %lf", &sx, &sy, &gx, &gy, &optimal) != 5)
			continue;
		struct cairn_astar_query q = {.passable = open,
		    .width = width,
		    .height = height,
		    .start = sy * width + sx,
		    .goal = gy * width + gx};
		struct cairn_astar_stats st;
		ck_assert_int_eq(cairn_astar_search(a, &q, &st), CAIRN_ASTAR_OK);
		ck_assert_double_eq_tol(st.length, optimal, 1e-3);
		problems++;
	}
	ck_assert_int_eq(problems, 160);
	cairn_astar_destroy(&a);
	free(open);
	gzclose(map);
	gzclose(scen);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {paths_are_optimal_legal_and_symmetric_on_random_grids,
	    paths_are_cheapest_where_cells_cost, corners_are_not_cut, the_reason_for_no_path_is_told,
	    benchmark_lengths_are_met};
	size_t count = sizeof(tests) / sizeof(tests[0]);
	if (cairn_shared_path("gridmaps/arena.map.gz") == NULL) {
		printf("# benchmark maps are not here: lengths not compared\n");
		count--;
	}
	return cairn_test_run("astar", tests, count, 60.0);
}
