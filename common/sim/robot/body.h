/* body.h - the simulated robot's body: kinematics, slip, gyro, and contact with the world.
 *
 * A differential base turns by the difference of its wheels' speeds. An Ackermann base: bicycle model about the middle of the rear axle: yaw rate = v * tan(steer) / wheelbase, integrated exactly
 * over a step of constant speed and steering. The wheels follow commands with a lag, the steering with a rate
 * limit. The encoders count wheel travel; the body moves less by the slip. The gyro measures the yaw rate
 * plus a bias in proportion to speed, so that heading drifts by so much a metre. Everything is plain data: a
 * caller may save and restore it. */
#ifndef CAIRN_COMMON_SIM_ROBOT_BODY_H
#define CAIRN_COMMON_SIM_ROBOT_BODY_H

#include "common/base/rng.h"
#include "common/config/config.h"
#include "common/sim/world/world.h"

/* As the base is told; left positive. */
struct cairn_drive {
	double v_mps;
	double steer_rad; /* of an Ackermann base */
	double w_radps;   /* of a differential base */
};

struct cairn_body_params {
	bool differential;
	double wheel_separation_m;
	double wheelbase_m, steer_max_rad, steer_rate_radps;
	double speed_max_mps, speed_lag_s, accel_max_mps2;
	double slip; /* mean share of wheel travel lost */
	double yaw_drift_rad_per_m;
	double gyro_noise_radps;
	double height_m;
	struct cairn_footprint footprint;
	struct cairn_vec2 wheels[4]; /* where they may stand farthest out, robot frame */
};

struct cairn_body {
	struct cairn_pose2 pose; /* truth, world frame */
	double wheel_mps, steer_rad;
	double wheel_radps;              /* of a differential base: turning by its wheels' difference */
	double v_mps, w_radps;           /* true velocity of the last step */
	double slip_walk;                /* varies slowly around 0 */
	double drift_sign;               /* +1 or -1 */
	double gyro_radps, gyro_yaw_rad; /* measured; its integral */
	double accel_mps2;
	double wheel_left_m, wheel_right_m; /* as the encoders count */
	double distance_m;                  /* true path length */
	uint32_t contacts;
	bool touching;
	int32_t touched; /* thing of the world, -1 none yet, -2 - i person i */
};

/* From the configuration; without sim.noise there is neither slip nor drift nor noise. */
void cairn_body_params_init(struct cairn_body_params *p, const struct cairn_config *cfg);
void cairn_body_init(struct cairn_body *b, struct cairn_pose2 start, struct cairn_rng *rng);

/* The drop that a wheel would be over at pose, as a thing; -1: none. */
int32_t cairn_body_over_drop(
    const struct cairn_body_params *p, const struct cairn_world *world, struct cairn_pose2 pose);

/* Moves by dt_s towards the commanded speed and steering angle or rate of turn. Motion into something solid, or of a wheel over a drop,
 * is blocked and stalls the wheels; a touch counts once until the body has come free of it. */
void cairn_body_step(struct cairn_body *b, const struct cairn_body_params *p, const struct cairn_world *world,
    const struct cairn_disc *people, size_t people_count, struct cairn_drive command, double dt_s,
    struct cairn_rng *rng);

/* Distance from the footprint to the nearest thing or person, or of a wheel to the nearest drop, up to max_m. */
double cairn_body_clearance(const struct cairn_body *b, const struct cairn_body_params *p,
    const struct cairn_world *world, const struct cairn_disc *people, size_t people_count, double max_m);

#endif
