/* bench_choice.c - what a set of candidates costs on a map of a million cells: rooms of 4 m at 5 cm with
 * doors, every fifth one unknown; 48 frontiers, 48 named places, a goal with its path, and a stuck robot, so
 * that every source has all it can have. The search that says what can be reached is the one that the
 * frontiers need anyway; it is measured beside it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/explore/exploration_context.h"
#include "procs/lab/bench.h"

#define SIDE 1000
#define ROOM 80
#define CELL_M 0.05

struct choice_work {
	struct cairn_config cfg;
	struct cairn_grid grid;
	struct cairn_wavefront wave;
	struct cairn_candidates choice;
	struct cairn_candidates_inputs in;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_place places[2 * CAIRN_PLACES_MAX];
	struct cairn_msg_path_point path[512];
	struct cairn_vec2 goal;
	struct cairn_msg_candidates out;
	double way_m; /* to and fro, so that no two updates are the same */
};

static void draw(struct choice_work *w)
{
	memset(w->wave.cell, CAIRN_WAVEFRONT_UNKNOWN, (size_t)w->grid.width * (size_t)w->grid.height);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			int u = x % ROOM, v = y % ROOM;
			bool wall = (u == 0 && (v < 30 || v > 48)) || (v == 0 && (u < 30 || u > 48));
			bool unknown = (x / ROOM + 2 * (y / ROOM)) % 5 == 4;
			w->grid.odds[cairn_grid_index(&w->grid, x, y)] = wall      ? CAIRN_ODDS_MAX
									 : unknown ? CAIRN_ODDS_UNKNOWN
										   : CAIRN_ODDS_MIN;
			w->wave.cell[cairn_grid_index(&w->grid, x, y)] = wall      ? CAIRN_WAVEFRONT_OCCUPIED
									 : unknown ? CAIRN_WAVEFRONT_UNKNOWN
										   : CAIRN_WAVEFRONT_FREE;
		}
	}
}

static double middle_m(uint32_t room)
{
	return (room * ROOM + 40.5) * CELL_M;
}

static void wish(struct choice_work *w)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 1);
	w->frontiers.items_count = 48;
	for (uint32_t i = 0; i < 48; i++) {
		struct cairn_msg_frontier *f = &w->frontiers.items[i];
		f->id = i + 1;
		f->x_m = f->goal_x_m = middle_m(i % 12) + 0.6 * cairn_rng_uniform(&rng);
		f->y_m = f->goal_y_m = middle_m(i / 12 * 3) + 0.6 * cairn_rng_uniform(&rng);
		w->places[i].x_m = middle_m(cairn_rng_u32(&rng) % 12);
		w->places[i].y_m = middle_m(cairn_rng_u32(&rng) % 12);
		w->places[i].name[0] = (char)('0' + i);
	}
	w->goal = (struct cairn_vec2){middle_m(6) + 1.0, middle_m(2)};
	for (int i = 0; i < 512; i++) {
		w->path[i].x_m = (float)(middle_m(2) + (w->goal.x_m - middle_m(2)) * i / 511.0);
		w->path[i].y_m = (float)middle_m(2);
	}
}

static void update(void *ctx)
{
	struct choice_work *w = ctx;
	w->way_m = w->way_m > 0.5 ? 0.0 : w->way_m + 0.01;
	w->in.pose.x_m = middle_m(2) + w->way_m;
	cairn_candidates_update(&w->choice, &w->in, &w->out);
}

static void search(void *ctx)
{
	struct choice_work *w = ctx;
	cairn_wavefront_clearances(&w->wave, 6);
	cairn_wavefront_spread(&w->wave, 2 * ROOM + 40 - w->grid.cx0, 2 * ROOM + 40 - w->grid.cy0, 15, 6);
}

static bool prepare(struct choice_work *w)
{
	cairn_config_defaults(&w->cfg);
	cairn_grid_init(&w->grid, CELL_M, 2.0 * SIDE * CELL_M);
	cairn_wavefront_init(&w->wave);
	struct cairn_cell_box box = {0, 0, SIDE - 1, SIDE - 1};
	if (!cairn_grid_reserve(&w->grid, box) ||
	    !cairn_wavefront_resize(&w->wave, w->grid.width, w->grid.height) || w->grid.width < SIDE)
		return false;
	return true;
}

static void measure(struct choice_work *w, struct cairn_bench_out *out)
{
	w->in = (struct cairn_candidates_inputs){.ground = {&w->grid, &w->wave, w->grid.cx0, w->grid.cy0},
	    .pose = {middle_m(2), middle_m(2), 0.3},
	    .frontiers = &w->frontiers,
	    .goal = &w->goal,
	    .path = w->path,
	    .path_count = 512,
	    .places = w->places,
	    .place_count = 2 * CAIRN_PLACES_MAX,
	    .stuck = true};
	cairn_candidates_init(&w->choice, &w->cfg, 1);
	search(w);
	cairn_bench_value(out, "choice.million_cells.update", cairn_bench_time_ns(update, w) * 1e-6, "ms/op");
	cairn_bench_value(out, "choice.million_cells.offered", w->out.items_count, "places");
	w->in.stuck = false;
	cairn_bench_value(
	    out, "choice.million_cells.update_not_stuck", cairn_bench_time_ns(update, w) * 1e-6, "ms/op");
	cairn_bench_value(
	    out, "choice.million_cells.search_shared", cairn_bench_time_ns(search, w) * 1e-6, "ms/op");
}

bool cairn_bench_choice(struct cairn_bench_out *out)
{
	struct choice_work *w = calloc(1, sizeof(*w));
	bool ok = w != NULL && prepare(w);
	if (ok) {
		draw(w);
		wish(w);
		measure(w, out);
	}
	if (w != NULL) {
		cairn_grid_free(&w->grid);
		cairn_wavefront_free(&w->wave);
	}
	free(w);
	return ok;
}
