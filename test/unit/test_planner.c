#include "common/plan/planner.h"

#include "common/base/rng.h"
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
	struct cairn_planner_output out;
	int64_t now_ns;
	double driven_m, reversed_m, nearest_m;
	int steps, searches;
	bool wheels_blocked; /* the base does not move, whatever is commanded */
	bool silent_pose;
};

static void set_config(struct cairn_config *cfg)
{
	cairn_config_defaults(cfg);
}

static struct world *world_new(struct test_grid truth, struct cairn_pose2 start)
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
	w->now_ns = 1000 * CAIRN_NS_PER_S;
	w->nearest_m = INFINITY;
	w->goal = (struct cairn_msg_nav_goal){.id = 1, .tolerance_m = 0.30, .speed_max_mps = 0.35};
	ck_assert(!test_grid_touches(&w->truth, start, &w->body));
	return w;
}

static void world_free(struct world *w)
{
	cairn_planner_destroy(&w->planner);
	free(w->truth.cells);
	free(w->map.cells);
	free(w);
}

static void give_map(struct world *w)
{
	struct cairn_plan_grid grid = test_grid_view(&w->map);
	ck_assert(cairn_planner_grid(w->planner, &grid, w->now_ns));
}

static void give_scan(struct world *w)
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
	cairn_points_from_scan(&w->points, &w->scan, lidar, &w->body);
}

static double toward(double from, double to, double step)
{
	return from + cairn_clamp(to - from, -step, step);
}

/* 50 ms of driving what was proposed, through the clamp. */
static void drive(struct world *w, struct cairn_twist cmd)
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

