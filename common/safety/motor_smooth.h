/* motor_smooth.h - speed that changes no faster than the robot can: acceleration, deceleration and jerk
 * limits.
 *
 * Pure; the speed is signed, slowing down is whatever brings it nearer to zero. */
#ifndef CAIRN_COMMON_SAFETY_MOTOR_SMOOTH_H
#define CAIRN_COMMON_SAFETY_MOTOR_SMOOTH_H

struct cairn_smooth_params {
	double accel_mps2, decel_mps2, jerk_mps3;
};

struct cairn_smooth {
	double v_mps, a_mps2;
};

/* One step of dt_s toward target_mps; the new speed. Never overshoots the target, never passes zero within a
 * step. */
double cairn_smooth_step(
    struct cairn_smooth *s, const struct cairn_smooth_params *p, double target_mps, double dt_s);
/* Down to zero at the full deceleration, without the jerk limit. */
double cairn_smooth_brake(struct cairn_smooth *s, const struct cairn_smooth_params *p, double dt_s);
/* At once: an emergency, or a limit that must not be exceeded. */
void cairn_smooth_force(struct cairn_smooth *s, double v_mps);

#endif
