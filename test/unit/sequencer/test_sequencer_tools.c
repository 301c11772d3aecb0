/* Tools do what they say: the way back, walls, headings, help, claims of having done it, and what to do instead. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

/* A corridor along x with a side corridor to the left at x = 3; behind it a room without another door. */
static struct rig *corridors(void)
{
	struct rig *r = rig_new(3);
	rig_wall(r, -1.0, -0.6, 5.0, -0.6);
	rig_wall(r, -1.0, 0.6, 2.4, 0.6);
	rig_wall(r, 3.6, 0.6, 5.0, 0.6);
	rig_wall(r, -1.0, -0.6, -1.0, 0.6);
	rig_wall(r, 2.4, 0.6, 2.4, 4.0);
	rig_wall(r, 3.6, 0.6, 3.6, 4.0);
	rig_wall(r, 2.4, 4.0, 3.6, 4.0);
	rig_wall(r, 5.0, 0.6, 5.0, 2.5);
	rig_wall(r, 5.0, -0.6, 5.0, -2.5);
	rig_wall(r, 5.0, 2.5, 10.0, 2.5);
	rig_wall(r, 5.0, -2.5, 10.0, -2.5);
	rig_wall(r, 10.0, -2.5, 10.0, 2.5);
	rig_frontier(r, 1, 30.0, 30.0, 1.0); /* something is left, far away */
	r->cfg.safety.decision_stretch_s = 0.0;
	r->cfg.safety.decision_max_age_s = 5.0;
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 1.0);
	return r;
}

static struct cairn_msg_decision go(struct rig *r, enum cairn_goal_kind kind, double x, double y)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = kind;
	d.x_m = x;
	d.y_m = y;
	return d;
}

static void drive_to(struct rig *r, double x, double y)
{
	struct cairn_msg_decision d = go(r, CAIRN_GOAL_KIND_COORDINATES, x, y);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 90.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
}

/* The rig's planner knows straight lines only. */
static void turn_round(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
	d.absolute = true;
	d.angle_deg = 180.0;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
}

START_TEST(retrace_goes_back_along_the_path_to_the_last_junction_and_start_to_where_it_began)
{
	struct rig *r = corridors();
	drive_to(r, 3.0, 0.0);
	drive_to(r, 7.5, 0.0); /* the dead end */
	turn_round(r);
	struct cairn_msg_decision d = go(r, CAIRN_GOAL_KIND_RETRACE, 0, 0);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert(r->out.nav_goal.active);
	ck_assert(rig_until_result(r, d.id, 120.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
	ck_assert_double_eq_tol(r->pose.x_m, 3.0, 0.8); /* where the side corridor meets, not at the start */
	d = go(r, CAIRN_GOAL_KIND_START, 0, 0);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 120.0));
	ck_assert_double_lt(hypot(r->pose.x_m, r->pose.y_m), 0.5);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(the_way_back_outlives_a_restart_of_the_sequencer)
{
	struct rig *r = corridors();
	drive_to(r, 3.0, 0.0);
	drive_to(r, 7.5, 0.0);
	turn_round(r);
	char file[CAIRN_MISSION_RECORD_BYTES];
	ck_assert_int_gt(cairn_mission_record_encode(cairn_sequencer_record(r->seq), file, sizeof(file)), 0);
	struct cairn_mission_record record;
	struct cairn_error err = {""};
	ck_assert_msg(
	    cairn_mission_record_decode(&record, file, sizeof(file), r->now_ns, &err), "%s", err.text);
	cairn_sequencer_destroy(&r->seq);
	r->seq = cairn_sequencer_new(&r->cfg, &record, r->now_ns);
	rig_run(r, 1.0);
	struct cairn_msg_decision d = go(r, CAIRN_GOAL_KIND_RETRACE, 0, 0);
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 120.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
	ck_assert_double_eq_tol(r->pose.x_m, 3.0, 0.8);
	rig_free(r);
}
END_TEST

static struct cairn_msg_decision along(struct rig *r, enum cairn_direction side, double distance_m)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_FOLLOW_WALL);
	d.direction = side;
	d.distance_m = distance_m;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 120.0));
	return d;
}

