#include "common/map/wave.h"

#include <stdlib.h>
#include <string.h>

#define DIAGONAL 7

void cairn_wave_init(struct cairn_wave *wave)
{
	*wave = (struct cairn_wave){0};
}

void cairn_wave_free(struct cairn_wave *wave)
{
	free(wave->cell);
	free(wave->clearance2);
	free(wave->row2);
	free(wave->distance);
	for (int i = 0; i < CAIRN_WAVE_BUCKETS; i++)
		free(wave->bucket[i]);
	*wave = (struct cairn_wave){0};
}

bool cairn_wave_resize(struct cairn_wave *wave, int32_t width, int32_t height)
{
	size_t cells = (size_t)width * (size_t)height;
	if (cells > wave->capacity) {
		size_t room = cells + cells / 2;
		free(wave->cell);
		free(wave->clearance2);
		free(wave->row2);
		free(wave->distance);
		wave->cell = malloc(room);
		wave->clearance2 = malloc(room * sizeof(*wave->clearance2));
		wave->row2 = malloc(room * sizeof(*wave->row2));
		wave->distance = malloc(room * sizeof(*wave->distance));
		wave->capacity = room;
	}
	if (wave->cell == NULL || wave->clearance2 == NULL || wave->row2 == NULL || wave->distance == NULL) {
		wave->capacity = 0;
		return false;
	}
	wave->width = width;
	wave->height = height;
	return true;
}

static int16_t min16(int16_t a, int16_t b)
{
	return a < b ? a : b;
}

/* Squared distance along one row to the nearest occupied cell; far beyond bound. */
static void row_distances(const uint8_t *cell, int16_t *out, int32_t width, int16_t bound, int16_t far)
{
	int16_t run = bound;
	for (int32_t x = 0; x < width; x++) {
		run = cell[x] == CAIRN_WAVE_OCCUPIED ? 0 : min16((int16_t)(run + 1), (int16_t)(bound + 1));
		out[x] = run;
	}
	run = bound;
	for (int32_t x = width - 1; x >= 0; x--) {
		run = cell[x] == CAIRN_WAVE_OCCUPIED ? 0 : min16((int16_t)(run + 1), (int16_t)(bound + 1));
		int16_t d = min16(run, out[x]);
		out[x] = d > bound ? far : (int16_t)(d * d);
	}
}

void cairn_wave_clearances(struct cairn_wave *wave, int bound_cells)
{
	int32_t w = wave->width, h = wave->height;
	int16_t far = (int16_t)(bound_cells * bound_cells + 1);
	for (int32_t y = 0; y < h; y++)
		row_distances(wave->cell + (size_t)y * (size_t)w, wave->row2 + (size_t)y * (size_t)w, w,
		    (int16_t)bound_cells, far);
	for (int32_t y = 0; y < h; y++) {
		int16_t *restrict out = wave->clearance2 + (size_t)y * (size_t)w;
		for (int32_t x = 0; x < w; x++)
			out[x] = far;
		int32_t lo = y - bound_cells < 0 ? 0 : y - bound_cells;
		int32_t hi = y + bound_cells >= h ? h - 1 : y + bound_cells;
		for (int32_t yy = lo; yy <= hi; yy++) {
			const int16_t *restrict in = wave->row2 + (size_t)yy * (size_t)w;
			int16_t add = (int16_t)((yy - y) * (yy - y));
			for (int32_t x = 0; x < w; x++)
				out[x] = min16(out[x], (int16_t)(in[x] + add));
		}
	}
}

static bool push(struct cairn_wave *wave, uint32_t distance, uint32_t index)
{
	unsigned b = distance % CAIRN_WAVE_BUCKETS;
	if (wave->bucket_count[b] == wave->bucket_capacity[b]) {
		size_t room = wave->bucket_capacity[b] * 2 + 4096;
		uint32_t *grown = realloc(wave->bucket[b], room * sizeof(*grown));
		if (grown == NULL)
			return false;
		wave->bucket[b] = grown;
		wave->bucket_capacity[b] = room;
	}
	wave->bucket[b][wave->bucket_count[b]++] = index;
	return true;
}

