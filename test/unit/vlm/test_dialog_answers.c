/* What becomes of answers: bad ones, JSON ones, none at all, and those of a shadow. */
#include "test/support/dialog_rig.h"

START_TEST(the_first_bad_answer_stops_and_a_streak_falls_silent)
{
	setup();
	poll_dialog();
	answer(200, REPLY(CALL("x", "fly_to", "{}")));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_STOP_ROBOT);
	ck_assert_str_eq(decision.reason, "unknown tool 'fly_to'");
	for (int i = 0; i < 3; i++) {
		now_ns += 1100 * MS;
		say_mission(true);
		frontiers();
		snapshot(true, CAIRN_TRIGGER_TIMER);
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		ck_assert_ptr_nonnull(strstr(body, "YOUR LAST ANSWER WAS REFUSED: unknown tool 'fly_to'"));
		answer(200, REPLY(CALL("x", "fly_to", "{}")));
		ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	}
	now_ns += 600 * MS;
	say_mission(true);
	frontiers();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(failed_calls_are_retried_after_half_a_second_with_the_same_snapshot)
{
	setup();
	poll_dialog();
	answer(0, "");
	ck_assert_str_eq(last_error(), "no route");
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 499 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 1 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(500, "<html>oops</html>");
	ck_assert_str_eq(last_error(), "HTTP 500");
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(rate_limits_are_obeyed_and_a_refused_key_is_final)
{
	struct cairn_lineup lineup = {.count = 1};
	cairn_profile_defaults(&lineup.rows[0]);
	snprintf(lineup.rows[0].api_key_env, sizeof(lineup.rows[0].api_key_env), "OPENAI_API_KEY");
	setup();
	ck_assert(cairn_dialog_use(dialog, &lineup, NULL));
	poll_dialog();
	struct cairn_dialog_outcome o = {.status = 429, .body = "{}", .body_bytes = 2, .retry_after_s = 1.5};
	cairn_dialog_ended(dialog, now_ns, &o);
	now_ns += 1400 * MS;
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 100 * MS;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(401, "{\"error\":{\"message\":\"Incorrect API key provided: "
		    "sk-12\",\"type\":\"x\",\"param\":null,\"code\":\"invalid_api_key\"}}");
	ck_assert_ptr_nonnull(strstr(last_error(), "OPENAI_API_KEY"));
	ck_assert_ptr_null(strstr(last_error(), "sk-12")); /* services quote parts of the key */
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_int_eq(stats.net_tier, CAIRN_NET_TIER_OFFLINE); /* nobody is asked any more */
	now_ns += 60 * CAIRN_NS_PER_S;
	say_mission(true);
	snapshot(true, CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_whole_conversation_with_the_pilot_with_all_faults_stays_sane)
{
	setup();
	struct cairn_pilot_api api;
	struct cairn_pilot_answer out = {0};
	struct cairn_error err = {""};
	cfg.pilot.fault_share = 0.5;
	ck_assert(cairn_pilot_api_init(&api, &cfg.pilot, &err));
	int decisions = 0, stops = 0, wait = 0;
	uint64_t last = 0;
	for (int i = 0; i < 600; i++) {
		now_ns += 1100 * MS;
		say_mission(true);
		frontiers();
		snapshot(i % 2 != 0, CAIRN_TRIGGER_TIMER);
		while (poll_dialog() == CAIRN_DIALOG_SEND) {
			cairn_pilot_api_answer(
			    &api, "POST", "/v1/chat/completions", body, body_bytes, 0, &out);
			ck_assert_msg(out.status != 400, "%s", out.body.data);
			struct cairn_dialog_outcome o = {.status = out.drop ? 0 : out.status,
			    .body = out.body.data,
			    .body_bytes = out.body.len,
			    .retry_after_s = out.retry_after_s,
			    .error = "dropped"};
			cairn_dialog_ended(dialog, now_ns, &o);
		}
		if (!cairn_dialog_take_decision(dialog, &decision)) {
			wait++;
			continue;
		}
		ck_assert_uint_gt(decision.id, last);
		last = decision.id;
		decisions++;
		stops += decision.tool == CAIRN_TOOL_STOP_ROBOT;
		struct cairn_msg_result r = {.decision_id = last,
		    .outcome = CAIRN_OUTCOME_SUCCESS,
		    .source = CAIRN_SOURCE_MODEL,
		    .distance_m = 1.0};
		cairn_dialog_result(dialog, &r, now_ns);
	}
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_int_gt(decisions, 300);
	ck_assert_int_gt(stops, 20);
	ck_assert_int_gt(wait, 20);
	ck_assert_uint_eq(stats.decisions, (uint64_t)decisions);
	ck_assert_uint_gt(stats.tokens_cached, 0);
	ck_assert_double_gt(stats.cost_usd, 0.0);
	cairn_text_free(&out.body);
	cairn_dialog_destroy(&dialog);
}
END_TEST

static void setup_json(void)
{
	mode = CAIRN_CHOICE_VLM_MODE_JSON;
	setup();
	mode = CAIRN_CHOICE_VLM_MODE_TOOLS;
}

#define SAYS(text) "{\"choices\":[{\"message\":{\"content\":\"" text "\"}}]}"

START_TEST(a_model_that_answers_in_json_gets_no_tools_and_makes_the_same_decision)
{
	setup_json();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "\"tools\""));
	ck_assert_ptr_null(strstr(body, "tool_choice"));
	ck_assert_ptr_nonnull(strstr(body, "world_model_update"));
	ck_assert_ptr_nonnull(strstr(body, "- \\\"angle_deg\\\": -180 | -135"));
	answer(200,
	    SAYS(
		"```json\\n{'action': 'go', 'target': 'F3', 'map_update': [{'x': 1, 'y': 2, 'state': 'wall', "
		"'confidence': 0.7}]}\\n```"));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_uint_eq(decision.frontier_id, 3);
	struct cairn_msg_world_update update;
	ck_assert(cairn_dialog_take_update(dialog, &update));
	ck_assert(!cairn_dialog_take_update(dialog, &update));
	ck_assert_uint_eq(update.items_count, 1);
	ck_assert_uint_eq(update.id, decision.id);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(in_json_the_sensors_answer_in_the_text_and_a_fallback_stands_in_for_a_place_that_is_gone)
{
	setup_json();
	poll_dialog();
	answer(200, SAYS("{'action': 'check_path', 'direction': 'ahead', 'distance': 1.5}"));
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(
	    strstr(body, "YOU ASKED check_path_clear: forward, by the snapshot: clear for 1.5 m"));
	answer(200, SAYS("{'action': 'go', 'target': 'F99', 'fallback': {'action': 'go', 'target': 'F5'}}"));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_eq(decision.frontier_id, 5);
	ck_assert_ptr_nonnull(strstr(decision.reasoning, "there is no F99"));
	again();
	drive_result(1.0);
	again();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, SAYS("I think so."));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_STOP_ROBOT);
	ck_assert_str_eq(decision.reason, "no JSON object in the answer");
	cairn_dialog_destroy(&dialog);
}
END_TEST

