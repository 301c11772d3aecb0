/* planner_world.h - a world around the planner, in which what it proposes is driven. */
#ifndef CAIRN_TEST_SUPPORT_PLANNER_WORLD_H
#define CAIRN_TEST_SUPPORT_PLANNER_WORLD_H

#include "common/plan/planner.h"
#include "test/support/grids.h"
#include "test/support/runner.h"

/* A kinematic world around the planner: a bicycle with rate limits, a ray-cast scan, and the safety layers'
 * clamp on the swept arc. */
struct world {
	struct cairn_config cfg;
	struct cairn_footprint body;
	struct test_grid truth; /* what stands there */
	struct test_grid map;   /* what the mapper knows */
	struct cairn_planner *planner;
	struct cairn_pose2 pose;
	double v_mps, curvature_1pm;
	struct cairn_msg_nav_goal goal;
	struct cairn_msg_scan scan;
	struct cairn_points points;
	struct cairn_directions directions;
	struct cairn_planner_output out;
	int64_t now_ns;
	double driven_m, reversed_m, nearest_m;
	int steps, searches;
	bool wheels_blocked;          /* the base does not move, whatever is commanded */
	enum cairn_motor_state motor; /* what the motor stage says it does, and for whose word */
	enum cairn_sensor cause;
	bool silent_pose;
};

static inline void set_config(struct cairn_config *cfg)
{
	cairn_config_defaults(cfg);
}

static inline struct world *world_new(struct test_grid truth, struct cairn_pose2 start)
{
	struct world *w = calloc(1, sizeof(*w));
	struct cairn_error err = {""};
	set_config(&w->cfg);
	w->body = (struct cairn_footprint){w->cfg.robot.footprint_front_m, w->cfg.robot.footprint_rear_m,
	    w->cfg.robot.footprint_half_width_m};
	w->truth = truth;
	w->map = truth;
	w->map.cells = malloc((size_t)truth.width * (size_t)truth.height);
	memcpy(w->map.cells, truth.cells, (size_t)truth.width * (size_t)truth.height);
	w->planner = cairn_planner_new(&w->cfg, &err);
	ck_assert_msg(w->planner != NULL, "%s", err.text);
	w->pose = start;
	w->motor = CAIRN_MOTOR_STATE_DRIVING;
	w->now_ns = 1000 * CAIRN_NS_PER_S;
	w->nearest_m = INFINITY;
	w->goal = (struct cairn_msg_nav_goal){.id = 1, .tolerance_m = 0.30, .speed_max_mps = 0.35};
	ck_assert(!test_grid_touches(&w->truth, start, &w->body));
	return w;
}

static inline void world_free(struct world *w)
{
	cairn_planner_destroy(&w->planner);
	free(w->truth.cells);
	free(w->map.cells);
	free(w);
}

static inline void give_map(struct world *w)
{
	struct cairn_plan_grid grid = test_grid_view(&w->map);
	ck_assert(cairn_planner_grid(w->planner, &grid, w->now_ns));
}

static inline void give_scan(struct world *w)
{
	enum { BEAMS = 240 };
	struct cairn_vec2 lidar = {w->cfg.robot.lidar_x_m, w->cfg.robot.lidar_y_m};
	struct cairn_vec2 at = cairn_pose_apply(w->pose, lidar);
	w->scan.t_start_ns = w->now_ns - 1;
	w->scan.range_min_m = 0.05f;
	w->scan.range_max_m = 12.0f;
	w->scan.angle_rad_count = w->scan.range_m_count = BEAMS;
	for (int i = 0; i < BEAMS; i++) {
		double a = -M_PI + 2.0 * M_PI * i / BEAMS, c = cos(a + w->pose.yaw_rad),
		       s = sin(a + w->pose.yaw_rad);
		double r = 0.05;
		for (; r < 4.0; r += 0.01) {
			int x = (int)floor((at.x_m + r * c) / w->truth.cell_m),
			    y = (int)floor((at.y_m + r * s) / w->truth.cell_m);
			if (x < 0 || y < 0 || x >= w->truth.width || y >= w->truth.height)
				r = 4.0;
			else if (w->truth.cells[y * w->truth.width + x] == 100)
				break;
		}
		w->scan.angle_rad[i] = (float)a;
		w->scan.range_m[i] = r < 4.0 ? (float)r : 0.0f;
	}
	ck_assert(cairn_planner_scan(w->planner, &w->scan, w->now_ns));
	cairn_points_from_scan(&w->points, &w->scan, &w->directions, lidar, &w->body);
}

