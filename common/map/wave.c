#include "common/map/wave.h"

#include <stdlib.h>
#include <string.h>

#define DIAGONAL 7
#define ESCAPE_MAX 30

void cairn_wave_init(struct cairn_wave *wave)
{
	*wave = (struct cairn_wave){0};
}

void cairn_wave_free(struct cairn_wave *wave)
{
	free(wave->cell);
	free(wave->clearance2);
	free(wave->row2);
	free(wave->square);
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
		free(wave->square);
		wave->cell = malloc(room);
		wave->clearance2 = malloc(room * sizeof(*wave->clearance2));
		wave->row2 = malloc(room * sizeof(*wave->row2));
		wave->square = malloc(room * sizeof(*wave->square));
		wave->capacity = room;
	}
	if (wave->cell == NULL || wave->clearance2 == NULL || wave->row2 == NULL || wave->square == NULL) {
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

/* Squared distance along one row to the nearest occupied cell; far beyond bound. Occupied cells are few: each
 * is stamped into its surroundings. */
static void row_distances(const uint8_t *cell, int16_t *out, int32_t width, int32_t bound, int16_t far)
{
	for (int32_t x = 0; x < width; x++)
		out[x] = far;
	const uint8_t *end = cell + width;
	for (const uint8_t *p = cell; (p = memchr(p, CAIRN_WAVE_OCCUPIED, (size_t)(end - p))) != NULL; p++) {
		int32_t at = (int32_t)(p - cell);
		int32_t lo = at < bound ? -at : -bound, hi = at + bound >= width ? width - 1 - at : bound;
		if (at > 0 && cell[at - 1] == CAIRN_WAVE_OCCUPIED)
			lo = 0; /* the one before has done that side */
		for (int32_t d = lo; d <= hi; d++)
			out[at + d] = min16(out[at + d], (int16_t)(d * d));
	}
}

void cairn_wave_clearances(struct cairn_wave *wave, int bound_cells)
{
	int32_t w = wave->width, h = wave->height;
	int16_t far = (int16_t)(bound_cells * bound_cells + 1);
	for (int32_t y = 0; y < h; y++)
		row_distances(wave->cell + (size_t)y * (size_t)w, wave->row2 + (size_t)y * (size_t)w, w,
		    bound_cells, far);
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

/* Cells of one row that may be entered, as 1; the row of squares they belong to collects them. */
static void mark_row(const struct cairn_wave *wave, int32_t y, uint8_t *restrict floor)
{
	size_t row = (size_t)y * (size_t)wave->width;
	const uint8_t *restrict cell = wave->cell + row;
	const int16_t *restrict clearance2 = wave->clearance2 + row;
	int16_t need2 = (int16_t)wave->need2;
	for (int32_t x = 0, w = wave->width; x < w; x++)
		floor[x] |= (uint8_t)((cell[x] == CAIRN_WAVE_FREE) & (clearance2[x] >= need2));
}

/* Squares that may be entered get NEVER, others and the frame get 0: one comparison decides, without bounds
 * checks. */
static void mark_squares(struct cairn_wave *wave)
{
	int32_t w = wave->square_width, h = wave->square_height;
	uint8_t *floor = (uint8_t *)wave->row2; /* free by now, and longer than a row */
	for (int32_t sy = 0; sy < h; sy++) {
		uint32_t *square = wave->square + (size_t)sy * (size_t)w;
		memset(floor, 0, (size_t)wave->width + 1);
		for (int32_t y = sy * wave->fold; y < (sy + 1) * wave->fold && y < wave->height; y++)
			mark_row(wave, y, floor);
		if (wave->fold == 2)
			for (int32_t x = 0; x < w; x++)
				square[x] = floor[2 * x] | floor[2 * x + 1] ? CAIRN_WAVE_NEVER : 0;
		else
			for (int32_t x = 0; x < w; x++)
				square[x] = floor[x] ? CAIRN_WAVE_NEVER : 0;
		square[0] = square[w - 1] = 0;
	}
	memset(wave->square, 0, (size_t)w * sizeof(*wave->square));
	memset(wave->square + (size_t)(h - 1) * (size_t)w, 0, (size_t)w * sizeof(*wave->square));
}

static bool expand(struct cairn_wave *wave)
{
	const ptrdiff_t w = wave->square_width;
	const ptrdiff_t step[8] = {1, -1, w, -w, w + 1, w - 1, -w + 1, -w - 1};
	uint32_t *square = wave->square;
	int idle = 0;
	for (uint32_t now = CAIRN_WAVE_STEP; idle < CAIRN_WAVE_BUCKETS; now++) {
		unsigned b = now % CAIRN_WAVE_BUCKETS;
		idle = wave->bucket_count[b] == 0 ? idle + 1 : 0;
		for (size_t i = 0; i < wave->bucket_count[b]; i++) {
			uint32_t index = wave->bucket[b][i];
			if (square[index] != now)
				continue;
			for (int k = 0; k < 8; k++) {
				size_t next = (size_t)((ptrdiff_t)index + step[k]);
				uint32_t d = now + (k < 4 ? CAIRN_WAVE_STEP : DIAGONAL);
				if (square[next] <= d)
					continue;
				square[next] = d;
				if (!push(wave, d, (uint32_t)next))
					return false;
			}
		}
		wave->bucket_count[b] = 0;
	}
	return true;
}

/* Opens a square as a start. The start counts from one step, so that 0 can mean closed. */
static bool seed(struct cairn_wave *wave, int32_t x, int32_t y)
{
	int32_t sx = x / wave->fold, sy = y / wave->fold;
	uint32_t index = (uint32_t)sy * (uint32_t)wave->square_width + (uint32_t)sx;
	if (wave->square[index] != CAIRN_WAVE_NEVER) /* closed, or seeded already */
		return true;
	wave->square[index] = CAIRN_WAVE_STEP;
	return push(wave, CAIRN_WAVE_STEP, index);
}

/* Seeds every cell with enough clearance that free cells within reach of (x0, y0) lead to. */
static bool escape(struct cairn_wave *wave, int32_t x0, int32_t y0, int reach)
{
	enum { SIDE = 2 * ESCAPE_MAX + 1 };
	bool seen[SIDE * SIDE] = {false};
	int16_t queue_x[SIDE * SIDE], queue_y[SIDE * SIDE];
	int count = 0;
	const int step_x[4] = {1, -1, 0, 0}, step_y[4] = {0, 0, 1, -1};
	queue_x[count] = queue_y[count] = 0;
	seen[ESCAPE_MAX * SIDE + ESCAPE_MAX] = true;
	count++;
	for (int next = 0; next < count; next++) {
		int dx = queue_x[next], dy = queue_y[next];
		int32_t x = x0 + dx, y = y0 + dy;
		if (x <= 0 || y <= 0 || x >= wave->width - 1 || y >= wave->height - 1)
			continue;
		size_t index = (size_t)y * (size_t)wave->width + (size_t)x;
		if (wave->cell[index] != CAIRN_WAVE_FREE && next > 0)
			continue;
		if (wave->cell[index] == CAIRN_WAVE_FREE && wave->clearance2[index] >= wave->need2) {
			if (!seed(wave, x, y))
				return false;
			continue;
		}
		for (int k = 0; k < 4; k++) {
			int u = dx + step_x[k], v = dy + step_y[k],
			    at = (v + ESCAPE_MAX) * SIDE + u + ESCAPE_MAX;
			if (u * u + v * v > reach * reach || seen[at])
				continue;
			seen[at] = true;
			queue_x[count] = (int16_t)u;
			queue_y[count] = (int16_t)v;
			count++;
		}
	}
	return true;
}

bool cairn_wave_spread(struct cairn_wave *wave, int32_t x, int32_t y, int need2, int escape_cells)
{
	/* Two cells on both sides of a wall are at least twice the clearance apart; cells of neighbouring
	 * squares of 2 x 2 at most 3 sqrt(2) = 4.24. */
	wave->fold = need2 >= 5 ? 2 : 1;
	wave->need2 = need2;
	wave->square_width = (wave->width + wave->fold - 1) / wave->fold;
	wave->square_height = (wave->height + wave->fold - 1) / wave->fold;
	size_t n = (size_t)wave->square_width * (size_t)wave->square_height;
	for (int i = 0; i < CAIRN_WAVE_BUCKETS; i++)
		wave->bucket_count[i] = 0;
	mark_squares(wave);
	bool ok = escape(wave, x, y, escape_cells < ESCAPE_MAX ? escape_cells : ESCAPE_MAX) && expand(wave);
	for (size_t i = 0; i < n; i++) {
		uint32_t d = wave->square[i];
		wave->square[i] = d == 0 || d == CAIRN_WAVE_NEVER ? CAIRN_WAVE_NEVER : d - CAIRN_WAVE_STEP;
	}
	return ok;
}
