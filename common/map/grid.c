#include "common/map/grid.h"

#include <stdlib.h>
#include <string.h>

#define GROW_CELLS 128      /* arrays grow in multiples of this */
#define MARGIN_CELLS 2      /* a ray walked in floating point may end one cell aside */
#define MEAN_WEIGHT 40      /* returns after which a cell's mean hardly moves any more */
#define ASIDE_CELLS 0.35    /* a ray this far beside a cell's returns has not gone through them */
#define SHORT_CELLS 1.5     /* nor has one that ends just there */
#define NEAR_CELLS 0.7      /* or that comes this near to the wall it ends at, */
#define NEAR_MAX_CELLS 20.0 /* but at most on so much of its way */
#define SAME_WALL_M 1.0     /* neighbouring returns are taken for one wall up to here */
#define PUBLISH_MARGIN 8
#define PUBLISH_STEP 16

void cairn_grid_init(struct cairn_grid *grid, double cell_m, double extent_max_m)
{
	*grid = (struct cairn_grid){.cell_m = cell_m,
	    .limit_cells = (int32_t)floor(extent_max_m / cell_m),
	    .known = cairn_cell_box_none(),
	    .solid = cairn_cell_box_none()};
}

void cairn_grid_free(struct cairn_grid *grid)
{
	free(grid->odds);
	free(grid->hits);
	free(grid->sub_x);
	free(grid->sub_y);
	free(grid->face_x);
	free(grid->face_y);
	free(grid->visits);
	free(grid->stamp);
	*grid = (struct cairn_grid){0};
}

/* Floor to a multiple of step. */
static int32_t floor_to(int32_t value, int32_t step)
{
	int32_t q = value / step;
	return (q * step > value ? q - 1 : q) * step;
}

/* One array in its new shape: old contents where they belong, fill elsewhere. NULL without memory. */
static void *reshape(const struct cairn_grid *old, const void *src, size_t item, int fill, int32_t cx0,
    int32_t cy0, int32_t width, int32_t height)
{
	size_t bytes = (size_t)width * (size_t)height * item;
	char *dst = malloc(bytes);
	if (dst == NULL)
		return NULL;
	memset(dst, fill, bytes);
	for (int32_t y = 0; y < old->height; y++) {
		size_t to = ((size_t)(y + old->cy0 - cy0) * (size_t)width + (size_t)(old->cx0 - cx0)) * item;
		size_t row = (size_t)old->width * item;
		memcpy(dst + to, (const char *)src + (size_t)y * row, row);
	}
	return dst;
}

static bool reshape_all(struct cairn_grid *grid, int32_t cx0, int32_t cy0, int32_t width, int32_t height)
{
	struct cairn_grid next = *grid;
	next.odds = reshape(grid, grid->odds, 1, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, cx0, cy0, width, height);
	next.hits = reshape(grid, grid->hits, 1, 0, cx0, cy0, width, height);
	next.sub_x = reshape(grid, grid->sub_x, 1, 0, cx0, cy0, width, height);
	next.sub_y = reshape(grid, grid->sub_y, 1, 0, cx0, cy0, width, height);
	next.face_x = reshape(grid, grid->face_x, 1, 0, cx0, cy0, width, height);
	next.face_y = reshape(grid, grid->face_y, 1, 0, cx0, cy0, width, height);
	next.visits = reshape(grid, grid->visits, sizeof(uint16_t), 0, cx0, cy0, width, height);
	next.stamp = reshape(grid, grid->stamp, sizeof(uint16_t), 0, cx0, cy0, width, height);
	bool ok = next.odds != NULL && next.hits != NULL && next.sub_x != NULL && next.sub_y != NULL &&
		  next.face_x != NULL && next.face_y != NULL && next.visits != NULL && next.stamp != NULL;
	struct cairn_grid drop = ok ? *grid : next;
	free(drop.odds);
	free(drop.hits);
	free(drop.sub_x);
	free(drop.sub_y);
	free(drop.face_x);
	free(drop.face_y);
	free(drop.visits);
	free(drop.stamp);
	if (!ok)
		return false;
	next.cx0 = cx0;
	next.cy0 = cy0;
	next.width = width;
	next.height = height;
	next.layout++;
	*grid = next;
	return true;
}

