#include "common/plan/costmap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/plan/costmap_private.h"

static void set_cell(struct cairn_costmap *cm, double cell_m)
{
	cm->cell_m = cell_m;
	cm->cells_per_m = 1.0 / cell_m;
	cm->rate.cell_m = (float)cell_m;
}

void cairn_costmap_init(struct cairn_costmap *cm, const struct cairn_costmap_params *params)
{
	*cm = (struct cairn_costmap){.params = *params};
	cm->rate = (struct cairn_costmap_rate){.inflation_m = (float)params->inflation_m,
	    .span_m = (float)(params->inflation_m - params->inscribed_m),
	    .peak = (float)params->near_cost - 1.0f,
	    .unknown = (float)params->unknown_cost,
	    .slow = (float)params->slow_cost,
	    .claimed = (float)params->claimed_cost};
	set_cell(cm, 1.0);
}

static void free_cells(struct cairn_costmap *cm)
{
	free(cm->cells);
	free(cm->map_dist);
	free(cm->dist);
	free(cm->measured);
	free(cm->column_dist);
	free(cm->row_max);
	free(cm->row_changed);
	free(cm->scratch);
}

void cairn_costmap_free(struct cairn_costmap *cm)
{
	free_cells(cm);
	cairn_edt_free(&cm->edt);
	cairn_costmap_init(cm, &cm->params);
}

static int reserve(struct cairn_costmap *cm, int width, size_t cells)
{
	int rc = cairn_edt_reserve(&cm->edt, width);
	if (rc < 0 || cells <= cm->capacity)
		return rc;
	struct cairn_costmap grown = {.params = cm->params};
	size_t n = cells + cells / 4; /* a map grows by a little each time */
	grown.cells = malloc(n);
	grown.map_dist = malloc(n * sizeof(*grown.map_dist));
	grown.dist = malloc(n * sizeof(*grown.dist));
	grown.measured = malloc(n);
	grown.column_dist = malloc(n * sizeof(*grown.column_dist));
	grown.row_max = malloc(n * sizeof(*grown.row_max)); /* a map may be one cell wide */
	grown.row_changed = malloc(n * sizeof(*grown.row_changed));
	grown.scratch = malloc(n * sizeof(*grown.scratch));
	if (grown.cells == NULL || grown.map_dist == NULL || grown.dist == NULL || grown.measured == NULL ||
	    grown.column_dist == NULL || grown.row_max == NULL || grown.row_changed == NULL ||
	    grown.scratch == NULL) {
		cairn_costmap_free(&grown);
		return -ENOMEM;
	}
	free_cells(cm);
	cm->cells = grown.cells;
	cm->map_dist = grown.map_dist;
	cm->dist = grown.dist;
	cm->measured = grown.measured;
	cm->column_dist = grown.column_dist;
	cm->row_max = grown.row_max;
	cm->row_changed = grown.row_changed;
	cm->scratch = grown.scratch;
	cm->capacity = n;
	cm->kept = false;
	return 0;
}

static bool clear_cells(
    struct cairn_costmap *cm, const struct cairn_pose2 *standing, const struct cairn_footprint *body)
{
	struct cairn_rect rect = cairn_rect_around(body, 0.0);
	struct cairn_laid p = cairn_lay(
	    cm, standing->x_m, standing->y_m, cos(standing->yaw_rad), sin(standing->yaw_rad), &rect, 0.0);
	bool any = false;
	for (int y = p.box.y0; y < p.box.y1; y++)
		for (int x = p.box.x0; x < p.box.x1; x++) {
			uint8_t *cell = &cm->cells[(size_t)y * (size_t)cm->width + (size_t)x];
			if ((*cell & CAIRN_CELL_OCCUPIED) != 0 &&
			    cairn_laid_off(&rect, cairn_laid_local(cm, &p, x, y)) < 0.0) {
				*cell &= (uint8_t)~CAIRN_CELL_OCCUPIED;
				any = true;
			}
		}
	return any;
}

/* Are the fixed bits of a row those measured? Eight cells at a time: this is done for the whole map. */
static bool same_fixed(const uint8_t *cell, const uint8_t *was, size_t count)
{
	size_t x = 0;
	for (; x + 8 <= count; x += 8) {
		uint64_t a, b;
		memcpy(&a, cell + x, sizeof(a));
		memcpy(&b, was + x, sizeof(b));
		if (((a & UINT64_C(0x0101010101010101) * CAIRN_CELL_FIXED) ^ b) != 0)
			return false;
	}
	for (; x < count; x++)
		if ((cell[x] & CAIRN_CELL_FIXED) != was[x])
			return false;
	return true;
}

