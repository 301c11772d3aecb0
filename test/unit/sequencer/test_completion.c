/* When an exploration has ended, and what is looked at once more before. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

START_TEST(an_explored_house_ends_at_home)
{
	struct rig *r = rig_exploring();
	r->frontiers_seen_into = true;
	for (int i = 0; i < 20 * 120 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		if (!r->out.mission.wants_decision || r->frontiers.items_count == 0)
			continue;
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.frontier_id = r->frontiers.items[0].id;
		rig_decide(r, &d);
	}
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_RETURNING);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert(!r->out.mission.wants_decision);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "explored");
	rig_run(r, 1.0);
	ck_assert_double_le(hypot(r->pose.x_m, r->pose.y_m), r->cfg.mission.home_tolerance_m);
	double elapsed = r->out.mission.elapsed_s;
	rig_run(r, 5.0);
	ck_assert_double_eq(r->out.mission.elapsed_s, elapsed);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_short_gap_without_frontiers_does_not_end_it)
{
	struct rig *r = rig_exploring();
	uint32_t count = r->frontiers.items_count;
	r->frontiers.items_count = 0;
	rig_run(r, 2.5);
	r->frontiers.items_count = count;
	rig_run(r, 1.0);
	r->frontiers.items_count = 0;
	r->frontiers.free_m2 = 0.0; /* a mapper that was reborn without its map */
	rig_run(r, 6.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(with_nothing_left_no_model_is_paid_for_what_will_not_be_driven)
{
	struct rig *r = rig_exploring();
	uint32_t count = r->frontiers.items_count;
	r->cfg.mission.settle_s = 10.0;
	ck_assert(r->out.mission.wants_decision);
	r->frontiers.items_count = 0;
	for (int i = 0; i < 20 && r->out.mission.wants_decision; i++) /* until the next list */
		rig_step(r);
	rig_run(r, 1.0);
	ck_assert(!r->out.mission.wants_decision);
	r->frontiers.items_count = count; /* there is something after all */
	rig_run(r, 1.0);
	ck_assert(r->out.mission.wants_decision);
	r->frontiers.items_count = 0;
	rig_run(r, 2.0);
	ck_assert(!r->out.mission.wants_decision);
	rig_run(r, 2.5); /* where the end is not near the model may know of something */
	ck_assert(r->out.mission.wants_decision);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(before_it_ends_a_wide_opening_that_cannot_be_reached_is_looked_at_from_near)
{
	struct rig *r = rig_exploring();
	r->cfg.mission.return_home = false;
	r->frontiers.items_count = 1;
	r->frontiers.items[0].width_m = 2.2;
	r->frontiers.items[0].x_m = 6.0;
	r->frontiers.items[0].goal_x_m = 1.4; /* the reachable place nearest to it */
	r->frontiers.items[0].goal_y_m = 0.0;
	r->frontiers.items[0].distance_m = -1.0;
	double nearest_m = INFINITY;
	bool looks = false, asked = false;
	rig_run(r, 1.0);
	for (int i = 0; i < 20 * 60 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		nearest_m = fmin(nearest_m, hypot(r->pose.x_m - 1.4, r->pose.y_m));
		looks |= r->out.nav_goal.active;
		asked |= looks && r->out.mission.wants_decision;
	}
	ck_assert_double_lt(nearest_m, 0.4);
	ck_assert(!asked);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_uint_eq(r->out.mission.given_up_count, 1);
	ck_assert_ptr_nonnull(strstr(r->out.mission.given_up[0].reason, "unreachable"));
	rig_free(r);
}
END_TEST

START_TEST(every_opening_that_cannot_be_reached_is_looked_at_once)
{
	struct rig *r = rig_exploring();
	r->cfg.mission.return_home = false;
	r->frontiers.items_count = 2;
	const double at_m[2] = {1.4, 2.6}; /* the places nearest to them */
	for (int i = 0; i < 2; i++) {
		struct cairn_msg_frontier *f = &r->frontiers.items[i];
		*f = r->frontiers.items[0];
		f->id = 7 + (uint32_t)i;
		f->x_m = 6.0 - 8.0 * i;
		f->width_m = 2.2 - i;
		f->goal_x_m = at_m[i];
		f->goal_y_m = 0.0;
		f->distance_m = -1.0;
	}
	uint32_t ways[2] = {0, 0};
	uint64_t last = 0;
	for (int i = 0; i < 20 * 90 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		if (!r->out.nav_goal.active || r->out.nav_goal.id == last)
			continue;
		last = r->out.nav_goal.id;
		for (int k = 0; k < 2; k++)
			ways[k] += fabs(r->out.nav_goal.x_m - at_m[k]) < 0.01;
	}
	ck_assert_uint_eq(ways[0], 1);
	ck_assert_uint_eq(ways[1], 1);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_uint_eq(r->out.mission.given_up_count, 2);
	rig_free(r);
}
END_TEST

/* An opening with no way to it, and the place to look from. */
static void moves_on(double goal_x_m, double goal_y_m)
{
	struct rig *r = rig_exploring();
	r->cfg.mission.return_home = false;
	r->frontiers.items_count = 1;
	r->frontiers.items[0].distance_m = -1.0;
	r->frontiers.items[0].goal_x_m = goal_x_m;
	r->frontiers.items[0].goal_y_m = goal_y_m;
	rig_run(r, 1.0);
	ck_assert_double_lt(r->path_m, 0.05);
	for (int i = 0; i < 20 * 20 && r->path_m < 0.3; i++) {
		rig_step(r);
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	}
	ck_assert_double_ge(r->path_m, 0.3);
	r->frontiers.items[0].distance_m = 1.5; /* from here it can be reached */
	rig_run(r, 6.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}

START_TEST(a_robot_that_could_go_nowhere_from_its_start_moves_on_and_looks_again)
{
	moves_on(0.5, 1.8); /* none: it is where the opening is */
	moves_on(0.1, 0.0); /* it stands where one looks from already */
}
END_TEST

START_TEST(what_cannot_be_reached_does_not_keep_a_robot_that_went_home_for_a_silent_model_from_its_end)
{
	struct rig *r = rig_exploring();
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_RETURNING, 40.0));
	ck_assert_str_eq(r->out.mission.reason, "model_silent");
	r->frontiers.items_count = 1;
	r->frontiers.items[0].distance_m = -1.0;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_double_lt(r->out.mission.home_m, 0.25);
	rig_free(r);
}
END_TEST

START_TEST(without_return_home_it_ends_where_it_is)
{
	struct rig *r = rig_exploring();
	r->cfg.mission.return_home = false;
	r->frontiers.items_count = 0;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 5.0));
	ck_assert_str_eq(r->out.mission.reason, "explored");
	rig_free(r);
}
END_TEST

