/* bench_planner_textbook.c - A* as textbooks have it, to measure the planner's search against.
 *
 * Written as one would for use: coordinates kept beside the index, no division in the inner loop, scratch
 * memory that is stamped instead of cleared, ties broken toward the goal. What it does not have is the
 * planner's pruning. */
#include <math.h>
#include <stdlib.h>

#include "procs/lab/bench_planner.h"

struct node {
	float g;
	uint32_t stamp; /* of the search that g belongs to */
	int32_t parent;
	bool closed;
};

struct item {
	float f, g;
	int32_t cell;
	int16_t x, y;
};

struct bench_textbook {
	const struct bench_map *map;
	struct node *nodes;
	struct item *heap;
	size_t heap_count, heap_max;
	uint32_t stamp;
};

struct bench_textbook *bench_textbook_new(const struct bench_map *map)
{
	size_t cells = (size_t)map->width * (size_t)map->height;
	struct bench_textbook *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->map = map;
	t->nodes = calloc(cells, sizeof(*t->nodes));
	t->heap_max = cells * 8; /* a cell is queued at most once from each neighbour */
	t->heap = malloc(t->heap_max * sizeof(*t->heap));
	if (t->nodes == NULL || t->heap == NULL)
		bench_textbook_destroy(&t);
	return t;
}

void bench_textbook_destroy(struct bench_textbook **t_p)
{
	if (*t_p == NULL)
		return;
	free((*t_p)->nodes);
	free((*t_p)->heap);
	free(*t_p);
	*t_p = NULL;
}

static bool less(const struct item *a, const struct item *b)
{
	return a->f < b->f || (a->f == b->f && a->g > b->g);
}

static void push(struct bench_textbook *t, struct item item)
{
	size_t i = t->heap_count++;
	while (i > 0 && less(&item, &t->heap[(i - 1) / 2])) {
		t->heap[i] = t->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	t->heap[i] = item;
}

static struct item pop(struct bench_textbook *t)
{
	struct item top = t->heap[0], last = t->heap[--t->heap_count];
	size_t i = 0;
	for (;;) {
		size_t kid = 2 * i + 1;
		if (kid >= t->heap_count)
			break;
		if (kid + 1 < t->heap_count && less(&t->heap[kid + 1], &t->heap[kid]))
			kid++;
		if (!less(&t->heap[kid], &last))
			break;
		t->heap[i] = t->heap[kid];
		i = kid;
	}
	t->heap[i] = last;
	return top;
}

static float octile(int dx, int dy)
{
	dx = abs(dx);
	dy = abs(dy);
	return dx > dy ? (float)dx + (float)(M_SQRT2 - 1.0) * (float)dy
		       : (float)dy + (float)(M_SQRT2 - 1.0) * (float)dx;
}

static void visit(
    struct bench_textbook *t, const struct item *from, int dx, int dy, float cost, int goal_x, int goal_y)
{
	int cell = from->cell + dy * t->map->width + dx, x = from->x + dx, y = from->y + dy;
	struct node *n = &t->nodes[cell];
	float g = from->g + cost;
	if (n->stamp == t->stamp && (n->closed || g >= n->g))
		return;
	*n = (struct node){g, t->stamp, from->cell, false};
	push(t, (struct item){g + octile(x - goal_x, y - goal_y), g, cell, (int16_t)x, (int16_t)y});
}

static void expand(struct bench_textbook *t, const struct item *at, int goal_x, int goal_y)
{
	const struct bench_map *m = t->map;
	const uint8_t *p = m->passable + at->cell;
	const float diagonal = (float)M_SQRT2;
	int w = m->width;
	bool e = at->x + 1 < w && p[1], o = at->x > 0 && p[-1];
	bool s = at->y + 1 < m->height && p[w], n = at->y > 0 && p[-w];
	if (e)
		visit(t, at, 1, 0, 1.0f, goal_x, goal_y);
	if (o)
		visit(t, at, -1, 0, 1.0f, goal_x, goal_y);
	if (s)
		visit(t, at, 0, 1, 1.0f, goal_x, goal_y);
	if (n)
		visit(t, at, 0, -1, 1.0f, goal_x, goal_y);
	if (e && s && p[w + 1])
		visit(t, at, 1, 1, diagonal, goal_x, goal_y);
	if (e && n && p[1 - w])
		visit(t, at, 1, -1, diagonal, goal_x, goal_y);
	if (o && s && p[w - 1])
		visit(t, at, -1, 1, diagonal, goal_x, goal_y);
	if (o && n && p[-w - 1])
		visit(t, at, -1, -1, diagonal, goal_x, goal_y);
}

/* Adding up in single precision costs digits; the path's own steps give the length exactly. */
static double exact_length(const struct bench_textbook *t, int start, int goal)
{
	int straight = 0, diagonal = 0, w = t->map->width;
	for (int c = goal; c != start; c = t->nodes[c].parent) {
		int d = abs(c - t->nodes[c].parent);
		if (d == 1 || d == w)
			straight++;
		else
			diagonal++;
	}
	return (double)straight + M_SQRT2 * (double)diagonal;
}

bool bench_textbook_search(struct bench_textbook *t, int start, int goal, double *length, int64_t *nodes)
{
	int w = t->map->width, goal_x = goal % w, goal_y = goal / w;
	*nodes = 0;
	t->heap_count = 0;
	t->stamp++;
	if (!t->map->passable[start] || !t->map->passable[goal])
		return false;
	t->nodes[start] = (struct node){0.0f, t->stamp, start, false};
	push(t, (struct item){0.0f, 0.0f, start, (int16_t)(start % w), (int16_t)(start / w)});
	while (t->heap_count > 0) {
		struct item top = pop(t);
		struct node *n = &t->nodes[top.cell];
		if (n->closed)
			continue;
		n->closed = true;
		++*nodes;
		if (top.cell == goal) {
			*length = exact_length(t, start, goal);
			return true;
		}
		expand(t, &top, goal_x, goal_y);
	}
	return false;
}
