#include "test/support/runner.h"

#include "common/base/geom.h"
#include "common/vlm/dialog.h"
#include "common/vlm/pilot_api.h"
#include "common/vlm/prompt.h"

#define MS CAIRN_NS_PER_MS
#define PICTURE_TOKENS 2833 /* gpt-4o-mini, in low detail */
#define TEXT                                                                                                 \
	"SENSORS (LiDAR, 12 sectors of 30 deg, clockwise from the front)\n0 2.4m CLEAR\n30 1.3m NEAR\n"      \
	"Nearest obstacle: 0.42m at 130 deg right\nGaps: none\nFeasibility: forward 0.80, backward "         \
	"0.10\nROBOT\n"

static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
static const uint8_t view_jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 9, 9, 0xFF, 0xD9};
static struct cairn_dialog *dialog;
static struct cairn_config cfg;
static struct cairn_msg_mission mission;
static struct cairn_header mission_hdr;
static int64_t now_ns;
static const char *body;
static size_t body_bytes;
static struct cairn_msg_decision decision;
static double similarity, nearest_m; /* of the snapshots */
static const char *mode = "tools";

static void say_mission(bool wants)
{
	mission.wants_decision = wants;
	mission_hdr.t_ns = now_ns;
	mission_hdr.seq++;
	cairn_dialog_mission(dialog, &mission, &mission_hdr);
}

static bool with_view; /* snapshots have a second picture, from above */

static bool snapshot(bool image_needed, enum cairn_trigger trigger)
{
	static uint64_t id;
	uint8_t payload[4096];
	struct cairn_snapshot_head head = {.snapshot_id = ++id,
	    .x_m = 1.0,
	    .y_m = 2.0,
	    .yaw_rad = 0.0,
	    .similarity = similarity,
	    .nearest_m = nearest_m,
	    .trigger = (uint32_t)trigger,
	    .image_needed = image_needed,
	    .text_bytes = sizeof(TEXT) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .view_bytes = with_view ? sizeof(view_jpeg) : 0,
	    .version = CAIRN_SNAPSHOT_VERSION};
	for (int i = 0; i < 12; i++)
		head.sector_m[i] = 2.0f;
	for (int i = 0; i < 6; i++)
		head.feasibility[i] = 0.5f;
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), TEXT, head.text_bytes);
	uint8_t *at = mempcpy(payload + sizeof(head) + head.text_bytes, jpeg, sizeof(jpeg));
	at = mempcpy(at, view_jpeg, head.view_bytes);
	struct cairn_error err = {""};
	return cairn_dialog_snapshot(dialog, payload, (size_t)(at - payload), now_ns, &err);
}

static void frontiers(void)
{
	struct cairn_msg_frontiers f = {.items_count = 3, .reachable = 2, .total = 3};
	f.items[0] = (struct cairn_msg_frontier){.id = 3,
	    .x_m = 2.0,
	    .y_m = 3.0,
	    .width_m = 0.9,
	    .distance_m = 1.6,
	    .kind = CAIRN_FRONTIER_KIND_DOORWAY};
	f.items[1] =
	    (struct cairn_msg_frontier){.id = 4, .x_m = 9.0, .y_m = 9.0, .width_m = 0.9, .distance_m = -1.0};
	f.items[2] =
	    (struct cairn_msg_frontier){.id = 5, .x_m = 5.0, .y_m = 2.0, .width_m = 1.5, .distance_m = 4.0, .detour_m = 1.0};
	cairn_dialog_frontiers(dialog, &f, now_ns);
}

