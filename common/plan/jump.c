#include "common/plan/jump.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/prefault.h"

#define SAME 1e-9          /* two sums of the same steps in another order */
#define BUCKETS_A_STEP 4.0 /* measured: finer ones are empty, coarser ones are searched in vain */

struct cell_state {
	double g;
	uint32_t search; /* the rest is of this search; older ones count as never seen */
	int32_t parent;
	uint16_t x, y;     /* counting the border: (1, 1) is cell (0, 0) */
	uint8_t direction; /* of the run that led here */
	bool closed;
};

struct waiting {
	int32_t cell, next;
};

/* Directions in the order of turning: right, down (y grows), left, up. */
static const int step_x[4] = {1, 0, -1, 0};
static const int step_y[4] = {0, 1, 0, -1};

/* Cells wait in buckets by their f. The order within a bucket is not kept, so a cell may be looked at again
 * when a shorter way to it turns up, and the search ends only when no bucket can hold anything better than
 * the goal's length: as exact as a heap, and cheaper. */
struct cairn_jump {
	struct cell_state *state;
	size_t capacity;
	struct waiting *waiting;
	size_t waiting_count, waiting_max;
	int32_t *bucket; /* newest of each, -1 none */
	size_t bucket_count, bucket_max, current;
	uint32_t search;
	bool found, no_memory;

	/* one search */
	const struct cairn_passable *open;
	int width, start, goal, goal_x, goal_y;
	double f_start, bound; /* bound: length to the goal so far */
};

struct cairn_jump *cairn_jump_new(void)
{
	return calloc(1, sizeof(struct cairn_jump));
}

void cairn_jump_destroy(struct cairn_jump **j_p)
{
	if (*j_p == NULL)
		return;
	free((*j_p)->state);
	free((*j_p)->waiting);
	free((*j_p)->bucket);
	free(*j_p);
	*j_p = NULL;
}

/* ---- scans ---- */

/* A line of cells between its two neighbours, all as blocked bits. A run along it ends at a blocked cell, or
 * where a wall beside it has just ended: there the shortest path may turn to that side. */
struct line {
	const uint64_t *at;
	size_t words;
};

/* First place after `from` where a run toward higher bits must stop to look round, or `goal` if that comes
 * first (-1: it is not on this line); -1 if the run ends at a wall. */
static int scan_up(struct line l, int from, int goal)
{
	size_t w = (size_t)from / 64;
	const uint64_t *low = l.at - l.words, *high = l.at + l.words;
	uint64_t ahead = ~UINT64_C(0) << (from % 64) << 1;
	uint64_t low_carry = w > 0 ? low[w - 1] >> 63 : 0, high_carry = w > 0 ? high[w - 1] >> 63 : 0;
	for (;; w++) {
		uint64_t a = low[w], b = high[w], wall = l.at[w];
		uint64_t ended = ((a << 1 | low_carry) & ~a) | ((b << 1 | high_carry) & ~b);
		uint64_t stop = (wall | ended) & ahead;
		if (stop != 0) {
			int bit = __builtin_ctzll(stop), at = (int)(w * 64) + bit;
			if (goal > from && goal <= at)
				return goal;
			return (wall >> bit & 1) != 0 ? -1 : at;
		}
		ahead = ~UINT64_C(0);
		low_carry = a >> 63;
		high_carry = b >> 63;
	}
}

/* The same toward lower bits. */
static int scan_down(struct line l, int from, int goal)
{
	size_t w = (size_t)from / 64;
	const uint64_t *low = l.at - l.words, *high = l.at + l.words;
	uint64_t ahead = (UINT64_C(1) << (from % 64)) - 1;
	bool more = w + 1 < l.words;
	uint64_t low_carry = more ? low[w + 1] << 63 : 0, high_carry = more ? high[w + 1] << 63 : 0;
	for (;; w--) {
		uint64_t a = low[w], b = high[w], wall = l.at[w];
		uint64_t ended = ((a >> 1 | low_carry) & ~a) | ((b >> 1 | high_carry) & ~b);
		uint64_t stop = (wall | ended) & ahead;
		if (stop != 0) {
			int bit = 63 - __builtin_clzll(stop), at = (int)(w * 64) + bit;
			if (goal >= at && goal < from)
				return goal;
			return (wall >> bit & 1) != 0 ? -1 : at;
		}
		ahead = ~UINT64_C(0);
		low_carry = a << 63;
		high_carry = b << 63;
	}
}

static bool blocked(const struct cairn_passable *o, int x, int y)
{
	return (o->rows[(size_t)y * o->row_words + (size_t)x / 64] >> (x % 64) & 1) != 0;
}

/* ---- search ---- */

static double octile(int dx, int dy)
{
	dx = abs(dx);
	dy = abs(dy);
	return dx > dy ? (double)(dx - dy) + M_SQRT2 * (double)dy : (double)(dy - dx) + M_SQRT2 * (double)dx;
}

