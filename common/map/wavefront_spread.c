#include "common/map/wavefront_private.h"

#include <string.h>

#define DIAGONAL 7
#define ESCAPE_MAX 30
#define BLOCK CAIRN_WAVEFRONT_BLOCK
#define FAR CAIRN_WAVEFRONT_FAR

enum side {
	ABOVE,
	BELOW
}; /* the row in memory that news comes from; of those not seen yet, ABOVE's go down */

static inline uint16_t less(uint16_t a, uint16_t b)
{
	return a < b ? a : b;
}

static void add_block(struct cairn_wavefront_span *span, int32_t block)
{
	span->lo = block < span->lo ? block : span->lo;
	span->hi = block > span->hi ? block : span->hi;
}

/* ---- a block's columns at once: the compiler's vectors ---- */

/* What a row tells the one beside it. True: something becomes nearer. */
static bool pull_cells(uint16_t *restrict way, const uint16_t *restrict beside, const int8_t *restrict shut)
{
	uint16_t news = 0;
	for (int i = 0; i < BLOCK; i++) {
		uint16_t slant = (uint16_t)(less(beside[i - 1], beside[i + 1]) + DIAGONAL);
		uint16_t straight = (uint16_t)(beside[i] + CAIRN_WAVEFRONT_STEP);
		/* Of those that are shut as far as can be. */
		uint16_t now = less(way[i], (uint16_t)(less(slant, straight) | (uint16_t)shut[i]));
		news |= (uint16_t)(way[i] ^ now);
		way[i] = now;
	}
	return news != 0;
}

static inline uint16_t along(uint16_t way, unsigned leads, unsigned step)
{
	return leads ? (uint16_t)(way + step) : FAR;
}

static bool pull_blocks(
    uint16_t *restrict way, const uint16_t *restrict beside, const uint8_t *restrict ways, enum side side)
{
	const unsigned left = side == ABOVE ? WAVE_NW : WAVE_SW, middle = side == ABOVE ? WAVE_N : WAVE_S,
		       right = side == ABOVE ? WAVE_NE : WAVE_SE;
	uint16_t news = 0;
	for (int i = 0; i < BLOCK; i++) {
		uint16_t now = less(way[i], along(beside[i], ways[i] & middle, CAIRN_WAVEFRONT_STEP));
		now = less(now, less(along(beside[i - 1], ways[i] & left, DIAGONAL),
				    along(beside[i + 1], ways[i] & right, DIAGONAL)));
		news |= (uint16_t)(way[i] ^ now);
		way[i] = now;
	}
	return news != 0;
}

/* ---- along a row ---- */

static inline bool leads_on(const struct cairn_wavefront *wave, size_t index, int step)
{
	if (wave->halved)
		return (wave->hint[index] & (step > 0 ? WAVE_E : WAVE_W)) != 0;
	return wave->shut[index + (size_t)step] == 0;
}

/* Goes on from a cell along its row as long as the next ones become nearer. */
static void run_on(struct cairn_wavefront *wave, int32_t x, int32_t y, int step)
{
	const size_t row = BLOCK + (size_t)y * (size_t)wave->stride;
	for (size_t i = row + (size_t)x;
	     leads_on(wave, i, step) && wave->way[i] + CAIRN_WAVEFRONT_STEP < wave->way[i + (size_t)step];
	     i += (size_t)step) {
		wave->way[i + (size_t)step] = (uint16_t)(wave->way[i] + CAIRN_WAVEFRONT_STEP);
		int32_t block = (int32_t)(i + (size_t)step - row) / BLOCK;
		add_block(&wave->news[ABOVE][y], block);
		add_block(&wave->news[BELOW][y], block);
	}
}

/* In a row that has taken over what the one beside it tells, cells beside each other differ by no more than a
 * step, but at a corner: there what came aslant goes on along the row, and may be news to the row it came
 * from behind what is shut. */
static void turn_corner(struct cairn_wavefront *wave, int32_t x, int32_t y, enum side side, unsigned hint)
{
	const int32_t stride = wave->stride;
	const size_t at = BLOCK + (size_t)y * (size_t)stride + (size_t)x;
	const size_t beside = side == ABOVE ? at - (size_t)stride : at + (size_t)stride;
	for (int step = 1; step >= -1; step -= 2) {
		unsigned corner = step > 0 ? (side == ABOVE ? WAVE_RIGHT_OF_N : WAVE_RIGHT_OF_S)
					   : (side == ABOVE ? WAVE_LEFT_OF_N : WAVE_LEFT_OF_S);
		if ((hint & corner) == 0)
			continue;
		run_on(wave, x, y, step);
		size_t behind = beside + (size_t)step;
		if (wave->shut[behind] == 0 && wave->way[at] + DIAGONAL < wave->way[behind])
			add_block(&wave->news[!side][y], x / BLOCK);
	}
}

