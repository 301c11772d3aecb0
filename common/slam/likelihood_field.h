/* likelihood_field.h - how well a return would fit at each place of the map, at several resolutions.
 *
 * Level 0: exp(-d^2 / (2 sigma^2)) of the distance d to the nearest occupied cell, sigma = 1 cell, scaled to
 * 0..255; 0 beyond 3 cells. Level k at (x, y) is the maximum of level 0 over [x, x + 2^k) x [y, y + 2^k): an
 * upper bound for 2^k x 2^k shifts of a scan at once, which is what branch and bound needs (Olson 2009; Hess
 * et al. 2016). */
#ifndef CAIRN_COMMON_SLAM_LIKELIHOOD_FIELD_H
#define CAIRN_COMMON_SLAM_LIKELIHOOD_FIELD_H

#include "common/map/grid.h"

#define CAIRN_LIKELIHOOD_FIELD_LEVELS 7 /* at most */
#define CAIRN_LIKELIHOOD_FIELD_REACH 3  /* cells */
#define CAIRN_LIKELIHOOD_FIELD_NEAR 94  /* level 0 is at least this within sqrt(2) cells of an occupied one */

struct cairn_likelihood_field_box {
	int32_t x0, y0, x1, y1; /* array cells, both included */
};

struct cairn_likelihood_field {
	uint8_t *level[CAIRN_LIKELIHOOD_FIELD_LEVELS]; /* in the layout of the grid's arrays */
	uint8_t *scratch;                              /* a row */
	int32_t width, height, cx0, cy0;
	struct cairn_likelihood_field_box drawn; /* outside of it all levels are 0 */
	uint32_t layout;                         /* of the grid they were made for */
	int levels;                              /* in use; more for wider searches */
};

void cairn_likelihood_field_init(struct cairn_likelihood_field *field, int levels);
void cairn_likelihood_field_free(struct cairn_likelihood_field *field);

/* Brings the field up to date with the grid; only what changed is computed. False without memory. */
bool cairn_likelihood_field_update(struct cairn_likelihood_field *field, struct cairn_grid *grid);

/* As cairn_grid_touch, of all levels. */
void cairn_likelihood_field_touch(const struct cairn_likelihood_field *field, int32_t y0, int32_t y1);

#endif
