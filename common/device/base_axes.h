/* base_axes.h - between the robot frame and what the base calls forward, left and up.
 *
 * Motors, encoders, steering and gyro may be wired or mounted either way round; the keys of robot.* say how. Signs and
 * scales are taken off here, once, on the way to the base and from it, so that nobody else knows of them. Pure. */
#ifndef CAIRN_COMMON_DEVICE_BASE_AXES_H
#define CAIRN_COMMON_DEVICE_BASE_AXES_H

#include "common/base/geom.h"
#include "common/config/config.h"

struct cairn_base_axes {
	bool drive_reversed, encoder_reversed;
	double steer_scale; /* not 0 */
	enum cairn_choice_gyro_axis gyro_axis;
};

struct cairn_base_axes cairn_base_axes_from(const struct cairn_config *cfg);

/* What the base has to be told so that the robot moves by this twist. */
struct cairn_twist cairn_base_axes_command(const struct cairn_base_axes *a, struct cairn_twist robot);
/* What it has been told, as a drive of the wheels: speed, rate of turn of a differential base and steering angle as the robot makes of the base's. */
double cairn_base_axes_wheels_mps(const struct cairn_base_axes *a, double base_mps);
double cairn_base_axes_wheels_radps(const struct cairn_base_axes *a, double base_radps);
double cairn_base_axes_steer_rad(const struct cairn_base_axes *a, double base_steer_rad);
double cairn_base_axes_base_steer_rad(const struct cairn_base_axes *a, double steer_rad);
/* Speed by the base's report. */
double cairn_base_axes_speed_mps(const struct cairn_base_axes *a, double reported_mps);
/* Counts per metre with the sign of forward motion. */
double cairn_base_axes_ticks_per_m(const struct cairn_base_axes *a, double ticks_per_m);
/* The component that points up of what a sensor on the base's board measures, and the other way. */
double cairn_base_axes_up(const struct cairn_base_axes *a, const double board[3]);
void cairn_base_axes_from_up(const struct cairn_base_axes *a, double up, double ret_board[3]);

#endif
