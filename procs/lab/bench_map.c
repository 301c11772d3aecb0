/* bench_map.c - what one scan costs on a map of a million cells: entering it, the distances to the walls, the
 * frontiers; and what closing a loop costs. Rooms of 4 m with doors and a pillar each, 50 m x 50 m at 5 cm,
 * all but the last two rows of them explored; each step a scan is taken in a place of those. The baselines do
 * the same by the plainest means. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/explore/frontier.h"
#include "common/slam/pose_graph.h"
#include "common/map/edt.h"
#include "procs/lab/bench.h"
#include "procs/lab/bench_map.h"

#define SIDE BENCH_MAP_SIDE
#define ROOM 80
#define CELL_M 0.05
#define BEAMS 720
#define STEPS 40
#define LOOP_RUNS 9
#define LOOP_TIES 5
#define KNOWN_ROWS (SIDE - 2 * ROOM) /* explored before anything is measured */

struct map_work {
	uint8_t truth[SIDE * SIDE]; /* 1: wall */
	struct cairn_config cfg;
	struct cairn_grid grid;
	struct cairn_rays rays;
	struct cairn_frontier_finder *finder;
	struct cairn_frontier_memory memory;
	struct cairn_msg_frontiers found;
	struct cairn_edt edt;
	uint8_t solid[SIDE * SIDE];
	float distance[SIDE * SIDE];
	struct bench_naive naive;
	double ways_ms[STEPS], detect_ms[STEPS], insert_ms[STEPS], edt_ms[STEPS], find_ms[STEPS];
	double plain_insert_ms[STEPS], plain_edt_ms[STEPS], plain_find_ms[STEPS];
};

static void draw_truth(struct map_work *w)
{
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			int u = x % ROOM, v = y % ROOM;
			bool wall = (u == 0 && (v < 30 || v > 48)) || (v == 0 && (u < 30 || u > 48));
			bool pillar = u > 14 && u < 22 && v > 50 && v < 60;
			w->truth[y * SIDE + x] = wall || pillar || x == SIDE - 1 || y == SIDE - 1;
		}
	}
}

/* One turn of a LiDAR at (x, y): rays in the robot frame, by walking the truth in tenths of a cell. */
static void look(struct map_work *w, struct cairn_pose2 pose)
{
	w->rays.count = BEAMS;
	for (int i = 0; i < BEAMS; i++) {
		double a = 2.0 * M_PI * i / BEAMS, c = cos(a), s = sin(a), r = 0.0,
		       most = w->cfg.map.range_use_m;
		bool hit = false;
		for (; r < most && !hit; r += 0.1 * CELL_M) {
			int x = (int)((pose.x_m + r * c) / CELL_M), y = (int)((pose.y_m + r * s) / CELL_M);
			hit = x < 0 || y < 0 || x >= SIDE || y >= SIDE || w->truth[y * SIDE + x];
		}
		w->rays.from_x_m[i] = w->rays.from_y_m[i] = 0.0F;
		w->rays.x_m[i] = (float)(r * c);
		w->rays.y_m[i] = (float)(r * s);
		w->rays.hit[i] = hit;
	}
}

static struct cairn_pose2 room_middle(int column, int row)
{
	return (struct cairn_pose2){(column * ROOM + 40.5) * CELL_M, (row * ROOM + 40.5) * CELL_M, 0.0};
}

static void explore(struct map_work *w)
{
	for (int row = 0; row < KNOWN_ROWS / ROOM; row++) {
		for (int column = 0; column < SIDE / ROOM + 1; column++) {
			for (int k = 0; k < 4; k++) { /* a few times, from around the middle */
				struct cairn_pose2 p = room_middle(column, row);
				p.x_m = fmin(p.x_m + 0.4 * (k % 2) - 0.2, (SIDE - 3) * CELL_M);
				p.y_m += 0.4 * (k / 2) - 0.2;
				look(w, p);
				cairn_grid_insert(&w->grid, p, &w->rays);
			}
		}
	}
}

/* Of this thread's processor time: what others do meanwhile is none of ours. */
static int64_t spent_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static double since_ms(int64_t start_ns)
{
	return (double)(spent_ns() - start_ns) * 1e-6;
}

