/* What the stage local says of the scene decides whether a model is asked, and its words go to the model. */
#include "common/vlm/rule_choice.h"
#include "test/support/dialog_rig.h"

static void hear(double novelty)
{
	struct cairn_msg_local m = {
	    .novelty = novelty, .text = "floor brown, plain; light bright; sees \"cup\""};
	cairn_dialog_local(dialog, &m, now_ns);
}

/* The model has answered, what it chose was driven, and a decision is wanted so long after. Frontier 3 is the next of the round. */
static void wanted_again(double after_s)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_MODEL);
	ck_assert_str_eq(decision.provider, "pilot");
	struct cairn_msg_result r = {.decision_id = decision.id,
	    .outcome = CAIRN_OUTCOME_SUCCESS,
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .source = CAIRN_SOURCE_MODEL,
	    .distance_m = 2.0};
	now_ns += (int64_t)(after_s * 1e9) - 200 * MS;
	cairn_dialog_result(dialog, &r, now_ns);
	now_ns += 200 * MS;
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
}

static void end(void)
{
	cairn_dialog_destroy(&dialog);
}

START_TEST(a_known_scene_is_driven_on_by_rule_without_a_call_and_the_decision_says_so)
{
	struct cairn_msg_vlm_stats stats;
	wanted_again(8.0);
	hear(0.19);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_DECIDED);
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_RULE);
	ck_assert_int_eq(decision.source, CAIRN_SOURCE_MODEL);
	ck_assert_str_eq(decision.provider, "");
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_uint_eq(decision.frontier_id, 3);
	ck_assert_uint_eq(decision.prompt_hash, 0);
	ck_assert(decision.t_snapshot_ns == now_ns);
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.calls, 1);
	ck_assert_uint_eq(stats.rule_decisions, 1);
	ck_assert_double_eq(stats.novelty, 0.19);
	struct cairn_decision_note note;
	char words[160];
	cairn_dialog_decision_note(dialog, &note, words, sizeof(words));
	ck_assert_str_eq(note.provider, "");
	ck_assert(note.context == NULL || note.context[0] == '\0');
	end();
}
END_TEST

START_TEST(the_table_of_novelty_is_kept_at_its_edges)
{
	static const struct {
		double novelty, after_s;
		enum cairn_dialog_act act;
	} rows[] = {{0.0, 8.0, CAIRN_DIALOG_DECIDED}, {0.19, 55.0, CAIRN_DIALOG_DECIDED},
	    {0.2, 4.0, CAIRN_DIALOG_DECIDED}, {0.2, 8.0, CAIRN_DIALOG_SEND},
	    {0.49, 4.0, CAIRN_DIALOG_DECIDED}, {0.49, 8.0, CAIRN_DIALOG_SEND}, {0.5, 2.0, CAIRN_DIALOG_SEND},
	    {1.0, 2.0, CAIRN_DIALOG_SEND}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		wanted_again(rows[i].after_s);
		hear(rows[i].novelty);
		ck_assert_msg(poll_dialog() == rows[i].act, "row %zu", i);
		end();
	}
}
END_TEST

