#include "common/slam/pose_graph_private.h"

#include "common/base/prefault.h"

#include <stdlib.h>
#include <string.h>

/* The factor is L L' with L in columns by order of elimination. The column of an unknown holds its own block
 * (diagonal) and blocks for those of its neighbours that are eliminated later; eliminating an unknown ties
 * all of these to each other (fill). Taking the one with the fewest neighbours first keeps that small. */

struct set { /* sorted numbers */
	uint32_t *items, count, capacity;
};

struct cairn_pose_graph_solver {
	uint32_t n, n_capacity;
	struct set *near;   /* while choosing the order: neighbours left; after it: the rows of the column */
	uint32_t *position; /* when an unknown is eliminated */
	uint32_t *order;    /* the unknown eliminated at each time */
	uint32_t *start;    /* of the column's blocks */
	uint32_t *where;    /* scratch: block of a row in the column at work */
	uint32_t *next, *previous, *bucket; /* unknowns by degree, doubly linked */
	double (*diagonal)[3][3];
	double (*below)[3][3];
	uint32_t below_count, below_capacity;
	double (*x)[3]; /* right side, then solution */
	struct set merged;
};

#define NONE UINT32_MAX
#define FILL_SHARE 4 /* blocks below the diagonal for each unknown, in the graphs of houses */

struct cairn_pose_graph_solver *cairn_pose_graph_solver_new(void)
{
	return calloc(1, sizeof(struct cairn_pose_graph_solver));
}

void cairn_pose_graph_solver_destroy(struct cairn_pose_graph_solver **solver_p)
{
	struct cairn_pose_graph_solver *s = *solver_p;
	if (s == NULL)
		return;
	for (uint32_t i = 0; i < s->n_capacity; i++)
		free(s->near[i].items);
	free(s->near);
	free(s->position);
	free(s->order);
	free(s->start);
	free(s->where);
	free(s->next);
	free(s->previous);
	free(s->bucket);
	free(s->diagonal);
	free(s->below);
	free(s->x);
	free(s->merged.items);
	free(s);
	*solver_p = NULL;
}

static bool resize(void *array_p, size_t items, size_t item)
{
	void *grown = realloc(*(void **)array_p, items * item);
	if (grown != NULL)
		*(void **)array_p = grown;
	return grown != NULL;
}

static bool reserve(struct cairn_pose_graph_solver *s, uint32_t n)
{
	if (n <= s->n_capacity)
		return true;
	uint32_t room = n + n / 2 + 64;
	if (!resize(&s->near, room, sizeof(*s->near)))
		return false;
	memset(s->near + s->n_capacity, 0, (room - s->n_capacity) * sizeof(*s->near));
	s->n_capacity = room; /* from here on destroy knows the new sets */
	return resize(&s->position, room, sizeof(uint32_t)) && resize(&s->order, room, sizeof(uint32_t)) &&
	       resize(&s->start, room + 1, sizeof(uint32_t)) && resize(&s->where, room, sizeof(uint32_t)) &&
	       resize(&s->next, room, sizeof(uint32_t)) && resize(&s->previous, room, sizeof(uint32_t)) &&
	       resize(&s->bucket, room + 1, sizeof(uint32_t)) &&
	       resize(&s->diagonal, room, sizeof(*s->diagonal)) && resize(&s->x, room, sizeof(*s->x));
}

bool cairn_pose_graph_solver_take(struct cairn_pose_graph_solver *s, uint32_t n)
{
	uint32_t before = s->n_capacity;
	if (!reserve(s, n) ||
	    !cairn_prefault_take(&s->below, &s->below_capacity, FILL_SHARE * n, sizeof(*s->below)))
		return false;
	if (s->n_capacity > before)
		cairn_prefault_touch(s->diagonal, s->n_capacity * sizeof(*s->diagonal));
	return true;
}

static bool set_reserve(struct set *set, uint32_t need)
{
	if (need <= set->capacity)
		return true;
	uint32_t room = need + need / 2 + 8;
	if (!resize(&set->items, room, sizeof(uint32_t)))
		return false;
	set->capacity = room;
	return true;
}

static bool set_insert(struct set *set, uint32_t value)
{
	uint32_t at = set->count;
	while (at > 0 && set->items[at - 1] > value)
		at--;
	if (at > 0 && set->items[at - 1] == value)
		return true;
	if (!set_reserve(set, set->count + 1))
		return false;
	memmove(set->items + at + 1, set->items + at, (set->count - at) * sizeof(uint32_t));
	set->items[at] = value;
	set->count++;
	return true;
}

