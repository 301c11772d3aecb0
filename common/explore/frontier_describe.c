#include "common/explore/frontier_private.h"

#include <stdlib.h>
#include <string.h>

#define SPLIT_M 3.0      /* a longer opening is cut into parts */
#define GOAL_REACH_M 2.0 /* a place to stand is at most this far from the opening */
#define STAND_STEP_M 0.1 /* places tried lie this far apart */
#define VIEW_M 0.8       /* so near is as good as nearer: the LiDAR sees in from here */
#define DETOUR 0.3       /* a metre driven counts as much as so many metres of distance */
#define COMFORT_M 0.30   /* clearance a place to stand should have */
#define LOOK_COSINE 0.2  /* a look along an opening does not go into it */
#define SLANT 0.6        /* metres that a look along it is worse than one straight in */
#define EDGE_M 0.15      /* and this much known floor around it */
#define JAMB_M 0.20      /* walls end an opening when they are this near to its ends */
#define DOORWAY_MIN_M 0.6
#define DOORWAY_MAX_M 1.2
#define CORRIDOR_MAX_M 2.0
#define APPROACH_M                                                                                           \
	4.0 /* the reachable place nearest to an opening that is not is looked for so far from it */
#define CUT_OFF_REACH_M                                                                                      \
	1.0 /* known floor that the robot fits on and cannot reach is counted so far from an opening to both sides, */
#define CUT_OFF_M2 0.25 /* and so much of it is a room */
#define GAP_M 0.25      /* what is between cells nearer than this is open too */

struct axis {
	double mean_x, mean_y, ux, uy; /* cells; unit vector of the largest extent */
};

static int32_t column(const struct cairn_frontier_finder *f, uint32_t index)
{
	return (int32_t)(index % (uint32_t)f->wave.width);
}

static int32_t line(const struct cairn_frontier_finder *f, uint32_t index)
{
	return (int32_t)(index / (uint32_t)f->wave.width);
}

bool cairn_frontier_sight(
    const struct cairn_frontier_finder *f, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
	int32_t dx = abs(x1 - x0), dy = abs(y1 - y0), steps = dx > dy ? dx : dy;
	/* Sixteen bits behind the point: exact enough for any map, and much quicker than rounding doubles. */
	int64_t step_x = steps > 0 ? (int64_t)(x1 - x0) * 65536 / steps : 0;
	int64_t step_y = steps > 0 ? (int64_t)(y1 - y0) * 65536 / steps : 0;
	int64_t x = (int64_t)x0 * 65536 + 32768, y = (int64_t)y0 * 65536 + 32768;
	for (int32_t i = 1; i < steps; i++) {
		x += step_x;
		y += step_y;
		if (f->wave.cell[(size_t)(y >> 16) * (size_t)f->wave.width + (size_t)(x >> 16)] !=
		    CAIRN_WAVEFRONT_FREE)
			return false;
	}
	return true;
}

static struct axis principal_axis(
    const struct cairn_frontier_finder *f, const struct cairn_frontier_cell *cells, uint32_t count)
{
	struct axis a = {0};
	for (uint32_t i = 0; i < count; i++) {
		a.mean_x += column(f, cells[i].index);
		a.mean_y += line(f, cells[i].index);
	}
	a.mean_x /= count;
	a.mean_y /= count;
	double xx = 0.0, xy = 0.0, yy = 0.0;
	for (uint32_t i = 0; i < count; i++) {
		double x = column(f, cells[i].index) - a.mean_x, y = line(f, cells[i].index) - a.mean_y;
		xx += x * x;
		xy += x * y;
		yy += y * y;
	}
	double yaw = 0.5 * atan2(2.0 * xy, xx - yy);
	a.ux = cos(yaw);
	a.uy = sin(yaw);
	return a;
}

