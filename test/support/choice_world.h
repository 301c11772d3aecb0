/* choice_world.h - ground for candidates: a grid drawn by hand and the wavefront of a robot on it. */
#ifndef CAIRN_TEST_SUPPORT_CHOICE_WORLD_H
#define CAIRN_TEST_SUPPORT_CHOICE_WORLD_H

#include <math.h>
#include <string.h>

#include "common/explore/exploration_context.h"

#define GROUND_NEED2 15 /* (0.10 + 0.04 + 0.05 m) in squared cells of 5 cm, rounded up */

struct ground {
	struct cairn_grid grid;
	struct cairn_wavefront wave;
	struct cairn_config cfg;
};

/* All unknown, from (-half_m, -half_m) to (half_m, half_m). */
static inline void ground_init(struct ground *g, double half_m)
{
	int32_t n = (int32_t)lround(half_m / 0.05);
	memset(g, 0, sizeof(*g));
	cairn_config_defaults(&g->cfg);
	cairn_grid_init(&g->grid, 0.05, 4.0 * half_m);
	cairn_grid_reserve(&g->grid, (struct cairn_cell_box){-n, -n, n - 1, n - 1});
	g->grid.known = (struct cairn_cell_box){-n, -n, n - 1, n - 1};
	cairn_wavefront_init(&g->wave);
}

static inline void ground_free(struct ground *g)
{
	cairn_grid_free(&g->grid);
	cairn_wavefront_free(&g->wave);
}

/* Cells whose centres lie in [x0, x1] x [y0, y1]. */
static inline void ground_fill(struct ground *g, double x0, double y0, double x1, double y1, int8_t odds)
{
	for (int32_t cy = g->grid.cy0; cy < g->grid.cy0 + g->grid.height; cy++) {
		for (int32_t cx = g->grid.cx0; cx < g->grid.cx0 + g->grid.width; cx++) {
			double x = (cx + 0.5) * 0.05, y = (cy + 0.5) * 0.05;
			if (x >= x0 && x <= x1 && y >= y0 && y <= y1)
				g->grid.odds[cairn_grid_index(&g->grid, cx, cy)] = odds;
		}
	}
}

static inline void ground_floor(struct ground *g, double x0, double y0, double x1, double y1)
{
	ground_fill(g, x0, y0, x1, y1, CAIRN_ODDS_MIN);
}

static inline void ground_wall(struct ground *g, double x0, double y0, double x1, double y1)
{
	ground_fill(g, x0, y0, x1, y1, CAIRN_ODDS_MAX);
}

static inline void ground_visit(struct ground *g, double x0, double y0, double x1, double y1)
{
	for (int32_t cy = g->grid.cy0; cy < g->grid.cy0 + g->grid.height; cy++) {
		for (int32_t cx = g->grid.cx0; cx < g->grid.cx0 + g->grid.width; cx++) {
			double x = (cx + 0.5) * 0.05, y = (cy + 0.5) * 0.05;
			if (x >= x0 && x <= x1 && y >= y0 && y <= y1)
				g->grid.visits[cairn_grid_index(&g->grid, cx, cy)]++;
		}
	}
}

/* The wavefront of a robot at (x, y), and the inputs of a choice there without anything to choose. */
static inline struct cairn_candidates_inputs ground_stand(struct ground *g, struct cairn_pose2 pose)
{
	const struct cairn_grid *grid = &g->grid;
	cairn_wavefront_resize(&g->wave, grid->width, grid->height);
	for (size_t i = 0; i < (size_t)grid->width * (size_t)grid->height; i++)
		g->wave.cell[i] = grid->odds[i] == CAIRN_ODDS_UNKNOWN  ? CAIRN_WAVEFRONT_UNKNOWN
				  : cairn_odds_occupied(grid->odds[i]) ? CAIRN_WAVEFRONT_OCCUPIED
				  : grid->odds[i] < 0                  ? CAIRN_WAVEFRONT_FREE
								       : CAIRN_WAVEFRONT_UNSURE;
	cairn_wavefront_clearances(&g->wave, 6);
	cairn_wavefront_spread(&g->wave, cairn_grid_cell(grid, pose.x_m) - grid->cx0,
	    cairn_grid_cell(grid, pose.y_m) - grid->cy0, GROUND_NEED2, 6);
	return (struct cairn_candidates_inputs){
	    .ground = {grid, &g->wave, grid->cx0, grid->cy0}, .pose = pose};
}

#endif
