#include "test/support/runner.h"

#include <math.h>

#include "common/vlm/decision.h"

static struct cairn_answer answer;

static const struct cairn_answer *parse(const char *body, size_t count, bool actions_only)
{
	cairn_answer_parse(&cairn_provider_openai, body, count, actions_only, &answer);
	return &answer;
}

/* A response with the given members of the message, and usage. */
static const struct cairn_answer *message(const char *members, const char *finish)
{
	static char body[8192];
	snprintf(body, sizeof(body),
	    "{\"id\":\"c\",\"choices\":[{\"index\":0,\"finish_reason\":\"%s\",\"message\":{\"role\":"
	    "\"assistant\",%s}}],"
	    "\"usage\":{\"prompt_tokens\":900,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_"
	    "tokens\":768}}}",
	    finish, members);
	return parse(body, strlen(body), false);
}

#define CALL(name, args)                                                                                     \
	"{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" args \
	"\"}}"
#define ROTATE CALL("rotate", "{\\\"angle_deg\\\":-90}")
#define REPORT                                                                                               \
	CALL("report_discovery",                                                                             \
	    "{\\\"label\\\":\\\"kitchen\\\",\\\"notes\\\":null,\\\"significance\\\":\\\"room\\\"}")

static void expect_stop(const struct cairn_answer *a, const char *why)
{
	struct cairn_msg_decision d;
	ck_assert_msg(a->kind == CAIRN_ANSWER_STOP && strstr(a->problem, why) != NULL,
	    "kind %d, '%s' instead of '%s'", (int)a->kind, a->problem, why);
	cairn_decision_from_answer(a, &d);
	ck_assert_int_eq(d.tool, CAIRN_TOOL_STOP_ROBOT);
	ck_assert_str_eq(d.reason, a->problem);
}