/* What of the search are the path lengths alone: the wavefront of the last find once more. */
static bool time_ways(struct map_work *w, struct cairn_pose2 p, double *ret_ms)
{
	int32_t cx0, cy0;
	/* It is the finder's own scratch, made anew at each find. */
	struct cairn_wavefront *wave =
	    (struct cairn_wavefront *)(uintptr_t)cairn_frontier_reach(w->finder, &cx0, &cy0);
	if (wave == NULL)
		return false;
	int32_t x = (int32_t)floor(p.x_m / CELL_M) - cx0, y = (int32_t)floor(p.y_m / CELL_M) - cy0;
	int64_t start_ns = spent_ns();
	cairn_wavefront_spread(wave, x, y, wave->need2, 0);
	*ret_ms = since_ms(start_ns);
	return true;
}

static bool step(struct map_work *w, int i)
{
	int column = i % (STEPS / 4), row = KNOWN_ROWS / ROOM + i / (STEPS / 4) % 2;
	struct cairn_pose2 p = room_middle(column, row);
	p.x_m += 0.3 * (i / (STEPS / 2));
	look(w, p);
	int64_t start_ns = spent_ns();
	cairn_grid_insert(&w->grid, p, &w->rays);
	w->insert_ms[i] = since_ms(start_ns);
	start_ns = spent_ns();
	bool ok = cairn_frontier_find(w->finder, &w->memory, &w->grid, p, true, &w->cfg, &w->found);
	w->find_ms[i] = since_ms(start_ns);
	ok = ok && time_ways(w, p, &w->ways_ms[i]);
	w->detect_ms[i] = w->find_ms[i] - w->ways_ms[i];
	bench_naive_load(&w->naive, &w->grid);
	for (int k = 0; k < SIDE * SIDE; k++)
		w->solid[k] = w->naive.cell[k] == BENCH_NAIVE_SOLID;
	start_ns = spent_ns();
	cairn_edt_compute(&w->edt, w->solid, SIDE, 1, SIDE, SIDE, w->distance, SIDE);
	w->edt_ms[i] = since_ms(start_ns);
	start_ns = spent_ns();
	bench_naive_insert(&w->naive, p, &w->rays);
	w->plain_insert_ms[i] = since_ms(start_ns);
	start_ns = spent_ns();
	bench_naive_distances(&w->naive);
	w->plain_edt_ms[i] = since_ms(start_ns);
	start_ns = spent_ns();
	bench_naive_frontiers(&w->naive, p);
	w->plain_find_ms[i] = since_ms(start_ns);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Median against the baseline's, and the worst but one. */
static void say(struct cairn_bench_out *out, const char *name, double *ms, double *plain_ms)
{
	char text[64];
	qsort(ms, STEPS, sizeof(*ms), by_value);
	qsort(plain_ms, STEPS, sizeof(*plain_ms), by_value);
	snprintf(text, sizeof(text), "map.%s", name);
	cairn_bench_ratio(out, text, ms[STEPS / 2], "ms/op", plain_ms[STEPS / 2]);
	snprintf(text, sizeof(text), "map.%s.p95", name);
	cairn_bench_value(out, text, ms[STEPS - STEPS / 20 - 1], "ms/op");
}

/* The first look at a map that is there already, as after a restart or a loop that was closed. */
static bool anew(struct map_work *w, struct cairn_bench_out *out)
{
	double ms[9];
	for (int i = 0; i < 9; i++) {
		cairn_frontier_finder_destroy(&w->finder);
		w->finder = cairn_frontier_finder_new();
		if (w->finder == NULL)
			return false;
		int64_t start_ns = spent_ns();
		if (!cairn_frontier_find(
			w->finder, &w->memory, &w->grid, room_middle(1, 1), true, &w->cfg, &w->found))
			return false;
		ms[i] = since_ms(start_ns);
	}
	qsort(ms, 9, sizeof(ms[0]), by_value);
	cairn_bench_value(out, "map.frontiers.anew", ms[4], "ms/op");
	cairn_bench_value(out, "map.frontiers.found", w->found.total, "openings");
	cairn_bench_value(out, "map.known_cells",
	    (double)SIDE * SIDE * (1.0 - bench_naive_unknown_share(&w->naive)), "cells");
	return true;
}

/* A way of LOOP_NODES keyframes around a ring, each measured a little short and askew, with a tie across
 * every LOOP_TIES, and at last one that says that it ends where it began: what the graph then takes to come
 * to rest, at once, as it does in the scan that closes the loop. */
static bool loop_closed(struct cairn_bench_out *out, uint32_t nodes)
{
	const double cov[3][3] = {{1e-4, 0.0, 0.0}, {0.0, 1e-4, 0.0}, {0.0, 0.0, 1e-5}};
	const double turn = 2.0 * M_PI / nodes, step = 0.3;
	const struct cairn_pose2 z = {step, 0.0, turn}, measured = {step * 0.995, 0.0, turn + 2e-5};
	double ms[LOOP_RUNS], moved_m = 0.0;
	for (int run = 0; run < LOOP_RUNS; run++) {
		struct cairn_pose_graph g;
		struct cairn_pose_graph_report report = {0};
		struct cairn_pose2 at = {0};
		cairn_pose_graph_init(&g);
		bool ok = cairn_pose_graph_add_node(&g, at) == 0;
		for (uint32_t i = 1; i < nodes && ok; i++) {
			at = cairn_pose_compose(at, measured);
			ok = cairn_pose_graph_add_node(&g, at) == (int64_t)i &&
			     cairn_pose_graph_add_edge(&g, i - 1, i, CAIRN_EDGE_CHAIN, measured, cov) == 0;
			if (ok && i % LOOP_TIES == 0)
				ok = cairn_pose_graph_add_edge(&g, i - 2, i, CAIRN_EDGE_NEAR,
					 cairn_pose_compose(measured, measured), cov) == 0;
		}
		ok = ok && cairn_pose_graph_add_edge(&g, nodes - 1, 0, CAIRN_EDGE_LOOP, z, cov) == 0;
		int64_t start_ns = spent_ns();
		ok = ok && cairn_pose_graph_optimise(&g, &report) == 0;
		ms[run] = since_ms(start_ns);
		moved_m = report.moved_m;
		cairn_pose_graph_free(&g);
		if (!ok)
			return false;
	}
	char text[64];
	qsort(ms, LOOP_RUNS, sizeof(ms[0]), by_value);
	snprintf(text, sizeof(text), "map.loop_closure.keyframes_%u", nodes);
	cairn_bench_value(out, text, ms[LOOP_RUNS / 2], "ms/op");
	snprintf(text, sizeof(text), "map.loop_closure.keyframes_%u.moved", nodes);
	cairn_bench_value(out, text, moved_m, "m");
	return true;
}

bool cairn_bench_map(struct cairn_bench_out *out)
{
	struct map_work *w = calloc(1, sizeof(*w));
	bool ok = w != NULL && cairn_edt_reserve(&w->edt, SIDE) == 0 && bench_naive_init(&w->naive);
	if (ok) {
		cairn_config_defaults(&w->cfg);
		cairn_grid_init(&w->grid, CELL_M, 60.0);
		w->finder = cairn_frontier_finder_new();
		draw_truth(w);
		explore(w);
		ok = w->finder != NULL;
		for (int i = 0; i < STEPS && ok; i++)
			ok = step(w, i);
		say(out, "grid_update", w->insert_ms, w->plain_insert_ms);
		say(out, "distances", w->edt_ms, w->plain_edt_ms);
		say(out, "frontiers", w->find_ms, w->plain_find_ms);
		qsort(w->detect_ms, STEPS, sizeof(double), by_value);
		qsort(w->ways_ms, STEPS, sizeof(double), by_value);
		cairn_bench_value(out, "map.frontiers.detection", w->detect_ms[STEPS / 2], "ms/op");
		cairn_bench_value(out, "map.frontiers.path_lengths", w->ways_ms[STEPS / 2], "ms/op");
		ok = ok && anew(w, out) && loop_closed(out, 300) && loop_closed(out, 3000);
		cairn_frontier_finder_destroy(&w->finder);
		cairn_grid_free(&w->grid);
	}
	if (w != NULL) {
		cairn_edt_free(&w->edt);
		bench_naive_free(&w->naive);
	}
	free(w);
	return ok;
}
