/* Recordings: what is written is read back, what is damaged is refused, and the questions go to another service. */
#include "test/support/runner.h"

#include <math.h>

#include "common/eval/rerun.h"
#include "common/vlm/exchange.h"
#include "common/vlm/prompt.h"
#include "procs/cairn/model_call.h"
#include "test/support/service_server.h"

#define S CAIRN_NS_PER_S
#define VIEW "SENSORS (LiDAR, 12 sectors of 30 deg, clockwise from the front)\n0 2.4m CLEAR\nROBOT\n"
#define ANSWER(frontier)                                                                                     \
	"{\"choices\":[{\"message\":{\"content\":\"Because.\",\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\","          \
	"\"function\":{\"name\":\"navigate_to_goal\",\"arguments\":\"{\\\"kind\\\":\\\"frontier\\\",\\\"frontier_id\\\":"    \
	#frontier "}\"}}]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}"

static struct cairn_config cfg;
static struct cairn_text lines, system_text;
static struct cairn_error err;
static char path[64];
static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};

/* ---- a recording ---- */

static struct cairn_msg_frontiers frontiers_seen(void)
{
	struct cairn_msg_frontiers f = {.items_count = 2, .reachable = 2, .total = 2, .free_m2 = 8.0};
	f.items[0] = (struct cairn_msg_frontier){
	    .id = 3, .x_m = 2.2, .y_m = 0.0, .goal_x_m = 1.8, .width_m = 0.9, .distance_m = 1.8};
	f.items[1] = (struct cairn_msg_frontier){
	    .id = 5, .x_m = 0.0, .y_m = 2.4, .goal_y_m = 2.0, .width_m = 1.5, .distance_m = 2.1};
	return f;
}

static void add_asked(int64_t t_ns, uint64_t number)
{
	uint8_t payload[512];
	struct cairn_snapshot_head head = {.snapshot_id = number,
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .image_needed = 1,
	    .text_bytes = sizeof(VIEW) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .version = CAIRN_SNAPSHOT_VERSION};
	struct cairn_msg_mission mission = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true, .elapsed_s = 5.0};
	struct cairn_msg_frontiers f = frontiers_seen();
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns};
	struct cairn_memory memory;
	struct cairn_ledger none = {0};
	struct cairn_text text = {0};
	char stamp[32];
	cairn_memory_init(&memory);
	ck_assert(cairn_memory_write(&memory, &none, &text));
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), VIEW, sizeof(VIEW) - 1);
	memcpy(payload + sizeof(head) + sizeof(VIEW) - 1, jpeg, sizeof(jpeg));
	size_t from = lines.len;
	cairn_recording_begin(&lines, "asked", number, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_MISSION, &at, &mission);
	cairn_recording_message(&lines, CAIRN_TOPIC_FRONTIERS, &at, &f);
	cairn_recording_blob(&lines, "snapshot", payload, sizeof(head) + sizeof(VIEW) - 1 + sizeof(jpeg));
	snprintf(stamp, sizeof(stamp), "%lld", (long long)t_ns);
	cairn_recording_text(&lines, "snapshot_ns", stamp, strlen(stamp));
	cairn_recording_text(&lines, "pictures", "yes", 3);
	cairn_recording_text(&lines, "context", "of another time", 15);
	cairn_recording_text(&lines, "problem", "", 0);
	cairn_recording_text(&lines, "memory", text.data, text.len);
	cairn_recording_end(&lines, from);
	cairn_text_free(&text);
}

static void add_exchange(const char *response)
{
	struct cairn_exchange x = {.provider = "pilot",
	    .format = "openai",
	    .url = "http://127.0.0.1:0/v1",
	    .request = "{}",
	    .request_bytes = 2,
	    .status = 200,
	    .response = response,
	    .response_bytes = strlen(response),
	    .retry_after_s = -1.0};
	cairn_exchange_line(&lines, &x);
}

