#include "common/plan/costmap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void cairn_costmap_init(struct cairn_costmap *cm, const struct cairn_costmap_params *params)
{
	*cm = (struct cairn_costmap){.params = *params, .cell_m = 1.0, .cells_per_m = 1.0};
}

void cairn_costmap_free(struct cairn_costmap *cm)
{
	free(cm->cells);
	free(cm->map_dist);
	free(cm->dist);
	free(cm->scratch);
	cairn_edt_free(&cm->edt);
	cairn_costmap_init(cm, &cm->params);
}

static int reserve(struct cairn_costmap *cm, int width, size_t cells)
{
	int rc = cairn_edt_reserve(&cm->edt, width);
	if (rc < 0 || cells <= cm->capacity)
		return rc;
	size_t grown = cells + cells / 4; /* a map grows by a little each time */
	uint8_t *c = malloc(grown);
	float *m = malloc(grown * sizeof(*m)), *d = malloc(grown * sizeof(*d));
	if (c == NULL || m == NULL || d == NULL) {
		free(c);
		free(m);
		free(d);
		return -ENOMEM;
	}
	free(cm->cells);
	free(cm->map_dist);
	free(cm->dist);
	cm->cells = c;
	cm->map_dist = m;
	cm->dist = d;
	cm->capacity = grown;
	return 0;
}

static struct cairn_window clip(const struct cairn_costmap *cm, double x0, double y0, double x1, double y1)
{
	double k = 1.0 / cm->cell_m;
	return (struct cairn_window){
	    (int)cairn_clamp(floor((x0 - cm->origin_x_m) * k), 0.0, (double)cm->width),
	    (int)cairn_clamp(floor((y0 - cm->origin_y_m) * k), 0.0, (double)cm->height),
	    (int)cairn_clamp(floor((x1 - cm->origin_x_m) * k) + 1.0, 0.0, (double)cm->width),
	    (int)cairn_clamp(floor((y1 - cm->origin_y_m) * k) + 1.0, 0.0, (double)cm->height)};
}

/* Rectangle at a pose, as the cells it can touch and the terms that bring a cell centre into its frame. */
struct placed {
	struct cairn_window box;
	double c, s, x_m, y_m;
};

static struct placed place(const struct cairn_costmap *cm, const struct cairn_pose2 *pose,
    const struct cairn_rect *r, double reach_m)
{
	struct placed p = {
	    .c = cos(pose->yaw_rad), .s = sin(pose->yaw_rad), .x_m = pose->x_m, .y_m = pose->y_m};
	double mid_x = 0.5 * (r->front_m - r->rear_m), mid_y = 0.5 * (r->left_m - r->right_m);
	double half_x = 0.5 * (r->front_m + r->rear_m) + reach_m,
	       half_y = 0.5 * (r->left_m + r->right_m) + reach_m;
	double cx = p.x_m + p.c * mid_x - p.s * mid_y, cy = p.y_m + p.s * mid_x + p.c * mid_y;
	double ex = fabs(p.c) * half_x + fabs(p.s) * half_y, ey = fabs(p.s) * half_x + fabs(p.c) * half_y;
	p.box = clip(cm, cx - ex, cy - ey, cx + ex, cy + ey);
	return p;
}

/* Cell centre in the frame of the rectangle. */
static inline struct cairn_vec2 local(const struct cairn_costmap *cm, const struct placed *p, int x, int y)
{
	double dx = cm->origin_x_m + ((double)x + 0.5) * cm->cell_m - p->x_m;
	double dy = cm->origin_y_m + ((double)y + 0.5) * cm->cell_m - p->y_m;
	return (struct cairn_vec2){p->c * dx + p->s * dy, p->c * dy - p->s * dx};
}

