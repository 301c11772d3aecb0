/* When a model is asked, and when a call is left out. */
#include "test/support/dialog_rig.h"

START_TEST(a_call_is_dropped_when_the_mission_changes)
{
	setup();
	poll_dialog();
	now_ns += 100 * MS;
	mission.state = CAIRN_MISSION_STATE_PAUSED;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_CANCEL);
	answer(200, REPLY(GO)); /* too late */
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(how_long_an_answer_is_awaited_is_told_while_it_is)
{
	struct cairn_msg_vlm_stats stats;
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	now_ns += 7200 * MS;
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert(stats.in_flight);
	ck_assert_double_eq_tol(stats.waiting_s, 7.2, 1e-9);
	answer(200, REPLY(GO)); /* after another 0.4 s */
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert(!stats.in_flight && stats.waiting_s == 0.0);
	ck_assert_double_eq_tol(stats.latency_mean_s, 7.6, 1e-9);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(nothing_is_asked_without_wish_mission_snapshot_or_budget)
{
	setup();
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	say_mission(true);
	now_ns += 2500 * MS; /* the mission message is too old: 2 s */
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 3 * CAIRN_NS_PER_S; /* the snapshot is too old */
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	snapshot(true, CAIRN_TRIGGER_TIMER);
	cairn_dialog_budget(dialog)->cfg.limit_usd_per_session = 0.0;
	cairn_dialog_budget(dialog)->spent.session_usd = 0.1;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	ck_assert_ptr_nonnull(strstr(last_error(), "limit_usd_per_session"));
	cairn_dialog_destroy(&dialog);
}
END_TEST

/* The robot drives on after the snapshot of an event that was not asked about. */
START_TEST(a_wish_is_asked_about_with_a_snapshot_of_its_own)
{
	setup();
	say_mission(false);
	ck_assert(snapshot(false, CAIRN_TRIGGER_DOORWAY));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 600 * MS;
	say_mission(true);
	frontiers();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	ck_assert_str_eq(cairn_dialog_note(dialog, now_ns), "waiting for a snapshot");
	now_ns += 100 * MS;
	ck_assert(snapshot(false, CAIRN_TRIGGER_TIMER));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(frontiers_from_before_the_result_are_waited_out_but_not_for_long)
{
	setup();
	now_ns += 100 * MS;
	struct cairn_msg_result r = {
	    .decision_id = 1, .outcome = CAIRN_OUTCOME_SUCCESS, .source = CAIRN_SOURCE_LOCAL};
	cairn_dialog_result(dialog, &r, now_ns);
	snapshot(true, CAIRN_TRIGGER_RESULT);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 699 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 1 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "F3 ")); /* older than the result, but not stale */
	cairn_dialog_destroy(&dialog);
}
END_TEST

/* One decision is made and ended, and the robot has not moved; a new one is wanted from now on. */
static void decide_and_end(enum cairn_tool tool, enum cairn_outcome outcome)
{
	setup();
	similarity = 0.97;
	nearest_m = 2.5;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	say_mission(false);
	now_ns += 2000 * MS;
	struct cairn_msg_result r = {
	    .decision_id = decision.id, .source = CAIRN_SOURCE_MODEL, .tool = tool, .outcome = outcome};
	cairn_dialog_result(dialog, &r, now_ns);
	frontiers();
	say_mission(true);
}

static enum cairn_dialog_act look_again(enum cairn_trigger trigger, int64_t after_ms)
{
	now_ns += after_ms * MS;
	say_mission(true);
	frontiers();
	snapshot(false, trigger);
	return poll_dialog();
}

START_TEST(a_call_is_left_out_while_nothing_changes_until_the_base_timer)
{
	struct cairn_msg_vlm_stats stats;
	decide_and_end(CAIRN_TOOL_STOP_ROBOT, CAIRN_OUTCOME_SUCCESS);
	for (int i = 0; i < 9; i++) /* 4.5 s */
		ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_NOTHING);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.skips, 1); /* one call, put off */
	ck_assert_uint_eq(stats.calls, 1);
	ck_assert_str_eq(cairn_dialog_note(dialog, now_ns), "nothing has changed since the last decision");
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_SEND);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.skips, 1);
	ck_assert_uint_eq(stats.images_left_out, 1);
	ck_assert_uint_eq(stats.triggers_count, CAIRN_TRIGGER_COUNT);
	ck_assert_uint_eq(stats.triggers[CAIRN_TRIGGER_TIMER], 1);
	ck_assert_uint_eq(stats.triggers[CAIRN_TRIGGER_RESULT], 1);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_trigger_a_new_view_or_something_near_ends_the_leaving_out)
{
	for (int i = 0; i < 3; i++) {
		decide_and_end(CAIRN_TOOL_STOP_ROBOT, CAIRN_OUTCOME_SUCCESS);
		ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_NOTHING);
		similarity = i == 0 ? 0.5 : similarity;
		nearest_m = i == 1 ? 1.9 : nearest_m;
		ck_assert_int_eq(
		    look_again(i == 2 ? CAIRN_TRIGGER_DOORWAY : CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_SEND);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

START_TEST(after_trouble_a_bad_answer_or_a_long_way_no_call_is_left_out)
{
	decide_and_end(CAIRN_TOOL_STOP_ROBOT, CAIRN_OUTCOME_REFUSED);
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);

	decide_and_end(CAIRN_TOOL_STOP_ROBOT, CAIRN_OUTCOME_SUCCESS);
	say_mission(false);
	now_ns += 8100 * MS; /* the decision is more than ten seconds old */
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 0), CAIRN_DIALOG_SEND);
	answer(200, "{}"); /* of no use: a stop, and asked again at once */
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_STOP_ROBOT);
	say_mission(false);
	struct cairn_msg_result stood = {.decision_id = decision.id,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_STOP_ROBOT,
	    .outcome = CAIRN_OUTCOME_SUCCESS};
	cairn_dialog_result(dialog, &stood, now_ns);
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 1100), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_result_is_a_reason_even_if_the_snapshot_does_not_know_it_yet)
{
	struct cairn_msg_vlm_stats stats;
	decide_and_end(CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_OUTCOME_SUCCESS);
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 500), CAIRN_DIALOG_SEND);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.skips, 0);
	ck_assert_uint_eq(stats.triggers[CAIRN_TRIGGER_GOAL], 1);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_wish_that_is_heard_before_its_result_waits_a_little_for_it)
{
	for (int late_ms = 20; late_ms <= 220; late_ms += 200) {
		setup();
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		answer(200, REPLY(GO));
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		say_mission(false);
		now_ns += 3000 * MS;
		ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 0), CAIRN_DIALOG_NOTHING);
		now_ns += late_ms * MS;
		if (late_ms < 200) {
			struct cairn_msg_result r = {.decision_id = decision.id,
			    .source = CAIRN_SOURCE_MODEL,
			    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
			    .outcome = CAIRN_OUTCOME_FAILED};
			ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
			cairn_dialog_result(dialog, &r, now_ns);
		}
		ck_assert_int_eq(look_again(CAIRN_TRIGGER_TIMER, 0), CAIRN_DIALOG_SEND);
		ck_assert_int_eq(strstr(body, "LAST ACTIONS\\nnone yet") == NULL, late_ms < 200);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

