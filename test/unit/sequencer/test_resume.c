/* A sequencer that was killed, and started again with what it had saved. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

/* The process is killed and started again with what it had saved. */
static void reborn(struct rig *r)
{
	static unsigned char file[CAIRN_MISSION_RECORD_BYTES];
	struct cairn_mission_record *record = malloc(sizeof(*record));
	struct cairn_error err = {""};
	cairn_mission_record_encode(cairn_sequencer_record(r->seq), file, sizeof(file));
	cairn_sequencer_destroy(&r->seq);
	r->out = (struct cairn_sequencer_output){0};
	ck_assert_msg(
	    cairn_mission_record_decode(record, file, sizeof(file), r->now_ns, &err), "%s", err.text);
	r->seq = cairn_sequencer_new(&r->cfg, record, r->now_ns);
	free(record);
}

START_TEST(a_killed_sequencer_goes_on_and_reports_what_it_dropped)
{
	struct rig *r = rig_exploring();
	r->planner = RIG_PLANNER_NO_PATH;
	for (int i = 0; i < 2; i++) {
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.frontier_id = 1;
		rig_decide(r, &d);
		rig_until_result(r, d.id, 5.0);
	}
	uint64_t id = rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 5.0);
	rig_run(r, 1.0);
	uint64_t goal = r->out.nav_goal.id;
	double first = r->out.mission.first_decision_s, elapsed = r->out.mission.elapsed_s;
	reborn(r);
	rig_run(r, 0.2);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert(!r->out.mission.wants_decision); /* not before the dropped one has its result */
	ck_assert(rig_until_result(r, id, 0.7));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_str_eq(r->last_result.asked, "move_toward forward slow 5 s");
	rig_run(r, 0.1);
	ck_assert(r->out.mission.wants_decision);
	ck_assert_uint_eq(r->out.mission.given_up_count, 1);
	ck_assert_uint_eq(r->out.mission.decisions, 3);
	ck_assert_double_eq(r->out.mission.first_decision_s, first);
	ck_assert_double_eq_tol(r->out.mission.elapsed_s, elapsed + 0.4, 0.2);
	/* an id from before is still known */
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
	d.id = id;
	rig_decide(r, &d);
	ck_assert_uint_eq(cairn_sequencer_duplicates(r->seq), 1);
	r->planner = RIG_PLANNER_DRIVES;
	d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.frontier_id = 2;
	rig_decide(r, &d);
	ck_assert(rig_until_result(r, d.id, 60.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_uint_gt(r->out.nav_goal.id, goal);
	ck_assert_uint_eq(r->result_errors, 0);
	rig_free(r);
}
END_TEST

/* On its way to (2.5, 1.0), killed after two seconds. Its decision. */
static uint64_t killed_on_the_way(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 2.5;
	d.y_m = 1.0;
	rig_decide(r, &d);
	rig_run(r, 2.0);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_double_gt(r->path_m, 0.2);
	reborn(r);
	return d.id;
}

START_TEST(a_killed_sequencer_goes_on_with_a_way_once_nothing_holds_the_robot)
{
	struct rig *r = rig_exploring();
	uint32_t decisions = (uint32_t)r->out.mission.decisions;
	r->cfg.safety.decision_stretch_s = 0.0; /* the time it was dead counts */
	uint64_t id = killed_on_the_way(r), goal = r->out.nav_goal.id;
	r->motor_state = CAIRN_MOTOR_STATE_REARMING;
	for (int i = 0; i < 20 * 3; i++) {
		rig_step(r);
		ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
		ck_assert(!r->out.nav_goal.active && !r->out.mission.wants_decision);
	}
	r->motor_state = CAIRN_MOTOR_STATE_IDLE;
	rig_run(r, 0.2);
	ck_assert_uint_eq(r->out.mission.decision_id, id);
	ck_assert(r->out.nav_goal.active && r->out.nav_goal.id != goal);
	ck_assert_double_eq(r->out.nav_goal.x_m, 2.5);
	ck_assert(rig_until_result(r, id, 30.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(r->last_result.executed, "restarted on the way"));
	ck_assert_double_le(hypot(r->pose.x_m - 2.5, r->pose.y_m - 1.0), 0.4);
	ck_assert_double_gt(r->last_result.duration_s, 5.0); /* the first two seconds count */
	ck_assert_uint_eq(r->out.mission.decisions, decisions + 1);
	ck_assert_uint_eq(r->result_errors, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_way_whose_corridor_was_not_compared_yet_dies_with_the_scans_that_it_rests_on)
{
	for (int compared = 0; compared < 2; compared++) {
		struct rig *r = rig_exploring();
		rig_run(r, 1.0);
		struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
		d.x_m = 2.5;
		d.y_m = 1.0;
		d.snapshot_x_m -= 1.2; /* farther off than a way may be that leans on nothing */
		r->tells_no_path = compared == 0;
		rig_decide(r, &d);
		rig_run(r, 0.5);
		ck_assert_uint_eq(r->out.mission.decision_id, d.id);
		ck_assert(cairn_sequencer_record(r->seq)->open.way == (compared == 1));
		r->tells_no_path = false;
		reborn(r);
		ck_assert(rig_until_result(r, d.id, 30.0));
		ck_assert_int_eq(
		    r->last_result.outcome, compared == 1 ? CAIRN_OUTCOME_SUCCESS : CAIRN_OUTCOME_FAILED);
		ck_assert(compared == 1 || r->path_m < 0.05);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_way_that_killed_the_sequencer_twice_is_not_tried_again)
{
	struct rig *r = rig_exploring();
	uint64_t id = killed_on_the_way(r);
	bool tried = false;
	for (int i = 0; i < 20 && !tried; i++) {
		bool saved = cairn_sequencer_record(r->seq)->open.again;
		rig_step(r);
		tried = r->out.nav_goal.active;
		ck_assert(!tried || saved); /* before it can die of it */
	}
	ck_assert(tried);
	reborn(r);
	ck_assert(rig_until_result(r, id, 0.5));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_FAILED);
	rig_run(r, 0.1);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}
END_TEST

START_TEST(a_way_is_not_gone_on_with_when_nobody_wants_it_any_more)
{
	for (int i = 0; i < 5; i++) {
		struct rig *r = rig_exploring();
		uint64_t id = killed_on_the_way(r);
		struct cairn_msg_decision d;
		switch (i) {
		case 0: /* an operator was faster */
			ck_assert(rig_command(r, "pause", 0, 0, 0).ok);
			break;
		case 1:
			r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
			break;
		case 2: /* as long as a way that is driven would have waited */
			r->scan_off = true;
			rig_run(r, 7.9);
			ck_assert_uint_eq(r->seen[id], 0);
			break;
		case 3: /* the stage was held failed for a while */
			r->now_ns += 200 * CAIRN_NS_PER_S;
			reborn(r);
			break;
		default: /* the model has another idea */
			d = rig_decision(r, CAIRN_TOOL_STOP_ROBOT);
			rig_decide(r, &d);
			break;
		}
		ck_assert_msg(r->seen[id] == 1 || rig_until_result(r, id, 0.5), "case %d", i);
		ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_FAILED);
		ck_assert(!r->out.nav_goal.active);
		rig_free(r);
	}
}
END_TEST

START_TEST(a_reborn_sequencer_knows_a_frontier_that_has_another_number_now)
{
	struct rig *r = rig_exploring();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = 1;
	rig_decide(r, &d);
	rig_run(r, 1.0);
	reborn(r);
	r->frontiers.items[0].id = 41; /* the mapper died as well */
	ck_assert(rig_until_result(r, d.id, 30.0));
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_le(hypot(r->pose.x_m - 0.5, r->pose.y_m - 1.8), 0.4);
	rig_free(r);
}
END_TEST

START_TEST(a_killed_sequencer_still_finds_home)
{
	struct rig *r = rig_exploring();
	rig_command(r, "goto", 1.0, -0.8, 0);
	rig_run(r, 15.0);
	rig_command(r, "home", 0, 0, 0);
	for (int i = 0; i < 5; i++) {
		rig_run(r, 0.7);
		reborn(r);
	}
	ck_assert(rig_until(r, CAIRN_MISSION_STATE_FINISHED, 60.0));
	ck_assert_str_eq(r->out.mission.reason, "home");
	rig_run(r, 1.0);
	reborn(r); /* and stays there */
	rig_run(r, 10.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_again", a_killed_sequencer_goes_on_and_reports_what_it_dropped,
    a_killed_sequencer_goes_on_with_a_way_once_nothing_holds_the_robot,
    a_way_that_killed_the_sequencer_twice_is_not_tried_again,
    a_way_is_not_gone_on_with_when_nobody_wants_it_any_more,
    a_way_whose_corridor_was_not_compared_yet_dies_with_the_scans_that_it_rests_on,
    a_reborn_sequencer_knows_a_frontier_that_has_another_number_now, a_killed_sequencer_still_finds_home)
