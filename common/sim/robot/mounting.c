#include "common/sim/robot/mounting.h"

#include <math.h>

struct cairn_mounting cairn_mounting_from(const struct cairn_config *cfg)
{
	const struct cairn_config_robot *r = &cfg->robot;
	const struct cairn_config_sim *s = &cfg->sim;
	if (s->mounting == CAIRN_CHOICE_MOUNTING_CONFIGURED)
		return (struct cairn_mounting){.lidar_yaw_rad = r->lidar_yaw_rad,
		    .lidar_mirrored = r->lidar_mirrored,
		    .axes = cairn_base_axes_from(cfg),
		    .ticks_per_m = r->encoder_ticks_per_m,
		    .camera = cairn_camera_mount_from(cfg)};
	return (struct cairn_mounting){.lidar_yaw_rad = s->lidar_yaw_rad,
	    .lidar_mirrored = s->lidar_mirrored,
	    .axes = {s->drive_reversed, s->encoder_reversed, s->steer_scale, s->gyro_axis},
	    .ticks_per_m = s->encoder_ticks_per_m,
	    .camera = {r->camera_x_m, s->camera_y_m, s->camera_z_m, s->camera_yaw_rad, s->camera_pitch_rad,
		s->camera_roll_rad}};
}

int32_t cairn_mounting_count(const struct cairn_mounting *m, double rolled_m)
{
	double ticks = cairn_base_axes_ticks_per_m(&m->axes, m->ticks_per_m);
	return (int32_t)(uint32_t)(int64_t)floor(rolled_m * ticks);
}
