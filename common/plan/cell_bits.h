/* cell_bits.h - the obstacle cells of a costmap as bits, so that a search can ask about 64 of them at
 * once. */
#ifndef CAIRN_COMMON_PLAN_CELL_BITS_H
#define CAIRN_COMMON_PLAN_CELL_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/plan/costmap.h"

#define CAIRN_CELL_BITS_MARGIN                                                                               \
	31 /* cells around the map that may be asked about; nothing is there                                 \
	    */

#define CAIRN_CELL_BITS_LEFT                                                                                 \
	32 /* bits before the first cell of a row: whole bytes, and no less than the margin */
#define CAIRN_CELL_BITS_SPARE 8 /* rows above the margin, for those who read several at once */

/* Zero-initialised is valid. */
struct cairn_cell_bits {
	uint64_t *words; /* of 64 cells of a row, those of the rows above next to it; a margin on all sides,
			    and a column more */
	size_t rows;     /* words a column */
	size_t capacity;
};

/* Takes the memory that this costmap needs. 0 or -ENOMEM (what there was stays). */
int cairn_cell_bits_reserve(struct cairn_cell_bits *b, const struct cairn_costmap *cm);
/* Takes the cells that have one of the CAIRN_CELL_* bits of `kind` now. 0 or -ENOMEM (nothing may be asked
 * then). */
int cairn_cell_bits_take(struct cairn_cell_bits *b, const struct cairn_costmap *cm, uint8_t kind);
void cairn_cell_bits_free(struct cairn_cell_bits *b);

/* Cells x to x + 63 of n rows from y on, the first in the lowest bit; x and y may be in the margin, and the
 * last rows CAIRN_CELL_BITS_SPARE above it. */
static inline void cairn_cell_bits_rows(
    const struct cairn_cell_bits *b, int x, int y, int n, uint64_t *restrict ret_rows)
{
	const size_t bit = (size_t)(x + CAIRN_CELL_BITS_LEFT), shift = bit % 64;
	const uint64_t *restrict word = b->words + bit / 64 * b->rows + (size_t)(y + CAIRN_CELL_BITS_MARGIN);
	const uint64_t *restrict next = word + b->rows;
	for (int i = 0; i < n; i++)
		ret_rows[i] = word[i] >> shift | next[i] << 1 << (63 - shift);
}

/* The same of row y alone. */
static inline uint64_t cairn_cell_bits_from(const struct cairn_cell_bits *b, int x, int y)
{
	uint64_t row;
	cairn_cell_bits_rows(b, x, y, 1, &row);
	return row;
}

typedef uint64_t cairn_bits4 __attribute__((vector_size(32)));
typedef uint32_t cairn_half_bits4 __attribute__((vector_size(16)));

static inline bool cairn_half_bits_any(cairn_half_bits4 v)
{
	uint64_t two[2];
	memcpy(two, &v, sizeof(two));
	return (two[0] | two[1]) != 0;
}

/* The first 32 cells of four rows as cairn_cell_bits_rows has them. */
static inline void cairn_cell_bits_four(
    const struct cairn_cell_bits *b, int x, int y, cairn_half_bits4 *ret_rows)
{
	const uint64_t bit = (uint64_t)(x + CAIRN_CELL_BITS_LEFT), shift = bit % 64;
	const uint64_t *word = b->words + bit / 64 * b->rows + (size_t)(y + CAIRN_CELL_BITS_MARGIN);
	cairn_bits4 here, next;
	memcpy(&here, word, sizeof(here));
	memcpy(&next, word + b->rows, sizeof(next));
	*ret_rows = __builtin_convertvector(here >> shift | next << 1 << (63 - shift), cairn_half_bits4);
}

/* The lowest n bits, n > 0; all when there are no more. */
static inline uint64_t cairn_cell_bits_first(int n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

/* cairn_costmap_fits for those who ask often: by the bits taken of the same costmap, and with the cosine and
 * sine of the yaw. Same answers. */
bool cairn_costmap_fits_bits(const struct cairn_costmap *cm, const struct cairn_cell_bits *bits, double x_m,
    double y_m, double c, double s, const struct cairn_rect *rect);

#endif
