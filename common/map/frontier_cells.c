#include "common/map/frontier_parts.h"

#include <stdlib.h>
#include <string.h>

#define POCKET_M2 0.15 /* smaller enclosed unknown is not worth a look */
#define LINK_M 0.5     /* pieces with no more free floor than this between them are one opening */
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

/* Takes away what is narrower than 2 reach + 1 cells (a morphological opening by a square). */
static void open_mask(struct cairn_frontier_finder *f, uint8_t *mask, int reach)
{
	int32_t w = f->wave.width, h = f->wave.height;
	filter_rows(mask, f->scratch, w, h, reach, false);
	filter_columns(f->scratch, mask, w, h, reach, false);
	filter_rows(mask, f->scratch, w, h, reach, true);
	filter_columns(f->scratch, mask, w, h, reach, true);
}

/* The unknown without its slits; then the floor, with those slits, without its own narrow strips: a look into
 * the gap between two cupboards opens nothing that the robot could enter. */
static void open_both(struct cairn_frontier_finder *f, int reach)
{
	size_t n = (size_t)f->wave.width * (size_t)f->wave.height;
	for (size_t i = 0; i < n; i++)
		f->unknown[i] = f->wave.cell[i] == CAIRN_WAVE_UNKNOWN;
	open_mask(f, f->unknown, reach);
	for (size_t i = 0; i < n; i++)
		f->floor[i] = (uint8_t)((f->wave.cell[i] == CAIRN_WAVE_FREE) |
					((f->wave.cell[i] == CAIRN_WAVE_UNKNOWN) & (f->unknown[i] == 0)));
	open_mask(f, f->floor, reach);
}

static void mark_cells(struct cairn_frontier_finder *f)
{
	int32_t w = f->wave.width, h = f->wave.height;
	memset(f->mask, 0, (size_t)w * (size_t)h);
	for (int32_t y = 1; y < h - 1; y++) {
		size_t row = (size_t)y * (size_t)w;
		const uint8_t *cell = f->wave.cell + row, *u = f->unknown + row, *floor = f->floor + row;
		uint8_t *restrict mask = f->mask + row;
		for (int32_t x = 1; x < w - 1; x++)
			mask[x] = (uint8_t)((cell[x] == CAIRN_WAVE_FREE) & floor[x] &
					    (u[x - 1] | u[x + 1] | u[x - w] | u[x + w]));
	}
}

/* Is the unknown at this cell more than an enclosed pocket? Floods at most limit cells; the answer is kept in
 * scratch. */