static bool grow(void **p, size_t *max, size_t item)
{
	size_t room = *max == 0 ? 4096 : 2 * *max;
	void *grown = realloc(*p, room * item);
	if (grown == NULL)
		return false;
	*p = grown;
	*max = room;
	return true;
}

static bool put(struct cairn_jump *j, int32_t cell, double f)
{
	double place = (f - j->f_start) * BUCKETS_A_STEP;
	size_t b = place > (double)j->current ? (size_t)place : j->current; /* rounding may undercut */
	while (b >= j->bucket_max)
		if (!grow((void **)&j->bucket, &j->bucket_max, sizeof(*j->bucket)))
			return false;
	while (j->bucket_count <= b)
		j->bucket[j->bucket_count++] = -1;
	if (j->waiting_count == j->waiting_max &&
	    !grow((void **)&j->waiting, &j->waiting_max, sizeof(*j->waiting)))
		return false;
	j->waiting[j->waiting_count] = (struct waiting){cell, j->bucket[b]};
	j->bucket[b] = (int32_t)j->waiting_count++;
	return true;
}

/* The next cell to look at, or -1 when nothing that waits can be better than the bound. */
static int take(struct cairn_jump *j)
{
	for (; j->current < j->bucket_count; j->current++) {
		if ((double)j->current >= (j->bound - j->f_start) * BUCKETS_A_STEP)
			return -1;
		int32_t *head = &j->bucket[j->current];
		while (*head >= 0) {
			struct waiting w = j->waiting[*head];
			*head = w.next;
			if (!j->state[w.cell].closed)
				return w.cell;
		}
	}
	return -1;
}

static void reach(struct cairn_jump *j, int from, int x, int y, int direction, double g)
{
	int to = (y - 1) * j->width + x - 1;
	struct cell_state *s = &j->state[to];
	if (s->search == j->search && g >= s->g - SAME)
		return;
	double f = g + octile(x - j->goal_x, y - j->goal_y);
	if (f >= j->bound)
		return;
	*s = (struct cell_state){g, j->search, from, (uint16_t)x, (uint16_t)y, (uint8_t)direction, false};
	if (to == j->goal)
		j->bound = g;
	else if (!put(j, to, f))
		j->no_memory = true;
}

/* Straight on from (x, y), which was come to from cell `from` at cost g. */
static void run_straight(struct cairn_jump *j, int from, int x, int y, int direction, double g)
{
	const struct cairn_passable *o = j->open;
	bool level = step_x[direction] != 0;
	struct line l = level ? (struct line){o->rows + (size_t)y * o->row_words, o->row_words}
			      : (struct line){o->columns + (size_t)x * o->column_words, o->column_words};
	int at = level ? x : y;
	int goal = level ? (y == j->goal_y ? j->goal_x : -1) : (x == j->goal_x ? j->goal_y : -1);
	int to = direction < 2 ? scan_up(l, at, goal) : scan_down(l, at, goal);
	if (to < 0)
		return;
	g += (double)abs(to - at);
	reach(j, from, level ? to : x, level ? y : to, direction, g);
}

/* Along a diagonal, with a look along both its straight parts from every cell of it. */
static void run_diagonal(
    struct cairn_jump *j, int from, int x, int y, int direction_x, int direction_y, double g)
{
	const struct cairn_passable *o = j->open;
	int dx = step_x[direction_x], dy = step_y[direction_y];
	while (!blocked(o, x + dx, y) && !blocked(o, x, y + dy) && !blocked(o, x + dx, y + dy)) {
		x += dx;
		y += dy;
		g += M_SQRT2;
		if (x == j->goal_x && y == j->goal_y) {
			reach(j, from, x, y, direction_x, g);
			return;
		}
		run_straight(j, from, x, y, direction_x, g);
		run_straight(j, from, x, y, direction_y, g);
	}
}

/* The run came along `direction`. Straight on, and to a side where a wall has just ended. */
static void expand(struct cairn_jump *j, int cell)
{
	const struct cell_state s = j->state[cell];
	int x = s.x, y = s.y, direction = s.direction;
	double g = s.g;
	run_straight(j, cell, x, y, direction, g);
	int back_x = x - step_x[direction], back_y = y - step_y[direction];
	for (int turn = 1; turn <= 3; turn += 2) {
		int side = (direction + turn) % 4;
		if (!blocked(j->open, back_x + step_x[side], back_y + step_y[side]) ||
		    blocked(j->open, x + step_x[side], y + step_y[side]))
			continue;
		run_straight(j, cell, x, y, side, g);
		bool level = step_x[direction] != 0;
		run_diagonal(j, cell, x, y, level ? direction : side, level ? side : direction, g);
	}
}

