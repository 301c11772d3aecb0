#include "common/map/wavefront_private.h"

#include <stdlib.h>
#include <string.h>

void cairn_wavefront_init(struct cairn_wavefront *wave)
{
	*wave = (struct cairn_wavefront){0};
}

static void free_arrays(struct cairn_wavefront *wave)
{
	free(wave->cell);
	free(wave->driven);
	free(wave->clearance2);
	free(wave->row2);
	free(wave->open);
	free(wave->block);
	free(wave->shut);
	free(wave->hint);
	free(wave->way);
	free(wave->news[0]);
	free(wave->news[1]);
	wave->capacity = 0;
	wave->row_capacity = 0;
}

void cairn_wavefront_free(struct cairn_wavefront *wave)
{
	free_arrays(wave);
	*wave = (struct cairn_wavefront){0};
}

static int32_t whole_blocks(int32_t columns)
{
	return (columns + CAIRN_WAVEFRONT_BLOCK - 1) / CAIRN_WAVEFRONT_BLOCK * CAIRN_WAVEFRONT_BLOCK;
}

/* Arrays of their own for rows that are filled up, with a block before and after. */
static bool take_memory(struct cairn_wavefront *wave, size_t room, int32_t rows)
{
	size_t padded = room + (size_t)2 * CAIRN_WAVEFRONT_BLOCK;
	free_arrays(wave);
	wave->cell = malloc(room);
	wave->driven = malloc(room);
	wave->clearance2 = malloc(room * sizeof(*wave->clearance2));
	wave->row2 = malloc(room * sizeof(*wave->row2));
	wave->open = malloc(room);
	wave->block = malloc(room);
	wave->shut = malloc(padded);
	wave->hint = malloc(padded);
	wave->way = malloc(padded * sizeof(*wave->way));
	for (int k = 0; k < 2; k++)
		wave->news[k] = malloc((size_t)rows * sizeof(*wave->news[k]));
	wave->capacity = room;
	wave->row_capacity = rows;
	return wave->cell != NULL && wave->driven != NULL && wave->clearance2 != NULL && wave->row2 != NULL &&
	       wave->open != NULL && wave->block != NULL && wave->shut != NULL && wave->hint != NULL &&
	       wave->way != NULL && wave->news[0] != NULL && wave->news[1] != NULL;
}

bool cairn_wavefront_resize(struct cairn_wavefront *wave, int32_t width, int32_t height)
{
	size_t cells = (size_t)whole_blocks(width) * (size_t)height;
	if ((cells > wave->capacity || height > wave->row_capacity) &&
	    !take_memory(wave, cells + cells / 2, height + height / 2)) {
		wave->capacity = 0;
		return false;
	}
	wave->width = width;
	wave->height = height;
	wave->halved = 0;
	wave->kept_need2 = 0;
	memset(wave->driven, 0, (size_t)width * (size_t)height);
	return true;
}

void cairn_wavefront_halve(struct cairn_wavefront *wave, bool halve)
{
	wave->kept_need2 = 0;
	wave->halved =
	    halve && wave->width >= 4 && wave->height >= 4; /* else blocks and frame are no fewer */
}

static int16_t min16(int16_t a, int16_t b)
{
	return a < b ? a : b;
}

/* Squared distance along one row, columns x0 to x1, to the nearest occupied cell; far beyond bound. Occupied
 * cells are few: each is stamped into its surroundings. */
static void row_distances(
    const uint8_t *cell, int16_t *out, int32_t x0, int32_t x1, int32_t width, int32_t bound, int16_t far)
{
	for (int32_t x = x0; x <= x1; x++)
		out[x] = far;
	int32_t from = x0 < bound ? 0 : x0 - bound, to = x1 + bound >= width ? width - 1 : x1 + bound;
	const uint8_t *end = cell + to + 1;
	for (const uint8_t *p = cell + from; p < end; p++) {
		p = memchr(p, CAIRN_WAVEFRONT_OCCUPIED, (size_t)(end - p));
		if (p == NULL)
			break;
		int32_t at = (int32_t)(p - cell);
		int32_t lo = at - bound < x0 ? x0 : at - bound, hi = at + bound > x1 ? x1 : at + bound;
		if (at > from && cell[at - 1] == CAIRN_WAVEFRONT_OCCUPIED)
			lo = at < x0 ? x0 : at; /* the one before has done that side */
		for (int32_t x = lo; x <= hi; x++)
			out[x] = min16(out[x], (int16_t)((x - at) * (x - at)));
	}
}

static int32_t clip(int32_t v, int32_t end)
{
	return v < 0 ? 0 : v > end ? end : v;
}

static void add_stale(struct cairn_wavefront *wave, struct cairn_wavefront_box box)
{
	struct cairn_wavefront_box *s = &wave->stale;
	s->x0 = box.x0 < s->x0 ? box.x0 : s->x0;
	s->y0 = box.y0 < s->y0 ? box.y0 : s->y0;
	s->x1 = box.x1 > s->x1 ? box.x1 : s->x1;
	s->y1 = box.y1 > s->y1 ? box.y1 : s->y1;
}

