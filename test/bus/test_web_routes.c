/* Every address of the web stage and every command, asked for by everybody there is: somebody from elsewhere without a token, with
 * one that may watch, with one that may drive as well, and somebody at this machine without one. */
#include "common/web/routes.h"
#include "test/support/web_rig.h"

enum asker { STRANGER, WATCHER, DRIVER, HERE, ASKERS };

static struct {
	unsigned rights;
	char headers[160], token[CAIRN_WEB_TOKEN_CHARS + 1];
} askers[ASKERS] = {[WATCHER] = {.rights = CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH)},
    [DRIVER] = {.rights = CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH) | CAIRN_RIGHT_BIT(CAIRN_RIGHT_DRIVE)},
    [HERE] = {.rights = CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH)}};

/* What who may ask is answered, on a robot without pictures and decisions. A route that is missing here fails the test. */
static const struct {
	int status;
	const char *body;
} admitted[CAIRN_WEB_ROUTE_COUNT] = {[CAIRN_WEB_CAMERA_MJPEG] = {200},
    [CAIRN_WEB_CAMERA_JPG] = {503},
    [CAIRN_WEB_SNAPSHOT_JPG] = {503},
    [CAIRN_WEB_SNAPSHOT_MJPEG] = {200},
    [CAIRN_WEB_SNAPSHOT_TXT] = {503},
    [CAIRN_WEB_DEPTH_PNG] = {503},
    [CAIRN_WEB_DEPTH_MJPEG] = {200},
    [CAIRN_WEB_MAP_MJPEG] = {200},
    [CAIRN_WEB_MAP_PNG] = {503},
    [CAIRN_WEB_MAP_JSON] = {503},
    [CAIRN_WEB_MAP_DRAWN] = {503},
    [CAIRN_WEB_STATUS] = {200},
    [CAIRN_WEB_DISCOVERIES] = {200},
    [CAIRN_WEB_DECISIONS] = {200},
    [CAIRN_WEB_DECISION] = {404},
    [CAIRN_WEB_DECISION_JPG] = {404},
    [CAIRN_WEB_VIEW] = {404},
    [CAIRN_WEB_VIEW_JPG] = {404},
    [CAIRN_WEB_AGENT_MAP_JPG] = {200},
    [CAIRN_WEB_LOGS] = {200},
    [CAIRN_WEB_COMMAND] = {404, "{}"}, /* of no name; each of theirs below */
    [CAIRN_WEB_MCP] = {200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"},
    [CAIRN_WEB_LOGIN] = {403, "{\"token\":\"nobody\"}"},
    [CAIRN_WEB_LOGOUT] = {200, "{}"},
    [CAIRN_WEB_SOCKET] = {400}};

/* The list of tokens with a watcher and a driver on it, and the stage knows it. */
static void begin(void)
{
	static struct cairn_web_tokens tokens;
	static const char *const names[ASKERS] = {[WATCHER] = "watcher", [DRIVER] = "driver"};
	char text[1024];
	commands_per_s = 100.0;
	setup(true);
	tokens.count = 0;
	for (int i = 0; i < ASKERS; i++) {
		uint8_t random[CAIRN_WEB_TOKEN_CHARS] = {(uint8_t)(i + 1), 7};
		int n = i == HERE ? 0
				  : snprintf(askers[i].headers, sizeof(askers[i].headers),
					"X-Forwarded-For: 10.0.0.%d\r\n", i + 1);
		if (names[i] == NULL)
			continue;
		cairn_web_token_make(random, askers[i].token);
		ck_assert(cairn_web_tokens_put(&tokens, names[i], askers[i].rights, askers[i].token, &err));
		snprintf(askers[i].headers + n, sizeof(askers[i].headers) - (size_t)n,
		    "Authorization: Bearer %s\r\n", askers[i].token);
	}
	ck_assert_int_gt(cairn_web_tokens_format(&tokens, text, sizeof(text)), 0);
	write_file("state/web.tokens", text);
	write_file("state/agent-map.jpg", "drawn for a task"); /* as the stage agent does */
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	while (request("GET", "/api/logs", askers[DRIVER].headers, NULL) != 200 && now_ns() < end_ns)
		poll(NULL, 0, 100);
}

/* A path that the row means. */
static void path_of(const char *pattern, char *ret)
{
	for (; *pattern != '\0'; pattern++)
		*ret++ = *pattern == '*' ? '7' : *pattern;
	*ret = '\0';
}

static const char *method_of(enum cairn_web_method method)
{
	return method == CAIRN_WEB_POST ? "POST" : "GET";
}

START_TEST(each_route_is_answered_to_those_who_have_its_right_and_refused_to_the_rest)
{
	begin();
	for (int who = 0; who < ASKERS; who++) {
		int fds[CAIRN_WEB_ROUTE_COUNT]; /* at once: each picture is waited for */
		char path[100];
		for (int i = 0; i < CAIRN_WEB_ROUTE_COUNT; i++) {
			path_of(cairn_web_routes[i].path, path);
			fds[i] = send_request(method_of(cairn_web_routes[i].method), path,
			    askers[who].headers, admitted[i].body);
		}
		for (int i = 0; i < CAIRN_WEB_ROUTE_COUNT; i++) {
			const struct cairn_web_route_row *row = &cairn_web_routes[i];
			bool may = row->open ? i != CAIRN_WEB_MCP || askers[who].rights != 0
					     : (askers[who].rights & CAIRN_RIGHT_BIT(row->right)) != 0;
			int status = take_answer(fds[i]);
			ck_assert_msg(status == (may ? admitted[i].status : 401), "asker %d, %s: %d: %.600s",
			    who, row->path, status, answer);
			ck_assert_ptr_nonnull(strstr(answer, "x-content-type-options: nosniff"));
		}
	}
	teardown();
}
END_TEST

START_TEST(each_route_takes_one_method_and_none_on_behalf_of_another_site)
{
	char path[100];
	begin();
	for (int i = 0; i < CAIRN_WEB_ROUTE_COUNT; i++) {
		const struct cairn_web_route_row *row = &cairn_web_routes[i];
		bool post = row->method == CAIRN_WEB_POST;
		path_of(row->path, path);
		expect(405, method_of(post ? CAIRN_WEB_GET : CAIRN_WEB_POST), path, askers[DRIVER].headers,
		    post ? NULL : "{}", "takes");
		expect(405, "DELETE", path, askers[DRIVER].headers, NULL, "only GET and POST");
		expect(403, method_of(row->method), path, "Origin: http://evil.example\r\n", admitted[i].body,
		    "other sites");
		expect(403, method_of(row->method), path, "Host: evil.example\r\n", admitted[i].body,
		    "web.hosts");
	}
	ck_assert_str_eq(heard, "");
	teardown();
}
END_TEST

static bool is_asked(const struct cairn_command_row *row)
{
	return strcmp(row->verb, "ping") != 0;
}

/* Each command at once; whether all were judged by the rights of who asked. */
static void give_all(enum asker who)
{
	int fds[CAIRN_COMMAND_COUNT];
	char path[100];
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		const struct cairn_command_row *row = &cairn_commands[i];
		snprintf(path, sizeof(path), "/api/command/%s",
		    cairn_command_name(cairn_services[row->service].name, row->verb));
		fds[i] = is_asked(row) ? send_request("POST", path, askers[who].headers, "{}") : -1;
	}
	for (int i = 0; i < CAIRN_COMMAND_COUNT; i++) {
		const struct cairn_command_row *row = &cairn_commands[i];
		if (!is_asked(row))
			continue;
		unsigned needed = row->right == CAIRN_RIGHT_ANY ? ~0u : CAIRN_RIGHT_BIT(row->right);
		bool may = (askers[who].rights & needed) != 0;
		int status = take_answer(fds[i]);
		bool judged = status == 200 || status == 409; /* done, or refused by the stage or its usage */
		ck_assert_msg(may ? judged : status == 403 && strstr(answer, "needs the right to") != NULL,
		    "asker %d, %s: %d: %.600s", who, row->verb, status, answer);
	}
}

START_TEST(each_command_is_passed_on_for_those_who_have_its_right_and_for_nobody_else)
{
	begin();
	give_all(STRANGER);
	ck_assert_str_eq(heard, "");
	give_all(WATCHER);
	give_all(HERE);
	for (const char *line = heard; *line != '\0'; line = strchr(line, '\n') + 1)
		ck_assert_msg(
		    strncmp(line, "operator.stop ", 14) == 0 || strncmp(line, "motor.stop ", 11) == 0,
		    "passed on without the right to drive: %s", line);
	ck_assert_int_eq(stops, 4);
	heard[0] = '\0';
	give_all(DRIVER);
	ck_assert_ptr_nonnull(strstr(heard, "operator.home 0.00 0.00 '' by key web/driver"));
	ck_assert_ptr_nonnull(strstr(heard, "motor.release"));
	ck_assert_ptr_null(strstr(heard, "operator.zone"));
	teardown();
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("web-routes", 100.0,
    each_route_is_answered_to_those_who_have_its_right_and_refused_to_the_rest,
    each_route_takes_one_method_and_none_on_behalf_of_another_site,
    each_command_is_passed_on_for_those_who_have_its_right_and_for_nobody_else)
