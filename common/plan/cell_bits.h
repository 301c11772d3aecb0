/* cell_bits.h - the obstacle cells of a costmap as bits, so that a search can ask about 64 of them at
 * once. */
#ifndef CAIRN_COMMON_PLAN_CELL_BITS_H
#define CAIRN_COMMON_PLAN_CELL_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan/costmap.h"

#define CAIRN_CELL_BITS_MARGIN                                                                               \
	31 /* cells around the map that may be asked about; nothing is there                                 \
	    */

/* Zero-initialised is valid. */
struct cairn_cell_bits {
	uint64_t *rows; /* a margin on all sides, and a word more at the end of each */
	size_t row_words, capacity;
};

/* Takes the cells that have one of the CAIRN_CELL_* bits of `kind` now. 0 or -ENOMEM (nothing may be asked
 * then). */
int cairn_cell_bits_take(struct cairn_cell_bits *b, const struct cairn_costmap *cm, uint8_t kind);
void cairn_cell_bits_free(struct cairn_cell_bits *b);

/* Cells x to x + 63 of row y, the first in the lowest bit; x and y may be in the margin. */
static inline uint64_t cairn_cell_bits_from(const struct cairn_cell_bits *b, int x, int y)
{
	size_t bit = (size_t)(x + CAIRN_CELL_BITS_MARGIN), shift = bit % 64;
	const uint64_t *word = b->rows + (size_t)(y + CAIRN_CELL_BITS_MARGIN) * b->row_words + bit / 64;
	return word[0] >> shift | (shift > 0 ? word[1] << (64 - shift) : 0);
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