bool cairn_grid_reserve(struct cairn_grid *grid, struct cairn_cell_box box)
{
	if (cairn_cell_box_empty(box))
		return true;
	if (grid->width > 0 && cairn_grid_has(grid, box.min_cx, box.min_cy) &&
	    cairn_grid_has(grid, box.max_cx, box.max_cy))
		return true;
	if (grid->width > 0) {
		cairn_cell_box_add(&box, grid->cx0, grid->cy0);
		cairn_cell_box_add(&box, grid->cx0 + grid->width - 1, grid->cy0 + grid->height - 1);
	}
	if ((int64_t)box.max_cx - box.min_cx >= grid->limit_cells ||
	    (int64_t)box.max_cy - box.min_cy >= grid->limit_cells)
		return false;
	int32_t cx0 = floor_to(box.min_cx, GROW_CELLS), cy0 = floor_to(box.min_cy, GROW_CELLS);
	int32_t width = floor_to(box.max_cx, GROW_CELLS) + GROW_CELLS - cx0;
	int32_t height = floor_to(box.max_cy, GROW_CELLS) + GROW_CELLS - cy0;
	if (width > grid->limit_cells) {
		cx0 = box.min_cx;
		width = box.max_cx - box.min_cx + 1;
	}
	if (height > grid->limit_cells) {
		cy0 = box.min_cy;
		height = box.max_cy - box.min_cy + 1;
	}
	return reshape_all(grid, cx0, cy0, width, height);
}

bool cairn_grid_restart(struct cairn_grid *grid, int32_t cx0, int32_t cy0, int32_t width, int32_t height)
{
	if (width > grid->limit_cells || height > grid->limit_cells)
		return false;
	if (grid->width < width || grid->height < height) {
		struct cairn_grid bare = {
		    .cell_m = grid->cell_m, .limit_cells = grid->limit_cells, .layout = grid->layout};
		if (!reshape_all(&bare, cx0, cy0, width, height))
			return false;
		uint32_t revision = grid->revision;
		cairn_grid_free(grid);
		*grid = bare;
		grid->revision = revision;
	} else {
		size_t cells = (size_t)grid->width * (size_t)grid->height;
		memset(grid->odds, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, cells);
		memset(grid->hits, 0, cells);
		memset(grid->visits, 0, cells * sizeof(*grid->visits));
		memset(grid->stamp, 0, cells * sizeof(*grid->stamp));
		grid->scan_number = 0;
	}
	grid->cx0 = cx0;
	grid->cy0 = cy0;
	grid->layout++;
	grid->revision++;
	grid->known = grid->solid = cairn_cell_box_none();
	grid->free_cells = grid->occupied_cells = grid->visited_cells = 0;
	return true;
}

/* Adds evidence to one cell and keeps the figures right. x, y: array cell. */
static inline void add_evidence(struct cairn_grid *grid, int32_t x, int32_t y, size_t index, int delta)
{
	int8_t before = grid->odds[index];
	int sum = (before == CAIRN_ODDS_UNKNOWN ? 0 : before) + delta;
	int8_t after = (int8_t)(sum > CAIRN_ODDS_MAX   ? CAIRN_ODDS_MAX
				: sum < CAIRN_ODDS_MIN ? CAIRN_ODDS_MIN
						       : sum);
	if (after == before)
		return;
	grid->odds[index] = after;
	bool was_free = cairn_odds_free(before), is_free = after < 0;
	bool was_solid = cairn_odds_occupied(before), is_solid = cairn_odds_occupied(after);
	if (before != CAIRN_ODDS_UNKNOWN && was_free == is_free && was_solid == is_solid)
		return;
	grid->revision++;
	grid->free_cells += (uint32_t)is_free - (uint32_t)was_free;
	grid->occupied_cells += (uint32_t)is_solid - (uint32_t)was_solid;
	if (before == CAIRN_ODDS_UNKNOWN)
		cairn_cell_box_add(&grid->known, x + grid->cx0, y + grid->cy0);
	if (was_solid != is_solid)
		cairn_cell_box_add(&grid->solid, x + grid->cx0, y + grid->cy0);
}

static int8_t mean_with(int8_t mean, double value, double weight)
{
	return (int8_t)lrint(mean + (value - mean) * weight);
}

/* The means of the returns in a cell; fx, fy: place inside the cell, 0..1. */
static void add_mean(struct cairn_grid *grid, size_t index, double fx, double fy, struct cairn_vec2 face)
{
	unsigned n = grid->hits[index];
	double weight = 1.0 / ((n < MEAN_WEIGHT ? n : MEAN_WEIGHT) + 1.0);
	grid->sub_x[index] = mean_with(grid->sub_x[index], (fx - 0.5) * 254.0, weight);
	grid->sub_y[index] = mean_with(grid->sub_y[index], (fy - 0.5) * 254.0, weight);
	grid->face_x[index] = mean_with(grid->face_x[index], face.x_m * 127.0, weight);
	grid->face_y[index] = mean_with(grid->face_y[index], face.y_m * 127.0, weight);
	if (n < UINT8_MAX)
		grid->hits[index]++;
}

/* A ray speaks against an occupied cell only if it goes through the returns seen there, not just through
 * another part of the cell, and not where it closes in on the wall it ends at: else a wall seen at a grazing
 * angle is worn away by the very rays that see it. Cell units. */
