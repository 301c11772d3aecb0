/* bench_planner_costmap.c - a costmap of a million cells, new and after a change, against the plain
 * transform. */
#include <stdlib.h>
#include <string.h>

#include "common/plan/costmap.h"
#include "procs/lab/bench_planner.h"

#define SIDE 1000
#define ROOM 80   /* cells: 4 m at 5 cm */
#define CHANGE 60 /* cells: what a scan adds in a room */

struct costmap_work {
	struct cairn_costmap costmap;
	struct cairn_edt edt;
	uint8_t cells[SIDE * SIDE], bits[SIDE * SIDE];
	float dist[SIDE * SIDE];
	unsigned round;
};

static void set_grid(struct costmap_work *w)
{
	struct cairn_plan_grid grid = {
	    .cells = w->cells, .stride = SIDE, .width = SIDE, .height = SIDE, .cell_m = 0.05};
	(void)cairn_costmap_set_grid(&w->costmap, &grid, NULL, NULL);
}

static void from_scratch(void *ctx)
{
	struct costmap_work *w = ctx;
	w->costmap.kept = false;
	set_grid(w);
}

static void after_a_change(void *ctx)
{
	struct costmap_work *w = ctx;
	w->round++;
	for (int k = 0; k < CHANGE; k++) /* a slanted line of obstacles comes and goes */
		w->cells[(500 + k / 3) * SIDE + 490 + k] = w->round % 2 == 0 ? 100 : 0;
	set_grid(w);
}

static void plain_transform(void *ctx)
{
	struct costmap_work *w = ctx;
	cairn_edt_compute(&w->edt, w->bits, SIDE, 1, SIDE, SIDE, w->dist, SIDE);
}

bool bench_planner_costmap(struct cairn_bench_out *out)
{
	struct costmap_work *w = calloc(1, sizeof(*w));
	const struct cairn_costmap_params params = {0.35, 0.10, 20.0, 50.0, 3.0, 0.0};
	if (w == NULL || cairn_edt_reserve(&w->edt, SIDE) < 0) {
		free(w);
		return false;
	}
	for (int i = 0; i < SIDE * SIDE; i++) {
		int x = i % SIDE, y = i / SIDE;
		bool wall = (x % ROOM == 0 && y % 90 > 20) || (y % ROOM == 0 && x % 90 > 20);
		w->cells[i] = wall ? 100 : 0;
		w->bits[i] = wall;
	}
	cairn_costmap_init(&w->costmap, &params);
	double plain_ms = cairn_bench_time_ns(plain_transform, w) * 1e-6;
	double full_ms = cairn_bench_time_ns(from_scratch, w) * 1e-6;
	double change_ms = cairn_bench_time_ns(after_a_change, w) * 1e-6;
	cairn_bench_value(out, "planner.million_cells.transform", plain_ms, "ms/op");
	cairn_bench_ratio(out, "planner.million_cells.costmap_new", full_ms, "ms/op", plain_ms);
	cairn_bench_ratio(out, "planner.million_cells.costmap_changed", change_ms, "ms/op", full_ms);
	cairn_costmap_free(&w->costmap);
	cairn_edt_free(&w->edt);
	free(w);
	return true;
}
