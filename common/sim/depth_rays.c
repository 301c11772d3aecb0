#include <math.h>

#include "common/sim/sim.h"
#include "common/sim/sim_parts.h"

#define HEIGHTS 3
#define BELOW_TOP_M 0.01
#define NOISE_SHARE 0.01
#define DROPOUT 0.02

/* Nearest thing in sight along a column, at any of the heights that the picture shows at that distance. */
static double look(struct cairn_sim *s, struct cairn_vec2 from, struct cairn_vec2 along, double ahead, double tan_half,
    const struct cairn_disc *people, size_t people_count)
{
	const struct cairn_config *cfg = s->cfg;
	double best = cfg->safety.depth_range_m, dx = along.x_m, dy = along.y_m;
	double low = cfg->safety.depth_height_min_m + BELOW_TOP_M, high = cfg->robot.height_m - BELOW_TOP_M;
	double z_m[HEIGHTS], range_m[HEIGHTS];
	for (int i = 0; i < HEIGHTS; i++)
		z_m[i] = low + (high - low) * i / (HEIGHTS - 1);
	cairn_world_cast_heights(s->world, from.x_m, from.y_m, dx, dy, z_m, HEIGHTS, best, range_m);
	for (int i = 0; i < HEIGHTS; i++) {
		double r = range_m[i];
		for (size_t k = 0; k < people_count; k++)
			r = cairn_disc_cast(&people[k], from.x_m, from.y_m, dx, dy, z_m[i], r);
		double off = fabs(z_m[i] - cfg->robot.camera_z_m);
		if (r < best && off <= r * ahead * tan_half)
			best = r;
	}
	return best;
}

/* Columns are evenly spaced in the picture, not in angle. */
void cairn_sim_aim_columns(struct cairn_sim *s)
{
	double edge = tan(0.5 * s->cfg->robot.camera_hfov_rad);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
		double a = atan((1.0 - 2.0 * (i + 0.5) / CAIRN_DEPTH_COLUMNS) * edge);
		s->columns[i] = (struct cairn_column){a, cos(a), sin(a)};
	}
}

void cairn_sim_depth_scan(struct cairn_sim *s, struct cairn_msg_depth_scan *out)
{
	const struct cairn_config *cfg = s->cfg;
	struct cairn_disc people[CAIRN_WORLD_PEOPLE_MAX];
	size_t n = cairn_sim_people(s, people);
	double half = 0.5 * cfg->robot.camera_hfov_rad, range_max = cfg->safety.depth_range_m;
	double tan_half = tan(half) * cfg->camera.height_px / cfg->camera.width_px;
	double drop_m = cfg->robot.camera_z_m - cfg->safety.depth_height_min_m;
	struct cairn_pose2 robot = s->state.body.pose;
	struct cairn_vec2 from = cairn_pose_apply(robot, (struct cairn_vec2){cfg->robot.camera_x_m, 0.0});
	out->x_m = (float)cfg->robot.camera_x_m;
	out->y_m = 0.0f;
	out->range_max_m = (float)range_max;
	out->angle_rad_count = out->free_from_m_count = out->free_to_m_count = out->hit_count = CAIRN_DEPTH_COLUMNS;
	double c = cos(robot.yaw_rad), sn = sin(robot.yaw_rad);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
		const struct cairn_column *k = &s->columns[i];
		struct cairn_vec2 along = {c * k->ahead - sn * k->left, sn * k->ahead + c * k->left};
		double r = look(s, from, along, k->ahead, tan_half, people, n);
		bool hit = r < range_max, dropped = false;
		if (cfg->sim.noise) {
			dropped = cairn_rng_uniform(&s->state.rng) < DROPOUT;
			r *= hit ? 1.0 + NOISE_SHARE * cairn_rng_normal(&s->state.rng) : 1.0;
		}
		out->angle_rad[i] = (float)k->angle_rad;
		out->free_from_m[i] = (float)(drop_m / (tan_half * k->ahead));
		out->free_to_m[i] = dropped ? -1.0f : (float)fmin(r, range_max);
		out->hit[i] = hit && !dropped;
	}
}
