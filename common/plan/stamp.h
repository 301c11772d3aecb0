/* stamp.h - the cells that a rectangle covers, worked out the first time for headings and places within a
 * cell that are close together, so that the question whether it fits somewhere is a few words of bits.
 *
 * A stamp knows which cells are touched for certain at all headings and places it stands for, and which may
 * be. Only an obstacle among the others of these needs to be measured: the answers are those of
 * cairn_costmap_fits. */
#ifndef CAIRN_COMMON_PLAN_STAMP_H
#define CAIRN_COMMON_PLAN_STAMP_H

#include "common/plan/cell_bits.h"

#define CAIRN_STAMP_HEADINGS 128
#define CAIRN_STAMP_PLACES 2 /* a side of a cell */
#define CAIRN_STAMP_ROWS 32  /* a larger rectangle, in cells, has no stamps: each cell is measured */

struct cairn_stamp_row {
	uint32_t sure, perhaps; /* the lowest bit is the stamp's first column; perhaps: sure ones, too */
};

struct cairn_stamp {
	int8_t first_x, first_y, rows; /* of its first row, from the cell that the origin is in */
	struct cairn_stamp_row row[CAIRN_STAMP_ROWS];
};

/* Zero-initialised is valid. */
struct cairn_stamps {
	struct cairn_rect rect;    /* of which it is made, */
	double cell_m;             /* with cells of this size */
	int reach;                 /* cells from the origin */
	struct cairn_stamp *stamp; /* NULL: too large */
};

/* Begins with a rectangle, unless its stamps are there already. 0 or -ENOMEM (nothing may be asked then). */
int cairn_stamps_start(struct cairn_stamps *s, const struct cairn_rect *rect, double cell_m);
void cairn_stamps_free(struct cairn_stamps *s);

/* cairn_costmap_fits of the rectangle, by the bits taken of the same costmap, and with the cosine and sine of
 * the yaw. The origin must lie on the map. */
bool cairn_stamps_fit(struct cairn_stamps *s, const struct cairn_costmap *cm,
    const struct cairn_cell_bits *bits, const struct cairn_pose2 *pose, double cosine, double sine);

#endif
