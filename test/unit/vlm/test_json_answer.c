#include "test/support/runner.h"

#include "common/vlm/json_answer.h"
#include "common/vlm/json_names.h"
#include "common/vlm/loose_json.h"

static struct cairn_answer answer;

static enum cairn_answer_kind read_as(const char *text, bool candidates)
{
	cairn_answer_from_text(text, strlen(text), false, candidates, &answer);
	return answer.kind;
}

static void expect_frontier(const char *text, int id)
{
	ck_assert_msg(read_as(text, false) == CAIRN_ANSWER_ACTION, "%s: %s", text, answer.problem);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_FRONTIER);
	ck_assert_double_eq(answer.main.frontier_id, id);
}

static void expect_stop(const char *text, const char *why)
{
	ck_assert_msg(read_as(text, true) == CAIRN_ANSWER_STOP, "%s was taken", text);
	ck_assert_msg(
	    strstr(answer.problem, why) != NULL, "%s: '%s' does not say '%s'", text, answer.problem, why);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_STOP_ROBOT);
	ck_assert(answer.reports_count == 0 && !answer.has_fallback && answer.update.items_count == 0);
}

#define F3 "{\"action\": {\"tool\": \"navigate_to_goal\", \"kind\": \"frontier\", \"frontier_id\": 3}}"

START_TEST(the_form_that_is_asked_for_is_understood)
{
	ck_assert_int_eq(
	    read_as("{\"action\": {\"tool\": \"navigate_to_goal\", \"kind\": \"candidate\", "
		    "\"candidate_id\": 12}, \"fallback\": {\"tool\": \"rotate\", \"angle_deg\": 90}, "
		    "\"discovery\": {\"label\": \"kitchen\", \"notes\": null, \"significance\": \"room\"}, "
		    "\"world_model_update\": [{\"x_m\": 1.5, \"y_m\": -2, \"state\": \"occupied\", "
		    "\"confidence\": 0.8}], \"explanation\": \"It is near.\"}",
		true),
	    CAIRN_ANSWER_ACTION);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	ck_assert_double_eq(answer.main.candidate_id, 12.0);
	ck_assert(answer.has_fallback);
	ck_assert_double_eq(answer.fallback.angle_deg, 90.0);
	ck_assert_uint_eq(answer.reports_count, 1);
	ck_assert_str_eq(answer.reports[0].label, "kitchen");
	ck_assert_uint_eq(answer.update.items_count, 1);
	ck_assert_double_eq(answer.update.items[0].y_m, -2.0);
	ck_assert_int_eq(answer.update.items[0].state, CAIRN_CELL_STATE_OCCUPIED);
	ck_assert_str_eq(answer.reasoning, "It is near.");
}
END_TEST

START_TEST(fences_thoughts_and_prose_around_the_object_do_not_matter)
{
	expect_frontier(F3, 3);
	expect_frontier("```json\n" F3 "\n```", 3);
	expect_frontier("```\n" F3 "```\nI hope this helps!", 3);
	expect_frontier("Sure. Looking at {the picture}, I choose:\n" F3 "\nDone.", 3);
	expect_frontier("<think>Maybe {\"action\": \"stop\"}? No.</think>" F3, 3);
	expect_frontier("<THINKING>a</THINKING>x<thought>{</thought>" F3, 3);
	expect_frontier(
	    "{\"action\": \"halt\"} was my first thought</think>\n" F3, 3); /* opened by the prompt */
	expect_frontier(F3 "<think>{\"action\": \"stop\"", 3);
	expect_frontier("[" F3 "]", 3);
	expect_frontier("Draft: " F3 "\nFinal: " F3, 3); /* twice the same */
}
END_TEST

START_TEST(sloppy_json_is_read_as_it_is_meant)
{
	expect_frontier("{\"action\": \"go\", \"frontier\": 3,}", 3);
	expect_frontier("{'action': 'go', 'frontier': '3', 'fallback': None, 'sure': True,}", 3);
	expect_frontier("{action: go, frontier: 3, fallback: null}", 3);
	expect_frontier("{\n// best\n\"action\": \"go\", # yes\n/* id */ \"frontier\": +3}", 3);
	expect_frontier(
	    "{\"action\": \"go\", \"frontier\": 3.0, \"explanation\": \"two\nlines and \\'quotes\\'\"}", 3);
	ck_assert_str_eq(answer.reasoning, "two lines and 'quotes'");
	expect_frontier(
	    "{\"action\": \"go\", \"frontier\": 3, \"score\": NaN, \"cost\": -Infinity, \"p\": .5}", 3);
}
END_TEST

