/* passable.h - which cells of a grid are open, one bit a cell, by rows and by columns, and which hang together.
 *
 * Made once a map, read by searches that look at 64 cells at a time (common/plan/jump.h). Around the grid
 * stands a border of blocked cells, so that scans need no bounds. Regions are cells that a path without
 * corner cutting connects: the same as 4-connected ones, because a diagonal needs both cells beside it. */
#ifndef CAIRN_COMMON_PLAN_PASSABLE_H
#define CAIRN_COMMON_PLAN_PASSABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is valid: no cells. */
struct cairn_passable {
	int width, height;
	size_t row_words, column_words;
	uint64_t *rows;    /* set = blocked; bit x + 1 of row y + 1 */
	uint64_t *columns; /* the same, turned: bit y + 1 of column x + 1 */
	int32_t *region;   /* of each cell; -1 blocked */
	int32_t *parent;   /* scratch: regions that turned out to be one */
	size_t words_capacity, cells_capacity, parents_capacity;
	int regions;
};

/* open_cell[y * stride + x] != 0: open. 0, -EINVAL or -ENOMEM (then there are no cells). */
int cairn_passable_set(
    struct cairn_passable *o, const uint8_t *open_cell, size_t stride, int width, int height);
void cairn_passable_free(struct cairn_passable *o);

static inline bool cairn_passable_at(const struct cairn_passable *o, int x, int y)
{
	if (x < 0 || y < 0 || x >= o->width || y >= o->height)
		return false;
	return o->region[(size_t)y * (size_t)o->width + (size_t)x] >= 0;
}

/* Is there a way from one cell to the other? */
static inline bool cairn_passable_connected(const struct cairn_passable *o, int cell_a, int cell_b)
{
	return o->region[cell_a] >= 0 && o->region[cell_a] == o->region[cell_b];
}

/* The open cell nearest to (x, y), in cells and by centres, that is connected with cell `with` (with < 0: any
 * open one), within reach cells. -1 if there is none. (x, y) may lie outside the grid. */
int cairn_passable_nearest(const struct cairn_passable *o, int with, double x, double y, double reach);

#endif
