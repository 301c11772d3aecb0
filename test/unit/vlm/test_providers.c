/* Request bodies of every wire format against test/data/vlm/NAME.json (written from the makers'
 * documentation), replies as the documentation shows them, and the file of providers. */
#include "common/base/file.h"
#include "common/vlm/decision.h"
#include "common/vlm/dialog.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

static const uint8_t now_jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
static const uint8_t above_jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 5, 0xFF, 0xD9};

static struct cairn_profile profile_of(const char *format, const char *dialect)
{
	struct cairn_profile p;
	cairn_profile_defaults(&p);
	p.format = (enum cairn_choice_format)cairn_choice_find(cairn_choice_format_words, format);
	p.dialect = (enum cairn_choice_dialect)cairn_choice_find(cairn_choice_dialect_words, dialect);
	snprintf(p.model, sizeof(p.model), "M");
	p.thinking_tokens = 0;
	return p;
}

static void make_body(struct cairn_text *out, const struct cairn_profile *p, bool followup)
{
	const struct cairn_provider *format = cairn_provider_find(p->format);
	struct cairn_text prefix = {0};
	struct cairn_tool_call call = {
	    .tool = CAIRN_TOOL_CHECK_PATH_CLEAR, .direction = 0, .distance_m = 1.5};
	struct cairn_text arguments = {0};
	cairn_tool_arguments(&arguments, &call);
	const struct cairn_turn turns[] = {{.text = "CONTEXT\nline",
					       .images = {{now_jpeg, sizeof(now_jpeg), false, NULL},
						   {above_jpeg, sizeof(above_jpeg), true, "From above:"}},
					       .image_count = 2},
	    {.role = CAIRN_TURN_MODEL,
		.calls = {{"call_1", "c2VhbA==", "check_path_clear", arguments.data}},
		.call_count = 1},
	    {.answers = {{"call_1", "check_path_clear", "forward: clear"}}, .answer_count = 1}};
	uint64_t only = followup ? cairn_tool_actions(&cairn_explorer_tools) : 0;
	struct cairn_request r = {&cairn_explorer_tools, only, turns, followup ? 3 : 1};
	struct cairn_prefix what = {p, 300, "SYSTEM \"quoted\"", &cairn_explorer_tools, only, 0, true, 0.3};
	format->write_prefix(&prefix, &what);
	format->write_body(out, &prefix, p, &r);
	ck_assert(!out->failed && !prefix.failed);
	ck_assert_int_eq(strncmp(out->data, prefix.data, prefix.len), 0);
	cairn_text_free(&prefix);
	cairn_text_free(&arguments);
}

static json_t *load(const char *name)
{
	char path[300];
	json_error_t why;
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/test/data/vlm/%s", name);
	json_t *value = json_load_file(path, 0, &why);
	ck_assert_msg(value != NULL, "%s: %s", path, why.text);
	return value;
}

/* "@FILE" stands for the content of that file. */
static void put_tools_in(json_t *body)
{
	json_t *tools = json_object_get(body, "tools");
	json_t *at = json_is_array(tools) ? json_array_get(tools, 0) : body;
	const char *key = json_is_array(tools) ? "functionDeclarations" : "tools";
	json_object_set_new(at, key, load(json_string_value(json_object_get(at, key)) + 1));
}

START_TEST(every_body_is_the_documented_one)
{
	static const struct {
		const char *name, *format, *dialect;
	} rows[] = {{"openai", "openai", "openai"}, {"anthropic", "anthropic", "openai"},
	    {"gemini", "gemini", "openai"}, {"ollama", "openai", "ollama"},
	    {"llamacpp", "openai", "llamacpp"}, {"vllm", "openai", "vllm"}};
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		bool followup = i % 2 == 1;
		char name[64];
		struct cairn_text body = {0};
		struct cairn_profile p = profile_of(rows[i / 2].format, rows[i / 2].dialect);
		make_body(&body, &p, followup);
		snprintf(name, sizeof(name), "%s%s.json", rows[i / 2].name, followup ? "_followup" : "");
		json_t *want = load(name),
		       *have = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, NULL);
		put_tools_in(want);
		const char *folder = getenv("CAIRN_WRITE_BODIES"); /* to see what differs */
		char path[300];
		snprintf(path, sizeof(path), "%s/%s", folder != NULL ? folder : "", name);
		if (folder != NULL)
			json_dump_file(have, path, JSON_INDENT(1));
		ck_assert_msg(json_equal(want, have), "the body is not test/data/vlm/%s", name);
		json_decref(want);
		json_decref(have);
		cairn_text_free(&body);
	}
}
END_TEST

