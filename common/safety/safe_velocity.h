/* safe_velocity.h - the one function between a wanted velocity and the velocity that is asked of the motor
 * stage.
 *
 * Speed by the free length d of the commanded arc (swept footprint, forward or backward), curvature kept:
 *
 *   v <= robot.speed_max_mps * clamp((d - stop) / (slow - stop), 0, 1)   stop: safety.stop_distance_m
 *                                                                        slow: safety.slow_distance_m
 *   v * reaction + v^2 / (2 decel) <= d - stop                           it can still stop in time
 *                                                                        decel: robot.decel_max_mps2
 *
 * A speed that this brings below CAIRN_SAFE_CREEP_MPS becomes zero. A turn in place (of a differential
 * base) is judged by the way of the footprint's farthest corner: the second rule, with 1 cm in place of
 * the stop distance, since safety.margin_m is part of what is swept; a corner slower than 0.01 m/s stands. */
#ifndef CAIRN_COMMON_SAFETY_SAFE_VELOCITY_H
#define CAIRN_COMMON_SAFETY_SAFE_VELOCITY_H

#include "common/scan/scan.h"
#include "common/config/config.h"
#include "common/safety/speed_level.h"

#define CAIRN_SAFE_CREEP_MPS 0.03
#define CAIRN_SAFE_HORIZON_M 1.5

struct cairn_safe_velocity {
	struct cairn_twist twist;
	double ratio;  /* of the wanted speed that is left, 0..1; 1 when nothing was wanted */
	double free_m; /* of the arc, or of the corner of a turn in place, at most CAIRN_SAFE_HORIZON_M */
	double bearing_rad;
	bool hit;
	size_t point;         /* that stands in the way */
	enum cairn_pace pace; /* what the free way allows, whatever was wanted */
};

struct cairn_footprint cairn_safe_footprint(const struct cairn_config *cfg);

/* Free arc that is left before the body when something is from_centre_m from the footprint's centre: the
 * distances of people and zones are from there, free arcs from the body's ends. */
double cairn_safe_from_body_m(const struct cairn_config *cfg, double from_centre_m);

/* The twist the base can drive that is nearest to want: turning in place with robot.kinematics differential alone, not tighter
 * than robot.turn_radius_min_m, not faster than robot.speed_max_mps and turn_rate_max_radps; not finite means zero. */
struct cairn_twist cairn_safe_feasible(const struct cairn_config *cfg, struct cairn_twist want);

/* A turn in place and nothing else. */
static inline bool cairn_twist_in_place(struct cairn_twist t)
{
	return t.v_mps == 0.0 && t.w_radps != 0.0;
}

/* reaction_s: time until the wheels follow, the age of the points included. */
struct cairn_safe_velocity cairn_safe_velocity(const struct cairn_config *cfg,
    const struct cairn_points *points, struct cairn_twist want, double reaction_s);

/* Curvature of a direction of move_toward; *ret_forward false for backward. */
double cairn_safe_curvature(
    const struct cairn_config *cfg, enum cairn_direction direction, bool *ret_forward);

/* Free length of each direction of move_toward, up to horizon_m, in the order of the enum. */
void cairn_safe_survey(const struct cairn_config *cfg, const struct cairn_points *points, double horizon_m,
    double ret_free_m[CAIRN_DIRECTION_COUNT]);

#endif