static int by_along(const void *a, const void *b)
{
	const struct cairn_frontier_cell *p = a, *q = b;
	if (p->along != q->along)
		return p->along < q->along ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

/* Sorts the cells along the axis and returns the extent in cells. */
static double sort_along(
    const struct cairn_frontier_finder *f, struct cairn_frontier_cell *cells, uint32_t count, struct axis a)
{
	for (uint32_t i = 0; i < count; i++)
		cells[i].along = (float)((column(f, cells[i].index) - a.mean_x) * a.ux +
					 (line(f, cells[i].index) - a.mean_y) * a.uy);
	qsort(cells, count, sizeof(cells[0]), by_along);
	return (double)(cells[count - 1].along - cells[0].along);
}

/* What of the extent is really open: all but its wider gaps. The cells are sorted along the axis. */
static double open_width(const struct cairn_frontier_cell *cells, uint32_t count, double cell_m)
{
	double open_cells = 1.0;
	for (uint32_t i = 1; i < count; i++) {
		double step = (double)(cells[i].along - cells[i - 1].along);
		open_cells += step * cell_m <= GAP_M ? step : 1.0;
	}
	return open_cells * cell_m;
}

static bool wall_near(const struct cairn_frontier_finder *f, uint32_t index)
{
	double cells = JAMB_M / f->cell_m;
	return f->wave.clearance2[index] <= cells * cells;
}

static double detour_m(const struct cairn_frontier_finder *f, uint32_t way)
{
	return DETOUR / CAIRN_WAVEFRONT_STEP * f->cell_m * way;
}

/* Cost in metres of standing at window cell (x, y) to look at the opening's middle; stops counting at enough.
 */
static double stand_cost(const struct cairn_frontier_finder *f, int32_t x, int32_t y, int32_t mid_x,
    int32_t mid_y, uint32_t way, double enough)
{
	size_t index = (size_t)y * (size_t)f->wave.width + (size_t)x;
	double dx = x - mid_x, dy = y - mid_y;
	double cost = fmax(0.0, sqrt(dx * dx + dy * dy) * f->cell_m - VIEW_M);
	cost += detour_m(f, way);
	if (cost >= enough)
		return cost;
	double clear_m = sqrt(f->wave.clearance2[index]) * f->cell_m;
	cost += clear_m < COMFORT_M ? 3.0 * (COMFORT_M - clear_m) : 0.0;
	int32_t r = (int32_t)lround(EDGE_M / f->cell_m);
	const int32_t ring[4][2] = {{r, 0}, {-r, 0}, {0, r}, {0, -r}};
	for (int k = 0; k < 4; k++) {
		int32_t u = x + ring[k][0], v = y + ring[k][1];
		if (u < 0 || v < 0 || u >= f->wave.width || v >= f->wave.height ||
		    f->wave.cell[(size_t)v * (size_t)f->wave.width + (size_t)u] == CAIRN_WAVEFRONT_UNKNOWN)
			cost += 0.05;
	}
	return cost;
}

/* Which way the unknown lies: the sum of the directions to it, for each cell. */
static struct cairn_frontier_outward outward_of(
    const struct cairn_frontier_finder *f, const struct cairn_frontier_cell *cells, uint32_t count)
{
	struct cairn_frontier_outward o = {0};
	uint32_t w = (uint32_t)f->wave.width;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = cells[i].index;
		o.x += (double)f->unknown[at + 1] - (double)f->unknown[at - 1];
		o.y += (double)f->unknown[at + w] - (double)f->unknown[at - w];
	}
	double length = hypot(o.x, o.y);
	if (length < 0.3 * count)
		return (struct cairn_frontier_outward){0};
	return (struct cairn_frontier_outward){o.x / length, o.y / length};
}

double cairn_frontier_look(
    struct cairn_frontier_outward o, int32_t x, int32_t y, int32_t mid_x, int32_t mid_y)
{
	double dx = mid_x - x, dy = mid_y - y, d = sqrt(dx * dx + dy * dy);
	return d <= 3.0 || (o.x == 0.0 && o.y == 0.0) ? 1.0 : (dx * o.x + dy * o.y) / d;
}

/* The least path distance of the cells up to reach from (mid_x, mid_y), or less: quicker to find than to look
 * at each of them, and tells how far it is worth looking. CAIRN_WAVEFRONT_NEVER where none can be reached. */
static uint32_t least_way(const struct cairn_frontier_finder *f, int32_t mid_x, int32_t mid_y, int32_t reach)
{
	const struct cairn_wavefront *wave = &f->wave;
	int32_t x0 = mid_x - reach > 0 ? mid_x - reach : 0, y0 = mid_y - reach > 0 ? mid_y - reach : 0;
	int32_t x1 = mid_x + reach < wave->width ? mid_x + reach : wave->width - 1;
	int32_t y1 = mid_y + reach < wave->height ? mid_y + reach : wave->height - 1;
	int32_t count = (int32_t)(cairn_wavefront_index(wave, x1, y0) - cairn_wavefront_index(wave, x0, y0));
	uint16_t least = CAIRN_WAVEFRONT_FAR;
	const uint16_t *last = wave->way + cairn_wavefront_index(wave, x0, y1);
	for (const uint16_t *row = wave->way + cairn_wavefront_index(wave, x0, y0); row <= last;
	     row += wave->stride)
		for (int32_t i = 0; i <= count; i++)
			least = row[i] < least ? row[i] : least;
	return least >= CAIRN_WAVEFRONT_FAR ? CAIRN_WAVEFRONT_NEVER : (uint32_t)least << wave->halved;
}

