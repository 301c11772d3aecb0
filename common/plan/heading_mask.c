#include "common/plan/heading_mask.h"

#include <math.h>
#include <string.h>

#define OPEN_ALL 0xff
#define CLOSED_ALL 0x55
#define NARROW_CELLS 1.5 /* more room than half the width and this beside the origin is no gap */
#define ROUNDING_CELLS 1e-3

/* Does the disc of an obstacle cell at (dx, dy) cells reach into the rectangle at this heading? */
static bool covers(const struct cairn_rect *r, double c, double s, int dx, int dy, double cell_m)
{
	double x = (c * dx + s * dy) * cell_m, y = (c * dy - s * dx) * cell_m;
	double ox = fmax(x - r->front_m, -x - r->rear_m), oy = fmax(y - r->left_m, -y - r->right_m);
	double away = ox <= 0.0 || oy <= 0.0 ? fmax(ox, oy) : hypot(ox, oy);
	return away < 0.5 * cell_m;
}

static bool same_rect(const struct cairn_rect *a, const struct cairn_rect *b)
{
	return a->front_m == b->front_m && a->rear_m == b->rear_m && a->left_m == b->left_m &&
	       a->right_m == b->right_m;
}

static void make_covered(struct cairn_heading_mask *w, const struct cairn_rect *rect, int reach)
{
	if (w->cell_m == w->cm->cell_m && same_rect(&w->rect, rect))
		return;
	w->rect = *rect;
	w->cell_m = w->cm->cell_m;
	w->reach = reach;
	w->rows = (2 * w->reach + 1 + 3) / 4 * 4;
	memset(w->covered, 0, sizeof(w->covered));
	for (int k = 0; k < CAIRN_HEADING_MASK_HEADINGS; k++) {
		double yaw = 2.0 * M_PI * k / CAIRN_HEADING_MASK_HEADINGS, c = cos(yaw), s = sin(yaw);
		for (int dy = -w->reach; dy <= w->reach; dy++)
			for (int dx = -w->reach; dx <= w->reach; dx++)
				if (covers(rect, c, s, dx, dy, w->cm->cell_m))
					w->covered[k][dy + w->reach] |= UINT64_C(1) << (dx + w->reach);
	}
}

void cairn_heading_mask_start(struct cairn_heading_mask *w, const struct cairn_costmap *cm,
    const struct cairn_cell_bits *bits, const struct cairn_rect *rect)
{
	double x_m = fmax(rect->front_m, rect->rear_m), y_m = fmax(rect->left_m, rect->right_m);
	double reach = hypot(x_m, y_m) / cm->cell_m + 0.5;
	w->cm = cm;
	w->bits = bits;
	w->clear_cells = (float)(y_m / cm->cell_m + NARROW_CELLS);
	double inner_m = fmin(fmin(rect->front_m, rect->rear_m), fmin(rect->left_m, rect->right_m));
	w->blocked_cells = (float)(inner_m / cm->cell_m + 0.5 - ROUNDING_CELLS);
	w->too_large = ceil(reach) > (double)CAIRN_HEADING_MASK_REACH;
	if (!w->too_large)
		make_covered(w, rect, (int)ceil(reach));
}

/* Is none of the cells around (those of the window, in rows as in covered) under the footprint? */
static bool fits(const struct cairn_heading_mask *w, const uint64_t *window, int heading)
{
	uint64_t under = 0;
	for (int i = 0; i < w->rows; i++)
		under |= window[i] & w->covered[heading % CAIRN_HEADING_MASK_HEADINGS][i];
	return under == 0;
}

bool cairn_heading_mask_look(
    const struct cairn_heading_mask *w, int index, enum cairn_heading_way way, uint8_t *known)
{
	if (w->too_large || w->cm->dist[index] >= w->clear_cells) {
		*known = OPEN_ALL;
		return true;
	}
	if (w->cm->dist[index] < w->blocked_cells) {
		*known = CLOSED_ALL;
		return false;
	}
	int x = index % w->cm->width, y = index / w->cm->width;
	uint64_t window[CAIRN_HEADING_MASK_ROWS]; /* what is above the footprint counts for nothing */
	cairn_cell_bits_rows(w->bits, x - w->reach, y - w->reach, w->rows, window);
	const int spread = CAIRN_HEADING_MASK_HEADINGS * CAIRN_HEADING_MASK_SPREAD_DEG / 360;
	bool open = false;
	for (int k = 0; k <= 2 * spread && !open; k++) {
		int off = k % 2 == 0 ? -k / 2 : k / 2 + 1; /* the axis itself first */
		int heading = (int)way * CAIRN_HEADING_MASK_HEADINGS / 8 + off + CAIRN_HEADING_MASK_HEADINGS;
		open = fits(w, window, heading) || fits(w, window, heading + CAIRN_HEADING_MASK_HEADINGS / 2);
	}
	*known |= (uint8_t)((open ? 3u : 1u) << (2 * way));
	return open;
}
