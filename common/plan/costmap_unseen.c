#include <math.h>
#include <string.h>

#include "common/plan/costmap.h"

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

/* Whether a cell of the border can lie under a rectangle whose corners are at most reach_m from (x, y): eight
 * cells at a time, because most poses are far from all of them. */
static bool within_reach(const struct cairn_costmap *cm, double x_m, double y_m, double reach_m)
{
	const struct cairn_window *w = &cm->unseen;
	double cx = (x_m - cm->origin_x_m) * cm->cells_per_m, cy = (y_m - cm->origin_y_m) * cm->cells_per_m;
	double r = reach_m * cm->cells_per_m + 1.0;
	if (!(w->x1 > w->x0 && cx + r >= w->x0 && cx - r <= w->x1 && cy + r >= w->y0 && cy - r <= w->y1))
		return false;
	int x0 = (int)fmax(cx - r, w->x0), x1 = (int)fmin(cx + r + 1.0, w->x1);
	int y0 = (int)fmax(cy - r, w->y0), y1 = (int)fmin(cy + r + 1.0, w->y1);
	for (int y = y0; y < y1; y++) {
		const uint8_t *row = cm->cells + (size_t)y * (size_t)cm->width;
		uint64_t any = 0, eight;
		int x = x0;
		for (; x + 8 <= x1; x += 8) {
			memcpy(&eight, row + x, sizeof(eight));
			any |= eight & UINT64_C(0x0101010101010101) * CAIRN_CELL_UNSEEN;
		}
		for (; x < x1; x++)
			any |= row[x] & CAIRN_CELL_UNSEEN;
		if (any != 0)
			return true;
	}
	return false;
}

bool cairn_costmap_over_unseen(
    const struct cairn_costmap *cm, const struct cairn_pose2 *pose, const struct cairn_rect *rect)
{
	double ahead = fmax(rect->front_m, rect->rear_m), beside = fmax(rect->left_m, rect->right_m);
	if (!within_reach(cm, pose->x_m, pose->y_m, sqrt(ahead * ahead + beside * beside)))
		return false;
	int nx = (int)ceil((rect->front_m + rect->rear_m) / cm->cell_m);
	int ny = (int)ceil((rect->left_m + rect->right_m) / cm->cell_m);
	double c = cos(pose->yaw_rad), s = sin(pose->yaw_rad);
	for (int i = 0; i <= nx; i++) {
		double x = -rect->rear_m + (rect->front_m + rect->rear_m) * i / nx;
		double along_x = pose->x_m + c * x, along_y = pose->y_m + s * x;
		for (int j = 0; j <= ny; j++) {
			double y = -rect->right_m + (rect->left_m + rect->right_m) * j / ny;
			int index = cairn_costmap_index(cm, along_x - s * y, along_y + c * y);
			if (index >= 0 && (cm->cells[index] & CAIRN_CELL_UNSEEN) != 0)
				return true;
		}
	}
	return false;
}