START_TEST(what_models_call_things_is_a_table)
{
	static const char *const goes[] = {"go", "go_to", "goto", "navigate", "navigate to", "moveto",
	    "move-to", "NAVIGATE_TO_GOAL", "Explore"};
	static const char *const keys[] = {"target", "target_id", "subgoal", "goal", "destination", "id"};
	static const char *const ids[] = {
	    "\"F3\"", "\"frontier 3\"", "\"frontier_3\"", "\"f3\"", "3", "\"3\"", "\"#3\""};
	char text[200];
	for (size_t i = 0; i < sizeof(goes) / sizeof(goes[0]); i++) {
		snprintf(text, sizeof(text), "{\"action\": \"%s\", \"target\": \"F3\"}", goes[i]);
		expect_frontier(text, 3);
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(text, sizeof(text), "{\"command\": \"go\", \"%s\": \"F3\"}", keys[i]);
		expect_frontier(text, 3);
	}
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(text, sizeof(text), "{\"action\": {\"type\": \"go\", \"target\": %s}}", ids[i]);
		expect_frontier(text, 3);
	}
	expect_frontier(
	    "{\"name\": \"navigate\", \"arguments\": {\"target\": \"F3\", \"rationale\": \"near\"}}", 3);
	static const struct {
		const char *text;
		enum cairn_tool tool;
	} others[] = {{"{\"action\": \"halt\"}", CAIRN_TOOL_STOP_ROBOT},
	    {"{\"action\": \"wait\"}", CAIRN_TOOL_STOP_ROBOT},
	    {"{\"action\": \"turn\", \"direction\": \"left\", \"angle\": 90}", CAIRN_TOOL_ROTATE},
	    {"{\"action\": \"turn_right\", \"degrees\": \"45\"}", CAIRN_TOOL_ROTATE},
	    {"{\"action\": \"scan\"}", CAIRN_TOOL_OBSERVE_SCENE},
	    {"{\"action\": \"check_path\", \"direction\": \"ahead\", \"distance\": 2}",
		CAIRN_TOOL_CHECK_PATH_CLEAR},
	    {"{\"action\": \"move_forward\", \"speed\": \"slowly\", \"seconds\": 2}", CAIRN_TOOL_MOVE_TOWARD},
	    {"{\"action\": \"drive\", \"dir\": \"front left\", \"speed\": \"normal\", \"duration\": 3}",
		CAIRN_TOOL_MOVE_TOWARD},
	    {"{\"action\": \"go\", \"target\": [1.5, -2]}", CAIRN_TOOL_NAVIGATE_TO_GOAL},
	    {"{\"action\": \"go\", \"x\": 1.5, \"y\": -2}", CAIRN_TOOL_NAVIGATE_TO_GOAL},
	    {"{\"action\": \"go_back\"}", CAIRN_TOOL_NAVIGATE_TO_GOAL},
	    {"{\"action\": \"go\", \"target\": \"home\"}", CAIRN_TOOL_NAVIGATE_TO_GOAL},
	    {"{\"action\": \"define_zone\", \"name\": \"stairs\", \"kind\": \"keep-out\", \"significance\": "
	     "\"danger\"}",
		CAIRN_TOOL_DEFINE_ZONE}};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		ck_assert_msg(read_as(others[i].text, true) != CAIRN_ANSWER_STOP, "%s: %s", others[i].text,
		    answer.problem);
		ck_assert_int_eq(answer.main.tool, others[i].tool);
	}
	read_as(others[2].text, true);
	ck_assert_double_eq(answer.main.angle_deg, -90.0); /* negative is left */
	read_as(others[7].text, true);
	ck_assert_int_eq(answer.main.direction, CAIRN_DIRECTION_FORWARD_LEFT);
	read_as(others[8].text, true);
	ck_assert_double_eq(answer.main.y_m, -2.0);
}
END_TEST

