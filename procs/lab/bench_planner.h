/* bench_planner.h - what the parts of `cairn bench planner` share. */
#ifndef CAIRN_PROCS_LAB_BENCH_PLANNER_H
#define CAIRN_PROCS_LAB_BENCH_PLANNER_H

#include "common/base/error.h"
#include "common/plan/astar.h"
#include "procs/lab/bench.h"

/* ---- benchmark files (bench_planner_file.c) ---- */

struct bench_map {
	uint8_t *passable; /* row 0 is the top */
	int width, height;
};

struct bench_problem {
	int start, goal; /* y * width + x */
	double optimal;  /* 0 with start and goal apart: no path exists */
};

/* A scenario file of the MovingAI benchmark; all its problems are on one map. */
struct bench_scenario {
	char map_name[128];
	struct bench_map map;
	struct bench_problem *problems;
	int count;
};

/* Reads a scenario and its map, gzipped or not; the map is looked for in map_dir, or beside the scenario
 * (map_dir NULL), with and without .gz. False with the reason. */
bool bench_scenario_read(
    struct bench_scenario *s, const char *path, const char *map_dir, struct cairn_error *err);
void bench_scenario_free(struct bench_scenario *s);

/* ---- the yardstick (bench_planner_textbook.c) ---- */

/* A* as textbooks have it: binary heap, octile heuristic, eight neighbours, no corner cutting. */
struct bench_textbook;
struct bench_textbook *bench_textbook_new(const struct bench_map *map);
void bench_textbook_destroy(struct bench_textbook **t_p);
/* False: no path. */
bool bench_textbook_search(struct bench_textbook *t, int start, int goal, double *length, int64_t *nodes);

/* ---- figures ---- */

struct bench_series {
	double *values;
	int count, capacity;
};

bool bench_series_add(struct bench_series *s, double value);
/* share 0.5: the median. Sorts. 0 when empty. */
double bench_series_at(struct bench_series *s, double share);
double bench_series_sum(const struct bench_series *s);

/* The costmap of a large map (bench_planner_costmap.c). */
bool bench_planner_costmap(struct cairn_bench_out *out);

/* The kinematic search over random homes and floor plans (bench_planner_hybrid.c). */
bool bench_planner_hybrid(struct cairn_bench_out *out, const char *houses_dir);

#endif
