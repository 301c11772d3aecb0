#include <math.h>
#include <string.h>

#include "common/plan/cell_bits.h"
#include "common/plan/costmap_laid.h"

static void forget(struct cairn_costmap *cm)
{
	const struct cairn_window *w = &cm->unseen;
	for (int y = w->y0; y < w->y1; y++)
		for (int x = w->x0; x < w->x1; x++)
			cm->cells[(size_t)y * (size_t)cm->width + (size_t)x] &= (uint8_t)~CAIRN_CELL_UNSEEN;
	cm->unseen = (struct cairn_window){0, 0, 0, 0};
}

void cairn_costmap_set_unseen(struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count)
{
	if (cm->width == 0)
		return;
	forget(cm);
	struct cairn_window w = {cm->width, cm->height, 0, 0};
	for (size_t i = 0; i < count; i++) {
		int index = cairn_costmap_index(cm, points[i].x_m, points[i].y_m);
		if (index < 0)
			continue;
		int x = index % cm->width, y = index / cm->width;
		cm->cells[index] |= CAIRN_CELL_UNSEEN;
		w.x0 = x < w.x0 ? x : w.x0;
		w.y0 = y < w.y0 ? y : w.y0;
		w.x1 = x >= w.x1 ? x + 1 : w.x1;
		w.y1 = y >= w.y1 ? y + 1 : w.y1;
	}
	if (w.x0 < w.x1)
		cm->unseen = w;
}

/* Whether a cell of the border can lie under a rectangle whose corners are at most reach_m from (x, y): most
 * poses are far from all of them. */
static bool within_reach(const struct cairn_costmap *cm, const struct cairn_cell_bits *bits, double x_m,
    double y_m, double reach_m)
{
	double r_m = reach_m + cm->cell_m;
	struct cairn_window w = cairn_cells_within(cm, x_m - r_m, y_m - r_m, x_m + r_m, y_m + r_m);
	uint64_t any = 0;
	for (int y = w.y0; y < w.y1; y++)
		for (int x = w.x0; x < w.x1; x += 64)
			any |= cairn_cell_bits_from(bits, x, y) & cairn_cell_bits_first(w.x1 - x);
	return any != 0;
}

bool cairn_costmap_over_unseen(const struct cairn_costmap *cm, const struct cairn_cell_bits *bits, double x_m,
    double y_m, double c, double s, const struct cairn_rect *rect)
{
	double ahead = fmax(rect->front_m, rect->rear_m), beside = fmax(rect->left_m, rect->right_m);
	if (cm->unseen.x1 <= cm->unseen.x0 ||
	    !within_reach(cm, bits, x_m, y_m, sqrt(ahead * ahead + beside * beside)))
		return false;
	int nx = (int)ceil((rect->front_m + rect->rear_m) / cm->cell_m);
	int ny = (int)ceil((rect->left_m + rect->right_m) / cm->cell_m);
	for (int i = 0; i <= nx; i++) {
		double x = -rect->rear_m + (rect->front_m + rect->rear_m) * i / nx;
		double along_x = x_m + c * x, along_y = y_m + s * x;
		for (int j = 0; j <= ny; j++) {
			double y = -rect->right_m + (rect->left_m + rect->right_m) * j / ny;
			int index = cairn_costmap_index(cm, along_x - s * y, along_y + c * y);
			if (index >= 0 && (cm->cells[index] & CAIRN_CELL_UNSEEN) != 0)
				return true;
		}
	}
	return false;
}
