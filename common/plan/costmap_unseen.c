#include "common/plan/costmap_private.h"

static void forget(struct cairn_costmap *cm)
{
	const struct cairn_window *w = &cm->unseen;
	for (int y = w->y0; y < w->y1; y++)
		cairn_cells_without(cm, w, y, CAIRN_CELL_UNSEEN);
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

void cairn_costmap_set_claimed(struct cairn_costmap *cm, const struct cairn_vec2 *points, size_t count)
{
	for (size_t i = 0; i < count && cm->width > 0; i++) {
		int index = cairn_costmap_index(cm, points[i].x_m, points[i].y_m);
		if (index >= 0)
			cm->cells[index] |= CAIRN_CELL_CLAIMED;
	}
}

void cairn_costmap_forget_claimed(struct cairn_costmap *cm)
{
	const struct cairn_window all = {0, 0, cm->width, cm->height};
	for (int y = 0; y < cm->height; y++)
		cairn_cells_without(cm, &all, y, CAIRN_CELL_CLAIMED);
}
