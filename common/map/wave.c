#include "common/map/wave.h"

#include <stdlib.h>
#include <string.h>

#define DIAGONAL 7
#define ESCAPE_MAX 30
#define RUN 40 /* cells; 12 x RUN + 7 < CAIRN_WAVE_BUCKETS */
#define NEVER (CAIRN_WAVE_NEVER >> 9)
#define DISTANCE_BIT 9 /* of a state */
#define INNER (1U << 8)
#define EVERYWHERE 0xFFU

/* Directions: E W N S, then NE NW SE SW (N is a row up in memory). A straight run goes straight on; a
 * diagonal one also to both its sides. */
static const uint8_t hands_on[8] = {1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4 | 1 << 0 | 1 << 2,
    1 << 5 | 1 << 1 | 1 << 2, 1 << 6 | 1 << 0 | 1 << 3, 1 << 7 | 1 << 1 | 1 << 3};
static const uint8_t sides[8][2] = {[4] = {0, 2}, {1, 2}, {0, 3}, {1, 3}};

void cairn_wave_init(struct cairn_wave *wave)
{
	*wave = (struct cairn_wave){0};
}

static void free_arrays(struct cairn_wave *wave)
{
	free(wave->cell);
	free(wave->driven);
	free(wave->clearance2);
	free(wave->row2);
	free(wave->open);
	free(wave->line);
	free(wave->block);
	free(wave->fresh);
	free(wave->state);
	wave->capacity = 0;
}

void cairn_wave_free(struct cairn_wave *wave)
{
	free_arrays(wave);
	for (int i = 0; i < CAIRN_WAVE_BUCKETS; i++)
		free(wave->bucket[i]);
	*wave = (struct cairn_wave){0};
}

bool cairn_wave_resize(struct cairn_wave *wave, int32_t width, int32_t height)
{
	size_t cells = (size_t)width * (size_t)height;
	if (cells > wave->capacity) {
		size_t room = cells + cells / 2;
		free_arrays(wave);
		wave->cell = malloc(room);
		wave->driven = malloc(room);
		wave->clearance2 = malloc(room * sizeof(*wave->clearance2));
		wave->row2 = malloc(room * sizeof(*wave->row2));
		wave->open = malloc(room);
		wave->line = malloc(room);
		wave->block = malloc(room);
		wave->fresh = malloc(room * sizeof(*wave->fresh));
		wave->state = malloc(room * sizeof(*wave->state));
		wave->capacity = room;
	}
	if (wave->cell == NULL || wave->driven == NULL || wave->clearance2 == NULL || wave->row2 == NULL ||
	    wave->open == NULL || wave->line == NULL || wave->block == NULL || wave->fresh == NULL ||
	    wave->state == NULL) {
		wave->capacity = 0;
		return false;
	}
	wave->width = width;
	wave->height = height;
	wave->halved = 0;
	wave->kept_need2 = 0;
	memset(wave->driven, 0, cells);
	return true;
}

void cairn_wave_halve(struct cairn_wave *wave, bool halve)
{
	wave->kept_need2 = 0;
	wave->halved =
	    halve && wave->width >= 4 && wave->height >= 4; /* else blocks and frame are no fewer */
}

static int16_t min16(int16_t a, int16_t b)
{
	return a < b ? a : b;
}

/* Squared distance along one row, columns x0 to x1, to the nearest occupied cell; far beyond bound. Occupied
 * cells are few: each is stamped into its surroundings. */
static void row_distances(
    const uint8_t *cell, int16_t *out, int32_t x0, int32_t x1, int32_t width, int32_t bound, int16_t far)
{
	for (int32_t x = x0; x <= x1; x++)
		out[x] = far;
	int32_t from = x0 < bound ? 0 : x0 - bound, to = x1 + bound >= width ? width - 1 : x1 + bound;
	const uint8_t *end = cell + to + 1;
	for (const uint8_t *p = cell + from; p < end; p++) {
		p = memchr(p, CAIRN_WAVE_OCCUPIED, (size_t)(end - p));
		if (p == NULL)
			break;
		int32_t at = (int32_t)(p - cell);
		int32_t lo = at - bound < x0 ? x0 : at - bound, hi = at + bound > x1 ? x1 : at + bound;
		if (at > from && cell[at - 1] == CAIRN_WAVE_OCCUPIED)
			lo = at < x0 ? x0 : at; /* the one before has done that side */
		for (int32_t x = lo; x <= hi; x++)
			out[x] = min16(out[x], (int16_t)((x - at) * (x - at)));
	}
}

