#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/sim/world/furnish_private.h"

#define CELL_M 0.05
#define HIGH_M 2.0
#define NOOK_M2 0.1 /* that a piece may cut off */
/* A doorway: a narrow place that widens by so much on both sides, so far away. */
#define NARROW_M 1.3
#define WIDENS_M 0.5
#define BEYOND_M 0.5
#define LOOK_M 4.0
#define DOORWAY_APART_M 0.2
#define DOORWAY_EVERY 2 /* cells */

static uint32_t cell_of(const struct furnish_floor *f, double x_m, double y_m)
{
	double c = floor((x_m - f->x_m) / CELL_M), r = floor((y_m - f->y_m) / CELL_M);
	if (!(c >= 0.0 && r >= 0.0 && c < f->cols && r < f->rows))
		return UINT32_MAX;
	return (uint32_t)r * (uint32_t)f->cols + (uint32_t)c;
}

struct cairn_vec2 furnish_floor_middle(const struct furnish_floor *f, uint32_t cell)
{
	return (struct cairn_vec2){f->x_m + (cell % (uint32_t)f->cols + 0.5) * CELL_M,
	    f->y_m + (cell / (uint32_t)f->cols + 0.5) * CELL_M};
}

/* Cells that the start is connected with: a ring of cells that are not open runs around the grid. */
static uint32_t flood(struct furnish_floor *f)
{
	uint32_t top = 0, n = 0;
	const int32_t steps[4] = {1, -1, f->cols, -f->cols};
	memset(f->reach, 0, (size_t)f->cols * (size_t)f->rows);
	if (!f->open[f->start] || f->blocked[f->start])
		return 0;
	f->reach[f->start] = 1;
	f->stack[top++] = f->start;
	while (top > 0) {
		uint32_t cell = f->stack[--top];
		n++;
		for (int i = 0; i < 4; i++) {
			uint32_t to = (uint32_t)((int32_t)cell + steps[i]);
			if (!f->open[to] || f->blocked[to] || f->reach[to])
				continue;
			f->reach[to] = 1;
			f->stack[top++] = to;
		}
	}
	return n;
}

/* ---- doorways ---- */

/* How wide it is there, across a direction. */
static double width_at(const struct furnish_floor *f, struct cairn_vec2 p, double across_x, double across_y)
{
	return cairn_world_cast(f->world, p.x_m, p.y_m, across_x, across_y, 1.0, LOOK_M).range_m +
	       cairn_world_cast(f->world, p.x_m, p.y_m, -across_x, -across_y, 1.0, LOOK_M).range_m;
}

/* Is it narrow there, for who goes along x or along y? *ret: the middle of the narrow place. */
static bool is_doorway(
    const struct furnish_floor *f, struct cairn_vec2 p, bool along_x, struct cairn_vec2 *ret)
{
	double dx = along_x ? 1.0 : 0.0, dy = along_x ? 0.0 : 1.0, wide = width_at(f, p, dy, dx);
	for (int side = -1; side <= 1 && wide <= NARROW_M; side += 2) {
		struct cairn_vec2 q = {p.x_m + side * BEYOND_M * dx, p.y_m + side * BEYOND_M * dy};
		uint32_t cell = cell_of(f, q.x_m, q.y_m);
		if (cell == UINT32_MAX || !f->reach[cell] || width_at(f, q, dy, dx) < wide + WIDENS_M)
			return false;
	}
	double aside_m = cairn_world_cast(f->world, p.x_m, p.y_m, dy, dx, 1.0, LOOK_M).range_m - 0.5 * wide;
	*ret = (struct cairn_vec2){p.x_m + dy * aside_m, p.y_m + dx * aside_m};
	return wide <= NARROW_M;
}

static void find_doorways(struct furnish_floor *f)
{
	for (int32_t r = 0; r < f->rows; r += DOORWAY_EVERY)
		for (int32_t c = 0; c < f->cols; c += DOORWAY_EVERY) {
			uint32_t cell = (uint32_t)(r * f->cols + c);
			struct cairn_vec2 p = furnish_floor_middle(f, cell), at;
			if (!f->reach[cell] ||
			    (!is_doorway(f, p, true, &at) && !is_doorway(f, p, false, &at)))
				continue;
			bool known = f->doorway_count >= FURNISH_DOORWAYS_MAX;
			for (uint32_t i = 0; i < f->doorway_count && !known; i++)
				known = hypot(f->doorways[i].x_m - at.x_m, f->doorways[i].y_m - at.y_m) <
					DOORWAY_APART_M;
			if (!known)
				f->doorways[f->doorway_count++] = at;
		}
}

