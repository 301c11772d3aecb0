/* edt.h - exact Euclidean distance transform of a binary grid.
 *
 * Two passes of the lower envelope of parabolas (Felzenszwalb & Huttenlocher 2012, "Distance Transforms of
 * Sampled Functions", Theory of Computing 8). The first pass needs no envelope because the function is 0 or
 * infinite: it counts cells along columns. Distances are between cell centres, in cells. */
#ifndef CAIRN_COMMON_MAP_EDT_H
#define CAIRN_COMMON_MAP_EDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Written everywhere when no cell is set. */
#define CAIRN_EDT_FAR 1e6f

/* Scratch rows; zero-initialised is valid. Grows only. */
struct cairn_edt {
	int columns;              /* room for rows of this many cells */
	int32_t *site;            /* column of each parabola of the envelope */
	int32_t *from;            /* last column before it is the lowest */
	double *height;           /* its value at column 0: g^2 + column^2 */
	float *squared;           /* result for the row in hand */
	float *row;               /* the row in hand, where it is overwritten */
	int16_t *column2, *best2; /* near obstacles: g^2 of the row in hand, and the result */
	double *half_inv;         /* 1 / (2 i) */
};

/* Room for grids of up to columns columns. 0 or -ENOMEM (what there was stays usable). */
int cairn_edt_reserve(struct cairn_edt *edt, int columns);
void cairn_edt_free(struct cairn_edt *edt);

/* dist[y * dist_stride + x] = distance of (x, y) to the nearest cell with (cells[..] & mask) != 0. Strides
 * are in elements. width must have been reserved. No allocation. */
void cairn_edt_compute(struct cairn_edt *edt, const uint8_t *cells, size_t cells_stride, uint8_t mask,
    int width, int height, float *dist, size_t dist_stride);

/* Lowers each of the distances in dist, in cells and to something else, to that of the nearest cell with
 * (cells[..] & mask) != 0 where that is nearer. scratch: width * height, contents do not matter. width must have been
 * reserved. */
void cairn_edt_lower(struct cairn_edt *edt, const uint8_t *cells, size_t cells_stride, uint8_t mask,
    int width, int height, float *scratch, float *dist, size_t dist_stride);

/* A grid whose distances are kept and brought up to date. All arrays are width * height, without gaps. */
struct cairn_edt_grid {
	const uint8_t *cells;
	uint8_t mask;
	int width, height;
	float *column;     /* distances along columns, kept between calls */
	float *row_max;    /* height values: largest distance of each row, kept between calls */
	float *dist;       /* the result */
	float *scratch;    /* contents do not matter */
	bool *row_changed; /* height values: was this row of dist written? */
};

/* After cells changed in columns x0 <= x < x1 only: the same distances as cairn_edt_compute makes, at the
 * cost of those columns and of the rows whose distances along columns changed. all: every row is made anew
 * (then x0, x1 must be the whole width). Returns how many rows were. */
int cairn_edt_update(struct cairn_edt *edt, const struct cairn_edt_grid *grid, int x0, int x1, bool all);

#endif