/* The best reachable cell near (mid_x, mid_y), clear2 squared cells from anything, from which one can look into the
 * opening; false if there is none. */
static bool find_stand(const struct cairn_frontier_finder *f, struct cairn_frontier_outward o, int clear2,
    int32_t mid_x, int32_t mid_y, int32_t *ret_x, int32_t *ret_y)
{
	int32_t stride = (int32_t)fmax(1.0, floor(STAND_STEP_M / f->cell_m + 0.5));
	int32_t reach = (int32_t)(GOAL_REACH_M / (f->cell_m * stride));
	double best = HUGE_VAL, step_m = stride * f->cell_m;
	uint32_t least = least_way(f, mid_x, mid_y, reach * stride);
	if (least == CAIRN_WAVEFRONT_NEVER)
		return false;
	double least_m = detour_m(f, least);
	for (int32_t ring = 0; ring <= reach && fmax(0.0, ring * step_m - VIEW_M) + least_m < best; ring++) {
		double nearest = fmax(0.0, ring * step_m - VIEW_M); /* what its distance costs at least */
		for (int32_t dy = -ring; dy <= ring; dy++) {
			int32_t step = abs(dy) == ring || ring == 0 ? 1 : 2 * ring, y = mid_y + dy * stride;
			if (y < 0 || y >= f->wave.height)
				continue;
			for (int32_t dx = -ring; dx <= ring; dx += step) {
				int32_t x = mid_x + dx * stride;
				if (x < 0 || x >= f->wave.width)
					continue;
				uint32_t way = cairn_wavefront_distance(&f->wave, x, y);
				if (way == CAIRN_WAVEFRONT_NEVER || nearest + detour_m(f, way) >= best ||
				    f->wave.clearance2[y * f->wave.width + x] < clear2)
					continue;
				double look = cairn_frontier_look(o, x, y, mid_x, mid_y);
				if (look < LOOK_COSINE)
					continue;
				double cost = SLANT * (1.0 - look);
				cost += stand_cost(f, x, y, mid_x, mid_y, way, best - cost);
				if (cost >= best || !cairn_frontier_sight(f, x, y, mid_x, mid_y))
					continue;
				best = cost;
				*ret_x = x;
				*ret_y = y;
			}
		}
	}
	return best < HUGE_VAL;
}

/* The reachable place nearest to an opening that cannot be reached: from there it may turn out that it can. */
static void find_approach(
    const struct cairn_frontier_finder *f, int32_t mid_x, int32_t mid_y, int32_t *ret_x, int32_t *ret_y)
{
	int32_t stride = (int32_t)fmax(1.0, floor(STAND_STEP_M / f->cell_m + 0.5));
	int32_t reach = (int32_t)(APPROACH_M / (f->cell_m * stride)) * stride, best2 = reach * reach + 1;
	if (least_way(f, mid_x, mid_y, reach) == CAIRN_WAVEFRONT_NEVER)
		return;
	for (int32_t dy = -reach; dy <= reach; dy += stride)
		for (int32_t dx = -reach; dx <= reach; dx += stride) {
			int32_t x = mid_x + dx, y = mid_y + dy;
			if (dx * dx + dy * dy >= best2 || x < 0 || y < 0 || x >= f->wave.width ||
			    y >= f->wave.height ||
			    cairn_wavefront_distance(&f->wave, x, y) == CAIRN_WAVEFRONT_NEVER)
				continue;
			best2 = dx * dx + dy * dy;
			*ret_x = x;
			*ret_y = y;
		}
}

/* Does the opening lie on known floor that the robot fits on and cannot reach? So a room looks that is seen through a door
 * at a slant; behind furniture seen from one side there is less of it. */
static bool on_floor_cut_off(const struct cairn_frontier_finder *f, int32_t mid_x, int32_t mid_y)
{
	int32_t reach = (int32_t)(CUT_OFF_REACH_M / f->cell_m), w = f->wave.width, h = f->wave.height;
	uint32_t count = 0;
	for (int32_t y = mid_y > reach ? mid_y - reach : 0; y <= mid_y + reach && y < h; y++)
		for (int32_t x = mid_x > reach ? mid_x - reach : 0; x <= mid_x + reach && x < w; x++) {
			int32_t at = y * w + x;
			count += f->wave.cell[at] == CAIRN_WAVEFRONT_FREE &&
				 f->wave.clearance2[at] >= f->wave.need2 &&
				 cairn_wavefront_distance(&f->wave, x, y) == CAIRN_WAVEFRONT_NEVER;
		}
	return count * f->cell_m * f->cell_m >= CUT_OFF_M2;
}

