/* Recorded questions put to the present code, and to another service. */
#include "common/eval/replay.h"
#include "procs/gateway/model_call.h"
#include "test/support/recorded.h"
#include "test/support/service_server.h"

/* ---- the present code ---- */

static void rerun(const struct cairn_recording *r, uint32_t i, struct cairn_eval_replay_step *step)
{
	struct cairn_lineup lineup;
	cairn_eval_replay_lineup(r, &lineup);
	struct cairn_eval_replay_setup setup = {.cfg = &cfg, .system = system_text.data, .lineup = &lineup};
	ck_assert_msg(cairn_eval_replay_step(r, i, &setup, step, &err), "%s", err.text);
}

START_TEST(what_the_present_code_says_stands_beside_what_was_said_then)
{
	struct cairn_recording *r = open_made();
	struct cairn_eval_replay_step step, again;
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

/* From 2.2 m to 3.0 m, and then as number 7 to 3.8 m: no step is longer than a place may move, both together are. */
START_TEST(a_frontier_is_followed_by_the_updates_between_question_and_decision)
{
	struct cairn_msg_frontiers f = frontiers_seen();
	struct cairn_msg_decision d = {.id = 201000000,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_FRONTIER,
	    .frontier_id = 3,
	    .t_snapshot_ns = 200 * S};
	struct cairn_eval_replay_step step;
	make_lines();
	add_asked(200 * S, 3);
	add_exchange(ANSWER(3));
	f.items[0].x_m = 3.0;
	f.items[0].goal_x_m = 2.6;
	add_frontiers(200 * S + S / 2, &f);
	f.items[0].id = 7;
	f.items[0].x_m = 3.8;
	f.items[0].goal_x_m = 3.4;
	add_decided_among(201 * S, &d, 4.0, &f);
	add_ended(203 * S, d.id, CAIRN_OUTCOME_SUCCESS, "there");
	struct cairn_recording *r = open_lines(lines.data, lines.len);
	ck_assert_msg(r != NULL, "%s", err.text);
	rerun(r, 2, &step);
	ck_assert_msg(step.now.accepted, "%s", step.now.reason);
	ck_assert_double_eq_tol(step.now.target_x_m, 3.4, 1e-6);
	cairn_recording_close(&r);
}
END_TEST

START_TEST(a_stricter_rule_is_seen_to_refuse)
{
	struct cairn_recording *r = open_made();
	struct cairn_eval_replay_step step;
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
	struct cairn_eval_replay_step step;
	snprintf(
	    cfg.safety.zones, sizeof(cfg.safety.zones), "keepout stairs 1.5,-0.5 2.5,-0.5 2.5,0.5 1.5,0.5");
	rerun(r, 1, &step);
	ck_assert_int_eq(step.change, CAIRN_RERUN_REFUSED);
	ck_assert_ptr_nonnull(strstr(step.now.reason, "stairs"));
	cairn_recording_close(&r);
}
END_TEST

START_TEST(reasons_that_differ_by_a_number_are_the_same)
{
	struct cairn_eval_replay_step s = {
	    .then = {.decided = true, .judged = true}, .now = {.decided = true, .judged = true}};
	snprintf(s.then.reason, sizeof(s.then.reason), "only 0.21 m free that way");
	snprintf(s.now.reason, sizeof(s.now.reason), "only 0.2 m free that way");
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_SAME);
	snprintf(s.now.reason, sizeof(s.now.reason), "the snapshot is old");
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_REASON);
	cairn_eval_replay_judge(&s, "because");
	ck_assert_int_eq(s.change, CAIRN_RERUN_NOT_JUDGED);
	s.now.decision.tool = CAIRN_TOOL_ROTATE;
	cairn_eval_replay_judge(&s, "because");
	ck_assert_int_eq(s.change, CAIRN_RERUN_ANSWER);
}
END_TEST