START_TEST(a_good_answer_becomes_a_decision_with_usage)
{
	const struct cairn_answer *a =
	    message("\"content\":\"The door is left.\",\"tool_calls\":[" ROTATE "]", "tool_calls");
	ck_assert_int_eq(a->kind, CAIRN_ANSWER_ACTION);
	ck_assert_str_eq(a->main_handle.id, "call_1");
	ck_assert_uint_eq(a->usage.tokens_in, 900);
	ck_assert_uint_eq(a->usage.tokens_cached, 768);
	ck_assert_uint_eq(a->usage.tokens_out, 20);
	struct cairn_msg_decision d;
	cairn_decision_from_answer(a, &d);
	ck_assert_int_eq(d.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(d.source, CAIRN_SOURCE_MODEL);
	ck_assert_double_eq(d.angle_deg, -90.0);
	ck_assert_str_eq(d.reasoning, "The door is left.");
}
END_TEST

START_TEST(a_tool_call_counts_whatever_the_finish_reason_says)
{
	ck_assert_int_eq(
	    message("\"content\":null,\"tool_calls\":[" ROTATE "]", "stop")->kind, CAIRN_ANSWER_ACTION);
	expect_stop(message("\"content\":null,\"tool_calls\":[" ROTATE "]", "length"), "cut off");
	expect_stop(message("\"content\":null,\"tool_calls\":[" ROTATE "]", "content_filter"), "filtered");
}
END_TEST

#define REASONED CALL("rotate", "{\\\"reasoning\\\":\\\"The door is right.\\\",\\\"angle_deg\\\":90}")

START_TEST(what_a_call_says_of_itself_is_the_reasoning_and_calls_without_are_counted)
{
	const struct cairn_answer *a =
	    message("\"content\":null,\"tool_calls\":[" REASONED "]", "tool_calls");
	ck_assert_str_eq(a->reasoning, "The door is right.");
	ck_assert_uint_eq(a->calls, 1);
	ck_assert_uint_eq(a->calls_without_reasoning, 0);
	a = message("\"content\":null,\"tool_calls\":[" REPORT "," ROTATE "]", "tool_calls");
	ck_assert_uint_eq(a->calls, 2);
	ck_assert_uint_eq(a->calls_without_reasoning, 2);
}
END_TEST

START_TEST(a_heading_and_a_fallback_are_part_of_the_decision)
{
	struct cairn_msg_decision d;
	cairn_decision_from_answer(
	    message("\"tool_calls\":[" CALL("rotate", "{\\\"angle_deg\\\":null,\\\"heading_deg\\\":270}") "]",
		"tool_calls"),
	    &d);
	ck_assert(d.absolute && d.angle_deg == 270.0);
	cairn_decision_from_answer(message("\"tool_calls\":[" CALL("navigate_to_goal",
					       "{\\\"to\\\":\\\"F3\\\",\\\"if_failed\\\":\\\"C9\\\"}") "]",
				       "tool_calls"),
	    &d);
	ck_assert(d.has_fallback);
	ck_assert_int_eq(d.fallback_tool, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	ck_assert_int_eq(d.fallback_goal_kind, CAIRN_GOAL_KIND_CANDIDATE);
	ck_assert_uint_eq(d.fallback_candidate_id, 9);
}
END_TEST

START_TEST(any_number_of_reports_may_stand_beside_one_action)
{
	const struct cairn_answer *a = message("\"tool_calls\":[" REPORT "," ROTATE "]", "tool_calls");
	ck_assert_int_eq(a->kind, CAIRN_ANSWER_ACTION);
	ck_assert_uint_eq(a->reports_count, 1);
	ck_assert_str_eq(a->reports[0].label, "kitchen");
	a = message("\"tool_calls\":[" REPORT "," ROTATE "," REPORT "," REPORT "]", "tool_calls");
	ck_assert_int_eq(a->kind, CAIRN_ANSWER_ACTION);
	ck_assert_uint_eq(a->reports_count, 3);
	ck_assert_int_eq(message("\"tool_calls\":[" REPORT "]", "tool_calls")->kind, CAIRN_ANSWER_REPORT);
	expect_stop(message("\"tool_calls\":[" ROTATE "," ROTATE "]", "tool_calls"), "more than one action");
	expect_stop(message("\"tool_calls\":[" REPORT "," ROTATE "," ROTATE "]", "tool_calls"),
	    "more than one action");
}
END_TEST

/* An answer of a format: so many reports, and the calls behind them. */
static const struct cairn_answer *reports_and(const struct cairn_provider *provider, int reports, int turns)
{
	static const struct {
		const struct cairn_provider *provider;
		const char *head, *report, *turn, *tail;
	} formats[] = {
	    {&cairn_provider_openai, "{\"choices\":[{\"message\":{\"tool_calls\":[", REPORT, ROTATE, "]}}]}"},
	    {&cairn_provider_anthropic, "{\"content\":[",
		"{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"report_discovery\",\"input\":{\"label\":"
		"\"kitchen\","
		"\"notes\":null,\"significance\":\"room\"}}",
		"{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"rotate\",\"input\":{\"angle_deg\":-90}}",
		"],\"stop_reason\":\"tool_use\"}"},
	    {&cairn_provider_gemini, "{\"candidates\":[{\"content\":{\"parts\":[",
		"{\"functionCall\":{\"name\":\"report_discovery\",\"args\":{\"label\":\"kitchen\",\"notes\":"
		"null,"
		"\"significance\":\"room\"}}}",
		"{\"functionCall\":{\"name\":\"rotate\",\"args\":{\"angle_deg\":-90}}}",
		"]},\"finishReason\":\"STOP\"}]}"}};
	static char body[16384];
	size_t k = 0;
	while (formats[k].provider != provider)
		k++;
	size_t n = (size_t)snprintf(body, sizeof(body), "%s", formats[k].head);
	for (int i = 0; i < reports + turns; i++)
		n += (size_t)snprintf(body + n, sizeof(body) - n, "%s%s", i > 0 ? "," : "",
		    i < reports ? formats[k].report : formats[k].turn);
	n += (size_t)snprintf(body + n, sizeof(body) - n, "%s", formats[k].tail);
	cairn_answer_parse(provider, body, n, false, &answer);
	return &answer;
}

START_TEST(reports_beyond_the_bound_are_counted_and_cost_neither_the_action_nor_the_others)
{
	static const struct cairn_provider *const formats[] = {
	    &cairn_provider_openai, &cairn_provider_anthropic, &cairn_provider_gemini};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct cairn_answer *a = reports_and(formats[i], 9, 1);
		ck_assert_msg(a->kind == CAIRN_ANSWER_ACTION, "%s: %s", formats[i]->name, a->problem);
		ck_assert_int_eq(a->main.tool, CAIRN_TOOL_ROTATE);
		ck_assert_uint_eq(a->reports_count, CAIRN_ANSWER_REPORTS_MAX);
		ck_assert_uint_eq(a->left_out, 9 - CAIRN_ANSWER_REPORTS_MAX);
		ck_assert_str_eq(a->reports[CAIRN_ANSWER_REPORTS_MAX - 1].label, "kitchen");
		a = reports_and(formats[i], 20, 0);
		ck_assert_int_eq(a->kind, CAIRN_ANSWER_REPORT);
		ck_assert_uint_eq(a->left_out, 20 - CAIRN_ANSWER_REPORTS_MAX);
		ck_assert_uint_eq(reports_and(formats[i], 3, 1)->left_out, 0);
		/* A second action is seen also where there is no room for it. */
		expect_stop(reports_and(formats[i], 9, 2), "more than one action");
		expect_stop(reports_and(formats[i], 0, 40), "more than one action");
	}
}
END_TEST

START_TEST(questions_to_the_sensors_are_told_apart)
{
	const char *ask = "\"tool_calls\":[" CALL(
	    "check_path_clear", "{\\\"direction\\\":\\\"left\\\",\\\"distance_m\\\":1}") "]";
	const struct cairn_answer *a = message(ask, "tool_calls");
	ck_assert_int_eq(a->kind, CAIRN_ANSWER_PERCEIVE);
	ck_assert_int_eq(a->main.direction, CAIRN_DIRECTION_LEFT);
	static const char body[] = "{\"choices\":[{\"message\":{\"tool_calls\":[" CALL(
	    "observe_scene", "{\\\"focus\\\":\\\"people\\\"}") "]}}]}";
	ck_assert_int_eq(parse(body, sizeof(body) - 1, false)->kind, CAIRN_ANSWER_PERCEIVE);
	expect_stop(parse(body, sizeof(body) - 1, true), "no action");
}
END_TEST

START_TEST(what_is_no_usable_answer_is_a_stop_with_the_reason)
{
	expect_stop(parse("", 0, false), "not JSON");
	expect_stop(parse("<html>502</html>", 16, false), "not JSON");
	expect_stop(parse("[]", 2, false), "not an object");
	expect_stop(parse("{\"choices\":[]}", 14, false), "choices[0].message");
	expect_stop(parse("{\"a\":1,\"a\":2}", 13, false), "duplicate");
	expect_stop(parse("{\"choices\":NaN}", 15, false), "not JSON");
	expect_stop(message("\"content\":\"I would turn left.\"", "stop"), "no tool call");
	expect_stop(message("\"refusal\":\"I cannot help.\",\"tool_calls\":[" ROTATE "]", "stop"),
	    "refused: I cannot help.");
	expect_stop(message("\"tool_calls\":{}", "stop"), "not a list");
	expect_stop(message("\"tool_calls\":[7]", "stop"), "without a name");
	expect_stop(message("\"tool_calls\":[" CALL("fly_to", "{}") "]", "stop"), "unknown tool 'fly_to'");
	expect_stop(message("\"tool_calls\":[" CALL("rotate", "{\\\"angle_deg\\\":") "]", "stop"),
	    "arguments: not JSON");
	expect_stop(
	    message("\"tool_calls\":[" CALL("rotate", "{\\\"angle_deg\\\":NaN}") "]", "stop"), "not JSON");
	expect_stop(
	    message("\"tool_calls\":[" CALL("rotate", "{\\\"angle_deg\\\":1e999}") "]", "stop"), "not JSON");
	expect_stop(
	    message(
		"\"tool_calls\":[" CALL("rotate", "{\\\"angle_deg\\\":90,\\\"angle_deg\\\":45}") "]", "stop"),
	    "duplicate");
	expect_stop(
	    message("\"tool_calls\":[{\"type\":\"custom\",\"function\":{\"name\":\"rotate\"}}]", "stop"),
	    "not a function");
	expect_stop(
	    message(
		"\"tool_calls\":[{\"type\":\"function\",\"function\":{\"name\":\"rotate\",\"arguments\":5}}]",
		"stop"),
	    "arguments are not a text");
}
END_TEST

START_TEST(size_and_depth_are_bounded)
{
	size_t big = CAIRN_RESPONSE_BYTES_MAX + 1;
	char *body = malloc(big);
	memset(body, ' ', big);
	expect_stop(parse(body, big, false), "larger than");
	memset(body, '[', 100000);
	expect_stop(parse(body, 100000, false), "nested deeper");
	free(body);
}
END_TEST

START_TEST(usage_of_a_lying_service_stays_in_bounds)
{
	static const char body[] =
	    "{\"choices\":[{\"message\":{}}],\"usage\":{\"prompt_tokens\":-5,\"completion_tokens\":"
	    "9000000000000000000,\"prompt_tokens_details\":{\"cached_tokens\":50}}}";
	const struct cairn_answer *a = parse(body, sizeof(body) - 1, false);
	ck_assert_uint_eq(a->usage.tokens_in, 0);
	ck_assert_uint_eq(a->usage.tokens_cached, 0);
	ck_assert_uint_eq(a->usage.tokens_out, 100000000);
}
END_TEST

CAIRN_TEST_MAIN("vlm decision", a_good_answer_becomes_a_decision_with_usage,
    a_tool_call_counts_whatever_the_finish_reason_says,
    what_a_call_says_of_itself_is_the_reasoning_and_calls_without_are_counted,
    a_heading_and_a_fallback_are_part_of_the_decision, any_number_of_reports_may_stand_beside_one_action,
    reports_beyond_the_bound_are_counted_and_cost_neither_the_action_nor_the_others,
    questions_to_the_sensors_are_told_apart, what_is_no_usable_answer_is_a_stop_with_the_reason,
    size_and_depth_are_bounded, usage_of_a_lying_service_stays_in_bounds)