START_TEST(frontiers_tried_in_vain_end_it_too_after_the_map_has_grown_and_another_look)
{
	struct rig *r = rig_exploring();
	uint32_t tries = 0;
	r->frontiers.items_count = 1;
	r->planner = RIG_PLANNER_NO_PATH;
	for (int i = 0; i < 20 * 60 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		if (r->out.mission.given_up_count > 0)
			r->frontiers.free_m2 = 15.0; /* the map has grown since */
		if (!r->out.mission.wants_decision || r->out.mission.given_up_count > 0)
			continue;
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.frontier_id = 1;
		rig_decide(r, &d);
		tries++;
	}
	ck_assert_uint_eq(tries, 4);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_uint_eq(r->out.mission.given_up_count, 1);
	rig_free(r);
}
END_TEST

/* 3 m from its start, with an opening elsewhere that no floor known leads to, as none leads to the start. */
static struct rig *rig_cut_off(void)
{
	struct rig *r = rig_exploring();
	ck_assert(rig_command(r, "goto", 3.0, 0.0, 0.0).ok);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 30.0));
	r->frontiers.items_count = 1;
	r->frontiers.items[0].distance_m = -1.0;
	r->frontiers.home_m = -1.0;
	return r;
}

static double home_m(const struct rig *r)
{
	return hypot(r->pose.x_m, r->pose.y_m);
}

START_TEST(what_is_out_of_reach_where_the_start_is_so_too_is_judged_from_outside)
{
	struct rig *r = rig_cut_off();
	for (int i = 0; i < 20 * 60 && r->frontiers.items_count > 0; i++) {
		rig_step(r);
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
		ck_assert_uint_eq(r->out.mission.given_up_count, 0);
		if (r->frontiers.home_m < 0.0 && home_m(r) < 1.5) { /* out of there */
			r->frontiers.home_m = home_m(r);
			r->frontiers.items[0].distance_m = 1.0;
			r->frontiers_seen_into = true;
		}
	}
	ck_assert_uint_eq(r->frontiers.items_count, 0);
	ck_assert_double_gt(home_m(r), 0.5); /* not all the way: it went on when it was out */
	rig_free(r);
}
END_TEST

START_TEST(who_cannot_get_out_tries_three_times_and_ends)
{
	struct rig *r = rig_cut_off();
	uint32_t ways = 0;
	uint64_t last = 0;
	r->cfg.mission.return_home = false;
	r->planner = RIG_PLANNER_NO_PATH;
	for (int i = 0; i < 20 * 120 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++) {
		rig_step(r);
		const struct cairn_msg_nav_goal *g = &r->out.nav_goal;
		ways += g->active && g->id != last && hypot(g->x_m, g->y_m) < 0.01;
		last = g->active ? g->id : last;
	}
	ck_assert_uint_eq(ways, 3);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	ck_assert_uint_eq(r->out.mission.given_up_count, 1);
	rig_free(r);
}
END_TEST

START_TEST(nothing_is_called_explored_while_the_robot_backs_out)
{
	struct rig *r = rig_cut_off();
	r->cfg.mission.return_home = false;
	r->frontiers.home_m = 3.0; /* as far as the map tells */
	r->frontiers.items[0].distance_m = 1.0;
	rig_run(r, 1.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.frontier_id = 1;
	rig_decide(r, &d);
	r->planner = RIG_PLANNER_BACKS_OUT; /* somebody stands in the way back */
	r->frontiers.items[0].distance_m = -1.0;
	rig_run(r, 25.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	r->frontiers.items[0].distance_m = 1.0; /* he is gone */
	r->planner = RIG_PLANNER_DRIVES;
	r->frontiers_seen_into = true;
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("completion", an_explored_house_ends_at_home, a_short_gap_without_frontiers_does_not_end_it,
    with_nothing_left_no_model_is_paid_for_what_will_not_be_driven,
    before_it_ends_a_wide_opening_that_cannot_be_reached_is_looked_at_from_near,
    every_opening_that_cannot_be_reached_is_looked_at_once,
    a_robot_that_could_go_nowhere_from_its_start_moves_on_and_looks_again,
    what_cannot_be_reached_does_not_keep_a_robot_that_went_home_for_a_silent_model_from_its_end,
    without_return_home_it_ends_where_it_is,
    frontiers_tried_in_vain_end_it_too_after_the_map_has_grown_and_another_look,
    what_is_out_of_reach_where_the_start_is_so_too_is_judged_from_outside,
    who_cannot_get_out_tries_three_times_and_ends, nothing_is_called_explored_while_the_robot_backs_out)
