/* bench_planner_hybrid.c - the kinematic search over random homes and over floor plans: how long, how often
 * there is a path, and why not. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/rng.h"
#include "common/config/config.h"
#include "common/plan/hybrid.h"
#include "common/plan/passable.h"
#include "common/sim/world/world.h"
#include "procs/lab/bench_planner.h"

#define CELL_M 0.05
#define SIDE 384
#define HOMES 8
#define PAIRS 60    /* searches a map */
#define ROOM_MIN 44 /* cells: rooms are split down to about 2.2 m */
#define DOOR 16     /* cells: 0.8 m */
#define PLAN_CELLS_MAX (1200 * 1200)

struct course {
	struct cairn_hybrid *hybrid;
	struct cairn_footprint body;
	struct cairn_costmap costmap;
	struct cairn_hybrid_params params;
	double limit_ms, tolerance_m;
	struct cairn_rng rng;
	struct cairn_path path;
};

struct score {
	int maps, searches, found[CAIRN_PLAN_RESULT_COUNT];
	struct bench_series ms, found_ms, expansions, cost_m;
};

static int64_t busy_ns(void *ctx)
{
	(void)ctx;
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* ---- maps ---- */

static void box(uint8_t *cells, int x0, int y0, int x1, int y1, uint8_t value)
{
	for (int y = y0 < 0 ? 0 : y0; y < y1 && y < SIDE; y++)
		for (int x = x0 < 0 ? 0 : x0; x < x1 && x < SIDE; x++)
			cells[y * SIDE + x] = value;
}

static int pick(struct cairn_rng *rng, int from, int to)
{
	return from + (int)(cairn_rng_u32(rng) % (uint32_t)(to - from + 1));
}

/* A table, a bed, or the legs of chairs. */
static void furnish(struct cairn_rng *rng, uint8_t *cells, int x0, int y0, int x1, int y1)
{
	for (int n = pick(rng, 0, 2); n > 0; n--) {
		int w = pick(rng, 8, 26), h = pick(rng, 8, 26);
		int x = pick(rng, x0, x1), y = pick(rng, y0, y1);
		if (x + w < x1 && y + h < y1)
			box(cells, x, y, x + w, y + h, 100);
	}
	for (int n = pick(rng, 0, 4); n > 0; n--) {
		int x = pick(rng, x0, x1 - 1), y = pick(rng, y0, y1 - 1);
		box(cells, x, y, x + 1, y + 1, 100);
	}
}

/* Splits a part of the house by walls with doors until rooms are left. */
static void split(struct cairn_rng *rng, uint8_t *cells, int x0, int y0, int x1, int y1)
{
	bool across = x1 - x0 > y1 - y0;
	int length = across ? x1 - x0 : y1 - y0, other = across ? y1 - y0 : x1 - x0;
	if (length < 2 * ROOM_MIN || (length < 4 * ROOM_MIN && pick(rng, 0, 3) == 0)) {
		furnish(rng, cells, x0 + 4, y0 + 4, x1 - 4, y1 - 4);
		return;
	}
	int at = pick(rng, ROOM_MIN, length - ROOM_MIN), door = pick(rng, 6, other - 6 - DOOR);
	if (across) {
		box(cells, x0 + at, y0, x0 + at + 2, y1, 100);
		split(rng, cells, x0, y0, x0 + at, y1);
		split(rng, cells, x0 + at + 2, y0, x1, y1);
		box(cells, x0 + at - 6, y0 + door, x0 + at + 8, y0 + door + DOOR, 0);
	} else {
		box(cells, x0, y0 + at, x1, y0 + at + 2, 100);
		split(rng, cells, x0, y0, x1, y0 + at);
		split(rng, cells, x0, y0 + at + 2, x1, y1);
		box(cells, x0 + door, y0 + at - 6, x0 + door + DOOR, y0 + at + 8, 0);
	}
}

/* ---- searches ---- */

static bool place(struct course *c, bool pose, struct cairn_pose2 *ret)
{
	struct cairn_rect rect = cairn_rect_around(&c->body, c->params.clearance_m);
	for (int tries = 0; tries < 20000; tries++) {
		int x = pick(&c->rng, 0, c->costmap.width - 1), y = pick(&c->rng, 0, c->costmap.height - 1);
		double yaw = 2.0 * M_PI * cairn_rng_uniform(&c->rng);
		int index = y * c->costmap.width + x;
		struct cairn_vec2 at = cairn_costmap_center(&c->costmap, index);
		*ret = (struct cairn_pose2){at.x_m, at.y_m, yaw};
		if (c->costmap.cells[index] == 0 && (!pose || cairn_costmap_fits(&c->costmap, ret, &rect)))
			return true;
	}
	return false;
}

/* Starts are poses where the robot fits; goals are any free cells, whether it fits there or not. */
static bool drive_map(struct course *c, const struct cairn_plan_grid *grid, int pairs, struct score *s)
{
	if (cairn_costmap_set_grid(&c->costmap, grid, NULL, NULL) < 0)
		return false;
	for (int i = 0; i < pairs; i++) {
		struct cairn_pose2 start, goal;
		if (!place(c, true, &start) || !place(c, false, &goal))
			return true; /* no room for this robot at all */
		int64_t t0 = busy_ns(NULL);
		struct cairn_hybrid_query q = {.start = start,
		    .goal_x_m = goal.x_m,
		    .goal_y_m = goal.y_m,
		    .tolerance_m = c->tolerance_m,
		    .now_ns = busy_ns,
		    .deadline_ns = t0 + (int64_t)(c->limit_ms * 1e6)};
		struct cairn_hybrid_stats stats;
		enum cairn_plan_result r = cairn_hybrid_search(c->hybrid, &c->costmap, &q, &c->path, &stats);
		double ms = (double)(busy_ns(NULL) - t0) * 1e-6;
		s->searches++;
		s->found[r]++;
		if (!bench_series_add(&s->ms, ms) || !bench_series_add(&s->expansions, stats.expansions) ||
		    (r == CAIRN_PLAN_OK && !(bench_series_add(&s->found_ms, ms) &&
					       bench_series_add(&s->cost_m, c->path.cost * CELL_M))))
			return false;
	}
	s->maps++;
	return true;
}

static void print_score(struct cairn_bench_out *out, const char *set, struct score *s)
{
	out->lines++;
	double share = s->searches > 0 ? (double)s->found[CAIRN_PLAN_OK] / s->searches : 0.0;
	json_t *line = json_pack("{s:s, s:s, s:i, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "bench",
	    "hybrid", "set", set, "maps", s->maps, "searches", s->searches, "found_share", share,
	    "time_median_ms", bench_series_at(&s->ms, 0.5), "time_p99_ms", bench_series_at(&s->ms, 0.99),
	    "time_max_ms", bench_series_at(&s->ms, 1.0), "found_median_ms",
	    bench_series_at(&s->found_ms, 0.5), "found_p99_ms", bench_series_at(&s->found_ms, 0.99),
	    "expansions_median", bench_series_at(&s->expansions, 0.5), "found_cost_median_m",
	    bench_series_at(&s->cost_m, 0.5));
	json_t *reasons = json_object();
	for (int r = 0; r < CAIRN_PLAN_RESULT_COUNT; r++)
		if (s->found[r] > 0)
			json_object_set_new(reasons, cairn_plan_result_text((enum cairn_plan_result)r),
			    json_integer(s->found[r]));
	json_object_set_new(line, "results", reasons);
	json_dumpf(line, stdout, (out->json ? JSON_COMPACT : JSON_INDENT(1)) | JSON_REAL_PRECISION(5));
	printf("\n");
	fflush(stdout);
	json_decref(line);
	free(s->ms.values);
	free(s->found_ms.values);
	free(s->expansions.values);
	free(s->cost_m.values);
}

static bool run_homes(struct cairn_bench_out *out, struct course *c)
{
	struct score s = {0};
	uint8_t *cells = malloc(SIDE * SIDE);
	bool ok = cells != NULL;
	for (int home = 0; home < HOMES && ok; home++) {
		cairn_rng_seed(&c->rng, 40 + (uint64_t)home, 1);
		box(cells, 0, 0, SIDE, SIDE, 100);
		box(cells, 2, 2, SIDE - 2, SIDE - 2, 0);
		split(&c->rng, cells, 2, 2, SIDE - 2, SIDE - 2);
		struct cairn_plan_grid grid = {
		    .cells = cells, .stride = SIDE, .width = SIDE, .height = SIDE, .cell_m = CELL_M};
		ok = drive_map(c, &grid, PAIRS, &s);
	}
	if (ok)
		print_score(out, "random homes, 384x384 cells of 5 cm, 72 headings", &s);
	free(cells);
	return ok;
}

/* Everything that is not connected with the house's start is no floor. */
static bool close_outside(const struct cairn_world *world, uint8_t *cells, int width, int height)
{
	struct cairn_passable open = {0};
	struct cairn_pose2 start;
	for (int i = 0; i < width * height; i++)
		cells[i] = cells[i] == 0;
	bool ok = cairn_world_choose_start(world, 0.29, 0.2, &start) &&
		  cairn_passable_set(&open, cells, (size_t)width, width, height) == 0;
	int x = ok ? (int)((start.x_m - world->x_min_m) / CELL_M + 2.0) : 0;
	int y = ok ? (int)((start.y_m - world->y_min_m) / CELL_M + 2.0) : 0;
	for (int i = 0; i < width * height && ok; i++)
		cells[i] = cairn_passable_connected(&open, i, y * width + x) ? 0 : 100;
	cairn_passable_free(&open);
	return ok;
}

/* Walls drawn into a grid: a cell whose centre is within half a diagonal of one. */
static bool run_plan(struct course *c, const char *path, struct score *s)
{
	struct cairn_error err;
	struct cairn_world *world = cairn_world_load(path, &err);
	if (world == NULL) {
		fprintf(stderr, "cairn bench planner: %s\n", err.text);
		return false;
	}
	int width = (int)ceil((world->x_max_m - world->x_min_m) / CELL_M) + 4;
	int height = (int)ceil((world->y_max_m - world->y_min_m) / CELL_M) + 4;
	bool fits = width <= PLAN_CELLS_MAX / height;
	uint8_t *cells = fits ? malloc((size_t)width * (size_t)height) : NULL;
	bool ok = !fits || cells != NULL;
	if (cells != NULL) {
		for (int i = 0; i < width * height; i++) {
			struct cairn_pose2 at = {world->x_min_m + (i % width - 1.5) * CELL_M,
			    world->y_min_m + (i / width - 1.5) * CELL_M, 0.0};
			const struct cairn_footprint cell = {0.5 * CELL_M, 0.5 * CELL_M, 0.5 * CELL_M};
			cells[i] = cairn_world_touch(world, at, &cell, 0.2) >= 0 ? 100 : 0;
		}
		ok = close_outside(world, cells, width, height);
		struct cairn_plan_grid grid = {.cells = cells,
		    .stride = (size_t)width,
		    .width = width,
		    .height = height,
		    .cell_m = CELL_M,
		    .origin_x_m = world->x_min_m - 2.0 * CELL_M,
		    .origin_y_m = world->y_min_m - 2.0 * CELL_M};
		ok = ok && drive_map(c, &grid, PAIRS / 3, s);
	}
	free(cells);
	cairn_world_destroy(&world);
	return ok;
}

static bool run_plans(struct cairn_bench_out *out, struct course *c, const char *dir)
{
	struct score s = {0};
	struct dirent **names;
	int count = scandir(dir, &names, NULL, alphasort);
	bool ok = count >= 0;
	if (!ok)
		fprintf(stderr, "cairn bench planner: %s cannot be read\n", dir);
	cairn_rng_seed(&c->rng, 77, 1);
	for (int i = 0; i < count; i++) {
		char path[1024];
		const char *dot = strchr(names[i]->d_name, '.');
		bool plan = dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".pgm.gz") == 0);
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		ok = ok && (!plan || run_plan(c, path, &s));
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	if (ok)
		print_score(out, "floor plans of the folder, cells of 5 cm, 72 headings", &s);
	return ok;
}

