#include "common/safety/safe_velocity.h"

#include <math.h>

#include "common/config/speeds.h"

#define WIDE_ARC_RADIUS_M 0.8
/* Arcs are asked a little wider than the steering's stop, so that control has room on both sides. */
#define RADIUS_RESERVE 1.05
#define SPIN_SPARE_M 0.01   /* way of a corner that a turn in place leaves */
#define SPIN_CREEP_MPS 0.01 /* of a corner */

struct cairn_footprint cairn_safe_footprint(const struct cairn_config *cfg)
{
	return (struct cairn_footprint){
	    cfg->robot.footprint_front_m, cfg->robot.footprint_rear_m, cfg->robot.footprint_half_width_m};
}

double cairn_safe_from_body_m(const struct cairn_config *cfg, double from_centre_m)
{
	return fmax(from_centre_m - 0.5 * (cfg->robot.footprint_front_m + cfg->robot.footprint_rear_m), 0.0);
}

struct cairn_twist cairn_safe_feasible(const struct cairn_config *cfg, struct cairn_twist want)
{
	double most_radps = cairn_turn_rate_max_radps(cfg);
	if (!isfinite(want.v_mps) || !isfinite(want.w_radps))
		return (struct cairn_twist){0.0, 0.0};
	if (fabs(want.v_mps) < 1e-6)
		return (struct cairn_twist){
		    0.0, most_radps > 0.0 ? cairn_clamp(want.w_radps, -most_radps, most_radps) : 0.0};
	double curvature = want.w_radps / want.v_mps;
	double limit = 1.0 / cfg->robot.turn_radius_min_m;
	double v = cairn_clamp(want.v_mps, -cfg->robot.speed_max_mps, cfg->robot.speed_max_mps);
	return (struct cairn_twist){v, v * cairn_clamp(curvature, -limit, limit)};
}

/* Highest speed from which the base still stops within room_m. */
static double stoppable_mps(double room_m, double reaction_s, double decel_mps2)
{
	return decel_mps2 * (sqrt(reaction_s * reaction_s + 2.0 * room_m / decel_mps2) - reaction_s);
}

static struct cairn_safe_velocity safe_turn(const struct cairn_config *cfg, const struct cairn_points *points,
    struct cairn_twist want, double reaction_s)
{
	struct cairn_footprint body = cairn_safe_footprint(cfg);
	double reach_m = cairn_footprint_reach_m(&body), tip_mps = fabs(want.w_radps) * reach_m;
	struct cairn_spin_hit hit =
	    cairn_spin_clearance(points, &body, cfg->safety.margin_m, want.w_radps > 0.0);
	double limit = !hit.hit ? INFINITY
				: stoppable_mps(fmax(hit.free_rad * reach_m - SPIN_SPARE_M, 0.0),
				      fmax(reaction_s, 0.0), cfg->robot.decel_max_mps2);
	double left_mps = fmin(tip_mps, limit);
	if (left_mps < SPIN_CREEP_MPS && left_mps < tip_mps)
		left_mps = 0.0;
	return (struct cairn_safe_velocity){.twist = {0.0, copysign(left_mps / reach_m, want.w_radps)},
	    .ratio = left_mps / tip_mps,
	    .free_m = fmin(hit.free_rad * reach_m, CAIRN_SAFE_HORIZON_M),
	    .bearing_rad = hit.bearing_rad,
	    .hit = hit.hit,
	    .point = hit.point,
	    .pace = left_mps > 0.0 ? CAIRN_PACE_FAST : CAIRN_PACE_STOP};
}

struct cairn_safe_velocity cairn_safe_velocity(const struct cairn_config *cfg,
    const struct cairn_points *points, struct cairn_twist want, double reaction_s)
{
	const struct cairn_config_safety *s = &cfg->safety;
	struct cairn_twist t = cairn_safe_feasible(cfg, want);
	struct cairn_safe_velocity out = {
	    .ratio = 1.0, .free_m = CAIRN_SAFE_HORIZON_M, .pace = CAIRN_PACE_FAST};
	if (cairn_twist_in_place(t))
		return safe_turn(cfg, points, t, reaction_s);
	if (t.v_mps == 0.0) {
		out.ratio = want.v_mps == 0.0 && want.w_radps == 0.0 ? 1.0 : 0.0;
		return out;
	}
	struct cairn_footprint body = cairn_safe_footprint(cfg);
	double curvature = t.w_radps / t.v_mps;
	struct cairn_arc_hit hit =
	    cairn_arc_clearance(points, &body, s->margin_m, curvature, t.v_mps > 0.0, CAIRN_SAFE_HORIZON_M);
	out.free_m = hit.free_m;
	out.bearing_rad = hit.bearing_rad;
	out.hit = hit.hit;
	out.point = hit.point;
	double room = hit.free_m - s->stop_distance_m;
	if (!(room > 0.0)) {
		out.ratio = 0.0;
		out.pace = CAIRN_PACE_STOP;
		return out;
	}
	double span = fmax(s->slow_distance_m - s->stop_distance_m, 0.01);
	double limit = cfg->robot.speed_max_mps * cairn_clamp(room / span, 0.0, 1.0);
	limit = fmin(limit, stoppable_mps(room, fmax(reaction_s, 0.0), cfg->robot.decel_max_mps2));
	out.pace = cairn_speed_level_of(limit);
	double speed = fmin(fabs(t.v_mps), limit);
	if (speed < CAIRN_SAFE_CREEP_MPS && speed < fabs(t.v_mps))
		speed = 0.0;
	out.twist.v_mps = copysign(speed, t.v_mps);
	out.twist.w_radps = out.twist.v_mps * curvature;
	out.ratio = speed / fabs(t.v_mps);
	return out;
}

double cairn_safe_curvature(const struct cairn_config *cfg, enum cairn_direction direction, bool *ret_forward)
{
	double wide = 1.0 / fmax(WIDE_ARC_RADIUS_M, cfg->robot.turn_radius_min_m);
	double tight = 1.0 / (RADIUS_RESERVE * cfg->robot.turn_radius_min_m);
	*ret_forward = direction != CAIRN_DIRECTION_BACKWARD;
	switch (direction) {
	case CAIRN_DIRECTION_FORWARD_LEFT:
		return wide;
	case CAIRN_DIRECTION_FORWARD_RIGHT:
		return -wide;
	case CAIRN_DIRECTION_LEFT:
		return tight;
	case CAIRN_DIRECTION_RIGHT:
		return -tight;
	case CAIRN_DIRECTION_FORWARD:
	case CAIRN_DIRECTION_BACKWARD:
	case CAIRN_DIRECTION_COUNT:
		break;
	}
	return 0.0;
}

void cairn_safe_survey(const struct cairn_config *cfg, const struct cairn_points *points, double horizon_m,
    double ret_free_m[CAIRN_DIRECTION_COUNT])
{
	struct cairn_footprint body = cairn_safe_footprint(cfg);
	for (int d = 0; d < CAIRN_DIRECTION_COUNT; d++) {
		bool forward;
		double curvature = cairn_safe_curvature(cfg, (enum cairn_direction)d, &forward);
		ret_free_m[d] =
		    cairn_arc_clearance(points, &body, cfg->safety.margin_m, curvature, forward, horizon_m)
			.free_m;
	}
}
