/* What the gateway and services of several makers say to each other, and who is asked when one of them fails. */
#include "test/support/service_rig.h"

/* ---- conversations ---- */

static void converse(enum service_format format)
{
	char settings[300];
	struct cairn_msg_vlm_stats stats;
	server = service_server_new(format, cert, cert_key, KEY);
	ck_assert_ptr_nonnull(server);
	add_provider(format, "https", service_server_port(server));
	tls_settings(settings, sizeof(settings), "ca.pem");
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_double_eq(decision.angle_deg, 90.0);
	ck_assert_int_eq(service_server_requests(server), 2);
	ck_assert_int_eq(service_server_refused(server), 0);
	ck_assert_int_eq(service_server_followups(server), 1);
	ck_assert_int_eq(service_server_pictures(server), 4); /* two a request */
	ck_assert_int_eq(service_server_cached(server), 1);   /* the follow-up has the same beginning */
	ck_assert_int_eq(service_server_connections(server), 1);
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_uint_eq(stats.tokens_in, 13000);
	ck_assert_uint_eq(stats.tokens_cached, 2000);
	ck_assert_uint_eq(stats.tokens_out, 80);
	end();
}

START_TEST(anthropic_decides_over_tls_with_pictures_tools_and_a_follow_up)
{
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	converse(SERVICE_ANTHROPIC);
}
END_TEST

START_TEST(gemini_decides_over_tls_with_pictures_tools_and_a_follow_up)
{
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	converse(SERVICE_GEMINI);
}
END_TEST

START_TEST(a_certificate_of_another_authority_is_refused_and_named)
{
	char settings[300];
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	server = service_server_new(SERVICE_ANTHROPIC, cert, cert_key, KEY);
	add_provider(SERVICE_ANTHROPIC, "https", service_server_port(server));
	tls_settings(settings, sizeof(settings), "other.pem");
	open_service(settings);
	ask(1);
	ck_assert(!decided);
	ck_assert_int_eq(statuses[0], 0);
	ck_assert_msg(
	    strstr(last_error(), "certificate is not trusted (vlm.ca_file)") != NULL, "%s", last_error());
	ck_assert_int_eq(service_server_requests(server), 0); /* the key never left */
	end();
}
END_TEST

START_TEST(a_refused_key_is_final_and_the_variable_is_named)
{
	static const enum service_format formats[] = {SERVICE_ANTHROPIC, SERVICE_GEMINI};
	for (int i = 0; i < 2; i++) {
		begin();
		lineup.count = 0;
		server = service_server_new(formats[i], NULL, NULL, "another key");
		add_provider(formats[i], "http", service_server_port(server));
		open_service("");
		ask(1);
		ck_assert_int_eq(statuses[0], formats[i] == SERVICE_ANTHROPIC ? 401 : 400);
		ck_assert_msg(strstr(last_error(), "set the environment variable CAIRN_TEST_KEY") != NULL,
		    "%s", last_error());
		ck_assert(cairn_failover_is_final(cairn_dialog_route(dialog)));
		end();
	}
}
END_TEST

START_TEST(a_rate_limit_is_kept_as_the_service_says_it)
{
	static const enum service_format formats[] = {SERVICE_ANTHROPIC, SERVICE_GEMINI};
	for (int i = 0; i < 2; i++) {
		begin();
		lineup.count = 0;
		server = service_server_new(formats[i], NULL, NULL, KEY);
		service_server_limit(server, 1, 1);
		add_provider(formats[i], "http", service_server_port(server));
		open_service("");
		ask(4);
		ck_assert_msg(decided, "%s", last_error());
		ck_assert_int_eq(statuses[0], 429);
		ck_assert_int_eq(statuses[1], 200);
		ck_assert_int_ge(call_ns[1] - call_ns[0], CAIRN_NS_PER_S);
		end();
	}
}
END_TEST

START_TEST(a_fallback_of_another_format_takes_over)
{
	begin();
	struct service_server *broken = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	service_server_fail(broken, 529);
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(broken));
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	open_service("");
	ask(6);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert(statuses[0] == 529 && statuses[1] == 529 && statuses[2] == 200);
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_str_eq(stats.provider, "test-2");
	ck_assert(stats.fallback_calls == 2 && stats.switches == 1);
	service_server_destroy(&broken);
	end();
}
END_TEST

/* ---- other models for other decisions ---- */

