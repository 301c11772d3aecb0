#include "common/sim/robot/truth.h"

#include <stdlib.h>
#include <string.h>

#define START_SEARCH_CELLS 8

struct cairn_truth {
	int32_t cols, rows;
	double x_m, y_m;
	uint8_t *reach; /* 1 reachable, a byte a cell */
	uint8_t *seen;  /* bits; own_seen or the caller's memory */
	uint8_t *own_seen;
	uint64_t reach_count, seen_count;
};

static size_t at(const struct cairn_truth *t, int32_t c, int32_t r)
{
	return (size_t)r * (size_t)t->cols + (size_t)c;
}

static bool cell_of(const struct cairn_truth *t, double x_m, double y_m, int32_t *ret_c, int32_t *ret_r)
{
	double c = floor((x_m - t->x_m) / CAIRN_TRUTH_CELL_M), r = floor((y_m - t->y_m) / CAIRN_TRUTH_CELL_M);
	if (!(c >= 0 && r >= 0 && c < t->cols && r < t->rows))
		return false;
	*ret_c = (int32_t)c;
	*ret_r = (int32_t)r;
	return true;
}

/* The fitting cell nearest to the start; the start itself when it fits. */
static bool seed_cell(const struct cairn_truth *t, const float *dist, float fits_m, int32_t *c, int32_t *r)
{
	int32_t best_c = -1, best_r = -1, best = INT32_MAX;
	for (int32_t dr = -START_SEARCH_CELLS; dr <= START_SEARCH_CELLS; dr++)
		for (int32_t dc = -START_SEARCH_CELLS; dc <= START_SEARCH_CELLS; dc++) {
			int32_t nc = *c + dc, nr = *r + dr, d = dc * dc + dr * dr;
			if (nc < 0 || nr < 0 || nc >= t->cols || nr >= t->rows || d >= best ||
			    dist[at(t, nc, nr)] < fits_m)
				continue;
			best = d;
			best_c = nc;
			best_r = nr;
		}
	*c = best_c;
	*r = best_r;
	return best_c >= 0;
}

static bool flood(struct cairn_truth *t, const float *dist, float fits_m, int32_t c, int32_t r)
{
	size_t n = (size_t)t->cols * (size_t)t->rows, top = 0;
	uint32_t *stack = malloc(n * sizeof(*stack));
	if (stack == NULL)
		return false;
	stack[top++] = (uint32_t)at(t, c, r);
	t->reach[at(t, c, r)] = 1;
	while (top > 0) {
		uint32_t k = stack[--top];
		int32_t kc = (int32_t)(k % (uint32_t)t->cols), kr = (int32_t)(k / (uint32_t)t->cols);
		static const int32_t step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
		for (int i = 0; i < 4; i++) {
			int32_t nc = kc + step[i][0], nr = kr + step[i][1];
			if (nc < 0 || nr < 0 || nc >= t->cols || nr >= t->rows || t->reach[at(t, nc, nr)] ||
			    dist[at(t, nc, nr)] < fits_m)
				continue;
			t->reach[at(t, nc, nr)] = 1;
			stack[top++] = (uint32_t)at(t, nc, nr);
		}
	}
	free(stack);
	return true;
}

/* Cells whose centre the disc covers while its own centre is in a flooded cell: 2 marks them until all are
 * found. */
static void widen(struct cairn_truth *t, double radius_m)
{
	int32_t reach = (int32_t)(radius_m / CAIRN_TRUTH_CELL_M);
	double limit = radius_m / CAIRN_TRUTH_CELL_M;
	for (int32_t r = 0; r < t->rows; r++)
		for (int32_t c = 0; c < t->cols; c++) {
			if (t->reach[at(t, c, r)] != 1)
				continue;
			for (int32_t dr = -reach; dr <= reach; dr++)
				for (int32_t dc = -reach; dc <= reach; dc++) {
					int32_t nc = c + dc, nr = r + dr;
					if (dc * dc + dr * dr <= limit * limit && nc >= 0 && nr >= 0 &&
					    nc < t->cols && nr < t->rows && t->reach[at(t, nc, nr)] == 0)
						t->reach[at(t, nc, nr)] = 2;
				}
		}
	for (size_t k = 0; k < (size_t)t->cols * (size_t)t->rows; k++) {
		t->reach[k] = t->reach[k] != 0;
		t->reach_count += t->reach[k];
	}
}

