/* Drives to goals, in a world that answers. */
#include "common/base/rng.h"
#include "test/support/planner_world.h"

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

/* A box of claims, 20 cm apart so that it fits one message. */
static void claim(struct cairn_msg_claims *c, double x0, double y0, double x1, double y1)
{
	for (double x = x0; x <= x1; x += 0.2)
		for (double y = y0; y <= y1 && c->items_count < 256; y += 0.1)
			c->items[c->items_count++] = (struct cairn_msg_cell_claim){
			    x + 0.025, y + 0.025, CAIRN_CELL_STATE_OCCUPIED, 0.7};
}

/* Two ways round a block to the goal, both through unknown floor, the lower one a little shorter. */
static struct world *two_ways(void)
{
	struct test_grid g = test_grid_new(6.0, 4.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.0, 1.4, 4.0, 2.5, 100);
	test_grid_box(&g, 2.0, 0.05, 4.0, 1.4, 255);
	test_grid_box(&g, 2.0, 2.5, 4.0, 3.95, 255);
	struct world *w = world_new(g, (struct cairn_pose2){1.0, 1.8, 0.0});
	test_grid_box(&w->truth, 2.0, 0.05, 4.0, 1.4, 0);
	test_grid_box(&w->truth, 2.0, 2.5, 4.0, 3.95, 0);
	return w;
}

/* Is the path that is planned for these claims above the block? */
static bool goes_above(struct world *w, const struct cairn_msg_claims *claims)
{
	static struct cairn_msg_nav_path path;
	double high_m = 0.0;
	ck_assert(cairn_planner_claims(w->planner, claims));
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 7, .active = true, .x_m = 5.0, .y_m = 1.8, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	for (int i = 0; i < 20; i++)
		tick(w);
	cairn_planner_path(w->planner, &path);
	ck_assert_uint_gt(path.points_count, 2);
	for (uint32_t i = 0; i < path.points_count; i++)
		high_m = fmax(high_m, (double)path.points[i].y_m);
	return high_m > 2.5;
}

START_TEST(what_a_model_claims_to_be_occupied_makes_unknown_floor_dearer_and_nothing_else)
{
	static struct cairn_msg_claims claims;
	struct world *w = two_ways();
	claims.items_count = 0;
	ck_assert(!goes_above(w, &claims));
	world_free(w);
	w = two_ways();
	claim(&claims, 2.2, 0.2, 3.8, 1.3);
	ck_assert(goes_above(w, &claims));
	world_free(w);
	/* Both are claimed: there is a way still, and it is driven. */
	w = two_ways();
	claim(&claims, 2.2, 2.6, 3.8, 3.8);
	(void)goes_above(w, &claims);
	ck_assert(go_to(w, 5.0, 1.8, 90.0));
	world_free(w);
}
END_TEST