/* Signed distance of a point to the rectangle; negative inside. */
static inline double to_rect(const struct cairn_rect *r, struct cairn_vec2 q)
{
	double ox = fmax(q.x_m - r->front_m, -q.x_m - r->rear_m);
	double oy = fmax(q.y_m - r->left_m, -q.y_m - r->right_m);
	if (ox <= 0.0 || oy <= 0.0)
		return ox > oy ? ox : oy;
	return sqrt(ox * ox + oy * oy);
}

bool cairn_costmap_fits(
    const struct cairn_costmap *cm, const struct cairn_pose2 *pose, const struct cairn_rect *rect)
{
	double disc = 0.5 * cm->cell_m;
	struct placed p = place(cm, pose, rect, disc);
	for (int y = p.box.y0; y < p.box.y1; y++) {
		const uint8_t *row = cm->cells + (size_t)y * (size_t)cm->width;
		for (int x = p.box.x0; x < p.box.x1; x++)
			if ((row[x] & CAIRN_CELL_OBSTACLE) != 0 && to_rect(rect, local(cm, &p, x, y)) < disc)
				return false;
	}
	return true;
}

double cairn_costmap_clearance(const struct cairn_costmap *cm, const struct cairn_pose2 *pose,
    const struct cairn_rect *rect, double limit_m)
{
	double disc = 0.5 * cm->cell_m, best = limit_m;
	struct placed p = place(cm, pose, rect, disc + limit_m);
	for (int y = p.box.y0; y < p.box.y1; y++) {
		const uint8_t *row = cm->cells + (size_t)y * (size_t)cm->width;
		for (int x = p.box.x0; x < p.box.x1; x++)
			if ((row[x] & CAIRN_CELL_OBSTACLE) != 0)
				best = fmin(best, to_rect(rect, local(cm, &p, x, y)) - disc);
	}
	return best;
}

static bool clear_cells(
    struct cairn_costmap *cm, const struct cairn_pose2 *standing, const struct cairn_footprint *body)
{
	struct cairn_rect rect = cairn_rect_around(body, 0.0);
	struct placed p = place(cm, standing, &rect, 0.0);
	bool any = false;
	for (int y = p.box.y0; y < p.box.y1; y++)
		for (int x = p.box.x0; x < p.box.x1; x++) {
			uint8_t *cell = &cm->cells[(size_t)y * (size_t)cm->width + (size_t)x];
			if ((*cell & CAIRN_CELL_OCCUPIED) != 0 && to_rect(&rect, local(cm, &p, x, y)) < 0.0) {
				*cell &= (uint8_t)~CAIRN_CELL_OCCUPIED;
				any = true;
			}
		}
	return any;
}

static void measure(struct cairn_costmap *cm)
{
	size_t width = (size_t)cm->width;
	cairn_edt_compute(
	    &cm->edt, cm->cells, width, CAIRN_CELL_OCCUPIED, cm->width, cm->height, cm->map_dist, width);
	memcpy(cm->dist, cm->map_dist, width * (size_t)cm->height * sizeof(*cm->dist));
}

int cairn_costmap_set_grid(struct cairn_costmap *cm, const struct cairn_plan_grid *grid,
    const struct cairn_pose2 *standing, const struct cairn_footprint *body)
{
	if (grid->cells == NULL || grid->width <= 0 || grid->height <= 0 ||
	    grid->stride < (size_t)grid->width || !(grid->cell_m > 0.0) ||
	    !isfinite(grid->cell_m + grid->origin_x_m + grid->origin_y_m) ||
	    grid->height > INT32_MAX / grid->width)
		return -EINVAL;
	size_t cells = (size_t)grid->width * (size_t)grid->height;
	int rc = reserve(cm, grid->width, cells);
	if (rc < 0)
		return rc;
	cm->width = grid->width;
	cm->height = grid->height;
	cm->origin_x_m = grid->origin_x_m;
	cm->origin_y_m = grid->origin_y_m;
	cm->cell_m = grid->cell_m;
	cm->cells_per_m = 1.0 / grid->cell_m;
	cm->live = (struct cairn_window){0};
	for (int y = 0; y < grid->height; y++) {
		const uint8_t *restrict in = grid->cells + (size_t)y * grid->stride;
		uint8_t *restrict out = cm->cells + (size_t)y * (size_t)grid->width;
		for (int x = 0; x < grid->width; x++) {
			uint8_t v = in[x];
			out[x] = v > 100                    ? CAIRN_CELL_UNKNOWN
				 : v >= CAIRN_GRID_OCCUPIED ? CAIRN_CELL_OCCUPIED
							    : 0;
		}
	}
	if (standing != NULL)
		clear_cells(cm, standing, body);
	measure(cm);
	return 0;
}

