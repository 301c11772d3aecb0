#include <math.h>
#include <string.h>

#include "common/plan/planner_private.h"

void planner_forget_floor(struct cairn_planner *p)
{
	struct cairn_depth_layer_params params = cairn_depth_layer_params_from(&p->cfg);
	cairn_depth_layer_init(&p->floor, &params);
}

/* The newest LiDAR points as a robot at pose has them: what they show is not for the depth camera to
 * remember. */
void planner_see_lidar(struct cairn_planner *p, const struct cairn_pose2 *pose)
{
	double c = cos(pose->yaw_rad), s = sin(pose->yaw_rad);
	p->lidar.count = 0;
	for (size_t i = 0; i < p->live_count && p->lidar.count < CAIRN_POINTS_MAX; i++) {
		double dx = p->live[i].x_m - pose->x_m, dy = p->live[i].y_m - pose->y_m;
		p->lidar.x_m[p->lidar.count] = (float)(c * dx + s * dy);
		p->lidar.y_m[p->lidar.count++] = (float)(c * dy - s * dx);
	}
}

bool cairn_planner_depth(struct cairn_planner *p, const struct cairn_msg_depth_scan *scan, int64_t t_ns)
{
	const char *why;
	if (!cairn_depth_scan_ok(scan, &why)) {
		p->rejects++;
		return false;
	}
	if (p->trace_count == 0 || p->cfg.safety.depth == CAIRN_CHOICE_DEPTH_OFF)
		return true;
	struct cairn_pose2 pose = planner_pose_at(p, t_ns);
	planner_see_lidar(p, &pose);
	cairn_depth_layer_see(&p->floor, scan, pose, &p->lidar);
	return true;
}

size_t planner_lay_floor(struct cairn_planner *p, size_t count)
{
	const struct cairn_depth_layer *f = &p->floor;
	if (!f->some)
		return count;
	for (uint32_t i = 0; i < f->solid; i++)
		p->live[count++] = (struct cairn_vec2){(double)f->x_m[i], (double)f->y_m[i]};
	/* Behind the points that count: only the cells remember them. */
	size_t border = count;
	for (uint32_t i = f->solid; i < f->count; i++)
		p->live[border++] = (struct cairn_vec2){(double)f->x_m[i], (double)f->y_m[i]};
	cairn_costmap_set_unseen(&p->costmap, p->live + count, border - count);
	return count;
}
