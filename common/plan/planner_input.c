/* planner_input.c - what arrives: judged, then kept for the next step. */
#include <math.h>
#include <string.h>

#include "common/plan/planner_internal.h"

static bool refuse(struct cairn_planner *p)
{
	p->rejects++;
	return false;
}

static bool reasonable(double x_m, double y_m)
{
	return fabs(x_m) < 1e5 && fabs(y_m) < 1e5;
}

static void start_goal(struct cairn_planner *p)
{
	planner_drop_path(p);
	p->finished = false;
	p->want_plan = true;
	p->planned_ns = p->tried_ns = p->blocked_since_ns = 0;
	p->failed_searches = 0;
	p->retreat.active = false;
	p->tries = p->ended_short = 0;
	p->ended_best_m = INFINITY;
	p->status = (struct cairn_msg_nav_status){.goal_id = p->goal.id};
	planner_say(p, CAIRN_NAV_STATE_PLANNING, "new goal");
}

bool cairn_planner_goal(struct cairn_planner *p, const struct cairn_msg_nav_goal *goal, int64_t t_ns)
{
	if (!reasonable(goal->x_m, goal->y_m) || !(goal->tolerance_m >= 0.0) || !(goal->speed_max_mps >= 0.0))
		return refuse(p);
	struct cairn_msg_nav_goal g = *goal;
	if (!(g.tolerance_m > 0.0))
		g.tolerance_m = p->cfg.nav.goal_tolerance_m;
	if (!(g.speed_max_mps > 0.0))
		g.speed_max_mps = p->cfg.nav.speed_mps;
	bool same = p->goal.active && g.active && g.id == p->goal.id &&
		    hypot(g.x_m - p->goal.x_m, g.y_m - p->goal.y_m) < 0.01;
	p->goal = g;
	p->goal_t_ns = t_ns;
	if (g.active && !same)
		start_goal(p);
	return true;
}

bool cairn_planner_pose(struct cairn_planner *p, const struct cairn_msg_pose *pose, int64_t t_ns)
{
	if (!reasonable(pose->x_m, pose->y_m) || !isfinite(pose->yaw_rad) || !isfinite(pose->v_mps))
		return refuse(p);
	if (pose->map_epoch != p->pose.map_epoch) {
		p->trace_count =
		    0; /* the map was drawn anew: neither places nor the path of before belong to it */
		p->want_plan = true;
		planner_forget_floor(p);
	}
	p->pose = *pose;
	p->pose_t_ns = t_ns;
	if (p->trace_count > 0 && t_ns <= p->trace[p->trace_at].t_ns) {
		if (t_ns < p->trace[p->trace_at].t_ns)
			p->trace_count = 0; /* a corrected past, or another clock: start anew */
	}
	p->trace_at = (p->trace_at + 1) % PLANNER_TRACE;
	p->trace[p->trace_at] = (struct planner_stamped){{pose->x_m, pose->y_m, pose->yaw_rad}, t_ns};
	if (p->trace_count < PLANNER_TRACE)
		p->trace_count++;
	cairn_floor_drive(&p->floor, p->trace[p->trace_at].pose);
	return true;
}

/* Where the robot was at t, between remembered poses; before the first and after the last the nearest of
 * them. */
struct cairn_pose2 planner_pose_at(const struct cairn_planner *p, int64_t t_ns)
{
	const struct planner_stamped *later = &p->trace[p->trace_at];
	for (int i = 1; i < p->trace_count && later->t_ns > t_ns; i++) {
		const struct planner_stamped *s =
		    &p->trace[(p->trace_at - i + PLANNER_TRACE) % PLANNER_TRACE];
		if (s->t_ns > t_ns || s->t_ns == later->t_ns) {
			later = s;
			continue;
		}
		double u = (double)(t_ns - s->t_ns) / (double)(later->t_ns - s->t_ns);
		return (struct cairn_pose2){s->pose.x_m + u * (later->pose.x_m - s->pose.x_m),
		    s->pose.y_m + u * (later->pose.y_m - s->pose.y_m),
		    cairn_wrap_rad(
			s->pose.yaw_rad + u * cairn_wrap_rad(later->pose.yaw_rad - s->pose.yaw_rad))};
	}
	return later->pose;
}

static void take_angles(struct planner_angles *a, const struct cairn_msg_scan *scan)
{
	uint32_t n = scan->angle_rad_count;
	if (a->count == n && memcmp(a->rad, scan->angle_rad, n * sizeof(a->rad[0])) == 0)
		return;
	a->count = n;
	memcpy(a->rad, scan->angle_rad, n * sizeof(a->rad[0]));
	for (uint32_t i = 0; i < n; i++) {
		a->c[i] = cos((double)a->rad[i]);
		a->s[i] = sin((double)a->rad[i]);
	}
}

bool cairn_planner_scan(struct cairn_planner *p, const struct cairn_msg_scan *scan, int64_t t_ns)
{
	uint32_t n = scan->range_m_count;
	if (n == 0 || n > CAIRN_POINTS_MAX || scan->angle_rad_count != n || scan->t_start_ns > t_ns)
		return refuse(p);
	if (p->trace_count == 0)
		return true;
	double reach = fmin(p->cfg.nav.live_range_m, (double)scan->range_max_m);
	double per_point = (double)(t_ns - scan->t_start_ns) / (double)n;
	const struct cairn_footprint *b = &p->body;
	struct cairn_pose2 pose = {0};
	double pose_c = 1.0, pose_s = 0.0;
	p->live_count = 0;
	take_angles(&p->angles, scan);
	for (uint32_t i = 0; i < n; i++) {
		double r = (double)scan->range_m[i];
		if (i % 16 == 0) { /* the robot moves by millimetres in this time */
			pose =
			    planner_pose_at(p, scan->t_start_ns + (int64_t)(per_point * ((double)i + 8.0)));
			pose_c = cos(pose.yaw_rad);
			pose_s = sin(pose.yaw_rad);
		}
		if (!(r > 0.0 && r >= (double)scan->range_min_m && r <= reach) || !isfinite(scan->angle_rad[i]))
			continue;
		struct cairn_vec2 q = {
		    p->cfg.robot.lidar_x_m + r * p->angles.c[i], p->cfg.robot.lidar_y_m + r * p->angles.s[i]};
		if (q.x_m < b->front_m && q.x_m > -b->rear_m && fabs(q.y_m) < b->half_width_m)
			continue; /* the robot itself */
		p->live[p->live_count++] = (struct cairn_vec2){
		    pose.x_m + pose_c * q.x_m - pose_s * q.y_m, pose.y_m + pose_s * q.x_m + pose_c * q.y_m};
	}
	p->live_fresh = true;
	return true;
}

bool cairn_planner_motion(struct cairn_planner *p, const struct cairn_msg_motion *motion, int64_t t_ns)
{
	if (!isfinite(motion->v_mps) || !isfinite(motion->w_radps))
		return refuse(p);
	p->motion = *motion;
	p->motion_t_ns = t_ns;
	return true;
}

bool cairn_planner_grid(struct cairn_planner *p, const struct cairn_plan_grid *grid, int64_t t_ns)
{
	(void)t_ns;
	struct cairn_pose2 pose = {p->pose.x_m, p->pose.y_m, p->pose.yaw_rad};
	if (cairn_costmap_set_grid(&p->costmap, grid, p->trace_count > 0 ? &pose : NULL, &p->body) < 0)
		return refuse(p);
	p->have_grid = true;
	p->grid_fresh = true;
	return true;
}
