#include "common/map/predict.h"

#include <stdlib.h>
#include <string.h>

#define HOLE_M 0.5
#define RUN_M 0.4
#define GROW_M 0.5
#define CORRIDOR_M 1.0
#define OPEN_M 0.5
#define WALLED 2 /* of mark: taken, and guessed to be wall */

static const double confidence[CAIRN_PREDICTIONS] = {[CAIRN_PREDICTION_WALL] = 0.30,
    [CAIRN_PREDICTION_CORRIDOR] = 0.25,
    [CAIRN_PREDICTION_OPEN] = 0.20,
    [CAIRN_PREDICTION_BOUNDARY] = 0.30};

double cairn_prediction_confidence(enum cairn_prediction kind)
{
	return confidence[kind];
}

void cairn_predictions_init(struct cairn_predictions *p)
{
	*p = (struct cairn_predictions){0};
}

void cairn_predictions_free(struct cairn_predictions *p)
{
	free(p->guesses);
	free(p->mark);
	*p = (struct cairn_predictions){0};
}

static bool has(const struct cairn_wavefront *w, int32_t x, int32_t y)
{
	return x >= 0 && y >= 0 && x < w->width && y < w->height;
}

static uint8_t cell_at(const struct cairn_wavefront *w, int32_t x, int32_t y)
{
	return has(w, x, y) ? w->cell[(size_t)y * (size_t)w->width + (size_t)x] : CAIRN_WAVEFRONT_UNKNOWN;
}

/* Counts what has become known since. */
static void verify(struct cairn_predictions *p, const struct cairn_doorway_view *v)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct cairn_guess *g = &p->guesses[i];
		uint8_t cell = cell_at(v->wave, g->cx - v->cx0, g->cy - v->cy0);
		if (cell != CAIRN_WAVEFRONT_FREE && cell != CAIRN_WAVEFRONT_OCCUPIED)
			continue;
		p->right[g->kind] += g->wall == (cell == CAIRN_WAVEFRONT_OCCUPIED);
		p->wrong[g->kind] += g->wall != (cell == CAIRN_WAVEFRONT_OCCUPIED);
	}
	p->count = 0;
	memset(p->by_kind, 0, sizeof(p->by_kind));
}

struct maker {
	struct cairn_predictions *p;
	const struct cairn_doorway_view *v;
	bool failed;
};

/* A guess about window cell (x, y); false when the cell is known, so that a line of guesses ends there. */
static bool guess(struct maker *m, int32_t x, int32_t y, enum cairn_prediction kind, bool wall)
{
	const struct cairn_wavefront *w = m->v->wave;
	struct cairn_predictions *p = m->p;
	if (!has(w, x, y) || cell_at(w, x, y) != CAIRN_WAVEFRONT_UNKNOWN)
		return false;
	uint8_t *mark = &p->mark[(size_t)y * (size_t)w->width + (size_t)x];
	if (*mark != 0)
		return true;
	if (p->count == p->capacity) {
		uint32_t room = 2 * p->capacity + 1024;
		struct cairn_guess *grown = realloc(p->guesses, room * sizeof(*grown));
		if (grown == NULL) {
			m->failed = true;
			return false;
		}
		p->guesses = grown;
		p->capacity = room;
	}
	*mark = wall ? WALLED : 1;
	p->guesses[p->count++] = (struct cairn_guess){x + m->v->cx0, y + m->v->cy0, (uint8_t)kind, wall};
	p->by_kind[kind]++;
	return true;
}

/* Short holes with wall at both ends, along one line of cells. */
static void close_holes(struct maker *m, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
	const struct cairn_wavefront *w = m->v->wave;
	int most = (int)(HOLE_M / m->v->cell_m),
	    since = -1; /* cells since the last wall, all unknown; -1: none */
	for (; has(w, x, y); x += dx, y += dy) {
		uint8_t cell = cell_at(w, x, y);
		if (cell == CAIRN_WAVEFRONT_UNKNOWN && since >= 0) {
			since++;
			continue;
		}
		if (cell == CAIRN_WAVEFRONT_OCCUPIED && since > 0 && since <= most)
			for (int i = 1; i <= since; i++)
				(void)guess(m, x - i * dx, y - i * dy, CAIRN_PREDICTION_BOUNDARY, true);
		since = cell == CAIRN_WAVEFRONT_OCCUPIED ? 0 : -1;
	}
}

