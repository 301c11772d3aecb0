#include "common/map/rays.h"

static bool inside_body(const struct cairn_config_robot *robot, double x_m, double y_m)
{
	return x_m < robot->footprint_front_m && x_m > -robot->footprint_rear_m &&
	       fabs(y_m) < robot->footprint_half_width_m;
}

/* The pose at a share of the turn, by linear interpolation between the knots (they are about 12 ms apart). */
static struct cairn_pose2 pose_at(const struct cairn_rays_motion *motion, double share)
{
	double at = share * (CAIRN_RAYS_KNOTS - 1);
	int i = (int)at;
	if (i >= CAIRN_RAYS_KNOTS - 1)
		return motion->knot[CAIRN_RAYS_KNOTS - 1];
	double f = at - i;
	const struct cairn_pose2 *a = &motion->knot[i], *b = &motion->knot[i + 1];
	return (struct cairn_pose2){a->x_m + f * (b->x_m - a->x_m), a->y_m + f * (b->y_m - a->y_m),
	    a->yaw_rad + f * cairn_wrap_rad(b->yaw_rad - a->yaw_rad)};
}

size_t cairn_rays_from_scan(struct cairn_rays *out, const struct cairn_msg_scan *scan,
    const struct cairn_rays_motion *motion, const struct cairn_config *cfg)
{
	uint32_t n =
	    scan->angle_rad_count < scan->range_m_count ? scan->angle_rad_count : scan->range_m_count;
	n = n < CAIRN_RAYS_MAX ? n : CAIRN_RAYS_MAX;
	size_t hits = 0;
	out->count = 0;
	for (uint32_t i = 0; i < n; i++) {
		double range = (double)scan->range_m[i], angle = (double)scan->angle_rad[i];
		if (!isfinite(range) || !isfinite(angle) || range <= 0.0 ||
		    range < (double)scan->range_min_m || range > (double)scan->range_max_m)
			continue;
		double x = cfg->robot.lidar_x_m + range * cos(angle);
		double y = cfg->robot.lidar_y_m + range * sin(angle);
		if (inside_body(&cfg->robot, x, y))
			continue;
		bool hit = range <= cfg->map.range_use_m;
		if (!hit) {
			x = cfg->robot.lidar_x_m + cfg->map.range_use_m * cos(angle);
			y = cfg->robot.lidar_y_m + cfg->map.range_use_m * sin(angle);
		}
		struct cairn_pose2 pose = pose_at(motion, n > 1 ? (double)i / (n - 1) : 1.0);
		struct cairn_vec2 end = cairn_pose_apply(pose, (struct cairn_vec2){x, y});
		struct cairn_vec2 from =
		    cairn_pose_apply(pose, (struct cairn_vec2){cfg->robot.lidar_x_m, cfg->robot.lidar_y_m});
		size_t k = out->count++;
		out->x_m[k] = (float)end.x_m;
		out->y_m[k] = (float)end.y_m;
		out->from_x_m[k] = (float)from.x_m;
		out->from_y_m[k] = (float)from.y_m;
		out->hit[k] = hit;
		hits += hit;
	}
	return hits;
}