START_TEST(a_lying_model_opens_no_way)
{
	static struct cairn_msg_claims claims;
	struct test_grid g = test_grid_new(6.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 2.9, 0.0, 3.1, 3.0, 100); /* a wall from side to side */
	struct world *w = world_new(g, (struct cairn_pose2){1.2, 1.5, 0.0});
	claims.items_count = 0;
	for (double y = 1.0; y < 2.0; y += 0.05)
		for (double x = 2.9; x < 3.1 && claims.items_count < 256; x += 0.05)
			claims.items[claims.items_count++] =
			    (struct cairn_msg_cell_claim){x + 0.025, y + 0.025, CAIRN_CELL_STATE_FREE, 0.7};
	ck_assert(cairn_planner_claims(w->planner, &claims));
	ck_assert(!go_to(w, 5.0, 1.5, 10.0));
	ck_assert_double_lt(w->pose.x_m, 2.9);
	claims.items[0].x_m = (double)NAN;
	ck_assert(!cairn_planner_claims(w->planner, &claims));
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

/* In a corridor with no room beside what stands in its middle, 0.7 m wide; the wheels are held from 2.5 m on
 * until it has been tried `times` times, the motor stage saying `state` and `cause`. True when it gets to the
 * goal within limit_s. */
static bool gets_past(enum cairn_motor_state state, enum cairn_sensor cause, int times, double limit_s,
    bool *ret_waited, bool *ret_no_path)
{
	struct test_grid g = test_grid_new(6.0, 0.7, 0.05);
	test_grid_border(&g);
	struct world *w = world_new(g, (struct cairn_pose2){1.0, 0.35, 0.0});
	w->goal = (struct cairn_msg_nav_goal){
	    .id = 5, .active = true, .x_m = 5.0, .y_m = 0.35, .tolerance_m = 0.3, .speed_max_mps = 0.35};
	bool reached = false, back = false;
	int held = 0;
	*ret_waited = *ret_no_path = false;
	for (int i = 0; i < (int)(limit_s / 0.05) && !reached; i++) {
		bool at_it = held < times && w->pose.x_m > 2.5 && !(w->out.velocity.v_mps < 0.0);
		bool backs = w->out.velocity.v_mps < 0.0;
		held += backs && !back;
		back = backs;
		w->wheels_blocked = at_it;
		w->motor = at_it ? state : CAIRN_MOTOR_STATE_DRIVING;
		w->cause = at_it ? cause : CAIRN_SENSOR_NONE;
		tick(w);
		*ret_waited |= strstr(w->out.status.reason, "waiting") != NULL;
		*ret_no_path |= w->out.status.state == CAIRN_NAV_STATE_NO_PATH;
		reached = w->out.status.state == CAIRN_NAV_STATE_REACHED;
	}
	world_free(w);
	return reached;
}

START_TEST(does_not_wait_for_its_own_memory_of_what_the_motor_stage_kept_off)
{
	bool waited, no_path;
	ck_assert(gets_past(CAIRN_MOTOR_STATE_BLOCKED, CAIRN_SENSOR_DEPTH, 1, 26.0, &waited, &no_path));
	ck_assert(!waited);
	ck_assert(!no_path);
}
END_TEST

START_TEST(drives_no_third_time_against_what_it_has_only_felt)
{
	bool waited, no_path;
	ck_assert(!gets_past(CAIRN_MOTOR_STATE_DRIVING, CAIRN_SENSOR_NONE, 2, 36.0, &waited, &no_path));
	ck_assert(no_path);
}
END_TEST

START_TEST(drives_no_second_time_to_a_drop_that_the_motor_stage_stood_before)
{
	bool waited, no_path;
	ck_assert(!gets_past(CAIRN_MOTOR_STATE_BLOCKED, CAIRN_SENSOR_CLIFF, 1, 26.0, &waited, &no_path));
	ck_assert(no_path);
}
END_TEST

/* The end of this corridor is 0.30 m behind the goal: the front comes to 0.14 m from the goal at best, the rear right on to it. */
START_TEST(does_not_leave_a_dead_end_to_come_in_again_backward)
{
	struct test_grid g = test_grid_new(9.0, 3.0, 0.05);
	test_grid_border(&g);
	test_grid_box(&g, 3.0, 0.0, 9.0, 1.25, 100);
	test_grid_box(&g, 3.0, 1.75, 9.0, 3.0, 100);
	struct world *w = world_new(g, (struct cairn_pose2){1.5, 1.5, 0.0});
	ck_assert(go_to(w, 5.5, 1.5, 60.0));
	double before_m = w->reversed_m;
	ck_assert(go_to(w, 8.65, 1.60, 90.0));
	ck_assert_double_lt(w->reversed_m - before_m, 0.3);
	ck_assert_double_le(goal_distance(w), 0.5);
	ck_assert(go_to(w, 1.5, 1.5, 120.0));
	ck_assert_double_le(goal_distance(w), 0.30);
	world_free(w);
}
END_TEST

CAIRN_TEST_MAIN("planner", drives_straight_along_a_corridor, goes_through_a_narrow_door,
    turns_round_in_a_corridor_too_narrow_for_an_arc, gets_out_of_a_dead_end,
    makes_a_u_turn_in_the_open_without_reversing_far, visits_random_places_in_a_furnished_flat,
    avoids_what_the_map_does_not_have,
    what_a_model_claims_to_be_occupied_makes_unknown_floor_dearer_and_nothing_else,
    a_lying_model_opens_no_way, waits_for_somebody_in_the_door_and_goes_on,
    leaves_a_wall_it_stands_too_close_to, recovers_and_then_gives_up_when_the_wheels_do_not_move,
    does_not_wait_for_its_own_memory_of_what_the_motor_stage_kept_off,
    drives_no_third_time_against_what_it_has_only_felt,
    drives_no_second_time_to_a_drop_that_the_motor_stage_stood_before,
    does_not_leave_a_dead_end_to_come_in_again_backward)