START_TEST(a_wall_is_followed_to_its_end_to_a_corner_or_as_far_as_asked)
{
	struct rig *r = corridors();
	along(r, CAIRN_DIRECTION_RIGHT, 1.0);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_eq_tol(r->last_result.distance_m, 1.0, 0.2);
	along(r, CAIRN_DIRECTION_LEFT, 8.0); /* to the side corridor */
	ck_assert_msg(strstr(r->last_result.reason, "opening") != NULL, "%s", r->last_result.reason);
	ck_assert_double_gt(r->pose.x_m, 1.5);
	ck_assert_double_lt(r->pose.x_m, 3.2);
	along(r, CAIRN_DIRECTION_RIGHT, 8.0); /* to the end of the corridor */
	ck_assert_msg(strstr(r->last_result.reason, "opening") != NULL, "%s", r->last_result.reason);
	ck_assert_double_gt(r->pose.x_m, 4.0);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
	r = rig_new(4); /* into a corner */
	rig_box(r, -1.0, -3.0, 3.0, 0.5);
	rig_frontier(r, 1, 30.0, 30.0, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	along(r, CAIRN_DIRECTION_LEFT, 8.0);
	ck_assert_msg(strstr(r->last_result.reason, "corner") != NULL, "%s", r->last_result.reason);
	ck_assert_double_gt(r->pose.x_m, 1.8);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
	r = rig_new(4); /* nothing near */
	rig_box(r, -6.0, -6.0, 6.0, 6.0);
	rig_frontier(r, 1, 30.0, 30.0, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 1.0);
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_FOLLOW_WALL);
	d.direction = CAIRN_DIRECTION_LEFT;
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "no wall within"));
	rig_free(r);
}
END_TEST

START_TEST(a_heading_is_turned_to_wherever_the_robot_faces)
{
	struct rig *r = rig_new(5);
	rig_box(r, -3.0, -3.0, 3.0, 3.0);
	rig_frontier(r, 1, 30.0, 30.0, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	static const double headings_deg[] = {90.0, 270.0, 45.0};
	for (size_t i = 0; i < sizeof(headings_deg) / sizeof(headings_deg[0]); i++) {
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
		d.absolute = true;
		d.angle_deg = headings_deg[i];
		rig_decide(r, &d);
		ck_assert(rig_until_result(r, d.id, 60.0));
		ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
		double off = cairn_wrap_rad(r->pose.yaw_rad + cairn_deg_to_rad(headings_deg[i]));
		ck_assert_double_lt(fabs(off), 0.2);
	}
	rig_free(r);
}
END_TEST

START_TEST(exploration_is_complete_when_nothing_is_left_and_else_it_is_told_what_is)
{
	struct rig *r = corridors();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	snprintf(d.reason, sizeof(d.reason), "exploration_complete");
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_msg(strstr(r->last_model_result.reason, "1 frontier is left, the next is 1") != NULL, "%s",
	    r->last_model_result.reason);
	d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	snprintf(d.reason, sizeof(d.reason), "goal_reached");
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 2.0));
	ck_assert_msg(
	    strstr(r->last_model_result.reason, "no goal") != NULL, "%s", r->last_model_result.reason);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	r->frontiers.items_count = 0;
	r->cfg.mission.settle_s = 1000.0; /* without its word the robot would wait for so long */
	rig_run(r, 1.0);
	d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	snprintf(d.reason, sizeof(d.reason), "exploration_complete");
	rig_decide(r, &d);
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 5.0) ||
		  r->out.mission.state == CAIRN_MISSION_STATE_RETURNING);
	ck_assert_str_eq(r->out.mission.reason, "explored");
	rig_free(r);
}
END_TEST