START_TEST(places_targets_and_commands_are_compared_within_their_tolerance)
{
	struct cairn_eval_replay_side side = {.decided = true,
	    .judged = true,
	    .accepted = true,
	    .has_target = true,
	    .has_nav = true,
	    .nav = CAIRN_NAV_STATE_FOLLOWING,
	    .way_m = 3.0,
	    .has_command = true,
	    .v_mps = 0.2};
	struct cairn_eval_replay_step s = {.then = side, .now = side};
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_SAME);
	s.now.v_mps = -0.2;
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_COMMAND);
	s.now.way_m = 4.0;
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_WAY);
	s.now.target_y_m = 0.4;
	cairn_eval_replay_judge(&s, NULL);
	ck_assert_int_eq(s.change, CAIRN_RERUN_TARGET);
}
END_TEST

START_TEST(agreement_is_about_what_is_meant)
{
	struct cairn_recording *r = open_made();
	const struct cairn_recorded_question *q = &r->questions[0];
	struct cairn_msg_decision a = {
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .goal_kind = CAIRN_GOAL_KIND_FRONTIER, .frontier_id = 3};
	struct cairn_msg_decision b = {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_COORDINATES,
	    .x_m = 2.0,
	    .y_m = 0.3};
	ck_assert_int_eq(cairn_eval_replay_agree(q, &a, &b), CAIRN_RERUN_AGREE);
	b.y_m = 0.6;
	ck_assert_int_eq(cairn_eval_replay_agree(q, &a, &b), CAIRN_RERUN_OTHER_ARGUMENTS);
	a = (struct cairn_msg_decision){.tool = CAIRN_TOOL_ROTATE, .angle_deg = 170.0};
	b = (struct cairn_msg_decision){.tool = CAIRN_TOOL_ROTATE, .angle_deg = -175.0};
	ck_assert_int_eq(cairn_eval_replay_agree(q, &a, &b), CAIRN_RERUN_AGREE);
	b.angle_deg = -165.0;
	ck_assert_int_eq(cairn_eval_replay_agree(q, &a, &b), CAIRN_RERUN_OTHER_ARGUMENTS);
	b.tool = CAIRN_TOOL_STOP_ROBOT;
	ck_assert_int_eq(cairn_eval_replay_agree(q, &a, &b), CAIRN_RERUN_OTHER_TOOL);
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
	p->format = format == SERVICE_ANTHROPIC ? CAIRN_CHOICE_FORMAT_ANTHROPIC : CAIRN_CHOICE_FORMAT_GEMINI;
	snprintf(p->base_url, sizeof(p->base_url), "http://127.0.0.1:%d/%s", service_server_port(server),
	    format == SERVICE_ANTHROPIC ? "v1" : "v1beta");
	snprintf(p->model, sizeof(p->model), "M");
	snprintf(p->api_key_env, sizeof(p->api_key_env), "CAIRN_TEST_KEY");
	struct model_call *call = model_call_new(&cfg, &lineup, NULL, &err);
	ck_assert_msg(call != NULL, "%s", err.text);
	return call;
}

static bool ask(const struct cairn_recording *r, struct model_call *call, struct cairn_ledger *ledger,
    double usd_max, struct cairn_msg_decision *said)
{
	struct cairn_eval_replay_setup setup = {.cfg = &cfg,
	    .system = system_text.data,
	    .lineup = &lineup,
	    .send = model_call_send,
	    .ctx = call,
	    .ledger = ledger,
	    .usd_max = usd_max};
	return cairn_eval_replay_ask(&r->questions[0], &setup, said, NULL, &err);
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

CAIRN_TEST_MAIN("rerun", what_the_present_code_says_stands_beside_what_was_said_then,
    a_frontier_is_followed_by_the_updates_between_question_and_decision, a_stricter_rule_is_seen_to_refuse,
    a_fence_is_seen_to_refuse, reasons_that_differ_by_a_number_are_the_same,
    places_targets_and_commands_are_compared_within_their_tolerance, agreement_is_about_what_is_meant,
    the_recorded_question_goes_to_another_service_with_its_picture, a_service_that_asks_for_a_pause_gets_it,
    nothing_is_asked_beyond_the_cap, a_missing_key_is_named)
