#include <math.h>

#include "common/plan/hybrid_private.h"

#define FIELD_BLOCK 2 /* the search looks at every cell itself; for its guide a quarter of them will do */

/* The open cell nearest to (x, y) within reach_m that the field from `start` reaches (any open one when it is
 * NULL); -1. */
static int nearest_cell(
    struct cairn_hybrid *h, struct cairn_cost_field *start, double x, double y, double reach_m)
{
	const struct cairn_costmap *cm = h->cm;
	int best = -1, r = (int)ceil(reach_m / cm->cell_m) + 1;
	int cx = (int)floor((x - cm->origin_x_m) / cm->cell_m),
	    cy = (int)floor((y - cm->origin_y_m) / cm->cell_m);
	double best_m = reach_m;
	for (int iy = cy - r; iy <= cy + r; iy++)
		for (int ix = cx - r; ix <= cx + r; ix++) {
			if (ix < 0 || iy < 0 || ix >= cm->width || iy >= cm->height)
				continue;
			int index = iy * cm->width + ix;
			struct cairn_vec2 c = cairn_costmap_center(cm, index);
			double d = hypot(c.x_m - x, c.y_m - y);
			/* Enough room to turn there weighs more than a few centimetres. */
			double room = (double)cm->dist[index] * cm->cell_m;
			double want = h->p.body.half_width_m + h->p.clearance_m + cm->cell_m;
			double score = d + 2.0 * fmax(0.0, want - room);
			if (d > reach_m || score >= best_m + (best < 0 ? 1.0 : 0.0) ||
			    !cairn_cost_field_open(&h->field, index))
				continue;
			if (start != NULL && !(cairn_cost_field_at(start, index) < INFINITY))
				continue;
			best = index;
			best_m = score;
		}
	return best;
}

static bool reachable_from_goal(struct cairn_hybrid *h, int start_cell)
{
	return cairn_cost_field_at(&h->field, start_cell) < INFINITY;
}

/* The field as it is before anything was asked of it. */
static int begin_field(struct cairn_hybrid *h)
{
	return cairn_cost_field_start(
	    &h->field, h->cm, FIELD_BLOCK, h->field_radius_m, &h->query->start, h->ease_m, &h->ways);
}

static void aim(struct cairn_hybrid *h, int goal_cell, int start_cell)
{
	cairn_cost_field_aim(&h->field, start_cell);
	cairn_cost_field_seed(&h->field, goal_cell, 0.0f);
}

/* Nobody asks about them where there are none. */
static int take_unseen(struct cairn_hybrid *h)
{
	return h->cm->unseen.x1 > h->cm->unseen.x0
		   ? cairn_cell_bits_take(&h->unseen, h->cm, CAIRN_CELL_UNSEEN)
		   : cairn_cell_bits_reserve(&h->unseen, h->cm);
}

enum cairn_plan_result hybrid_choose_goal(struct cairn_hybrid *h, int start_cell)
{
	const struct cairn_hybrid_query *q = h->query;
	h->goal_x_m = q->goal_x_m;
	h->goal_y_m = q->goal_y_m;
	h->tolerance_m = q->tolerance_m;
	struct cairn_rect rect = cairn_rect_around(&h->p.body, h->p.clearance_m);
	/* All memory is taken with the map: the other field, too, that only blocked goals need. */
	if (cairn_cell_bits_take(&h->obstacles, h->cm, CAIRN_CELL_OBSTACLE) < 0 || take_unseen(h) < 0 ||
	    cairn_cost_field_reserve(&h->from_start, h->cm, FIELD_BLOCK) < 0)
		return CAIRN_PLAN_LIMIT;
	cairn_heading_mask_start(&h->ways, h->cm, &h->obstacles, &rect);
	if (begin_field(h) < 0 || hybrid_course_reserve(h) < 0 || hybrid_room_reserve(h) < 0)
		return CAIRN_PLAN_LIMIT;
	int cell = cairn_costmap_index(h->cm, q->goal_x_m, q->goal_y_m);
	bool blocked = cell < 0 || !cairn_cost_field_open(&h->field, cell);
	if (!blocked) {
		aim(h, cell, start_cell);
		if (reachable_from_goal(h, start_cell))
			return CAIRN_PLAN_OK;
	}
	/* Somewhere within the tolerance, then within nearest_m, that can be reached from here. */
	if (cairn_cost_field_start(
		&h->from_start, h->cm, FIELD_BLOCK, h->field_radius_m, &q->start, h->ease_m, NULL) < 0)
		return CAIRN_PLAN_LIMIT;
	cairn_cost_field_seed(&h->from_start, start_cell, 0.0f);
	cell = nearest_cell(h, &h->from_start, q->goal_x_m, q->goal_y_m, q->tolerance_m);
	bool within = cell >= 0;
	if (!within && q->nearest_m > q->tolerance_m)
		cell = nearest_cell(h, &h->from_start, q->goal_x_m, q->goal_y_m, q->nearest_m);
	if (cell < 0)
		return blocked && nearest_cell(h, NULL, q->goal_x_m, q->goal_y_m, q->tolerance_m) < 0
			   ? CAIRN_PLAN_GOAL_BLOCKED
			   : CAIRN_PLAN_NO_PATH;
	if (begin_field(h) < 0)
		return CAIRN_PLAN_LIMIT;
	aim(h, cell, start_cell);
	struct cairn_vec2 c = cairn_costmap_center(h->cm, cell);
	h->goal_x_m = c.x_m;
	h->goal_y_m = c.y_m;
	double moved = hypot(c.x_m - q->goal_x_m, c.y_m - q->goal_y_m);
	h->tolerance_m = within ? fmax(q->tolerance_m - moved, h->cm->cell_m) : 2.0 * h->cm->cell_m;
	return within ? CAIRN_PLAN_OK : CAIRN_PLAN_NEAREST;
}
