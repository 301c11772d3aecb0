/* obstacle_bits.h - the obstacle cells of a costmap as bits, so that a search can ask about 64 of them at
 * once. */
#ifndef CAIRN_COMMON_PLAN_OBSTACLE_BITS_H
#define CAIRN_COMMON_PLAN_OBSTACLE_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "common/plan/costmap.h"

#define CAIRN_OBSTACLE_BITS_MARGIN                                                                           \
	31 /* cells around the map that may be asked about; nothing stands there                             \
	    */

/* Zero-initialised is valid. */
struct cairn_obstacle_bits {
	uint64_t *rows; /* a margin on all sides, and a word more at the end of each */
	size_t row_words, capacity;
};

/* Takes the obstacles that the costmap has now. 0 or -ENOMEM (nothing may be asked then). */
int cairn_obstacle_bits_take(struct cairn_obstacle_bits *b, const struct cairn_costmap *cm);
void cairn_obstacle_bits_free(struct cairn_obstacle_bits *b);

/* Cells x to x + 63 of row y, the first in the lowest bit; x and y may be in the margin. */
static inline uint64_t cairn_obstacle_bits_from(const struct cairn_obstacle_bits *b, int x, int y)
{
	size_t bit = (size_t)(x + CAIRN_OBSTACLE_BITS_MARGIN), shift = bit % 64;
	const uint64_t *word = b->rows + (size_t)(y + CAIRN_OBSTACLE_BITS_MARGIN) * b->row_words + bit / 64;
	return word[0] >> shift | (shift > 0 ? word[1] << (64 - shift) : 0);
}

/* cairn_costmap_fits for those who ask often: by the bits taken of the same costmap, and with the cosine and
 * sine of the yaw. Same answers. */
bool cairn_costmap_fits_bits(const struct cairn_costmap *cm, const struct cairn_obstacle_bits *bits,
    double x_m, double y_m, double c, double s, const struct cairn_rect *rect);

#endif