/* Cells that may not be entered are marked 0 in distance + 1 terms: here distance starts at NEVER for floor
 * and at 0 for the rest, so that one comparison decides. */
static void mark_floor(struct cairn_wave *wave, int32_t x0, int32_t y0, int need2, int escape_cells)
{
	size_t n = (size_t)wave->width * (size_t)wave->height;
	int16_t need = (int16_t)need2;
	for (size_t i = 0; i < n; i++)
		wave->distance[i] =
		    wave->cell[i] == CAIRN_WAVE_FREE && wave->clearance2[i] >= need ? CAIRN_WAVE_NEVER : 0;
	for (int32_t y = y0 - escape_cells; y <= y0 + escape_cells; y++) {
		for (int32_t x = x0 - escape_cells; x <= x0 + escape_cells; x++) {
			if (x < 0 || y < 0 || x >= wave->width || y >= wave->height ||
			    (x - x0) * (x - x0) + (y - y0) * (y - y0) > escape_cells * escape_cells)
				continue;
			size_t i = (size_t)y * (size_t)wave->width + (size_t)x;
			if (wave->cell[i] == CAIRN_WAVE_FREE)
				wave->distance[i] = CAIRN_WAVE_NEVER;
		}
	}
	/* The frame is closed, so that the wavefront needs no bounds checks. */
	size_t w = (size_t)wave->width, last = (size_t)(wave->height - 1) * w;
	memset(wave->distance, 0, w * sizeof(*wave->distance));
	memset(wave->distance + last, 0, w * sizeof(*wave->distance));
	for (size_t y = 0; y <= last; y += w)
		wave->distance[y] = wave->distance[y + w - 1] = 0;
}

static bool expand(struct cairn_wave *wave)
{
	const ptrdiff_t w = wave->width;
	const ptrdiff_t step[8] = {1, -1, w, -w, w + 1, w - 1, -w + 1, -w - 1};
	uint32_t *distance = wave->distance;
	int idle = 0;
	for (uint32_t now = CAIRN_WAVE_STEP; idle < CAIRN_WAVE_BUCKETS; now++) {
		unsigned b = now % CAIRN_WAVE_BUCKETS;
		idle = wave->bucket_count[b] == 0 ? idle + 1 : 0;
		for (size_t i = 0; i < wave->bucket_count[b]; i++) {
			uint32_t index = wave->bucket[b][i];
			if (distance[index] != now)
				continue;
			for (int k = 0; k < 8; k++) {
				size_t next = (size_t)((ptrdiff_t)index + step[k]);
				uint32_t d = now + (k < 4 ? CAIRN_WAVE_STEP : DIAGONAL);
				if (distance[next] <= d)
					continue;
				distance[next] = d;
				if (!push(wave, d, (uint32_t)next))
					return false;
			}
		}
		wave->bucket_count[b] = 0;
	}
	return true;
}

bool cairn_wave_spread(struct cairn_wave *wave, int32_t x, int32_t y, int need2, int escape_cells)
{
	size_t n = (size_t)wave->width * (size_t)wave->height;
	for (int i = 0; i < CAIRN_WAVE_BUCKETS; i++)
		wave->bucket_count[i] = 0;
	bool ok = true;
	if (x > 0 && y > 0 && x < wave->width - 1 && y < wave->height - 1) {
		mark_floor(wave, x, y, need2, escape_cells);
		/* The start counts from one step, so that 0 can mean closed; taken off again below. */
		uint32_t start = (uint32_t)y * (uint32_t)wave->width + (uint32_t)x;
		wave->distance[start] = CAIRN_WAVE_STEP;
		ok = push(wave, CAIRN_WAVE_STEP, start) && expand(wave);
	} else {
		memset(wave->distance, 0, n * sizeof(*wave->distance));
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t d = wave->distance[i];
		wave->distance[i] = d == 0 || d == CAIRN_WAVE_NEVER ? CAIRN_WAVE_NEVER : d - CAIRN_WAVE_STEP;
	}
	return ok;
}
