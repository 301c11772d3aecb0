/* dynamic_obstacles_limit.c - how fast the robot may go beside what moves by itself. */
#include "common/safety/dynamic_obstacles.h"

#include <math.h>

#define SPARE_M 0.03
#define LEAVES_M 0.015 /* between himself and the robot, whoever walks up to it */
#define EDGE_M 0.1     /* before the body: what it comes to cover next */

static double gap_to(const struct cairn_footprint *body, struct cairn_vec2 p)
{
	double dx = fmax(fmax(p.x_m - body->front_m, -body->rear_m - p.x_m), 0.0);
	double dy = fmax(fabs(p.y_m) - body->half_width_m, 0.0);
	return sqrt(dx * dx + dy * dy);
}

/* Share of the travel that closes the gap: the greatest over the ways that braking may take. */
static double closing_share(
    const struct cairn_footprint *body, struct cairn_vec2 p, double gap_m, const struct cairn_pose2 ahead[2])
{
	static const double way_m[2] = {0.05, 0.20};
	double share = 0.0;
	for (int i = 0; i < 2; i++)
		share = fmax(share, (gap_m - gap_to(body, cairn_pose_apply(ahead[i], p))) / way_m[i]);
	return fmin(share, 1.0);
}

/* The positive v of f (v r + v^2 / 2a) + w v / a = room. */
static double speed_for(const struct cairn_dynamic_obstacles_params *p, double room_m, double share)
{
	if (!(room_m > 0.0))
		return 0.0;
	double a = share / (2.0 * p->decel_mps2), b = share * p->reaction_s + p->person_mps / p->decel_mps2;
	if (a < 1e-9)
		return room_m / b;
	return (sqrt(b * b + 4.0 * a * room_m) - b) / (2.0 * a);
}

/* Beside somebody who moves. */
static double limit_moving(const struct cairn_dynamic_obstacles_params *p, struct cairn_vec2 at, double age_s,
    const struct cairn_pose2 ahead[2])
{
	double gap_m = gap_to(&p->body, at);
	double room_m = gap_m - p->person_mps * (age_s + p->reaction_s) - SPARE_M;
	return speed_for(p, room_m, closing_share(&p->body, at, gap_m, ahead));
}

/* So far from somebody who stands and may set out again. */
static double standing_mps(const struct cairn_dynamic_obstacles_params *p, double gap_m, double age_s)
{
	double late_s = age_s + p->reaction_s;
	double room_m = gap_m - p->person_mps * late_s - SPARE_M;
	if (room_m > 0.0)
		return speed_for(p, room_m, 1.0);
	double rest_s = late_s - gap_m / p->person_mps, a = p->decel_mps2;
	return (sqrt(rest_s * rest_s + 2.0 * LEAVES_M / a) - rest_s) * a;
}

/* Beside somebody who stands. */
static double limit_standing(
    const struct cairn_dynamic_obstacles_params *p, struct cairn_vec2 at, double age_s, bool forward)
{
	struct cairn_footprint edge = p->body;
	if (forward) {
		edge.rear_m = -p->body.front_m;
		edge.front_m += EDGE_M;
	} else {
		edge.front_m = -p->body.rear_m;
		edge.rear_m += EDGE_M;
	}
	return standing_mps(p, gap_to(&edge, at), age_s);
}
struct cairn_dynamic_obstacles_limit cairn_dynamic_obstacles_spin_limit(
    const struct cairn_dynamic_obstacles *m, struct cairn_pose2 pose, int64_t now_ns)
{
	const struct cairn_dynamic_obstacles_params *p = &m->params;
	struct cairn_dynamic_obstacles_limit best = {INFINITY, 0.0, -1.0};
	double reach_m = cairn_footprint_reach_m(&p->body),
	       age_s = fmax((double)(now_ns - m->t_ns) * 1e-9, 0.0);
	struct cairn_pose2 here = cairn_pose_inverse(pose);
	for (uint32_t i = 0; i < m->points; i++) {
		struct cairn_vec2 at =
		    cairn_pose_apply(here, (struct cairn_vec2){(double)m->x_m[i], (double)m->y_m[i]});
		double away_m = hypot(at.x_m, at.y_m);
		double gap_m = away_m - reach_m;
		double v = m->stands[i]
			       ? standing_mps(p, gap_m, age_s)
			       : speed_for(p, gap_m - p->person_mps * (age_s + p->reaction_s) - SPARE_M, 1.0);
		if (v < best.limit_mps)
			best = (struct cairn_dynamic_obstacles_limit){v, atan2(at.y_m, at.x_m), away_m};
	}
	return best;
}

struct cairn_dynamic_obstacles_limit cairn_dynamic_obstacles_limit(const struct cairn_dynamic_obstacles *m,
    struct cairn_pose2 pose, double curvature_1pm, bool forward, int64_t now_ns)
{
	const struct cairn_dynamic_obstacles_params *p = &m->params;
	struct cairn_dynamic_obstacles_limit best = {INFINITY, 0.0, -1.0};
	if (m->points == 0)
		return best;
	double sign = forward ? 1.0 : -1.0, age_s = fmax((double)(now_ns - m->t_ns) * 1e-9, 0.0);
	struct cairn_twist way = {sign, sign * curvature_1pm};
	struct cairn_pose2 zero = {0}, ahead[2] = {cairn_pose_inverse(cairn_pose_advance(zero, way, 0.05)),
					   cairn_pose_inverse(cairn_pose_advance(zero, way, 0.20))};
	struct cairn_pose2 here = cairn_pose_inverse(pose);
	for (uint32_t i = 0; i < m->points; i++) {
		struct cairn_vec2 at =
		    cairn_pose_apply(here, (struct cairn_vec2){(double)m->x_m[i], (double)m->y_m[i]});
		double v =
		    m->stands[i] ? limit_standing(p, at, age_s, forward) : limit_moving(p, at, age_s, ahead);
		if (v < best.limit_mps)
			best = (struct cairn_dynamic_obstacles_limit){
			    v, atan2(at.y_m, at.x_m), hypot(at.x_m, at.y_m)};
	}
	return best;
}