static void candidate(uint32_t id, uint64_t set)
{
	struct cairn_msg_candidates c = {.items_count = 1, .set = set, .first_set = 1};
	c.items[0] = (struct cairn_msg_candidate){.id = id,
	    .kind = CAIRN_CANDIDATE_KIND_FRONTIER,
	    .frontier_id = 3,
	    .x_m = 2.0,
	    .y_m = 3.0,
	    .path_m = 1.6,
	    .score = 0.5,
	    .since = set};
	cairn_dialog_candidates(dialog, &c, now_ns);
}

START_TEST(only_a_place_that_was_never_offered_is_replaced_here_the_sequencer_knows_what_became_of_the_others)
{
	static const struct {
		const char *to;
		enum cairn_goal_kind kind;
		uint32_t id;
	} rows[] = {{"C7", CAIRN_GOAL_KIND_CANDIDATE, 7}, {"C9", CAIRN_GOAL_KIND_CANDIDATE, 9},
	    {"F3", CAIRN_GOAL_KIND_FRONTIER, 3}, {"C42", CAIRN_GOAL_KIND_FRONTIER, 5},
	    {"F42", CAIRN_GOAL_KIND_FRONTIER, 5}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[400];
		setup();
		candidate(7, 1);
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		candidate(9, 2); /* the same place by another id, and no frontier left of the three */
		struct cairn_msg_frontiers f = {.items_count = 1, .reachable = 1, .total = 1};
		f.items[0] = (struct cairn_msg_frontier){
		    .id = 5, .x_m = 5.0, .y_m = 2.0, .width_m = 1.5, .distance_m = 4.0, .detour_m = 1.0};
		cairn_dialog_frontiers(dialog, &f, now_ns);
		snprintf(text, sizeof(text),
		    REPLY(CALL("c1", "navigate_to_goal",
			"{\\\"reasoning\\\":\\\"x\\\",\\\"to\\\":\\\"%s\\\",\\\"if_failed\\\":\\\"F5\\\"}")),
		    rows[i].to);
		answer(200, text);
		ck_assert(cairn_dialog_take_decision(dialog, &decision));
		ck_assert_int_eq(decision.goal_kind, rows[i].kind);
		ck_assert_uint_eq(
		    rows[i].kind == CAIRN_GOAL_KIND_FRONTIER ? decision.frontier_id : decision.candidate_id,
		    rows[i].id);
		ck_assert_int_eq(decision.has_fallback, rows[i].id != 5);
		ck_assert(rows[i].id == 5 || decision.fallback_frontier_id == 5);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

START_TEST(a_conversation_in_json_with_a_pilot_of_all_faults_stays_sane)
{
	setup_json();
	struct cairn_pilot_api api;
	struct cairn_pilot_answer out = {0};
	struct cairn_error err = {""};
	int by_fault[CAIRN_PILOT_FAULT_COUNT][2] = {{0}};
	cfg.pilot.fault_share = 0.9;
	ck_assert(cairn_pilot_api_init(&api, &cfg.pilot, &err));
	for (int i = 0; i < 900; i++) {
		again();
		while (poll_dialog() == CAIRN_DIALOG_SEND) {
			cairn_pilot_api_answer(
			    &api, "POST", "/v1/chat/completions", body, body_bytes, 0, &out);
			ck_assert_msg(out.status != 400, "%s", out.body.data);
			struct cairn_dialog_outcome o = {.status = out.drop ? 0 : out.status,
			    .body = out.body.data,
			    .body_bytes = out.body.len,
			    .retry_after_s = out.retry_after_s,
			    .error = "dropped"};
			cairn_dialog_ended(dialog, now_ns, &o);
		}
		if (!cairn_dialog_take_decision(dialog, &decision))
			continue;
		by_fault[out.fault][decision.tool == CAIRN_TOOL_STOP_ROBOT]++;
		drive_result(1.0);
	}
	/* What models that mean well do to their JSON never costs a decision. */
	for (int f = CAIRN_PILOT_FAULT_FENCE; f < CAIRN_PILOT_FAULT_COUNT; f++) {
		ck_assert_msg(by_fault[f][0] > 5 && by_fault[f][1] == 0, "%s: %d good, %d stops",
		    cairn_pilot_fault_word((enum cairn_pilot_fault)f), by_fault[f][0], by_fault[f][1]);
	}
	ck_assert_int_gt(by_fault[CAIRN_PILOT_FAULT_UNKNOWN][1], 5);
	ck_assert_int_eq(by_fault[CAIRN_PILOT_FAULT_UNKNOWN][0], 0);
	ck_assert_int_eq(by_fault[CAIRN_PILOT_FAULT_MALFORMED][0], 0);
	cairn_text_free(&out.body);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(in_shadow_the_model_decides_for_the_log_and_is_compared_with_local_exploration)
{
	setup();
	cairn_dialog_destroy(&dialog);
	struct cairn_error err = {""};
	struct cairn_text system = {0};
	cfg.vlm.shadow = true;
	ck_assert(cairn_prompt_load(&cfg, &system, &err));
	dialog = cairn_dialog_new(&cfg.vlm, cfg.safety.decision_max_age_s, system.data, &err);
	cairn_text_free(&system);
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
	/* F5 lies at (5, 2); the robot at (1, 2) faces +x: the same direction. */
	struct cairn_msg_nav_goal goal = {.id = 1, .active = true, .x_m = 3.0, .y_m = 2.3};
	cairn_dialog_nav_goal(dialog, &goal, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(
	    200, REPLY(CALL("c1", "move_toward",
		     "{\\\"direction\\\":\\\"forward\\\",\\\"speed\\\":\\\"slow\\\",\\\"duration_s\\\":2}")));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	struct cairn_decision_note note;
	char local[160];
	cairn_dialog_decision_note(dialog, &note, local, sizeof(local));
	ck_assert(note.shadow);
	ck_assert_ptr_nonnull(strstr(note.local, "they agree"));
	/* Nothing happens: the next question is due after the base timer, not after each snapshot. */
	for (int i = 0; i < 3; i++) {
		again();
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	}
	struct cairn_msg_result r = {
	    .decision_id = 3, .source = CAIRN_SOURCE_LOCAL, .outcome = CAIRN_OUTCOME_SUCCESS};
	cairn_dialog_result(dialog, &r, now_ns);
	again();
	goal.x_m = -4.0;
	cairn_dialog_nav_goal(dialog, &goal, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	answer(200, REPLY(CALL("c1", "rotate", "{\\\"angle_deg\\\":-45}")));
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	ck_assert_uint_eq(stats.shadow_compared, 2);
	ck_assert_uint_eq(stats.shadow_agreed, 1);
	cairn_dialog_destroy(&dialog);
}
END_TEST

static bool where(
    void *ctx, const struct cairn_tool_call *call, char *answer_text, size_t bytes, struct cairn_vec2 *ret_at)
{
	int *pointed = ctx;
	*ret_at = (struct cairn_vec2){4.5, 3.0};
	if (answer_text == NULL)
		(*pointed)++;
	else
		snprintf(answer_text, bytes, "%s: 2.40 m", call->label);
	return strcmp(call->label, "mist") != 0;
}

START_TEST(a_question_where_a_thing_is_gets_its_distance_back_and_reports_may_point_to_it)
{
	int pointed = 0;
	setup();
	cairn_dialog_on_locate(dialog, where, &pointed);
	poll_dialog();
	answer(200,
	    REPLY(CALL("q7", "find_object_distance",
		"{\\\"what\\\":\\\"door\\\",\\\"at\\\":\\\"480,500\\\"}") "," CALL("c2", "report_discovery",
		"{\\\"label\\\":\\\"kettle\\\",\\\"notes\\\":null,\\\"significance\\\":"
		"\\\"object\\\",\\\"at\\\":\\\"100,100,200,200\\\"}")));
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "\"tool_call_id\":\"q7\",\"content\":\"door: 2.40 m\""));
	ck_assert_int_eq(pointed, 1);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(what_is_spent_counts_a_call_under_way_as_unanswered)
{
	struct cairn_spending before, with, after;
	setup();
	cairn_dialog_spending(dialog, now_ns, &before);
	ck_assert_double_eq(before.session_usd, 0.0);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	cairn_dialog_spending(dialog, now_ns, &with);
	ck_assert_double_gt(with.session_usd, 0.0);
	answer(200, REPLY(CALL("c1", "rotate", "{\\\"angle_deg\\\":-45}")));
	cairn_dialog_spending(dialog, now_ns, &after);
	ck_assert_double_gt(after.session_usd, 0.0);
	ck_assert_double_eq(after.session_usd, cairn_dialog_budget(dialog)->spent.session_usd);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_reported_thing_is_where_it_was_pointed_to_and_a_room_where_the_robot_is)
{
	int pointed = 0;
	setup();
	cairn_dialog_on_locate(dialog, where, &pointed);
	poll_dialog();
	answer(
	    200, REPLY(CALL("c1", "report_discovery",
		     "{\\\"label\\\":\\\"kettle\\\",\\\"notes\\\":null,\\\"significance\\\":"
		     "\\\"object\\\",\\\"at\\\":\\\"100,100,200,200\\\"}") "," CALL("c2", "report_discovery",
		     "{\\\"label\\\":\\\"mist\\\",\\\"notes\\\":null,\\\"significance\\\":"
		     "\\\"object\\\",\\\"at\\\":\\\"100,100,200,200\\\"}") "," CALL("c3", "report_discovery",
		     "{\\\"label\\\":\\\"kitchen\\\",\\\"notes\\\":null,\\\"significance\\\":"
		     "\\\"room\\\",\\\"at\\\":\\\"100,100,200,200\\\"}") "," CALL("c4", "rotate",
		     "{\\\"angle_deg\\\":-45}")));
	const struct cairn_memory *m = cairn_dialog_memory(dialog);
	ck_assert_uint_eq(m->discoveries_count, 2);
	ck_assert_double_eq(m->discoveries[0].x_m, 4.5);
	ck_assert_double_eq(m->discoveries[0].y_m, 3.0);
	ck_assert_double_eq(m->discoveries[1].x_m, 1.0); /* nobody knows: the robot's own place */
	ck_assert_uint_eq(m->rooms_count, 1);
	ck_assert_double_eq(m->rooms[0].x_m, 1.0);
	ck_assert_int_eq(pointed, 3);
	cairn_dialog_destroy(&dialog);
}
END_TEST

CAIRN_TEST_MAIN("vlm_dialog_answers",
    a_question_where_a_thing_is_gets_its_distance_back_and_reports_may_point_to_it,
    what_is_spent_counts_a_call_under_way_as_unanswered,
    a_reported_thing_is_where_it_was_pointed_to_and_a_room_where_the_robot_is,
    the_first_bad_answer_stops_and_a_streak_falls_silent,
    failed_calls_are_retried_after_half_a_second_with_the_same_snapshot,
    rate_limits_are_obeyed_and_a_refused_key_is_final,
    a_whole_conversation_with_the_pilot_with_all_faults_stays_sane,
    a_model_that_answers_in_json_gets_no_tools_and_makes_the_same_decision,
    in_json_the_sensors_answer_in_the_text_and_a_fallback_stands_in_for_a_place_that_is_gone,
    only_a_place_that_was_never_offered_is_replaced_here_the_sequencer_knows_what_became_of_the_others,
    a_conversation_in_json_with_a_pilot_of_all_faults_stays_sane,
    in_shadow_the_model_decides_for_the_log_and_is_compared_with_local_exploration)
