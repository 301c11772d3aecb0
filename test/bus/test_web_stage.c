/* The web stage over plain HTTP: the page, commands, rights, agents. */
#include "test/support/web_rig.h"

START_TEST(the_page_comes_with_a_strict_policy)
{
	setup(true);
	expect(200, "GET", "/", "", NULL, "<!doctype html>");
	ck_assert_ptr_nonnull(
	    strstr(answer, "content-security-policy: default-src 'none'; script-src 'self'"));
	ck_assert_ptr_nonnull(strstr(answer, "x-content-type-options: nosniff"));
	expect(404, "GET", "/../config.yaml", "", NULL, "");
	expect(404, "GET", "/state/web.tokens", "", NULL, "error");
	expect(503, "GET", "/map.png", "", NULL,
	    "no picture within"); /* no data plane: told, and the stage lives */
	expect(200, "GET", "/api/logs", "", NULL, "[");
	expect(200, "GET", "/api/logs?stage=web&last=1", "", NULL, "[");
	expect(400, "GET", "/api/logs?stage=web&last=0", "", NULL, "?last=");
	teardown();
}
END_TEST

START_TEST(strangers_are_refused)
{
	setup(true);
	char large[9000] = "{\"args\":\"";
	memset(large + strlen(large), 'x', sizeof(large) - 20);
	expect(403, "GET", "/", "Host: evil.example\r\n", NULL, "web.hosts");
	expect(403, "POST", "/api/command/estop", "Host: evil.example\r\n", "{}", "web.hosts");
	expect(403, "POST", "/api/command/estop", "Origin: http://evil.example\r\n", "{}", "other sites");
	expect(403, "GET", "/api/status", "Sec-Fetch-Site: cross-site\r\n", NULL, "other sites");
	expect(200, "GET", "/", "Sec-Fetch-Site: cross-site\r\n", NULL, "<!doctype"); /* a link to the page */
	expect(401, "GET", "/api/logs", "X-Forwarded-For: 10.0.0.9\r\n", NULL, "needs a token");
	expect(403, "POST", "/api/command/estop", "X-Forwarded-For: 10.0.0.9\r\n", "{}", "needs the right");
	expect(403, "POST", "/api/command/release",
	    "Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", "{}", "a token that is not known");
	expect(405, "PUT", "/", "", NULL, "only GET and POST");
	expect(405, "GET", "/api/login", "", NULL, "takes POST");
	expect(413, "POST", "/api/command/estop", "", large, "at most");
	expect(415, "POST", "/api/command/estop", "Content-Length: 2\r\nContent-Type: text/plain\r\n", NULL,
	    "must be JSON");
	expect(400, "POST", "/api/command/estop", "", "{\"args\":7}", "must be a text");
	expect(404, "POST", "/api/command/fly", "", "{}", "no command");
	expect(403, "POST", "/api/login", "", "{\"token\":\"nobody\"}", "not known");
	ck_assert_int_eq(stops, 0);
	teardown();
}
END_TEST

START_TEST(a_stop_needs_no_token_and_driving_does)
{
	setup(true);
	char bearer[80];
	snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s\r\n", token);
	expect(200, "POST", "/api/command/estop", "", "{\"args\":\"a cat\"}", "heard stop");
	ck_assert_ptr_nonnull(strstr(heard, "motor.stop 0.00 0.00 'a cat' by uid"));
	ck_assert_ptr_nonnull(strstr(heard, "web 127.0.0.1"));
	expect(200, "POST", "/api/command/stop", "", NULL, "heard stop");
	expect(403, "POST", "/api/command/goto", "", "{\"args\":\"1 2\"}", "needs the right to drive");
	ck_assert_ptr_null(strstr(heard, "goto"));
	expect(200, "POST", "/api/command/goto", bearer, "{\"args\":\"1.5 -0.5\"}", "heard goto");
	ck_assert_ptr_nonnull(strstr(heard, "operator.goto 1.50 -0.50 '' by key web/anna by uid"));
	expect(403, "POST", "/api/command/restart", bearer, "{\"args\":\"mapper\"}",
	    "needs the right to configure");
	expect(409, "POST", "/api/command/goto", bearer, "{\"args\":\"1.5\"}", "usage: goto");
	/* the cookie stands for the token, until it is revoked */
	char login[80], cookie[120];
	snprintf(login, sizeof(login), "{\"token\":\"%s\"}", token);
	snprintf(cookie, sizeof(cookie), "Cookie: cairn_web_%d=%s\r\n", port, token);
	expect(200, "POST", "/api/login", "", login, "HttpOnly; SameSite=Strict");
	expect(200, "POST", "/api/command/home", cookie, "{}", "heard home");
	write_tokens(false);
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	while (request("POST", "/api/command/home", cookie, "{}") != 403 && now_ns() < end_ns)
		poll(NULL, 0, 100);
	expect(403, "POST", "/api/command/home", cookie, "{}", "needs the right to drive");
	teardown();
}
END_TEST

