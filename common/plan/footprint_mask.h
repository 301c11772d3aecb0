/* footprint_mask.h - the cells that a rectangle covers, worked out the first time for headings and places within a
 * cell that are close together, so that the question whether it fits somewhere is a few words of bits.
 *
 * A stamp knows which cells are touched for certain at all headings and places it stands for, and which may
 * be. Only an obstacle among the others of these needs to be measured: the answers are those of
 * cairn_costmap_fits. */
#ifndef CAIRN_COMMON_PLAN_FOOTPRINT_MASK_H
#define CAIRN_COMMON_PLAN_FOOTPRINT_MASK_H

#include "common/plan/cell_bits.h"

#define CAIRN_FOOTPRINT_MASK_HEADINGS 128
#define CAIRN_FOOTPRINT_MASK_PLACES 2 /* a side of a cell */
#define CAIRN_FOOTPRINT_MASK_ROWS 32  /* a larger rectangle, in cells, has no stamps: each cell is measured */

#define CAIRN_FOOTPRINT_MASK_GROUP                                                                           \
	CAIRN_CELL_BITS_SPARE /* rows that are looked at together: 64 bytes of a stamp */
#define CAIRN_FOOTPRINT_MASK_GROUPS (CAIRN_FOOTPRINT_MASK_ROWS / CAIRN_FOOTPRINT_MASK_GROUP)

/* Of each row, nothing above the last; the lowest bit is the stamp's first column. perhaps: sure ones, too.
 */
struct cairn_footprint_mask_group {
	uint32_t sure[CAIRN_FOOTPRINT_MASK_GROUP], perhaps[CAIRN_FOOTPRINT_MASK_GROUP];
};

struct cairn_footprint_mask {
	struct cairn_footprint_mask_group group[CAIRN_FOOTPRINT_MASK_GROUPS];
};

/* Its first row, from the cell that the origin is in, and how many there are: 0, it is not made yet. */
struct cairn_footprint_mask_place {
	int8_t first_x, first_y, rows;
};

/* Zero-initialised is valid. */
struct cairn_footprint_masks {
	struct cairn_rect rect;             /* of which it is made, */
	double cell_m;                      /* with cells of this size */
	int reach;                          /* cells from the origin */
	struct cairn_footprint_mask *stamp; /* NULL: too large */
	struct cairn_footprint_mask_place
	    place[CAIRN_FOOTPRINT_MASK_HEADINGS * CAIRN_FOOTPRINT_MASK_PLACES * CAIRN_FOOTPRINT_MASK_PLACES];
};

/* Begins with a rectangle, unless its stamps are there already. 0 or -ENOMEM (nothing may be asked then). */
int cairn_footprint_masks_start(
    struct cairn_footprint_masks *s, const struct cairn_rect *rect, double cell_m);
void cairn_footprint_masks_free(struct cairn_footprint_masks *s);

/* cairn_costmap_fits of the rectangle, by the bits taken of the same costmap, and with the cosine and sine of
 * the yaw. The origin must lie on the map. */
bool cairn_footprint_masks_fit(struct cairn_footprint_masks *s, const struct cairn_costmap *cm,
    const struct cairn_cell_bits *bits, const struct cairn_pose2 *pose, double cosine, double sine);

#endif
