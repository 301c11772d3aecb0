/* map_world.h - a tiny world of walls for mapper tests: rays, a robot that drives, odometry that drifts. */
#ifndef CAIRN_TEST_SUPPORT_MAP_WORLD_H
#define CAIRN_TEST_SUPPORT_MAP_WORLD_H

#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define MAP_WORLD_WALLS 256
#define MAP_SCAN_POINTS 720

struct map_world {
	double wall[MAP_WORLD_WALLS][4];
	int count;
};

static inline void map_world_wall(struct map_world *w, double x0, double y0, double x1, double y1)
{
	double *s = w->wall[w->count++];
	s[0] = x0, s[1] = y0, s[2] = x1, s[3] = y1;
}

static inline void map_world_box(struct map_world *w, double x0, double y0, double x1, double y1)
{
	map_world_wall(w, x0, y0, x1, y0);
	map_world_wall(w, x1, y0, x1, y1);
	map_world_wall(w, x1, y1, x0, y1);
	map_world_wall(w, x0, y1, x0, y0);
}

/* Distance along the ray to the first wall, or 0 for none within 12 m. */
static inline double map_world_range(const struct map_world *w, double x, double y, double yaw)
{
	double best = 12.0, c = cos(yaw), s = sin(yaw);
	for (int i = 0; i < w->count; i++) {
		const double *q = w->wall[i];
		double ex = q[2] - q[0], ey = q[3] - q[1], fx = q[0] - x, fy = q[1] - y;
		double den = c * ey - s * ex;
		if (fabs(den) < 1e-12)
			continue;
		double t = (fx * ey - fy * ex) / den, u = (fx * s - fy * c) / den;
		if (t > 0.0 && t < best && u >= 0.0 && u <= 1.0)
			best = t;
	}
	return best < 12.0 ? best : 0.0;
}

/* The flat of the tests, about 60 m2: four rooms around a hall with doors 0.8 to 0.9 m wide, and furniture.
 * The robot starts at 0 0 0 in the hall. Outer walls from (-1.5, -3) to (8.5, 3). */
static inline void map_world_flat(struct map_world *w)
{
	w->count = 0;
	map_world_box(w, -1.5, -3.0, 8.5, 3.0);
	map_world_wall(w, -1.5, 0.7, 0.6, 0.7); /* upper rooms; doors at x 0.6..1.5 and 5.2..6.0 */
	map_world_wall(w, 1.5, 0.7, 5.2, 0.7);
	map_world_wall(w, 6.0, 0.7, 8.5, 0.7);
	map_world_wall(w, 3.2, 0.7, 3.2, 3.0);
	map_world_wall(w, -1.5, -0.7, 1.8, -0.7); /* lower rooms; doors at x 1.8..2.7 and 6.4..7.3 */
	map_world_wall(w, 2.7, -0.7, 6.4, -0.7);
	map_world_wall(w, 7.3, -0.7, 8.5, -0.7);
	map_world_wall(w, 4.3, -0.7, 4.3, -3.0);
	map_world_box(w, -1.5, 2.2, 0.2, 3.0);    /* bed */
	map_world_box(w, 2.6, 1.2, 3.2, 2.4);     /* cupboard */
	map_world_box(w, 4.4, 1.8, 5.0, 2.2);     /* stool */
	map_world_box(w, 7.4, 1.5, 8.0, 2.1);     /* table */
	map_world_box(w, 0.0, -2.2, 0.05, -2.15); /* legs of a table */
	map_world_box(w, 0.6, -2.2, 0.65, -2.15);
	map_world_box(w, 0.0, -1.6, 0.05, -1.55);
	map_world_box(w, 0.6, -1.6, 0.65, -1.55);
	map_world_box(w, 5.0, -3.0, 6.2, -2.4); /* sofa */
	map_world_box(w, 7.9, -2.0, 8.5, -1.2); /* shelf */
}

