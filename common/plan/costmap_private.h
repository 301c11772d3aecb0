/* costmap_private.h - a rectangle laid on the costmap: which cells it can touch and how far their centres are
 * from it. For the costmap's own files. */
#ifndef CAIRN_COMMON_PLAN_COSTMAP_PRIVATE_H
#define CAIRN_COMMON_PLAN_COSTMAP_PRIVATE_H

#include <math.h>

#include "common/plan/costmap.h"

/* floor() between 0 and cells, without its call. */
static inline int cairn_cell_within(double at, int cells)
{
	return at > 0.0 ? (at < (double)cells ? (int)at : cells) : 0;
}

/* The cells that a box of the map frame touches. */
static inline struct cairn_window cairn_cells_within(
    const struct cairn_costmap *cm, double x0, double y0, double x1, double y1)
{
	double k = 1.0 / cm->cell_m;
	return (struct cairn_window){cairn_cell_within((x0 - cm->origin_x_m) * k, cm->width),
	    cairn_cell_within((y0 - cm->origin_y_m) * k, cm->height),
	    cairn_cell_within((x1 - cm->origin_x_m) * k + 1.0, cm->width),
	    cairn_cell_within((y1 - cm->origin_y_m) * k + 1.0, cm->height)};
}

/* Takes a bit from the cells of row y of a window, many at once. */
static inline void cairn_cells_without(
    struct cairn_costmap *cm, const struct cairn_window *w, int y, uint8_t bit)
{
	uint8_t *restrict row = cm->cells + (size_t)y * (size_t)cm->width;
	const uint8_t others = (uint8_t)~bit;
	const int x1 = w->x1;
	for (int x = w->x0; x < x1; x++)
		row[x] &= others;
}

/* Rectangle at a pose, as the cells it can touch and the terms that bring a cell centre into its frame. */
struct cairn_laid {
	struct cairn_window box;
	double c, s, x_m, y_m;
};

/* c, s: cosine and sine of its yaw. reach_m: how far around it cells matter. */
static inline struct cairn_laid cairn_lay(const struct cairn_costmap *cm, double x_m, double y_m, double c,
    double s, const struct cairn_rect *r, double reach_m)
{
	struct cairn_laid p = {.c = c, .s = s, .x_m = x_m, .y_m = y_m};
	double mid_x = 0.5 * (r->front_m - r->rear_m), mid_y = 0.5 * (r->left_m - r->right_m);
	double half_x = 0.5 * (r->front_m + r->rear_m) + reach_m,
	       half_y = 0.5 * (r->left_m + r->right_m) + reach_m;
	double cx = p.x_m + p.c * mid_x - p.s * mid_y, cy = p.y_m + p.s * mid_x + p.c * mid_y;
	double ex = fabs(p.c) * half_x + fabs(p.s) * half_y, ey = fabs(p.s) * half_x + fabs(p.c) * half_y;
	p.box = cairn_cells_within(cm, cx - ex, cy - ey, cx + ex, cy + ey);
	return p;
}

/* Cell centre in the frame of the rectangle. */
static inline struct cairn_vec2 cairn_laid_local(
    const struct cairn_costmap *cm, const struct cairn_laid *p, int x, int y)
{
	double dx = cm->origin_x_m + ((double)x + 0.5) * cm->cell_m - p->x_m;
	double dy = cm->origin_y_m + ((double)y + 0.5) * cm->cell_m - p->y_m;
	return (struct cairn_vec2){p->c * dx + p->s * dy, p->c * dy - p->s * dx};
}

/* Signed distance of a point to the rectangle; negative inside. */
static inline double cairn_laid_off(const struct cairn_rect *r, struct cairn_vec2 q)
{
	double ox = cairn_larger(q.x_m - r->front_m, -q.x_m - r->rear_m);
	double oy = cairn_larger(q.y_m - r->left_m, -q.y_m - r->right_m);
	if (ox <= 0.0 || oy <= 0.0)
		return ox > oy ? ox : oy;
	return sqrt(ox * ox + oy * oy);
}

#endif
