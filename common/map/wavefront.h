/* wavefront.h - clearance and path distance over the known free floor.
 *
 * Works on a window of the grid with one byte a cell (enum cairn_wavefront_cell). Clearance is the exact Euclidean
 * distance between cell centres to the nearest occupied cell, up to a bound; where the window changes in a
 * part, only that part is computed anew.
 *
 * Distance is that of an 8-connected wavefront over single cells with integer steps 5 and 7 (1 % off the
 * octile distance; Borgefors 1986). It is found row by row: each takes over what the row before it tells,
 * many cells at a time, down the window and up again until nothing becomes nearer (Rosenfeld and Pfaltz 1966,
 * as far as something changed). Along a row only what lies behind a corner is told by the cells beside it.
 *
 * Of a large window the wave may spread over blocks of 2 x 2 cells instead. A block leads to a neighbour only
 * where an open cell of the one touches an open cell of the other, so exactly the same cells are reached.
 * Their distances are those between the blocks, at most 3 % and 4 cells off (the test's bound for rooms with
 * doors; a slanting way one cell wide can seem 43 % longer). */
#ifndef CAIRN_COMMON_MAP_WAVEFRONT_H
#define CAIRN_COMMON_MAP_WAVEFRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cairn_wavefront_cell {
	CAIRN_WAVEFRONT_UNKNOWN,
	CAIRN_WAVEFRONT_FREE,
	CAIRN_WAVEFRONT_UNSURE,
	CAIRN_WAVEFRONT_OCCUPIED
};

#define CAIRN_WAVEFRONT_STEP 5
#define CAIRN_WAVEFRONT_FAR 0xFF00 /* of a way: not reached, or too far to be told from that (13 000 cells) */
#define CAIRN_WAVEFRONT_BLOCK 32   /* columns that are worked on at once */
#define CAIRN_WAVEFRONT_NEVER UINT32_MAX
#define CAIRN_WAVEFRONT_DRIVEN2 5 /* squared cells; with less the wavefront might leak through a thin wall */

/* Window cells [x0, x1] x [y0, y1]. */
struct cairn_wavefront_box {
	int32_t x0, y0, x1, y1;
};

/* Blocks of columns [lo, hi]; none when hi < lo. */
struct cairn_wavefront_span {
	int32_t lo, hi;
};

struct cairn_wavefront {
	int32_t width, height;
	int32_t halved;       /* 1: in blocks */
	int32_t stride, rows; /* of what follows open; the stride is a multiple of CAIRN_WAVEFRONT_BLOCK */
	size_t capacity;      /* cells there is memory for */
	uint8_t *cell;        /* filled by the caller */
	uint8_t *driven;      /* 1: the robot has been there; filled by the caller, all 0 after a resize */
	int16_t *clearance2;  /* squared cells; bound2 + 1 or more = farther than the bound */
	int16_t *row2;        /* scratch */
	uint8_t *open;        /* may be entered */
	uint8_t *block;       /* which cells of a block may be */
	int8_t *shut;         /* of cells: negative where they may not be entered */
	uint8_t *hint;        /* of cells: where a corner is; of blocks: the neighbours they lead to */
	uint16_t *way;        /* distance in steps' fifths, of cells or blocks; CAIRN_WAVEFRONT_FAR */
	struct cairn_wavefront_span
	    *news[2]; /* of each row, what the one below and the one above have not seen */
	int32_t row_capacity;
	int need2;      /* of the last spread, squared cells */
	bool told;      /* set by a caller that tells of every change: what is marked is kept */
	int kept_need2; /* what it was marked for; 0: for nothing */
	struct cairn_wavefront_box stale; /* what has changed since */
};

void cairn_wavefront_init(struct cairn_wavefront *wave);
void cairn_wavefront_free(struct cairn_wavefront *wave);

/* Makes room for width x height cells, not halved; contents are undefined after, but for driven. False
 * without memory. */
bool cairn_wavefront_resize(struct cairn_wavefront *wave, int32_t width, int32_t height);

/* Whether the next spreads go over blocks; a window less than four cells wide or high is never halved. */
void cairn_wavefront_halve(struct cairn_wavefront *wave, bool halve);

/* Fills clearance2 from cell; bound_cells up to 100. */
void cairn_wavefront_clearances(struct cairn_wavefront *wave, int bound_cells);

/* The same after a change of the cells in box alone. */
void cairn_wavefront_clearances_in(
    struct cairn_wavefront *wave, int bound_cells, struct cairn_wavefront_box box);

/* Says that driven has changed in box; for a caller that is told. */
void cairn_wavefront_driven_in(struct cairn_wavefront *wave, struct cairn_wavefront_box box);

/* Spreads from cell (x, y) over free cells with clearance2 >= need2, or where the robot has been before. A
 * start without that clearance first escapes over free cells (never diagonally, so never through a wall) to
 * those that have it, at most escape_cells away (up to 30): a robot that stands too near to something can
 * still leave; that bit is not counted. */
void cairn_wavefront_spread(struct cairn_wavefront *wave, int32_t x, int32_t y, int need2, int escape_cells);

/* Of a cell's way. The arrays begin with a block of their own, so that each cell has one to its left. */
static inline size_t cairn_wavefront_index(const struct cairn_wavefront *wave, int32_t x, int32_t y)
{
	int32_t s = wave->halved;
	return CAIRN_WAVEFRONT_BLOCK + (size_t)((y + s) >> s) * (size_t)wave->stride + (size_t)((x + s) >> s);
}

/* Path distance of a cell from the start in fifths of a cell; CAIRN_WAVEFRONT_NEVER if it cannot be reached. */
static inline uint32_t cairn_wavefront_distance(const struct cairn_wavefront *wave, int32_t x, int32_t y)
{
	uint32_t way = wave->way[cairn_wavefront_index(wave, x, y)];
	if (way >= CAIRN_WAVEFRONT_FAR ||
	    (wave->halved && !wave->open[(size_t)y * (size_t)wave->width + (size_t)x]))
		return CAIRN_WAVEFRONT_NEVER;
	return way << wave->halved;
}

#endif