/* Walls far away all round, but for what stands free_m ahead. */
static struct cairn_msg_scan scan_of(double ahead_m)
{
	struct cairn_msg_scan s = {.range_min_m = 0.05F, .range_max_m = 12.0F, .angle_rad_count = 360, .range_m_count = 360};
	for (uint32_t i = 0; i < 360; i++) {
		s.angle_rad[i] = (float)((double)i * M_PI / 180.0 - M_PI);
		s.range_m[i] = fabs((double)i - 180.0) < 30.0 ? (float)ahead_m : 4.0F;
	}
	return s;
}

static void add_decided(int64_t t_ns, const struct cairn_msg_decision *decision, double ahead_m)
{
	static uint8_t cells[200 * 200];
	struct cairn_frame_header grid = {.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .format = CAIRN_FORMAT_GRID8,
	    .width = 200,
	    .height = 200,
	    .stride_bytes = 200,
	    .payload_bytes = sizeof(cells),
	    .origin_x_m = -5.0,
	    .origin_y_m = -5.0,
	    .cell_m = 0.05};
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true, .elapsed_s = 5.0};
	struct cairn_msg_frontiers f = frontiers_seen();
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD, .quality = 0.9};
	struct cairn_msg_motion motion = {.state = CAIRN_MOTOR_STATE_IDLE, .nearest_m = 1.0};
	struct cairn_msg_scan scan = scan_of(ahead_m);
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns - S / 100};
	size_t from = lines.len;
	cairn_recording_begin(&lines, "decided", decision->id, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_MISSION, &at, &mission);
	cairn_recording_message(&lines, CAIRN_TOPIC_FRONTIERS, &at, &f);
	cairn_recording_message(&lines, CAIRN_TOPIC_MOTION, &at, &motion);
	cairn_recording_message(&lines, CAIRN_TOPIC_POSE, &at, &pose);
	cairn_recording_message(&lines, CAIRN_TOPIC_SCAN, &at, &scan);
	cairn_recording_message(&lines, CAIRN_TOPIC_DECISION, &at, decision);
	ck_assert(cairn_recording_grid(&lines, &grid, cells));
	cairn_recording_end(&lines, from);
}

static void add_ended(int64_t t_ns, uint64_t id, enum cairn_outcome outcome, const char *reason)
{
	struct cairn_msg_result r = {.decision_id = id,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .outcome = outcome};
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns};
	size_t from = lines.len;
	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	cairn_recording_begin(&lines, "ended", id, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_RESULT, &at, &r);
	cairn_recording_end(&lines, from);
}

/* Frontier 3 twice: refused by the recorded sequencer, and accepted. */
static void make_lines(void)
{
	struct cairn_profile profile;
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	cfg.vlm.connect_timeout_s = 8.0; /* for a machine that is busy; measures nothing */
	cfg.vlm.timeout_s = 30.0;
	cairn_profile_defaults(&profile);
	cairn_text_clear(&lines);
	cairn_text_clear(&system_text);
	ck_assert_msg(cairn_prompt_load(&cfg.vlm, &cfg.percept, &system_text, &err), "%s", err.text);
	cairn_recording_begun(&lines, &cfg, &profile, system_text.data, 1e9);
	for (int64_t i = 1; i <= 2; i++) {
		int64_t t_ns = 100 * S + i * 10 * S;
		struct cairn_msg_decision d = {.id = (uint64_t)((t_ns + S) / 1000),
		    .source = CAIRN_SOURCE_MODEL,
		    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		    .goal_kind = CAIRN_GOAL_KIND_FRONTIER,
		    .frontier_id = 3,
		    .t_snapshot_ns = t_ns};
		add_asked(t_ns, (uint64_t)i);
		add_exchange(ANSWER(3));
		add_decided(t_ns + S, &d, 4.0);
		add_ended(t_ns + 3 * S, d.id, i == 1 ? CAIRN_OUTCOME_REFUSED : CAIRN_OUTCOME_SUCCESS,
		    i == 1 ? "only 0.10 m free that way" : "there");
	}
	ck_assert(!lines.failed);
}