static void forget_live(struct cairn_costmap *cm)
{
	struct cairn_window w = cm->live;
	for (int y = w.y0; y < w.y1; y++) {
		size_t row = (size_t)y * (size_t)cm->width;
		for (int x = w.x0; x < w.x1; x++)
			cm->cells[row + (size_t)x] &= (uint8_t)~CAIRN_CELL_LIVE;
		memcpy(cm->dist + row + w.x0, cm->map_dist + row + w.x0,
		    (size_t)(w.x1 - w.x0) * sizeof(*cm->dist));
	}
	cm->live = (struct cairn_window){0};
}

bool cairn_costmap_clear_under(
    struct cairn_costmap *cm, const struct cairn_pose2 *standing, const struct cairn_footprint *body)
{
	if (cm->width == 0 || !clear_cells(cm, standing, body))
		return false;
	forget_live(cm);
	measure(cm);
	return true;
}

static bool live_index(const struct cairn_costmap *cm, struct cairn_vec2 p, double skip_m, int *ret_index)
{
	*ret_index = cairn_costmap_index(cm, p.x_m, p.y_m);
	return *ret_index >= 0 && (double)cm->map_dist[*ret_index] * cm->cell_m > skip_m;
}

int cairn_costmap_set_live(
    struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count, double skip_m)
{
	if (cm->width == 0)
		return 0;
	forget_live(cm);
	double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
	int index, set = 0;
	for (size_t i = 0; i < count; i++) {
		if (!live_index(cm, points[i], skip_m, &index))
			continue;
		x0 = fmin(x0, points[i].x_m);
		x1 = fmax(x1, points[i].x_m);
		y0 = fmin(y0, points[i].y_m);
		y1 = fmax(y1, points[i].y_m);
	}
	if (x0 > x1)
		return 0;
	/* Around the window their distance is beyond anything that is asked of it. */
	double reach = cm->params.inflation_m + 2.0 * cm->cell_m;
	struct cairn_window w = clip(cm, x0 - reach, y0 - reach, x1 + reach, y1 + reach);
	size_t width = (size_t)(w.x1 - w.x0), cells = width * (size_t)(w.y1 - w.y0);
	if (cells > cm->scratch_capacity) {
		float *grown = malloc(cells * sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		free(cm->scratch);
		cm->scratch = grown;
		cm->scratch_capacity = cells;
	}
	for (size_t i = 0; i < count; i++) {
		if (!live_index(cm, points[i], skip_m, &index) || (cm->cells[index] & CAIRN_CELL_LIVE) != 0)
			continue;
		cm->cells[index] |= CAIRN_CELL_LIVE;
		set++;
	}
	cm->live = w;
	size_t corner = (size_t)w.y0 * (size_t)cm->width + (size_t)w.x0;
	cairn_edt_compute(&cm->edt, cm->cells + corner, (size_t)cm->width, CAIRN_CELL_LIVE, (int)width,
	    w.y1 - w.y0, cm->scratch, width);
	for (int y = w.y0; y < w.y1; y++) {
		float *d = cm->dist + (size_t)y * (size_t)cm->width + w.x0;
		const float *l = cm->scratch + (size_t)(y - w.y0) * width;
		for (size_t x = 0; x < width; x++)
			d[x] = l[x] < d[x] ? l[x] : d[x];
	}
	return set;
}
