/* bench_edt.c - the distance transform behind the costmap, on a million cells. */
#include <stdlib.h>

#include "common/base/rng.h"
#include "common/map/edt.h"
#include "procs/lab/bench.h"

#define SIDE 1000
#define WALL_EVERY 80 /* cells: rooms of 4 m at 5 cm */

struct edt_work {
	struct cairn_edt edt;
	uint8_t cells[SIDE * SIDE];
	float distance[SIDE * SIDE];
};

static void transform(void *ctx)
{
	struct edt_work *w = ctx;
	cairn_edt_compute(&w->edt, w->cells, SIDE, 1, SIDE, SIDE, w->distance, SIDE);
}

static void draw_rooms(struct edt_work *w)
{
	for (int x = 0; x < SIDE; x += WALL_EVERY) {
		for (int y = 0; y < SIDE; y++)
			w->cells[y * SIDE + x] = w->cells[x * SIDE + y] = y % 90 > 20;
	}
}

bool cairn_bench_edt(struct cairn_bench_out *out)
{
	struct edt_work *w = calloc(1, sizeof(*w));
	bool ok = w != NULL && cairn_edt_reserve(&w->edt, SIDE) == 0;
	if (ok) {
		struct cairn_rng rng;
		draw_rooms(w);
		cairn_bench_value(
		    out, "edt.million_cells.rooms", cairn_bench_time_ns(transform, w) * 1e-6, "ms/op");
		cairn_rng_seed(&rng, 3, 1);
		for (int i = 0; i < 10000; i++)
			w->cells[cairn_rng_u32(&rng) % (SIDE * SIDE)] = 1;
		cairn_bench_value(
		    out, "edt.million_cells.cluttered", cairn_bench_time_ns(transform, w) * 1e-6, "ms/op");
	}
	if (w != NULL)
		cairn_edt_free(&w->edt);
	free(w);
	return ok;
}