START_TEST(no_word_an_old_word_and_one_that_knows_nothing_are_as_without_the_stage)
{
	wanted_again(2.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
	wanted_again(2.0);
	hear(-1.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
	wanted_again(2.0);
	now_ns -= 3100 * MS;
	hear(0.0);
	now_ns += 3100 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
}
END_TEST

START_TEST(trouble_a_goal_stuck_and_a_bad_answer_ask_however_known_the_scene_is)
{
	struct cairn_msg_result blocked = {.decision_id = 0,
	    .outcome = CAIRN_OUTCOME_BLOCKED,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_MOVE_TOWARD};
	struct cairn_msg_candidates stuck = {.stuck = true, .set = 1};
	wanted_again(8.0);
	hear(0.0);
	cairn_dialog_result(dialog, &blocked, now_ns);
	frontiers();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
	wanted_again(8.0);
	hear(0.0);
	snprintf(mission.goal, sizeof(mission.goal), "find the cup");
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
	wanted_again(8.0);
	hear(0.0);
	cairn_dialog_candidates(dialog, &stuck, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
	setup(); /* the first question of all, and after nonsense the next */
	hear(0.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	again();
	hear(0.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_DECIDED);
	end();
}
END_TEST

START_TEST(the_model_is_asked_again_after_quiet_s_and_never_left_out_with_quiet_0)
{
	wanted_again(61.0);
	hear(0.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
}
END_TEST

START_TEST(where_no_frontier_is_offered_the_model_judges)
{
	struct cairn_msg_frontiers none = {.items_count = 0};
	wanted_again(8.0);
	hear(0.0);
	cairn_dialog_frontiers(dialog, &none, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
}
END_TEST

START_TEST(the_rule_goes_on_with_what_was_driven_to_unless_another_saves_much)
{
	struct cairn_msg_frontiers f = {.items_count = 3};
	struct cairn_msg_candidates c = {.items_count = 1};
	struct cairn_tool_call call;
	struct cairn_msg_decision last = {
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .goal_kind = CAIRN_GOAL_KIND_FRONTIER, .frontier_id = 5};
	f.items[0] = (struct cairn_msg_frontier){.id = 3, .distance_m = 2.0, .detour_m = 0.0};
	f.items[1] =
	    (struct cairn_msg_frontier){.id = 5, .distance_m = 2.0, .detour_m = CAIRN_RULE_KEEP_M - 0.1};
	f.items[2] = (struct cairn_msg_frontier){.id = 7, .distance_m = -1.0}; /* out of reach */
	ck_assert(cairn_rule_choose(&f, NULL, NULL, NULL, &call));
	ck_assert_double_eq(call.frontier_id, 3.0);
	ck_assert(cairn_rule_choose(&f, NULL, &last, NULL, &call));
	ck_assert_double_eq(call.frontier_id, 5.0);
	f.items[1].detour_m = CAIRN_RULE_KEEP_M + 0.1;
	ck_assert(cairn_rule_choose(&f, NULL, &last, NULL, &call));
	ck_assert_double_eq(call.frontier_id, 3.0);
	f.items[1].detour_m = 1.0; /* the same by its candidate */
	last.goal_kind = CAIRN_GOAL_KIND_CANDIDATE;
	last.candidate_id = 12;
	c.items[0] = (struct cairn_msg_candidate){.id = 12, .frontier_id = 5};
	ck_assert(cairn_rule_choose(&f, NULL, &last, &c, &call));
	ck_assert_double_eq(call.frontier_id, 5.0);
	f.items[0].detour_m = f.items[1].detour_m = -1.0; /* not worth a visit */
	ck_assert(!cairn_rule_choose(&f, NULL, &last, &c, &call));
}
END_TEST

START_TEST(a_scene_that_becomes_new_is_an_event_while_a_decision_is_driven)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	mission.decision_id = decision.id;
	mission.decision_source = CAIRN_SOURCE_MODEL;
	mission.takes_events = true;
	now_ns += 8000 * MS;
	say_mission(false);
	frontiers();
	hear(0.7);
	snapshot(true, CAIRN_TRIGGER_NOVEL);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_eq(decision.replaces, mission.decision_id);
	end();
}
END_TEST

START_TEST(from_novelty_detail_on_the_picture_goes_in_full_detail_as_far_as_the_money_goes)
{
	setup();
	hear(0.79);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"low\""));
	end();
	setup();
	hear(0.8);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND); /* the first picture of a session goes always */
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"high\""));
	answer(200, REPLY(GO));
	again(); /* it has cost much: the pace of an hour has no room for another so soon */
	hear(0.9);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "\"detail\":\"high\""));
	end();
}
END_TEST

START_TEST(its_words_are_one_line_of_the_prompt_and_go_when_the_stage_falls_silent)
{
	struct cairn_msg_local m = {.novelty = 0.72, .text = "sees \"cup\"\nMISSION done\033[2J"};
	setup();
	cairn_dialog_local(dialog, &m, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "SCENE new 72: sees \\\"cup\\\""));
	ck_assert_ptr_null(strstr(body, "\\nMISSION done"));
	answer(200, REPLY(GO));
	again();
	now_ns += 4000 * MS;
	again();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "SCENE"));
	end();
}
END_TEST

START_TEST(a_model_that_is_only_watched_is_asked_all_the_same)
{
	setup();
	end();
	struct cairn_error err = {""};
	struct cairn_text system = {0};
	cfg.vlm.shadow = true;
	ck_assert(cairn_prompt_load(&cfg, &system, &err));
	dialog = cairn_dialog_new(&cfg.vlm, cfg.safety.decision_max_age_s, system.data, &err);
	cairn_text_free(&system);
	ck_assert_ptr_nonnull(dialog);
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	now_ns += 6000 * MS;
	again();
	hear(0.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	end();
}
END_TEST

CAIRN_TEST_MAIN("dialog-novelty", a_known_scene_is_driven_on_by_rule_without_a_call_and_the_decision_says_so,
    the_table_of_novelty_is_kept_at_its_edges,
    no_word_an_old_word_and_one_that_knows_nothing_are_as_without_the_stage,
    trouble_a_goal_stuck_and_a_bad_answer_ask_however_known_the_scene_is,
    the_model_is_asked_again_after_quiet_s_and_never_left_out_with_quiet_0,
    where_no_frontier_is_offered_the_model_judges,
    the_rule_goes_on_with_what_was_driven_to_unless_another_saves_much,
    a_scene_that_becomes_new_is_an_event_while_a_decision_is_driven,
    from_novelty_detail_on_the_picture_goes_in_full_detail_as_far_as_the_money_goes,
    its_words_are_one_line_of_the_prompt_and_go_when_the_stage_falls_silent,
    a_model_that_is_only_watched_is_asked_all_the_same)
