/* wave.h - clearance and path distance over the known free floor.
 *
 * Works on a window of the grid with one byte a cell (enum cairn_wave_cell). Clearance is the exact Euclidean
 * distance between cell centres to the nearest occupied cell, up to a bound. Distance is that of an
 * 8-connected wavefront with integer steps 5 and 7 (1 % off the octile distance) by Dial's bucket queue, over
 * squares of 2 x 2 cells where the clearance asked for is so large that nothing solid fits between two
 * neighbouring squares. */
#ifndef CAIRN_COMMON_MAP_WAVE_H
#define CAIRN_COMMON_MAP_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cairn_wave_cell { CAIRN_WAVE_UNKNOWN, CAIRN_WAVE_FREE, CAIRN_WAVE_UNSURE, CAIRN_WAVE_OCCUPIED };

#define CAIRN_WAVE_BUCKETS 8
#define CAIRN_WAVE_STEP 5
#define CAIRN_WAVE_NEVER UINT32_MAX

struct cairn_wave {
	int32_t width, height;
	size_t capacity;     /* cells there is memory for */
	uint8_t *cell;       /* filled by the caller */
	int16_t *clearance2; /* squared cells; bound2 + 1 or more = farther than the bound */
	int16_t *row2;       /* scratch */
	uint32_t *square;    /* distance of each square in steps; read it by cairn_wave_distance */
	int32_t fold;        /* cells along the side of a square */
	int32_t square_width, square_height;
	int need2; /* of the last spread, squared cells */
	uint32_t *bucket[CAIRN_WAVE_BUCKETS];
	size_t bucket_count[CAIRN_WAVE_BUCKETS], bucket_capacity[CAIRN_WAVE_BUCKETS];
};

void cairn_wave_init(struct cairn_wave *wave);
void cairn_wave_free(struct cairn_wave *wave);

/* Makes room for width x height cells; contents are undefined after. False without memory. */
bool cairn_wave_resize(struct cairn_wave *wave, int32_t width, int32_t height);

/* Fills clearance2 from cell; bound_cells up to 100. */
void cairn_wave_clearances(struct cairn_wave *wave, int bound_cells);

/* Spreads from cell (x, y) over free cells with clearance2 >= need2. A start without that clearance first
 * escapes over free cells (never diagonally, so never through a wall) to those that have it, at most
 * escape_cells away (up to 30): a robot that stands too near to something can still leave; that bit is not
 * counted. False without memory. */
bool cairn_wave_spread(struct cairn_wave *wave, int32_t x, int32_t y, int need2, int escape_cells);

/* Path distance of a cell from the start in fifths of a cell; CAIRN_WAVE_NEVER if it cannot be reached. */
static inline uint32_t cairn_wave_distance(const struct cairn_wave *wave, int32_t x, int32_t y)
{
	size_t i = (size_t)y * (size_t)wave->width + (size_t)x;
	if (wave->cell[i] != CAIRN_WAVE_FREE || wave->clearance2[i] < wave->need2)
		return CAIRN_WAVE_NEVER;
	uint32_t d =
	    wave->square[(size_t)(y / wave->fold) * (size_t)wave->square_width + (size_t)(x / wave->fold)];
	return d == CAIRN_WAVE_NEVER ? d : d * (uint32_t)wave->fold;
}

#endif