bool bench_planner_hybrid(struct cairn_bench_out *out, const char *houses_dir)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	struct course *c = calloc(1, sizeof(*c));
	if (c == NULL)
		return false;
	c->body = (struct cairn_footprint){
	    cfg.robot.footprint_front_m, cfg.robot.footprint_rear_m, cfg.robot.footprint_half_width_m};
	struct cairn_costmap_params costs = {.inflation_m = cfg.nav.inflation_m,
	    .inscribed_m = c->body.half_width_m,
	    .near_cost = cfg.nav.near_cost,
	    .unknown_cost = cfg.nav.unknown_cost,
	    .slow_cost = cfg.nav.slow_zone_cost};
	c->params = (struct cairn_hybrid_params){.body = c->body,
	    .turn_radius_m = 1.1 * cfg.robot.turn_radius_min_m,
	    .clearance_m = cfg.nav.clearance_m,
	    .lead_m = fmax(cfg.nav.clearance_m, cfg.safety.stop_distance_m + 0.04),
	    .reverse_factor = cfg.nav.reverse_factor,
	    .switch_m = cfg.nav.switch_m,
	    .turn_factor = 1.3,
	    .nodes_max = 120000};
	c->limit_ms = cfg.nav.planning_ms;
	c->tolerance_m = 0.6 * cfg.nav.goal_tolerance_m;
	cairn_costmap_init(&c->costmap, &costs);
	c->hybrid = cairn_hybrid_new(&c->params);
	bool ok = c->hybrid != NULL && run_homes(out, c);
	ok = ok && (houses_dir == NULL || run_plans(out, c, houses_dir));
	cairn_hybrid_destroy(&c->hybrid);
	cairn_costmap_free(&c->costmap);
	free(c);
	return ok;
}
