/* draw.c - scans into the grid.
 *
 * A scan takes three passes: its returns, its rays, which only leave a mark in each cell they pass, and the
 * evidence of the marks, row by row. So a cell counts once a scan without asking each time, and the rays,
 * which go all over the memory, write one byte a cell and decide nothing. */
#include "common/map/grid_private.h"

#include <stdlib.h>
#include <string.h>

#define MARGIN_CELLS 2      /* a ray walked in limited precision may pass one cell aside */
#define MEAN_WEIGHT 40      /* returns after which a cell's mean hardly moves any more */
#define ASIDE_CELLS 0.35    /* a ray this far beside a cell's returns has not gone through them */
#define SHORT_CELLS 1.5     /* nor has one that ends just there */
#define NEAR_CELLS 0.7      /* or that comes this near to the wall it ends at, */
#define NEAR_MAX_CELLS 20.0 /* but at most on so much of its way */
#define SAME_WALL_M 1.0     /* neighbouring returns are taken for one wall up to here */
#define GRAZING_SINE 0.1    /* a ray this nearly along a surface does not tell whether the surface is there */
#define FACE_SURE 0.7       /* length of a mean face from which on the returns agree on it */
#define FRACTION_BITS 48    /* of a cell, in which rays are walked; the side of a grid takes the others */

typedef int8_t odds16 __attribute__((vector_size(16)));
#define LANES ((int32_t)sizeof(odds16))
#define BLOCK (4 * LANES)

/* From the robot frame in metres to array cells. */
struct frame {
	double c, s, tx, ty;
};

/* A ray speaks against an occupied cell only if it goes through the returns seen there, not just through
 * another part of the cell, and not where it closes in on the wall it ends at: else a wall seen at a grazing
 * angle is worn away by the very rays that see it. Cell units. */
struct ray {
	double x0, y0, x1, y1;
	double ux, uy;  /* direction */
	double against; /* as far as it counts against what is occupied */
};

static double length_of(double x, double y)
{
	return sqrt(
	    x * x + y * y); /* metres and cells: hypot's care for huge and tiny numbers is not needed */
}

static int8_t mean_with(int8_t mean, double value, double weight)
{
	return (int8_t)lrint(mean + (value - mean) * weight);
}

/* The means of the returns in a cell; fx, fy: place inside the cell, 0..1. A return that stands alone, as those far along a wall do,
 * does not turn a face that is known. */
static void add_mean(
    struct cairn_grid *grid, size_t index, double fx, double fy, struct cairn_vec2 face, bool alone)
{
	unsigned n = grid->hits[index];
	double weight = 1.0 / ((n < MEAN_WEIGHT ? n : MEAN_WEIGHT) + 1.0);
	grid->sub_x[index] = mean_with(grid->sub_x[index], (fx - 0.5) * 254.0, weight);
	grid->sub_y[index] = mean_with(grid->sub_y[index], (fy - 0.5) * 254.0, weight);
	if (!alone || n == 0) {
		grid->face_x[index] = mean_with(grid->face_x[index], face.x_m * 127.0, weight);
		grid->face_y[index] = mean_with(grid->face_y[index], face.y_m * 127.0, weight);
	}
	if (n < UINT8_MAX)
		grid->hits[index]++;
}

/* The ray goes along the surface seen in the cell. Far down a corridor neighbouring returns are metres apart, so that the scan
 * itself does not show the wall between them: what was seen of it from nearer does. */
static bool grazes(const struct cairn_grid *grid, const struct ray *ray, ptrdiff_t index)
{
	double fx = grid->face_x[index] * (1.0 / 127.0), fy = grid->face_y[index] * (1.0 / 127.0);
	double length = length_of(fx, fy);
	return length > FACE_SURE && fabs(fx * ray->ux + fy * ray->uy) < GRAZING_SINE * length;
}

