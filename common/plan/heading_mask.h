/* heading_mask.h - along which of four axes a robot that cannot go sideways may pass a cell.
 *
 * A gap that is wide enough for a disc may be too narrow for the footprint at any heading in which it could
 * drive through. A cell is passable along an axis when the footprint fits there at some heading within
 * CAIRN_HEADING_MASK_SPREAD_DEG of it, either way round. Worked out only where it is asked for, from obstacles kept
 * as bits; those who ask keep the answers. */
#ifndef CAIRN_COMMON_PLAN_HEADING_MASK_H
#define CAIRN_COMMON_PLAN_HEADING_MASK_H

#include "common/plan/cell_bits.h"

#define CAIRN_HEADING_MASK_HEADINGS 24
#define CAIRN_HEADING_MASK_SPREAD_DEG 30
/* Cells that the footprint may reach from its origin; a larger robot may pass everything. */
#define CAIRN_HEADING_MASK_REACH CAIRN_CELL_BITS_MARGIN

enum cairn_heading_way {
	CAIRN_HEADING_WAY_X,
	CAIRN_HEADING_WAY_RISING,
	CAIRN_HEADING_WAY_Y,
	CAIRN_HEADING_WAY_FALLING
};

#define CAIRN_HEADING_MASK_ROWS 64 /* of a window of that reach, and one to make it even */

/* Zero-initialised is valid. */
struct cairn_heading_mask {
	const struct cairn_costmap *cm;
	const struct cairn_cell_bits *bits; /* borrowed */
	bool too_large;                     /* passes everywhere */
	/* Cells that the footprint covers, in rows from reach cells below its origin on; the lowest bit is
	 * reach cells to the left of it. */
	uint64_t covered[CAIRN_HEADING_MASK_HEADINGS][CAIRN_HEADING_MASK_ROWS];
	int reach, rows;
	struct cairn_rect rect; /* that covered was made for, with cells of cell_m */
	double cell_m;
	float clear_cells;   /* nothing this near to the origin: not a gap, passable every way */
	float blocked_cells; /* something nearer than this is under the footprint at every heading */
};

/* Begins with this costmap and its obstacles as bits, both of which must stay as they are, and this
 * footprint. */
void cairn_heading_mask_start(struct cairn_heading_mask *w, const struct cairn_costmap *cm,
    const struct cairn_cell_bits *bits, const struct cairn_rect *rect);
/* Works out the answer of cairn_heading_mask_open and keeps it. */
bool cairn_heading_mask_look(
    const struct cairn_heading_mask *w, int index, enum cairn_heading_way way, uint8_t *known);

/* Is the answer about an axis among those that are kept? */
static inline bool cairn_heading_mask_known(uint8_t known, enum cairn_heading_way way, bool *ret_open)
{
	unsigned two = (unsigned)known >> (2 * way);
	*ret_open = (two & 2u) != 0;
	return (two & 1u) != 0;
}

#endif
