#include "common/plan/astar.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/prefault.h"

struct entry {
	double f;
	double g;
	int32_t cell;
};

struct cell_state {
	double g;
	uint32_t search; /* g and the rest are of this search; older ones count as never seen */
	uint8_t from;    /* direction of the step that led here */
	bool closed;
};

struct cairn_astar {
	struct cell_state *state;
	size_t capacity;
	struct entry *heap;
	size_t heap_count, heap_capacity;
	uint32_t search;
	int width, start, goal;
	bool found;
};

static const int step_x[8] = {1, 0, -1, 0, 1, -1, -1, 1};
static const int step_y[8] = {0, 1, 0, -1, 1, 1, -1, -1};

struct cairn_astar *cairn_astar_new(void)
{
	return calloc(1, sizeof(struct cairn_astar));
}

void cairn_astar_destroy(struct cairn_astar **a_p)
{
	if (*a_p == NULL)
		return;
	free((*a_p)->state);
	free((*a_p)->heap);
	free(*a_p);
	*a_p = NULL;
}

static bool before(const struct entry *a, const struct entry *b)
{
	/* Of equal f the one nearer to the goal, which saves the plateau. */
	return a->f < b->f || (a->f == b->f && a->g > b->g);
}

static bool push(struct cairn_astar *a, struct entry e)
{
	if (a->heap_count == a->heap_capacity) {
		size_t grown = a->heap_capacity == 0 ? 4096 : a->heap_capacity * 2;
		struct entry *heap = realloc(a->heap, grown * sizeof(*heap));
		if (heap == NULL)
			return false;
		a->heap = heap;
		a->heap_capacity = grown;
	}
	size_t i = a->heap_count++;
	while (i > 0) {
		size_t up = (i - 1) / 4;
		if (!before(&e, &a->heap[up]))
			break;
		a->heap[i] = a->heap[up];
		i = up;
	}
	a->heap[i] = e;
	return true;
}

static struct entry pop(struct cairn_astar *a)
{
	struct entry top = a->heap[0], last = a->heap[--a->heap_count];
	size_t i = 0;
	for (;;) {
		size_t first = 4 * i + 1, best = first;
		if (first >= a->heap_count)
			break;
		for (size_t k = first + 1; k < first + 4 && k < a->heap_count; k++)
			if (before(&a->heap[k], &a->heap[best]))
				best = k;
		if (!before(&a->heap[best], &last))
			break;
		a->heap[i] = a->heap[best];
		i = best;
	}
	a->heap[i] = last;
	return top;
}

static double octile(const struct cairn_astar_query *q, int cell)
{
	int dx = abs(cell % q->width - q->goal % q->width), dy = abs(cell / q->width - q->goal / q->width);
	int straight = abs(dx - dy), diagonal = dx < dy ? dx : dy;
	return (double)straight + M_SQRT2 * (double)diagonal;
}

static struct cell_state *touch(struct cairn_astar *a, int cell)
{
	struct cell_state *s = &a->state[cell];
	if (s->search != a->search)
		*s = (struct cell_state){.g = INFINITY, .search = a->search};
	return s;
}

/* Directions that may be taken from a cell, as bits. */
static unsigned open_steps(const struct cairn_astar_query *q, int x, int y)
{
	const uint8_t *p = q->passable + (size_t)y * (size_t)q->width + x;
	int w = q->width;
	unsigned open = 0;
	open |= x + 1 < w && p[1] ? 1u : 0u;
	open |= y + 1 < q->height && p[w] ? 2u : 0u;
	open |= x > 0 && p[-1] ? 4u : 0u;
	open |= y > 0 && p[-w] ? 8u : 0u;
	for (unsigned d = 4; d < 8; d++) {
		unsigned beside = (step_x[d] > 0 ? 1u : 4u) | (step_y[d] > 0 ? 2u : 8u);
		if ((open & beside) == beside && p[step_y[d] * w + step_x[d]])
			open |= 1u << d;
	}
	return open;
}