static bool speaks_against(const struct cairn_grid *grid, const struct ray *ray, ptrdiff_t index)
{
	int32_t x = (int32_t)(index % grid->width), y = (int32_t)(index / grid->width);
	double mx = x + 0.5 + grid->sub_x[index] * (1.0 / 254.0) - ray->x0;
	double my = y + 0.5 + grid->sub_y[index] * (1.0 / 254.0) - ray->y0;
	double aside = fabs(mx * ray->uy - my * ray->ux), along = mx * ray->ux + my * ray->uy;
	return aside < ASIDE_CELLS && along < ray->against && !grazes(grid, ray, index);
}

static inline void pass_cell(
    const struct cairn_grid *grid, const int8_t *odds, uint8_t *mark, const struct ray *ray, ptrdiff_t index)
{
	if (__builtin_expect(odds[index] < CAIRN_ODDS_OCCUPIED, 1) || speaks_against(grid, ray, index))
		mark[index] = 1;
}

/* The way of a ray along the axis on which it goes farther, u, and the other, v, both counted from the cell
 * it starts in and in the direction it goes. */
struct way {
	ptrdiff_t start, step_u, step_v; /* indices */
	int32_t cells_u, cells_v;        /* to the end's cell */
	int64_t v, slope; /* v where it leaves the first cell's column, and for each further one */
};

static void axis_of(double from, double to, int32_t *ret_cells, double *ret_first, double *ret_run)
{
	int32_t a = (int32_t)from, b = (int32_t)to;
	bool down = to < from;
	*ret_cells = down ? a - b : b - a;
	*ret_first = down ? from - a : a + 1 - from; /* to the first border */
	*ret_run = fabs(to - from);
}

static struct way way_of(const struct cairn_grid *grid, const struct ray *ray)
{
	const double one = (double)(INT64_C(1) << FRACTION_BITS);
	int32_t cells[2];
	double first[2], run[2];
	axis_of(ray->x0, ray->x1, &cells[0], &first[0], &run[0]);
	axis_of(ray->y0, ray->y1, &cells[1], &first[1], &run[1]);
	int u = run[1] > run[0]; /* the axis */
	double slope = run[!u] / run[u];
	ptrdiff_t step[2] = {ray->x1 > ray->x0 ? 1 : -1, ray->y1 > ray->y0 ? grid->width : -grid->width};
	int64_t v = (int64_t)((1.0 - first[!u] + slope * first[u]) * one);
	return (struct way){.start = (ptrdiff_t)(int32_t)ray->y0 * grid->width + (int32_t)ray->x0,
	    .step_u = step[u],
	    .step_v = step[!u],
	    .cells_u = cells[u],
	    .cells_v = cells[!u],
	    /* Exactly through a corner, the step along y comes first. */
	    .v = u && v > 0 ? v - 1 : v,
	    .slope = (int64_t)(slope * one)};
}

/* Marks the cells up to but not including the end's: in each column the one where the ray comes in and, if it
 * is another, the one where it goes out. (The cells of Amanatides and Woo 1987, without a branch for each.)
 */
static void walk_ray(struct cairn_grid *grid, const struct ray *ray)
{
	struct way w = way_of(grid, ray);
	const int8_t *odds = grid->odds;
	uint8_t *mark = grid->mark;
	ptrdiff_t column = w.start, in = column;
	for (int32_t i = 0; i < w.cells_u; i++) {
		ptrdiff_t out = column + (ptrdiff_t)(w.v >> FRACTION_BITS) * w.step_v;
		pass_cell(grid, odds, mark, ray, in);
		pass_cell(grid, odds, mark, ray, out);
		in = out + w.step_u;
		w.v += w.slope;
		column += w.step_u;
	}
	for (int64_t v = (in - column) / w.step_v; v < w.cells_v; v++)
		pass_cell(grid, odds, mark, ray, column + (ptrdiff_t)v * w.step_v);
}

