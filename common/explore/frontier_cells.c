#include "common/explore/frontier_private.h"

#include <stdlib.h>
#include <string.h>

#define POCKET_M2 0.15 /* smaller enclosed unknown is not worth a look */
#define LINK_M 0.5     /* cells no farther apart over free floor are one opening */
#define NONE UINT32_MAX

enum { FLOOD_NEW, FLOOD_BIG, FLOOD_SMALL, FLOOD_NOW };

/* dst[i] joined with a[i] and b[i]: all of them where it shrinks, any where it grows. */
static void join(
    uint8_t *restrict dst, const uint8_t *restrict a, const uint8_t *restrict b, int32_t n, bool grow)
{
	if (grow)
		for (int32_t i = 0; i < n; i++)
			dst[i] |= a[i] | b[i];
	else
		for (int32_t i = 0; i < n; i++)
			dst[i] &= a[i] & b[i];
}

/* Each cell joined with its neighbours in the row up to reach; the edges take what there is. */
static void filter_rows(const uint8_t *in, uint8_t *out, int32_t w, int32_t h, int reach, bool grow)
{
	for (int32_t y = 0; y < h; y++) {
		const uint8_t *src = in + (size_t)y * (size_t)w;
		uint8_t *dst = out + (size_t)y * (size_t)w;
		memcpy(dst, src, (size_t)w);
		for (int d = 1; d <= reach; d++) {
			join(dst + d, src, src + 2 * d, w - 2 * d, grow);
			join(dst, src + d, src + d, d, grow);
			join(dst + w - d, src + w - 2 * d, src + w - 2 * d, d, grow);
		}
	}
}

static void filter_columns(const uint8_t *in, uint8_t *out, int32_t w, int32_t h, int reach, bool grow)
{
	for (int32_t y = 0; y < h; y++) {
		uint8_t *dst = out + (size_t)y * (size_t)w;
		memcpy(dst, in + (size_t)y * (size_t)w, (size_t)w);
		for (int d = 1; d <= reach; d++) {
			int32_t above = y - d < 0 ? y : y - d, below = y + d >= h ? y : y + d;
			join(dst, in + (size_t)above * (size_t)w, in + (size_t)below * (size_t)w, w, grow);
		}
	}
}

static struct cairn_wavefront_box grown(
    const struct cairn_frontier_finder *f, struct cairn_wavefront_box box, int by)
{
	int32_t end_x = f->wave.width - 1, end_y = f->wave.height - 1;
	return (struct cairn_wavefront_box){box.x0 < by ? 0 : box.x0 - by, box.y0 < by ? 0 : box.y0 - by,
	    box.x1 > end_x - by ? end_x : box.x1 + by, box.y1 > end_y - by ? end_y : box.y1 + by};
}

/* Takes away from f->part, w x h cells, what is narrower than 2 reach + 1 cells: a morphological opening by a
 * square. */
static void take_narrow_away(struct cairn_frontier_finder *f, int32_t w, int32_t h, int reach)
{
	filter_rows(f->part, f->scratch, w, h, reach, false);
	filter_columns(f->scratch, f->part, w, h, reach, false);
	filter_rows(f->part, f->scratch, w, h, reach, true);
	filter_columns(f->scratch, f->part, w, h, reach, true);
}

/* Does so with f->part, which holds box, and copies what is inside of it into mask. A cell of the result depends
 * on those up to 2 reach away. */
static void open_part(struct cairn_frontier_finder *f, struct cairn_wavefront_box box,
    struct cairn_wavefront_box inside, uint8_t *mask)
{
	int32_t w = box.x1 - box.x0 + 1, h = box.y1 - box.y0 + 1;
	take_narrow_away(f, w, h, f->reach);
	for (int32_t y = inside.y0; y <= inside.y1; y++)
		memcpy(mask + (size_t)y * (size_t)f->wave.width + inside.x0,
		    f->part + (size_t)(y - box.y0) * (size_t)w + (inside.x0 - box.x0),
		    (size_t)(inside.x1 - inside.x0 + 1));
}