START_TEST(a_stop_that_the_sequencer_does_not_answer_becomes_an_emergency_stop)
{
	setup(false);
	expect(200, "POST", "/api/command/stop", "", NULL, "heard stop");
	ck_assert_ptr_nonnull(strstr(heard, "motor.stop"));
	teardown();
}
END_TEST

/* ---- agents ---- */

#define TOOL(name, arguments)                                                                                \
	"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name               \
	"\",\"arguments\":" arguments "}}"

START_TEST(an_agent_has_the_rights_of_its_token_and_no_more)
{
	setup(true);
	char bearer[80];
	snprintf(bearer, sizeof(bearer), "Authorization: Bearer %s\r\n", token);
	expect(405, "GET", "/mcp", "", NULL, "takes POST");
	expect(405, "DELETE", "/mcp", "", NULL, "only GET and POST");
	expect(403, "POST", "/mcp", "Origin: http://evil.example\r\n", TOOL("stop", "{}"), "other sites");
	expect(401, "POST", "/mcp", "X-Forwarded-For: 10.0.0.9\r\n", TOOL("stop", "{}"), "needs a token");
	expect(
	    200, "POST", "/mcp", "", TOOL("goto", "{\"x_m\":1.5,\"y_m\":-0.5}"), "needs the right to drive");
	ck_assert_str_eq(heard, "");
	expect(200, "POST", "/mcp", "", TOOL("stop", "{}"), "heard stop");
	expect(200, "POST", "/mcp", "", TOOL("emergency_stop", "{}"), "heard stop");
	ck_assert_ptr_nonnull(strstr(heard, "mcp 127.0.0.1"));
	ck_assert_int_eq(stops, 2);
	expect(200, "POST", "/mcp", bearer, TOOL("goto", "{\"x_m\":1.5,\"y_m\":-0.5}"), "\"isError\":false");
	ck_assert_ptr_nonnull(strstr(heard, "operator.goto 1.50 -0.50 '' by key web/anna by uid"));
	expect(200, "POST", "/mcp", bearer, TOOL("goto", "{\"x_m\":1.5}"), "either x_m and y_m");
	expect(200, "POST", "/mcp", bearer, TOOL("explore", "{\"goal\":\"a --for 9h\"}"), "heard explore");
	ck_assert_ptr_nonnull(strstr(heard, "'a --for 9h'"));
	expect(200, "POST", "/mcp", bearer, TOOL("release", "{}"), "-32602");
	expect(202, "POST", "/mcp", "", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", "");
	expect(400, "POST", "/mcp", "", "{", "-32700");
	/* What is not there is told, and a wait of nobody's robot ends. */
	expect(200, "POST", "/mcp", "", TOOL("status", "{}"), "\\\"battery\\\":null");
	expect(200, "POST", "/mcp", "", TOOL("wait", "{\"seconds\":0}"), "the time is up");
	teardown();
}
END_TEST

START_TEST(an_agent_that_calls_too_often_is_told_so_and_can_still_stop)
{
	setup(true);
	int refused = 0;
	for (int i = 0; i < 60; i++)
		refused += request("POST", "/mcp", "", TOOL("decisions", "{}")) == 429;
	ck_assert_int_gt(refused, 0);
	expect(200, "POST", "/mcp", "", TOOL("stop", "{}"), "heard stop");
	expect(200, "POST", "/api/command/estop", "", NULL, "heard stop");
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("web-stage", the_page_comes_with_a_strict_policy, strangers_are_refused,
    a_stop_needs_no_token_and_driving_does,
    a_stop_that_the_sequencer_does_not_answer_becomes_an_emergency_stop,
    an_agent_has_the_rights_of_its_token_and_no_more,
    an_agent_that_calls_too_often_is_told_so_and_can_still_stop)