static struct cairn_recording *open_lines(const char *data, size_t bytes)
{
	snprintf(path, sizeof(path), "/tmp/cairn-recording-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
	close(fd);
	struct cairn_recording *r = cairn_recording_open(path, &err);
	unlink(path);
	return r;
}

static struct cairn_recording *open_made(void)
{
	make_lines();
	struct cairn_recording *r = open_lines(lines.data, lines.len);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

/* ---- reading ---- */

START_TEST(what_is_written_is_read_back)
{
	struct cairn_recording *r = open_made();
	static struct cairn_msg_scan scan;
	struct cairn_msg_decision d;
	struct cairn_header hdr;
	struct cairn_frame_header grid;
	struct cairn_text cells = {0};
	ck_assert_uint_eq(r->count, 2);
	const struct cairn_recorded_question *q = &r->questions[1];
	ck_assert_uint_eq(q->exchange_count, 1);
	ck_assert(cairn_recorded_newest(&q->decided, CAIRN_TOPIC_SCAN, &hdr, &scan));
	ck_assert_uint_eq(scan.range_m_count, 360);
	ck_assert_int_eq(hdr.t_ns, 121 * S - S / 100);
	ck_assert(cairn_recorded_newest(&q->decided, CAIRN_TOPIC_DECISION, &hdr, &d));
	ck_assert_uint_eq(d.frontier_id, 3);
	ck_assert(!cairn_recorded_newest(&q->decided, CAIRN_TOPIC_ZONES, &hdr, &d));
	ck_assert_msg(cairn_recorded_grid(&q->decided, &grid, &cells, &err), "%s", err.text);
	ck_assert_uint_eq(cells.len, 40000);
	ck_assert_double_eq(grid.cell_m, 0.05);
	ck_assert_str_eq(cairn_recorded_text(&q->asked, "context"), "of another time");
	cairn_text_free(&cells);
	cairn_recording_close(&r);
}
END_TEST

START_TEST(every_changed_byte_is_found)
{
	make_lines();
	char *copy = malloc(lines.len);
	for (size_t i = 0; i < lines.len; i += 97) {
		memcpy(copy, lines.data, lines.len);
		copy[i] = copy[i] == '7' ? '8' : '7';
		struct cairn_recording *r = open_lines(copy, lines.len);
		/* The end of the last line may be what is gone: then it counts as not yet written. */
		bool cut = lines.data[i] == '\n' && i + 1 == lines.len;
		ck_assert_msg(r == NULL || cut, "byte %zu", i);
		if (r == NULL)
			ck_assert_ptr_nonnull(strstr(err.text, "line "));
		cairn_recording_close(&r);
	}
	free(copy);
}
END_TEST

START_TEST(a_line_cut_off_at_the_end_is_left_out)
{
	make_lines();
	struct cairn_recording *r = open_lines(lines.data, lines.len - 10);
	ck_assert_msg(r != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(r->questions[1].decided.row);
	ck_assert_ptr_null(r->questions[1].ended.row);
	cairn_recording_close(&r);
}
END_TEST

static void refused_for(const char *data, const char *why)
{
	struct cairn_recording *r = open_lines(data, strlen(data));
	ck_assert_ptr_null(r);
	ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
}

START_TEST(recordings_of_other_versions_are_refused_with_the_reason)
{
	refused_for("{\"v\":1,\"t_unix_s\":1,\"request\":\"\",\"response\":\"\"}\n", "not what the robot saw");
	refused_for("{\"v\":3,\"kind\":\"asked\"}\n", "later version");
	refused_for("{\"v\":2,\"kind\":\"asked\"}\n", "sum is wrong");
	refused_for("nonsense\n", "damaged");
	refused_for("", "no question");
}
END_TEST

START_TEST(a_replay_of_answers_passes_over_the_other_lines)
{
	struct cairn_replay_answer a;
	make_lines();
	snprintf(path, sizeof(path), "/tmp/cairn-recording-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, lines.data, lines.len), (ssize_t)lines.len);
	close(fd);
	struct cairn_replay *replay = cairn_replay_open(path, &err);
	unlink(path);
	ck_assert_msg(replay != NULL, "%s", err.text);
	ck_assert(cairn_replay_next(replay, "{}", 2, &a));
	ck_assert(cairn_replay_next(replay, "{}", 2, &a));
	ck_assert(!cairn_replay_next(replay, "{}", 2, &a));
	cairn_replay_close(&replay);
}
END_TEST

START_TEST(the_recorded_configuration_comes_back_and_unknown_keys_are_counted)
{
	struct cairn_config back;
	make_lines();
	cairn_text_clear(&lines);
	cfg.safety.margin_m = 0.0875;
	struct cairn_profile profile;
	cairn_profile_defaults(&profile);
	cairn_recording_begun(&lines, &cfg, &profile, "system", 1e9);
	add_asked(110 * S, 1);
	struct cairn_recording *r = open_lines(lines.data, lines.len);
	ck_assert_msg(r != NULL, "%s", err.text);
	cairn_config_defaults(&back);
	ck_assert_uint_eq(cairn_recorded_config(r, &back), 0);
	ck_assert_double_eq(back.safety.margin_m, 0.0875);
	cairn_recording_close(&r);
}
END_TEST

/* ---- the present code ---- */

static void rerun(const struct cairn_recording *r, uint32_t i, struct cairn_rerun_step *step)
{
	struct cairn_lineup lineup;
	cairn_rerun_lineup(r, &lineup);
	struct cairn_rerun_setup setup = {.cfg = &cfg, .system = system_text.data, .lineup = &lineup};
	ck_assert_msg(cairn_rerun_step(r, i, &setup, step, &err), "%s", err.text);
}

START_TEST(what_the_present_code_says_stands_beside_what_was_said_then)
{
	struct cairn_recording *r = open_made();
	struct cairn_rerun_step step, again;
	rerun(r, 0, &step);
	ck_assert_str_eq(step.now.asked, "navigate_to_goal F3");
	ck_assert_int_eq(step.change, CAIRN_RERUN_ACCEPTED);
	ck_assert_str_eq(step.detail, "only 0.10 m free that way");
	ck_assert(!step.same_prompt);
	ck_assert(step.now.has_target && step.now.has_nav && step.now.has_command);
	ck_assert_double_eq_tol(step.now.target_x_m, 1.8, 1e-6);
	ck_assert_int_eq(step.now.nav, CAIRN_NAV_STATE_FOLLOWING);
	ck_assert_double_eq_tol(step.now.way_m, 1.8, 0.3);
	ck_assert_double_gt(step.now.v_mps, 0.0);
	rerun(r, 0, &again);
	ck_assert_mem_eq(&step, &again, sizeof(step));
	cairn_recording_close(&r);
}
END_TEST

START_TEST(a_stricter_rule_is_seen_to_refuse)
{
	struct cairn_recording *r = open_made();
	struct cairn_rerun_step step;
	cfg.safety.decision_max_age_s = 0.5; /* the decision came after a second */
	rerun(r, 1, &step);
	ck_assert_int_eq(step.change, CAIRN_RERUN_REFUSED);
	ck_assert_ptr_nonnull(strstr(step.now.reason, "the snapshot is 1.0 s old"));
	cairn_recording_close(&r);
}
END_TEST

START_TEST(a_fence_is_seen_to_refuse)
{
	struct cairn_recording *r = open_made();
	struct cairn_rerun_step step;
	snprintf(cfg.safety.zones, sizeof(cfg.safety.zones), "keepout stairs 1.5,-0.5 2.5,-0.5 2.5,0.5 1.5,0.5");
	rerun(r, 1, &step);
	ck_assert_int_eq(step.change, CAIRN_RERUN_REFUSED);
	ck_assert_ptr_nonnull(strstr(step.now.reason, "stairs"));
	cairn_recording_close(&r);
}
END_TEST

START_TEST(reasons_that_differ_by_a_number_are_the_same)
{
	struct cairn_rerun_step s = {.then = {.decided = true, .judged = true}, .now = {.decided = true, .judged = true}};
	snprintf(s.then.reason, sizeof(s.then.reason), "only 0.21 m free that way");
	snprintf(s.now.reason, sizeof(s.now.reason), "only 0.2 m free that way");
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_SAME);
	snprintf(s.now.reason, sizeof(s.now.reason), "the snapshot is old");
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_REASON);
	cairn_rerun_judge(&s, "because");
	ck_assert_int_eq(s.change, CAIRN_RERUN_NOT_JUDGED);
	s.now.decision.tool = CAIRN_TOOL_ROTATE;
	cairn_rerun_judge(&s, "because");
	ck_assert_int_eq(s.change, CAIRN_RERUN_ANSWER);
}
END_TEST

START_TEST(places_targets_and_commands_are_compared_within_their_tolerance)
{
	struct cairn_rerun_side side = {.decided = true,
	    .judged = true,
	    .accepted = true,
	    .has_target = true,
	    .has_nav = true,
	    .nav = CAIRN_NAV_STATE_FOLLOWING,
	    .way_m = 3.0,
	    .has_command = true,
	    .v_mps = 0.2};
	struct cairn_rerun_step s = {.then = side, .now = side};
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_SAME);
	s.now.v_mps = -0.2;
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_COMMAND);
	s.now.way_m = 4.0;
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_WAY);
	s.now.target_y_m = 0.4;
	cairn_rerun_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_TARGET);
}
END_TEST

