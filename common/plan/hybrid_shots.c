/* hybrid_shots.c - closed-form ends of a path. */
#include <math.h>

#include "common/plan/hybrid_private.h"

/* Is the middle of the robot within an obstacle, or outside the map? */
static bool meets(const struct cairn_hybrid *h, struct cairn_vec2 at)
{
	int cell = cairn_costmap_index(h->cm, at.x_m, at.y_m);
	return cell < 0 || (h->cm->cells[cell] & CAIRN_CELL_OBSTACLE) != 0;
}

/* Looks at the parts from at_m on that are straight, or at those that are not. */
static bool parts_meet(
    const struct cairn_hybrid *h, struct cairn_shot_walk walk, double at_m, double step_m, bool straight)
{
	const struct cairn_shot *shot = walk.shot;
	for (; at_m < shot->length_m; at_m += step_m) {
		cairn_shot_walk_on(&walk, at_m);
		if ((shot->part[walk.part].curvature_1pm == 0.0) == straight &&
		    meets(h, cairn_shot_walk_place(&walk, at_m)))
			return true;
	}
	return false;
}

/* A shot's first turn, by what is known of turning from h->turned. ret_next_m: what comes behind it. */
static bool first_turn_meets(
    const struct cairn_hybrid *h, const struct cairn_shot_walk *walk, double *ret_next_m)
{
	const struct cairn_shot *shot = walk->shot;
	const double ahead = shot->reverse ? -1.0 : 1.0;
	const double left = shot->part[0].curvature_1pm > 0.0 ? 1.0 : -1.0;
	int k = 0;
	for (; h->turned[k].way_m < shot->length_m && h->turned[k].way_m <= shot->part[0].length_m; k++) {
		double x = ahead * h->turned[k].x_m, y = left * h->turned[k].y_m;
		struct cairn_vec2 at = {
		    walk->from.x_m + walk->c * x - walk->s * y, walk->from.y_m + walk->s * x + walk->c * y};
		if (meets(h, at))
			return true;
	}
	*ret_next_m = h->turned[k].way_m;
	return false;
}

/* An obstacle in the very middle of the way, which ends most shots: found long before a footprint laid pose
 * by pose comes to it; on what is straight, which is the most of it and the least work, before the turns.
 * False says nothing. */
static bool shot_meets(const struct cairn_hybrid *h, struct cairn_shot_walk walk)
{
	const double step_m = 0.5 * h->arc_m;
	const struct cairn_shot *shot = walk.shot;
	if (parts_meet(h, walk, step_m, step_m, true))
		return true;
	double from_m = step_m;
	if (shot->part[0].curvature_1pm != 0.0 && first_turn_meets(h, &walk, &from_m))
		return true;
	return shot->parts > 2 && parts_meet(h, walk, from_m, step_m, false);
}

/* Cost of driving a shot from a state, INFINITY when something is in the way or it comes to `bound` or more.
 */
static float shot_cost(
    struct cairn_hybrid *h, const struct hybrid_node *n, const struct cairn_shot *shot, float bound)
{
	const struct hybrid_heading *heading = &h->headings[n->heading];
	int count = (int)ceil(shot->length_m / (0.5 * h->arc_m));
	float per_m = (float)((shot->reverse ? h->p.reverse_factor : 1.0) / h->cm->cell_m);
	float cost = 0.0f;
	if (n->parent >= 0 && n->spin)
		cost = h->spin_cost;
	else if (n->parent >= 0 && n->reverse != shot->reverse)
		cost = h->switch_cost;
	if (cost + per_m * (float)shot->length_m >= bound)
		return INFINITY;
	float each = per_m * (float)(shot->length_m / (double)count), escaping = n->escaping;
	struct cairn_shot_walk walk = {
	    .shot = shot, .from = {n->x_m, n->y_m, heading->yaw_rad}, .c = heading->c, .s = heading->s};
	if (isnan(escaping) && shot_meets(h, walk))
		return INFINITY;
	for (int i = 1; i <= count; i++) {
		double c, s;
		struct cairn_pose2 pose =
		    cairn_shot_walk_to(&walk, shot->length_m * (double)i / (double)count, &c, &s);
		float factor = hybrid_pose_factor(
		    h, &pose, c, s, shot->reverse ? HYBRID_BACKWARD : HYBRID_FORWARD, escaping, &escaping);
		cost += each * factor;
		if (factor <= 0.0f || cost >= bound)
			return INFINITY;
	}
	return cost;
}

void hybrid_try_shots(struct cairn_hybrid *h, int32_t node)
{
	const struct hybrid_node *n = &h->nodes[node];
	const struct cairn_hybrid_query *q = h->query;
	struct cairn_pose2 from = {n->x_m, n->y_m, h->headings[n->heading].yaw_rad};
	struct cairn_pose2 goal = {h->goal_x_m, h->goal_y_m, q->goal_yaw_rad};
	for (int rev = 0; rev < 2; rev++) {
		struct cairn_shot shot;
		bool found =
		    q->heading_given
			? cairn_shot_to_pose(&shot, &from, &goal, h->p.turn_radius_m, rev == 1)
			: cairn_shot_to_point(&shot, &from, goal.x_m, goal.y_m, h->p.turn_radius_m, rev == 1);
		h->shots++;
		if (found)
			hybrid_take_candidate(h, node, n->g + shot_cost(h, n, &shot, h->bound - n->g), &shot);
	}
}
