/* What a model is asked, what it is told, and what a decision carries. */
#include "test/support/dialog_rig.h"
#include "common/base/hash.h"

/* What the model is told now. */
static const char *context_now(void)
{
	struct cairn_dialog_question q;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	cairn_dialog_question(dialog, &q);
	return q.context;
}

START_TEST(the_request_is_the_golden_one)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	json_error_t why;
	json_t *want = json_load_file(CAIRN_SOURCE_ROOT "/test/data/vlm/openai_request.json", 0, &why);
	json_t *have = json_loadb(body, body_bytes, JSON_REJECT_DUPLICATES, &why);
	ck_assert_ptr_nonnull(have);
	/* The long system text has files of its own; here only that it comes first counts. */
	json_t *system = json_array_get(json_object_get(have, "messages"), 0);
	ck_assert_int_gt((int)json_string_length(json_object_get(system, "content")), 2000);
	json_object_set_new(system, "content", json_string("SYSTEM"));
	const char *write = getenv("CAIRN_WRITE_GOLDEN");
	if (write != NULL)
		json_dump_file(have, write, JSON_INDENT(1));
	ck_assert_msg(
	    want != NULL && json_equal(want, have), "the body is not test/data/vlm/openai_request.json");
	json_decref(want);
	json_decref(have);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(the_static_prefix_is_the_same_bytes_in_every_call_and_long_enough)
{
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	const char *user = strstr(body, "{\"role\":\"user\"");
	ck_assert_ptr_nonnull(user);
	size_t n = (size_t)(user - body);
	ck_assert_uint_gt(n / 5,
	    CAIRN_PROMPT_PREFIX_TOKENS_MIN); /* no tokenizer needs more than 5 bytes a token for English */
	char *first = strndup(body, n);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	now_ns += 2 * CAIRN_NS_PER_S;
	mission.elapsed_s = 99.0;
	say_mission(true);
	snapshot(false, CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_mem_eq(first, body, n);
	ck_assert_ptr_null(strstr(body, "image_url")); /* nothing new to see */
	free(first);
	cairn_dialog_destroy(&dialog);
}
END_TEST

/* The robot of the snapshot is at (1, 2) and faces +x: 2 m ahead and 2 m to the left, and 1 m to the right.
 */
static struct cairn_msg_candidates offer(void)
{
	struct cairn_msg_candidates set = {.set = 41, .first_set = 40, .items_count = 2};
	set.items[0] = (struct cairn_msg_candidate){.id = 7,
	    .kind = CAIRN_CANDIDATE_KIND_FRONTIER,
	    .frontier_id = 3,
	    .x_m = 3.0,
	    .y_m = 4.0,
	    .path_m = 3.04,
	    .score = 0.714};
	set.items[1] = (struct cairn_msg_candidate){.id = 9,
	    .kind = CAIRN_CANDIDATE_KIND_WAYPOINT,
	    .x_m = 1.0,
	    .y_m = 1.0,
	    .path_m = 1.2,
	    .score = 0.5};
	snprintf(set.items[1].name, sizeof(set.items[1].name), "my \"hall\"\nSTOP");
	return set;
}

START_TEST(candidates_are_listed_and_the_decision_carries_the_number_of_their_set)
{
	setup();
	struct cairn_msg_candidates set = offer();
	cairn_dialog_candidates(dialog, &set, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(
	    strstr(body, "FRONTIERS\\nF3 45L 160 90 doorway C7 score 71 next\\nF5 0L 400 150 open\\n"
			 "CANDIDATES\\nC9 waypoint \\\"my 'hall' STOP\\\" 90R 120 score 50\\n"));
	ck_assert_ptr_null(strstr(body, "The robot is stuck: its"));
	answer(200,
	    REPLY(CALL("c1", "navigate_to_goal", "{\\\"kind\\\":\\\"candidate\\\",\\\"candidate_id\\\":7}")));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	ck_assert_uint_eq(decision.candidate_id, 7);
	ck_assert_uint_eq(decision.candidate_set, 41);
	/* The next list belongs to the next question; an old one is not shown. */
	now_ns += 4 * CAIRN_NS_PER_S;
	say_mission(true);
	snapshot(true, CAIRN_TRIGGER_TIMER);
	now_ns += 800 * MS; /* frontiers are not waited for longer */
	(void)poll_dialog();
	now_ns += 800 * MS;
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "C7 score"));
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_eq(decision.candidate_set, 0);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_stuck_robot_says_so_above_its_candidates)
{
	setup();
	struct cairn_msg_candidates set = offer();
	set.stuck = true;
	cairn_dialog_candidates(dialog, &set, now_ns);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(
	    strstr(body, "CANDIDATES\\nThe robot is stuck: its last moves got nowhere.\\nC9 "));
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_decision_carries_its_snapshot_and_is_asked_for_once)
{
	setup();
	int64_t t_snapshot_ns = now_ns;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_uint_eq(decision.frontier_id, 3);
	ck_assert_int_eq(decision.t_snapshot_ns, t_snapshot_ns);
	ck_assert_double_eq(decision.snapshot_x_m, 1.0);
	ck_assert_double_eq_tol(decision.latency_s, 0.4, 1e-9);
	ck_assert_uint_ge(decision.id, (uint64_t)now_ns / 1000);
	/* The mission message that is on its way still wants a decision: it is not asked for again. */
	say_mission(true);
	snapshot(true, CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	mission.decision_id = decision.id;
	say_mission(false);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(after_a_result_only_a_newer_snapshot_will_do)
{
	setup();
	poll_dialog();
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	uint64_t first = decision.id;
	snapshot(true, CAIRN_TRIGGER_MOVED);
	now_ns += CAIRN_NS_PER_S;
	struct cairn_msg_result r = {.decision_id = first,
	    .outcome = CAIRN_OUTCOME_SUCCESS,
	    .source = CAIRN_SOURCE_MODEL,
	    .asked = "navigate_to_goal F3",
	    .distance_m = 1.6,
	    .duration_s = 5.0};
	cairn_dialog_result(dialog, &r, now_ns);
	say_mission(true);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	now_ns += 50 * MS;
	ck_assert(cairn_dialog_wants_snapshot(dialog, now_ns));
	snapshot(true, CAIRN_TRIGGER_RESULT);
	frontiers();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "1. F3: success, 160 cm in 5 s"));
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_gt(decision.id, first);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_question_to_the_sensors_gets_one_follow_up_restricted_to_actions)
{
	setup();
	poll_dialog();
	answer(200, REPLY(CALL("q7", "check_path_clear",
			"{\\\"direction\\\":\\\"forward\\\",\\\"distance_m\\\":1.5}") "," REPORT));
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(
	    strstr(body, "\"tool_call_id\":\"q7\",\"content\":\"forward, by the snapshot: clear for 1.5 m"));
	ck_assert_ptr_nonnull(strstr(body, "\"tool_call_id\":\"c2\",\"content\":\"Remembered."));
	const char *choice = strstr(body, "\"tool_choice\":{\"type\":\"allowed_tools\"");
	ck_assert_ptr_nonnull(choice);
	ck_assert_ptr_nonnull(strstr(choice, "\"name\":\"rotate\""));
	ck_assert_ptr_null(strstr(choice, "\"name\":\"observe_scene\""));
	/* The pilot checks follow-ups as the real service does. */
	struct cairn_pilot_api api;
	struct cairn_pilot_answer out = {0};
	struct cairn_error err = {""};
	ck_assert(cairn_pilot_api_init(&api, &cfg.pilot, &err));
	cairn_pilot_api_answer(&api, "POST", "/v1/chat/completions", body, body_bytes, 0, &out);
	ck_assert_msg(out.status == 200, "%s", out.body.data);
	cairn_text_free(&out.body);
	/* A second question is one too many. */
	answer(200, REPLY(CALL("q8", "observe_scene", "{\\\"focus\\\":\\\"general\\\"}")));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_STOP_ROBOT);
	ck_assert_ptr_nonnull(strstr(decision.reason, "no action"));
	ck_assert_str_eq(cairn_dialog_memory(dialog)->rooms[0].name, "hall");
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_question_about_a_path_is_answered_by_the_sensors_as_they_are_now)
{
	struct cairn_msg_paths_clear paths = {.items_count = CAIRN_DIRECTION_COUNT};
	for (uint32_t i = 0; i < paths.items_count; i++)
		paths.items[i] = (struct cairn_msg_path_clear){.direction = (enum cairn_direction)i,
		    .obstacle_m = -1.0,
		    .left_m = 1.0,
		    .right_m = 1.0,
		    .narrow_at_m = -1.0};
	paths.items[CAIRN_DIRECTION_FORWARD].free_m = 0.41;
	paths.items[CAIRN_DIRECTION_FORWARD].drive_m = 0.21;
	paths.items[CAIRN_DIRECTION_FORWARD].obstacle = CAIRN_PATH_OBSTACLE_GLASS;
	paths.items[CAIRN_DIRECTION_FORWARD].obstacle_m = 0.6;
	paths.items[CAIRN_DIRECTION_FORWARD].remembered = true;
	paths.items[CAIRN_DIRECTION_FORWARD].left_m = 0.12;
	paths.items[CAIRN_DIRECTION_FORWARD].narrow_at_m = 0.3;
	paths.items[CAIRN_DIRECTION_LEFT].free_m = 2.2;
	paths.items[CAIRN_DIRECTION_LEFT].drive_m = 2.0;
	for (int old = 0; old < 2; old++) {
		setup();
		cairn_dialog_paths_clear(dialog, &paths, now_ns - (old ? 2 * CAIRN_NS_PER_S : 0));
		poll_dialog();
		answer(200, REPLY(CALL("q7", "check_path_clear",
				"{\\\"direction\\\":\\\"forward\\\",\\\"distance_m\\\":1.5}")));
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		bool live =
		    strstr(body, "\"content\":\"forward now: NOT clear for 1.5 m; free 0.41 m, then glass or "
				 "overhang ahead, remembered; room beside the body: 0.12 m left, 1 m or more "
				 "right, narrowest 0.3 m on. Recommended: left, which can be driven for 2.0 "
				 "m.") != NULL;
		ck_assert_msg(live != (old == 1), "%s", body);
		ck_assert_int_eq(strstr(body, "\"content\":\"forward, by the snapshot: ") != NULL, old);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

START_TEST(looking_again_has_the_picture_described_in_full_detail)
{
	setup();
	poll_dialog();
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"low\""));
	answer(200, REPLY(CALL("q", "observe_scene", "{\\\"focus\\\":\\\"people\\\"}")));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"high\""));
	ck_assert_ptr_nonnull(strstr(body, "Look for: people"));
	ck_assert_ptr_null(strstr(body, "\"tools\""));
	answer(200, "{\"choices\":[{\"message\":{\"content\":\"A child on the left,\\n 1.5 m.\"}}]}");
	ck_assert(!cairn_dialog_take_decision(dialog, &decision));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "\"detail\":\"high\""));
	ck_assert_ptr_nonnull(strstr(body, "\"tool_call_id\":\"q\",\"content\":\"The picture in full detail, "
					   "described: \\\"A child on the left, 1.5 m.\\\""));
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_double_eq_tol(decision.latency_s, 1.2, 1e-9);
	/* Kept: every later question has it. */
	struct cairn_text memory = {0};
	cairn_memory_text(cairn_dialog_memory(dialog), &memory);
	ck_assert_ptr_nonnull(strstr(memory.data, ", people: \"A child on the left, 1.5 m.\"\n"));
	cairn_text_free(&memory);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_broken_snapshot_is_refused_and_the_last_one_kept)
{
	setup();
	struct cairn_error err = {""};
	uint8_t junk[600];
	memset(junk, 0xAB, sizeof(junk));
	for (size_t n = 0; n < sizeof(junk); n += 7)
		ck_assert(!cairn_dialog_snapshot(dialog, junk, n, now_ns, &err));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(tokens_are_estimated_for_a_service_that_does_not_count)
{
	struct cairn_msg_vlm_stats stats;
	static const char reply[] = "{\"choices\":[{\"message\":{\"tool_calls\":[" GO "]}}]}";
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	size_t picture_bytes = 4 * ((sizeof(jpeg) + 2) / 3); /* base64 */
	answer(200, reply);
	cairn_dialog_stats(dialog, now_ns, &stats);
	/* A token is four bytes; the body is a little more than prefix and context, and has the picture. */
	ck_assert_uint_gt(stats.tokens_in, 1024 + PICTURE_TOKENS);
	ck_assert_uint_lt(stats.tokens_in, (body_bytes - picture_bytes) / 4 + PICTURE_TOKENS);
	ck_assert_uint_eq(stats.tokens_out, (sizeof(reply) - 1 + 3) / 4);
	ck_assert_uint_eq(stats.tokens_cached, 0);
	ck_assert_double_gt(stats.cost_usd, 0.0);
	cairn_dialog_destroy(&dialog);
}
END_TEST

/* Each costs at least what we estimate, whoever says what. */
START_TEST(who_tells_of_one_token_cuts_the_answer_or_sends_none_is_charged_the_estimate)
{
	static const char lie[] = "{\"choices\":[{\"message\":{\"tool_calls\":[" GO
				  "]}}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,"
				  "\"prompt_tokens_details\":{\"cached_tokens\":1}}}";
	static const char silent[] = "{\"choices\":[{\"message\":{\"tool_calls\":[" GO "]}}]}";
	static char junk[800001];
	memset(junk, 'x', sizeof(junk) - 1);
	static const struct {
		int status;
		const char *body;
		bool all_output;
	} cases[] = {{200, silent, false}, {200, lie, false}, {200, junk, true}, {200, "", false},
	    {0, NULL, true}, {503, "{}", false}};
	uint64_t estimate = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cairn_msg_vlm_stats stats;
		setup();
		ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
		struct cairn_dialog_outcome o = {.sent = true,
		    .status = cases[i].status,
		    .body = cases[i].body,
		    .body_bytes = cases[i].body != NULL ? strlen(cases[i].body) : 0,
		    .error = "cut",
		    .retry_after_s = -1.0};
		cairn_dialog_ended(dialog, now_ns, &o);
		cairn_dialog_stats(dialog, now_ns, &stats);
		estimate = i == 0 ? stats.tokens_in : estimate;
		ck_assert_uint_gt(estimate, 1024 + PICTURE_TOKENS);
		ck_assert_msg(stats.tokens_in == estimate, "case %zu: %llu of %llu", i,
		    (unsigned long long)stats.tokens_in, (unsigned long long)estimate);
		ck_assert_uint_eq(stats.tokens_cached, 0);
		if (cases[i].all_output)
			ck_assert_uint_eq(stats.tokens_out, (uint64_t)cfg.vlm.max_output_tokens);
		ck_assert_double_gt(stats.cost_usd, 0.0);
		cairn_dialog_destroy(&dialog);
	}
}
END_TEST

