/* One message of an agent and its answer. What is expected is written down from the specification: JSON-RPC 2.0, and the revisions
 * 2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28 of the Model Context Protocol. */
#include "common/mcp/exchange.h"
#include "common/mcp/result.h"
#include "test/support/runner.h"

#define META                                                                                                 \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                             \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const struct cairn_mcp_link stdio = {.http = false}, http_none = {.http = true},
				   http_2025 = {.http = true, .version = "2025-06-18"};
static int status;

/* The answer to a message that needs nothing of the robot; NULL: none. */
static json_t *ask(const struct cairn_mcp_link *link, const char *text)
{
	size_t bytes;
	struct cairn_mcp *x = cairn_mcp_open(text, strlen(text), link);
	ck_assert_ptr_nonnull(x);
	ck_assert_msg(cairn_mcp_done(x), "%s", text);
	char *answer = cairn_mcp_answer(x, &bytes, &status);
	json_t *json = answer != NULL ? json_loadb(answer, bytes, 0, NULL) : NULL;
	ck_assert(answer == NULL || json != NULL);
	free(answer);
	cairn_mcp_close(&x);
	ck_assert_ptr_null(x);
	return json;
}

static void expect_error(const struct cairn_mcp_link *link, const char *text, int code, int http_status)
{
	json_t *json = ask(link, text);
	const json_t *error = json_object_get(json, "error");
	ck_assert_msg(error != NULL, "%s", text);
	ck_assert_msg(json_integer_value(json_object_get(error, "code")) == code && status == http_status,
	    "%s: %lld, status %d", text, (long long)json_integer_value(json_object_get(error, "code")),
	    status);
	ck_assert_int_gt((int)json_string_length(json_object_get(error, "message")), 0);
	ck_assert_str_eq(json_string_value(json_object_get(json, "jsonrpc")), "2.0");
	ck_assert_ptr_nonnull(json_object_get(json, "id"));
	json_decref(json);
}

static const char *agreed_on(const char *wish)
{
	static char version[32];
	char text[512];
	snprintf(text, sizeof(text),
	    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%"
	    "s\","
	    "\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
	    wish);
	json_t *json = ask(&stdio, text), *result = json_object_get(json, "result");
	ck_assert_str_eq(json_string_value(json_object_get(json, "id")), "a");
	ck_assert_ptr_nonnull(json_object_get(json_object_get(result, "capabilities"), "tools"));
	ck_assert_ptr_nonnull(json_object_get(json_object_get(result, "serverInfo"), "version"));
	snprintf(
	    version, sizeof(version), "%s", json_string_value(json_object_get(result, "protocolVersion")));
	json_decref(json);
	return version;
}

START_TEST(initialize_agrees_on_a_version_that_both_speak)
{
	ck_assert_str_eq(agreed_on("2025-06-18"), "2025-06-18");
	ck_assert_str_eq(agreed_on("2024-11-05"), "2024-11-05");
	ck_assert_str_eq(agreed_on("1999-01-01"), "2025-11-25");
	ck_assert_str_eq(agreed_on("2026-07-28"), "2025-11-25"); /* that one has no initialize */
	expect_error(&stdio, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", -32602, 200);
}
END_TEST

START_TEST(what_is_no_message_is_refused_by_the_codes_of_json_rpc)
{
	char deep[3000];
	expect_error(&http_2025, "", -32700, 400);
	expect_error(&http_2025, "{", -32700, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\"}", -32700, 400);
	expect_error(&http_2025, "7", -32700, 400);
	expect_error(&http_2025, "{}", -32600, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600, 400);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", -32600, 400);
	expect_error(
	    &http_2025, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32602, 200);
	expect_error(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"reboot\"}", -32601, 200);
	expect_error(&stdio,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"2\"}}", -32602,
	    200);
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	expect_error(&http_2025, deep, -32700, 400);
}
END_TEST

START_TEST(notifications_and_responses_are_not_answered)
{
	ck_assert_ptr_null(ask(&http_2025, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"));
	ck_assert_int_eq(status, 202);
	ck_assert_ptr_null(ask(&http_2025, "{\"jsonrpc\":\"2.0\",\"method\":\"unheard/of\",\"params\":{}}"));
	ck_assert_ptr_null(ask(&http_2025, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}"));
	ck_assert_int_eq(status, 202);
	/* Nor is a call without an id: nothing is done whose end nobody would hear of. */
	ck_assert_ptr_null(
	    ask(&http_2025, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"goto\","
			    "\"arguments\":{\"x_m\":1,\"y_m\":1}}}"));
}
END_TEST

START_TEST(lists_of_messages_belong_to_one_version)
{
	static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
				    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},"
				    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"nothing\"},3]";
	const struct cairn_mcp_link march = {.http = true, .version = "2025-03-26"};
	json_t *json = ask(&march, batch);
	ck_assert_uint_eq(json_array_size(json), 3);
	ck_assert_int_eq(status, 200);
	ck_assert_ptr_nonnull(json_object_get(json_array_get(json, 0), "result"));
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(json, 1), "id")), 2);
	ck_assert(json_is_null(json_object_get(json_array_get(json, 2), "id")));
	json_decref(json);
	json = ask(&http_none, batch); /* who tells no version speaks that one */
	ck_assert_uint_eq(json_array_size(json), 3);
	json_decref(json);
	expect_error(&http_2025, batch, -32600, 400);
	expect_error(&stdio, batch, -32600, 400);
	expect_error(&march, "[]", -32600, 400);
	json = ask(&march, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
			   "\"protocolVersion\":\"2025-03-26\"}}]");
	ck_assert_ptr_nonnull(json_object_get(json_array_get(json, 0), "error"));
	json_decref(json);
	char many[1024] = "[0";
	for (int i = 0; i < CAIRN_MCP_BATCH_MAX; i++)
		strcat(many, ",0");
	strcat(many, "]");
	expect_error(&march, many, -32600, 400);
}
END_TEST