/* A conversation of several turns: words beside a call, pictures beside an answer, and one tool that is forced. */
static void make_conversation(struct cairn_text *out, const struct cairn_profile *p)
{
	const struct cairn_provider *format = cairn_provider_find(p->format);
	struct cairn_text prefix = {0};
	const struct cairn_turn turns[] = {{.text = "LOOK"},
	    {.role = CAIRN_TURN_MODEL,
		.text = "I look.",
		.calls = {{"call_1", "c2VhbA==", "observe_scene",
			      "{\"reasoning\":\"r\",\"focus\":\"objects\"}"},
		    {"call_2", NULL, "report_discovery", "{\"reasoning\":\"r\",\"label\":\"sofa\"}"}},
		.call_count = 2},
	    {.answers = {{"call_1", "observe_scene", "see the picture"},
		 {"call_2", "report_discovery", "kept"}},
		.answer_count = 2,
		.images = {{now_jpeg, sizeof(now_jpeg), false, "Picture 12:"}},
		.image_count = 1},
	    {.role = CAIRN_TURN_MODEL,
		.calls = {{"call_3", NULL, "rotate", "{\"reasoning\":\"r\"}"}},
		.call_count = 1},
	    {.answers = {{"call_3", "rotate", "refused"}}, .answer_count = 1, .text = "Now stop."}};
	uint64_t only = CAIRN_TOOL_BIT(CAIRN_TOOL_STOP_ROBOT);
	struct cairn_request r = {&cairn_explorer_tools, only, turns, 5};
	struct cairn_prefix what = {p, 120, "SYSTEM", &cairn_explorer_tools, only, 0, true, 0.7};
	format->write_prefix(&prefix, &what);
	format->write_body(out, &prefix, p, &r);
	ck_assert(!out->failed && !prefix.failed);
	cairn_text_free(&prefix);
}

START_TEST(a_conversation_is_written_as_documented_in_every_format)
{
	static const char *const formats[] = {"openai", "anthropic", "gemini"};
	for (size_t i = 0; i < 3; i++) {
		char name[64];
		struct cairn_text body = {0};
		struct cairn_profile p = profile_of(formats[i], "openai");
		make_conversation(&body, &p);
		snprintf(name, sizeof(name), "%s_conversation.json", formats[i]);
		json_t *want = load(name),
		       *have = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, NULL);
		put_tools_in(want);
		ck_assert_msg(
		    json_equal(want, have), "the body is not test/data/vlm/%s: %s", name, body.data);
		json_decref(want);
		json_decref(have);
		cairn_text_free(&body);
	}
}
END_TEST

START_TEST(what_cannot_be_forced_is_all_that_is_offered)
{
	static const struct {
		const char *dialect, *choice;
		size_t offered;
	} rows[] = {
	    {"openai", "{\"type\":\"function\",\"function\":{\"name\":\"stop_robot\"}}", CAIRN_TOOL_COUNT},
	    {"vllm", "{\"type\":\"function\",\"function\":{\"name\":\"stop_robot\"}}", CAIRN_TOOL_COUNT},
	    {"llamacpp", "\"required\"", 1}, {"other", "\"required\"", 1}, {"ollama", "null", 1}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_text body = {0};
		struct cairn_profile p = profile_of("openai", rows[i].dialect);
		make_conversation(&body, &p);
		json_t *have = json_loadb(body.data, body.len, JSON_REJECT_DUPLICATES, NULL);
		json_t *choice = json_loads(rows[i].choice, JSON_DECODE_ANY, NULL);
		const json_t *is = json_object_get(have, "tool_choice");
		ck_assert_uint_eq(json_array_size(json_object_get(have, "tools")), rows[i].offered);
		ck_assert_msg(
		    is == NULL ? json_is_null(choice) : json_equal(is, choice), "%s", rows[i].dialect);
		json_decref(choice);
		json_decref(have);
		cairn_text_free(&body);
	}
}
END_TEST

