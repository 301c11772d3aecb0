/* wavefront_private.h - what the halves of the wave share; not for others. */
#ifndef CAIRN_COMMON_MAP_WAVEFRONT_PRIVATE_H
#define CAIRN_COMMON_MAP_WAVEFRONT_PRIVATE_H

#include "common/map/wavefront.h"

/* Of a block, by bit: the neighbours that it leads to. N is the row before in memory. */
enum {
	WAVE_E = 1,
	WAVE_W = 2,
	WAVE_S = 4,
	WAVE_N = 8,
	WAVE_SE = 16,
	WAVE_SW = 32,
	WAVE_NE = 64,
	WAVE_NW = 128
};

/* Of a cell that may be entered, by bit: a corner. The cell before it (in memory) that ends there is shut,
 * and the one to that one's left (then what comes from there goes on to the right) or right is open. */
enum { WAVE_RIGHT_OF_N = 1, WAVE_LEFT_OF_N = 2, WAVE_RIGHT_OF_S = 4, WAVE_LEFT_OF_S = 8 };

/* Brings what is marked up to date and makes every way far. */
void wave_mark(struct cairn_wavefront *wave);

#endif