static void turn_corners(
    struct cairn_wavefront *wave, int32_t y, enum side side, struct cairn_wavefront_span changed)
{
	const size_t row = BLOCK + (size_t)y * (size_t)wave->stride;
	const uint8_t *hint = wave->hint + row;
	for (int32_t x = changed.lo * BLOCK; x < (changed.hi + 1) * BLOCK; x += 8) {
		uint64_t eight;
		memcpy(&eight, hint + x, sizeof(eight));
		if (eight == 0)
			continue;
		for (int32_t i = x; i < x + 8; i++)
			if (hint[i] != 0 && wave->way[row + (size_t)i] < FAR)
				turn_corner(wave, i, y, side, hint[i]);
	}
}

/* Of blocks any may be one. */
static void run_everywhere(
    struct cairn_wavefront *wave, int32_t y, enum side side, struct cairn_wavefront_span changed)
{
	int32_t x0 = changed.lo * BLOCK, x1 = (changed.hi + 1) * BLOCK - 1;
	for (int32_t x = x0; x <= x1; x++)
		run_on(wave, x, y, 1);
	for (int32_t x = x1; x >= x0; x--)
		run_on(wave, x, y, -1);
	add_block(&wave->news[!side][y], changed.lo);
	add_block(&wave->news[!side][y], changed.hi);
}

/* ---- row by row ---- */

/* What is news in a row may reach one cell farther in the next. */
static struct cairn_wavefront_span widened(
    const struct cairn_wavefront *wave, int32_t y, int32_t beside, struct cairn_wavefront_span span)
{
	const uint16_t *to = wave->way + BLOCK + (size_t)y * (size_t)wave->stride;
	const uint16_t *from = wave->way + BLOCK + (size_t)beside * (size_t)wave->stride;
	int32_t left = span.lo * BLOCK - 1, right = (span.hi + 1) * BLOCK;
	if (left >= 0 && from[left + 1] + DIAGONAL < to[left])
		span.lo--;
	if (right < wave->stride && from[right - 1] + DIAGONAL < to[right])
		span.hi++;
	return span;
}

static void pull_row(struct cairn_wavefront *wave, int32_t y, enum side side)
{
	const int32_t beside = side == ABOVE ? y - 1 : y + 1;
	struct cairn_wavefront_span span = widened(wave, y, beside, wave->news[side][beside]);
	struct cairn_wavefront_span changed = {INT32_MAX, -1};
	const size_t at = BLOCK + (size_t)y * (size_t)wave->stride,
		     from = BLOCK + (size_t)beside * (size_t)wave->stride;
	wave->news[side][beside] = changed;
	for (int32_t b = span.lo; b <= span.hi; b++) {
		size_t i = (size_t)b * BLOCK;
		if (wave->halved
			? pull_blocks(wave->way + at + i, wave->way + from + i, wave->hint + at + i, side)
			: pull_cells(wave->way + at + i, wave->way + from + i, wave->shut + at + i))
			add_block(&changed, b);
	}
	if (changed.hi < changed.lo)
		return;
	add_block(&wave->news[side][y], changed.lo);
	add_block(&wave->news[side][y], changed.hi);
	if (wave->halved)
		run_everywhere(wave, y, side, changed);
	else
		turn_corners(wave, y, side, changed);
}

/* True: there was something to do. */
static bool sweep(struct cairn_wavefront *wave, enum side side)
{
	bool any = false;
	const int32_t step = side == ABOVE ? 1 : -1, end = side == ABOVE ? wave->rows - 1 : 0;
	for (int32_t y = side == ABOVE ? 1 : wave->rows - 2; y != end; y += step) {
		const struct cairn_wavefront_span *news = &wave->news[side][y - step];
		if (news->hi < news->lo)
			continue;
		pull_row(wave, y, side);
		any = true;
	}
	return any;
}

/* ---- the start ---- */

static void seed(struct cairn_wavefront *wave, int32_t x, int32_t y)
{
	int32_t s = wave->halved, u = (x + s) >> s, v = (y + s) >> s;
	wave->way[cairn_wavefront_index(wave, x, y)] = 0;
	add_block(&wave->news[ABOVE][v], u / BLOCK);
	add_block(&wave->news[BELOW][v], u / BLOCK);
	run_on(wave, u, v, 1);
	run_on(wave, u, v, -1);
}

/* Seeds every cell with enough clearance that free cells within reach of (x0, y0) lead to. */
static void escape(struct cairn_wavefront *wave, int32_t x0, int32_t y0, int reach)
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
		if (wave->cell[index] != CAIRN_WAVEFRONT_FREE && next > 0)
			continue;
		if (wave->open[index]) {
			seed(wave, x, y);
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
}

void cairn_wavefront_spread(struct cairn_wavefront *wave, int32_t x, int32_t y, int need2, int escape_cells)
{
	wave->need2 = need2;
	wave_mark(wave);
	escape(wave, x, y, escape_cells < ESCAPE_MAX ? escape_cells : ESCAPE_MAX);
	bool down = true, up = true;
	while (down || up) {
		down = sweep(wave, ABOVE);
		up = sweep(wave, BELOW);
	}
}