static int32_t clip(int32_t v, int32_t end)
{
	return v < 0 ? 0 : v > end ? end : v;
}

static void add_stale(struct cairn_wave *wave, struct cairn_wave_box box)
{
	struct cairn_wave_box *s = &wave->stale;
	s->x0 = box.x0 < s->x0 ? box.x0 : s->x0;
	s->y0 = box.y0 < s->y0 ? box.y0 : s->y0;
	s->x1 = box.x1 > s->x1 ? box.x1 : s->x1;
	s->y1 = box.y1 > s->y1 ? box.y1 : s->y1;
}

void cairn_wave_driven_in(struct cairn_wave *wave, struct cairn_wave_box box)
{
	add_stale(wave, box);
}

/* Those of a row between two columns from what the rows up to bound away tell, the two at each distance
 * together. */
static void clearances_of(const struct cairn_wave *wave, int32_t y, int32_t x0, int32_t x1, int bound)
{
	const ptrdiff_t w = wave->width;
	const int32_t count = x1 - x0 + 1;
	int16_t *restrict out = wave->clearance2 + y * w + x0;
	const int16_t *row2 = wave->row2 + y * w + x0;
	memcpy(out, row2, (size_t)count * sizeof(*out));
	for (int32_t k = 1; k <= bound; k++) {
		bool above = y - k >= 0, below = y + k < wave->height;
		if (!above && !below)
			return;
		/* At the window's edge twice the one there is. */
		const int16_t *restrict a = row2 + (above ? -k : k) * w;
		const int16_t *restrict b = row2 + (below ? k : -k) * w;
		const int16_t add = (int16_t)(k * k);
		for (int32_t x = 0; x < count; x++)
			out[x] = min16(out[x], (int16_t)(min16(a[x], b[x]) + add));
	}
}

void cairn_wave_clearances_in(struct cairn_wave *wave, int bound_cells, struct cairn_wave_box box)
{
	int32_t w = wave->width, h = wave->height;
	int16_t far = (int16_t)(bound_cells * bound_cells + 1);
	int32_t x0 = clip(box.x0 - bound_cells, w - 1), x1 = clip(box.x1 + bound_cells, w - 1);
	int32_t y0 = clip(box.y0 - bound_cells, h - 1), y1 = clip(box.y1 + bound_cells, h - 1);
	add_stale(wave, (struct cairn_wave_box){x0, y0, x1, y1});
	/* The rows of the box itself are measured anew; those beside it are as they were. */
	for (int32_t y = clip(box.y0, h - 1); y <= clip(box.y1, h - 1); y++)
		row_distances(wave->cell + (size_t)y * (size_t)w, wave->row2 + (size_t)y * (size_t)w, x0, x1,
		    w, bound_cells, far);
	for (int32_t y = y0; y <= y1; y++)
		clearances_of(wave, y, x0, x1, bound_cells);
}

void cairn_wave_clearances(struct cairn_wave *wave, int bound_cells)
{
	cairn_wave_clearances_in(
	    wave, bound_cells, (struct cairn_wave_box){0, 0, wave->width - 1, wave->height - 1});
}

static bool push(struct cairn_wave *wave, uint32_t distance, size_t index)
{
	unsigned b = distance % CAIRN_WAVE_BUCKETS;
	if (wave->bucket_count[b] == wave->bucket_capacity[b]) {
		size_t room = wave->bucket_capacity[b] * 2 + 128;
		uint32_t *grown = realloc(wave->bucket[b], room * sizeof(*grown));
		if (grown == NULL)
			return false;
		wave->bucket[b] = grown;
		wave->bucket_capacity[b] = room;
	}
	wave->bucket[b][wave->bucket_count[b]++] = (uint32_t)index;
	wave->waiting++;
	return true;
}