/* Base64 by hand: FF D8 FF E0 01 02 03 FF D9 and FF D8 FF E0 09 09 FF D9. */
START_TEST(both_pictures_go_or_stay_together_and_both_are_counted)
{
	static const char *const camera = "data:image/jpeg;base64,/9j/4AECA//Z";
	static const char *const above =
	    "{\"type\":\"text\",\"text\":\"From above:\"},{\"type\":\"image_url\","
	    "\"image_url\":{\"url\":\"data:image/jpeg;base64,/9j/4AkJ/9k=\"";
	struct cairn_msg_vlm_stats one, both;
	static const char reply[] = "{\"choices\":[{\"message\":{\"tool_calls\":[" GO "]}}]}";
	setup();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, camera));
	ck_assert_ptr_null(strstr(body, "From above:\"}"));
	answer(200, reply);
	cairn_dialog_stats(dialog, now_ns, &one);
	cairn_dialog_destroy(&dialog);

	setup();
	with_view = true;
	ck_assert(snapshot(true, CAIRN_TRIGGER_RESULT));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	const char *first = strstr(body, camera), *second = strstr(body, above);
	ck_assert(first != NULL && second != NULL && first < second);
	answer(200, reply);
	cairn_dialog_stats(dialog, now_ns, &both);
	ck_assert_uint_eq(both.tokens_in, one.tokens_in + PICTURE_TOKENS);
	cairn_dialog_destroy(&dialog);

	setup();
	ck_assert(snapshot(false, CAIRN_TRIGGER_RESULT));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "image_url"));
	cairn_dialog_destroy(&dialog);
	with_view = false;
}
END_TEST

