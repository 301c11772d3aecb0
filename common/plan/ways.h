/* ways.h - along which of four axes a robot that cannot go sideways may pass a cell.
 *
 * A gap that is wide enough for a disc may be too narrow for the footprint at any heading in which it could
 * drive through. A cell is passable along an axis when the footprint fits there at some heading within
 * CAIRN_WAYS_SPREAD_DEG of it, either way round. Worked out only where it is asked for, from obstacles kept
 * as bits. */
#ifndef CAIRN_COMMON_PLAN_WAYS_H
#define CAIRN_COMMON_PLAN_WAYS_H

#include "common/plan/costmap.h"

#define CAIRN_WAYS_HEADINGS 24
#define CAIRN_WAYS_SPREAD_DEG 30
#define CAIRN_WAYS_REACH                                                                                     \
	31 /* cells that the footprint may reach from its origin; beyond, all is passable                    \
	    */

enum cairn_way { CAIRN_WAY_X, CAIRN_WAY_RISING, CAIRN_WAY_Y, CAIRN_WAY_FALLING };

/* Cells of a row that the footprint covers: from x0 to x1 of the row dy away. */
struct cairn_ways_run {
	int8_t dy, x0, x1;
};

/* Zero-initialised is valid. */
struct cairn_ways {
	const struct cairn_costmap *cm;
	size_t row_words;
	uint64_t *rows; /* set = obstacle; a margin of CAIRN_WAYS_REACH free cells on all sides */
	uint8_t *known; /* of each cell and axis: two bits, asked and answer */
	size_t words_capacity, cells_capacity;
	struct cairn_ways_run run[CAIRN_WAYS_HEADINGS][2 * CAIRN_WAYS_REACH + 1];
	int runs[CAIRN_WAYS_HEADINGS];
	float clear_cells; /* nothing this near to the origin: not a gap, passable every way */
	bool too_large;    /* a robot of so many cells is not looked at: everything is passable */
};

/* Begins with this costmap, which must stay as it is, and this footprint. 0 or -ENOMEM. */
int cairn_ways_start(struct cairn_ways *w, const struct cairn_costmap *cm, const struct cairn_rect *rect);
bool cairn_ways_open(struct cairn_ways *w, int x, int y, enum cairn_way way);
void cairn_ways_free(struct cairn_ways *w);

#endif