static void open_unknown(struct cairn_frontier_finder *f, struct cairn_wavefront_box inside)
{
	struct cairn_wavefront_box box = grown(f, inside, 2 * f->reach);
	uint8_t *restrict out = f->part;
	for (int32_t y = box.y0; y <= box.y1; y++) {
		const uint8_t *restrict cell = f->wave.cell + (size_t)y * (size_t)f->wave.width;
		for (int32_t x = box.x0; x <= box.x1; x++)
			*out++ = cell[x] == CAIRN_WAVEFRONT_UNKNOWN;
	}
	open_part(f, box, inside, f->unknown);
}

void cairn_frontier_unknown(struct cairn_frontier_finder *f, int reach)
{
	const size_t cells = (size_t)f->wave.width * (size_t)f->wave.height;
	const uint8_t *restrict cell = f->wave.cell;
	uint8_t *restrict out = f->part;
	for (size_t i = 0; i < cells; i++)
		out[i] = cell[i] == CAIRN_WAVEFRONT_UNKNOWN;
	take_narrow_away(f, f->wave.width, f->wave.height, reach);
}

/* The floor, with the slits of the unknown, without its own narrow strips: a look into the gap between two
 * cupboards opens nothing that the robot could enter. */
static void open_floor(struct cairn_frontier_finder *f, struct cairn_wavefront_box inside)
{
	struct cairn_wavefront_box box = grown(f, inside, 2 * f->reach);
	uint8_t *restrict out = f->part;
	for (int32_t y = box.y0; y <= box.y1; y++) {
		size_t row = (size_t)y * (size_t)f->wave.width;
		const uint8_t *restrict cell = f->wave.cell + row, *restrict unknown = f->unknown + row;
		for (int32_t x = box.x0; x <= box.x1; x++)
			*out++ = (uint8_t)((cell[x] == CAIRN_WAVEFRONT_FREE) |
					   ((cell[x] == CAIRN_WAVEFRONT_UNKNOWN) & (unknown[x] == 0)));
	}
	open_part(f, box, inside, f->floor);
}

/* Free cells with an unknown neighbour among the four. */
static void mark_cells(struct cairn_frontier_finder *f, struct cairn_wavefront_box box)
{
	int32_t w = f->wave.width, h = f->wave.height;
	for (int32_t y = box.y0; y <= box.y1; y++) {
		size_t row = (size_t)y * (size_t)w;
		const uint8_t *restrict cell = f->wave.cell + row, *restrict floor = f->floor + row;
		const uint8_t *u = f->unknown + row;
		uint8_t *restrict mask = f->mask + row;
		memset(mask + box.x0, 0, (size_t)(box.x1 - box.x0 + 1));
		if (y == 0 || y == h - 1)
			continue;
		const int32_t from = box.x0 > 1 ? box.x0 : 1, to = box.x1 < w - 2 ? box.x1 : w - 2;
		for (int32_t x = from; x <= to; x++)
			mask[x] = (uint8_t)((cell[x] == CAIRN_WAVEFRONT_FREE) & floor[x] &
					    (u[x - 1] | u[x + 1] | u[x - w] | u[x + w]));
	}
}

void cairn_frontier_masks(struct cairn_frontier_finder *f, struct cairn_wavefront_box box)
{
	if (box.x1 < box.x0)
		return;
	box = grown(f, box, 2 * f->reach);
	open_unknown(f, box);
	box = grown(f, box, 2 * f->reach);
	open_floor(f, box);
	mark_cells(f, grown(f, box, 1));
}

/* Is the unknown at this cell more than an enclosed pocket? Floods at most limit cells; the answer is kept in
 * flood. */
