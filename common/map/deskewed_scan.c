#include "common/map/deskewed_scan.h"

#include <string.h>

#define FACE_M 0.15    /* neighbours up to here tell which way a surface runs, */
#define FACE_FAR_M 0.5 /* or the nearest, where the points lie thinner */
#define FACE_POINTS 8  /* to each side at most */

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

static void take_angles(struct cairn_rays_angles *a, const float *rad, uint32_t n)
{
	if (a->count == n && memcmp(a->rad, rad, n * sizeof(a->rad[0])) == 0)
		return;
	a->count = n;
	memcpy(a->rad, rad, n * sizeof(a->rad[0]));
	for (uint32_t i = 0; i < n; i++) {
		a->c[i] = cos((double)rad[i]);
		a->s[i] = sin((double)rad[i]);
	}
}

size_t cairn_rays_from_scan(struct cairn_rays *out, const struct cairn_msg_scan *scan,
    const struct cairn_rays_motion *motion, const struct cairn_config *cfg)
{
	uint32_t n =
	    scan->angle_rad_count < scan->range_m_count ? scan->angle_rad_count : scan->range_m_count;
	n = n < CAIRN_RAYS_MAX ? n : CAIRN_RAYS_MAX;
	size_t hits = 0;
	out->count = 0;
	take_angles(&out->angles, scan->angle_rad, n);
	for (uint32_t i = 0; i < n; i++) {
		double range = (double)scan->range_m[i], angle = (double)scan->angle_rad[i];
		if (!isfinite(range) || !isfinite(angle) || range <= 0.0 ||
		    range < (double)scan->range_min_m || range > (double)scan->range_max_m)
			continue;
		double x = cfg->robot.lidar_x_m + range * out->angles.c[i];
		double y = cfg->robot.lidar_y_m + range * out->angles.s[i];
		if (inside_body(&cfg->robot, x, y))
			continue;
		bool hit = range <= cfg->map.range_use_m;
		if (!hit) {
			x = cfg->robot.lidar_x_m + cfg->map.range_use_m * out->angles.c[i];
			y = cfg->robot.lidar_y_m + cfg->map.range_use_m * out->angles.s[i];
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

/* Mean of the neighbours of hit i to one side; the hit itself where there are none. */
static struct cairn_vec2 beside(const struct cairn_rays *rays, size_t i, int side)
{
	struct cairn_vec2 sum = {0};
	int count = 0;
	for (int k = 1; k <= FACE_POINTS; k++) {
		size_t j = i + (size_t)(side * k); /* wraps at 0, and then is beyond the count */
		if (j >= rays->count || !rays->hit[j])
			break;
		double dx = (double)(rays->x_m[j] - rays->x_m[i]), dy = (double)(rays->y_m[j] - rays->y_m[i]);
		double most_m = count == 0 ? FACE_FAR_M : FACE_M;
		if (dx * dx + dy * dy > most_m * most_m)
			break;
		sum.x_m += dx;
		sum.y_m += dy;
		count++;
	}
	return count == 0 ? sum : (struct cairn_vec2){sum.x_m / count, sum.y_m / count};
}

void cairn_rays_find_faces(struct cairn_rays *rays)
{
	for (size_t i = 0; i < rays->count; i++) {
		rays->face_x[i] = rays->face_y[i] = 0.0F;
		if (!rays->hit[i])
			continue;
		struct cairn_vec2 a = beside(rays, i, -1), b = beside(rays, i, 1);
		double back_x = (double)(rays->from_x_m[i] - rays->x_m[i]),
		       back_y = (double)(rays->from_y_m[i] - rays->y_m[i]);
		double x = b.y_m - a.y_m, y = a.x_m - b.x_m, length = hypot(x, y);
		rays->alone[i] = length < 1e-3;
		if (rays->alone[i]) {
			x = back_x;
			y = back_y;
			length = hypot(x, y);
		}
		if (length < 1e-3)
			continue;
		double k = (x * back_x + y * back_y < 0.0 ? -1.0 : 1.0) / length;
		rays->face_x[i] = (float)(x * k);
		rays->face_y[i] = (float)(y * k);
	}
}