START_TEST(headings_walls_ways_back_and_exploring_without_a_target_are_understood)
{
	static const struct {
		const char *text;
		double heading_deg;
	} turns[] = {{"{\"action\": \"rotate_to\", \"angle\": 90}", 90.0},
	    {"{\"action\": {\"tool\": \"rotate\", \"heading_deg\": 270}}", 270.0},
	    /* REP-103: a yaw of the map is counter-clockwise, a compass heading is not. */
	    {"{\"action\": \"rotate\", \"yaw_deg\": 90}", 270.0},
	    {"{\"action\": \"turn_to\", \"yaw_deg\": -45}", 45.0}};
	for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		ck_assert_msg(read_as(turns[i].text, true) == CAIRN_ANSWER_ACTION, "%s: %s", turns[i].text,
		    answer.problem);
		ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_ROTATE);
		ck_assert(answer.main.has_heading_deg && !answer.main.has_angle_deg);
		ck_assert_double_eq(answer.main.heading_deg, turns[i].heading_deg);
	}
	static const struct {
		const char *text;
		enum cairn_goal_kind kind;
		double id;
	} goals[] = {{"{\"action\": \"EXPLORE\"}", CAIRN_GOAL_KIND_EXPLORE, 0.0},
	    {"{\"action\": \"explore\", \"target\": \"F3\"}", CAIRN_GOAL_KIND_FRONTIER, 3.0},
	    {"{\"action\": \"go_to\", \"target\": \"r1\"}", CAIRN_GOAL_KIND_CANDIDATE, 1.0},
	    {"{\"action\": \"go_to\", \"target\": \"w1\"}", CAIRN_GOAL_KIND_CANDIDATE, 1.0},
	    {"{\"action\": \"backtrack\"}", CAIRN_GOAL_KIND_RETRACE, 0.0},
	    {"{\"action\": \"go_home\"}", CAIRN_GOAL_KIND_START, 0.0},
	    {"{\"action\": \"go\", \"target\": \"explore\"}", CAIRN_GOAL_KIND_EXPLORE, 0.0},
	    {"{\"action\": \"go\", \"pos_m\": [1.5, -2]}", CAIRN_GOAL_KIND_COORDINATES, 0.0},
	    {"{\"action\": {\"tool\": \"go\", \"target\": {\"pos_m\": {\"x\": 1.5, \"y\": -2}}}}",
		CAIRN_GOAL_KIND_COORDINATES, 0.0}};
	for (size_t i = 0; i < sizeof(goals) / sizeof(goals[0]); i++) {
		ck_assert_msg(read_as(goals[i].text, true) == CAIRN_ANSWER_ACTION, "%s: %s", goals[i].text,
		    answer.problem);
		ck_assert_int_eq(answer.main.goal_kind, goals[i].kind);
		ck_assert_double_eq(cairn_tool_goal(&answer.main).id, goals[i].id);
		if (goals[i].kind == CAIRN_GOAL_KIND_COORDINATES)
			ck_assert(answer.main.x_m == 1.5 && answer.main.y_m == -2.0);
	}
	read_as("{\"action\": \"follow_wall\", \"side\": \"right\"}", true);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_FOLLOW_WALL);
	ck_assert(answer.main.side == 1 && answer.main.distance_m == 10.0);
	read_as("{\"action\": \"request_help\", \"message\": \"a door is shut\"}", true);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_REQUEST_HELP);
	ck_assert_str_eq(answer.main.notes, "a door is shut");
	expect_stop("{\"action\": \"follow_wall\"}", "side is missing");
	expect_stop("{\"action\": \"rotate_to\"}", "angle_deg is missing");
	read_as("{\"action\": \"go\", \"target\": \"[1.5, -2]\"}", true);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_COORDINATES);
	ck_assert(answer.main.x_m == 1.5 && answer.main.y_m == -2.0);
}
END_TEST