struct cairn_truth *cairn_truth_new(const struct cairn_world *world, const struct cairn_footprint *body,
    double height_m, struct cairn_pose2 start)
{
	struct cairn_truth *t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->x_m = world->x_min_m - 2 * CAIRN_TRUTH_CELL_M;
	t->y_m = world->y_min_m - 2 * CAIRN_TRUTH_CELL_M;
	t->cols = (int32_t)((world->x_max_m - t->x_m) / CAIRN_TRUTH_CELL_M) + 3;
	t->rows = (int32_t)((world->y_max_m - t->y_m) / CAIRN_TRUTH_CELL_M) + 3;
	size_t n = (size_t)t->cols * (size_t)t->rows;
	double radius = body->half_width_m + CAIRN_TRUTH_MARGIN_M;
	float *dist = malloc(n * sizeof(*dist));
	t->reach = calloc(n, 1);
	t->own_seen = calloc((n + 7) / 8, 1);
	t->seen = t->own_seen;
	bool ok = dist != NULL && t->reach != NULL && t->seen != NULL;
	if (ok) {
		cairn_world_distances(world, t->x_m, t->y_m, CAIRN_TRUTH_CELL_M, t->cols, t->rows, height_m,
		    (float)(radius + 0.05), dist);
		struct cairn_vec2 middle =
		    cairn_pose_apply(start, (struct cairn_vec2){0.5 * (body->front_m - body->rear_m), 0.0});
		int32_t c, r;
		if (cell_of(t, middle.x_m, middle.y_m, &c, &r) && seed_cell(t, dist, (float)radius, &c, &r))
			ok = flood(t, dist, (float)radius, c, r);
		widen(t, radius);
	}
	free(dist);
	if (!ok)
		cairn_truth_destroy(&t);
	return t;
}

void cairn_truth_destroy(struct cairn_truth **truth_p)
{
	struct cairn_truth *t = *truth_p;
	*truth_p = NULL;
	if (t == NULL)
		return;
	free(t->reach);
	free(t->own_seen);
	free(t);
}

double cairn_truth_reachable_m2(const struct cairn_truth *truth)
{
	return (double)truth->reach_count * CAIRN_TRUTH_CELL_M * CAIRN_TRUTH_CELL_M;
}

bool cairn_truth_reachable_at(const struct cairn_truth *truth, double x_m, double y_m)
{
	int32_t c, r;
	return cell_of(truth, x_m, y_m, &c, &r) && truth->reach[at(truth, c, r)] != 0;
}

bool cairn_truth_seen_at(const struct cairn_truth *truth, double x_m, double y_m)
{
	int32_t c, r;
	if (!cell_of(truth, x_m, y_m, &c, &r))
		return false;
	size_t k = at(truth, c, r);
	return (truth->seen[k >> 3] >> (k & 7u) & 1u) != 0;
}

double cairn_truth_coverage(const struct cairn_truth *truth)
{
	return truth->reach_count > 0 ? (double)truth->seen_count / (double)truth->reach_count : 0.0;
}

void cairn_truth_sweep(
    struct cairn_truth *truth, double x_m, double y_m, double dx, double dy, double range_m)
{
	struct cairn_truth *t = truth;
	double limit = fmin(range_m, CAIRN_TRUTH_RANGE_M) / CAIRN_TRUTH_CELL_M;
	double gx = (x_m - t->x_m) / CAIRN_TRUTH_CELL_M, gy = (y_m - t->y_m) / CAIRN_TRUTH_CELL_M;
	int32_t c = (int32_t)floor(gx), r = (int32_t)floor(gy), step_c = dx > 0.0 ? 1 : -1,
		step_r = dy > 0.0 ? 1 : -1;
	double delta_x = fabs(dx) > 1e-9 ? 1.0 / fabs(dx) : 1e30,
	       delta_y = fabs(dy) > 1e-9 ? 1.0 / fabs(dy) : 1e30;
	double next_x = delta_x < 1e30 ? (dx > 0.0 ? c + 1 - gx : gx - c) * delta_x : 1e30;
	double next_y = delta_y < 1e30 ? (dy > 0.0 ? r + 1 - gy : gy - r) * delta_y : 1e30;
	for (double entered = 0.0; entered <= limit;) {
		if (c < 0 || r < 0 || c >= t->cols || r >= t->rows)
			return;
		size_t k = at(t, c, r);
		uint8_t bit = (uint8_t)(1u << (k & 7u));
		if (t->reach[k] && (t->seen[k >> 3] & bit) == 0) {
			t->seen[k >> 3] |= bit;
			t->seen_count++;
		}
		if (next_x < next_y) {
			entered = next_x;
			next_x += delta_x;
			c += step_c;
		} else {
			entered = next_y;
			next_y += delta_y;
			r += step_r;
		}
	}
}

size_t cairn_truth_bitmap_bytes(const struct cairn_truth *truth)
{
	return ((size_t)truth->cols * (size_t)truth->rows + 7) / 8;
}

void cairn_truth_use_bitmap(struct cairn_truth *truth, uint8_t *bitmap)
{
	free(truth->own_seen);
	truth->own_seen = NULL;
	truth->seen = bitmap;
	truth->seen_count = 0;
	for (size_t k = 0; k < (size_t)truth->cols * (size_t)truth->rows; k++)
		truth->seen_count += truth->reach[k] && (bitmap[k >> 3] >> (k & 7u) & 1u) != 0;
}
