#include "common/world/slice.h"

#include <stdlib.h>

#include "common/world/world_parts.h"

#define CELL_M 0.08
#define CELLS_MAX (1 << 20) /* a world with more of them gets wider ones */
#define AROUND 2            /* empty cells around the world */
#define SLACK_M 1e-4        /* an edge counts in cells that it misses by no more */
#define STEP_OVER_M 1e-7    /* beyond a border: more than rounding, far less than the slack */

struct slice_edge {
	float ax_m, ay_m, dx_m, dy_m; /* d: from a to b */
};

/* One cell's edges are edges[first .. first of the next). free: the side, in cells, of the largest square
 * without any edges that has this cell in its corner and extends towards -x -y, +x -y, -x +y and +x +y; 0
 * where it has edges. */
struct slice_cell {
	uint32_t first;
	uint8_t free[4];
};

struct cairn_slice {
	const struct cairn_world *world;
	double z_m;
	bool through_glass;
	double x_m, y_m, cell_m, cells_per_m;
	int32_t cols, rows;
	struct slice_cell *cells; /* one more than there are */
	struct slice_edge *edges;
};

/* ---- making ---- */

static bool is_cut(const struct cairn_slice *s, const struct cairn_edge *e)
{
	return !(e->z0_m > s->z_m || e->z1_m < s->z_m || (s->through_glass && e->glass != 0));
}

static int32_t column(const struct cairn_slice *s, double x_m)
{
	return (int32_t)floor((x_m - s->x_m) / s->cell_m);
}

static int32_t row(const struct cairn_slice *s, double y_m)
{
	return (int32_t)floor((y_m - s->y_m) / s->cell_m);
}

/* Counts the edge in its cells, each in the first of the next but one; or, with into set, enters it there,
 * and each first grows to what the next one's was. */
static void lay_edge(struct cairn_slice *s, const struct cairn_edge *e, struct slice_edge *into)
{
	double ax = (double)e->ax_m, ay = (double)e->ay_m, bx = (double)e->bx_m, by = (double)e->by_m;
	double half = 0.5 * s->cell_m + SLACK_M, dx = bx - ax, dy = by - ay;
	int32_t c1 = column(s, fmax(ax, bx) + SLACK_M), r1 = row(s, fmax(ay, by) + SLACK_M);
	for (int32_t r = row(s, fmin(ay, by) - SLACK_M); r <= r1; r++)
		for (int32_t c = column(s, fmin(ax, bx) - SLACK_M); c <= c1; c++) {
			double x = s->x_m + (c + 0.5) * s->cell_m, y = s->y_m + (r + 0.5) * s->cell_m;
			/* The boxes meet; the axis that may still part the cell from the edge is its normal.
			 */
			if (fabs(dy * (x - ax) - dx * (y - ay)) > half * (fabs(dx) + fabs(dy)) + 1e-9)
				continue;
			struct slice_cell *cell = &s->cells[r * s->cols + c + 1];
			if (into != NULL)
				into[cell->first] = (struct slice_edge){
				    e->ax_m, e->ay_m, e->bx_m - e->ax_m, e->by_m - e->ay_m};
			cell->first++;
		}
}

static void lay_all(struct cairn_slice *s, struct slice_edge *into)
{
	for (uint32_t i = 0; i < s->world->edge_count; i++)
		if (is_cut(s, &s->world->edges[i]))
			lay_edge(s, &s->world->edges[i], into);
}

static bool take_edges(struct cairn_slice *s)
{
	uint32_t cells = (uint32_t)s->cols * (uint32_t)s->rows, sum = 0;
	lay_all(s, NULL);
	for (uint32_t k = 1; k <= cells; k++) {
		uint32_t count = s->cells[k].first;
		s->cells[k].first = sum; /* where cell k - 1 begins */
		sum += count;
	}
	s->edges = malloc((sum + 1) * sizeof(*s->edges));
	if (s->edges != NULL)
		lay_all(s, s->edges);
	return s->edges != NULL;
}

static uint8_t free_at(const struct cairn_slice *s, int32_t c, int32_t r, int way)
{
	bool inside = c >= 0 && r >= 0 && c < s->cols && r < s->rows;
	return inside ? s->cells[r * s->cols + c].free[way] : UINT8_MAX; /* nothing is beyond the grid */
}