static void mark_open(struct cairn_wave *wave, struct cairn_wave_box box)
{
	int32_t w = wave->width, h = wave->height;
	int16_t need2 = (int16_t)wave->need2,
		driven2 = need2 < CAIRN_WAVE_DRIVEN2 ? need2 : CAIRN_WAVE_DRIVEN2;
	for (int32_t y = box.y0; y <= box.y1; y++) {
		size_t row = (size_t)y * (size_t)w;
		const uint8_t *restrict cell = wave->cell + row, *restrict driven = wave->driven + row;
		const int16_t *restrict clearance2 = wave->clearance2 + row;
		uint8_t *restrict open = wave->open + row;
		for (int32_t x = box.x0; x <= box.x1; x++)
			open[x] =
			    (uint8_t)((cell[x] == CAIRN_WAVE_FREE) &
				      ((clearance2[x] >= need2) | (driven[x] & (clearance2[x] >= driven2))));
		open[0] = open[w - 1] = 0;
	}
	memset(wave->open, 0, (size_t)w);
	memset(wave->open + (size_t)(h - 1) * (size_t)w, 0, (size_t)w);
}

/* Cells that may be entered are NEVER away, others and the frame 0: one comparison decides, without bounds
 * checks. */
static void mark_states(struct cairn_wave *wave, struct cairn_wave_box box)
{
	int32_t w = wave->width, h = wave->height, x0 = clip(box.x0 - 1, w - 1), x1 = clip(box.x1 + 1, w - 1);
	uint8_t *restrict column = wave->line;
	wave->stride = w;
	memset(wave->fresh, 0, (size_t)w * sizeof(*wave->fresh));
	memset(wave->fresh + (size_t)(h - 1) * (size_t)w, 0, (size_t)w * sizeof(*wave->fresh));
	for (int32_t y = clip(box.y0 - 2, h - 3) + 1; y <= clip(box.y1, h - 3) + 1; y++) {
		const uint8_t *restrict at = wave->open + (size_t)y * (size_t)w;
		const uint8_t *above = at - w, *below = at + w;
		uint32_t *restrict fresh = wave->fresh + (size_t)y * (size_t)w;
		for (int32_t x = clip(x0 - 1, w - 1); x <= clip(x1 + 1, w - 1); x++)
			column[x] = (uint8_t)(above[x] & at[x] & below[x]);
		/* The end is known before: the compiler's vectors. */
		const int32_t from = x0 > 1 ? x0 : 1, to = x1 < w - 2 ? x1 : w - 2;
		for (int32_t x = from; x <= to; x++) {
			uint32_t inner = column[x - 1] & column[x] & column[x + 1];
			fresh[x] = (0U - at[x]) & (NEVER << 9 | inner << 8 | (EVERYWHERE & (inner - 1U)));
		}
		fresh[0] = fresh[w - 1] = 0;
	}
}

/* Which of their four cells may be entered: 1 and 2 in the upper row (in memory), 4 and 8 in the lower one.
 * Block (1, 1) begins at cell (1, 1), so that the frame of cells lies in blocks of its own or beside closed
 * ones. */
static void mark_blocks(struct cairn_wave *wave, int32_t blocks_x, struct cairn_wave_box box)
{
	for (int32_t y = box.y0; y <= box.y1 && 2 * y < wave->height; y++) {
		const uint8_t *restrict upper = wave->open + (size_t)(2 * y - 1) * (size_t)wave->width;
		const uint8_t *restrict lower = upper + wave->width;
		uint8_t *restrict block = wave->block + (size_t)y * (size_t)blocks_x;
		for (int32_t x = box.x0; x <= box.x1 && 2 * x < wave->width; x++)
			block[x] = (uint8_t)(upper[2 * x - 1] | upper[2 * x] << 1 | lower[2 * x - 1] << 2 |
					     lower[2 * x] << 3);
	}
}

/* The ways out of a block: those by which an open cell of it touches one of the neighbour's, so that a chain
 * of blocks is a chain of cells (the four of a block touch each other). */
static uint32_t ways_out(const uint8_t *at, ptrdiff_t w)
{
	enum { NW = 1, NE = 2, SW = 4, SE = 8, E = NE | SE, W = NW | SW, N = NW | NE, S = SW | SE };
	const unsigned c = *at;
	return (uint32_t)((c & E && at[1] & W) << 0 | (c & W && at[-1] & E) << 1 | (c & S && at[w] & N) << 2 |
			  (c & N && at[-w] & S) << 3 | (c & SE && at[w + 1] & NW) << 4 |
			  (c & SW && at[w - 1] & NE) << 5 | (c & NE && at[-w + 1] & SW) << 6 |
			  (c & NW && at[-w - 1] & SE) << 7);
}