/* Columns in which fixed obstacles differ from those measured, which are brought up to date. False: none. */
static bool changed_columns(struct cairn_costmap *cm, int *ret_x0, int *ret_x1)
{
	int x0 = cm->width, x1 = 0;
	for (int y = 0; y < cm->height; y++) {
		size_t row = (size_t)y * (size_t)cm->width;
		const uint8_t *restrict cell = cm->cells + row;
		uint8_t *restrict was = cm->measured + row;
		if (same_fixed(cell, was, (size_t)cm->width))
			continue;
		int first = 0, last = cm->width - 1;
		while ((cell[first] & CAIRN_CELL_FIXED) == was[first])
			first++;
		while ((cell[last] & CAIRN_CELL_FIXED) == was[last])
			last--;
		for (int x = first; x <= last; x++)
			was[x] = cell[x] & CAIRN_CELL_FIXED;
		x0 = first < x0 ? first : x0;
		x1 = last + 1 > x1 ? last + 1 : x1;
	}
	*ret_x0 = x0;
	*ret_x1 = x1;
	return x0 < x1;
}

/* Brings the distances to fixed obstacles up to date. There must be no live ones. */
static void measure(struct cairn_costmap *cm)
{
	int x0, x1;
	if (!cm->kept) /* nothing is measured yet, or of a grid of another shape */
		memset(cm->measured, 0, (size_t)cm->width * (size_t)cm->height * sizeof(*cm->measured));
	if (!changed_columns(cm, &x0, &x1) && cm->kept)
		return;
	struct cairn_edt_grid grid = {.cells = cm->cells,
	    .mask = CAIRN_CELL_FIXED,
	    .width = cm->width,
	    .height = cm->height,
	    .column = cm->column_dist,
	    .row_max = cm->row_max,
	    .dist = cm->map_dist,
	    .scratch = cm->scratch,
	    .row_changed = cm->row_changed};
	if (cm->kept)
		(void)cairn_edt_update(&cm->edt, &grid, x0, x1, false);
	else
		(void)cairn_edt_update(&cm->edt, &grid, 0, cm->width, true);
	cm->kept = true;
	size_t width = (size_t)cm->width;
	for (size_t y = 0; y < (size_t)cm->height; y++)
		if (cm->row_changed[y])
			memcpy(cm->dist + y * width, cm->map_dist + y * width, width * sizeof(*cm->dist));
}

static void forget_live(struct cairn_costmap *cm)
{
	struct cairn_window w = cm->live;
	for (int y = w.y0; y < w.y1; y++) {
		size_t row = (size_t)y * (size_t)cm->width;
		cairn_cells_without(cm, &w, y, CAIRN_CELL_LIVE);
		memcpy(cm->dist + row + w.x0, cm->map_dist + row + w.x0,
		    (size_t)(w.x1 - w.x0) * sizeof(*cm->dist));
	}
	cm->live = (struct cairn_window){0};
}

/* ---- zones ---- */

struct zone_brush {
	struct cairn_costmap *cm;
	uint8_t bit;
};

static void paint(void *ctx, int y, int x0, int x1)
{
	const struct zone_brush *brush = ctx;
	uint8_t *row = brush->cm->cells + (size_t)y * (size_t)brush->cm->width;
	for (int x = x0; x < x1; x++)
		row[x] |= brush->bit;
}

static void lay_zones(struct cairn_costmap *cm, const struct cairn_pose2 *standing)
{
	struct cairn_polygon_grid grid = {cm->origin_x_m, cm->origin_y_m, cm->cell_m, cm->width, cm->height};
	for (int i = 0; i < cm->zone_count; i++) {
		const struct cairn_plan_zone *z = &cm->zones[i];
		bool within = z->keepout && standing != NULL &&
			      cairn_polygon_contains(z->corners, z->count, standing->x_m, standing->y_m);
		struct zone_brush brush = {cm, within       ? CAIRN_CELL_LEAVE
					       : z->keepout ? CAIRN_CELL_KEEPOUT
							    : CAIRN_CELL_SLOW};
		cairn_polygon_cells(z->corners, z->count, &grid, paint, &brush);
	}
}