/* Caches match on the beginning, from 1,024 tokens on (a token is four bytes here, which is generous to
 * nobody: English has fewer bytes a token in JSON). */
START_TEST(the_static_prefix_is_long_enough_and_the_same_in_a_follow_up)
{
	static const char *const formats[] = {"openai", "anthropic", "gemini"};
	struct cairn_text system = {0};
	struct cairn_error err = {""};
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	ck_assert_msg(cairn_prompt_load(&cfg, &system, &err), "%s", err.text);
	for (size_t i = 0; i < 3; i++) {
		struct cairn_profile p = profile_of(formats[i], "openai");
		const struct cairn_provider *format = cairn_provider_find(p.format);
		struct cairn_text first = {0}, second = {0};
		format->write_prefix(&first,
		    &(struct cairn_prefix){&p, 300, system.data, &cairn_explorer_tools, 0, 0, true, 0.3});
		format->write_prefix(
		    &second, &(struct cairn_prefix){&p, 300, system.data, &cairn_explorer_tools,
				 cairn_tool_actions(&cairn_explorer_tools), 0, true, 0.3});
		ck_assert_uint_ge(cairn_prompt_tokens(first.len), CAIRN_PROMPT_PREFIX_TOKENS_MIN);
		ck_assert_str_eq(first.data, second.data);
		/* What the robot can never do is not offered, and the others are still a list. */
		cairn_text_clear(&second);
		format->write_prefix(
		    &second, &(struct cairn_prefix){&p, 300, system.data, &cairn_explorer_tools, 0,
				 CAIRN_TOOL_BIT(0) | CAIRN_TOOL_BIT(2), true, 0.3});
		ck_assert_uint_lt(second.len, first.len);
		for (int t = 0; t < 4; t++) {
			char named[64];
			snprintf(named, sizeof(named), "\"name\":\"%s\"", cairn_explorer_tools.rows[t].name);
			ck_assert_ptr_nonnull(strstr(first.data, named));
			ck_assert_int_eq(strstr(second.data, named) != NULL, t % 2);
		}
		ck_assert(strstr(second.data, "[,") == NULL && strstr(second.data, ",,") == NULL);
		cairn_text_free(&first);
		cairn_text_free(&second);
	}
	cairn_text_free(&system);
}
END_TEST

START_TEST(without_tools_nothing_of_them_is_sent)
{
	static const char *const formats[] = {"openai", "anthropic", "gemini"};
	for (size_t i = 0; i < 3; i++) {
		struct cairn_profile p = profile_of(formats[i], "openai");
		const struct cairn_provider *format = cairn_provider_find(p.format);
		struct cairn_text prefix = {0}, body = {0};
		const struct cairn_turn turn = {.text = "C"};
		struct cairn_request r = {.turns = &turn, .turn_count = 1};
		format->write_prefix(&prefix, &(struct cairn_prefix){&p, 300, "S", NULL, 0, 0, true, 0.3});
		format->write_body(&body, &prefix, &p, &r);
		json_t *root = json_loadb(body.data, body.len, 0, NULL);
		ck_assert_ptr_nonnull(root);
		ck_assert_ptr_null(strcasestr(body.data, "tool"));
		ck_assert_ptr_null(strstr(body.data, "parallel"));
		json_decref(root);
		cairn_text_free(&prefix);
		cairn_text_free(&body);
	}
}
END_TEST