START_TEST(the_body_and_the_doors_it_fits_through_are_those_of_the_configuration)
{
	struct cairn_text text = {0};
	struct cairn_error err = {""};
	struct cairn_config c;
	cairn_config_defaults(&c);
	snprintf(c.vlm.prompts, sizeof(c.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	ck_assert_msg(cairn_prompt_load(&c, &text, &err), "%s", err.text);
	ck_assert_ptr_nonnull(strstr(text.data, "(0.35 x 0.20 m, 0.20 m high)"));
	ck_assert_ptr_nonnull(strstr(text.data, "doorways of 0.45 m"));
	ck_assert_ptr_nonnull(strstr(text.data, "18 cm above the floor"));
	c.robot.footprint_half_width_m = 0.25;
	c.robot.footprint_front_m = 0.52;
	c.robot.height_m = 1.1;
	c.robot.lidar_z_m = 0.3;
	ck_assert(cairn_prompt_load(&c, &text, &err));
	ck_assert_ptr_nonnull(strstr(text.data, "(0.60 x 0.50 m, 1.10 m high)"));
	ck_assert_ptr_nonnull(strstr(text.data, "doorways of 0.75 m"));
	ck_assert_ptr_nonnull(strstr(text.data, "30 cm above the floor"));
	ck_assert_ptr_nonnull(strstr(text.data, "a car-like robot"));
	ck_assert_ptr_nonnull(strstr(text.data, "The robot cannot turn on the spot"));
	c.robot.kinematics = CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
	ck_assert(cairn_prompt_load(&c, &text, &err));
	ck_assert_ptr_nonnull(strstr(text.data, "a two-wheeled robot"));
	ck_assert_ptr_nonnull(strstr(text.data, "The robot turns on the spot"));
	for (const char *at = text.data; (at = strchr(at, '{')) != NULL; at++)
		ck_assert_msg(at[1] < 'a' || at[1] > 'z', "%.30s", at); /* nothing is left to be filled in */
	cairn_text_free(&text);
}
END_TEST

START_TEST(the_prompt_explains_what_is_drawn_and_nothing_else)
{
	struct cairn_text plain = {0}, with = {0};
	struct cairn_error err = {""};
	struct cairn_config c;
	cairn_config_defaults(&c);
	const struct {
		bool *flag;
		const char *words;
	} options[] = {{&c.percept.show_candidates, "Arrows on the PICTURE"},
	    {&c.percept.show_arcs, "Coloured arcs"}, {&c.percept.show_sectors, "LEFT, CENTRE and RIGHT"},
	    {&c.percept.show_heat, "Colours laid over"}, {&c.percept.show_map, "with the MAP"},
	    {&c.percept.show_polar, "the dark disc"}};
	const size_t count = sizeof(options) / sizeof(options[0]);
	snprintf(c.vlm.prompts, sizeof(c.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	ck_assert(cairn_prompt_load(&c, &plain, &err));
	for (size_t i = 0; i < count; i++)
		ck_assert_ptr_null(strstr(plain.data, options[i].words));
	for (size_t i = 0; i < count; i++) {
		*options[i].flag = true;
		ck_assert_msg(cairn_prompt_load(&c, &with, &err), "%s", err.text);
		for (size_t k = 0; k < count; k++)
			ck_assert_int_eq(strstr(with.data, options[k].words) != NULL, k == i);
		*options[i].flag = false;
	}
	ck_assert(cairn_prompt_load(&c, &with, &err));
	ck_assert_str_eq(with.data, plain.data);
	cairn_text_free(&plain);
	cairn_text_free(&with);
}
END_TEST

/* Why the depth is missing, and on which side of zero a place is, mean nothing to a model. */
START_TEST(a_line_for_people_is_told_as_a_model_needs_it)
{
	static const char text[] =
	    "ROBOT\nPosition: x -0.04 m, y 1.26 m from the start; heading 277 deg (W); speed -0.01 m/s\n"
	    "Camera: picture without depth (depth 0.10 s apart)\nCamera: none\n";
	struct cairn_prompt_view view = {.text = text, .text_bytes = sizeof(text) - 1};
	static struct cairn_memory memory; /* large */
	struct cairn_text out = {0};
	cairn_memory_init(&memory);
	memory.discoveries_count = 1;
	memory.discoveries[0] = (struct cairn_memory_discovery){
	    .label = "shelf", .significance = CAIRN_SIGNIFICANCE_OBJECT, .x_m = -0.02, .y_m = 3.0};
	cairn_prompt_context(&out, &view, NULL, NULL, &memory, NULL);
	ck_assert_msg(strstr(out.data, "ROBOT\nx 0.0 y 1.3 heading 277 W, 0.0 m/s\n"
				       "no distances in the picture\nCamera: none\nFRONTIERS\n") != NULL,
	    "%s", out.data);
	ck_assert_msg(strstr(out.data, "\"shelf\" at 0.0 3.0\n") != NULL, "%s", out.data);
	cairn_text_free(&out);
}
END_TEST

START_TEST(frontiers_given_up_or_out_of_reach_are_not_offered)
{
	setup();
	mission.given_up_count = 1;
	mission.given_up[0] = (struct cairn_msg_given_up){.x_m = 5.3, .y_m = 2.0, .reason = "stuck"};
	say_mission(true);
	poll_dialog();
	/* From (1, 2) facing +x, F3 at (2, 3) is 45 degrees left. */
	ck_assert_ptr_nonnull(strstr(body, "F3 45L 160 90 doorway\\n"));
	ck_assert_ptr_null(strstr(body, "F4 "));
	ck_assert_ptr_null(strstr(body, "F5 "));
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(a_decision_names_the_bytes_it_was_made_from)
{
	setup();
	cairn_dialog_snapshot_epoch(dialog, 4711);
	poll_dialog();
	uint64_t prompt_hash = cairn_hash_bytes(CAIRN_HASH_START, body, body_bytes);
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	uint64_t frame_hash = cairn_hash_bytes(CAIRN_HASH_START, TEXT, sizeof(TEXT) - 1);
	frame_hash = cairn_hash_bytes(frame_hash, jpeg, sizeof(jpeg));
	ck_assert_uint_eq(decision.frame_hash, frame_hash);
	ck_assert_uint_eq(decision.prompt_hash, prompt_hash);
	ck_assert_uint_eq(decision.snapshot_epoch, 4711);
	struct cairn_decision_note note;
	char local[100];
	struct cairn_text line = {0};
	cairn_dialog_decision_note(dialog, &note, local, sizeof(local));
	cairn_decision_log_decision(&line, 1.5, &note);
	json_t *log = json_loads(line.data, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_ptr_nonnull(log);
	char hash[20];
	snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)frame_hash);
	ck_assert_str_eq(json_string_value(json_object_get(json_object_get(log, "snapshot"), "hash")), hash);
	ck_assert_ptr_nonnull(strstr(
	    json_string_value(json_object_get(json_object_get(log, "prompt"), "context")), "FRONTIERS\n"));
	ck_assert_str_eq(json_string_value(json_object_get(log, "what")), "navigate_to_goal F3");
	json_decref(log);
	cairn_text_free(&line);
	cairn_dialog_destroy(&dialog);
}
END_TEST

START_TEST(the_goal_is_told_first_and_where_it_is_once_that_is_known)
{
	setup();
	ck_assert_ptr_null(strstr(context_now(), "GOAL"));
	cairn_dialog_destroy(&dialog);
	setup();
	snprintf(mission.goal, sizeof(mission.goal), "find the kit\nchen");
	say_mission(true);
	ck_assert_ptr_nonnull(
	    strstr(context_now(), "GOAL \"find the kit chen\": not found yet; when you see it, "
				  "report_discovery it with these words\nFRONTIERS\n"));
	cairn_dialog_destroy(&dialog);
	setup();
	snprintf(mission.goal, sizeof(mission.goal), "find the kitchen");
	mission.goal_known = true;
	snprintf(mission.goal_place, sizeof(mission.goal_place), "kitchen");
	mission.goal_x_m = 1.0; /* the robot is at 1 2 and faces along x */
	mission.goal_y_m = 5.0;
	say_mission(true);
	ck_assert_ptr_nonnull(strstr(context_now(),
	    "GOAL \"find the kitchen\": \"kitchen\" is at x 1.0 y 5.0, straight 90L 300\nFRONTIERS\n"));
	cairn_dialog_destroy(&dialog);
}
END_TEST

/* What is told of what is driven; source: whose choice it is. */
static const char *told_of(enum cairn_source source, const char *activity, enum cairn_trigger trigger)
{
	static char line[200];
	setup();
	mission.decision_id = 7;
	mission.decision_source = source;
	snprintf(mission.activity, sizeof(mission.activity), "%s", activity);
	say_mission(true);
	snapshot(true, trigger);
	const char *at = strstr(context_now(), "UNDER WAY ");
	snprintf(line, sizeof(line), "%.*s", at != NULL ? (int)strcspn(at, "\n") : 0, at != NULL ? at : "");
	cairn_dialog_destroy(&dialog);
	return line;
}

START_TEST(a_choice_that_is_still_driven_is_told_and_what_has_the_model_asked_meanwhile)
{
	setup();
	ck_assert_ptr_null(strstr(context_now(), "UNDER WAY"));
	cairn_dialog_destroy(&dialog);
	ck_assert_str_eq(told_of(CAIRN_SOURCE_MODEL, "navigate_to_goal candidate 12, waiting: a person",
			     CAIRN_TRIGGER_TIMER),
	    "UNDER WAY C12, waiting: a person");
	ck_assert_str_eq(told_of(CAIRN_SOURCE_MODEL, "move_toward forward fast 5 s", CAIRN_TRIGGER_DOORWAY),
	    "UNDER WAY move_toward forward fast 5 s; a doorway has come in sight");
	ck_assert_str_eq(told_of(CAIRN_SOURCE_LOCAL, "navigate_to_goal frontier 3", CAIRN_TRIGGER_TIMER),
	    ""); /* no choice of the model's */
}
END_TEST

CAIRN_TEST_MAIN("vlm_dialog", a_choice_that_is_still_driven_is_told_and_what_has_the_model_asked_meanwhile,
    the_goal_is_told_first_and_where_it_is_once_that_is_known, the_request_is_the_golden_one,
    a_line_for_people_is_told_as_a_model_needs_it,
    the_static_prefix_is_the_same_bytes_in_every_call_and_long_enough,
    candidates_are_listed_and_the_decision_carries_the_number_of_their_set,
    a_stuck_robot_says_so_above_its_candidates, a_decision_carries_its_snapshot_and_is_asked_for_once,
    after_a_result_only_a_newer_snapshot_will_do,
    a_question_to_the_sensors_gets_one_follow_up_restricted_to_actions,
    a_question_about_a_path_is_answered_by_the_sensors_as_they_are_now,
    looking_again_has_the_picture_described_in_full_detail,
    a_broken_snapshot_is_refused_and_the_last_one_kept,
    tokens_are_estimated_for_a_service_that_does_not_count,
    who_tells_of_one_token_cuts_the_answer_or_sends_none_is_charged_the_estimate,
    both_pictures_go_or_stay_together_and_both_are_counted,
    the_body_and_the_doors_it_fits_through_are_those_of_the_configuration,
    the_prompt_explains_what_is_drawn_and_nothing_else, frontiers_given_up_or_out_of_reach_are_not_offered,
    a_decision_names_the_bytes_it_was_made_from)