/* Makes room for the scan; true when every ray fits. */
static bool reserve_rays(struct cairn_grid *grid, struct cairn_pose2 pose, const struct cairn_rays *rays)
{
	double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	double min_x = pose.x_m, max_x = pose.x_m, min_y = pose.y_m, max_y = pose.y_m;
	for (size_t i = 0; i < rays->count; i++) {
		double x = pose.x_m + c * (double)rays->x_m[i] - s * (double)rays->y_m[i];
		double y = pose.y_m + s * (double)rays->x_m[i] + c * (double)rays->y_m[i];
		min_x = x < min_x ? x : min_x;
		max_x = x > max_x ? x : max_x;
		min_y = y < min_y ? y : min_y;
		max_y = y > max_y ? y : max_y;
	}
	int32_t room =
	    MARGIN_CELLS + (int32_t)ceil(0.5 / grid->cell_m); /* the LiDAR itself, which may stick out */
	struct cairn_cell_box box = {cairn_grid_cell(grid, min_x) - room, cairn_grid_cell(grid, min_y) - room,
	    cairn_grid_cell(grid, max_x) + room, cairn_grid_cell(grid, max_y) + room};
	return cairn_grid_reserve(grid, box);
}

static bool inside(const struct cairn_grid *grid, double x, double y)
{
	return x >= MARGIN_CELLS && y >= MARGIN_CELLS && x < grid->width - MARGIN_CELLS &&
	       y < grid->height - MARGIN_CELLS;
}

/* How much of its end a ray does not count against occupied cells: the angle at which it meets the wall is
 * that to the nearer of the neighbouring returns. */
static double silent_end(const struct cairn_rays *rays, size_t i, double cell_m)
{
	double best = SAME_WALL_M, tx = 0.0, ty = 0.0;
	for (int side = -1; side <= 1; side += 2) {
		size_t k = i + (size_t)side; /* wraps at 0, and then is beyond the count */
		if (k >= rays->count || !rays->hit[k])
			continue;
		double dx = (double)(rays->x_m[k] - rays->x_m[i]), dy = (double)(rays->y_m[k] - rays->y_m[i]);
		double d = length_of(dx, dy);
		if (d < best && d > 0.2 * cell_m) {
			best = d;
			tx = dx / d;
			ty = dy / d;
		}
	}
	if (tx == 0.0 && ty == 0.0)
		return SHORT_CELLS;
	double dx = (double)(rays->x_m[i] - rays->from_x_m[i]),
	       dy = (double)(rays->y_m[i] - rays->from_y_m[i]);
	double sine = fabs(dx * ty - dy * tx) / fmax(length_of(dx, dy), 1e-3);
	return cairn_clamp(NEAR_CELLS / fmax(sine, 1e-3), SHORT_CELLS, NEAR_MAX_CELLS);
}

static struct ray ray_of(const struct cairn_rays *rays, size_t i, const struct frame *f)
{
	double fx = (double)rays->from_x_m[i], fy = (double)rays->from_y_m[i];
	double ex = (double)rays->x_m[i], ey = (double)rays->y_m[i];
	return (struct ray){.x0 = f->tx + f->c * fx - f->s * fy,
	    .y0 = f->ty + f->s * fx + f->c * fy,
	    .x1 = f->tx + f->c * ex - f->s * ey,
	    .y1 = f->ty + f->s * ex + f->c * ey};
}

static struct cairn_vec2 face_of(const struct cairn_rays *rays, size_t i, const struct frame *f, double inv)
{
	double x = (double)rays->face_x[i] / inv, y = (double)rays->face_y[i] / inv; /* f scales, too */
	return (struct cairn_vec2){f->c * x - f->s * y, f->s * x + f->c * y};
}