START_TEST(the_temperature_is_sent_where_the_format_has_it_and_the_provider_takes_it)
{
	static const char *const formats[] = {"openai", "gemini", "anthropic"};
	for (size_t i = 0; i < 3; i++) {
		for (int takes = 0; takes < 2; takes++) {
			struct cairn_profile p = profile_of(formats[i], "openai");
			struct cairn_text prefix = {0};
			cairn_provider_find(p.format)->write_prefix(
			    &prefix, &(struct cairn_prefix){&p, 300, "S", NULL, 0, 0, takes != 0, 0.7});
			bool sent = strstr(prefix.data, "\"temperature\":0.7") != NULL;
			ck_assert_msg(sent == (takes != 0 && i < 2), "%s", prefix.data);
			ck_assert_int_eq(strstr(prefix.data, "temperature") != NULL, sent);
			cairn_text_free(&prefix);
		}
	}
}
END_TEST

/* ---- replies ---- */

static struct cairn_answer answer;

static void parse(const char *format, const char *body)
{
	cairn_answer_parse(
	    cairn_provider_find(profile_of(format, "openai").format), body, strlen(body), false, &answer);
}

START_TEST(an_anthropic_reply_is_read)
{
	parse("anthropic",
	    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"M\",\"content\":["
	    "{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"The doorway is "
	    "free.\"},"
	    "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"rotate\",\"input\":{\"angle_deg\":-90}}],"
	    "\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":50,"
	    "\"output_tokens\":30,\"cache_creation_input_tokens\":7,\"cache_read_input_tokens\":850}}");
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_ACTION);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_ROTATE);
	ck_assert_double_eq(answer.main.angle_deg, -90.0);
	ck_assert_str_eq(answer.main_handle.id, "toolu_1");
	ck_assert_str_eq(answer.reasoning, "The doorway is free.");
	ck_assert_uint_eq(answer.usage.tokens_in, 907);
	ck_assert_uint_eq(answer.usage.tokens_cached, 850);
	ck_assert_uint_eq(answer.usage.tokens_cache_written, 7);
	ck_assert_uint_eq(answer.usage.tokens_out, 30);
	/* 50 fresh at 3, 850 cached at 0.3, 7 written at 3.75, 30 out at 15: 150 + 255 + 26.25 + 450
	 * millionths */
	struct cairn_prices sonnet = {.in = 3.0, .cached = 0.3, .cache_write = 3.75, .out = 15.0};
	ck_assert_double_eq_tol(cairn_usage_cost_usd(&sonnet, &answer.usage), 881.25e-6, 1e-12);
}
END_TEST

START_TEST(a_gemini_reply_is_read)
{
	parse("gemini",
	    "{\"candidates\":[{\"index\":0,\"finishReason\":\"STOP\",\"content\":{\"role\":\"model\","
	    "\"parts\":["
	    "{\"text\":\"secret\",\"thought\":true},{\"text\":\"Left is free.\"},{\"functionCall\":{\"name\":"
	    "\"check_path_clear\",\"args\":{\"direction\":\"left\",\"distance_m\":2}},\"thoughtSignature\":"
	    "\"c2VhbA==\"}]}}],\"usageMetadata\":{\"promptTokenCount\":400,\"candidatesTokenCount\":12,"
	    "\"thoughtsTokenCount\":5,\"cachedContentTokenCount\":256,\"totalTokenCount\":417}}");
	ck_assert_int_eq(answer.kind, CAIRN_ANSWER_PERCEIVE);
	ck_assert_int_eq(answer.main.tool, CAIRN_TOOL_CHECK_PATH_CLEAR);
	ck_assert_str_eq(answer.main_handle.id, "");
	ck_assert_str_eq(answer.main_handle.signature, "c2VhbA==");
	ck_assert_str_eq(answer.reasoning, "Left is free.");
	ck_assert_uint_eq(answer.usage.tokens_in, 400);
	ck_assert_uint_eq(answer.usage.tokens_cached, 256);
	ck_assert_uint_eq(answer.usage.tokens_out, 17);
}
END_TEST

