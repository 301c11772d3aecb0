/* mark_places.h - where marks and their names stand on a drawn map so that none covers another: where they belong, or in the nearest place
 * that is free. Pixels. Pure. */
#ifndef CAIRN_COMMON_MAP_MARK_PLACES_H
#define CAIRN_COMMON_MAP_MARK_PLACES_H

#define CAIRN_MARK_PLACES 256
#define CAIRN_MARK_HALF_PX 11.0 /* of the height of each, and of the width of a disc */

struct cairn_mark_places {
	double x[CAIRN_MARK_PLACES], y[CAIRN_MARK_PLACES],
	    half_px[CAIRN_MARK_PLACES]; /* middles, half widths */
	int count;
};

/* Takes the place itself, free or not; more than CAIRN_MARK_PLACES count for nothing. */
void cairn_mark_places_take(struct cairn_mark_places *t, double half_px, double x, double y);
/* Takes the nearest free place for a mark of that half width that belongs to (*ret_x, *ret_y), and tells it there. Where too many stand
 * together, they overlap. */
void cairn_mark_places_find(struct cairn_mark_places *t, double half_px, double *ret_x, double *ret_y);

#endif
