/* planner_input.c - what arrives: judged, then kept for the next step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/plan/planner_private.h"
#include "common/config/speeds.h"

#define BLOCK CAIRN_POINTS_BLOCK

static bool refuse(struct cairn_planner *p)
{
	p->rejects++;
	return false;
}

static bool reasonable(double x_m, double y_m)
{
	return fabs(x_m) < 1e5 && fabs(y_m) < 1e5;
}

/* On its way out it goes on whatever the goal: the way there begins where there is room. */
static void start_goal(struct cairn_planner *p)
{
	struct cairn_pose2 pose = {p->pose.x_m, p->pose.y_m, p->pose.yaw_rad};
	if (!p->back.active)
		planner_drop_path(p);
	p->started_tight = p->back.active || !planner_has_room(p, &pose);
	p->finished = false;
	p->want_plan = !p->back.active;
	p->idle.set = p->idle_far.set = false;
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
		g.speed_max_mps = cairn_cruise_mps(&p->cfg);
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
		struct cairn_pose2 was = {p->pose.x_m, p->pose.y_m, p->pose.yaw_rad},
				   now = {pose->x_m, pose->y_m, pose->yaw_rad};
		cairn_depth_layer_move(&p->floor, was, now);
		cairn_driven_path_move(&p->driven, was, now);
		planner_back_end(p);
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
	cairn_depth_layer_drive(&p->floor, p->trace[p->trace_at].pose);
	if (pose->tracking >= CAIRN_TRACKING_WEAK)
		cairn_driven_path_add(&p->driven, p->trace[p->trace_at].pose);
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

/* A scan and which of its returns count. */
struct live_scan {
	const struct cairn_msg_scan *scan;
	int64_t t_ns;
	double min_m, reach_m;
};

static int64_t middle_ns(const struct live_scan *l, uint32_t first)
{
	double per_point = (double)(l->t_ns - l->scan->t_start_ns) / (double)l->scan->range_m_count;
	return l->scan->t_start_ns + (int64_t)(per_point * ((double)first + 0.5 * BLOCK));
}

/* Adds so many points from first on, a block's at most: in this time the robot moves by millimetres. No
 * branches but at the beginning: many at a time. */
static inline void add_live(
    struct cairn_planner *p, const struct live_scan *l, uint32_t first, uint32_t count)
{
	const float *range_m = &l->scan->range_m[first], *rad = &l->scan->angle_rad[first];
	const double *dir_c = &p->angles.c[first], *dir_s = &p->angles.s[first];
	const struct cairn_footprint body = p->body;
	const double lidar_x_m = p->cfg.robot.lidar_x_m, lidar_y_m = p->cfg.robot.lidar_y_m;
	struct cairn_vec2 at[BLOCK];
	uint32_t wanted[BLOCK], some = 0;
	for (uint32_t i = 0; i < count; i++) {
		double r = (double)range_m[i];
		wanted[i] = (r > 0.0) & (r >= l->min_m) & (r <= l->reach_m) & (fabsf(rad[i]) <= FLT_MAX);
		some |= wanted[i];
	}
	if (some == 0)
		return;
	struct cairn_pose2 pose = planner_pose_at(p, middle_ns(l, first));
	const double c = cos(pose.yaw_rad), s = sin(pose.yaw_rad);
	for (uint32_t i = 0; i < count; i++) {
		double r = (double)range_m[i], x = lidar_x_m + r * dir_c[i], y = lidar_y_m + r * dir_s[i];
		/* of the robot itself */
		int own = (x < body.front_m) & (x > -body.rear_m) & (fabs(y) < body.half_width_m);
		wanted[i] &= (uint32_t)!own;
		at[i] = (struct cairn_vec2){pose.x_m + c * x - s * y, pose.y_m + s * x + c * y};
	}
	for (uint32_t i = 0; i < count; i++) {
		p->live[p->live_count] = at[i];
		p->live_count += wanted[i];
	}
}

bool cairn_planner_scan(struct cairn_planner *p, const struct cairn_msg_scan *scan, int64_t t_ns)
{
	uint32_t n = scan->range_m_count;
	if (n == 0 || n > CAIRN_POINTS_MAX || scan->angle_rad_count != n || scan->t_start_ns > t_ns)
		return refuse(p);
	if (p->trace_count == 0)
		return true;
	const struct live_scan l = {
	    scan, t_ns, (double)scan->range_min_m, fmin(p->cfg.nav.live_range_m, (double)scan->range_max_m)};
	p->live_count = 0;
	cairn_directions_keep(p->angles.rad, p->angles.c, p->angles.s, &p->angles.count, scan->angle_rad,
	    scan->angle_rad_count);
	for (uint32_t i = 0; i < n; i += BLOCK)
		if (n - i >= BLOCK)
			add_live(p, &l, i, BLOCK);
		else
			add_live(p, &l, i, n - i);
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
	cairn_costmap_set_claimed(&p->costmap, p->claimed, p->claimed_count);
	p->have_grid = true;
	p->grid_fresh = true;
	return true;
}

bool cairn_planner_claims(struct cairn_planner *p, const struct cairn_msg_claims *claims)
{
	struct cairn_vec2 now[sizeof(p->claimed) / sizeof(p->claimed[0])];
	size_t count = 0;
	bool same = true;
	for (uint32_t i = 0; i < claims->items_count; i++) {
		const struct cairn_msg_cell_claim *c = &claims->items[i];
		if (!reasonable(c->x_m, c->y_m))
			return refuse(p);
		if (c->state == CAIRN_CELL_STATE_OCCUPIED)
			now[count++] = (struct cairn_vec2){c->x_m, c->y_m};
	}
	same = count == p->claimed_count;
	for (size_t i = 0; i < count && same; i++)
		same = now[i].x_m == p->claimed[i].x_m && now[i].y_m == p->claimed[i].y_m;
	if (same)
		return true; /* repeated once a second */
	memcpy(p->claimed, now, count * sizeof(now[0]));
	p->claimed_count = count;
	cairn_costmap_forget_claimed(&p->costmap);
	cairn_costmap_set_claimed(&p->costmap, p->claimed, p->claimed_count);
	return true;
}