START_TEST(what_is_no_decision_stops_and_says_why)
{
	static const struct {
		const char *format, *body, *says;
	} rows[] = {
	    {"anthropic", "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"stop_reason\":\"refusal\"}",
		"refused: no"},
	    {"anthropic", "{\"content\":[],\"stop_reason\":\"max_tokens\"}", "cut off"},
	    {"anthropic", "{\"content\":[{\"type\":\"tool_use\",\"name\":\"rotate\",\"input\":\"-90\"}]}",
		"input is not an object"},
	    {"anthropic", "{\"content\":[{\"type\":\"tool_use\",\"input\":{}}]}", "without a name"},
	    {"anthropic", "{\"content\":{}}", "no content"},
	    {"anthropic", "[]", "no content"},
	    {"gemini", "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}", "blocked: SAFETY"},
	    {"gemini", "{}", "no candidates"},
	    {"gemini", "{\"candidates\":[{\"finishReason\":\"MAX_TOKENS\"}]}", "cut off"},
	    {"gemini", "{\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\"}]}",
		"MALFORMED_FUNCTION_CALL"},
	    {"gemini", "{\"candidates\":[{\"finishReason\":\"SPII\",\"content\":{}}]}", "filtered"},
	    {"gemini",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"rotate\",\"args\":[]"
		"}}]}}]"
		"}",
		"args is not an object"},
	    {"gemini",
		"{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"rotate\"}}]}}]}",
		"angle_deg is missing"},
	    {"gemini", "nonsense", "not JSON"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(rows[i].format, rows[i].body);
		ck_assert_int_eq(answer.kind, CAIRN_ANSWER_STOP);
		ck_assert_msg(strstr(answer.problem, rows[i].says) != NULL, "%s: '%s' does not say '%s'",
		    rows[i].format, answer.problem, rows[i].says);
	}
}
END_TEST

START_TEST(error_bodies_of_every_service_become_one_line)
{
	static const struct {
		const char *body, *line;
		double wait_s;
	} rows[] = {
	    {"{\"error\":{\"message\":\"slow "
	     "down\",\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_"
	     "exceeded\"}}",
		"rate_limit_exceeded: slow down", -1.0},
	    {"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
		"overloaded_error: Overloaded", -1.0},
	    {"[{\"error\":{\"code\":429,\"message\":\"quota\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":["
	     "{"
	     "\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"34.5s\"}]}}]",
		"RESOURCE_EXHAUSTED: quota", 34.5},
	    {"{\"error\":\"model not found\"}", "model not found", -1.0},
	    {"<html>502</html>", "", -1.0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char line[200];
		cairn_json_error_text(rows[i].body, strlen(rows[i].body), line, sizeof(line));
		ck_assert_str_eq(line, rows[i].line);
		ck_assert_double_eq(
		    cairn_json_retry_after_s(rows[i].body, strlen(rows[i].body)), rows[i].wait_s);
	}
}
END_TEST

START_TEST(addresses_are_put_together)
{
	char url[200];
	struct cairn_profile p = profile_of("gemini", "openai");
	snprintf(p.base_url, sizeof(p.base_url), "https://host/v1beta//");
	ck_assert(cairn_provider_url(url, sizeof(url), &p, cairn_provider_gemini.path, 0));
	ck_assert_str_eq(url, "https://host/v1beta/models/M:generateContent");
	cairn_profile_defaults(&p);
	ck_assert(cairn_provider_url(url, sizeof(url), &p, cairn_provider_openai.path, 4711));
	ck_assert_str_eq(url, "http://127.0.0.1:4711/v1/chat/completions");
	ck_assert(!cairn_provider_url(url, 20, &p, cairn_provider_openai.path, 4711));
	snprintf(p.base_url, sizeof(p.base_url), "http://127.0.0.1:08/v1");
	ck_assert(!cairn_profile_url_is_pilot(p.base_url));
}
END_TEST

/* ---- the file ---- */

static bool load_text(struct cairn_profiles *ret, const char *text, struct cairn_error *err)
{
	char path[] = "/tmp/cairn-providers-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	bool ok = cairn_profiles_load(ret, path, err);
	unlink(path);
	return ok;
}

static struct cairn_profiles profiles;

START_TEST(the_file_that_ships_is_good_and_every_line_up_of_it_has_formats)
{
	struct cairn_error err = {""};
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	ck_assert_msg(
	    cairn_profiles_load(&profiles, CAIRN_SOURCE_ROOT "/config/providers.yaml", &err), "%s", err.text);
	ck_assert_uint_ge(profiles.count, 7);
	for (uint32_t i = 0; i < profiles.count; i++) {
		struct cairn_lineup lineup;
		snprintf(cfg.vlm.provider, sizeof(cfg.vlm.provider), "%s", profiles.rows[i].name);
		ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err), "%s", err.text);
	}
	snprintf(cfg.vlm.provider, sizeof(cfg.vlm.provider), "openai");
	snprintf(cfg.vlm.fallbacks, sizeof(cfg.vlm.fallbacks), "gemini, ollama,pilot");
	snprintf(cfg.vlm.model, sizeof(cfg.vlm.model), "other");
	cfg.vlm.price_out_usd_per_mtok = 9.0;
	struct cairn_lineup lineup;
	ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err), "%s", err.text);
	ck_assert_uint_eq(lineup.count, 4);
	ck_assert_str_eq(lineup.rows[0].model, "other");
	ck_assert_double_eq(lineup.rows[0].price_out_usd_per_mtok, 9.0);
	ck_assert_double_eq(lineup.rows[0].price_in_usd_per_mtok, 0.15);
	ck_assert_str_eq(lineup.rows[2].name, "ollama");
	ck_assert(cairn_lineup_names(&cfg.vlm, "pilot"));
	ck_assert(!cairn_lineup_names(&cfg.vlm, "vllm"));
	/* Whoever calls observe_scene describes, or one of the line-up, or another one behind it. */
	ck_assert(lineup.observer == 0 && cairn_lineup_rows(&lineup) == 4);
	snprintf(cfg.vlm.observe_provider, sizeof(cfg.vlm.observe_provider), "ollama");
	ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err), "%s", err.text);
	ck_assert(lineup.observer == 2 && lineup.count == 4 && cairn_lineup_rows(&lineup) == 4);
	snprintf(cfg.vlm.observe_provider, sizeof(cfg.vlm.observe_provider), "vllm");
	ck_assert_msg(cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err), "%s", err.text);
	ck_assert(lineup.observer == 4 && lineup.count == 4 && cairn_lineup_rows(&lineup) == 5);
	ck_assert_str_eq(lineup.rows[4].name, "vllm");
	ck_assert(cairn_lineup_names(&cfg.vlm, "vllm"));
	snprintf(cfg.vlm.observe_provider, sizeof(cfg.vlm.observe_provider), "somebody");
	ck_assert(!cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "vlm.observe_provider: 'somebody' is not a provider"));
	cfg.vlm.observe_provider[0] = '\0';
	snprintf(cfg.vlm.fallbacks, sizeof(cfg.vlm.fallbacks), "nobody");
	ck_assert(!cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "vlm.fallbacks: 'nobody' is not a provider"));
	snprintf(cfg.vlm.fallbacks, sizeof(cfg.vlm.fallbacks), "openai");
	ck_assert(!cairn_lineup_pick(&lineup, &profiles, &cfg.vlm, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "already"));
}
END_TEST