/* A square reaches one farther than the smallest of the three that begin beside this one. */
static void measure_free(struct cairn_slice *s, int way)
{
	int32_t dx = (way & 1) != 0 ? 1 : -1, dy = (way & 2) != 0 ? 1 : -1;
	for (int32_t i = 0; i < s->rows; i++)
		for (int32_t j = 0; j < s->cols; j++) {
			int32_t r = dy > 0 ? s->rows - 1 - i : i, c = dx > 0 ? s->cols - 1 - j : j;
			struct slice_cell *cell = &s->cells[r * s->cols + c];
			uint8_t a = free_at(s, c + dx, r, way), b = free_at(s, c, r + dy, way),
				d = free_at(s, c + dx, r + dy, way);
			uint8_t least = a < b ? (a < d ? a : d) : (b < d ? b : d);
			bool edges = cell[1].first > cell[0].first;
			cell->free[way] = edges ? 0 : (uint8_t)(least < UINT8_MAX ? least + 1 : UINT8_MAX);
		}
}

static void lay_out(struct cairn_slice *s)
{
	const struct cairn_world *w = s->world;
	double width_m = w->x_max_m - w->x_min_m, height_m = w->y_max_m - w->y_min_m;
	s->cell_m = CELL_M;
	while ((width_m / s->cell_m + 2 * AROUND) * (height_m / s->cell_m + 2 * AROUND) > CELLS_MAX)
		s->cell_m *= 2.0;
	s->cells_per_m = 1.0 / s->cell_m;
	s->x_m = w->x_min_m - AROUND * s->cell_m;
	s->y_m = w->y_min_m - AROUND * s->cell_m;
	s->cols = column(s, w->x_max_m) + 1 + AROUND;
	s->rows = row(s, w->y_max_m) + 1 + AROUND;
}

struct cairn_slice *cairn_slice_new(const struct cairn_world *world, double z_m, bool through_glass)
{
	struct cairn_slice *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->world = world;
	s->z_m = z_m;
	s->through_glass = through_glass;
	lay_out(s);
	s->cells = calloc((size_t)s->cols * (size_t)s->rows + 1, sizeof(*s->cells));
	if (s->cells == NULL || !take_edges(s))
		cairn_slice_destroy(&s);
	for (int way = 0; s != NULL && way < 4; way++)
		measure_free(s, way);
	return s;
}

void cairn_slice_destroy(struct cairn_slice **slice_p)
{
	struct cairn_slice *s = *slice_p;
	*slice_p = NULL;
	if (s == NULL)
		return;
	free(s->cells);
	free(s->edges);
	free(s);
}

/* ---- casting ---- */

/* So many rays are under way together, a leap each in turn: a ray's next leap must wait for its last,
 * another's need not. */
#define AT_ONCE 72

/* A ray in cells, seen in a mirror so that it never goes down an axis. */
struct flight {
	double x, y, x_per_m, y_per_m, m_per_x, m_per_y;
	double at_x, at_y, range_m;
	int32_t origin, step_x, step_y; /* of cells */
	uint32_t way;
};

/* One axis of it; false when it begins outside. */
static inline bool set_axis(double from, double d, int32_t cells, double cell_m, double cells_per_m,
    double *ret_from, double *ret_per_m, double *ret_m_per)
{
	bool along = fabs(d) < 1e-12; /* never comes to the next cell of this axis */
	*ret_from = d < 0.0 ? cells - from : from;
	*ret_per_m = along ? 0.0 : fabs(d) * cells_per_m;
	*ret_m_per = along ? 1e30 : cell_m / fabs(d);
	return *ret_from >= 0.0 && *ret_from < cells;
}