void cairn_wavefront_driven_in(struct cairn_wavefront *wave, struct cairn_wavefront_box box)
{
	add_stale(wave, box);
}

/* Those of a row between two columns from what the rows up to bound away tell, the two at each distance
 * together. */
static void clearances_of(const struct cairn_wavefront *wave, int32_t y, int32_t x0, int32_t x1, int bound)
{
	const ptrdiff_t w = wave->width;
	const int32_t count = x1 - x0 + 1;
	int16_t *restrict out = wave->clearance2 + y * w + x0;
	const int16_t *row2 = wave->row2 + y * w + x0;
	memcpy(out, row2, (size_t)count * sizeof(*out));
	for (int32_t k = 1; k <= bound; k++) {
		bool above = y - k >= 0, below = y + k < wave->height;
		if (!above && !below)
			return;
		/* At the window's edge twice the one there is. */
		const int16_t *restrict a = row2 + (above ? -k : k) * w;
		const int16_t *restrict b = row2 + (below ? k : -k) * w;
		const int16_t add = (int16_t)(k * k);
		for (int32_t x = 0; x < count; x++)
			out[x] = min16(out[x], (int16_t)(min16(a[x], b[x]) + add));
	}
}

void cairn_wavefront_clearances_in(
    struct cairn_wavefront *wave, int bound_cells, struct cairn_wavefront_box box)
{
	int32_t w = wave->width, h = wave->height;
	int16_t far = (int16_t)(bound_cells * bound_cells + 1);
	int32_t x0 = clip(box.x0 - bound_cells, w - 1), x1 = clip(box.x1 + bound_cells, w - 1);
	int32_t y0 = clip(box.y0 - bound_cells, h - 1), y1 = clip(box.y1 + bound_cells, h - 1);
	add_stale(wave, (struct cairn_wavefront_box){x0, y0, x1, y1});
	/* The rows of the box itself are measured anew; those beside it are as they were. */
	for (int32_t y = clip(box.y0, h - 1); y <= clip(box.y1, h - 1); y++)
		row_distances(wave->cell + (size_t)y * (size_t)w, wave->row2 + (size_t)y * (size_t)w, x0, x1,
		    w, bound_cells, far);
	for (int32_t y = y0; y <= y1; y++)
		clearances_of(wave, y, x0, x1, bound_cells);
}

void cairn_wavefront_clearances(struct cairn_wavefront *wave, int bound_cells)
{
	cairn_wavefront_clearances_in(
	    wave, bound_cells, (struct cairn_wavefront_box){0, 0, wave->width - 1, wave->height - 1});
}

static void mark_open(struct cairn_wavefront *wave, struct cairn_wavefront_box box)
{
	int32_t w = wave->width, h = wave->height;
	int16_t need2 = (int16_t)wave->need2,
		driven2 = need2 < CAIRN_WAVEFRONT_DRIVEN2 ? need2 : CAIRN_WAVEFRONT_DRIVEN2;
	for (int32_t y = box.y0; y <= box.y1; y++) {
		size_t row = (size_t)y * (size_t)w;
		const uint8_t *restrict cell = wave->cell + row, *restrict driven = wave->driven + row;
		const int16_t *restrict clearance2 = wave->clearance2 + row;
		uint8_t *restrict open = wave->open + row;
		for (int32_t x = box.x0; x <= box.x1; x++)
			open[x] =
			    (uint8_t)((cell[x] == CAIRN_WAVEFRONT_FREE) &
				      ((clearance2[x] >= need2) | (driven[x] & (clearance2[x] >= driven2))));
		open[0] = open[w - 1] = 0;
	}
	memset(wave->open, 0, (size_t)w);
	memset(wave->open + (size_t)(h - 1) * (size_t)w, 0, (size_t)w);
}

/* Which of their four cells may be entered: 1 and 2 in the upper row (in memory), 4 and 8 in the lower one.
 * Block (1, 1) begins at cell (1, 1), so that the frame of cells lies in blocks of its own or beside closed
 * ones. */
static void mark_fours(struct cairn_wavefront *wave, int32_t blocks_x, struct cairn_wavefront_box box)
{
	for (int32_t y = box.y0; y <= box.y1 && 2 * y < wave->height; y++) {
		const uint8_t *restrict upper = wave->open + (size_t)(2 * y - 1) * (size_t)wave->width;
		const uint8_t *restrict lower = upper + wave->width;
		uint8_t *restrict block = wave->block + (size_t)y * (size_t)blocks_x;
		for (int32_t x = box.x0; x <= box.x1 && 2 * x < wave->width; x++)
			block[x] = (uint8_t)(upper[2 * x - 1] | upper[2 * x] << 1 | lower[2 * x - 1] << 2 |
					     lower[2 * x] << 3);
	}
}

/* The ways out of a block: those by which an open cell of it touches one of the neighbour's, so that a chain
 * of blocks is a chain of cells (the four of a block touch each other). */