/* As mark_states, for blocks. Inner are those in the middle of nine without a closed cell. */
static void mark_block_states(struct cairn_wave *wave, struct cairn_wave_box box)
{
	const int32_t w = wave->width / 2 + 2, h = wave->height / 2 + 2;
	const uint8_t full = 15;
	uint8_t *restrict column = wave->line;
	wave->stride = w;
	if (wave->kept_need2 == 0) { /* the frame, too */
		memset(wave->block, 0, (size_t)w * (size_t)h);
		memset(wave->fresh, 0, (size_t)w * (size_t)h * sizeof(*wave->fresh));
	}
	/* Those of the box's cells, and their neighbours. */
	struct cairn_wave_box b = {clip((box.x0 + 1) / 2 - 1, w - 3) + 1,
	    clip((box.y0 + 1) / 2 - 1, h - 3) + 1, clip((box.x1 + 1) / 2 - 1, w - 3) + 1,
	    clip((box.y1 + 1) / 2 - 1, h - 3) + 1};
	mark_blocks(wave, w, b);
	b = (struct cairn_wave_box){b.x0 > 1 ? b.x0 - 1 : 1, b.y0 > 1 ? b.y0 - 1 : 1,
	    b.x1 < w - 2 ? b.x1 + 1 : w - 2, b.y1 < h - 2 ? b.y1 + 1 : h - 2};
	for (int32_t y = b.y0; y <= b.y1; y++) {
		const uint8_t *at = wave->block + (size_t)y * (size_t)w, *above = at - w, *below = at + w;
		uint32_t *fresh = wave->fresh + (size_t)y * (size_t)w;
		for (int32_t x = b.x0 - 1; x <= b.x1 + 1; x++)
			column[x] = above[x] & at[x] & below[x];
		for (int32_t x = b.x0; x <= b.x1; x++) {
			bool inner = (column[x - 1] & column[x] & column[x + 1]) == full;
			uint32_t state = NEVER << 9 | (inner ? INNER : ways_out(at + x, w));
			fresh[x] = at[x] != 0 ? state : 0;
		}
	}
}

/* Brings open, block and fresh up to date and lays fresh out for a new wave. */
static void mark(struct cairn_wave *wave)
{
	if (!wave->told || wave->kept_need2 == 0 || wave->need2 != wave->kept_need2) {
		wave->kept_need2 = 0;
		wave->stale = (struct cairn_wave_box){0, 0, wave->width - 1, wave->height - 1};
	}
	if (wave->stale.x1 >= wave->stale.x0) {
		mark_open(wave, wave->stale);
		if (wave->halved)
			mark_block_states(wave, wave->stale);
		else
			mark_states(wave, wave->stale);
	}
	wave->kept_need2 = wave->need2;
	wave->stale = (struct cairn_wave_box){INT32_MAX, INT32_MAX, -1, -1};
	size_t rows = (size_t)(wave->halved ? wave->height / 2 + 2 : wave->height);
	memcpy(wave->state, wave->fresh, (size_t)wave->stride * rows * sizeof(*wave->state));
}

/* What became of a run that came to a cell. */
enum reached { RUN_ENDS, RUN_GOES_ON, RUN_FAILED };

/* What a run along a way writes and asks. Distances stay where they are in a state: comparing states compares
 * them. */
struct run {
	uint32_t inner_on;   /* an inner cell, with the ways a run hands on */
	uint32_t inner_mine; /* and with the run's own */
};

static inline struct run run_along(int way)
{
	return (struct run){INNER | hands_on[way], INNER | 1U << way};
}

/* at: the distance, as it is in a state. */
static inline enum reached reach_cell(struct cairn_wave *wave, size_t index, uint32_t at, struct run run)
{
	uint32_t state = wave->state[index];
	if (state < at) /* closed, or nearer another way */
		return RUN_ENDS;
	if (state < at + (1U << DISTANCE_BIT)) {
		if ((state & run.inner_mine) != INNER)
			return RUN_ENDS; /* it goes on from there by itself */
		wave->state[index] = state | run.inner_on;
		return RUN_GOES_ON;
	}
	if (state & INNER) {
		wave->state[index] = at | run.inner_on;
		return RUN_GOES_ON;
	}
	wave->state[index] = at | (state & EVERYWHERE);
	return push(wave, at >> DISTANCE_BIT, index) ? RUN_ENDS : RUN_FAILED;
}