START_TEST(what_to_do_if_it_fails_may_be_a_place_or_an_action)
{
	read_as(
	    "{\"action\": {\"tool\": \"navigate_to_goal\", \"to\": \"C2\", \"if_failed\": \"F5\"}}", true);
	ck_assert(answer.has_fallback && answer.fallback.tool == CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_double_eq(answer.fallback.frontier_id, 5.0);
	read_as("{\"action\": \"go\", \"target\": \"C2\", \"if_failed\": {\"action\": \"backtrack\"}}", true);
	ck_assert(answer.has_fallback && answer.fallback.goal_kind == CAIRN_GOAL_KIND_RETRACE);
	read_as("{\"action\": \"go\", \"target\": \"C2\", \"if_failed\": \"backtrack\"}", true);
	ck_assert(answer.has_fallback && answer.fallback.goal_kind == CAIRN_GOAL_KIND_RETRACE);
	struct cairn_msg_decision d;
	read_as("{\"action\": \"go\", \"target\": \"C2\", \"fallback\": {\"action\": \"rotate_to\", "
		"\"heading_deg\": 270}}",
	    true);
	cairn_decision_from_answer(&answer, &d);
	ck_assert(d.has_fallback && d.fallback_tool == CAIRN_TOOL_ROTATE);
	ck_assert(d.fallback_absolute && d.fallback_angle_deg == 270.0);
	ck_assert_uint_eq(answer.left_out, 0);
	/* What does not get the robot on, or cannot be read, is left out and counted; the action stands. */
	static const char *const unusable[] = {"{\"action\": \"help\", \"message\": \"stuck\"}",
	    "{\"action\": \"follow_left_wall\"}", "{\"action\": \"look\"}", "\"nowhere\"", "7.5"};
	static const char *const none[] = {"null", "\"\"", "\"none\"", "\"Null\""};
	char text[200];
	for (size_t i = 0; i < sizeof(unusable) / sizeof(unusable[0]); i++) {
		snprintf(text, sizeof(text), "{\"action\": \"go\", \"target\": \"C2\", \"fallback\": %s}",
		    unusable[i]);
		ck_assert_int_eq(read_as(text, true), CAIRN_ANSWER_ACTION);
		ck_assert_msg(!answer.has_fallback && answer.left_out == 1, "%s: %u", text, answer.left_out);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(text, sizeof(text), "{\"action\": \"go\", \"target\": \"C2\", \"fallback\": %s}",
		    none[i]);
		ck_assert_int_eq(read_as(text, true), CAIRN_ANSWER_ACTION);
		ck_assert_msg(!answer.has_fallback && answer.left_out == 0, "%s: %u", text, answer.left_out);
	}
}
END_TEST

START_TEST(several_discoveries_and_claims_in_other_words_are_understood)
{
	read_as("{\"action\": \"stop\", \"discovery\": [{\"label\": \"kitchen\", \"significance\": "
		"\"room\"}, {\"label\": "
		"\"fridge\", \"significance\": \"object\"}], \"world_model_update\": [{\"pos_m\": [1, 2], "
		"\"observed_state\": "
		"\"occupied\", \"confidence\": 0.8}, {\"x_m\": 3, \"y_m\": 2, \"state\": \"unknown\", "
		"\"confidence\": 0.9}]}",
	    true);
	ck_assert_msg(answer.reports_count == 2, "%s", answer.problem);
	ck_assert_str_eq(answer.reports[1].label, "fridge");
	ck_assert_uint_eq(answer.update.items_count, 2);
	ck_assert_int_eq(answer.update.items[0].state, CAIRN_CELL_STATE_OCCUPIED);
	ck_assert(answer.update.items[0].x_m == 1.0 && answer.update.items[0].y_m == 2.0);
	ck_assert_int_eq(answer.update.items[1].state, CAIRN_CELL_STATE_NONE); /* taken back */
}
END_TEST

START_TEST(a_discovery_as_the_action_and_others_beside_it_are_all_kept_up_to_the_bound)
{
	char text[2048] =
	    "{\"action\": {\"tool\": \"report_discovery\", \"label\": \"sofa\", \"significance\": "
	    "\"object\"}, \"discovery\": [";
	read_as("{\"action\": {\"tool\": \"report_discovery\", \"label\": \"sofa\", \"significance\": "
		"\"object\"}, "
		"\"discovery\": {\"label\": \"tv\", \"significance\": \"object\"}}",
	    true);
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_REPORT);
	ck_assert_uint_eq(answer.reports_count, 2);
	ck_assert_str_eq(answer.reports[0].label, "sofa");
	ck_assert_str_eq(answer.reports[1].label, "tv");
	for (int i = 0; i < 9; i++)
		strcat(text, "{\"label\": \"tv\", \"significance\": \"object\"},");
	strcat(text, "]}");
	read_as(text, true);
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_REPORT);
	ck_assert_uint_eq(answer.reports_count, CAIRN_ANSWER_REPORTS_MAX);
	ck_assert_uint_eq(answer.left_out, 10 - CAIRN_ANSWER_REPORTS_MAX);
	ck_assert_str_eq(answer.reports[0].label, "sofa");
}
END_TEST