START_TEST(a_call_for_help_is_shown_and_waited_for_until_somebody_resumes)
{
	struct rig *r = corridors();
	r->cfg.mission.help_wait_s = 5.0;
	for (int answered = 0; answered < 2; answered++) {
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_REQUEST_HELP);
		snprintf(d.reason, sizeof(d.reason), "a door is shut");
		rig_decide(r, &d);
		rig_run(r, 2.0);
		ck_assert_str_eq(r->out.mission.help, "a door is shut");
		ck_assert(!r->out.mission.wants_decision);
		ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
		if (answered != 0)
			ck_assert(rig_command(r, "resume", 0, 0, 0).ok);
		ck_assert(rig_until_result(r, d.id, 6.0));
		ck_assert_int_eq(r->last_model_result.outcome,
		    answered != 0 ? CAIRN_OUTCOME_SUCCESS : CAIRN_OUTCOME_FAILED);
		rig_step(r);
		ck_assert_str_eq(r->out.mission.help, "");
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	}
	rig_free(r);
}
END_TEST

START_TEST(what_is_to_be_done_instead_is_done_when_no_path_is_found_or_the_place_is_gone)
{
	struct rig *r = corridors();
	drive_to(r, 3.0, 0.0);
	struct cairn_msg_decision d = go(r, CAIRN_GOAL_KIND_COORDINATES, 5.0, 0.0);
	d.has_fallback = true;
	d.fallback_tool = CAIRN_TOOL_MOVE_TOWARD;
	d.fallback_direction = CAIRN_DIRECTION_BACKWARD;
	d.fallback_duration_s = 2.0;
	r->planner = RIG_PLANNER_NO_PATH;
	uint64_t results = r->results, decisions = cairn_sequencer_record(r->seq)->decisions;
	double x_m = r->pose.x_m;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 20.0));
	ck_assert_uint_eq(r->results, results + 1); /* one decision, one result */
	ck_assert_uint_eq(cairn_sequencer_record(r->seq)->decisions, decisions + 1);
	ck_assert_int_eq(r->last_result.tool, CAIRN_TOOL_MOVE_TOWARD);
	ck_assert_msg(strstr(r->last_result.reason, "instead of") != NULL &&
			  strstr(r->last_result.reason, "no_path") != NULL,
	    "%s", r->last_result.reason);
	ck_assert_double_lt(r->pose.x_m, x_m - 0.05);
	r->planner = RIG_PLANNER_DRIVES;
	d = go(r, CAIRN_GOAL_KIND_FRONTIER, 0, 0);
	d.frontier_id = 99; /* gone */
	d.has_fallback = true;
	d.fallback_tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	d.fallback_goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.fallback_x_m = 5.5;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 120.0));
	ck_assert_msg(r->last_result.outcome == CAIRN_OUTCOME_SUCCESS, "%s", r->last_result.reason);
	ck_assert_double_lt(hypot(r->pose.x_m - 5.5, r->pose.y_m), 0.5);
	ck_assert_uint_eq(r->contacts, 0);
	/* Without one, or with one that is refused too, it fails as before. */
	d = go(r, CAIRN_GOAL_KIND_FRONTIER, 0, 0);
	d.frontier_id = 99;
	d.has_fallback = true;
	d.fallback_tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	d.fallback_goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.fallback_frontier_id = 98;
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "frontier 99"));
	rig_free(r);
}
END_TEST

START_TEST(exploring_without_a_target_goes_where_local_exploration_would)
{
	struct rig *r = corridors();
	rig_frontier(r, 7, 1.5, 0.0, 1.0);
	rig_run(r, 1.0);
	struct cairn_msg_decision d = go(r, CAIRN_GOAL_KIND_EXPLORE, 0, 0);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert(r->out.nav_goal.active);
	ck_assert_double_eq(r->out.nav_goal.x_m, 1.5);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer tools",
    retrace_goes_back_along_the_path_to_the_last_junction_and_start_to_where_it_began,
    the_way_back_outlives_a_restart_of_the_sequencer,
    a_wall_is_followed_to_its_end_to_a_corner_or_as_far_as_asked,
    a_heading_is_turned_to_wherever_the_robot_faces,
    exploration_is_complete_when_nothing_is_left_and_else_it_is_told_what_is,
    a_call_for_help_is_shown_and_waited_for_until_somebody_resumes,
    what_is_to_be_done_instead_is_done_when_no_path_is_found_or_the_place_is_gone,
    exploring_without_a_target_goes_where_local_exploration_would)