static bool expand(struct cairn_astar *a, const struct cairn_astar_query *q, int cell, double g)
{
	unsigned open = open_steps(q, cell % q->width, cell / q->width);
	for (int d = 0; d < 8; d++) {
		if ((open >> d & 1u) == 0)
			continue;
		int to = cell + step_y[d] * q->width + step_x[d];
		double cost = d < 4 ? 1.0 : M_SQRT2;
		if (q->factor != NULL)
			cost *= 0.5 * ((double)q->factor[cell] + (double)q->factor[to]);
		struct cell_state *s = touch(a, to);
		if (s->closed || g + cost >= s->g)
			continue;
		s->g = g + cost;
		s->from = (uint8_t)d;
		if (!push(a, (struct entry){s->g + octile(q, to), s->g, to}))
			return false;
	}
	return true;
}

static int prepare(struct cairn_astar *a, const struct cairn_astar_query *q)
{
	size_t cells = (size_t)q->width * (size_t)q->height;
	if (cells > a->capacity) {
		struct cell_state *grown = calloc(cells, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		cairn_prefault_touch(grown, cells * sizeof(*grown));
		free(a->state);
		a->state = grown;
		a->capacity = cells;
		a->search = 0;
	}
	if (++a->search == 0) { /* wrapped: what is old could look new */
		for (size_t i = 0; i < a->capacity; i++)
			a->state[i].search = 0;
		a->search = 1;
	}
	a->heap_count = 0;
	a->width = q->width;
	a->start = q->start;
	a->goal = q->goal;
	a->found = false;
	return 0;
}

static enum cairn_astar_result search(
    struct cairn_astar *a, const struct cairn_astar_query *q, struct cairn_astar_stats *stats)
{
	touch(a, q->start)->g = 0.0;
	if (!push(a, (struct entry){octile(q, q->start), 0.0, q->start}))
		return CAIRN_ASTAR_NO_MEMORY;
	while (a->heap_count > 0) {
		struct entry top = pop(a);
		struct cell_state *s = touch(a, top.cell);
		if (s->closed)
			continue;
		s->closed = true;
		stats->expansions++;
		if (top.cell == q->goal) {
			stats->length = s->g;
			a->found = true;
			return CAIRN_ASTAR_OK;
		}
		if (q->expansions_max > 0 && stats->expansions >= q->expansions_max)
			return CAIRN_ASTAR_LIMIT;
		if (q->now_ns != NULL && stats->expansions % 1024 == 0 && q->now_ns(q->ctx) >= q->deadline_ns)
			return CAIRN_ASTAR_LIMIT;
		if (!expand(a, q, top.cell, s->g))
			return CAIRN_ASTAR_NO_MEMORY;
	}
	return CAIRN_ASTAR_NO_PATH;
}

enum cairn_astar_result cairn_astar_search(
    struct cairn_astar *a, const struct cairn_astar_query *query, struct cairn_astar_stats *stats)
{
	struct cairn_astar_stats own = {0};
	a->found = false;
	int64_t cells = (int64_t)query->width * query->height;
	enum cairn_astar_result result;
	if (query->start < 0 || query->start >= cells || !query->passable[query->start])
		result = CAIRN_ASTAR_START_BLOCKED;
	else if (query->goal < 0 || query->goal >= cells || !query->passable[query->goal])
		result = CAIRN_ASTAR_GOAL_BLOCKED;
	else if (prepare(a, query) < 0)
		result = CAIRN_ASTAR_NO_MEMORY;
	else
		result = search(a, query, &own);
	if (stats != NULL)
		*stats = own;
	return result;
}

int cairn_astar_path(const struct cairn_astar *a, int *indices, int max)
{
	if (!a->found)
		return 0;
	int count = 1;
	for (int c = a->goal; c != a->start; count++) {
		int d = a->state[c].from;
		c -= step_y[d] * a->width + step_x[d];
	}
	int at = count - 1;
	for (int c = a->goal;; at--) {
		if (at < max)
			indices[at] = c;
		if (c == a->start)
			return count;
		int d = a->state[c].from;
		c -= step_y[d] * a->width + step_x[d];
	}
}