START_TEST(a_bare_id_is_what_was_shown_and_a_named_one_is_never_the_other)
{
	read_as("{\"action\": \"go\", \"target\": 7}", true);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	read_as("{\"action\": \"go\", \"target\": 7}", false);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_FRONTIER);
	read_as("{\"action\": \"go\", \"target\": \"C7\"}", false);
	ck_assert_int_eq(answer.main.goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	expect_stop("{\"action\": \"go\", \"kind\": \"frontier\", \"target\": \"C7\"}", "needs frontier_id");
}
END_TEST

START_TEST(what_is_cut_off_or_ambiguous_stops_with_the_reason)
{
	char text[400];
	static const char whole[] =
	    "{\"action\": {\"tool\": \"rotate\", \"angle_deg\": 90}, \"fallback\": {\"tool\": "
	    "\"stop_robot\", \"reason\": \"unsafe\"}, \"explanation\": \"x\"}";
	for (size_t n = 0; n + 1 < sizeof(whole); n++) { /* also where an inner object is whole */
		memcpy(text, whole, n);
		text[n] = '\0';
		expect_stop(text, n == 0 ? "no JSON object" : "cut off");
	}
	ck_assert_int_eq(read_as(whole, true), CAIRN_ANSWER_ACTION);
	expect_stop("I would go left.", "no JSON object in the answer");
	expect_stop("{\"mood\": \"good\"}", "no JSON object of the answer has an action");
	expect_stop("{\"action\": \"stop\"} {\"action\": \"turn_left\", \"angle\": 90}", "more than one");
	expect_stop("{\"action\": [\"stop\", \"go\"]}", "2 actions");
	expect_stop("{\"action\": \"fly\"}", "unknown action 'fly'");
	expect_stop("{\"action\": 7}", "no name");
	expect_stop("{\"action\": \"stop\", \"action\": \"go\"}", "broken");
	expect_stop("<think>{\"action\": \"stop\"}", "no JSON object in the answer");
}
END_TEST

START_TEST(nothing_that_moves_the_robot_is_guessed)
{
	expect_stop("{\"action\": \"move_forward\"}", "speed is missing");
	expect_stop("{\"action\": \"move_forward\", \"speed\": \"slow\"}", "duration_s is missing");
	expect_stop(
	    "{\"action\": \"move_forward\", \"speed\": \"warp\", \"duration\": 2}", "not one of the words");
	expect_stop(
	    "{\"action\": \"move_forward\", \"speed\": \"slow\", \"duration\": 200}", "not in 1 to 8");
	expect_stop("{\"action\": \"move_forward\", \"speed\": \"slow\", \"duration\": 1e400}", "cut off");
	expect_stop("{\"action\": \"move_forward\", \"speed\": \"slow\", \"duration\": NaN}", "missing");
	expect_stop("{\"action\": \"turn_left\"}", "angle_deg is missing");
	expect_stop("{\"action\": \"turn\", \"angle\": 30}", "not one of the steps");
	expect_stop("{\"action\": \"turn_right\", \"angle\": -90}", "not one of the steps");
	expect_stop("{\"action\": \"go\"}", "kind is missing");
	expect_stop("{\"action\": \"go\", \"target\": \"the kitchen\"}", "kind is missing");
	expect_stop("{\"action\": \"go\", \"target\": -4}", "not in 0");
	expect_stop("{\"action\": \"go\", \"x\": 1e5, \"y\": 0}", "not in -500");
	expect_stop(
	    "{\"action\": \"stop\", \"discovery\": {\"significance\": \"room\"}}", "label is missing");
	/* Standing still needs no words of the table. */
	ck_assert_int_eq(
	    read_as("{\"action\": \"stop\", \"reason\": \"I see a dog\"}", true), CAIRN_ANSWER_ACTION);
	ck_assert_str_eq(answer.reasoning, "I see a dog");
}
END_TEST

