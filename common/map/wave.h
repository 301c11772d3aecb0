/* wave.h - clearance and path distance over the known free floor.
 *
 * Works on a window of the grid with one byte a cell (enum cairn_wave_cell). Clearance is the exact Euclidean
 * distance between cell centres to the nearest occupied cell, up to a bound; distance is that of an
 * 8-connected wavefront with integer steps 5 and 7 (within 1 % of the octile distance), by Dial's bucket
 * queue. */
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
	uint32_t *distance;  /* in fifths of a cell; CAIRN_WAVE_NEVER = not reachable */
	uint32_t *bucket[CAIRN_WAVE_BUCKETS];
	size_t bucket_count[CAIRN_WAVE_BUCKETS], bucket_capacity[CAIRN_WAVE_BUCKETS];
};

void cairn_wave_init(struct cairn_wave *wave);
void cairn_wave_free(struct cairn_wave *wave);

/* Makes room for width x height cells; contents are undefined after. False without memory. */
bool cairn_wave_resize(struct cairn_wave *wave, int32_t width, int32_t height);

/* Fills clearance2 from cell; bound_cells up to 100. */
void cairn_wave_clearances(struct cairn_wave *wave, int bound_cells);

/* Fills distance from array cell (x, y): over free cells with clearance2 >= need2. Free cells within
 * escape_cells of the start are allowed whatever their clearance: a robot that stands too near to something
 * can still leave. False without memory. */
bool cairn_wave_spread(struct cairn_wave *wave, int32_t x, int32_t y, int need2, int escape_cells);

#endif
