#include "common/device/base_axes.h"

#include <math.h>

struct cairn_base_axes cairn_base_axes_from(const struct cairn_config *cfg)
{
	const struct cairn_config_robot *r = &cfg->robot;
	return (struct cairn_base_axes){r->drive_reversed, r->encoder_reversed, r->steer_scale, r->gyro_axis};
}

struct cairn_twist cairn_base_axes_command(const struct cairn_base_axes *a, struct cairn_twist t)
{
	double sign = a->drive_reversed ? -1.0 : 1.0;
	return (struct cairn_twist){sign * t.v_mps, sign * t.w_radps / a->steer_scale};
}

double cairn_base_axes_wheels_mps(const struct cairn_base_axes *a, double base_mps)
{
	return a->drive_reversed ? -base_mps : base_mps;
}

double cairn_base_axes_wheels_radps(const struct cairn_base_axes *a, double base_radps)
{
	return a->steer_scale * (a->drive_reversed ? -base_radps : base_radps);
}

/* A scale of the curvature, which goes by the tangent. */
double cairn_base_axes_steer_rad(const struct cairn_base_axes *a, double base_steer_rad)
{
	return a->steer_scale == 1.0 ? base_steer_rad : atan(a->steer_scale * tan(base_steer_rad));
}

double cairn_base_axes_base_steer_rad(const struct cairn_base_axes *a, double steer_rad)
{
	return a->steer_scale == 1.0 ? steer_rad : atan(tan(steer_rad) / a->steer_scale);
}

double cairn_base_axes_speed_mps(const struct cairn_base_axes *a, double reported_mps)
{
	return a->encoder_reversed ? -reported_mps : reported_mps;
}

double cairn_base_axes_ticks_per_m(const struct cairn_base_axes *a, double ticks_per_m)
{
	return a->encoder_reversed ? -ticks_per_m : ticks_per_m;
}

/* Which of the three, and its sign, by the order of the words. */
static int axis_of(enum cairn_choice_gyro_axis axis, double *ret_sign)
{
	*ret_sign = axis == CAIRN_CHOICE_GYRO_AXIS_MINUS_Z || axis == CAIRN_CHOICE_GYRO_AXIS_MINUS_X ||
			    axis == CAIRN_CHOICE_GYRO_AXIS_MINUS_Y
			? -1.0
			: 1.0;
	switch (axis) {
	case CAIRN_CHOICE_GYRO_AXIS_X:
	case CAIRN_CHOICE_GYRO_AXIS_MINUS_X:
		return 0;
	case CAIRN_CHOICE_GYRO_AXIS_Y:
	case CAIRN_CHOICE_GYRO_AXIS_MINUS_Y:
		return 1;
	case CAIRN_CHOICE_GYRO_AXIS_Z:
	case CAIRN_CHOICE_GYRO_AXIS_MINUS_Z:
	default:
		return 2;
	}
}

double cairn_base_axes_up(const struct cairn_base_axes *a, const double board[3])
{
	double sign;
	int axis = axis_of(a->gyro_axis, &sign);
	return sign * board[axis];
}

void cairn_base_axes_from_up(const struct cairn_base_axes *a, double up, double ret_board[3])
{
	double sign;
	int axis = axis_of(a->gyro_axis, &sign);
	ret_board[0] = ret_board[1] = ret_board[2] = 0.0;
	ret_board[axis] = sign * up;
}