/* The returns; a cell that has one is marked. */
static void insert_hits(struct cairn_grid *grid, const struct cairn_rays *rays, const struct frame *f)
{
	double inv = 1.0 / grid->cell_m;
	for (size_t i = 0; i < rays->count; i++) {
		struct ray ray = ray_of(rays, i, f);
		if (!inside(grid, ray.x1, ray.y1)) {
			grid->clipped++;
			continue;
		}
		if (!rays->hit[i])
			continue;
		int32_t x = (int32_t)ray.x1, y = (int32_t)ray.y1;
		size_t index = (size_t)y * (size_t)grid->width + (size_t)x;
		add_mean(grid, index, ray.x1 - x, ray.y1 - y, face_of(rays, i, f, inv), rays->alone[i]);
		if (grid->mark[index] == 0)
			cairn_grid_add_evidence(grid, x, y, index, CAIRN_ODDS_HIT);
		grid->mark[index] = 1;
	}
}

/* Marks what the rays pass, but not the cells of the returns: those are hit, and not missed as well. Returns
 * the array cells that marks lie in. */
static struct cairn_cell_box mark_ways(
    struct cairn_grid *grid, const struct cairn_rays *rays, const struct frame *f)
{
	struct cairn_cell_box box = cairn_cell_box_none();
	for (size_t i = 0; i < rays->count; i++) {
		struct ray ray = ray_of(rays, i, f);
		if (!inside(grid, ray.x0, ray.y0) || !inside(grid, ray.x1, ray.y1))
			continue;
		double length = length_of(ray.x1 - ray.x0, ray.y1 - ray.y0);
		if (length < 1e-6)
			continue;
		ray.ux = (ray.x1 - ray.x0) / length;
		ray.uy = (ray.y1 - ray.y0) / length;
		ray.against = length - (rays->hit[i] ? silent_end(rays, i, grid->cell_m) : 0.0);
		walk_ray(grid, &ray);
		cairn_cell_box_add(&box, (int32_t)ray.x0, (int32_t)ray.y0);
		cairn_cell_box_add(&box, (int32_t)ray.x1, (int32_t)ray.y1);
	}
	for (size_t i = 0; i < rays->count; i++) {
		struct ray ray = ray_of(rays, i, f);
		if (rays->hit[i] && inside(grid, ray.x1, ray.y1))
			grid->mark[(size_t)(int32_t)ray.y1 * (size_t)grid->width + (size_t)(int32_t)ray.x1] =
			    0;
	}
	if (!cairn_cell_box_empty(box)) /* a ray may pass one cell aside */
		box = (struct cairn_cell_box){box.min_cx - 1, box.min_cy - 1, box.max_cx + 1, box.max_cy + 1};
	return box;
}

static uint32_t lanes_set(odds16 mask)
{
	uint64_t half[2];
	memcpy(half, &mask, sizeof(half));
	const uint64_t ones = UINT64_C(0x0101010101010101);
	return (uint32_t)(((half[0] & ones) + (half[1] & ones)) * ones >> 56);
}

static bool any(odds16 mask)
{
	uint64_t half[2];
	memcpy(half, &mask, sizeof(half));
	return (half[0] | half[1]) != 0;
}

static void add_lanes(struct cairn_cell_box *box, odds16 mask, int32_t cx, int32_t cy)
{
	for (int32_t i = 0; i < LANES; i++)
		if (mask[i])
			cairn_cell_box_add(box, cx + i, cy);
}

static bool holds_row(const struct cairn_cell_box *box, int32_t cx, int32_t cy)
{
	return cx >= box->min_cx && cx + LANES - 1 <= box->max_cx && cy >= box->min_cy && cy <= box->max_cy;
}

