/* hybrid_primitives.c - the moves of a search. */
#include <math.h>

#include "common/plan/hybrid_private.h"

#define BIN_RAD (2.0 * M_PI / HYBRID_HEADINGS)

static struct hybrid_step step_by(struct cairn_pose2 pose)
{
	return (struct hybrid_step){pose, cos(pose.yaw_rad), sin(pose.yaw_rad)};
}

/* One after another. */
static struct hybrid_step step_from(const struct hybrid_step *a, const struct hybrid_step *b)
{
	return (struct hybrid_step){{a->pose.x_m + a->c * b->pose.x_m - a->s * b->pose.y_m,
					a->pose.y_m + a->s * b->pose.x_m + a->c * b->pose.y_m,
					cairn_wrap_rad(a->pose.yaw_rad + b->pose.yaw_rad)},
	    a->c * b->c - a->s * b->s, a->s * b->c + a->c * b->s};
}

/* Bins that an arc turns by; the first half of those that are rolled leads forward. */
static int turn_of(const struct cairn_hybrid *h, int arc)
{
	const int turn[HYBRID_ROLLED / 2] = {0, 1, -1, h->arc_bins, -h->arc_bins};
	if (arc >= HYBRID_ROLLED)
		return arc == HYBRID_ROLLED ? HYBRID_SPIN_BINS : -HYBRID_SPIN_BINS;
	return turn[arc % (HYBRID_ROLLED / 2)];
}

static bool is_reverse(int arc)
{
	return arc >= HYBRID_ROLLED / 2 && arc < HYBRID_ROLLED;
}

static double way_of(const struct cairn_hybrid *h, int arc)
{
	return arc >= HYBRID_ROLLED ? 0.0 : is_reverse(arc) ? -h->arc_m : h->arc_m;
}

/* Arcs long enough to leave the cell, turning by whole heading bins. */
static void make_steps(struct cairn_hybrid *h)
{
	const double radius = h->p.turn_radius_m;
	int bins = (int)ceil(2.8 * h->cm->cell_m / (radius * BIN_RAD));
	h->arc_bins = bins < 2 ? 2 : bins > 9 ? 9 : bins;
	h->arc_m = radius * BIN_RAD * (double)h->arc_bins;
	for (int j = 0; j < HYBRID_ARCS; j++) {
		double sign = is_reverse(j) ? -1.0 : 1.0;
		struct cairn_twist twist = {way_of(h, j), sign * (double)turn_of(h, j) * BIN_RAD};
		h->to_mid[j] = step_by(cairn_pose_advance((struct cairn_pose2){0}, twist, 0.5));
		h->to_end[j] = step_by(cairn_pose_advance((struct cairn_pose2){0}, twist, 1.0));
	}
}

/* A whole turn and what first leads beyond it, by half arcs. */
static void make_turn(struct cairn_hybrid *h)
{
	const int count = (int)(sizeof(h->turned) / sizeof(h->turned[0]));
	double way_m = 0.5 * h->arc_m;
	for (int k = 0; k < count; k++, way_m += 0.5 * h->arc_m) {
		struct cairn_pose2 at =
		    cairn_twist_step((struct cairn_twist){1.0, 1.0 / h->p.turn_radius_m}, way_m);
		h->turned[k] = (struct hybrid_turned){way_m, at.x_m, at.y_m};
	}
}

void hybrid_begin_arcs(struct cairn_hybrid *h)
{
	if (h->steps_cell_m != h->cm->cell_m) {
		make_steps(h);
		make_turn(h);
		h->steps_cell_m = h->cm->cell_m;
	}
	for (int k = 0; k < HYBRID_HEADINGS; k++)
		h->headings[k].made = false;
}

/* On free ground, cells. */
static float cost_of(const struct cairn_hybrid *h, int arc)
{
	double bend = fabs((double)turn_of(h, arc)) / (double)h->arc_bins;
	if (arc >= HYBRID_ROLLED)
		return (float)(h->p.spin_m_per_rad * HYBRID_SPIN_BINS * BIN_RAD / h->cm->cell_m);
	return (float)(h->arc_m / h->cm->cell_m * (is_reverse(arc) ? h->p.reverse_factor : 1.0) *
		       (1.0 + (h->p.turn_factor - 1.0) * bend));
}

void hybrid_make_heading(struct cairn_hybrid *h, int heading)
{
	struct hybrid_heading *to = &h->headings[heading];
	double yaw = h->query->start.yaw_rad + (double)heading * BIN_RAD;
	struct hybrid_step turned = step_by((struct cairn_pose2){0.0, 0.0, yaw});
	to->made = true;
	to->yaw_rad = cairn_wrap_rad(yaw);
	to->c = cos(to->yaw_rad);
	to->s = sin(to->yaw_rad);
	for (int j = 0; j < HYBRID_ARCS; j++) {
		struct hybrid_arc *arc = &to->arcs[j];
		bool reverse = is_reverse(j);
		int t = turn_of(h, j);
		struct hybrid_step mid = step_from(&turned, &h->to_mid[j]),
				   end = step_from(&turned, &h->to_end[j]);
		to->end_x_m[j] = end.pose.x_m;
		to->end_y_m[j] = end.pose.y_m;
		*arc = (struct hybrid_arc){.mid = mid.pose,
		    .mid_c = mid.c,
		    .mid_s = mid.s,
		    .end = end.pose,
		    .end_c = end.c,
		    .end_s = end.s,
		    .turn_bins = t,
		    .reverse = reverse,
		    .spin = j >= HYBRID_ROLLED,
		    .heading = (heading + (reverse ? -t : t) + HYBRID_HEADINGS) % HYBRID_HEADINGS,
		    .cost = cost_of(h, j)};
	}
}

float hybrid_cost_before(
    const struct cairn_hybrid *h, const struct hybrid_node *n, const struct hybrid_arc *arc)
{
	float g = n->g;
	if (n->parent < 0)
		return g;
	if (n->spin || arc->spin)
		return n->spin == arc->spin && n->turn_bins == arc->turn_bins ? g : g + h->spin_cost;
	if (n->reverse != arc->reverse)
		g += h->switch_cost;
	return n->turn_bins != arc->turn_bins ? g + HYBRID_STEER_CHANGE : g;
}
