/* bench_map_naive.c - textbook loops, for comparison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "procs/lab/bench_map.h"

#define SIDE BENCH_MAP_SIDE
#define CELLS ((size_t)SIDE * SIDE)
#define FAR 1e12

struct bench_naive_node {
	double cost;
	uint32_t index;
};

bool bench_naive_init(struct bench_naive *n)
{
	*n = (struct bench_naive){.cell = calloc(CELLS, 1),
	    .odds = calloc(CELLS, sizeof(double)),
	    .distance = calloc(CELLS, sizeof(double)),
	    .path = calloc(CELLS, sizeof(double)),
	    .heap = calloc(8 * CELLS, sizeof(struct bench_naive_node)),
	    .queue = calloc(CELLS, sizeof(uint32_t)),
	    .seen = calloc(CELLS, 1)};
	return n->cell != NULL && n->odds != NULL && n->distance != NULL && n->path != NULL &&
	       n->heap != NULL && n->queue != NULL && n->seen != NULL;
}

void bench_naive_free(struct bench_naive *n)
{
	free(n->cell);
	free(n->odds);
	free(n->distance);
	free(n->path);
	free(n->heap);
	free(n->queue);
	free(n->seen);
	*n = (struct bench_naive){0};
}

void bench_naive_load(struct bench_naive *n, const struct cairn_grid *grid)
{
	for (int32_t y = 0; y < SIDE; y++) {
		for (int32_t x = 0; x < SIDE; x++) {
			int8_t odds = cairn_grid_odds(grid, x, y);
			n->cell[y * SIDE + x] = odds == CAIRN_ODDS_UNKNOWN  ? BENCH_NAIVE_UNKNOWN
						: cairn_odds_occupied(odds) ? BENCH_NAIVE_SOLID
									    : BENCH_NAIVE_FREE;
		}
	}
}

double bench_naive_unknown_share(const struct bench_naive *n)
{
	size_t unknown = 0;
	for (size_t i = 0; i < CELLS; i++)
		unknown += n->cell[i] == BENCH_NAIVE_UNKNOWN;
	return (double)unknown / CELLS;
}

void bench_naive_insert(struct bench_naive *n, struct cairn_pose2 pose, const struct cairn_rays *rays)
{
	for (int32_t y = 0; y < SIDE; y++) {
		for (int32_t x = 0; x < SIDE; x++) {
			double dx = (x + 0.5) * 0.05 - pose.x_m, dy = (y + 0.5) * 0.05 - pose.y_m;
			double r = hypot(dx, dy);
			if (r > 10.0)
				continue;
			double turn = atan2(dy, dx) - pose.yaw_rad;
			turn = turn < 0.0 ? turn + 2.0 * M_PI : turn;
			size_t k = (size_t)lrint(turn / (2.0 * M_PI) * (double)rays->count) % rays->count;
			double z = hypot((double)rays->x_m[k], (double)rays->y_m[k]);
			if (r > z + 0.025)
				continue;
			n->odds[y * SIDE + x] += fabs(r - z) < 0.025 && rays->hit[k] ? 0.85 : -0.4;
		}
	}
}

static void envelope(const double *f, double *d, int *v, double *z)
{
	int k = 0;
	v[0] = 0;
	z[0] = -FAR;
	z[1] = FAR;
	for (int q = 1; q < SIDE; q++) {
		double s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2.0 * q - 2.0 * v[k]);
		while (s <= z[k] && k > 0) {
			k--;
			s = ((f[q] + q * q) - (f[v[k]] + v[k] * v[k])) / (2.0 * q - 2.0 * v[k]);
		}
		k++;
		v[k] = q;
		z[k] = s;
		z[k + 1] = FAR;
	}
	k = 0;
	for (int q = 0; q < SIDE; q++) {
		while (z[k + 1] < q)
			k++;
		d[q] = (q - v[k]) * (q - v[k]) + f[v[k]];
	}
}

void bench_naive_distances(struct bench_naive *n)
{
	static double f[SIDE], d[SIDE], z[SIDE + 1];
	static int v[SIDE];
	for (int x = 0; x < SIDE; x++) {
		for (int y = 0; y < SIDE; y++)
			f[y] = n->cell[y * SIDE + x] == BENCH_NAIVE_SOLID ? 0.0 : 1e9;
		envelope(f, d, v, z);
		for (int y = 0; y < SIDE; y++)
			n->distance[y * SIDE + x] = d[y];
	}
	for (int y = 0; y < SIDE; y++) {
		memcpy(f, n->distance + (size_t)y * SIDE, sizeof(f));
		envelope(f, d, v, z);
		for (int x = 0; x < SIDE; x++)
			n->distance[y * SIDE + x] = sqrt(d[x]);
	}
}

static void heap_push(struct bench_naive *n, double cost, uint32_t index)
{
	size_t at = n->heap_count++;
	for (; at > 0 && n->heap[(at - 1) / 2].cost > cost; at = (at - 1) / 2)
		n->heap[at] = n->heap[(at - 1) / 2];
	n->heap[at] = (struct bench_naive_node){cost, index};
}

static struct bench_naive_node heap_pop(struct bench_naive *n)
{
	struct bench_naive_node top = n->heap[0], last = n->heap[--n->heap_count];
	size_t at = 0;
	for (size_t next = 1; next < n->heap_count; next = 2 * at + 1) {
		next += next + 1 < n->heap_count && n->heap[next + 1].cost < n->heap[next].cost;
		if (n->heap[next].cost >= last.cost)
			break;
		n->heap[at] = n->heap[next];
		at = next;
	}
	n->heap[at] = last;
	return top;
}

static void shortest_ways(struct bench_naive *n, struct cairn_pose2 pose)
{
	uint32_t start = (uint32_t)(pose.y_m / 0.05) * SIDE + (uint32_t)(pose.x_m / 0.05);
	for (size_t i = 0; i < CELLS; i++)
		n->path[i] = FAR;
	n->heap_count = 0;
	n->path[start] = 0.0;
	heap_push(n, 0.0, start);
	while (n->heap_count > 0) {
		struct bench_naive_node node = heap_pop(n);
		if (node.cost > n->path[node.index])
			continue;
		for (int k = 0; k < 9; k++) {
			int x = (int)(node.index % SIDE) + k % 3 - 1,
			    y = (int)(node.index / SIDE) + k / 3 - 1;
			if (x < 0 || y < 0 || x >= SIDE || y >= SIDE || n->distance[y * SIDE + x] < 3.0 ||
			    n->cell[y * SIDE + x] != BENCH_NAIVE_FREE)
				continue;
			double cost = node.cost + (k % 2 == 0 ? M_SQRT2 : 1.0);
			if (cost >= n->path[y * SIDE + x])
				continue;
			n->path[y * SIDE + x] = cost;
			heap_push(n, cost, (uint32_t)(y * SIDE + x));
		}
	}
}

static bool is_frontier(const struct bench_naive *n, int x, int y)
{
	if (x < 1 || y < 1 || x >= SIDE - 1 || y >= SIDE - 1 || n->cell[y * SIDE + x] != BENCH_NAIVE_FREE)
		return false;
	const uint8_t *at = n->cell + (size_t)y * SIDE + x;
	return at[-1] == BENCH_NAIVE_UNKNOWN || at[1] == BENCH_NAIVE_UNKNOWN ||
	       at[-SIDE] == BENCH_NAIVE_UNKNOWN || at[SIDE] == BENCH_NAIVE_UNKNOWN;
}

/* One cluster: all frontier cells within 0.5 m of one of its own. */
static void flood(struct bench_naive *n, uint32_t seed)
{
	size_t count = 0;
	n->queue[count++] = seed;
	n->seen[seed] = 1;
	for (size_t next = 0; next < count; next++) {
		int x = (int)(n->queue[next] % SIDE), y = (int)(n->queue[next] / SIDE);
		for (int v = y - 10; v <= y + 10; v++) {
			for (int u = x - 10; u <= x + 10; u++) {
				if ((u - x) * (u - x) + (v - y) * (v - y) > 100 || !is_frontier(n, u, v) ||
				    n->seen[v * SIDE + u])
					continue;
				n->seen[v * SIDE + u] = 1;
				n->queue[count++] = (uint32_t)(v * SIDE + u);
			}
		}
	}
}

void bench_naive_frontiers(struct bench_naive *n, struct cairn_pose2 pose)
{
	shortest_ways(n, pose);
	memset(n->seen, 0, CELLS);
	n->frontiers = 0;
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			if (!is_frontier(n, x, y) || n->seen[y * SIDE + x])
				continue;
			flood(n, (uint32_t)(y * SIDE + x));
			n->frontiers++;
		}
	}
}
