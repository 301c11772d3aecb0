/* velocity_smoother.h - speed that changes no faster than the robot can: acceleration, deceleration and jerk
 * limits.
 *
 * Pure; the speed is signed, slowing down is whatever brings it nearer to zero. */
#ifndef CAIRN_COMMON_SAFETY_VELOCITY_SMOOTHER_H
#define CAIRN_COMMON_SAFETY_VELOCITY_SMOOTHER_H

struct cairn_velocity_smoother_params {
	double accel_mps2, decel_mps2, jerk_mps3;
};

struct cairn_velocity_smoother {
	double v_mps, a_mps2;
};

/* One step of dt_s toward target_mps; the new speed. Never overshoots the target, never passes zero within a
 * step. */
double cairn_velocity_smoother_step(struct cairn_velocity_smoother *s,
    const struct cairn_velocity_smoother_params *p, double target_mps, double dt_s);
/* Down to zero at the full deceleration, without the jerk limit. */
double cairn_velocity_smoother_brake(
    struct cairn_velocity_smoother *s, const struct cairn_velocity_smoother_params *p, double dt_s);
/* At once: an emergency, or a limit that must not be exceeded. */
void cairn_velocity_smoother_force(struct cairn_velocity_smoother *s, double v_mps);

#endif