int cairn_costmap_set_zones(struct cairn_costmap *cm, const struct cairn_plan_zone *zones, int count,
    const struct cairn_pose2 *standing)
{
	cm->zone_count = 0;
	for (int i = 0; i < count && cm->zone_count < CAIRN_PLAN_ZONES_MAX; i++)
		if (cairn_polygon_valid(zones[i].corners, zones[i].count))
			cm->zones[cm->zone_count++] = zones[i];
	if (cm->width > 0) {
		size_t cells = (size_t)cm->width * (size_t)cm->height;
		forget_live(cm);
		for (size_t i = 0; i < cells; i++)
			cm->cells[i] &= CAIRN_CELL_OCCUPIED | CAIRN_CELL_UNKNOWN;
		lay_zones(cm, standing);
		measure(cm);
	}
	return cm->zone_count;
}

double cairn_costmap_speed_max(const struct cairn_costmap *cm, double x_m, double y_m)
{
	double limit = INFINITY;
	for (int i = 0; i < cm->zone_count; i++) {
		const struct cairn_plan_zone *z = &cm->zones[i];
		if (!z->keepout && cairn_polygon_contains(z->corners, z->count, x_m, y_m))
			limit = fmin(limit, z->speed_max_mps);
	}
	return limit;
}

/* What the bytes of a grid mean. Without a table: the compiler's vectors take sixteen at once. */
static void take_row(const uint8_t *restrict in, uint8_t *restrict out, int width)
{
	for (int x = 0; x < width; x++) {
		uint8_t unknown = in[x] > 100 ? CAIRN_CELL_UNKNOWN : 0;
		uint8_t solid = in[x] >= CAIRN_GRID_OCCUPIED ? CAIRN_CELL_OCCUPIED : 0;
		out[x] = unknown != 0 ? unknown : solid;
	}
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
	forget_live(cm);
	cm->unseen = (struct cairn_window){0, 0, 0, 0}; /* goes with the cells */
	cm->kept = cm->kept && cm->width == grid->width && cm->height == grid->height;
	cm->width = grid->width;
	cm->height = grid->height;
	cm->origin_x_m = grid->origin_x_m;
	cm->origin_y_m = grid->origin_y_m;
	set_cell(cm, grid->cell_m);
	for (int y = 0; y < grid->height; y++)
		take_row(grid->cells + (size_t)y * grid->stride, cm->cells + (size_t)y * (size_t)grid->width,
		    grid->width);
	if (standing != NULL)
		clear_cells(cm, standing, body);
	lay_zones(cm, standing);
	measure(cm);
	return 0;
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

struct point_box {
	double x0, y0, x1, y1;
};

/* Sets the cells of the live points; *ret_box: around those points, none where x0 > x1. */
static int set_cells(struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count, double skip_m,
    struct point_box *ret_box)
{
	struct point_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
	int set = 0;
	for (size_t i = 0; i < count; i++) {
		double x = points[i].x_m, y = points[i].y_m;
		int index = cairn_costmap_index(cm, x, y);
		if (index < 0 || !((double)cm->map_dist[index] * cm->cell_m > skip_m))
			continue;
		set += (cm->cells[index] & CAIRN_CELL_LIVE) == 0;
		cm->cells[index] |= CAIRN_CELL_LIVE;
		box.x0 = x < box.x0 ? x : box.x0;
		box.x1 = x > box.x1 ? x : box.x1;
		box.y0 = y < box.y0 ? y : box.y0;
		box.y1 = y > box.y1 ? y : box.y1;
	}
	*ret_box = box;
	return set;
}

int cairn_costmap_set_live(
    struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count, double skip_m)
{
	if (cm->width == 0)
		return 0;
	forget_live(cm);
	struct point_box box;
	int set = set_cells(cm, points, count, skip_m, &box);
	if (set == 0)
		return 0;
	/* Around the window their distance is beyond anything that is asked of it. */
	double reach = cm->params.inflation_m + 2.0 * cm->cell_m;
	struct cairn_window w =
	    cairn_cells_within(cm, box.x0 - reach, box.y0 - reach, box.x1 + reach, box.y1 + reach);
	cm->live = w;
	size_t corner = (size_t)w.y0 * (size_t)cm->width + (size_t)w.x0;
	cairn_edt_lower(&cm->edt, cm->cells + corner, (size_t)cm->width, CAIRN_CELL_LIVE, w.x1 - w.x0,
	    w.y1 - w.y0, cm->scratch, cm->dist + corner, (size_t)cm->width);
	return set;
}
