/* grids.h - hand-made occupancy grids for tests, and a footprint check that shares nothing with the code
 * under test. */
#ifndef CAIRN_TEST_SUPPORT_GRIDS_H
#define CAIRN_TEST_SUPPORT_GRIDS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/plan/costmap.h"

struct test_grid {
	uint8_t *cells;
	int width, height;
	double cell_m; /* origin 0, 0 */
};

static inline struct test_grid test_grid_new(double width_m, double height_m, double cell_m)
{
	struct test_grid g = {
	    .width = (int)lround(width_m / cell_m), .height = (int)lround(height_m / cell_m)};
	g.cell_m = cell_m;
	g.cells = calloc((size_t)g.width * (size_t)g.height, 1);
	return g;
}

/* Fills the cells whose centres lie in the box. */
static inline void test_grid_box(
    struct test_grid *g, double x0, double y0, double x1, double y1, uint8_t value)
{
	for (int y = 0; y < g->height; y++)
		for (int x = 0; x < g->width; x++) {
			double cx = (x + 0.5) * g->cell_m, cy = (y + 0.5) * g->cell_m;
			if (cx >= x0 && cx <= x1 && cy >= y0 && cy <= y1)
				g->cells[y * g->width + x] = value;
		}
}

static inline void test_grid_border(struct test_grid *g)
{
	for (int y = 0; y < g->height; y++)
		for (int x = 0; x < g->width; x++)
			if (x == 0 || y == 0 || x == g->width - 1 || y == g->height - 1)
				g->cells[y * g->width + x] = 100;
}

static inline struct cairn_plan_grid test_grid_view(const struct test_grid *g)
{
	return (struct cairn_plan_grid){.cells = g->cells,
	    .stride = (size_t)g->width,
	    .width = g->width,
	    .height = g->height,
	    .cell_m = g->cell_m};
}

/* Do the rectangle of the body and an occupied cell (the whole square) overlap? Separating axes. */
static inline bool test_grid_touches(
    const struct test_grid *g, struct cairn_pose2 p, const struct cairn_footprint *body)
{
	double c = cos(p.yaw_rad), s = sin(p.yaw_rad), half = 0.5 * g->cell_m;
	double mx = 0.5 * (body->front_m - body->rear_m), hx = 0.5 * (body->front_m + body->rear_m);
	double hy = body->half_width_m, bx = p.x_m + c * mx, by = p.y_m + s * mx;
	double ex = fabs(c) * hx + fabs(s) * hy, ey = fabs(s) * hx + fabs(c) * hy;
	for (int y = 0; y < g->height; y++)
		for (int x = 0; x < g->width; x++) {
			double dx = (x + 0.5) * g->cell_m - bx, dy = (y + 0.5) * g->cell_m - by;
			if (fabs(dx) > ex + half || fabs(dy) > ey + half)
				continue;
			if (g->cells[y * g->width + x] < 65 || g->cells[y * g->width + x] > 100)
				continue;
			double spread = half * (fabs(c) + fabs(s));
			if (fabs(c * dx + s * dy) < hx + spread && fabs(c * dy - s * dx) < hy + spread)
				return true;
		}
	return false;
}

/* A flat of 12 m x 9 m: a corridor in the middle, three rooms on each side, doors of door_m, furniture. */
static inline struct test_grid test_grid_flat(double cell_m, double door_m)
{
	struct test_grid g = test_grid_new(12.0, 9.0, cell_m);
	double h = 0.5 * door_m;
	test_grid_border(&g);
	test_grid_box(&g, 0.0, 3.8, 12.0, 3.9, 100);
	test_grid_box(&g, 0.0, 5.1, 12.0, 5.2, 100);
	for (int i = 1; i < 3; i++) {
		test_grid_box(&g, 4.0 * i, 0.0, 4.0 * i + 0.1, 3.8, 100);
		test_grid_box(&g, 4.0 * i, 5.2, 4.0 * i + 0.1, 9.0, 100);
	}
	for (int i = 0; i < 3; i++) {
		double x = 4.0 * i + 2.6;
		test_grid_box(&g, x - h, 3.7, x + h, 4.0, 0);
		test_grid_box(&g, x - h - 1.0, 5.0, x + h - 1.0, 5.3, 0);
	}
	test_grid_box(&g, 0.6, 0.6, 1.6, 2.4, 100); /* a bed, a table with chairs, a sofa, shelves */
	test_grid_box(&g, 5.6, 1.4, 6.8, 2.2, 100);
	test_grid_box(&g, 5.8, 0.9, 6.1, 1.2, 100);
	test_grid_box(&g, 6.4, 2.4, 6.7, 2.7, 100);
	test_grid_box(&g, 9.0, 0.2, 11.2, 0.9, 100);
	test_grid_box(&g, 1.0, 7.4, 3.0, 8.2, 100);
	test_grid_box(&g, 5.2, 6.4, 5.6, 8.8, 100);
	test_grid_box(&g, 9.4, 6.6, 10.6, 7.6, 100);
	return g;
}

#endif