static inline bool run_straight(struct cairn_wave *wave, size_t index, uint32_t at, int way, ptrdiff_t step)
{
	const struct run run = run_along(way);
	for (int i = 0; i < RUN; i++) {
		index = (size_t)((ptrdiff_t)index + step);
		at += CAIRN_WAVE_STEP << DISTANCE_BIT;
		enum reached reached = reach_cell(wave, index, at, run);
		if (reached != RUN_GOES_ON)
			return reached == RUN_ENDS;
	}
	return push(wave, at >> DISTANCE_BIT, index);
}

static bool run_diagonal(struct cairn_wave *wave, size_t index, uint32_t at, int way, const ptrdiff_t step[8])
{
	const struct run run = run_along(way);
	for (int i = 0; i < RUN; i++) {
		index = (size_t)((ptrdiff_t)index + step[way]);
		at += DIAGONAL << DISTANCE_BIT;
		enum reached reached = reach_cell(wave, index, at, run);
		if (reached != RUN_GOES_ON)
			return reached == RUN_ENDS;
		for (int k = 0; k < 2; k++)
			if (!run_straight(wave, index, at, sides[way][k], step[sides[way][k]]))
				return false;
	}
	return push(wave, at >> DISTANCE_BIT, index);
}

/* The ways whose first step comes to a cell that is not nearer already. Without branches: beside walls few of
 * the eight are, and which cannot be guessed. */
static inline unsigned ways_worth(
    const struct cairn_wave *wave, size_t index, uint32_t distance, const ptrdiff_t step[8])
{
	const uint32_t *state = wave->state + index;
	unsigned ways = 0;
	for (int k = 0; k < 8; k++)
		ways |= (unsigned)(state[step[k]] >> 9 >= distance + (k < 4 ? CAIRN_WAVE_STEP : DIAGONAL))
			<< k;
	return ways;
}

static bool expand(struct cairn_wave *wave)
{
	const ptrdiff_t w = wave->stride;
	const ptrdiff_t step[8] = {1, -1, w, -w, w + 1, w - 1, -w + 1, -w - 1};
	for (uint32_t now = CAIRN_WAVE_STEP; wave->waiting > 0; now++) {
		unsigned b = now % CAIRN_WAVE_BUCKETS;
		for (size_t i = 0; i < wave->bucket_count[b]; i++) {
			size_t index = wave->bucket[b][i];
			uint32_t state = wave->state[index];
			if (state >> 9 != now)
				continue;
			for (unsigned ways = state & ways_worth(wave, index, now, step); ways != 0;
			     ways &= ways - 1) {
				int k = __builtin_ctz(ways);
				if (k < 4 ? !run_straight(wave, index, now << DISTANCE_BIT, k, step[k])
					  : !run_diagonal(wave, index, now << DISTANCE_BIT, k, step))
					return false;
			}
		}
		wave->waiting -= wave->bucket_count[b];
		wave->bucket_count[b] = 0;
	}
	return true;
}

/* Opens a cell as a start. The start counts from one step, so that 0 can mean closed. */
static bool seed(struct cairn_wave *wave, int32_t x, int32_t y)
{
	size_t index = cairn_wave_index(wave, x, y);
	uint32_t state = wave->state[index];
	if (state >> 9 != NEVER) /* closed, or seeded already */
		return true;
	wave->state[index] = CAIRN_WAVE_STEP << 9 | (state & INNER ? INNER | EVERYWHERE : state & EVERYWHERE);
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
		if (wave->open[index]) {
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
	wave->need2 = need2;
	wave->waiting = 0;
	for (int i = 0; i < CAIRN_WAVE_BUCKETS; i++)
		wave->bucket_count[i] = 0;
	mark(wave);
	return escape(wave, x, y, escape_cells < ESCAPE_MAX ? escape_cells : ESCAPE_MAX) && expand(wave);
}