static void setup(void)
{
	struct cairn_text system = {0};
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	snprintf(cfg.vlm.mode, sizeof(cfg.vlm.mode), "%s", mode);
	bool loaded = cairn_prompt_load(&cfg.vlm, &cfg.percept, &system, &err);
	ck_assert_msg(loaded, "%s", err.text);
	dialog = cairn_dialog_new(&cfg.vlm, cfg.safety.decision_max_age_s, system.data, &err);
	ck_assert_msg(dialog != NULL, "%s", err.text);
	cairn_text_free(&system);
	now_ns = 100 * CAIRN_NS_PER_S;
	similarity = nearest_m = 0.0;
	mission = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING, .elapsed_s = 12.0};
	mission_hdr = (struct cairn_header){.version = 1, .epoch = 77, .valid = true};
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
}

static enum cairn_dialog_act poll_dialog(void)
{
	return cairn_dialog_poll(dialog, now_ns, &body, &body_bytes);
}

static void answer(int status, const char *text)
{
	struct cairn_dialog_outcome o = {.status = status,
	    .body = text,
	    .body_bytes = strlen(text),
	    .retry_after_s = -1.0,
	    .error = "no route"};
	now_ns += 400 * MS;
	cairn_dialog_ended(dialog, now_ns, &o);
}

#define REPLY(calls)                                                                                         \
	"{\"choices\":[{\"message\":{\"content\":\"Because.\",\"tool_calls\":[" calls                        \
	"]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}"
#define CALL(id, name, args)                                                                                 \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" args \
	"\"}}"
#define GO CALL("c1", "navigate_to_goal", "{\\\"kind\\\":\\\"frontier\\\",\\\"frontier_id\\\":3}")
#define REPORT                                                                                               \
	CALL("c2", "report_discovery",                                                                       \
	    "{\\\"label\\\":\\\"hall\\\",\\\"notes\\\":null,\\\"significance\\\":\\\"room\\\"}")

static const char *last_error(void)
{
	static struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	return stats.last_error;
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
	ck_assert_ptr_nonnull(strstr(body, "\"tool_call_id\":\"q7\",\"content\":\"forward: clear for 1.5 m"));
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

START_TEST(looking_again_sends_the_picture_in_full_detail)
{
	setup();
	poll_dialog();
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"low\""));
	answer(200, REPLY(CALL("q", "observe_scene", "{\\\"focus\\\":\\\"people\\\"}")));
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_nonnull(strstr(body, "\"detail\":\"high\""));
	answer(200, REPLY(GO));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_double_eq_tol(decision.latency_s, 0.8, 1e-9);
	cairn_dialog_destroy(&dialog);
}
END_TEST

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
	now_ns += 60 * CAIRN_NS_PER_S;
	say_mission(true);
	snapshot(true, CAIRN_TRIGGER_TIMER);
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	cairn_dialog_destroy(&dialog);
}
END_TEST

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
	cairn_dialog_budget(dialog)->ledger.cost_usd = 0.1;
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_NOTHING);
	ck_assert_ptr_nonnull(strstr(last_error(), "limit_usd_per_session"));
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
	ck_assert(cairn_prompt_load(&c.vlm, &c.percept, &plain, &err));
	for (size_t i = 0; i < count; i++)
		ck_assert_ptr_null(strstr(plain.data, options[i].words));
	for (size_t i = 0; i < count; i++) {
		*options[i].flag = true;
		ck_assert_msg(cairn_prompt_load(&c.vlm, &c.percept, &with, &err), "%s", err.text);
		for (size_t k = 0; k < count; k++)
			ck_assert_int_eq(strstr(with.data, options[k].words) != NULL, k == i);
		*options[i].flag = false;
	}
	ck_assert(cairn_prompt_load(&c.vlm, &c.percept, &with, &err));
	ck_assert_str_eq(with.data, plain.data);
	cairn_text_free(&plain);
	cairn_text_free(&with);
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

static void drive_result(double distance_m)
{
	struct cairn_msg_result r = {.decision_id = decision.id,
	    .outcome = CAIRN_OUTCOME_FAILED,
	    .source = CAIRN_SOURCE_MODEL,
	    .distance_m = distance_m};
	cairn_dialog_result(dialog, &r, now_ns);
}

static void again(void)
{
	now_ns += 1100 * MS;
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
}

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