static void expand_start(struct cairn_jump *j)
{
	int x = j->start % j->width + 1, y = j->start / j->width + 1;
	for (int direction = 0; direction < 4; direction++) {
		run_straight(j, j->start, x, y, direction, 0.0);
		int next = (direction + 1) % 4;
		bool level = step_x[direction] != 0;
		run_diagonal(j, j->start, x, y, level ? direction : next, level ? next : direction, 0.0);
	}
}

static int prepare(struct cairn_jump *j, const struct cairn_jump_query *q)
{
	const struct cairn_passable *o = q->open;
	size_t cells = (size_t)o->width * (size_t)o->height;
	if (cells > j->capacity) {
		struct cell_state *grown = calloc(cells, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		cairn_prefault_touch(grown, cells * sizeof(*grown));
		free(j->state);
		j->state = grown;
		j->capacity = cells;
		j->search = 0;
	}
	if (++j->search == 0) { /* wrapped: what is old could look new */
		for (size_t i = 0; i < j->capacity; i++)
			j->state[i].search = 0;
		j->search = 1;
	}
	j->waiting_count = j->bucket_count = j->current = 0;
	j->no_memory = false;
	j->open = o;
	j->width = o->width;
	j->start = q->start;
	j->goal = q->goal;
	j->goal_x = q->goal % o->width + 1;
	j->goal_y = q->goal / o->width + 1;
	return 0;
}

static enum cairn_astar_result search(
    struct cairn_jump *j, const struct cairn_jump_query *q, struct cairn_astar_stats *stats)
{
	j->state[q->start] = (struct cell_state){.search = j->search, .parent = q->start, .closed = true};
	stats->expansions = 1;
	if (q->start == q->goal) {
		j->found = true;
		return CAIRN_ASTAR_OK;
	}
	j->bound = INFINITY;
	j->f_start = octile(j->goal_x - j->start % j->width - 1, j->goal_y - j->start / j->width - 1);
	expand_start(j);
	for (int cell; !j->no_memory && (cell = take(j)) >= 0;) {
		if (q->expansions_max > 0 && stats->expansions >= q->expansions_max)
			return CAIRN_ASTAR_LIMIT;
		if (q->now_ns != NULL && stats->expansions % 256 == 0 && q->now_ns(q->ctx) >= q->deadline_ns)
			return CAIRN_ASTAR_LIMIT;
		stats->expansions++;
		j->state[cell].closed = true;
		expand(j, cell);
	}
	if (j->no_memory)
		return CAIRN_ASTAR_NO_MEMORY;
	if (isinf(j->bound))
		return CAIRN_ASTAR_NO_PATH;
	stats->length = j->bound;
	j->found = true;
	return CAIRN_ASTAR_OK;
}

enum cairn_astar_result cairn_jump_search(
    struct cairn_jump *j, const struct cairn_jump_query *query, struct cairn_astar_stats *stats)
{
	struct cairn_astar_stats own = {0};
	const struct cairn_passable *o = query->open;
	int64_t cells = (int64_t)o->width * o->height;
	enum cairn_astar_result result;
	j->found = false;
	if (query->start < 0 || query->start >= cells || o->region[query->start] < 0)
		result = CAIRN_ASTAR_START_BLOCKED;
	else if (query->goal < 0 || query->goal >= cells || o->region[query->goal] < 0)
		result = CAIRN_ASTAR_GOAL_BLOCKED;
	else if (!cairn_passable_connected(o, query->start, query->goal))
		result = CAIRN_ASTAR_NO_PATH;
	else if (prepare(j, query) < 0)
		result = CAIRN_ASTAR_NO_MEMORY;
	else
		result = search(j, query, &own);
	if (stats != NULL)
		*stats = own;
	return result;
}

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

/* Steps between two cells of the path: a diagonal, then straight. */
static int steps_between(const struct cairn_jump *j, int a, int b)
{
	int dx = abs(b % j->width - a % j->width), dy = abs(b / j->width - a / j->width);
	return dx > dy ? dx : dy;
}

int cairn_jump_path(const struct cairn_jump *j, int *indices, int max)
{
	if (!j->found)
		return 0;
	int count = 1;
	for (int c = j->goal; c != j->start; c = j->state[c].parent)
		count += steps_between(j, j->state[c].parent, c);
	int end = count - 1; /* place of c in the path */
	if (end < max)
		indices[end] = j->goal;
	for (int c = j->goal; c != j->start; c = j->state[c].parent) {
		int from = j->state[c].parent, steps = steps_between(j, from, c);
		int x = from % j->width, y = from / j->width, to_x = c % j->width, to_y = c / j->width;
		for (int i = end - steps; i < end; i++) {
			if (i < max)
				indices[i] = y * j->width + x;
			x += sign(to_x - x);
			y += sign(to_y - y);
		}
		end -= steps;
	}
	return count;
}