/* ---- the floor ---- */

bool furnish_floor_init(struct furnish_floor *f, const struct cairn_world *world, struct cairn_vec2 start)
{
	*f = (struct furnish_floor){
	    .world = world, .x_m = world->x_min_m - 2.0 * CELL_M, .y_m = world->y_min_m - 2.0 * CELL_M};
	f->cols = (int32_t)((world->x_max_m - f->x_m) / CELL_M) + 3;
	f->rows = (int32_t)((world->y_max_m - f->y_m) / CELL_M) + 3;
	size_t n = (size_t)f->cols * (size_t)f->rows;
	float *distance = malloc(n * sizeof(*distance));
	f->open = calloc(n, 1);
	f->blocked = calloc(n, 1);
	f->reach = calloc(n, 1);
	f->stack = malloc(n * sizeof(*f->stack));
	bool ok =
	    distance != NULL && f->open != NULL && f->blocked != NULL && f->reach != NULL && f->stack != NULL;
	if (ok) {
		cairn_world_distances(
		    world, f->x_m, f->y_m, CELL_M, f->cols, f->rows, HIGH_M, 1.0f, distance);
		for (int32_t r = 1; r + 1 < f->rows; r++)
			for (int32_t c = 1; c + 1 < f->cols; c++)
				f->open[r * f->cols + c] =
				    (double)distance[r * f->cols + c] >= CAIRN_FURNISH_PASS_M;
		f->start = cell_of(f, start.x_m, start.y_m);
		ok = f->start != UINT32_MAX;
	}
	free(distance);
	if (ok) {
		f->reached = flood(f);
		find_doorways(f);
	}
	return ok;
}

void furnish_floor_finish(struct furnish_floor *f)
{
	free(f->open);
	free(f->blocked);
	free(f->reach);
	free(f->stack);
	*f = (struct furnish_floor){.world = NULL};
}

bool furnish_floor_reached(const struct furnish_floor *f, double x_m, double y_m)
{
	uint32_t cell = cell_of(f, x_m, y_m);
	return cell != UINT32_MAX && f->reach[cell];
}

double furnish_floor_m2(uint32_t cells)
{
	return cells * CELL_M * CELL_M;
}

/* Marks cells nearer to the box than CAIRN_FURNISH_PASS_M; how many of them could be reached. */
static uint32_t block(struct furnish_floor *f, const struct furnish_box *b, uint8_t by)
{
	uint32_t taken = 0;
	for (double y = b->y0_m - CAIRN_FURNISH_PASS_M; y < b->y1_m + CAIRN_FURNISH_PASS_M + CELL_M;
	     y += CELL_M)
		for (double x = b->x0_m - CAIRN_FURNISH_PASS_M; x < b->x1_m + CAIRN_FURNISH_PASS_M + CELL_M;
		     x += CELL_M) {
			uint32_t cell = cell_of(f, x, y);
			if (cell == UINT32_MAX || f->blocked[cell])
				continue;
			struct cairn_vec2 p = furnish_floor_middle(f, cell);
			double dx = fmax(0.0, fmax(b->x0_m - p.x_m, p.x_m - b->x1_m)),
			       dy = fmax(0.0, fmax(b->y0_m - p.y_m, p.y_m - b->y1_m));
			if (hypot(dx, dy) >= CAIRN_FURNISH_PASS_M)
				continue;
			f->blocked[cell] = by;
			taken += f->reach[cell];
		}
	return taken;
}

bool furnish_floor_put(struct furnish_floor *f, const struct furnish_box *boxes, uint32_t count)
{
	enum { OLD = 1, NEW = 2 };
	size_t n = (size_t)f->cols * (size_t)f->rows;
	uint32_t before = f->reached, taken = 0;
	for (uint32_t i = 0; i < count; i++)
		taken += block(f, &boxes[i], NEW);
	uint32_t after = flood(f);
	bool fits = after > 0 && furnish_floor_m2(before - taken - after) <= NOOK_M2;
	for (size_t i = 0; i < n; i++)
		if (f->blocked[i] == NEW)
			f->blocked[i] = fits ? OLD : 0;
	if (fits) {
		f->lost += before - taken - after;
		f->reached = after;
	} else {
		(void)flood(f);
	}
	return fits;
}
