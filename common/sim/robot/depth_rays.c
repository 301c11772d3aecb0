#include <math.h>

#include "common/sim/robot/sim.h"
#include "common/sim/robot/sim_private.h"

#define BELOW_TOP_M 0.01
#define SAME_THING_M 0.1
#define NOISE_SHARE 0.01
#define DROPOUT 0.02
#define DEPTH_APART_M 0.035
#define NOWHERE_M 1e3   /* the floor begins to show */
#define THREE_DO_M 0.30 /* lower than this robots drive under what they could miss in between */

bool cairn_sim_slice_depths(struct cairn_sim *s)
{
	const struct cairn_config *cfg = s->cfg;
	double low = cfg->safety.depth_height_min_m + BELOW_TOP_M, high = cfg->robot.height_m - BELOW_TOP_M;
	bool ok = true;
	int more =
	    (int)ceil((high - low) / DEPTH_APART_M) + 1; /* no board is so thin that it fits in between */
	s->depth_count = more < 3 ? 3 : more > CAIRN_DEPTH_HEIGHTS ? CAIRN_DEPTH_HEIGHTS : more;
	if (high - low < THREE_DO_M)
		s->depth_count = 3;
	for (int i = 0; i < s->depth_count; i++) {
		s->depths[i].z_m = low + (high - low) * i / (s->depth_count - 1);
		s->depths[i].slice = cairn_slice_new(s->world, s->depths[i].z_m, false);
		ok = ok && s->depths[i].slice != NULL;
	}
	return ok;
}

/* Where the camera looks from, and along what. */
struct view {
	double x_m[CAIRN_DEPTH_COLUMNS], y_m[CAIRN_DEPTH_COLUMNS], dx[CAIRN_DEPTH_COLUMNS],
	    dy[CAIRN_DEPTH_COLUMNS];
};

static void aim(const struct cairn_sim *s, struct view *v)
{
	struct cairn_pose2 robot = s->state.body.pose;
	struct cairn_vec2 from =
	    cairn_pose_apply(robot, (struct cairn_vec2){s->camera.at[0], s->camera.at[1]});
	double c = cos(robot.yaw_rad), sn = sin(robot.yaw_rad);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
		const struct cairn_column *k = &s->columns[i];
		v->x_m[i] = from.x_m;
		v->y_m[i] = from.y_m;
		v->dx[i] = c * k->ahead - sn * k->left;
		v->dy[i] = sn * k->ahead + c * k->left;
	}
}

/* Does the picture show what lies at a height, so far away on the floor plan along a column? */
static bool pictured(const struct cairn_sim *s, const struct cairn_column *k, double range_m, double z_m)
{
	const struct cairn_camera_pose *c = &s->camera;
	double seen[3] = {c->at[0] + range_m * k->ahead, c->at[1] + range_m * k->left, z_m};
	cairn_camera_to_optical(c, seen, seen);
	double half_m = 0.5 * seen[2] / c->focal_px;
	return fabs(seen[1]) <= half_m * c->height_px && fabs(seen[0]) <= half_m * c->width_px * 1.001;
}

/* Nearest thing in sight along each column, at any of the heights that the picture shows at that distance; and the highest
 * at which it is in sight. */
static void look(
    struct cairn_sim *s, double ret_range_m[CAIRN_DEPTH_COLUMNS], double ret_top_m[CAIRN_DEPTH_COLUMNS])
{
	struct cairn_disc discs[CAIRN_SIM_DISCS];
	size_t n = cairn_sim_discs(s, discs);
	double range_m[CAIRN_DEPTH_COLUMNS], range_max_m = s->cfg->safety.depth_range_m;
	struct view v;
	aim(s, &v);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++)
		ret_range_m[i] = range_max_m;
	for (int h = 0; h < s->depth_count; h++) {
		double z_m = s->depths[h].z_m;
		cairn_slice_cast(s->depths[h].slice, CAIRN_DEPTH_COLUMNS,
		    (struct cairn_slice_rays){v.x_m, v.y_m, v.dx, v.dy}, range_max_m, range_m);
		for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
			double r = range_m[i];
			for (size_t k = 0; k < n; k++)
				r = cairn_disc_cast(&discs[k], v.x_m[i], v.y_m[i], v.dx[i], v.dy[i], z_m, r);
			if (r >= range_max_m || !pictured(s, &s->columns[i], r, z_m))
				continue;
			if (r <= ret_range_m[i] + SAME_THING_M) /* heights rise */
				ret_top_m[i] = z_m + BELOW_TOP_M;
			if (r < ret_range_m[i])
				ret_range_m[i] = r;
		}
	}
}

/* Columns are evenly spaced in a level picture, not in angle. */
void cairn_sim_aim_columns(struct cairn_sim *s)
{
	const struct cairn_config *cfg = s->cfg;
	const struct cairn_camera_pose believed =
	    cairn_camera_pose_from(cfg, cfg->camera.width_px, cfg->camera.height_px);
	double edge = tan(0.5 * cfg->robot.camera_hfov_rad);
	s->camera = cairn_camera_pose_make(
	    s->mounting.camera, cfg->robot.camera_hfov_rad, cfg->camera.width_px, cfg->camera.height_px);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
		double a = atan((1.0 - 2.0 * (i + 0.5) / CAIRN_DEPTH_COLUMNS) * edge),
		       true_rad = a + s->mounting.camera.yaw_rad, told_rad = a + cfg->robot.camera_yaw_rad;
		double from_m =
		    cairn_camera_shown_from_m(&believed, told_rad, cfg->safety.depth_height_min_m);
		s->columns[i] =
		    (struct cairn_column){told_rad, fmin(from_m, NOWHERE_M), cos(true_rad), sin(true_rad)};
	}
}

void cairn_sim_depth_scan(struct cairn_sim *s, struct cairn_msg_depth_scan *out)
{
	const struct cairn_config *cfg = s->cfg;
	double range_max = cfg->safety.depth_range_m;
	double range_m[CAIRN_DEPTH_COLUMNS], top_m[CAIRN_DEPTH_COLUMNS] = {0};
	out->x_m = (float)cfg->robot.camera_x_m;
	out->y_m = (float)cfg->robot.camera_y_m;
	out->range_max_m = (float)range_max;
	out->angle_rad_count = out->free_from_m_count = out->free_to_m_count = out->hit_count =
	    out->top_m_count = CAIRN_DEPTH_COLUMNS;
	look(s, range_m, top_m);
	for (int i = 0; i < CAIRN_DEPTH_COLUMNS; i++) {
		double r = range_m[i];
		bool hit = r < range_max, dropped = false;
		if (cfg->sim.noise) {
			dropped = cairn_rng_uniform(&s->state.rng) < DROPOUT;
			r *= hit ? 1.0 + NOISE_SHARE * cairn_rng_normal(&s->state.rng) : 1.0;
		}
		out->angle_rad[i] = (float)s->columns[i].angle_rad;
		out->free_from_m[i] = (float)s->columns[i].free_from_m;
		out->free_to_m[i] = dropped ? -1.0f : (float)fmin(r, range_max);
		out->hit[i] = hit && !dropped;
		out->top_m[i] = out->hit[i] ? (float)top_m[i] : 0.0f;
	}
}