static void setup_json(void)
{
	mode = "json";
	setup();
	mode = "tools";
}

#define SAYS(text) "{\"choices\":[{\"message\":{\"content\":\"" text "\"}}]}"

START_TEST(a_model_that_answers_in_json_gets_no_tools_and_makes_the_same_decision)
{
	setup_json();
	ck_assert_int_eq(poll_dialog(), CAIRN_DIALOG_SEND);
	ck_assert_ptr_null(strstr(body, "\"tools\""));
	ck_assert_ptr_null(strstr(body, "tool_choice"));
	ck_assert_ptr_nonnull(strstr(body, "world_model_update"));
	ck_assert_ptr_nonnull(strstr(body, "rotate (\\\"angle_deg\\\": -180"));
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
	ck_assert_ptr_nonnull(strstr(body, "YOU ASKED check_path_clear: forward: clear for 1.5 m"));
	answer(200, SAYS("{'action': 'go', 'target': 'F99', 'fallback': {'action': 'go', 'target': 'F5'}}"));
	ck_assert(cairn_dialog_take_decision(dialog, &decision));
	ck_assert_uint_eq(decision.frontier_id, 5);
	ck_assert_ptr_nonnull(strstr(decision.reasoning, "F99 is gone"));
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
	ck_assert(cairn_prompt_load(&cfg.vlm, &cfg.percept, &system, &err));
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

CAIRN_TEST_MAIN("vlm dialog", equal_decisions_that_move_nothing_are_ended_by_a_rule_without_a_call,
    equal_decisions_that_get_somewhere_are_no_loop, no_call_is_made_in_any_state_that_wants_no_decision,
    a_decision_names_the_bytes_it_was_made_from,
    a_model_that_answers_in_json_gets_no_tools_and_makes_the_same_decision,
    in_json_the_sensors_answer_in_the_text_and_a_fallback_stands_in_for_a_place_that_is_gone,
    a_conversation_in_json_with_a_pilot_of_all_faults_stays_sane,
    in_shadow_the_model_decides_for_the_log_and_is_compared_with_local_exploration,
    the_request_is_the_golden_one, the_static_prefix_is_the_same_bytes_in_every_call_and_long_enough,
    a_decision_carries_its_snapshot_and_is_asked_for_once, after_a_result_only_a_newer_snapshot_will_do,
    candidates_are_listed_and_the_decision_carries_the_number_of_their_set,
    a_stuck_robot_says_so_above_its_candidates,
    a_question_to_the_sensors_gets_one_follow_up_restricted_to_actions,
    looking_again_sends_the_picture_in_full_detail, the_first_bad_answer_stops_and_a_streak_falls_silent,
    failed_calls_are_retried_after_half_a_second_with_the_same_snapshot,
    rate_limits_are_obeyed_and_a_refused_key_is_final, a_call_is_dropped_when_the_mission_changes,
    nothing_is_asked_without_wish_mission_snapshot_or_budget,
    frontiers_from_before_the_result_are_waited_out_but_not_for_long,
    a_call_is_left_out_while_nothing_changes_until_the_base_timer,
    a_trigger_a_new_view_or_something_near_ends_the_leaving_out,
    after_trouble_a_bad_answer_or_a_long_way_no_call_is_left_out,
    a_wish_that_is_heard_before_its_result_waits_a_little_for_it,
    while_the_last_decision_is_driven_the_next_one_waits_for_no_result,
    a_result_is_a_reason_even_if_the_snapshot_does_not_know_it_yet,
    tokens_are_estimated_for_a_service_that_does_not_count,
    a_broken_snapshot_is_refused_and_the_last_one_kept,
    both_pictures_go_or_stay_together_and_both_are_counted,
    the_prompt_explains_what_is_drawn_and_nothing_else, frontiers_given_up_or_out_of_reach_are_not_offered,
    a_whole_conversation_with_the_pilot_with_all_faults_stays_sane)