struct map_robot {
	const struct map_world *world;
	struct cairn_rng rng;
	struct cairn_pose2 truth; /* in the world, which is also the true map frame when it starts at 0 0 0 */
	struct cairn_pose2 odom;
	double odom_distance_m;
	int64_t t_ns;
	double slip, yaw_drift_rad_per_m, noise_m, dropout;
	struct cairn_vec2 lidar;
};

static inline void map_robot_init(
    struct map_robot *r, const struct map_world *world, const struct cairn_config *cfg)
{
	*r = (struct map_robot){.world = world,
	    .t_ns = 5 * CAIRN_NS_PER_S,
	    .slip = 0.02,
	    .yaw_drift_rad_per_m = cairn_deg_to_rad(0.2),
	    .noise_m = 0.01,
	    .dropout = 0.01,
	    .lidar = {cfg->robot.lidar_x_m, cfg->robot.lidar_y_m}};
	cairn_rng_seed(&r->rng, 7, 1);
}

static inline void map_robot_odom(const struct map_robot *r, struct cairn_twist t, struct cairn_msg_odom *ret)
{
	*ret = (struct cairn_msg_odom){.x_m = r->odom.x_m,
	    .y_m = r->odom.y_m,
	    .yaw_rad = r->odom.yaw_rad,
	    .v_mps = t.v_mps * (1.0 + r->slip),
	    .w_radps = t.w_radps,
	    .distance_m = r->odom_distance_m};
}

/* Moves the robot for dt_s; the wheels report more than it moves, the gyro drifts with the way. */
static inline void map_robot_move(struct map_robot *r, struct cairn_twist t, double dt_s)
{
	r->truth = cairn_pose_advance(r->truth, t, dt_s);
	double jitter = 1.0 + 0.02 * cairn_rng_normal(&r->rng);
	struct cairn_twist seen = {
	    t.v_mps * (1.0 + r->slip) * jitter, t.w_radps + r->yaw_drift_rad_per_m * fabs(t.v_mps)};
	r->odom = cairn_pose_advance(r->odom, seen, dt_s);
	r->odom_distance_m += fabs(seen.v_mps) * dt_s;
	r->t_ns += (int64_t)llround(dt_s * 1e9);
}

/* The turn that ends now, begun a tenth of a second ago at pose from and driven with twist t. */
static inline void map_robot_scan(
    struct map_robot *r, struct cairn_pose2 from, struct cairn_twist t, struct cairn_msg_scan *ret)
{
	ret->t_start_ns = r->t_ns - 100 * CAIRN_NS_PER_MS;
	ret->range_min_m = 0.05F;
	ret->range_max_m = 12.0F;
	ret->angle_rad_count = ret->range_m_count = MAP_SCAN_POINTS;
	for (int i = 0; i < MAP_SCAN_POINTS; i++) {
		struct cairn_pose2 at = cairn_pose_advance(from, t, 0.1 * i / (MAP_SCAN_POINTS - 1));
		struct cairn_vec2 eye = cairn_pose_apply(at, r->lidar);
		double angle = -2.0 * M_PI * i / MAP_SCAN_POINTS; /* clockwise, as such LiDARs turn */
		double range = map_world_range(r->world, eye.x_m, eye.y_m, at.yaw_rad + angle);
		if (range > 0.0)
			range += r->noise_m * cairn_rng_normal(&r->rng);
		if (cairn_rng_uniform(&r->rng) < r->dropout)
			range = 0.0;
		ret->angle_rad[i] = (float)cairn_wrap_rad(angle);
		ret->range_m[i] = (float)range;
	}
}

/* Twist towards a point, slower while it turns. */
static inline struct cairn_twist map_robot_steer(const struct map_robot *r, double x_m, double y_m)
{
	double off = cairn_wrap_rad(atan2(y_m - r->truth.y_m, x_m - r->truth.x_m) - r->truth.yaw_rad);
	double v = 0.35 * cos(off);
	return (struct cairn_twist){v > 0.05 ? v : 0.05, cairn_clamp(2.0 * off, -1.0, 1.0)};
}

#endif