START_TEST(agreement_is_about_what_is_meant)
{
	struct cairn_recording *r = open_made();
	const struct cairn_recorded_question *q = &r->questions[0];
	struct cairn_msg_decision a = {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .goal_kind = CAIRN_GOAL_KIND_FRONTIER, .frontier_id = 3};
	struct cairn_msg_decision b = {
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .goal_kind = CAIRN_GOAL_KIND_COORDINATES, .x_m = 2.0, .y_m = 0.3};
	ck_assert_int_eq(cairn_rerun_agree(q, &a, &b), CAIRN_RERUN_AGREE);
	b.y_m = 0.6;
	ck_assert_int_eq(cairn_rerun_agree(q, &a, &b), CAIRN_RERUN_OTHER_ARGUMENTS);
	a = (struct cairn_msg_decision){.tool = CAIRN_TOOL_ROTATE, .angle_deg = 170.0};
	b = (struct cairn_msg_decision){.tool = CAIRN_TOOL_ROTATE, .angle_deg = -175.0};
	ck_assert_int_eq(cairn_rerun_agree(q, &a, &b), CAIRN_RERUN_AGREE);
	b.angle_deg = -165.0;
	ck_assert_int_eq(cairn_rerun_agree(q, &a, &b), CAIRN_RERUN_OTHER_ARGUMENTS);
	b.tool = CAIRN_TOOL_STOP_ROBOT;
	ck_assert_int_eq(cairn_rerun_agree(q, &a, &b), CAIRN_RERUN_OTHER_TOOL);
	cairn_recording_close(&r);
}
END_TEST

