#include "common/map/grid_private.h"

#include "common/base/prefault.h"

#include <stdlib.h>
#include <string.h>

#define GROW_CELLS 128 /* arrays grow in multiples of this */
#define ROOM_SHARE 4   /* and by this share of their side */
#define PUBLISH_MARGIN 8
#define PUBLISH_STEP 16

void cairn_grid_init(struct cairn_grid *grid, double cell_m, double extent_max_m)
{
	*grid = (struct cairn_grid){.cell_m = cell_m,
	    .limit_cells = (int32_t)floor(extent_max_m / cell_m),
	    .known = cairn_cell_box_none(),
	    .solid = cairn_cell_box_none()};
}

/* Floor to a multiple of step. */
static int32_t floor_to(int32_t value, int32_t step)
{
	int32_t q = value / step;
	return (q * step > value ? q - 1 : q) * step;
}

/* What is known of an old array, to its place in a new one. src: NULL when there is no old one. */
static void copy_known(const struct cairn_grid *old, const void *src, size_t item, int32_t cx0, int32_t cy0,
    int32_t width, void *dst)
{
	const struct cairn_cell_box *k = &old->known;
	if (src == NULL || cairn_cell_box_empty(*k))
		return;
	size_t row = (size_t)(k->max_cx - k->min_cx + 1) * item;
	for (int32_t cy = k->min_cy; cy <= k->max_cy; cy++) {
		size_t to = ((size_t)(cy - cy0) * (size_t)width + (size_t)(k->min_cx - cx0)) * item;
		memcpy(
		    (char *)dst + to, (const char *)src + cairn_grid_index(old, k->min_cx, cy) * item, row);
	}
}

/* One array in its new shape, 0 where nothing is known. NULL without memory. (What is never written to takes
 * none: of a sheet the visits, of a map all around the house.) */
static void *reshape(const struct cairn_grid *old, const void *src, size_t item, int32_t cx0, int32_t cy0,
    int32_t width, int32_t height)
{
	void *dst = calloc((size_t)width * (size_t)height, item);
	if (dst != NULL)
		copy_known(old, src, item, cx0, cy0, width, dst);
	return dst;
}

static int8_t *reshape_odds(
    const struct cairn_grid *old, int32_t cx0, int32_t cy0, int32_t width, int32_t height)
{
	size_t bytes = (size_t)width * (size_t)height;
	int8_t *dst = malloc(bytes);
	if (dst == NULL)
		return NULL;
	memset(dst, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, bytes);
	copy_known(old, old->odds, 1, cx0, cy0, width, dst);
	return dst;
}

static void free_arrays(struct cairn_grid *grid)
{
	free(grid->odds);
	free(grid->hits);
	free(grid->sub_x);
	free(grid->sub_y);
	free(grid->face_x);
	free(grid->face_y);
	free(grid->visits);
	free(grid->mark);
}

void cairn_grid_free(struct cairn_grid *grid)
{
	free_arrays(grid);
	*grid = (struct cairn_grid){0};
}

