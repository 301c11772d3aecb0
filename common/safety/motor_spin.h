/* motor_spin.h - turning in place behind the last gate: state of it, and what the gate does with it at every step.
 *
 * A turn in place is measured by the speed of the footprint's farthest corner (left positive), so that accelerations, limits and
 * checks of wheels are those of driving. It turns only while the robot stands, as far as what the corners sweep is free
 * (cairn_spin_clearance), and not with a drop in front of it, nor while somebody comes near. Pure. */
#ifndef CAIRN_COMMON_SAFETY_MOTOR_SPIN_H
#define CAIRN_COMMON_SAFETY_MOTOR_SPIN_H

#include "common/base/geom.h"
#include "common/safety/velocity_smoother.h"
#include "common/safety/wheel_check.h"

struct cairn_motor;

struct cairn_motor_spin {
	struct cairn_velocity_smoother tip; /* speed of the farthest corner */
	bool held;                          /* blocked until the limit has clearly risen again */
	double turning_radps;               /* that the wheels have reached by now */
	double turned_rad;                  /* by it, all together */
	struct cairn_wheel_check wheels;    /* do they turn as they are told? */
};

/* Sent to the base. */
double cairn_motor_spin_radps(const struct cairn_motor *m);
/* Follows what was sent for since_s; dt_s: the same, bounded. */
void cairn_motor_spin_watch(struct cairn_motor *m, bool measured, double since_s, double dt_s);
/* At once; as fast as the wheels can; as the command has it. The last adds to the conditions. */
void cairn_motor_spin_stop(struct cairn_motor *m);
void cairn_motor_spin_brake(struct cairn_motor *m, struct cairn_twist driven, double dt_s);
void cairn_motor_spin_step(
    struct cairn_motor *m, struct cairn_twist driven, double dt_s, unsigned *conditions);

#endif
