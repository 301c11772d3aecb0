#include <math.h>

#include "common/plan/hybrid_private.h"

static void append(struct cairn_path *path, struct cairn_pose2 pose, bool reverse, bool turn)
{
	if (path->count == CAIRN_PATH_MAX)
		return;
	path->poses[path->count++] =
	    (struct cairn_path_pose){pose.x_m, pose.y_m, cairn_wrap_rad(pose.yaw_rad), reverse, turn};
}

static void reverse_order(struct cairn_path *path)
{
	for (int i = 0, j = path->count - 1; i < j; i++, j--) {
		struct cairn_path_pose t = path->poses[i];
		path->poses[i] = path->poses[j];
		path->poses[j] = t;
	}
}

void hybrid_trace(
    const struct cairn_hybrid *h, int32_t node, const struct cairn_shot *shot, struct cairn_path *path)
{
	path->count = 0;
	path->length_m = 0.0;
	/* From the end, so that a path longer than the array loses its far part only after it is turned
	 * round. */
	int arcs = 0;
	for (int32_t n = node; h->nodes[n].parent >= 0; n = h->nodes[n].parent)
		arcs++;
	int skip = arcs > CAIRN_PATH_MAX / 2 - 1 ? arcs - (CAIRN_PATH_MAX / 2 - 1) : 0;
	for (int32_t n = node; h->nodes[n].parent >= 0; n = h->nodes[n].parent) {
		if (skip-- > 0)
			continue;
		const struct hybrid_node *at = &h->nodes[n], *from = &h->nodes[at->parent];
		const struct hybrid_arc *arc = &h->headings[from->heading].arcs[at->arc];
		append(path, (struct cairn_pose2){at->x_m, at->y_m, h->headings[at->heading].yaw_rad},
		    arc->reverse, arc->spin);
		append(path,
		    (struct cairn_pose2){
			from->x_m + arc->mid.x_m, from->y_m + arc->mid.y_m, arc->mid.yaw_rad},
		    arc->reverse, arc->spin);
	}
	bool first_reverse =
	    path->count > 0 ? path->poses[path->count - 1].reverse : shot != NULL && shot->reverse;
	bool first_turn = path->count > 0 && path->poses[path->count - 1].turn;
	append(path, h->query->start, first_reverse, first_turn);
	reverse_order(path);
	if (shot != NULL && shot->parts > 0) {
		struct cairn_pose2 from = {
		    h->nodes[node].x_m, h->nodes[node].y_m, h->headings[h->nodes[node].heading].yaw_rad};
		int count = (int)ceil(shot->length_m / (0.5 * h->arc_m));
		for (int i = 1; i <= count; i++)
			append(path, cairn_shot_at(shot, &from, shot->length_m * (double)i / (double)count),
			    shot->reverse, false);
	}
	for (int i = 1; i < path->count; i++)
		path->length_m += cairn_path_step(path, i);
}

double cairn_hybrid_path_cost(const struct cairn_hybrid *h, const struct cairn_costmap *cm,
    const struct cairn_path *path, int from, double margin_m, double horizon_m, double *ret_blocked_m)
{
	struct cairn_rect rect = cairn_rect_around(&h->p.body, margin_m);
	double cost = 0.0, along = 0.0;
	for (int i = from > 0 ? from : 1; i < path->count; i++) {
		const struct cairn_path_pose *p = &path->poses[i];
		struct cairn_pose2 pose = cairn_path_pose2(p);
		double step = cairn_path_step(path, i);
		along += step;
		int index = cairn_costmap_index(cm, p->x_m, p->y_m);
		if (along <= horizon_m && (index < 0 || !cairn_costmap_fits(cm, &pose, &rect))) {
			if (ret_blocked_m != NULL)
				*ret_blocked_m = along;
			return INFINITY;
		}
		double front = h->p.body.front_m - h->p.body.half_width_m;
		int ahead = cairn_costmap_index(
		    cm, p->x_m + front * cos(p->yaw_rad), p->y_m + front * sin(p->yaw_rad));
		double factor = index < 0 ? cm->params.unknown_cost : (double)cairn_costmap_cost(cm, index);
		if (ahead >= 0)
			factor =
			    fmax(factor, (double)cairn_costmap_near(cm, cm->dist[ahead] * cm->rate.cell_m));
		cost += step / cm->cell_m * factor * (p->reverse ? h->p.reverse_factor : 1.0);
		if (p->turn) {
			double turned = fabs(cairn_wrap_rad(p->yaw_rad - path->poses[i - 1].yaw_rad));
			cost += turned * h->p.spin_m_per_rad / cm->cell_m * factor;
		}
		if (i > 1 && p->turn != path->poses[i - 1].turn)
			cost += h->p.spin_m / cm->cell_m;
		else if (i > 1 && p->reverse != path->poses[i - 1].reverse)
			cost += h->p.switch_m / cm->cell_m;
	}
	return cost;
}