/* into = (into with other) without the two given. */
static bool set_merge(
    struct set *into, const struct set *other, uint32_t without_a, uint32_t without_b, struct set *scratch)
{
	if (!set_reserve(scratch, into->count + other->count))
		return false;
	uint32_t i = 0, k = 0, n = 0;
	while (i < into->count || k < other->count) {
		uint32_t a = i < into->count ? into->items[i] : NONE,
			 b = k < other->count ? other->items[k] : NONE;
		uint32_t value = a < b ? a : b;
		i += a == value;
		k += b == value;
		if (value != without_a && value != without_b)
			scratch->items[n++] = value;
	}
	if (!set_reserve(into, n))
		return false;
	memcpy(into->items, scratch->items, n * sizeof(uint32_t));
	into->count = n;
	return true;
}

static void unlink_node(struct cairn_pose_graph_solver *s, uint32_t u)
{
	uint32_t before = s->previous[u], after = s->next[u];
	if (before == NONE)
		s->bucket[s->near[u].count] = after;
	else
		s->next[before] = after;
	if (after != NONE)
		s->previous[after] = before;
}

static void link_node(struct cairn_pose_graph_solver *s, uint32_t u)
{
	uint32_t degree = s->near[u].count;
	s->previous[u] = NONE;
	s->next[u] = s->bucket[degree];
	if (s->next[u] != NONE)
		s->previous[s->next[u]] = u;
	s->bucket[degree] = u;
}

static bool eliminate_all(struct cairn_pose_graph_solver *s)
{
	uint32_t degree = 0;
	s->below_count = 0;
	for (uint32_t time = 0; time < s->n; time++) {
		while (s->bucket[degree] == NONE)
			degree++;
		uint32_t u = s->bucket[degree];
		unlink_node(s, u);
		s->order[time] = u;
		s->position[u] = time;
		s->start[time] = s->below_count;
		s->below_count += s->near[u].count;
		for (uint32_t i = 0; i < s->near[u].count; i++) {
			uint32_t v = s->near[u].items[i];
			unlink_node(s, v);
			if (!set_merge(&s->near[v], &s->near[u], u, v, &s->merged))
				return false;
			link_node(s, v);
			degree = s->near[v].count < degree ? s->near[v].count : degree;
		}
	}
	s->start[s->n] = s->below_count;
	return true;
}

bool cairn_pose_graph_solver_shape(
    struct cairn_pose_graph_solver *s, uint32_t n, const uint32_t *pairs, uint32_t count)
{
	if (!reserve(s, n))
		return false;
	s->n = n;
	for (uint32_t i = 0; i < n; i++)
		s->near[i].count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!set_insert(&s->near[pairs[2 * i]], pairs[2 * i + 1]) ||
		    !set_insert(&s->near[pairs[2 * i + 1]], pairs[2 * i]))
			return false;
	}
	for (uint32_t i = 0; i <= n; i++)
		s->bucket[i] = NONE;
	for (uint32_t i = 0; i < n; i++)
		link_node(s, i);
	if (!eliminate_all(s))
		return false;
	if (s->below_count > s->below_capacity) {
		uint32_t room = s->below_count + s->below_count / 2;
		if (!resize(&s->below, room, sizeof(*s->below)))
			return false;
		s->below_capacity = room;
	}
	return true;
}

void cairn_pose_graph_solver_clear(struct cairn_pose_graph_solver *s)
{
	memset(s->diagonal, 0, s->n * sizeof(*s->diagonal));
	memset(s->x, 0, s->n * sizeof(*s->x));
	if (s->below_count > 0)
		memset(s->below, 0, s->below_count * sizeof(*s->below));
}