static bool is_big(struct cairn_frontier_finder *f, uint32_t seed, uint32_t limit)
{
	if (f->flood[seed] != FLOOD_NEW)
		return f->flood[seed] == FLOOD_BIG;
	int32_t w = f->wave.width, h = f->wave.height;
	const int32_t step_x[4] = {1, -1, 0, 0}, step_y[4] = {0, 0, 1, -1};
	uint32_t *queue = f->flooded + f->flooded_count, count = 0, next = 0;
	const uint8_t *const unknown = f->unknown;
	uint8_t *const flood = f->flood;
	bool big = false;
	queue[count++] = seed;
	flood[seed] = FLOOD_NOW;
	while (next < count && !big) {
		uint32_t at = queue[next++];
		int32_t x = (int32_t)(at % (uint32_t)w), y = (int32_t)(at / (uint32_t)w);
		big = count >= limit || x == 0 || y == 0 || x == w - 1 || y == h - 1;
		for (int k = 0; k < 4 && !big; k++) {
			uint32_t to = (uint32_t)(y + step_y[k]) * (uint32_t)w + (uint32_t)(x + step_x[k]);
			if (!unknown[to] || flood[to] == FLOOD_NOW)
				continue;
			big = flood[to] == FLOOD_BIG;
			if (big)
				break;
			flood[to] = FLOOD_NOW;
			queue[count++] = to;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		flood[queue[i]] = big ? FLOOD_BIG : FLOOD_SMALL;
	f->flooded_count += count;
	return big;
}

/* The cells of the mask in the window's order, without those that only touch pockets. */
static void drop_pockets(struct cairn_frontier_finder *f)
{
	int32_t w = f->wave.width, h = f->wave.height;
	uint32_t limit = (uint32_t)ceil(POCKET_M2 / (f->cell_m * f->cell_m));
	f->flooded_count = 0;
	f->cell_count = 0;
	/* The frame has none. */
	const uint8_t *p = f->mask, *end = f->mask + (size_t)w * (size_t)h;
	for (; (p = memchr(p, 1, (size_t)(end - p))) != NULL; p++) {
		uint32_t i = (uint32_t)(p - f->mask);
		const uint32_t next[4] = {i - 1, i + 1, i - (uint32_t)w, i + (uint32_t)w};
		bool big = false;
		for (int k = 0; k < 4 && !big; k++)
			big = f->unknown[next[k]] && is_big(f, next[k], limit);
		f->edge[i] = big;
		if (big)
			f->sorted[f->cell_count++].index = i;
	}
	for (uint32_t i = 0; i < f->flooded_count; i++)
		f->flood[f->flooded[i]] = FLOOD_NEW;
}

/* Joins cells that touch (8 neighbours) into one piece, starting at seed; its number of cells. */
static uint32_t flood_piece(struct cairn_frontier_finder *f, uint32_t seed, uint32_t piece)
{
	const int32_t w = f->wave.width, step[8] = {-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1};
	const uint8_t *const edge = f->edge;
	uint32_t *const label = f->label, *const queue = f->queue, count = 0;
	queue[count++] = seed;
	label[seed] = piece;
	for (uint32_t next = 0; next < count; next++) {
		for (int k = 0; k < 8; k++) {
			uint32_t to = (uint32_t)((int32_t)queue[next] + step[k]);
			if (!edge[to] || label[to] != NONE)
				continue;
			label[to] = piece;
			queue[count++] = to;
		}
	}
	return count;
}

static void find_pieces(struct cairn_frontier_finder *f)
{
	size_t count = 0;
	f->piece_count = 0;
	for (size_t k = 0; k < f->cell_count; k++) {
		uint32_t seed = f->sorted[k].index;
		if (f->label[seed] != NONE)
			continue;
		uint32_t touching = flood_piece(f, seed, f->piece_count);
		for (uint32_t i = 0; i < touching; i++)
			f->cells[count++] =
			    (struct cairn_frontier_cell){.index = f->queue[i], .cluster = f->piece_count};
		f->parent[f->piece_count] = f->piece_count;
		f->piece_count++;
	}
	for (size_t k = 0; k < count; k++)
		f->edge[f->cells[k].index] = 0;
}

static uint32_t root_of(uint32_t *parent, uint32_t at)
{
	while (parent[at] != at) {
		parent[at] = parent[parent[at]];
		at = parent[at];
	}
	return at;
}

/* Two cells of different pieces, reached from each other over free floor: one opening when they are near
 * enough. */
static void link_cells(struct cairn_frontier_finder *f, uint32_t a, uint32_t b, double reach2)
{
	uint32_t w = (uint32_t)f->wave.width, p = f->cells[a].index, q = f->cells[b].index;
	double dx = (double)(p % w) - (double)(q % w), dy = (double)(p / w) - (double)(q / w);
	if (dx * dx + dy * dy > reach2)
		return;
	uint32_t i = root_of(f->parent, f->cells[a].cluster), k = root_of(f->parent, f->cells[b].cluster);
	if (i != k)
		f->parent[i > k ? i : k] = i > k ? k : i;
}

/* Which of the first `ways` neighbours are free floor that does not have the cell's own label. Without
 * branches: they cannot be guessed. */
static inline unsigned others_beside(
    const uint8_t *cell, const uint32_t *label, uint32_t at, const int32_t step[8], int ways)
{
	unsigned others = 0;
	for (int k = 0; k < ways; k++) {
		uint32_t to = (uint32_t)((int32_t)at + step[k]);
		others |= (unsigned)((cell[to] == CAIRN_WAVEFRONT_FREE) & (label[to] != label[at])) << k;
	}
	return others;
}

/* Spreads all cells over the free floor at once, in octagons (rings of eight and of four neighbours by
 * turns), as far as two that are LINK_M apart need to meet. Returns how many labels are set. */
static size_t link_pieces(struct cairn_frontier_finder *f)
{
	const int32_t w = f->wave.width, step[8] = {1, -1, w, -w, w + 1, w - 1, -w + 1, -w - 1};
	const uint8_t *const cell = f->wave.cell;
	uint32_t *const label = f->label, *const queue = f->queue;
	double reach = LINK_M / f->cell_m + 1e-6;
	size_t end = 0, from = 0;
	for (size_t i = 0; i < f->cell_count; i++) {
		f->label[f->cells[i].index] = (uint32_t)i;
		f->queue[end++] = f->cells[i].index;
	}
	int rings = (int)ceil(0.5 * reach) + 1;
	for (int ring = 0; ring < rings; ring++) {
		size_t ring_end = end;
		const int ways = ring % 2 == 0 ? 8 : 4;
		for (; from < ring_end; from++) {
			const uint32_t at = queue[from], mine = label[at], cluster = f->cells[mine].cluster;
			for (unsigned left = others_beside(cell, label, at, step, ways); left != 0;
			     left &= left - 1) {
				uint32_t to = (uint32_t)((int32_t)at + step[__builtin_ctz(left)]),
					 other = label[to];
				if (other == NONE) {
					label[to] = mine;
					queue[end++] = to;
				} else if (f->cells[other].cluster != cluster) {
					link_cells(f, mine, other, reach * reach);
				}
			}
		}
	}
	return end;
}

static int by_cluster(const void *a, const void *b)
{
	const struct cairn_frontier_cell *p = a, *q = b;
	if (p->cluster != q->cluster)
		return p->cluster < q->cluster ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

void cairn_frontier_join(struct cairn_frontier_finder *f)
{
	find_pieces(f);
	size_t labels = link_pieces(f);
	for (size_t i = 0; i < f->cell_count; i++) {
		f->sorted[i] = f->cells[i];
		f->sorted[i].cluster = root_of(f->parent, f->cells[i].cluster);
	}
	for (size_t i = 0; i < labels; i++)
		f->label[f->queue[i]] = NONE;
	if (f->cell_count > 0)
		qsort(f->sorted, f->cell_count, sizeof(f->sorted[0]), by_cluster);
}

void cairn_frontier_cells(struct cairn_frontier_finder *f)
{
	drop_pockets(f);
	cairn_frontier_join(f);
}
