#include "common/eval/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sim/robot/truth.h"

bool cairn_lattice_init(struct cairn_lattice *l, const struct cairn_config *cfg, const struct cairn_world *w,
    struct cairn_pose2 start)
{
	const struct cairn_config_robot *c = &cfg->robot;
	struct cairn_footprint body = {c->footprint_front_m, c->footprint_rear_m, c->footprint_half_width_m};
	*l = (struct cairn_lattice){.nx = (int)ceil((w->x_max_m - w->x_min_m) / CAIRN_LATTICE_M) + 1,
	    .ny = (int)ceil((w->y_max_m - w->y_min_m) / CAIRN_LATTICE_M) + 1,
	    .x0_m = w->x_min_m,
	    .y0_m = w->y_min_m};
	struct cairn_truth *floor = cairn_truth_new(w, &body, c->height_m, start);
	uint32_t cells = cairn_lattice_cells(l);
	l->free = calloc(cells, 1);
	l->way_m = malloc(cells * sizeof(*l->way_m));
	l->open = malloc(cells * sizeof(*l->open));
	l->queued = calloc(cells, 1);
	bool ok =
	    floor != NULL && l->free != NULL && l->way_m != NULL && l->open != NULL && l->queued != NULL;
	for (uint32_t i = 0; ok && i < cells; i++) {
		struct cairn_vec2 p = cairn_lattice_at(l, i);
		l->free[i] = cairn_truth_reachable_at(floor, p.x_m, p.y_m);
	}
	if (ok)
		cairn_lattice_clear(l);
	cairn_truth_destroy(&floor);
	return ok;
}

void cairn_lattice_free(struct cairn_lattice *l)
{
	free(l->free);
	free(l->way_m);
	free(l->open);
	free(l->queued);
	*l = (struct cairn_lattice){.nx = 0};
}

struct cairn_vec2 cairn_lattice_at(const struct cairn_lattice *l, uint32_t cell)
{
	return (struct cairn_vec2){l->x0_m + CAIRN_LATTICE_M * (cell % (uint32_t)l->nx + 0.5),
	    l->y0_m + CAIRN_LATTICE_M * (cell / (uint32_t)l->nx + 0.5)};
}

uint32_t cairn_lattice_cell(const struct cairn_lattice *l, struct cairn_vec2 at)
{
	int x = (int)floor((at.x_m - l->x0_m) / CAIRN_LATTICE_M),
	    y = (int)floor((at.y_m - l->y0_m) / CAIRN_LATTICE_M);
	return x >= 0 && y >= 0 && x < l->nx && y < l->ny ? (uint32_t)(y * l->nx + x) : UINT32_MAX;
}

void cairn_lattice_clear(struct cairn_lattice *l)
{
	for (uint32_t i = 0; i < cairn_lattice_cells(l); i++)
		l->way_m[i] = INFINITY;
	memset(l->queued, 0, cairn_lattice_cells(l));
	l->head = l->tail = 0;
}

void cairn_lattice_seed(struct cairn_lattice *l, uint32_t cell, float way_m)
{
	if (way_m >= l->way_m[cell] - 1e-4f)
		return;
	l->way_m[cell] = way_m;
	if (!l->queued[cell])
		l->open[l->tail++ % cairn_lattice_cells(l)] = cell;
	l->queued[cell] = 1;
}

void cairn_lattice_spread(struct cairn_lattice *l)
{
	while (l->head != l->tail) {
		uint32_t c = l->open[l->head++ % cairn_lattice_cells(l)];
		int x = (int)(c % (uint32_t)l->nx), y = (int)(c / (uint32_t)l->nx);
		l->queued[c] = 0;
		for (int k = 0; k < 9; k++) {
			int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
			if (k == 4 || nx < 0 || ny < 0 || nx >= l->nx || ny >= l->ny)
				continue;
			uint32_t n = (uint32_t)(ny * l->nx + nx);
			if (l->free[n])
				cairn_lattice_seed(l, n,
				    l->way_m[c] + (float)(CAIRN_LATTICE_M * (k % 2 == 0 ? M_SQRT2 : 1.0)));
		}
	}
}