struct ray {
	double x0, y0, x1, y1;
	double ux, uy;  /* direction */
	double against; /* as far as it counts against what is occupied */
};

static bool speaks_against(
    const struct cairn_grid *grid, const struct ray *ray, int32_t x, int32_t y, size_t index)
{
	double mx = x + 0.5 + grid->sub_x[index] * (1.0 / 254.0) - ray->x0;
	double my = y + 0.5 + grid->sub_y[index] * (1.0 / 254.0) - ray->y0;
	double aside = fabs(mx * ray->uy - my * ray->ux), along = mx * ray->ux + my * ray->uy;
	return aside < ASIDE_CELLS && along < ray->against;
}

/* Misses the cells up to but not including the end's (Amanatides and Woo 1987). */
static void walk_ray(struct cairn_grid *grid, const struct ray *ray)
{
	double x0 = ray->x0, y0 = ray->y0, x1 = ray->x1, y1 = ray->y1;
	int32_t x = (int32_t)x0, y = (int32_t)y0;
	int32_t steps = abs((int32_t)x1 - x) + abs((int32_t)y1 - y);
	double dx = x1 - x0, dy = y1 - y0;
	int32_t step_x = dx > 0.0 ? 1 : -1, step_y = dy > 0.0 ? 1 : -1;
	double delta_x = dx != 0.0 ? fabs(1.0 / dx) : HUGE_VAL,
	       delta_y = dy != 0.0 ? fabs(1.0 / dy) : HUGE_VAL;
	double next_x = dx != 0.0 ? (dx > 0.0 ? x + 1 - x0 : x0 - x) * delta_x : HUGE_VAL;
	double next_y = dy != 0.0 ? (dy > 0.0 ? y + 1 - y0 : y0 - y) * delta_y : HUGE_VAL;
	ptrdiff_t index = (ptrdiff_t)y * grid->width + x;
	ptrdiff_t row = step_y * (ptrdiff_t)grid->width;
	uint16_t number = grid->scan_number, *stamps = grid->stamp;
	const int8_t *odds = grid->odds;
	for (int32_t i = 0; i < steps; i++) {
		/* What is surely free stays so: its stamp need not even be looked at. */
		if (odds[index] != CAIRN_ODDS_MIN && stamps[index] != number &&
		    (!cairn_odds_occupied(odds[index]) || speaks_against(grid, ray, x, y, (size_t)index))) {
			stamps[index] = number;
			add_evidence(grid, x, y, (size_t)index, CAIRN_ODDS_MISS);
		}
		if (next_x < next_y) {
			next_x += delta_x;
			x += step_x;
			index += step_x;
		} else {
			next_y += delta_y;
			y += step_y;
			index += row;
		}
	}
}