static inline double toward(double from, double to, double step)
{
	return from + cairn_clamp(to - from, -step, step);
}

/* 50 ms of driving what was proposed, through the clamp. */
static inline void drive(struct world *w, struct cairn_twist cmd)
{
	const double dt = 0.05, k_max = 1.0 / w->cfg.robot.turn_radius_min_m;
	double k = fabs(cmd.v_mps) > 1e-6 ? cmd.w_radps / cmd.v_mps : w->curvature_1pm;
	ck_assert_double_le(fabs(k), k_max * 1.0001);
	double v = cmd.v_mps;
	struct cairn_arc_hit hit = cairn_arc_clearance(
	    &w->points, &w->body, w->cfg.safety.margin_m, k, v >= 0.0, w->cfg.safety.slow_distance_m);
	double stop = w->cfg.safety.stop_distance_m, slow = w->cfg.safety.slow_distance_m;
	v *= cairn_clamp((hit.free_m - stop) / (slow - stop), 0.0, 1.0);
	if (w->wheels_blocked)
		v = 0.0;
	w->v_mps = toward(w->v_mps, v, (fabs(v) < fabs(w->v_mps) ? 1.2 : 0.6) * dt);
	w->curvature_1pm = toward(w->curvature_1pm, k, 12.0 * dt);
	w->pose =
	    cairn_pose_advance(w->pose, (struct cairn_twist){w->v_mps, w->v_mps * w->curvature_1pm}, dt);
	w->driven_m += fabs(w->v_mps) * dt;
	w->reversed_m += w->v_mps < 0.0 ? -w->v_mps * dt : 0.0;
	ck_assert_msg(!test_grid_touches(&w->truth, w->pose, &w->body),
	    "touches at %.2f %.2f %.2f after %.2f m", w->pose.x_m, w->pose.y_m, w->pose.yaw_rad, w->driven_m);
}

static inline void tick(struct world *w)
{
	w->now_ns += 50 * CAIRN_NS_PER_MS;
	struct cairn_msg_pose pose = {.x_m = w->pose.x_m,
	    .y_m = w->pose.y_m,
	    .yaw_rad = w->pose.yaw_rad,
	    .tracking = CAIRN_TRACKING_GOOD,
	    .v_mps = w->v_mps};
	struct cairn_msg_motion motion = {
	    .state = w->motor, .cause = w->cause, .v_mps = w->v_mps, .w_radps = w->v_mps * w->curvature_1pm};
	if (!w->silent_pose)
		ck_assert(cairn_planner_pose(w->planner, &pose, w->now_ns));
	ck_assert(cairn_planner_motion(w->planner, &motion, w->now_ns));
	if (w->steps % 10 == 0)
		give_map(w);
	if (w->steps % 2 == 0)
		give_scan(w);
	if (w->steps % 4 == 0)
		ck_assert(cairn_planner_goal(w->planner, &w->goal, w->now_ns));
	w->steps++;
	cairn_planner_step(w->planner, w->now_ns, &w->out);
	if (getenv("TRACE") != NULL && (w->out.status_changed || w->steps % 20 == 0))
		printf("# %.2f s pose %.2f %.2f %.2f v %.2f cmd %.2f %.2f %s: %s (%.2f)\n", w->steps * 0.05,
		    w->pose.x_m, w->pose.y_m, w->pose.yaw_rad, w->v_mps, w->out.velocity.v_mps,
		    w->out.velocity.w_radps, cairn_enum_text(&cairn_enum_nav_state, (int)w->out.status.state),
		    w->out.status.reason, w->out.status.remaining_m);
	drive(w, (struct cairn_twist){w->out.velocity.v_mps, w->out.velocity.w_radps});
}

/* Until REACHED, or limit_s. */
static inline bool go_to(struct world *w, double x, double y, double limit_s)
{
	w->goal.id++;
	w->goal.active = true;
	w->goal.x_m = x;
	w->goal.y_m = y;
	for (int i = 0; i < (int)(limit_s / 0.05); i++) {
		tick(w);
		if (w->out.status.state == CAIRN_NAV_STATE_REACHED && w->out.status.goal_id == w->goal.id)
			return true;
	}
	printf("# at %.2f %.2f %.2f: %s: %s\n", w->pose.x_m, w->pose.y_m, w->pose.yaw_rad,
	    cairn_enum_text(&cairn_enum_nav_state, (int)w->out.status.state), w->out.status.reason);
	return false;
}

#endif