/* Straight on from the end of a wall at (x, y), if there is one in this direction. */
static void grow_wall(struct maker *m, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
	const struct cairn_wavefront *w = m->v->wave;
	double step_m = m->v->cell_m * (dx != 0 && dy != 0 ? M_SQRT2 : 1.0);
	int need = (int)ceil(RUN_M / step_m), most = (int)(GROW_M / step_m), run = 0;
	if (cell_at(w, x + dx, y + dy) != CAIRN_WAVEFRONT_UNKNOWN)
		return;
	while (run < need && cell_at(w, x - run * dx, y - run * dy) == CAIRN_WAVEFRONT_OCCUPIED)
		run++;
	for (int i = 1; run >= need && i <= most; i++)
		if (!guess(m, x + i * dx, y + i * dy, CAIRN_PREDICTION_WALL, true))
			break;
}

static void go_on_behind(struct maker *m, const struct cairn_msg_frontier *f)
{
	const struct cairn_doorway_view *v = m->v;
	double dx = f->x_m - f->goal_x_m, dy = f->y_m - f->goal_y_m, length = hypot(dx, dy);
	if (f->distance_m < 0.0 || length < 0.1)
		return; /* which way it opens is not known */
	bool open = f->kind == CAIRN_FRONTIER_KIND_OPEN;
	enum cairn_prediction kind = open ? CAIRN_PREDICTION_OPEN : CAIRN_PREDICTION_CORRIDOR;
	double ux = dx / length, uy = dy / length, half = 0.5 * f->width_m / v->cell_m;
	double x = f->x_m / v->cell_m - v->cx0, y = f->y_m / v->cell_m - v->cy0;
	int far = (int)((open ? OPEN_M : CORRIDOR_M) / v->cell_m), wall = open ? 0 : 1;
	for (double along = 0.5; along <= far; along += 0.5) {
		for (double across = -half - wall; across <= half + wall; across += 0.5) {
			int32_t u = (int32_t)floor(x + along * ux - across * uy);
			int32_t w = (int32_t)floor(y + along * uy + across * ux);
			(void)guess(m, u, w, kind, fabs(across) > half);
		}
	}
}

static void look_at_walls(struct maker *m)
{
	static const int8_t ways[8][2] = {
	    {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
	const struct cairn_wavefront *w = m->v->wave;
	for (int32_t y = 0; y < w->height; y++)
		close_holes(m, 0, y, 1, 0);
	for (int32_t x = 0; x < w->width; x++)
		close_holes(m, x, 0, 0, 1);
	for (int32_t y = 0; y < w->height; y++) {
		const uint8_t *row = w->cell + (size_t)y * (size_t)w->width, *end = row + w->width;
		for (const uint8_t *at = row; at < end; at++) {
			at = memchr(at, CAIRN_WAVEFRONT_OCCUPIED, (size_t)(end - at));
			if (at == NULL)
				break;
			for (int k = 0; k < 8; k++)
				grow_wall(m, (int32_t)(at - row), y, ways[k][0], ways[k][1]);
		}
	}
}

bool cairn_predictions_update(struct cairn_predictions *p, const struct cairn_doorway_view *v,
    const struct cairn_msg_frontiers *frontiers)
{
	size_t cells = (size_t)v->wave->width * (size_t)v->wave->height;
	verify(p, v);
	if (cells > p->mark_capacity) {
		free(p->mark);
		p->mark = malloc(cells);
		p->mark_capacity = p->mark != NULL ? cells : 0;
		if (p->mark == NULL)
			return false;
	}
	memset(p->mark, 0, cells);
	struct maker m = {p, v, false};
	look_at_walls(&m);
	for (int open = 0; open < 2; open++)
		for (uint32_t i = 0; i < frontiers->items_count; i++)
			if ((frontiers->items[i].kind == CAIRN_FRONTIER_KIND_OPEN) == (open == 1))
				go_on_behind(&m, &frontiers->items[i]);
	return !m.failed;
}

double cairn_expected_gain_m2(const struct cairn_predictions *p, const struct cairn_doorway_view *v,
    double x_m, double y_m, double radius_m)
{
	const struct cairn_wavefront *w = v->wave;
	int32_t x = (int32_t)floor(x_m / v->cell_m) - v->cx0, y = (int32_t)floor(y_m / v->cell_m) - v->cy0;
	int32_t r = (int32_t)(radius_m / v->cell_m);
	bool guesses = p != NULL && p->mark_capacity >= (size_t)w->width * (size_t)w->height;
	uint32_t count = 0;
	for (int32_t dy = -r; dy <= r; dy++) {
		for (int32_t dx = -r; dx <= r; dx++) {
			if (dx * dx + dy * dy > r * r ||
			    cell_at(w, x + dx, y + dy) != CAIRN_WAVEFRONT_UNKNOWN)
				continue;
			size_t at = (size_t)(y + dy) * (size_t)w->width + (size_t)(x + dx);
			count += !(guesses && has(w, x + dx, y + dy) && p->mark[at] == WALLED);
		}
	}
	return count * v->cell_m * v->cell_m;
}
