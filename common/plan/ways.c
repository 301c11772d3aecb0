#include "common/plan/ways.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NARROW_CELLS 1.5 /* more room than half the width and this beside the origin is no gap */

void cairn_ways_free(struct cairn_ways *w)
{
	free(w->rows);
	free(w->known);
	*w = (struct cairn_ways){0};
}

/* Does the disc of an obstacle cell at (dx, dy) cells reach into the rectangle at this heading? */
static bool covers(const struct cairn_rect *r, double c, double s, int dx, int dy, double cell_m)
{
	double x = (c * dx + s * dy) * cell_m, y = (c * dy - s * dx) * cell_m;
	double ox = fmax(x - r->front_m, -x - r->rear_m), oy = fmax(y - r->left_m, -y - r->right_m);
	double away = ox <= 0.0 || oy <= 0.0 ? fmax(ox, oy) : hypot(ox, oy);
	return away < 0.5 * cell_m;
}

static void make_runs(struct cairn_ways *w, const struct cairn_rect *rect, int reach)
{
	for (int k = 0; k < CAIRN_WAYS_HEADINGS; k++) {
		double yaw = 2.0 * M_PI * k / CAIRN_WAYS_HEADINGS, c = cos(yaw), s = sin(yaw);
		w->runs[k] = 0;
		for (int dy = -reach; dy <= reach; dy++) {
			int x0 = -reach, x1 = reach;
			while (x0 <= x1 && !covers(rect, c, s, x0, dy, w->cm->cell_m))
				x0++;
			while (x1 >= x0 && !covers(rect, c, s, x1, dy, w->cm->cell_m))
				x1--;
			if (x0 <= x1)
				w->run[k][w->runs[k]++] =
				    (struct cairn_ways_run){(int8_t)dy, (int8_t)x0, (int8_t)x1};
		}
	}
}

static int reserve(struct cairn_ways *w, size_t words, size_t cells)
{
	if (words > w->words_capacity) {
		uint64_t *rows = malloc((words + words / 4) * sizeof(*rows));
		if (rows == NULL)
			return -ENOMEM;
		free(w->rows);
		w->rows = rows;
		w->words_capacity = words + words / 4;
	}
	if (cells > w->cells_capacity) {
		uint8_t *known = malloc(cells + cells / 4);
		if (known == NULL)
			return -ENOMEM;
		free(w->known);
		w->known = known;
		w->cells_capacity = cells + cells / 4;
	}
	return 0;
}

static void fill_rows(struct cairn_ways *w)
{
	const struct cairn_costmap *cm = w->cm;
	for (int y = 0; y < cm->height; y++) {
		const uint8_t *cell = cm->cells + (size_t)y * (size_t)cm->width;
		uint64_t *row = w->rows + ((size_t)y + CAIRN_WAYS_REACH) * w->row_words;
		for (int x = 0; x < cm->width; x++) {
			size_t bit = (size_t)x + CAIRN_WAYS_REACH;
			row[bit / 64] |= (uint64_t)((cell[x] & CAIRN_CELL_OBSTACLE) != 0) << (bit % 64);
		}
	}
}

int cairn_ways_start(struct cairn_ways *w, const struct cairn_costmap *cm, const struct cairn_rect *rect)
{
	double x_m = fmax(rect->front_m, rect->rear_m), y_m = fmax(rect->left_m, rect->right_m);
	double reach = hypot(x_m, y_m) / cm->cell_m + 0.5;
	w->cm = cm;
	w->clear_cells = (float)(y_m / cm->cell_m + NARROW_CELLS);
	w->too_large = ceil(reach) > (double)CAIRN_WAYS_REACH;
	if (w->too_large)
		return 0;
	size_t cells = (size_t)cm->width * (size_t)cm->height;
	w->row_words = ((size_t)cm->width + 2 * CAIRN_WAYS_REACH + 63) / 64 + 1;
	size_t words = w->row_words * ((size_t)cm->height + 2 * CAIRN_WAYS_REACH);
	if (reserve(w, words, cells) < 0)
		return -ENOMEM;
	memset(w->rows, 0, words * sizeof(*w->rows));
	memset(w->known, 0, cells);
	make_runs(w, rect, (int)ceil(reach));
	fill_rows(w);
	return 0;
}

static bool fits(const struct cairn_ways *w, int x, int y, int heading)
{
	for (int i = 0; i < w->runs[heading]; i++) {
		struct cairn_ways_run r = w->run[heading][i];
		size_t bit = (size_t)(x + r.x0 + CAIRN_WAYS_REACH), shift = bit % 64;
		const uint64_t *word =
		    w->rows + (size_t)(y + r.dy + CAIRN_WAYS_REACH) * w->row_words + bit / 64;
		uint64_t seen = word[0] >> shift | (shift > 0 ? word[1] << (64 - shift) : 0);
		if ((seen & ((UINT64_C(2) << (r.x1 - r.x0)) - 1)) != 0)
			return false;
	}
	return true;
}

bool cairn_ways_open(struct cairn_ways *w, int x, int y, enum cairn_way way)
{
	size_t index = (size_t)y * (size_t)w->cm->width + (size_t)x;
	if (w->too_large || w->cm->dist[index] >= w->clear_cells)
		return true;
	unsigned asked = 1u << (2 * way), yes = asked << 1;
	if ((w->known[index] & asked) != 0)
		return (w->known[index] & yes) != 0;
	const int spread = CAIRN_WAYS_HEADINGS * CAIRN_WAYS_SPREAD_DEG / 360;
	bool open = false;
	for (int k = 0; k <= 2 * spread && !open; k++) {
		int off = k % 2 == 0 ? -k / 2 : k / 2 + 1; /* the axis itself first */
		int heading = (int)way * CAIRN_WAYS_HEADINGS / 8 + off + CAIRN_WAYS_HEADINGS;
		open = fits(w, x, y, heading % CAIRN_WAYS_HEADINGS) ||
		       fits(w, x, y, (heading + CAIRN_WAYS_HEADINGS / 2) % CAIRN_WAYS_HEADINGS);
	}
	w->known[index] |= (uint8_t)(asked | (open ? yes : 0u));
	return open;
}