static void expect_modern(
    const char *version, const char *method, const char *name, const char *text, int code, int http_status)
{
	const struct cairn_mcp_link link = {true, version, method, name};
	expect_error(&link, text, code, http_status);
}

START_TEST(a_request_that_tells_its_version_must_tell_it_right)
{
	static const char discover[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" META "}}";
	static const char look[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"look\"," META
	    "}}";
	static const char other[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{"
	    "\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\","
	    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
	const char *v = "2026-07-28", *d = "server/discover";
	const struct cairn_mcp_link right = {true, v, d, NULL};
	json_t *json = ask(&right, discover), *result = json_object_get(json, "result");
	ck_assert_int_eq(status, 200);
	ck_assert_str_eq(
	    json_string_value(json_array_get(json_object_get(result, "supportedVersions"), 0)), v);
	ck_assert_str_eq(json_string_value(json_object_get(result, "resultType")), "complete");
	ck_assert_str_eq(json_string_value(json_object_get(result, "cacheScope")), "public");
	ck_assert_ptr_nonnull(
	    json_object_get(json_object_get(result, "_meta"), "io.modelcontextprotocol/serverInfo"));
	json_decref(json);
	expect_modern(NULL, d, NULL, discover, -32020, 400);
	expect_modern("2025-06-18", d, NULL, discover, -32020, 400);
	expect_modern(v, NULL, NULL, discover, -32020, 400);
	expect_modern(v, "Server/Discover", NULL, discover, -32020, 400);
	expect_modern(v, "tools/call", NULL, look, -32020, 400);
	expect_modern(v, "tools/call", "map", look, -32020, 400);
	expect_modern(v, d, NULL, other, -32020, 400);
	expect_modern("1900-01-01", d, NULL, other, -32022, 400);
	expect_modern(v, d, NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{}}", -32602, 400);
	expect_modern(v, "ping", NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{" META "}}", -32601, 404);
	expect_modern(v, "initialize", NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{" META "}}", -32601, 404);
	expect_modern("2099-01-01", "tools/list", NULL,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}", -32022, 400);
	/* On stdio there are no headers; and a legacy client's look for the newer era gets an error that is none of its codes. */
	json = ask(&stdio, discover);
	ck_assert_ptr_nonnull(json_object_get(json, "result"));
	json_decref(json);
	expect_error(&stdio, other, -32022, 400);
}
END_TEST

START_TEST(a_header_may_be_in_base64)
{
	static const char look[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"look\"," META
	    "}}";
	const struct cairn_mcp_link link = {true, "2026-07-28", "tools/call", "=?base64?bG9vaw==?="};
	struct cairn_mcp *x = cairn_mcp_open(look, strlen(look), &link);
	ck_assert_int_eq(cairn_mcp_need(x, 0), CAIRN_MCP_NEED_TOOL);
	ck_assert_int_eq(cairn_mcp_call_of(x, 0)->tool, CAIRN_MCP_LOOK);
	struct cairn_mcp_link on = cairn_mcp_headers(x, 0);
	ck_assert_str_eq(on.version, "2026-07-28");
	ck_assert_str_eq(on.method, "tools/call");
	ck_assert_str_eq(on.name, "look");
	cairn_mcp_close(&x);
	expect_modern("2026-07-28", "tools/call", "=?base64?bWFw?=", look, -32020, 400);
}
END_TEST

START_TEST(every_tool_has_a_schema_and_says_what_it_does_to_the_robot)
{
	json_t *json = ask(&stdio, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
	json_t *list = json_object_get(json_object_get(json, "result"), "tools"), *tool;
	size_t i;
	ck_assert_uint_eq(json_array_size(list), CAIRN_MCP_TOOL_COUNT);
	json_array_foreach(list, i, tool)
	{
		const char *name = json_string_value(json_object_get(tool, "name"));
		const json_t *hints = json_object_get(tool, "annotations"),
			     *schema = json_object_get(tool, "inputSchema");
		ck_assert_str_eq(json_string_value(json_object_get(schema, "type")), "object");
		bool drives = strcmp(name, "goto") == 0 || strcmp(name, "explore") == 0;
		bool stops = strcmp(name, "stop") == 0 || strcmp(name, "emergency_stop") == 0;
		ck_assert_msg(
		    json_is_true(json_object_get(hints, "readOnlyHint")) == (!drives && !stops), "%s", name);
		ck_assert_msg(json_is_true(json_object_get(hints, "destructiveHint")) == drives, "%s", name);
		ck_assert_msg((cairn_mcp_tools[i].right == CAIRN_RIGHT_DRIVE) == drives, "%s", name);
		ck_assert_msg((cairn_mcp_tools[i].right == CAIRN_RIGHT_ANY) == stops, "%s", name);
		ck_assert_msg((cairn_mcp_order(&(struct cairn_mcp_call){.tool = (enum cairn_mcp_tool)i},
				   &(struct cairn_msg_command){.limit_s = 0}) != NULL) == (drives || stops),
		    "%s", name);
	}
	json_decref(json);
	json = ask(&stdio, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}");
	ck_assert_uint_eq(json_array_size(json_object_get(json_object_get(json, "result"), "resources")),
	    CAIRN_MCP_RESOURCE_COUNT);
	json_decref(json);
}
END_TEST

static bool check(
    enum cairn_mcp_tool tool, const char *arguments, struct cairn_mcp_call *call, struct cairn_error *err)
{
	json_t *json = json_loads(arguments, JSON_DECODE_ANY, NULL);
	ck_assert_msg(json != NULL, "%s", arguments);
	bool ok = cairn_mcp_call_check(tool, json, call, err);
	json_decref(json);
	return ok;
}

START_TEST(a_call_with_wrong_arguments_becomes_no_command)
{
	static const char *const bad[] = {"[]", "7", "{\"x_m\":1}", "{\"y_m\":1}", "{}",
	    "{\"x_m\":\"1\",\"y_m\":1}", "{\"x_m\":1e9,\"y_m\":1}", "{\"x_m\":1,\"y_m\":-1000.5}",
	    "{\"x_m\":null,\"y_m\":1}", "{\"place\":\"\"}", "{\"place\":\"  \"}", "{\"place\":7}",
	    "{\"place\":\"kitchen\",\"x_m\":1,\"y_m\":1}", "{\"speed\":3}",
	    "{\"place\":\"012345678901234567890123456789012345678901234567\"}"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cairn_mcp_call call = {.tool = CAIRN_MCP_WAIT};
		struct cairn_error err = {""};
		ck_assert_msg(!check(CAIRN_MCP_GOTO, bad[i], &call, &err), "%s", bad[i]);
		ck_assert_str_ne(err.text, "");
		ck_assert_int_eq(call.tool, CAIRN_MCP_WAIT);
	}
	/* The model is told what was wrong, so that it can mend it. */
	json_t *json = ask(&stdio,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"goto\"}}");
	ck_assert(json_is_true(json_object_get(json_object_get(json, "result"), "isError")));
	json_decref(json);
	expect_error(&stdio,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"release\"}}",
	    -32602, 200);
	expect_error(&stdio, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602, 200);
}
END_TEST

START_TEST(a_call_becomes_the_command_that_a_person_would_give)
{
	struct cairn_mcp_call call;
	struct cairn_msg_command cmd;
	struct cairn_error err = {""};
	ck_assert(check(CAIRN_MCP_GOTO, "{\"x_m\":1.5,\"y_m\":-2}", &call, &err));
	ck_assert_ptr_eq(cairn_mcp_order(&call, &cmd), &cairn_commands[CAIRN_COMMAND_GOTO]);
	ck_assert_str_eq(cmd.verb, "goto");
	ck_assert_double_eq(cmd.x_m, 1.5);
	ck_assert_double_eq(cmd.y_m, -2.0);
	ck_assert_str_eq(cmd.arg, "");
	ck_assert(check(CAIRN_MCP_GOTO, "{\"place\":\"kitchen\\u001b[2J\"}", &call, &err));
	(void)cairn_mcp_order(&call, &cmd);
	ck_assert_str_eq(cmd.arg, "kitchen?[2J");
	/* Words are words: no option of the command line is read out of them. */
	ck_assert(check(CAIRN_MCP_EXPLORE, "{\"goal\":\"find --for 9h\",\"limit_s\":60}", &call, &err));
	ck_assert_ptr_eq(cairn_mcp_order(&call, &cmd), &cairn_commands[CAIRN_COMMAND_EXPLORE]);
	ck_assert_str_eq(cmd.arg, "find --for 9h");
	ck_assert_double_eq(cmd.limit_s, 60.0);
	ck_assert(check(CAIRN_MCP_STOP, "{}", &call, &err));
	ck_assert_ptr_eq(cairn_mcp_order(&call, &cmd), &cairn_commands[CAIRN_COMMAND_STOP]);
	ck_assert(check(CAIRN_MCP_ESTOP, "{}", &call, &err));
	ck_assert_ptr_eq(cairn_mcp_order(&call, &cmd), &cairn_commands[CAIRN_COMMAND_MOTOR_STOP]);
	ck_assert(check(CAIRN_MCP_LOOK, "{\"live\":true}", &call, &err));
	ck_assert_ptr_null(cairn_mcp_order(&call, &cmd));
}
END_TEST

START_TEST(results_carry_pictures_and_any_text)
{
	static const char call[] =
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"look\"}},"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":\"cairn://"
	    "map.png\"}}]";
	const struct cairn_mcp_link march = {.http = true, .version = "2025-03-26"};
	struct cairn_mcp *x = cairn_mcp_open(call, strlen(call), &march);
	size_t bytes;
	ck_assert_int_eq(cairn_mcp_count(x), 2);
	ck_assert_int_eq(cairn_mcp_need(x, 1), CAIRN_MCP_NEED_RESOURCE);
	ck_assert_int_eq(cairn_mcp_resource_of(x, 1), CAIRN_MCP_MAP_PNG);
	cairn_mcp_finish(x, 0,
	    cairn_mcp_result_picture(cairn_mcp_result("a\xff"
						      "b",
					 3, false),
		"\x01\x02\x03", 3, "image/jpeg"));
	ck_assert(!cairn_mcp_done(x));
	cairn_mcp_fail(x, 1, CAIRN_MCP_INTERNAL_ERROR, "no %s", "map");
	ck_assert(cairn_mcp_done(x));
	char *text = cairn_mcp_answer(x, &bytes, &status);
	ck_assert_str_eq(text,
	    "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
	    "\"a\xef\xbf\xbd"
	    "b\"},"
	    "{\"type\":\"image\",\"data\":\"AQID\",\"mimeType\":\"image/jpeg\"}],\"isError\":false}},"
	    "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":\"no map\"}}]");
	free(text);
	cairn_mcp_close(&x);
	expect_error(&stdio,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"file:///etc/"
	    "passwd\"}}",
	    -32002, 200);
	expect_error(&stdio,
	    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"x\"," META
	    "}}",
	    -32602, 200);
}
END_TEST

START_TEST(a_nul_in_a_text_becomes_a_replacement_character)
{
	json_t *text = cairn_mcp_text("a\0b\xff\0", 5);
	ck_assert_str_eq(json_string_value(text), "a\xef\xbf\xbd"
						  "b\xef\xbf\xbd\xef\xbf\xbd");
	ck_assert_uint_eq(json_string_length(text), 11);
	json_decref(text);
}
END_TEST

START_TEST(a_cancellation_names_the_request)
{
	static const char text[] = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
				   "cancelled\",\"params\":{\"requestId\":\"r7\",\"reason\":\"x\"}}";
	struct cairn_mcp *x = cairn_mcp_open(text, strlen(text), &stdio);
	ck_assert_str_eq(json_string_value(cairn_mcp_cancelled(x, 0)), "r7");
	ck_assert_ptr_null(cairn_mcp_cancelled(x, 1));
	ck_assert_ptr_null(cairn_mcp_agreed(x));
	cairn_mcp_close(&x);
}
END_TEST

CAIRN_TEST_MAIN("mcp", initialize_agrees_on_a_version_that_both_speak,
    what_is_no_message_is_refused_by_the_codes_of_json_rpc, notifications_and_responses_are_not_answered,
    lists_of_messages_belong_to_one_version, a_request_that_tells_its_version_must_tell_it_right,
    a_header_may_be_in_base64, every_tool_has_a_schema_and_says_what_it_does_to_the_robot,
    a_call_with_wrong_arguments_becomes_no_command, a_call_becomes_the_command_that_a_person_would_give,
    results_carry_pictures_and_any_text, a_nul_in_a_text_becomes_a_replacement_character,
    a_cancellation_names_the_request)