START_TEST(claims_about_the_map_are_bounded_and_only_whole_ones_are_passed_on)
{
	char text[8192] = "{\"action\": \"stop\", \"world_model_update\": [";
	for (int i = 0; i < 60; i++)
		strcat(text, "{\"x\": 1, \"y\": 2, \"state\": \"free\", \"confidence\": 0.5},");
	strcat(text, "]}");
	ck_assert_int_eq(read_as(text, true), CAIRN_ANSWER_ACTION);
	ck_assert_uint_eq(answer.update.items_count, 32);
	read_as(
	    "{\"action\": \"stop\", \"map_update\": {\"cells\": [{\"x\": 1, \"y\": 2, \"state\": \"maybe\", "
	    "\"confidence\": 1}, {\"x\": 1, \"state\": \"free\", \"confidence\": 1}, {\"x\": 1, \"y\": 2, "
	    "\"state\": "
	    "\"wall\", \"confidence\": 7}, 4, {\"x\": 3, \"y\": 2, \"state\": \"wall\", \"confidence\": "
	    "1}]}}",
	    true);
	ck_assert_uint_eq(answer.update.items_count, 1);
	ck_assert_double_eq(answer.update.items[0].x_m, 3.0);
	ck_assert_int_eq(
	    read_as("{\"action\": \"stop\", \"world_model_update\": \"none\"}", true), CAIRN_ANSWER_ACTION);
}
END_TEST

START_TEST(a_follow_up_must_act)
{
	static const char text[] = "{\"action\": \"scan\"}";
	cairn_answer_from_text(text, strlen(text), true, true, &answer);
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_STOP);
	ck_assert_ptr_nonnull(strstr(answer.problem, "no action"));
	cairn_answer_from_text(text, strlen(text), false, true, &answer);
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_PERCEIVE);
}
END_TEST

START_TEST(depth_size_and_the_number_of_braces_are_bounded)
{
	struct cairn_text text = {0};
	cairn_text_add(&text, "{\"action\": ");
	for (int i = 0; i < 100000; i++)
		cairn_text_add(&text, "[");
	cairn_answer_from_text(text.data, text.len, false, true, &answer);
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_STOP);
	cairn_text_clear(&text);
	for (int i = 0; i < 60000; i++)
		cairn_text_add(&text, "{a}");
	cairn_answer_from_text(text.data, text.len, false, true, &answer);
	ck_assert_str_eq(answer.problem, "too many braces in the answer");
	cairn_text_clear(&text);
	for (int i = 0; i < 20000; i++)
		cairn_text_add(&text, "</think><");
	cairn_answer_from_text(text.data, text.len, false, true, &answer);
	ck_assert_str_eq(answer.problem, "no JSON object in the answer");
	for (int i = 0; i < 20000; i++)
		cairn_text_add(&text, "</think>    ");
	cairn_answer_from_text(text.data, text.len, false, true, &answer);
	ck_assert_ptr_nonnull(strstr(answer.problem, "larger than"));
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_names_of_the_tables_lead_to_rows_that_exist)
{
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++)
		ck_assert_int_eq(cairn_json_action_named(cairn_tool_name((enum cairn_tool)t)).tool, t);
	ck_assert_int_eq(cairn_json_action_named("teleport").tool, CAIRN_TOOL_COUNT);
	ck_assert_str_eq(cairn_json_proper("ahead"), "forward");
	ck_assert_str_eq(cairn_json_proper("sideways"), "sideways");
	struct cairn_text text = {0};
	cairn_json_tools_text(&text);
	ck_assert_ptr_nonnull(strstr(text.data, "- \"angle_deg\": -180 | -135"));
	ck_assert_ptr_nonnull(strstr(text.data, "\"direction\": \"forward\" | \"forward_left\""));
	cairn_text_free(&text);
}
END_TEST

CAIRN_TEST_MAIN("vlm json", the_form_that_is_asked_for_is_understood,
    fences_thoughts_and_prose_around_the_object_do_not_matter, sloppy_json_is_read_as_it_is_meant,
    what_models_call_things_is_a_table, a_bare_id_is_what_was_shown_and_a_named_one_is_never_the_other,
    headings_walls_ways_back_and_exploring_without_a_target_are_understood,
    what_to_do_if_it_fails_may_be_a_place_or_an_action,
    several_discoveries_and_claims_in_other_words_are_understood,
    a_discovery_as_the_action_and_others_beside_it_are_all_kept_up_to_the_bound,
    what_is_cut_off_or_ambiguous_stops_with_the_reason, nothing_that_moves_the_robot_is_guessed,
    claims_about_the_map_are_bounded_and_only_whole_ones_are_passed_on, a_follow_up_must_act,
    depth_size_and_the_number_of_braces_are_bounded, the_names_of_the_tables_lead_to_rows_that_exist)