/* What came of LANES cells of a row, of which those marked were no free ones before. */
static void note_lanes(
    struct cairn_grid *grid, int32_t cx, int32_t cy, odds16 marked, odds16 before, odds16 after)
{
	odds16 seen = marked & (before == CAIRN_ODDS_UNKNOWN), freed = marked & (after < 0);
	odds16 fell = (before >= CAIRN_ODDS_OCCUPIED) & (after < CAIRN_ODDS_OCCUPIED);
	grid->revision += lanes_set(freed | fell);
	grid->free_cells += lanes_set(freed);
	grid->occupied_cells -= lanes_set(fell);
	if (any(fell))
		add_lanes(&grid->solid, fell, cx, cy);
	if (any(seen) && !holds_row(&grid->known, cx, cy))
		add_lanes(&grid->known, seen, cx, cy);
}

/* Misses the marked ones of LANES cells of a row, from array cell (x, y) on: cairn_grid_add_evidence for all
 * of them at once. */
static void miss_lanes(struct cairn_grid *grid, int32_t x, int32_t y, size_t index, odds16 mark)
{
	odds16 before, after;
	memcpy(&before, grid->odds + index, sizeof(before));
	odds16 marked = mark != 0, unseen = before == CAIRN_ODDS_UNKNOWN, was_free = (before < 0) & ~unseen;
	after = (before & ~unseen) + CAIRN_ODDS_MISS;
	odds16 least = after < CAIRN_ODDS_MIN;
	after = (after & ~least) | (least & CAIRN_ODDS_MIN);
	after = (after & marked) | (before & ~marked);
	memcpy(grid->odds + index, &after, sizeof(after));
	odds16 news = marked & ~was_free;
	if (any(news))
		note_lanes(grid, x + grid->cx0, y + grid->cy0, news, before, after);
}

/* Misses the marked ones of up to LANES cells, and takes the marks away. */
static inline void miss_some(struct cairn_grid *grid, uint8_t *marks, int32_t x, int32_t y, size_t index)
{
	odds16 mark;
	memcpy(&mark, marks, sizeof(mark));
	if (!any(mark))
		return;
	miss_lanes(grid, x, y, index, mark);
	memset(marks, 0, sizeof(mark));
}

static bool blank(const uint8_t marks[BLOCK])
{
	uint64_t all = 0, part;
	for (int32_t i = 0; i < BLOCK; i += (int32_t)sizeof(part)) {
		memcpy(&part, marks + i, sizeof(part));
		all |= part;
	}
	return all == 0;
}

/* Misses every marked cell, and takes the marks away. Most blocks of the box hold none. */
static void miss_marked(struct cairn_grid *grid, struct cairn_cell_box box)
{
	const int32_t width = grid->width;
	for (int32_t y = box.min_cy; y <= box.max_cy; y++) {
		size_t row = (size_t)y * (size_t)width;
		uint8_t *marks = grid->mark + row;
		int32_t x = box.min_cx;
		for (; x <= box.max_cx && x + BLOCK <= width; x += BLOCK) {
			if (blank(marks + x))
				continue;
			for (int32_t i = x; i < x + BLOCK; i += LANES)
				miss_some(grid, marks + i, i, y, row + (size_t)i);
		}
		for (; x <= box.max_cx && x + LANES <= width; x += LANES)
			miss_some(grid, marks + x, x, y, row + (size_t)x);
		for (; x <= box.max_cx; x++) {
			if (marks[x] == 0)
				continue;
			cairn_grid_add_evidence(grid, x, y, row + (size_t)x, CAIRN_ODDS_MISS);
			marks[x] = 0;
		}
	}
}

void cairn_grid_insert(struct cairn_grid *grid, struct cairn_pose2 pose, const struct cairn_rays *rays)
{
	/* Without room, the rays that leave the arrays are dropped below. */
	(void)reserve_rays(grid, pose, rays);
	if (grid->width == 0)
		return;
	double inv = 1.0 / grid->cell_m;
	const struct frame f = {cos(pose.yaw_rad) * inv, sin(pose.yaw_rad) * inv, pose.x_m * inv - grid->cx0,
	    pose.y_m * inv - grid->cy0};
	insert_hits(grid, rays, &f);
	miss_marked(grid, mark_ways(grid, rays, &f));
}