START_TEST(a_hard_decision_goes_to_the_strong_service_and_an_ordinary_one_does_not)
{
	struct cairn_msg_vlm_stats stats;
	begin();
	lineup = (struct cairn_lineup){0};
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	struct service_server *strong = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	add_provider(SERVICE_GEMINI, "http", service_server_port(strong));
	lineup.count = lineup.strong = 1;
	open_service("");
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_MODEL);
	ck_assert_int_eq(service_server_requests(strong), 0);
	close_service();
	setenv("CAIRN_TEST_KEY", KEY, 1); /* the first has wiped it */
	goal = "find the cup";
	open_service("");
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(strong));
	goal = "";
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_STRONG_MODEL);
	ck_assert_str_eq(decision.provider, "test-2");
	ck_assert_int_eq(service_server_requests(strong), 2); /* the follow-up goes where the question went */
	ck_assert_int_eq(service_server_requests(server), 2);
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_uint_eq(stats.strong_calls, 2);
	ck_assert_uint_eq(stats.switches, 0);
	service_server_destroy(&strong);
	end();
}
END_TEST

START_TEST(a_model_on_the_robot_names_a_candidate_when_the_network_is_away)
{
	begin();
	lineup = (struct cairn_lineup){0};
	struct service_server *broken = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	service_server_fail(broken, 529);
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	service_server_see(server, false, "C14, that is where it goes on");
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(broken));
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	lineup.count = lineup.local = 1;
	offers = true;
	open_service("  local_after_s: 0.5\n");
	ask(12);
	offers = false;
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert(statuses[0] == 529 && statuses[1] == 529);
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_LOCAL_MODEL);
	ck_assert_str_eq(decision.provider, "test-2");
	ck_assert_uint_eq(decision.candidate_id, 14);
	ck_assert_int_eq(service_server_requests(server), 1);
	service_server_destroy(&broken);
	end();
}
END_TEST

/* ---- observe_scene ---- */

/* One service decides, the other describes; its own row behind the line-up. */
static struct service_server *open_two(const char *description)
{
	lineup = (struct cairn_lineup){0};
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	struct service_server *eye = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	service_server_see(server, true, "the decider does not describe");
	service_server_see(eye, false, description);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	add_provider(SERVICE_GEMINI, "http", service_server_port(eye));
	lineup.count = lineup.observer = 1;
	lineup.rows[0].price_in_usd_per_mtok = lineup.rows[0].price_cached_usd_per_mtok =
	    lineup.rows[0].price_cache_write_usd_per_mtok = 1.0;
	lineup.rows[1].price_in_usd_per_mtok = 10.0;
	lineup.rows[1].image_tokens_high = 1000;
	lineup.rows[0].price_out_usd_per_mtok = lineup.rows[1].price_out_usd_per_mtok = 0.0;
	open_service("");
	return eye;
}

START_TEST(another_service_describes_the_picture_and_the_text_is_kept_in_memory)
{
	begin();
	struct service_server *eye = open_two("A red kettle on the left, 1.2 m; the key is " KEY ".");
	ask(4);
	ck_assert_msg(decided, "%s; %s; %s", last_error(), service_server_last_error(server),
	    service_server_last_error(eye));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(calls, 3);
	ck_assert_int_eq(service_server_described(server), 0);
	ck_assert_int_eq(service_server_described(eye), 1);
	ck_assert_int_eq(service_server_pictures(eye), 1);
	ck_assert_int_eq(service_server_followups(server), 1);
	ck_assert_int_eq(service_server_refused(server) + service_server_refused(eye), 0);
	const struct cairn_memory *m = cairn_dialog_memory(dialog);
	ck_assert_uint_eq(m->observations_count, 1);
	ck_assert_str_eq(m->observations[0].focus, "objects");
	ck_assert_ptr_nonnull(strstr(m->observations[0].text, "A red kettle on the left, 1.2 m"));
	ck_assert_ptr_null(strstr(m->observations[0].text, KEY)); /* blotted out as in every answer */
	/* 6,500 tokens a question at 1 USD the million, 900 of the description at 10. */
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_double_eq_tol(stats.cost_usd, 2 * 0.0065 + 0.009, 1e-9);
	ck_assert(stats.calls == 3 && stats.fallback_calls == 0 && stats.switches == 0);
	ck_assert_str_eq(stats.provider, "test-1");
	service_server_destroy(&eye);
	end();
}
END_TEST

