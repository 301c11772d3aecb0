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

/* Bins that an arc turns by; the first half of them leads forward. */
static int turn_of(const struct cairn_hybrid *h, int arc)
{
	const int turn[HYBRID_ARCS / 2] = {0, 1, -1, h->arc_bins, -h->arc_bins};
	return turn[arc % (HYBRID_ARCS / 2)];
}

/* Arcs long enough to leave the cell, turning by whole heading bins. */
static void make_steps(struct cairn_hybrid *h)
{
	const double radius = h->p.turn_radius_m;
	int bins = (int)ceil(2.8 * h->cm->cell_m / (radius * BIN_RAD));
	h->arc_bins = bins < 2 ? 2 : bins > 9 ? 9 : bins;
	h->arc_m = radius * BIN_RAD * (double)h->arc_bins;
	for (int j = 0; j < HYBRID_ARCS; j++) {
		double sign = j >= HYBRID_ARCS / 2 ? -1.0 : 1.0;
		struct cairn_twist twist = {sign * h->arc_m, sign * (double)turn_of(h, j) * BIN_RAD};
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
		bool reverse = j >= HYBRID_ARCS / 2;
		int t = turn_of(h, j);
		struct hybrid_step mid = step_from(&turned, &h->to_mid[j]),
				   end = step_from(&turned, &h->to_end[j]);
		double bend = fabs((double)t) / (double)h->arc_bins;
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
		    .heading = (heading + (reverse ? -t : t) + HYBRID_HEADINGS) % HYBRID_HEADINGS,
		    .cost = (float)(h->arc_m / h->cm->cell_m * (reverse ? h->p.reverse_factor : 1.0) *
				    (1.0 + (h->p.turn_factor - 1.0) * bend))};
	}
}