static void tick(struct world *w)
{
	w->now_ns += 50 * CAIRN_NS_PER_MS;
	struct cairn_msg_pose pose = {.x_m = w->pose.x_m,
	    .y_m = w->pose.y_m,
	    .yaw_rad = w->pose.yaw_rad,
	    .tracking = CAIRN_TRACKING_GOOD,
	    .v_mps = w->v_mps};
	struct cairn_msg_motion motion = {
	    .state = CAIRN_MOTOR_STATE_DRIVING, .v_mps = w->v_mps, .w_radps = w->v_mps * w->curvature_1pm};
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
static bool go_to(struct world *w, double x, double y, double limit_s)
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

static double goal_distance(const struct world *w)
{
	return hypot(w->pose.x_m - w->goal.x_m, w->pose.y_m - w->goal.y_m);
}

START_TEST(drives_straight_along_a_corridor)
{
	struct test_grid g = test_grid_new(8.0, 1.2, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){0.5, 0.45, 0.1});
	ck_assert(go_to(w, 7.0, 0.6, 60.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	ck_assert_double_le(w->driven_m, 6.9);
	ck_assert_double_eq(w->reversed_m, 0.0);
	ck_assert_double_le(w->steps * 0.05, 30.0); /* 6.3 m at 0.35 m/s is 18 s */
	world_free(w);
}
END_TEST

START_TEST(goes_through_a_narrow_door)
{
	struct test_grid g = test_grid_new(6.0, 4.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.95, 0.0, 3.1, 4.0, 100);
	test_grid_box(&g, 2.9, 2.2, 3.2, 2.9, 0);
	struct world *w = world_new(g, (struct cairn_pose2){1.0, 0.6, 1.57});
	ck_assert(go_to(w, 5.0, 0.8, 90.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	ck_assert(go_to(w, 1.0, 3.2, 90.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	world_free(w);
}
END_TEST

START_TEST(turns_round_in_a_corridor_too_narrow_for_an_arc)
{
	/* 1.0 m wide; an arc of the least radius needs 0.3 + sqrt(0.4^2 + 0.27^2) + 0.1 + margins for half a
	 * turn twice over. */
	struct test_grid g = test_grid_new(6.0, 1.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){4.6, 0.5, 0.0});
	ck_assert(go_to(w, 0.8, 0.5, 120.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	ck_assert_double_gt(w->reversed_m, 0.1);
	world_free(w);
}
END_TEST

START_TEST(gets_out_of_a_dead_end)
{
	/* A niche 0.6 m wide and 1.2 m deep at a corridor; the robot stands in it, nose to the wall. */
	struct test_grid g = test_grid_new(5.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 0.0, 1.5, 2.2, 3.0, 100);
	test_grid_box(&g, 2.8, 1.5, 5.0, 3.0, 100);
	struct world *w = world_new(g, (struct cairn_pose2){2.5, 2.55, M_PI_2});
	ck_assert(go_to(w, 0.7, 0.7, 120.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	ck_assert_double_gt(w->reversed_m, 0.3);
	world_free(w);
}
END_TEST

START_TEST(makes_a_u_turn_in_the_open_without_reversing_far)
{
	struct test_grid g = test_grid_new(5.0, 5.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){2.5, 2.5, 0.0});
	ck_assert(go_to(w, 0.6, 2.5, 60.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	ck_assert_double_le(w->driven_m, 4.5);
	world_free(w);
}
END_TEST

START_TEST(visits_random_places_in_a_furnished_flat)
{
	struct world *w = world_new(test_grid_flat(0.05, 0.70), (struct cairn_pose2){6.0, 4.5, 0.0});
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 21, 1);
	for (int visits = 0; visits < CAIRN_ROUNDS(8);) {
		double x = 12.0 * cairn_rng_uniform(&rng), y = 9.0 * cairn_rng_uniform(&rng);
		struct cairn_footprint disc = {0.3, 0.3, 0.3};
		if (test_grid_touches(&w->truth, (struct cairn_pose2){x, y, 0.0}, &disc) || x < 0.5 ||
		    y < 0.5 || x > 11.5 || y > 8.5)
			continue;
		ck_assert_msg(go_to(w, x, y, 200.0), "visit %d to %.2f %.2f", visits, x, y);
		ck_assert_double_le(goal_distance(w), 0.30);
		visits++;
	}
	world_free(w);
}
END_TEST

START_TEST(avoids_what_the_map_does_not_have)
{
	struct test_grid g = test_grid_new(6.0, 2.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){0.6, 1.0, 0.0});
	test_grid_box(&w->truth, 2.8, 0.8, 3.1, 1.2, 100); /* somebody stands there */
	ck_assert(go_to(w, 5.2, 1.0, 90.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	world_free(w);
}
END_TEST

START_TEST(waits_for_somebody_in_the_door_and_goes_on)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.95, 0.0, 3.1, 3.0, 100);
	test_grid_box(&g, 2.9, 1.1, 3.2, 1.8, 0);
	struct world *w = world_new(g, (struct cairn_pose2){1.2, 1.5, 0.0});
	test_grid_box(&w->truth, 2.9, 1.1, 3.2, 1.8, 100);
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 1.5, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	bool waited = false;
	for (int i = 0; i < 60; i++) {
		tick(w);
		waited |= w->out.status.state == CAIRN_NAV_STATE_PLANNING &&
			  strstr(w->out.status.reason, "waiting") != NULL;
		ck_assert_int_ne(w->out.status.state, CAIRN_NAV_STATE_NO_PATH);
	}
	ck_assert(waited);
	for (int i = 0; i < 120; i++) /* it stays: then there is no path */
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_NO_PATH);
	test_grid_box(&w->truth, 2.9, 1.1, 3.2, 1.8, 0);
	bool reached = false;
	for (int i = 0; i < 800 && !reached; i++) {
		tick(w);
		reached = w->out.status.state == CAIRN_NAV_STATE_REACHED;
	}
	ck_assert(reached);
	world_free(w);
}
END_TEST

START_TEST(leaves_a_wall_it_stands_too_close_to)
{
	struct test_grid g = test_grid_new(4.0, 3.0, 0.05);
	test_grid_border(&g);
	/* Along the lower wall (0.05 m thick) with 3 cm of room, less than nav.clearance_m. */
	struct world *w = world_new(g, (struct cairn_pose2){1.0, 0.18, 0.0});
	ck_assert(go_to(w, 1.0, 2.4, 90.0));
	/* Nose to the wall with 4 cm of room. */
	w->pose = (struct cairn_pose2){2.0, 0.36, -M_PI_2};
	w->v_mps = 0.0;
	ck_assert(go_to(w, 3.2, 2.2, 90.0));
	world_free(w);
}
END_TEST

START_TEST(says_why_there_is_no_path)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.95, 0.0, 3.1, 3.0, 100);
	struct world *w = world_new(g, (struct cairn_pose2){1.2, 1.5, 0.0});
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 1.5, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	for (int i = 0; i < 5; i++)
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_NO_PATH);
	ck_assert(w->out.has_velocity);
	ck_assert_double_eq(w->out.velocity.v_mps, 0.0);
	w->goal.id = 6;
	w->goal.x_m = 4.0;
	test_grid_box(&w->map, 3.2, 0.7, 4.8, 2.3, 100);
	for (int i = 0; i < 30; i++)
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_GOAL_BLOCKED);
	test_grid_box(&w->map, 0.0, 0.0, 6.0, 3.0, 100); /* walled in on all sides, as far as the map goes */
	test_grid_box(&w->map, 0.8, 1.2, 1.6, 1.8, 0);
	w->goal.id = 7;
	w->goal.x_m = 1.2;
	w->goal.y_m = 2.2;
	w->truth = w->map;
	w->truth.cells = malloc((size_t)g.width * (size_t)g.height);
	memcpy(w->truth.cells, w->map.cells, (size_t)g.width * (size_t)g.height);
	free(g.cells);
	for (int i = 0; i < 30; i++)
		tick(w);
	ck_assert(w->out.status.state == CAIRN_NAV_STATE_GOAL_BLOCKED ||
		  w->out.status.state == CAIRN_NAV_STATE_NO_PATH);
	world_free(w);
}
END_TEST

static int64_t slow_clock(void *ctx)
{
	int64_t *now_ns = ctx;
	return *now_ns += CAIRN_NS_PER_MS;
}

START_TEST(a_search_that_failed_gets_a_part_of_the_time_when_it_is_tried_again)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.95, 0.0, 3.1, 3.0, 100);
	test_grid_box(
	    &g, 2.9, 1.3, 3.2, 1.55, 0); /* as wide as a disc of the body's width, not as the body */
	struct world *w = world_new(g, (struct cairn_pose2){2.5, 1.42, 0.0});
	int64_t clock_ns = 0;
	cairn_planner_set_clock(w->planner, slow_clock, &clock_ns);
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 1.5, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	double took_ms[10];
	unsigned searches = 0;
	for (int i = 0; i < 300 && searches < 10; i++) {
		tick(w);
		if (w->out.status.replans > searches)
			took_ms[searches++] = w->out.status.planning_ms;
	}
	ck_assert_uint_eq(searches, 10);
	for (unsigned i = 0; i < searches; i++) {
		double whole_ms = w->cfg.nav.planning_ms, want_ms = i % 4 == 0 ? whole_ms : 0.25 * whole_ms;
		ck_assert_double_ge(took_ms[i], want_ms);
		ck_assert_double_le(took_ms[i], want_ms + 3.0);
	}
	test_grid_box(&w->map, 2.9, 1.1, 3.2, 1.8, 0);
	test_grid_box(&w->truth, 2.9, 1.1, 3.2, 1.8, 0);
	give_map(w);
	bool reached = false;
	for (int i = 0; i < 800 && !reached; i++) {
		tick(w);
		reached = w->out.status.state == CAIRN_NAV_STATE_REACHED;
	}
	ck_assert(reached);
	world_free(w);
}
END_TEST

START_TEST(stands_still_without_pose_map_or_goal)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){1.2, 1.5, 0.0});
	cairn_planner_step(w->planner, w->now_ns, &w->out);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_IDLE);
	ck_assert(!w->out.has_velocity);
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 1.5, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	ck_assert(cairn_planner_goal(w->planner, &w->goal, w->now_ns));
	cairn_planner_step(w->planner, w->now_ns, &w->out);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_NO_INPUT);
	for (int i = 0; i < 40; i++)
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_FOLLOWING);
	ck_assert_double_gt(w->out.velocity.v_mps, 0.1);
	w->silent_pose = true;
	for (int i = 0; i < 14; i++)
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_NO_INPUT);
	ck_assert_double_eq(w->out.velocity.v_mps, 0.0);
	w->silent_pose = false;
	tick(w);
	tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_FOLLOWING);
	struct cairn_msg_pose lost = {
	    .x_m = w->pose.x_m, .y_m = w->pose.y_m, .tracking = CAIRN_TRACKING_LOST};
	cairn_planner_pose(w->planner, &lost, w->now_ns);
	cairn_planner_step(w->planner, w->now_ns, &w->out);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_NO_INPUT);
	cairn_planner_step(w->planner, w->now_ns + 3 * CAIRN_NS_PER_S, &w->out);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_IDLE); /* nobody repeats the goal */
	world_free(w);
}
END_TEST