static void next_scan_number(struct cairn_grid *grid)
{
	if (++grid->scan_number != 0)
		return;
	memset(grid->stamp, 0, (size_t)grid->width * (size_t)grid->height * sizeof(uint16_t));
	grid->scan_number = 1;
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

static void insert_hit(struct cairn_grid *grid, double x, double y, struct cairn_vec2 face)
{
	int32_t ix = (int32_t)x, iy = (int32_t)y;
	size_t index = (size_t)iy * (size_t)grid->width + (size_t)ix;
	add_mean(grid, index, x - ix, y - iy, face);
	if (grid->stamp[index] == grid->scan_number)
		return;
	grid->stamp[index] = grid->scan_number;
	add_evidence(grid, ix, iy, index, CAIRN_ODDS_HIT);
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
		double d = hypot(dx, dy);
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
	double sine = fabs(dx * ty - dy * tx) / fmax(hypot(dx, dy), 1e-3);
	return cairn_clamp(NEAR_CELLS / fmax(sine, 1e-3), SHORT_CELLS, NEAR_MAX_CELLS);
}

/* From the robot frame in metres to array cells. */
struct frame {
	double c, s, tx, ty;
};

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

void cairn_grid_insert(struct cairn_grid *grid, struct cairn_pose2 pose, const struct cairn_rays *rays)
{
	(void)reserve_rays(
	    grid, pose, rays); /* without room, the rays that leave the arrays are dropped below */
	if (grid->width == 0)
		return;
	next_scan_number(grid);
	double inv = 1.0 / grid->cell_m;
	const struct frame f = {cos(pose.yaw_rad) * inv, sin(pose.yaw_rad) * inv, pose.x_m * inv - grid->cx0,
	    pose.y_m * inv - grid->cy0};
	for (size_t i = 0; i < rays->count; i++) {
		struct ray ray = ray_of(rays, i, &f);
		if (!inside(grid, ray.x1, ray.y1))
			grid->clipped++;
		else if (rays->hit[i])
			insert_hit(grid, ray.x1, ray.y1, face_of(rays, i, &f, inv));
	}
	for (size_t i = 0; i < rays->count; i++) {
		struct ray ray = ray_of(rays, i, &f);
		if (!inside(grid, ray.x0, ray.y0) || !inside(grid, ray.x1, ray.y1))
			continue;
		double length = hypot(ray.x1 - ray.x0, ray.y1 - ray.y0);
		if (length < 1e-6)
			continue;
		ray.ux = (ray.x1 - ray.x0) / length;
		ray.uy = (ray.y1 - ray.y0) / length;
		ray.against = length - (rays->hit[i] ? silent_end(rays, i, grid->cell_m) : 0.0);
		walk_ray(grid, &ray);
	}
}

void cairn_grid_visit(
    struct cairn_grid *grid, struct cairn_vec2 from, struct cairn_vec2 to, double radius_m, bool first)
{
	struct cairn_cell_box box = {cairn_grid_cell(grid, to.x_m - radius_m),
	    cairn_grid_cell(grid, to.y_m - radius_m), cairn_grid_cell(grid, to.x_m + radius_m),
	    cairn_grid_cell(grid, to.y_m + radius_m)};
	if (!cairn_grid_reserve(grid, box))
		return;
	double radius2 = radius_m * radius_m;
	for (int32_t cy = box.min_cy; cy <= box.max_cy; cy++) {
		for (int32_t cx = box.min_cx; cx <= box.max_cx; cx++) {
			double x = (cx + 0.5) * grid->cell_m, y = (cy + 0.5) * grid->cell_m;
			double now2 = (x - to.x_m) * (x - to.x_m) + (y - to.y_m) * (y - to.y_m);
			double then2 = (x - from.x_m) * (x - from.x_m) + (y - from.y_m) * (y - from.y_m);
			if (now2 > radius2 || (then2 <= radius2 && !first))
				continue;
			size_t index = cairn_grid_index(grid, cx, cy);
			if (grid->visits[index] == 0) {
				grid->visited_cells++;
				grid->revision++;
			}
			if (grid->visits[index] < UINT16_MAX)
				grid->visits[index]++;
			add_evidence(grid, cx - grid->cx0, cy - grid->cy0, index, CAIRN_ODDS_MISS);
		}
	}
}

struct cairn_cell_box cairn_grid_take_solid(struct cairn_grid *grid)
{
	struct cairn_cell_box box = grid->solid;
	grid->solid = cairn_cell_box_none();
	return box;
}

struct cairn_cell_box cairn_grid_published(const struct cairn_grid *grid)
{
	if (cairn_cell_box_empty(grid->known))
		return grid->known;
	struct cairn_cell_box box = {floor_to(grid->known.min_cx - PUBLISH_MARGIN, PUBLISH_STEP),
	    floor_to(grid->known.min_cy - PUBLISH_MARGIN, PUBLISH_STEP),
	    floor_to(grid->known.max_cx + PUBLISH_MARGIN, PUBLISH_STEP) + PUBLISH_STEP - 1,
	    floor_to(grid->known.max_cy + PUBLISH_MARGIN, PUBLISH_STEP) + PUBLISH_STEP - 1};
	if (box.max_cx - box.min_cx >= grid->limit_cells) {
		box.min_cx = grid->known.min_cx;
		box.max_cx = grid->known.max_cx;
	}
	if (box.max_cy - box.min_cy >= grid->limit_cells) {
		box.min_cy = grid->known.min_cy;
		box.max_cy = grid->known.max_cy;
	}
	return box;
}

void cairn_grid_bytes(const struct cairn_grid *grid, struct cairn_cell_box box, uint8_t *out)
{
	uint8_t table[256];
	for (int i = -128; i < 128; i++) {
		double p = 1.0 / (1.0 + exp(-i / CAIRN_ODDS_PER_NAT));
		table[(uint8_t)(int8_t)i] = (uint8_t)lrint(100.0 * p);
	}
	table[(uint8_t)CAIRN_ODDS_UNKNOWN] = 255;
	size_t width = (size_t)(box.max_cx - box.min_cx + 1);
	for (int32_t cy = box.min_cy; cy <= box.max_cy; cy++) {
		uint8_t *row = out + (size_t)(cy - box.min_cy) * width;
		memset(row, 255, width);
		if (cy < grid->cy0 || cy - grid->cy0 >= grid->height)
			continue;
		int32_t lo = box.min_cx > grid->cx0 ? box.min_cx : grid->cx0;
		int32_t end = grid->cx0 + grid->width - 1, hi = box.max_cx < end ? box.max_cx : end;
		if (hi < lo)
			continue;
		const int8_t *src = grid->odds + cairn_grid_index(grid, lo, cy);
		for (int32_t cx = lo; cx <= hi; cx++)
			row[cx - box.min_cx] = table[(uint8_t)src[cx - lo]];
	}
}