START_TEST(while_the_last_decision_is_driven_the_next_one_waits_for_no_result)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	mission.decision_id = decision.id;
	say_mission(false);
	now_ns += 3000 * MS;
	ck_assert_int_eq(look_again(CAIRN_TRIGGER_RESULT, 0), CAIRN_DIALOG_SEND); /* asked ahead of its end */
	uint64_t first = decision.id;
	struct cairn_msg_result r = {.decision_id = first,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .outcome = CAIRN_OUTCOME_PARTIAL,
	    .distance_m = 2.0};
	now_ns += 300 * MS;
	mission.decision_id = 0;
	cairn_dialog_result(dialog, &r, now_ns); /* it ends before the answer is there */
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING); /* the answer under way is awaited */
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_gt(decision.id, first);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(equal_decisions_that_move_nothing_are_ended_by_a_rule_without_a_call)
{
	setup();
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		answer(200, REPLY(GO));
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		drive_result(0.0);
		again();
	}
	int calls = 0;
	for (int i = 0; i < 15; i++) { /* 16.5 of the 20 s */
		calls += poll_dialog() == CAIRN_DIALOG_SEND;
		again();
	}
	ck_assert_int_eq(calls, 0);
	ck_assert_ptr_nonnull(strstr(last_error(), "3 equal decisions moved nothing"));
	ck_assert_ptr_nonnull(strstr(cairn_dialog_note(dialog, now_ns), "local exploration"));
	for (int i = 0; i < 5; i++)
		again();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "your last 3 decisions were the same (navigate_to_goal F3)"));
	/* The same once more: at once again without a call. */
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	drive_result(0.0);
	again();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.loops_broken, 2);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(equal_decisions_that_get_somewhere_are_no_loop)
{
	setup();
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		answer(200, REPLY(GO));
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		drive_result(i % 2 == 0 ? 0.4 : 0.0);
		again();
	}
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(no_call_is_made_in_any_state_that_wants_no_decision)
{
	static const enum cairn_mission_state states[] = {CAIRN_MISSION_STATE_IDLE, CAIRN_MISSION_STATE_GOTO,
	    CAIRN_MISSION_STATE_RETURNING, CAIRN_MISSION_STATE_PAUSED, CAIRN_MISSION_STATE_FINISHED};
	for (size_t s = 0; s < sizeof(states) / sizeof(states[0]); s++) {
		setup();
		mission.state = states[s];
		int calls = 0;
		for (int i = 0; i < 200; i++) {
			now_ns += 300 * MS;
			say_mission(false);
			frontiers();
			snapshot(true, CAIRN_TRIGGER_DOORWAY); /* however interesting */
			calls += poll_dialog() == CAIRN_DIALOG_SEND;
		}
		ck_assert_int_eq(calls, 0);
		ck_assert_uint_eq(cairn_dialog_budget(dialog)->ledger.calls, 0);
		mission.state = CAIRN_MISSION_STATE_EXPLORING; /* and it would have asked */
		say_mission(true);
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

CAIRN_TEST_MAIN("vlm_dialog_when", a_wish_is_asked_about_with_a_snapshot_of_its_own,
    a_call_is_dropped_when_the_mission_changes, how_long_an_answer_is_awaited_is_told_while_it_is,
    nothing_is_asked_without_wish_mission_snapshot_or_budget,
    frontiers_from_before_the_result_are_waited_out_but_not_for_long,
    a_call_is_left_out_while_nothing_changes_until_the_base_timer,
    a_trigger_a_new_view_or_something_near_ends_the_leaving_out,
    after_trouble_a_bad_answer_or_a_long_way_no_call_is_left_out,
    a_result_is_a_reason_even_if_the_snapshot_does_not_know_it_yet,
    a_wish_that_is_heard_before_its_result_waits_a_little_for_it,
    while_the_last_decision_is_driven_the_next_one_waits_for_no_result,
    equal_decisions_that_move_nothing_are_ended_by_a_rule_without_a_call,
    equal_decisions_that_get_somewhere_are_no_loop, no_call_is_made_in_any_state_that_wants_no_decision)