START_TEST(a_picture_that_cannot_be_described_costs_no_decision)
{
	begin();
	struct service_server *eye = open_two("unused");
	service_server_fail(eye, 529);
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert(statuses[0] == 200 && statuses[1] == 529 && statuses[2] == 200);
	ck_assert_uint_eq(cairn_dialog_memory(dialog)->observations_count, 0);
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert(stats.failures == 1 && stats.fallback_calls == 0);
	/* Twice in a row: now whoever asks is asked itself. */
	ask(4);
	ck_assert(decided && statuses[1] == 529);
	ask(4);
	ck_assert_msg(decided && statuses[1] == 200, "%s", last_error());
	ck_assert_int_eq(service_server_described(server), 1);
	ck_assert_str_eq(cairn_dialog_memory(dialog)->observations[0].text, "the decider does not describe");
	service_server_destroy(&eye);
	end();
}
END_TEST

/* ---- the servers themselves ---- */

static json_t *load(const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/test/data/vlm/%s", name);
	json_t *value = json_load_file(path, 0, NULL);
	ck_assert_msg(value != NULL, "%s", path);
	return value;
}

START_TEST(the_servers_refuse_what_the_documentation_forbids)
{
	static const struct {
		enum service_format format;
		const char *from, *to;
	} rows[] = {{SERVICE_ANTHROPIC, "", ""}, {SERVICE_GEMINI, "", ""},
	    {SERVICE_ANTHROPIC, "\"max_tokens\":300", "\"max_tokens\":0"},
	    {SERVICE_ANTHROPIC, "\"role\":\"user\"", "\"role\":\"system\""},
	    {SERVICE_ANTHROPIC, "\"input_schema\"", "\"parameters\""},
	    {SERVICE_ANTHROPIC, "\"media_type\":\"image/jpeg\"", "\"media_type\":\"image/bmp\""},
	    {SERVICE_ANTHROPIC, "\"cache_control\"", "\"cache\""},
	    {SERVICE_ANTHROPIC, "\"tool_use_id\":\"call_1\"", "\"tool_use_id\":\"call_2\""},
	    {SERVICE_ANTHROPIC, "\"type\":\"any\"", "\"type\":\"required\""},
	    {SERVICE_GEMINI, "\"OBJECT\"", "\"object\""},
	    {SERVICE_GEMINI, "\"mode\":\"ANY\"", "\"mode\":\"REQUIRED\""},
	    {SERVICE_GEMINI, "\"role\":\"user\"", "\"role\":\"system\""},
	    {SERVICE_GEMINI, "\"inlineData\"", "\"inline_data\""},
	    {SERVICE_GEMINI, "\"maxOutputTokens\"", "\"max_tokens\""},
	    {SERVICE_GEMINI, "\"nullable\":true", "\"additionalProperties\":false"},
	    {SERVICE_GEMINI, "\"response\"", "\"answer\""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool anthropic = rows[i].format == SERVICE_ANTHROPIC;
		json_t *root = load(anthropic ? "anthropic_followup.json" : "gemini_followup.json");
		json_t *tools = load(anthropic ? "tools_anthropic.json" : "tools_gemini.json");
		json_t *at = anthropic ? root : json_array_get(json_object_get(root, "tools"), 0);
		json_object_set_new(at, anthropic ? "tools" : "functionDeclarations", tools);
		char *text = json_dumps(root, JSON_COMPACT), why[300];
		const char *found = strstr(text, rows[i].from);
		ck_assert_msg(found != NULL, "%s", rows[i].from);
		struct cairn_text changed = {0};
		cairn_text_bytes(&changed, text, (size_t)(found - text));
		cairn_text_add(&changed, rows[i].to);
		cairn_text_add(&changed, found + strlen(rows[i].from));
		bool ok =
		    service_check_body(rows[i].format, changed.data, changed.len, why, sizeof(why)) == NULL;
		ck_assert_msg(ok == (rows[i].from[0] == '\0'), "%s -> %s: %s", rows[i].from, rows[i].to, why);
		cairn_text_free(&changed);
		free(text);
		json_decref(root);
	}
}
END_TEST

CAIRN_TEST_MAIN("gateway service", the_servers_refuse_what_the_documentation_forbids,
    anthropic_decides_over_tls_with_pictures_tools_and_a_follow_up,
    gemini_decides_over_tls_with_pictures_tools_and_a_follow_up,
    a_certificate_of_another_authority_is_refused_and_named, a_refused_key_is_final_and_the_variable_is_named,
    a_rate_limit_is_kept_as_the_service_says_it,
    a_hard_decision_goes_to_the_strong_service_and_an_ordinary_one_does_not,
    a_model_on_the_robot_names_a_candidate_when_the_network_is_away, a_fallback_of_another_format_takes_over,
    another_service_describes_the_picture_and_the_text_is_kept_in_memory,
    a_picture_that_cannot_be_described_costs_no_decision)