/* ---- another model, over real sockets ---- */

#define KEY "sk-planted-1122"

static struct service_server *server;
static struct cairn_lineup lineup;

static struct model_call *call_of(enum service_format format)
{
	struct cairn_profile *p = &lineup.rows[0];
	setenv("CAIRN_TEST_KEY", KEY, 1);
	server = service_server_new(format, NULL, NULL, KEY);
	ck_assert_ptr_nonnull(server);
	lineup = (struct cairn_lineup){.count = 1};
	cairn_profile_defaults(p);
	snprintf(p->name, sizeof(p->name), "other");
	snprintf(p->format, sizeof(p->format), "%s", format == SERVICE_ANTHROPIC ? "anthropic" : "gemini");
	snprintf(p->base_url, sizeof(p->base_url), "http://127.0.0.1:%d/%s", service_server_port(server),
	    format == SERVICE_ANTHROPIC ? "v1" : "v1beta");
	snprintf(p->model, sizeof(p->model), "M");
	snprintf(p->api_key_env, sizeof(p->api_key_env), "CAIRN_TEST_KEY");
	struct model_call *call = model_call_new(&cfg, &lineup, NULL, &err);
	ck_assert_msg(call != NULL, "%s", err.text);
	return call;
}

static bool ask(const struct cairn_recording *r, struct model_call *call, struct cairn_ledger *ledger, double usd_max,
    struct cairn_msg_decision *said)
{
	struct cairn_rerun_setup setup = {.cfg = &cfg,
	    .system = system_text.data,
	    .lineup = &lineup,
	    .send = model_call_send,
	    .ctx = call,
	    .ledger = ledger,
	    .usd_max = usd_max};
	return cairn_rerun_ask(&r->questions[0], &setup, said, NULL, &err);
}

