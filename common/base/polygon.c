#include "common/base/polygon.h"

#define EXTENT_MAX_M 1e5
#define AREA_MIN_M2 1e-4

bool cairn_polygon_valid(const struct cairn_vec2 *corners, size_t count)
{
	if (count < 3 || count > CAIRN_POLYGON_CORNERS_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!(fabs(corners[i].x_m) <= EXTENT_MAX_M && fabs(corners[i].y_m) <= EXTENT_MAX_M))
			return false;
	return fabs(cairn_polygon_area(corners, count)) >= AREA_MIN_M2;
}

double cairn_polygon_area(const struct cairn_vec2 *corners, size_t count)
{
	double twice = 0.0;
	for (size_t i = 0; i < count; i++) {
		struct cairn_vec2 a = corners[i], b = corners[(i + 1) % count];
		twice += a.x_m * b.y_m - b.x_m * a.y_m;
	}
	return 0.5 * twice;
}

bool cairn_polygon_contains(const struct cairn_vec2 *corners, size_t count, double x_m, double y_m)
{
	bool in = false;
	for (size_t i = 0, j = count - 1; i < count; j = i++) {
		struct cairn_vec2 a = corners[i], b = corners[j];
		if ((a.y_m > y_m) != (b.y_m > y_m) &&
		    x_m < (b.x_m - a.x_m) * (y_m - a.y_m) / (b.y_m - a.y_m) + a.x_m)
			in = !in;
	}
	return in;
}

static double to_segment_m(struct cairn_vec2 a, struct cairn_vec2 b, double x_m, double y_m)
{
	double dx = b.x_m - a.x_m, dy = b.y_m - a.y_m, d2 = dx * dx + dy * dy;
	double t = d2 > 0.0 ? cairn_clamp(((x_m - a.x_m) * dx + (y_m - a.y_m) * dy) / d2, 0.0, 1.0) : 0.0;
	return hypot(a.x_m + t * dx - x_m, a.y_m + t * dy - y_m);
}

double cairn_polygon_distance_m(const struct cairn_vec2 *corners, size_t count, double x_m, double y_m)
{
	double nearest = INFINITY;
	for (size_t i = 0; i < count; i++)
		nearest = fmin(nearest, to_segment_m(corners[i], corners[(i + 1) % count], x_m, y_m));
	return cairn_polygon_contains(corners, count, x_m, y_m) ? -nearest : nearest;
}

/* On which side of the line a-b does c lie: positive left. */
static double side(struct cairn_vec2 a, struct cairn_vec2 b, struct cairn_vec2 c)
{
	return (b.x_m - a.x_m) * (c.y_m - a.y_m) - (b.y_m - a.y_m) * (c.x_m - a.x_m);
}

/* c lies on the line a-b: within the segment, too? */
static bool between(struct cairn_vec2 a, struct cairn_vec2 b, struct cairn_vec2 c)
{
	return c.x_m >= fmin(a.x_m, b.x_m) && c.x_m <= fmax(a.x_m, b.x_m) && c.y_m >= fmin(a.y_m, b.y_m) &&
	       c.y_m <= fmax(a.y_m, b.y_m);
}

static bool segments_meet(struct cairn_vec2 a, struct cairn_vec2 b, struct cairn_vec2 c, struct cairn_vec2 d)
{
	double ac = side(a, b, c), ad = side(a, b, d), ca = side(c, d, a), cb = side(c, d, b);
	if (((ac > 0.0 && ad < 0.0) || (ac < 0.0 && ad > 0.0)) &&
	    ((ca > 0.0 && cb < 0.0) || (ca < 0.0 && cb > 0.0)))
		return true;
	return (ac == 0.0 && between(a, b, c)) || (ad == 0.0 && between(a, b, d)) ||
	       (ca == 0.0 && between(c, d, a)) || (cb == 0.0 && between(c, d, b));
}