static bool is_big(struct cairn_frontier_finder *f, uint32_t seed, uint32_t limit)
{
	if (f->scratch[seed] != FLOOD_NEW)
		return f->scratch[seed] == FLOOD_BIG;
	int32_t w = f->wave.width, h = f->wave.height;
	const int32_t step_x[4] = {1, -1, 0, 0}, step_y[4] = {0, 0, 1, -1};
	uint32_t count = 0, next = 0;
	bool big = false;
	f->queue[count++] = seed;
	f->scratch[seed] = FLOOD_NOW;
	while (next < count && !big) {
		uint32_t at = f->queue[next++];
		int32_t x = (int32_t)(at % (uint32_t)w), y = (int32_t)(at / (uint32_t)w);
		big = count >= limit || x == 0 || y == 0 || x == w - 1 || y == h - 1;
		for (int k = 0; k < 4 && !big; k++) {
			uint32_t to = (uint32_t)(y + step_y[k]) * (uint32_t)w + (uint32_t)(x + step_x[k]);
			if (!f->unknown[to] || f->scratch[to] == FLOOD_NOW)
				continue;
			big = f->scratch[to] == FLOOD_BIG;
			f->scratch[to] = FLOOD_NOW;
			f->queue[count++] = to;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		f->scratch[f->queue[i]] = big ? FLOOD_BIG : FLOOD_SMALL;
	return big;
}

/* Takes away the cells that only touch pockets. */
static void drop_pockets(struct cairn_frontier_finder *f)
{
	int32_t w = f->wave.width, h = f->wave.height;
	uint32_t limit = (uint32_t)ceil(POCKET_M2 / (f->cell_m * f->cell_m));
	memset(f->scratch, FLOOD_NEW, (size_t)w * (size_t)h);
	for (int32_t y = 1; y < h - 1; y++) {
		const uint8_t *row = f->mask + (size_t)y * (size_t)w;
		for (const uint8_t *p = row; (p = memchr(p, 1, (size_t)(row + w - p))) != NULL; p++) {
			uint32_t i = (uint32_t)(p - f->mask);
			const uint32_t next[4] = {i - 1, i + 1, i - (uint32_t)w, i + (uint32_t)w};
			bool big = false;
			for (int k = 0; k < 4 && !big; k++)
				big = f->unknown[next[k]] && is_big(f, next[k], limit);
			f->mask[i] = big;
		}
	}
}

/* Joins cells that touch (8 neighbours) into one piece, starting at seed; its number of cells. */
static uint32_t flood_piece(struct cairn_frontier_finder *f, uint32_t seed, uint32_t piece)
{
	int32_t w = f->wave.width;
	uint32_t count = 0;
	f->queue[count++] = seed;
	f->label[seed] = piece;
	for (uint32_t next = 0; next < count; next++) {
		for (int32_t dy = -1; dy <= 1; dy++) {
			for (int32_t dx = -1; dx <= 1; dx++) {
				uint32_t to = (uint32_t)((int32_t)f->queue[next] + dy * w + dx);
				if (!f->mask[to] || f->label[to] != NONE)
					continue;
				f->label[to] = piece;
				f->queue[count++] = to;
			}
		}
	}
	return count;
}

static void find_pieces(struct cairn_frontier_finder *f)
{
	int32_t w = f->wave.width, h = f->wave.height;
	memset(f->label, 0xFF, (size_t)w * (size_t)h * sizeof(*f->label));
	f->cell_count = 0;
	f->piece_count = 0;
	for (int32_t y = 1; y < h - 1; y++) {
		const uint8_t *row = f->mask + (size_t)y * (size_t)w;
		for (const uint8_t *p = row; (p = memchr(p, 1, (size_t)(row + w - p))) != NULL; p++) {
			uint32_t seed = (uint32_t)(p - f->mask);
			if (f->label[seed] != NONE)
				continue;
			uint32_t count = flood_piece(f, seed, f->piece_count);
			for (uint32_t i = 0; i < count; i++)
				f->cells[f->cell_count++] = (struct cairn_frontier_cell){
				    .index = f->queue[i], .cluster = f->piece_count};
			f->parent[f->piece_count] = f->piece_count;
			f->piece_count++;
		}
	}
}

static uint32_t root_of(uint32_t *parent, uint32_t at)
{
	while (parent[at] != at) {
		parent[at] = parent[parent[at]];
		at = parent[at];
	}
	return at;
}

/* Spreads all pieces over the free floor at once; pieces that meet are one opening. */
static void link_pieces(struct cairn_frontier_finder *f)
{
	int32_t w = f->wave.width;
	size_t end = 0, from = 0;
	for (size_t i = 0; i < f->cell_count; i++)
		f->queue[end++] = f->cells[i].index;
	int rings = (int)floor(0.5 * LINK_M / f->cell_m);
	for (int ring = 0; ring < rings; ring++) {
		size_t ring_end = end;
		for (; from < ring_end; from++) {
			uint32_t at = f->queue[from], mine = f->label[at];
			const uint32_t next[4] = {at - 1, at + 1, at - (uint32_t)w, at + (uint32_t)w};
			for (int k = 0; k < 4; k++) {
				uint32_t to = next[k];
				if (f->wave.cell[to] != CAIRN_WAVE_FREE)
					continue;
				if (f->label[to] == NONE) {
					f->label[to] = mine;
					f->queue[end++] = to;
					continue;
				}
				uint32_t a = root_of(f->parent, mine), b = root_of(f->parent, f->label[to]);
				if (a != b)
					f->parent[a > b ? a : b] = a > b ? b : a;
			}
		}
	}
}

static int by_cluster(const void *a, const void *b)
{
	const struct cairn_frontier_cell *p = a, *q = b;
	if (p->cluster != q->cluster)
		return p->cluster < q->cluster ? -1 : 1;
	return p->index < q->index ? -1 : p->index > q->index;
}

bool cairn_frontier_cells(struct cairn_frontier_finder *f, double min_width_m)
{
	int reach = (int)floor((min_width_m / f->cell_m - 1.0) / 2.0);
	open_both(f, reach < 0 ? 0 : reach > 5 ? 5 : reach);
	mark_cells(f);
	drop_pockets(f);
	find_pieces(f);
	link_pieces(f);
	for (size_t i = 0; i < f->cell_count; i++) {
		f->cells[i].cluster = root_of(f->parent, f->cells[i].cluster);
		f->sorted[i] = f->cells[i];
	}
	if (f->cell_count > 0)
		qsort(f->sorted, f->cell_count, sizeof(f->sorted[0]), by_cluster);
	return true;
}