START_TEST(only_an_address_of_this_machine_in_full_is_local)
{
	static const struct {
		const char *url;
		bool local;
	} rows[] = {{"http://127.0.0.1:8080/v1", true}, {"http://127.1.2.3", true},
	    {"http://localhost:11434/v1", true}, {"http://LOCALHOST/", true}, {"http://[::1]:80/v1", true},
	    {"http://127.evil.example/v1", false}, {"http://127.0.0.1.evil.example/v1", false},
	    {"http://127.0.0.1@evil.example/v1", false}, {"http://127.0.0.1:80@evil.example/v1", false},
	    {"http://localhost.evil.example", false}, {"http://evil.example/127.0.0.1", false},
	    {"http://128.0.0.1/", false}, {"http://127.1", false}, {"http://[::2]/", false},
	    {"http://0x7f000001/", false}, {"http://", false}, {"127.0.0.1", false}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(cairn_profile_url_is_local(rows[i].url) == rows[i].local, "%s", rows[i].url);
}
END_TEST

START_TEST(a_wrong_file_is_refused_with_file_key_and_reason)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {"providers:\n  - name: a\n    modle: x\n", ": line 3: providers[1].modle: unknown key"},
	    {"providers:\n  - name: a\n    price_in_usd_per_mtok: cheap\n",
		": line 3: providers[1].price_in_usd_per_mtok: 'cheap' is not a number"},
	    {"providers:\n  - name: a\n    price_in_usd_per_mtok: -1\n", "out of range"},
	    {"providers:\n  - name: a\n    format: smoke\n",
		"providers[1].format: 'smoke' is not one of openai, anthropic, gemini"},
	    {"providers:\n  - name: a\n    base_url: ftp://x\n",
		"provider 'a': base_url: must start with http"},
	    {"providers:\n  - name: a\n    base_url: http://127.0.0.1:0/v1\n", "only the scripted pilot"},
	    {"providers:\n  - name: pilot\n    base_url: http://127.evil.example:0/v1\n",
		"runs on this machine"},
	    {"providers:\n  - name: a\n    base_url: https://me:secret@x.example/v1\n", "a user or password"},
	    {"providers:\n  - name: a\n    base_url: https:///v1\n", "names no host"},
	    {"providers:\n  - model: x\n", "line 2: providers[1]: provider '': name: a plain word"},
	    {"providers:\n  - name: pilot\n  - name: pilot\n",
		"line 3: providers[2]: provider 'pilot': given twice"},
	    {"providers: 7\n", "line 1: providers: a list is expected"},
	    {"services: []\n", "line 1: services: unknown key"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_error err = {""};
		ck_assert(!load_text(&profiles, rows[i].text, &err));
		ck_assert_msg(strstr(err.text, rows[i].says) != NULL &&
				  strstr(err.text, "/tmp/cairn-providers-") == err.text,
		    "'%s' does not say '%s'", err.text, rows[i].says);
	}
}
END_TEST

