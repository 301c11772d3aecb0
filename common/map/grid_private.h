/* grid_private.h - what the halves of the grid share; not for others. */
#ifndef CAIRN_COMMON_MAP_GRID_PRIVATE_H
#define CAIRN_COMMON_MAP_GRID_PRIVATE_H

#include "common/map/grid.h"

/* Adds evidence to one cell and keeps the figures right. x, y: array cell. */
static inline void cairn_grid_add_evidence(
    struct cairn_grid *grid, int32_t x, int32_t y, size_t index, int delta)
{
	int8_t before = grid->odds[index];
	int sum = (before == CAIRN_ODDS_UNKNOWN ? 0 : before) + delta;
	int8_t after = (int8_t)(sum > CAIRN_ODDS_MAX   ? CAIRN_ODDS_MAX
				: sum < CAIRN_ODDS_MIN ? CAIRN_ODDS_MIN
						       : sum);
	if (after == before)
		return;
	grid->odds[index] = after;
	bool was_free = cairn_odds_free(before), is_free = after < 0;
	bool was_solid = cairn_odds_occupied(before), is_solid = cairn_odds_occupied(after);
	if (before != CAIRN_ODDS_UNKNOWN && was_free == is_free && was_solid == is_solid)
		return;
	grid->revision++;
	grid->free_cells += (uint32_t)is_free - (uint32_t)was_free;
	grid->occupied_cells += (uint32_t)is_solid - (uint32_t)was_solid;
	if (before == CAIRN_ODDS_UNKNOWN)
		cairn_cell_box_add(&grid->known, x + grid->cx0, y + grid->cy0);
	if (was_solid != is_solid)
		cairn_cell_box_add(&grid->solid, x + grid->cx0, y + grid->cy0);
}

#endif