static bool reshape_all(struct cairn_grid *grid, int32_t cx0, int32_t cy0, int32_t width, int32_t height)
{
	struct cairn_grid next = *grid;
	next.odds = reshape_odds(grid, cx0, cy0, width, height);
	next.hits = reshape(grid, grid->hits, 1, cx0, cy0, width, height);
	next.sub_x = reshape(grid, grid->sub_x, 1, cx0, cy0, width, height);
	next.sub_y = reshape(grid, grid->sub_y, 1, cx0, cy0, width, height);
	next.face_x = reshape(grid, grid->face_x, 1, cx0, cy0, width, height);
	next.face_y = reshape(grid, grid->face_y, 1, cx0, cy0, width, height);
	next.visits = reshape(grid, grid->visits, sizeof(uint16_t), cx0, cy0, width, height);
	next.mark = reshape(grid, NULL, 1, cx0, cy0, width, height);
	bool ok = next.odds != NULL && next.hits != NULL && next.sub_x != NULL && next.sub_y != NULL &&
		  next.face_x != NULL && next.face_y != NULL && next.visits != NULL && next.mark != NULL;
	free_arrays(ok ? grid : &next);
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

static bool within_limit(const struct cairn_grid *grid, struct cairn_cell_box box)
{
	return (int64_t)box.max_cx - box.min_cx < grid->limit_cells &&
	       (int64_t)box.max_cy - box.min_cy < grid->limit_cells;
}

/* What there is and box; a map that grows goes on growing that way, so the more there is to copy, the more
 * room it gets at once, unless that would take it to its limit. */
static struct cairn_cell_box grown(const struct cairn_grid *grid, struct cairn_cell_box box)
{
	int32_t end_cx = grid->cx0 + grid->width - 1, end_cy = grid->cy0 + grid->height - 1;
	cairn_cell_box_add(&box, grid->cx0, grid->cy0);
	cairn_cell_box_add(&box, end_cx, end_cy);
	int32_t more_x = grid->width / ROOM_SHARE, more_y = grid->height / ROOM_SHARE;
	struct cairn_cell_box roomy = {box.min_cx - (box.min_cx < grid->cx0 ? more_x : 0),
	    box.min_cy - (box.min_cy < grid->cy0 ? more_y : 0),
	    box.max_cx + (box.max_cx > end_cx ? more_x : 0), box.max_cy + (box.max_cy > end_cy ? more_y : 0)};
	return within_limit(grid, roomy) ? roomy : box;
}

bool cairn_grid_reserve(struct cairn_grid *grid, struct cairn_cell_box box)
{
	if (cairn_cell_box_empty(box))
		return true;
	if (grid->width > 0 && cairn_grid_has(grid, box.min_cx, box.min_cy) &&
	    cairn_grid_has(grid, box.max_cx, box.max_cy))
		return true;
	if (grid->width > 0)
		box = grown(grid, box);
	if (!within_limit(grid, box))
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

/* Only what is known was ever written to. */
static void forget_known(struct cairn_grid *grid)
{
	const struct cairn_cell_box *k = &grid->known;
	if (cairn_cell_box_empty(*k))
		return;
	size_t row = (size_t)(k->max_cx - k->min_cx + 1);
	for (int32_t cy = k->min_cy; cy <= k->max_cy; cy++) {
		size_t at = cairn_grid_index(grid, k->min_cx, cy);
		memset(grid->odds + at, (int)(uint8_t)CAIRN_ODDS_UNKNOWN, row);
		memset(grid->hits + at, 0, row);
		if (grid->visited_cells > 0)
			memset(grid->visits + at, 0, row * sizeof(*grid->visits));
	}
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
		forget_known(grid);
	}
	grid->cx0 = cx0;
	grid->cy0 = cy0;
	grid->layout++;
	grid->revision++;
	grid->known = grid->solid = cairn_cell_box_none();
	grid->free_cells = grid->occupied_cells = grid->visited_cells = 0;
	return true;
}

void cairn_grid_touch(const struct cairn_grid *grid, int32_t y0, int32_t y1, bool visits)
{
	int32_t from = y0 > 0 ? y0 : 0, end = y1 < grid->height ? y1 : grid->height - 1;
	if (end < from)
		return;
	size_t at = (size_t)from * (size_t)grid->width,
	       bytes = (size_t)(end - from + 1) * (size_t)grid->width;
	cairn_prefault_touch(grid->odds + at, bytes);
	cairn_prefault_touch(grid->hits + at, bytes);
	cairn_prefault_touch(grid->sub_x + at, bytes);
	cairn_prefault_touch(grid->sub_y + at, bytes);
	cairn_prefault_touch(grid->face_x + at, bytes);
	cairn_prefault_touch(grid->face_y + at, bytes);
	cairn_prefault_touch(grid->mark + at, bytes);
	if (visits)
		cairn_prefault_touch(grid->visits + at, bytes * sizeof(*grid->visits));
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
			cairn_grid_add_evidence(grid, cx - grid->cx0, cy - grid->cy0, index, CAIRN_ODDS_MISS);
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

/* Most cells are as those around them, unknown or as free as can be: eight of a kind go as one. */
static void translate(const uint8_t table[256], const int8_t *src, int32_t count, uint8_t *out)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	int32_t i = 0;
	for (; i + 8 <= count; i += 8) {
		uint64_t eight;
		memcpy(&eight, src + i, sizeof(eight));
		if (eight == (eight & 0xFF) * ones) {
			eight = table[eight & 0xFF] * ones;
			memcpy(out + i, &eight, sizeof(eight));
			continue;
		}
		for (int32_t k = i; k < i + 8; k++)
			out[k] = table[(uint8_t)src[k]];
	}
	for (; i < count; i++)
		out[i] = table[(uint8_t)src[i]];
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
		translate(table, src, hi - lo + 1, row + (lo - box.min_cx));
	}
}
