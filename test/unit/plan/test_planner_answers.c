/* What the planner says: why there is no way, what it lacks and what it refuses; and the path it publishes. */
#include "common/base/rng.h"
#include "test/support/planner_world.h"

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
		double whole_ms = w->cfg.nav.planning_ms, want_ms = i % 8 == 0 ? whole_ms : 0.1 * whole_ms;
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

CAIRN_TEST_MAIN("planner_answers", says_why_there_is_no_path,
    a_search_that_failed_gets_a_part_of_the_time_when_it_is_tried_again,
    stands_still_without_pose_map_or_goal, garbage_is_refused_and_survived, the_published_path_keeps_its_ends,
    published_waypoints_never_leave_free_space)