static enum cairn_frontier_kind kind_of(double width_m, bool between_walls)
{
	if (!between_walls || width_m < DOORWAY_MIN_M || width_m > CORRIDOR_MAX_M)
		return CAIRN_FRONTIER_KIND_OPEN;
	return width_m <= DOORWAY_MAX_M ? CAIRN_FRONTIER_KIND_DOORWAY : CAIRN_FRONTIER_KIND_CORRIDOR;
}

/* The cell nearest to the middle: a centroid on the opening itself, even where that is bent. */
static uint32_t middle_cell(const struct cairn_frontier_finder *f, const struct cairn_frontier_cell *cells,
    uint32_t count, struct axis a)
{
	uint32_t mid = cells[0].index;
	double best = HUGE_VAL;
	for (uint32_t i = 0; i < count; i++) {
		double dx = column(f, cells[i].index) - a.mean_x, dy = line(f, cells[i].index) - a.mean_y;
		double d = dx * dx + dy * dy;
		if (d < best) {
			best = d;
			mid = cells[i].index;
		}
	}
	return mid;
}

static double to_m(int32_t window_cell, int32_t first_cell, double cell_m)
{
	return (window_cell + first_cell + 0.5) * cell_m;
}

static void describe(struct cairn_frontier_finder *f, struct cairn_frontier_cell *cells, uint32_t count,
    struct cairn_pose2 pose, double min_width_m)
{
	struct axis a = principal_axis(f, cells, count);
	(void)sort_along(f, cells, count, a);
	double width_m = open_width(cells, count, f->cell_m);
	if (width_m < min_width_m)
		return;
	f->found_total++;
	if (f->found_count == CAIRN_FRONTIERS_FOUND_MAX)
		return;
	uint32_t mid = middle_cell(f, cells, count, a);
	int32_t mid_x = column(f, mid), mid_y = line(f, mid), stand_x = mid_x, stand_y = mid_y;
	struct cairn_frontier_outward outward = outward_of(f, cells, count);
	bool reachable = find_stand(f, outward, f->stand_clear2, mid_x, mid_y, &stand_x, &stand_y) ||
			 (f->stand_clear2 > 0 && find_stand(f, outward, 0, mid_x, mid_y, &stand_x, &stand_y));
	if (!reachable && (width_m >= CAIRN_FRONTIER_WIDE_M || on_floor_cut_off(f, mid_x, mid_y)))
		find_approach(f, mid_x, mid_y, &stand_x, &stand_y);
	struct cairn_frontier_found *found = &f->found[f->found_count++];
	*found = (struct cairn_frontier_found){
	    .cells = cells, .cell_count = count, .mid_x = mid_x, .mid_y = mid_y, .outward = outward};
	struct cairn_msg_frontier *m = &found->msg;
	m->x_m = to_m(mid_x, f->cx0, f->cell_m);
	m->y_m = to_m(mid_y, f->cy0, f->cell_m);
	m->goal_x_m = to_m(stand_x, f->cx0, f->cell_m);
	m->goal_y_m = to_m(stand_y, f->cy0, f->cell_m);
	m->cells = count;
	m->width_m = width_m;
	m->bearing_rad = cairn_wrap_rad(atan2(m->y_m - pose.y_m, m->x_m - pose.x_m) - pose.yaw_rad);
	m->distance_m = reachable ? cairn_wavefront_distance(&f->wave, stand_x, stand_y) * f->cell_m /
					CAIRN_WAVEFRONT_STEP
				  : -1.0;
	m->kind = kind_of(width_m, wall_near(f, cells[0].index) && wall_near(f, cells[count - 1].index));
}

void cairn_frontier_describe(struct cairn_frontier_finder *f, struct cairn_pose2 pose, double min_width_m)
{
	for (size_t from = 0, to; from < f->cell_count; from = to) {
		for (to = from + 1; to < f->cell_count && f->sorted[to].cluster == f->sorted[from].cluster;)
			to++;
		struct cairn_frontier_cell *cells = f->sorted + from;
		uint32_t count = (uint32_t)(to - from);
		double extent = sort_along(f, cells, count, principal_axis(f, cells, count));
		int parts = (int)ceil(extent * f->cell_m / SPLIT_M);
		parts = parts < 1 ? 1 : parts;
		float first = cells[0].along;
		for (uint32_t begin = 0, end; begin < count; begin = end) {
			int part = (int)((double)(cells[begin].along - first) * parts / (extent + 1e-3));
			for (end = begin + 1; end < count && (int)((double)(cells[end].along - first) *
								   parts / (extent + 1e-3)) == part;)
				end++;
			describe(f, cells + begin, end - begin, pose, min_width_m);
		}
	}
}