static unsigned ways_out(const uint8_t *at, ptrdiff_t w)
{
	enum { NW = 1, NE = 2, SW = 4, SE = 8, E = NE | SE, W = NW | SW, N = NW | NE, S = SW | SE };
	const unsigned c = *at;
	return (c & E && at[1] & W ? WAVE_E : 0) | (c & W && at[-1] & E ? WAVE_W : 0) |
	       (c & S && at[w] & N ? WAVE_S : 0) | (c & N && at[-w] & S ? WAVE_N : 0) |
	       (c & SE && at[w + 1] & NW ? WAVE_SE : 0) | (c & SW && at[w - 1] & NE ? WAVE_SW : 0) |
	       (c & NE && at[-w + 1] & SW ? WAVE_NE : 0) | (c & NW && at[-w - 1] & SE ? WAVE_NW : 0);
}

/* Cells that may not be entered, the frame and what fills the rows up are shut. Corners are those of the
 * cells in box and beside it. */
static void mark_cells(struct cairn_wavefront *wave, struct cairn_wavefront_box box)
{
	const int32_t w = wave->width, h = wave->height, x0 = clip(box.x0 - 2, w - 3) + 1,
		      x1 = clip(box.x1, w - 3) + 1;
	for (int32_t y = clip(box.y0 - 2, h - 3) + 1; y <= clip(box.y1, h - 3) + 1; y++) {
		const uint8_t *restrict at = wave->open + (size_t)y * (size_t)w;
		const uint8_t *n = at - w, *s = at + w;
		size_t row = cairn_wavefront_index(wave, 0, y);
		int8_t *restrict shut = wave->shut + row;
		uint8_t *restrict hint = wave->hint + row;
		for (int32_t x = x0; x <= x1; x++) {
			shut[x] = (int8_t)(at[x] - 1);
			uint8_t by_n = at[x] & (n[x] ^ 1), by_s = at[x] & (s[x] ^ 1);
			hint[x] = (uint8_t)((by_n & n[x - 1]) * WAVE_RIGHT_OF_N |
					    (by_n & n[x + 1]) * WAVE_LEFT_OF_N |
					    (by_s & s[x - 1]) * WAVE_RIGHT_OF_S |
					    (by_s & s[x + 1]) * WAVE_LEFT_OF_S);
		}
	}
}

/* The ways out of all blocks of the box's cells and their neighbours. */
static void mark_blocks(struct cairn_wavefront *wave, struct cairn_wavefront_box box)
{
	const int32_t w = wave->width / 2 + 2, h = wave->height / 2 + 2;
	struct cairn_wavefront_box b = {clip((box.x0 + 1) / 2 - 1, w - 3) + 1,
	    clip((box.y0 + 1) / 2 - 1, h - 3) + 1, clip((box.x1 + 1) / 2 - 1, w - 3) + 1,
	    clip((box.y1 + 1) / 2 - 1, h - 3) + 1};
	mark_fours(wave, w, b);
	for (int32_t y = b.y0 > 1 ? b.y0 - 1 : 1; y <= (b.y1 < h - 2 ? b.y1 + 1 : h - 2); y++)
		for (int32_t x = b.x0 > 1 ? b.x0 - 1 : 1; x <= (b.x1 < w - 2 ? b.x1 + 1 : w - 2); x++)
			wave->hint[CAIRN_WAVEFRONT_BLOCK + (size_t)y * (size_t)wave->stride + (size_t)x] =
			    (uint8_t)ways_out(wave->block + (size_t)y * (size_t)w + (size_t)x, w);
}

void wave_mark(struct cairn_wavefront *wave)
{
	const int32_t columns = wave->halved ? wave->width / 2 + 2 : wave->width;
	wave->rows = wave->halved ? wave->height / 2 + 2 : wave->height;
	wave->stride = whole_blocks(columns);
	const size_t cells = (size_t)wave->stride * (size_t)wave->rows + (size_t)2 * CAIRN_WAVEFRONT_BLOCK;
	if (!wave->told || wave->kept_need2 == 0 || wave->need2 != wave->kept_need2) {
		wave->stale = (struct cairn_wavefront_box){0, 0, wave->width - 1, wave->height - 1};
		memset(wave->shut, -1, cells);
		memset(wave->hint, 0, cells);
		if (wave->halved) /* the frame */
			memset(wave->block, 0, (size_t)columns * (size_t)wave->rows);
	}
	if (wave->stale.x1 >= wave->stale.x0) {
		mark_open(wave, wave->stale);
		if (wave->halved)
			mark_blocks(wave, wave->stale);
		else
			mark_cells(wave, wave->stale);
	}
	wave->kept_need2 = wave->need2;
	wave->stale = (struct cairn_wavefront_box){INT32_MAX, INT32_MAX, -1, -1};
	for (size_t i = 0; i < cells; i++)
		wave->way[i] = CAIRN_WAVEFRONT_FAR;
	for (int32_t y = 0; y < wave->rows; y++)
		wave->news[0][y] = wave->news[1][y] = (struct cairn_wavefront_span){INT32_MAX, -1};
}