START_TEST(recovers_and_then_gives_up_when_the_wheels_do_not_move)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){2.0, 1.5, 0.0});
	w->wheels_blocked = true;
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 1.5, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	bool backed = false;
	int stuck_at = 0;
	for (int i = 0; i < 800 && stuck_at == 0; i++) {
		tick(w);
		backed |= w->out.velocity.v_mps < 0.0;
		stuck_at = w->out.status.state == CAIRN_NAV_STATE_STUCK ? i : 0;
	}
	ck_assert(backed);
	ck_assert_int_gt(stuck_at, 0);
	ck_assert_double_eq(w->out.velocity.v_mps, 0.0);
	w->wheels_blocked = false;
	ck_assert(go_to(w, 5.0, 1.5, 60.0)); /* a new goal starts afresh */
	world_free(w);
}
END_TEST

START_TEST(garbage_is_refused_and_survived)
{
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){1.2, 1.5, 0.0});
	struct cairn_msg_nav_goal goal = {
	    .id = 3, .active = true, .x_m = NAN, .y_m = 1.0, .tolerance_m = 0.3};
	ck_assert(!cairn_planner_goal(w->planner, &goal, w->now_ns));
	goal =
	    (struct cairn_msg_nav_goal){.id = 3, .active = true, .x_m = 1.0, .y_m = 1.0, .tolerance_m = NAN};
	ck_assert(!cairn_planner_goal(w->planner, &goal, w->now_ns));
	struct cairn_msg_pose pose = {.x_m = 1.0, .y_m = INFINITY};
	ck_assert(!cairn_planner_pose(w->planner, &pose, w->now_ns));
	struct cairn_plan_grid grid = test_grid_view(&g);
	grid.cell_m = 0.0;
	ck_assert(!cairn_planner_grid(w->planner, &grid, w->now_ns));
	grid = test_grid_view(&g);
	grid.stride = 3;
	ck_assert(!cairn_planner_grid(w->planner, &grid, w->now_ns));
	w->scan.range_m_count = 10;
	w->scan.angle_rad_count = 9;
	ck_assert(!cairn_planner_scan(w->planner, &w->scan, w->now_ns));
	w->scan.angle_rad_count = 10;
	w->scan.t_start_ns = w->now_ns - 1;
	w->scan.range_max_m = 10.0f;
	for (int i = 0; i < 10; i++) {
		w->scan.range_m[i] = i % 2 ? NAN : INFINITY;
		w->scan.angle_rad[i] = i % 3 ? NAN : 1e30f;
	}
	ck_assert(cairn_planner_scan(w->planner, &w->scan, w->now_ns));
	ck_assert_uint_eq(cairn_planner_rejects(w->planner), 6);
	/* A goal far outside the map, and one that does not move the robot at all. */
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 9, .active = true, .x_m = 5000.0, .y_m = -3.0, .tolerance_m = 0.3};
	for (int i = 0; i < 5; i++)
		tick(w);
	ck_assert_int_eq(w->out.status.state, CAIRN_NAV_STATE_GOAL_BLOCKED);
	ck_assert(go_to(w, w->pose.x_m, w->pose.y_m, 1.0));
	world_free(w);
}
END_TEST