/* Each of the file's: in the table of what there is, with its model, and in that of what an hour costs. */
START_TEST(the_page_has_a_row_of_every_provider_and_of_what_it_costs)
{
	static struct cairn_profiles all;
	static char page[65536];
	struct cairn_error err = {""};
	ck_assert_msg(
	    cairn_profiles_load(&all, CAIRN_SOURCE_ROOT "/config/providers.yaml", &err), "%s", err.text);
	ck_assert_int_gt(
	    cairn_file_read_into(CAIRN_SOURCE_ROOT "/docs/providers.md", 0, page, sizeof(page), &err), 0);
	char *costs = strstr(
	    page, "| provider | model | calls an hour | pictures an hour | of those due | USD an hour |");
	char *end = costs != NULL ? strstr(costs, "\n\n") : NULL;
	ck_assert_ptr_nonnull(end);
	costs[-1] = *end = '\0';
	ck_assert_uint_gt(all.count, 8);
	for (uint32_t i = 0; i < all.count; i++) {
		char name[80];
		snprintf(name, sizeof(name), "`%s`", all.rows[i].name);
		const char *row = strstr(page, name), *cost = strstr(costs, name);
		ck_assert_msg(
		    row != NULL && strstr(row, all.rows[i].model) != NULL, "%s, %s", name, all.rows[i].model);
		ck_assert_msg(cost != NULL, "%s has no row of what an hour costs", name);
	}
}
END_TEST

CAIRN_TEST_MAIN("vlm providers", every_body_is_the_documented_one,
    a_conversation_is_written_as_documented_in_every_format, what_cannot_be_forced_is_all_that_is_offered,
    the_static_prefix_is_long_enough_and_the_same_in_a_follow_up, without_tools_nothing_of_them_is_sent,
    the_temperature_is_sent_where_the_format_has_it_and_the_provider_takes_it, an_anthropic_reply_is_read,
    a_gemini_reply_is_read, what_is_no_decision_stops_and_says_why,
    error_bodies_of_every_service_become_one_line, addresses_are_put_together,
    the_file_that_ships_is_good_and_every_line_up_of_it_has_formats,
    only_an_address_of_this_machine_in_full_is_local,
    the_page_has_a_row_of_every_provider_and_of_what_it_costs,
    a_wrong_file_is_refused_with_file_key_and_reason)
