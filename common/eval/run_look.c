/* run_look.c - looking before the start: all over the house, or once around from where the robot stands. */
#include <math.h>

#include "common/eval/run_private.h"

#define LOOK_RADPS 1.2
#define LOOK_PAUSE_NS (300 * CAIRN_NS_PER_MS) /* two scans from each side */
#define KNOWN_STEP_M 0.5
#define KNOWN_ROOM_M 0.2

/* Scans from all over the house go into the map. */
void run_look_everywhere(struct cairn_run *r)
{
	const struct cairn_world *w = r->o.world;
	struct cairn_pose2 start = cairn_sim_state(r->sim)->start;
	const struct cairn_config_robot *c = &r->cfg->robot;
	struct cairn_footprint spot = {KNOWN_ROOM_M, KNOWN_ROOM_M, KNOWN_ROOM_M};
	struct cairn_msg_scan *s = &r->scans[0].scan;
	s->range_min_m = (float)CAIRN_LIDAR_MIN_M;
	s->range_max_m = (float)CAIRN_LIDAR_MAX_M;
	s->angle_rad_count = s->range_m_count = CAIRN_LIDAR_POINTS;
	for (double y = w->y_min_m; y < w->y_max_m; y += KNOWN_STEP_M)
		for (double x = w->x_min_m; x < w->x_max_m; x += KNOWN_STEP_M) {
			struct cairn_pose2 at = {x, y, start.yaw_rad}, in_map = cairn_pose_between(start, at);
			struct cairn_vec2 from =
			    cairn_pose_apply(at, (struct cairn_vec2){c->lidar_x_m, c->lidar_y_m});
			if (cairn_world_room_at(w, x, y) == NULL ||
			    cairn_world_touch(w, at, &spot, c->height_m) >= 0)
				continue;
			for (int i = 0; i < CAIRN_LIDAR_POINTS; i++) {
				double a = i * (2.0 * M_PI / CAIRN_LIDAR_POINTS), yaw = at.yaw_rad + a;
				s->angle_rad[i] = (float)cairn_wrap_rad(a);
				s->range_m[i] = (float)cairn_world_cast_lidar(w, from.x_m, from.y_m, cos(yaw),
				    sin(yaw), c->lidar_z_m, CAIRN_LIDAR_MAX_M)
						    .range_m;
			}
			(void)cairn_true_map_scan(r->true_map, s, in_map, in_map, r->now_ns);
		}
}

void run_look_around(struct cairn_run *r)
{
	if (r->looks >= r->o.looks)
		return;
	double turn_s = fabs(r->o.look_rad) / LOOK_RADPS;
	double at_s = (double)(r->now_ns - r->t_look_ns - CAIRN_RUN_STEP_NS) * 1e-9; /* before this step */
	/* Whole steps, and what is left over in the last of them: six sixths are once around. */
	double rate = cairn_clamp((turn_s - at_s) / CAIRN_SIM_STEP_S, 0.0, 1.0) * LOOK_RADPS;
	cairn_sim_spin(r->sim, copysign(rate, r->o.look_rad));
	if (r->now_ns - r->t_look_ns < (int64_t)(turn_s * 1e9) + LOOK_PAUSE_NS)
		return;
	r->looks++;
	r->t_look_ns = r->now_ns;
	cairn_sim_spin(r->sim, 0.0);
}
