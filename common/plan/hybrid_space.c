#include <math.h>

#include "common/plan/hybrid_internal.h"

/* ---- collision ---- */

/* Room between the travelling footprint (lead in the direction of motion) and the obstacles: quick answer by
 * the distance transform at three circles that cover it, exact test in between. near_m: distance that the
 * cost looks at. */
static bool pose_free(
    const struct cairn_hybrid *h, double x, double y, double c, double s, bool reverse, float *ret_near_m)
{
	const struct cairn_costmap *cm = h->cm;
	const struct hybrid_cover *cover = &h->cover[reverse ? 1 : 0];
	float near = INFINITY, lead = INFINITY;
	for (int i = 0; i < 3; i++) {
		int index = cairn_costmap_index(cm, x + c * cover->x_m[i], y + s * cover->x_m[i]);
		float d = index < 0 ? INFINITY : cm->dist[index] * (float)cm->cell_m;
		lead = d < lead ? d : lead;
		index = cairn_costmap_index(cm, x + c * h->body_x_m[i], y + s * h->body_x_m[i]);
		d = index < 0 ? INFINITY : cm->dist[index] * (float)cm->cell_m;
		near = d < near ? d : near;
	}
	*ret_near_m = near;
	if (lead >= cover->clear_m)
		return true;
	if (near < h->inscribed_m)
		return false;
	return cairn_costmap_fits_bits(cm, &h->obstacles, x, y, c, s, &cover->rect);
}

double hybrid_bare_clearance(const struct cairn_hybrid *h, const struct cairn_pose2 *pose)
{
	struct cairn_rect bare = cairn_rect_around(&h->p.body, 0.0);
	return cairn_costmap_clearance(h->cm, pose, &bare, h->p.lead_m + h->cm->cell_m);
}

/* Would the body, backing, come onto floor that the depth camera never saw? The border of that is laid on
 * like obstacles. */
static bool over_unseen(const struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s)
{
	return h->cm->unseen.x1 > h->cm->unseen.x0 &&
	       !cairn_costmap_fits_bits(h->cm, &h->unseen, pose->x_m, pose->y_m, c, s, &h->behind);
}

/* One pose of an arc from a state: its cost factor, or 0 when it is not allowed. A state without the full
 * room (escaping) may go where it does not lose any. */
float hybrid_pose_factor(struct cairn_hybrid *h, const struct cairn_pose2 *pose, double c, double s,
    bool reverse, float escaping, float *ret_escaping)
{
	float near;
	*ret_escaping = NAN;
	int index = cairn_costmap_index(h->cm, pose->x_m, pose->y_m);
	if (index < 0 || (reverse && over_unseen(h, pose, c, s)))
		return 0.0f;
	if (h->cm->dist[index] >= h->open_cells)
		return cairn_costmap_cost(h->cm, index); /* nothing that any part of the body could feel */
	bool is_free = pose_free(h, pose->x_m, pose->y_m, c, s, reverse, &near);
	if (!is_free) {
		if (isnan(escaping))
			return 0.0f;
		double room = hybrid_bare_clearance(h, pose);
		if (room < (double)escaping - 0.002)
			return 0.0f;
		*ret_escaping = (float)room;
	}
	float factor = cairn_costmap_near(h->cm, near);
	float here = cairn_costmap_cost(h->cm, index);
	factor = here > factor ? here : factor;
	return is_free ? factor : factor + (float)h->cm->params.near_cost;
}

/* ---- set-up ---- */

void hybrid_make_covers(struct cairn_hybrid *h)
{
	const struct cairn_hybrid_params *p = &h->p;
	const double cell = h->cm->cell_m;
	double w = p->body.half_width_m + p->clearance_m;
	for (int rev = 0; rev < 2; rev++) {
		struct hybrid_cover *cover = &h->cover[rev];
		double front = p->body.front_m + (rev ? p->clearance_m : p->lead_m);
		double rear = p->body.rear_m + (rev ? p->lead_m : p->clearance_m);
		double part = (front + rear) / 3.0;
		cover->rect = (struct cairn_rect){front, rear, w, w};
		for (int i = 0; i < 3; i++)
			cover->x_m[i] = -rear + ((double)i + 0.5) * part;
		/* Half a cell for the disc, half a diagonal for the place of the query in its cell. */
		cover->clear_m = (float)(hypot(0.5 * part, w) + 0.5 * cell + M_SQRT1_2 * cell);
	}
	double beside =
	    0.5 *
	    p->clearance_m; /* between what the motor stage insists on and what is had on one's own track */
	h->behind = (struct cairn_rect){p->body.front_m + beside, p->body.rear_m + p->lead_m,
	    p->body.half_width_m + beside, p->body.half_width_m + beside};
	double reach = fmax(p->body.front_m, p->body.rear_m) + fmax(p->lead_m, h->cm->params.inflation_m) + w;
	h->open_cells = (float)(reach / cell + 2.0);
	double part = (p->body.front_m + p->body.rear_m) / 3.0;
	for (int i = 0; i < 3; i++)
		h->body_x_m[i] = -p->body.rear_m + ((double)i + 0.5) * part;
	double inner = fmin(0.5 * part, p->body.half_width_m);
	h->inscribed_m = (float)(inner + 0.5 * cell - M_SQRT1_2 * cell);
	h->field_radius_m =
	    fmin(p->body.half_width_m, p->body.rear_m) + p->clearance_m + 0.5 * cell - M_SQRT1_2 * cell;
}

/* Arcs long enough to leave the cell, turning by whole heading bins. */
void hybrid_make_arcs(struct cairn_hybrid *h, double start_yaw_rad)
{
	const double bin = 2.0 * M_PI / HYBRID_HEADINGS;
	double radius = h->p.turn_radius_m;
	int bins = (int)ceil(2.8 * h->cm->cell_m / (radius * bin));
	bins = bins < 2 ? 2 : bins > 9 ? 9 : bins;
	double length = radius * bin * (double)bins;
	h->arc_m = length;
	const int turn[5] = {0, 1, -1, bins, -bins};
	for (int k = 0; k < HYBRID_HEADINGS; k++) {
		double yaw = start_yaw_rad + (double)k * bin;
		h->yaw_rad[k] = cairn_wrap_rad(yaw);
		for (int j = 0; j < HYBRID_ARCS; j++) {
			struct hybrid_arc *arc = &h->arcs[k][j];
			bool reverse = j >= HYBRID_ARCS / 2;
			int t = turn[j % (HYBRID_ARCS / 2)];
			double sign = reverse ? -1.0 : 1.0;
			struct cairn_twist twist = {sign * length, sign * (double)t * bin};
			struct cairn_pose2 at = {0.0, 0.0, yaw};
			arc->mid = cairn_pose_advance(at, twist, 0.5);
			arc->end = cairn_pose_advance(at, twist, 1.0);
			arc->mid_c = cos(arc->mid.yaw_rad);
			arc->mid_s = sin(arc->mid.yaw_rad);
			arc->end_c = cos(arc->end.yaw_rad);
			arc->end_s = sin(arc->end.yaw_rad);
			arc->turn_bins = t;
			arc->reverse = reverse;
			arc->heading = (k + (reverse ? -t : t) + HYBRID_HEADINGS) % HYBRID_HEADINGS;
			double bend = fabs((double)t) / (double)bins;
			arc->cost = (float)(length / h->cm->cell_m * (reverse ? h->p.reverse_factor : 1.0) *
					    (1.0 + (h->p.turn_factor - 1.0) * bend));
		}
	}
}