/* Block of row v in the column of u, which is eliminated before it. */
static double (*find_block(struct cairn_pose_graph_solver *s, uint32_t u, uint32_t v))[3]
{
	const struct set *rows = &s->near[u];
	uint32_t lo = 0, hi = rows->count;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (rows->items[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return s->below[s->start[s->position[u]] + lo];
}

void cairn_pose_graph_solver_add(
    struct cairn_pose_graph_solver *s, uint32_t u, uint32_t v, const double block[3][3])
{
	bool down = u == v || s->position[v] < s->position[u]; /* block (u, v) is below the diagonal */
	double(*to)[3] = u == v ? s->diagonal[u] : down ? find_block(s, v, u) : find_block(s, u, v);
	for (int r = 0; r < 3; r++) {
		for (int c = 0; c < 3; c++)
			to[r][c] += down ? block[r][c] : block[c][r];
	}
}

void cairn_pose_graph_solver_add_right(struct cairn_pose_graph_solver *s, uint32_t u, const double right[3])
{
	for (int r = 0; r < 3; r++)
		s->x[u][r] += right[r];
}

/* In place: the lower triangle of the Cholesky factor. */
static bool factor3(double m[3][3])
{
	for (int c = 0; c < 3; c++) {
		for (int r = c; r < 3; r++) {
			double sum = m[r][c];
			for (int k = 0; k < c; k++)
				sum -= m[r][k] * m[c][k];
			if (r > c)
				m[r][c] = sum / m[c][c];
			else if (sum > 1e-12)
				m[c][c] = sqrt(sum);
			else
				return false;
		}
	}
	return true;
}

/* b = b l'^-1 for a lower triangle l: row by row, forward. */
static void divide_right(double b[3][3], double l[3][3])
{
	for (int r = 0; r < 3; r++) {
		b[r][0] = b[r][0] / l[0][0];
		b[r][1] = (b[r][1] - b[r][0] * l[1][0]) / l[1][1];
		b[r][2] = (b[r][2] - b[r][0] * l[2][0] - b[r][1] * l[2][1]) / l[2][2];
	}
}

/* to -= a b'. */
static void subtract_product(double to[3][3], double a[3][3], double b[3][3])
{
	for (int r = 0; r < 3; r++) {
		for (int c = 0; c < 3; c++)
			to[r][c] -= a[r][0] * b[c][0] + a[r][1] * b[c][1] + a[r][2] * b[c][2];
	}
}

/* Takes what the column of u says off the columns of its rows. */
static void subtract_column(struct cairn_pose_graph_solver *s, uint32_t u)
{
	const struct set *rows = &s->near[u];
	double(*column)[3][3] = s->below + s->start[s->position[u]];
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t v = rows->items[i];
		subtract_product(s->diagonal[v], column[i], column[i]);
		const struct set *v_rows = &s->near[v];
		uint32_t v_start = s->start[s->position[v]];
		for (uint32_t k = 0; k < v_rows->count; k++)
			s->where[v_rows->items[k]] = v_start + k;
		for (uint32_t k = 0; k < rows->count; k++) {
			uint32_t w = rows->items[k];
			if (s->position[w] > s->position[v])
				subtract_product(s->below[s->where[w]], column[k], column[i]);
		}
	}
}

static void solve_forward(struct cairn_pose_graph_solver *s, uint32_t u)
{
	double(*l)[3] = s->diagonal[u], *x = s->x[u];
	x[0] /= l[0][0];
	x[1] = (x[1] - l[1][0] * x[0]) / l[1][1];
	x[2] = (x[2] - l[2][0] * x[0] - l[2][1] * x[1]) / l[2][2];
	for (uint32_t i = 0; i < s->near[u].count; i++) {
		double(*b)[3] = s->below[s->start[s->position[u]] + i], *to = s->x[s->near[u].items[i]];
		for (int r = 0; r < 3; r++)
			to[r] -= b[r][0] * x[0] + b[r][1] * x[1] + b[r][2] * x[2];
	}
}

static void solve_backward(struct cairn_pose_graph_solver *s, uint32_t u)
{
	double(*l)[3] = s->diagonal[u], *x = s->x[u];
	for (uint32_t i = 0; i < s->near[u].count; i++) {
		double(*b)[3] = s->below[s->start[s->position[u]] + i];
		const double *from = s->x[s->near[u].items[i]];
		for (int c = 0; c < 3; c++)
			x[c] -= b[0][c] * from[0] + b[1][c] * from[1] + b[2][c] * from[2];
	}
	x[2] /= l[2][2];
	x[1] = (x[1] - l[2][1] * x[2]) / l[1][1];
	x[0] = (x[0] - l[1][0] * x[1] - l[2][0] * x[2]) / l[0][0];
}

bool cairn_pose_graph_solver_solve(struct cairn_pose_graph_solver *s, double damping)
{
	for (uint32_t u = 0; u < s->n; u++) {
		for (int r = 0; r < 3; r++)
			s->diagonal[u][r][r] *= 1.0 + damping;
	}
	for (uint32_t time = 0; time < s->n; time++) {
		uint32_t u = s->order[time];
		if (!factor3(s->diagonal[u]))
			return false;
		for (uint32_t i = 0; i < s->near[u].count; i++)
			divide_right(s->below[s->start[time] + i], s->diagonal[u]);
		subtract_column(s, u);
		solve_forward(s, u);
	}
	for (uint32_t time = s->n; time-- > 0;)
		solve_backward(s, s->order[time]);
	return true;
}

const double *cairn_pose_graph_solver_solution(const struct cairn_pose_graph_solver *s, uint32_t u)
{
	return s->x[u];
}

uint32_t cairn_pose_graph_solver_fill(const struct cairn_pose_graph_solver *s)
{
	return s->below_count;
}