START_TEST(the_recorded_question_goes_to_another_service_with_its_picture)
{
	for (int format = SERVICE_ANTHROPIC; format <= SERVICE_GEMINI; format++) {
		struct cairn_recording *r = open_made();
		struct model_call *call = call_of((enum service_format)format);
		struct cairn_ledger ledger = {0};
		struct cairn_msg_decision said;
		ck_assert_msg(ask(r, call, &ledger, 1.0, &said), "%s", err.text);
		ck_assert_int_eq(service_server_refused(server), 0);
		ck_assert_int_ge(service_server_pictures(server), 1);
		ck_assert_uint_eq(ledger.calls, (uint64_t)service_server_requests(server));
		ck_assert_double_gt(ledger.cost_usd, 0.0);
		model_call_destroy(&call);
		service_server_destroy(&server);
		cairn_recording_close(&r);
	}
}
END_TEST

START_TEST(a_service_that_asks_for_a_pause_gets_it)
{
	struct cairn_recording *r = open_made();
	struct model_call *call = call_of(SERVICE_ANTHROPIC);
	struct cairn_ledger ledger = {0};
	struct cairn_msg_decision said;
	service_server_limit(server, 1, 1);
	ck_assert_msg(ask(r, call, &ledger, 1.0, &said), "%s", err.text);
	ck_assert_int_ge(service_server_requests(server), 2);
	model_call_destroy(&call);
	service_server_destroy(&server);
	cairn_recording_close(&r);
}
END_TEST

START_TEST(nothing_is_asked_beyond_the_cap)
{
	struct cairn_recording *r = open_made();
	struct model_call *call = call_of(SERVICE_ANTHROPIC);
	struct cairn_ledger ledger = {.calls = 7, .cost_usd = 0.25};
	struct cairn_msg_decision said;
	ck_assert(!ask(r, call, &ledger, 0.2, &said));
	ck_assert_msg(strstr(err.text, "budget") != NULL, "%s", err.text);
	ck_assert_int_eq(service_server_requests(server), 0);
	ck_assert_uint_eq(ledger.calls, 7);
	ck_assert(ask(r, call, &ledger, 1.0, &said));
	ck_assert_double_gt(ledger.cost_usd, 0.25);
	model_call_destroy(&call);
	service_server_destroy(&server);
	cairn_recording_close(&r);
}
END_TEST

START_TEST(a_missing_key_is_named)
{
	make_lines();
	lineup = (struct cairn_lineup){.count = 1};
	cairn_profile_defaults(&lineup.rows[0]);
	snprintf(lineup.rows[0].base_url, sizeof(lineup.rows[0].base_url), "http://127.0.0.1:9/v1");
	snprintf(lineup.rows[0].api_key_env, sizeof(lineup.rows[0].api_key_env), "CAIRN_NO_SUCH_KEY");
	ck_assert_ptr_null(model_call_new(&cfg, &lineup, NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "CAIRN_NO_SUCH_KEY"));
}
END_TEST

CAIRN_TEST_MAIN("replay", what_is_written_is_read_back, every_changed_byte_is_found, a_line_cut_off_at_the_end_is_left_out,
    recordings_of_other_versions_are_refused_with_the_reason, a_replay_of_answers_passes_over_the_other_lines,
    the_recorded_configuration_comes_back_and_unknown_keys_are_counted,
    what_the_present_code_says_stands_beside_what_was_said_then, a_stricter_rule_is_seen_to_refuse,
    a_fence_is_seen_to_refuse, reasons_that_differ_by_a_number_are_the_same,
    places_targets_and_commands_are_compared_within_their_tolerance, agreement_is_about_what_is_meant,
    the_recorded_question_goes_to_another_service_with_its_picture, a_service_that_asks_for_a_pause_gets_it,
    nothing_is_asked_beyond_the_cap, a_missing_key_is_named)