bool cairn_polygon_crosses(
    const struct cairn_vec2 *corners, size_t count, struct cairn_vec2 a, struct cairn_vec2 b)
{
	for (size_t i = 0; i < count; i++)
		if (segments_meet(a, b, corners[i], corners[(i + 1) % count]))
			return true;
	return false;
}

/* ---- cells ---- */

struct raster {
	const struct cairn_vec2 *corners;
	size_t count;
	const struct cairn_polygon_grid *grid;
	void (*span)(void *ctx, int y, int x0, int x1);
	void *ctx;
};

static int clip(double cell, int size)
{
	return (int)cairn_clamp(cell, 0.0, (double)size);
}

/* Corner in cells. */
static struct cairn_vec2 in_cells(const struct raster *r, size_t i)
{
	double k = 1.0 / r->grid->cell_m;
	return (struct cairn_vec2){
	    (r->corners[i].x_m - r->grid->origin_x_m) * k, (r->corners[i].y_m - r->grid->origin_y_m) * k};
}

static void emit(const struct raster *r, int y, int x0, int x1)
{
	if (x0 < x1)
		r->span(r->ctx, y, x0, x1);
}

/* Cells of a row whose centre lies inside: between the first and the second crossing of the line through the
 * centres, the third and the fourth, and so on. */
static void fill_row(const struct raster *r, int y)
{
	double at[CAIRN_POLYGON_CORNERS_MAX], line = (double)y + 0.5;
	size_t n = 0;
	for (size_t i = 0; i < r->count; i++) {
		struct cairn_vec2 a = in_cells(r, i), b = in_cells(r, (i + 1) % r->count);
		if ((a.y_m > line) == (b.y_m > line))
			continue;
		double x = a.x_m + (line - a.y_m) / (b.y_m - a.y_m) * (b.x_m - a.x_m);
		size_t k = n++;
		for (; k > 0 && at[k - 1] > x; k--)
			at[k] = at[k - 1];
		at[k] = x;
	}
	for (size_t k = 0; k + 1 < n; k += 2)
		emit(r, y, clip(ceil(at[k] - 0.5), r->grid->width),
		    clip(ceil(at[k + 1] - 0.5), r->grid->width));
}

/* Cells that the edge a-b passes through, row by row. */
static void trace_edge(const struct raster *r, struct cairn_vec2 a, struct cairn_vec2 b)
{
	if (a.y_m > b.y_m) {
		struct cairn_vec2 t = a;
		a = b;
		b = t;
	}
	int y0 = clip(floor(a.y_m), r->grid->height), y1 = clip(floor(b.y_m) + 1.0, r->grid->height);
	double slope = b.y_m > a.y_m ? (b.x_m - a.x_m) / (b.y_m - a.y_m) : 0.0;
	for (int y = y0; y < y1; y++) {
		double from = fmax(a.y_m, (double)y), to = fmin(b.y_m, (double)(y + 1));
		double x0 = a.x_m + (from - a.y_m) * slope, x1 = a.x_m + (to - a.y_m) * slope;
		if (!(b.y_m > a.y_m))
			x1 = b.x_m; /* level: all of it lies in this row */
		emit(r, y, clip(floor(fmin(x0, x1)), r->grid->width),
		    clip(floor(fmax(x0, x1)) + 1.0, r->grid->width));
	}
}

void cairn_polygon_cells(const struct cairn_vec2 *corners, size_t count,
    const struct cairn_polygon_grid *grid, void (*span)(void *ctx, int y, int x0, int x1), void *ctx)
{
	struct raster r = {corners, count, grid, span, ctx};
	double low = INFINITY, high = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		struct cairn_vec2 a = in_cells(&r, i);
		trace_edge(&r, a, in_cells(&r, (i + 1) % count));
		low = fmin(low, a.y_m);
		high = fmax(high, a.y_m);
	}
	int y1 = clip(floor(high) + 1.0, grid->height);
	for (int y = clip(floor(low), grid->height); y < y1; y++)
		fill_row(&r, y);
}