static bool set_off(
    const struct cairn_slice *s, const struct cairn_slice_ray *ray, double max_m, struct flight *f)
{
	bool left = ray->dx < 0.0, down = ray->dy < 0.0;
	double x = (ray->x_m - s->x_m) * s->cells_per_m, y = (ray->y_m - s->y_m) * s->cells_per_m;
	/* Both, also when the first is outside: all of the flight is looked at below and when it has ended. */
	bool x_in = set_axis(x, ray->dx, s->cols, s->cell_m, s->cells_per_m, &f->x, &f->x_per_m, &f->m_per_x);
	bool y_in = set_axis(y, ray->dy, s->rows, s->cell_m, s->cells_per_m, &f->y, &f->y_per_m, &f->m_per_y);
	f->at_x = f->x;
	f->at_y = f->y;
	f->origin = (left ? s->cols - 1 : 0) + (down ? (s->rows - 1) * s->cols : 0);
	f->step_x = left ? -1 : 1;
	f->step_y = down ? -s->cols : s->cols;
	f->way = (left ? 0u : 1u) | (down ? 0u : 2u);
	/* No farther than the grid: with that alone no leap can lead out of it. */
	double end_m =
	    cairn_smaller((s->cols - f->x) * f->m_per_x, (s->rows - f->y) * f->m_per_y) - 2.0 * STEP_OVER_M;
	f->range_m = cairn_smaller(end_m, max_m);
	return x_in && y_in;
}

static double meet_edges(const struct cairn_slice *s, const struct slice_cell *cell,
    const struct cairn_slice_ray *ray, double range_m)
{
	for (const struct slice_edge *e = &s->edges[cell[0].first], *end = &s->edges[cell[1].first]; e < end;
	     e++)
		range_m = cairn_ray_edge(
		    e->ax_m, e->ay_m, e->dx_m, e->dy_m, ray->x_m, ray->y_m, ray->dx, ray->dy, range_m);
	return range_m;
}

/* Over what is free, or out of the cell whose edges were looked at. False when the ray has come to its end.
 */
static inline bool leap(const struct cairn_slice *s, const struct cairn_slice_ray *ray, struct flight *f)
{
	int32_t c = (int32_t)f->at_x, r = (int32_t)f->at_y;
	const struct slice_cell *cell = &s->cells[f->origin + c * f->step_x + r * f->step_y];
	int32_t n = cell->free[f->way];
	if (n == 0) {
		f->range_m = meet_edges(s, cell, ray, f->range_m);
		n = 1;
	}
	double to = STEP_OVER_M + cairn_smaller((c + n - f->x) * f->m_per_x, (r + n - f->y) * f->m_per_y);
	f->at_x = f->x + to * f->x_per_m;
	f->at_y = f->y + to * f->y_per_m;
	return to <= f->range_m;
}

static double cast_outside(const struct cairn_slice *s, const struct cairn_slice_ray *k, double max_m)
{
	return s->through_glass
		   ? cairn_world_cast_lidar(s->world, k->x_m, k->y_m, k->dx, k->dy, s->z_m, max_m).range_m
		   : cairn_world_cast(s->world, k->x_m, k->y_m, k->dx, k->dy, s->z_m, max_m).range_m;
}

static void cast_some(const struct cairn_slice *s, size_t count, const struct cairn_slice_ray *rays,
    double max_m, double *ret_range_m)
{
	struct flight flights[AT_ONCE];
	double end_m[AT_ONCE];
	uint32_t going[AT_ONCE];
	size_t left = 0;
	for (uint32_t i = 0; i < count; i++) {
		going[left] = i;
		left += set_off(s, &rays[i], max_m, &flights[i]);
		end_m[i] = flights[i].range_m;
	}
	while (left > 0) {
		size_t on = 0;
		for (size_t k = 0; k < left; k++) {
			uint32_t i = going[k];
			going[on] = i;
			on += leap(s, &rays[i], &flights[i]);
		}
		left = on;
	}
	for (size_t i = 0; i < count; i++) {
		const struct flight *f = &flights[i];
		bool in = f->x >= 0.0 && f->y >= 0.0 && f->x < s->cols && f->y < s->rows;
		ret_range_m[i] = !in                     ? cast_outside(s, &rays[i], max_m)
				 : f->range_m < end_m[i] ? f->range_m
							 : max_m;
	}
}

void cairn_slice_cast(const struct cairn_slice *s, size_t count, const struct cairn_slice_ray *rays,
    double max_m, double *ret_range_m)
{
	for (size_t from = 0; from < count; from += AT_ONCE)
		cast_some(s, count - from < AT_ONCE ? count - from : AT_ONCE, rays + from, max_m,
		    ret_range_m + from);
}