START_TEST(the_published_path_keeps_its_ends)
{
	struct world *w = world_new(test_grid_flat(0.05, 0.70), (struct cairn_pose2){6.0, 4.5, 0.0});
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 1.0, .y_m = 3.2, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	tick(w);
	struct cairn_msg_nav_path path;
	cairn_planner_path(w->planner, &path);
	ck_assert(w->out.path_changed);
	ck_assert_uint_eq(path.goal_id, 5);
	ck_assert_uint_ge(path.points_count, 3); /* round a corner at least */
	ck_assert_double_le(hypot((double)path.points[0].x_m - 6.0, (double)path.points[0].y_m - 4.5), 0.1);
	const struct cairn_msg_path_point *last = &path.points[path.points_count - 1];
	ck_assert_double_le(hypot((double)last->x_m - 1.0, (double)last->y_m - 3.2), 0.3);
	world_free(w);
}
END_TEST

/* Lines between the published waypoints, with the robot's whole body on them: poses left out lie within 2 cm
 * of them, so a body so much smaller has to fit all the way. */
START_TEST(published_waypoints_never_leave_free_space)
{
	struct world *w = world_new(test_grid_flat(0.05, 0.70), (struct cairn_pose2){6.0, 4.5, 0.0});
	struct cairn_footprint slim = {
	    w->body.front_m - 0.02, w->body.rear_m - 0.02, w->body.half_width_m - 0.02};
	struct cairn_rng rng;
	uint32_t paths = 0;
	cairn_rng_seed(&rng, 21, 1);
	for (int k = 0; k < CAIRN_ROUNDS(60); k++) {
		struct cairn_msg_nav_path path;
		w->goal = (struct cairn_msg_nav_goal){.id = 100 + (uint64_t)k,
		    .active = true,
		    .x_m = cairn_rng_uniform(&rng) * w->truth.width * w->truth.cell_m,
		    .y_m = cairn_rng_uniform(&rng) * w->truth.height * w->truth.cell_m,
		    .tolerance_m = 0.3,
		    .speed_max_mps = 0.35};
		for (int i = 0; i < 8; i++)
			tick(w);
		cairn_planner_path(w->planner, &path);
		paths += path.points_count > 1;
		for (uint32_t i = 0; i + 1 < path.points_count; i++) {
			const struct cairn_msg_path_point *a = &path.points[i], *b = &path.points[i + 1];
			for (double f = 0.0; f <= 1.0; f += 0.1) {
				struct cairn_pose2 at = {(double)a->x_m + f * (double)(b->x_m - a->x_m),
				    (double)a->y_m + f * (double)(b->y_m - a->y_m),
				    (double)a->yaw_rad +
					f * cairn_wrap_rad((double)b->yaw_rad - (double)a->yaw_rad)};
				ck_assert_msg(!test_grid_touches(&w->truth, at, &slim),
				    "goal %d: waypoint %u at %.2f %.2f", k, i, at.x_m, at.y_m);
			}
		}
	}
	printf("# %u paths\n", paths);
	ck_assert_uint_gt(paths, CAIRN_ROUNDS(60) / 2);
	world_free(w);
}
END_TEST

CAIRN_TEST_MAIN("planner", published_waypoints_never_leave_free_space, drives_straight_along_a_corridor,
    goes_through_a_narrow_door, turns_round_in_a_corridor_too_narrow_for_an_arc, gets_out_of_a_dead_end,
    makes_a_u_turn_in_the_open_without_reversing_far, visits_random_places_in_a_furnished_flat,
    avoids_what_the_map_does_not_have, waits_for_somebody_in_the_door_and_goes_on,
    leaves_a_wall_it_stands_too_close_to, says_why_there_is_no_path,
    a_search_that_failed_gets_a_part_of_the_time_when_it_is_tried_again,
    stands_still_without_pose_map_or_goal, recovers_and_then_gives_up_when_the_wheels_do_not_move,
    garbage_is_refused_and_survived, the_published_path_keeps_its_ends)
