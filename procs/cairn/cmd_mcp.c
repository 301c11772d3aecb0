/* cmd_mcp.c - `cairn mcp`: an agent program's messages on standard input, answers on standard output, one a line.
 *
 * What can be said without the robot is said here (common/mcp), so that an agent program starts before the robot does. Calls
 * go to the web stage as they are, POST /mcp: it judges rights, measure and commands, whichever way an agent comes. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/base/whole_io.h"
#include "common/mcp/exchange.h"
#include "common/web/tokens.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/web_url.h"

#define TOKEN_ENV "CAIRN_WEB_TOKEN"
#define URL_BYTES 256
#define CALLS_MAX 24 /* under way at once */
#define CALLS_NO_STOP_MAX 16
#define CONNECT_MS 3000L
#define CALL_MS 60000L
#define ANSWER_MAX (32u * 1024 * 1024)
#define POLL_MS 1000
#define LEAVE_NS (2 * CAIRN_NS_PER_S) /* for what is under way when the input has ended */

/* One message that the web stage is asked about. */
struct call {
	CURL *curl; /* NULL: free */
	struct curl_slist *headers;
	struct cairn_mcp *exchange;
	char *body;
	struct cairn_text answer;
	char why[CURL_ERROR_SIZE];
};

struct mcp {
	const struct cli *cli;
	CURLM *multi;
	char token[CAIRN_WEB_TOKEN_CHARS + 1];
	const char *agreed; /* version; NULL: none yet */
	struct call calls[CALLS_MAX];
	char line[CAIRN_MCP_MESSAGE_MAX + 2];
	size_t have;
	bool skipping; /* the rest of a line that is too long */
	bool ended, broken;
};

/* ---- answers ---- */

static void put_line(struct mcp *m, const char *text, size_t bytes)
{
	while (bytes > 0 && (text[bytes - 1] == '\n' || text[bytes - 1] == '\r'))
		bytes--;
	m->broken = m->broken || !cairn_write_whole(STDOUT_FILENO, text, bytes) ||
		    !cairn_write_whole(STDOUT_FILENO, "\n", 1);
}

static void answer(struct mcp *m, struct cairn_mcp *exchange)
{
	int status;
	size_t bytes;
	char *text = cairn_mcp_answer(exchange, &bytes, &status);
	if (text != NULL)
		put_line(m, text, bytes);
	free(text);
}

static void fail_all(struct mcp *m, struct cairn_mcp *exchange, enum cairn_mcp_code code, const char *why)
{
	for (int i = 0; i < cairn_mcp_count(exchange); i++)
		if (cairn_mcp_need(exchange, i) != CAIRN_MCP_NEED_NOTHING)
			cairn_mcp_fail(exchange, i, code, "%s", why);
	answer(m, exchange);
}

/* ---- calls ---- */

static void drop(struct mcp *m, struct call *call)
{
	if (call->curl != NULL) {
		curl_multi_remove_handle(m->multi, call->curl);
		curl_easy_cleanup(call->curl);
	}
	curl_slist_free_all(call->headers);
	cairn_mcp_close(&call->exchange);
	cairn_text_free(&call->answer);
	free(call->body);
	*call = (struct call){.curl = NULL};
}

static size_t on_data(char *data, size_t size, size_t count, void *ctx)
{
	struct call *call = ctx;
	if (call->answer.len + size * count > ANSWER_MAX)
		return 0;
	cairn_text_bytes(&call->answer, data, size * count);
	return call->answer.failed ? 0 : size * count;
}

static bool add_header(struct call *call, const char *name, const char *value)
{
	char line[256];
	if (value == NULL)
		return true;
	snprintf(line, sizeof(line), "%s: %s", name, value);
	struct curl_slist *more = curl_slist_append(call->headers, line);
	call->headers = more != NULL ? more : call->headers;
	return more != NULL;
}

/* The first item that needs the robot, or -1. */
static int first_need(const struct cairn_mcp *exchange)
{
	for (int i = 0; i < cairn_mcp_count(exchange); i++)
		if (cairn_mcp_need(exchange, i) != CAIRN_MCP_NEED_NOTHING)
			return i;
	return -1;
}

static bool stops(const struct cairn_mcp *exchange)
{
	int item = first_need(exchange);
	return cairn_mcp_need(exchange, item) == CAIRN_MCP_NEED_TOOL &&
	       cairn_mcp_tools[cairn_mcp_call_of(exchange, item)->tool].effect == CAIRN_MCP_STOPS;
}

/* Some places are for stops alone. */
static struct call *free_call(struct mcp *m, bool stop)
{
	for (int i = 0; i < (stop ? CALLS_MAX : CALLS_NO_STOP_MAX); i++)
		if (m->calls[i].curl == NULL)
			return &m->calls[i];
	return NULL;
}

static bool where(const struct mcp *m, char *url, size_t bytes)
{
	const char *given = cli_value(m->cli, "url");
	char base[URL_BYTES];
	if (given == NULL && !web_url(m->cli->run_dir, base, sizeof(base)))
		return false;
	const char *from = given != NULL ? given : base;
	size_t n = strlen(from);
	snprintf(url, bytes, "%.*s/mcp", (int)(n > 0 && from[n - 1] == '/' ? n - 1 : n), from);
	return true;
}

static bool prepare(struct mcp *m, struct call *call, const char *url)
{
	struct cairn_mcp_link link = cairn_mcp_headers(call->exchange, first_need(call->exchange));
	const char *ca = cli_value(m->cli, "ca");
	char bearer[CAIRN_WEB_TOKEN_CHARS + 16];
	CURL *c = call->curl;
	snprintf(bearer, sizeof(bearer), "Bearer %s", m->token);
	bool ok = add_header(call, "Content-Type", "application/json") &&
		  add_header(call, "Accept", "application/json, text/event-stream") &&
		  add_header(call, "Expect", "") && add_header(call, "MCP-Protocol-Version", link.version) &&
		  add_header(call, "Mcp-Method", link.method) && add_header(call, "Mcp-Name", link.name) &&
		  add_header(call, "Authorization", m->token[0] != '\0' ? bearer : NULL);
	ok = ok && curl_easy_setopt(c, CURLOPT_URL, url) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	ok = ok && (ca == NULL || curl_easy_setopt(c, CURLOPT_CAINFO, ca) == CURLE_OK);
	ok = ok && curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, CALL_MS) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_HTTPHEADER, call->headers) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_POSTFIELDS, call->body) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_ERRORBUFFER, call->why) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_WRITEDATA, call) == CURLE_OK;
	ok = ok && curl_easy_setopt(c, CURLOPT_PRIVATE, call) == CURLE_OK;
	return ok && curl_multi_add_handle(m->multi, c) == CURLM_OK;
}

/* Takes the exchange over. */
static void pass_on(struct mcp *m, struct cairn_mcp *exchange, const char *text)
{
	char url[URL_BYTES + 8], why[512];
	struct call *call = free_call(m, stops(exchange));
	if (call == NULL || !where(m, url, sizeof(url))) {
		snprintf(why, sizeof(why),
		    call == NULL ? "too many calls are under way%.0s"
				 : "no stack runs in %.250s, or its stage web does not listen: start it with "
				   "'cairn up'",
		    m->cli->run_dir);
		fail_all(m, exchange, call == NULL ? CAIRN_MCP_TOO_MANY : CAIRN_MCP_INTERNAL_ERROR, why);
		cairn_mcp_close(&exchange);
		return;
	}
	*call = (struct call){.curl = curl_easy_init(), .exchange = exchange, .body = strdup(text)};
	if (call->curl != NULL && call->body != NULL && prepare(m, call, url))
		return;
	fail_all(m, exchange, CAIRN_MCP_INTERNAL_ERROR, "out of memory");
	drop(m, call);
}

/* What the web stage said: an answer of the protocol, or why there is none. */
static void ended(struct mcp *m, struct call *call, CURLcode code)
{
	long status = 0;
	json_t *json = code == CURLE_OK && call->answer.len > 0
			   ? json_loadb(call->answer.data, call->answer.len, 0, NULL)
			   : NULL;
	const char *error = json_string_value(json_object_get(json, "error"));
	(void)curl_easy_getinfo(call->curl, CURLINFO_RESPONSE_CODE, &status);
	if (json != NULL && (json_is_array(json) || json_object_get(json, "jsonrpc") != NULL)) {
		char *text = json_dumps(json, JSON_COMPACT); /* one line, whatever came */
		if (text != NULL)
			put_line(m, text, strlen(text));
		free(text);
	} else {
		char why[512];
		if (code != CURLE_OK)
			snprintf(why, sizeof(why), "the robot's stage web does not answer: %s",
			    call->why[0] != '\0' ? call->why : curl_easy_strerror(code));
		else
			snprintf(why, sizeof(why), "%s", error != NULL ? error : "not an answer of cairn");
		fail_all(
		    m, call->exchange, status == 429 ? CAIRN_MCP_TOO_MANY : CAIRN_MCP_INTERNAL_ERROR, why);
	}
	json_decref(json);
	drop(m, call);
}

static void cancel(struct mcp *m, const json_t *id)
{
	for (int i = 0; i < CALLS_MAX; i++)
		if (m->calls[i].curl != NULL && cairn_mcp_count(m->calls[i].exchange) == 1 &&
		    json_equal(cairn_mcp_id(m->calls[i].exchange, 0), id))
			drop(m, &m->calls[i]);
}

/* ---- input ---- */

static void on_line(struct mcp *m, const char *text, size_t bytes)
{
	const struct cairn_mcp_link link = {.http = false, .version = m->agreed};
	const json_t *id;
	if (text[strspn(text, " \t\r")] == '\0' && strlen(text) == bytes)
		return;
	struct cairn_mcp *exchange = cairn_mcp_open(text, bytes, &link);
	if (exchange == NULL) {
		m->broken = true;
		return;
	}
	for (int i = 0; (id = cairn_mcp_cancelled(exchange, i)) != NULL; i++)
		cancel(m, id);
	if (cairn_mcp_agreed(exchange) != NULL)
		m->agreed = cairn_mcp_agreed(exchange);
	if (!cairn_mcp_done(exchange)) {
		pass_on(m, exchange, text);
		return;
	}
	answer(m, exchange);
	cairn_mcp_close(&exchange);
}

/* Whole lines of what has come; a line that is too long is answered once, and skipped. */
static void take_lines(struct mcp *m)
{
	char *start = m->line, *end = m->line + m->have, *newline;
	while ((newline = memchr(start, '\n', (size_t)(end - start))) != NULL) {
		*newline = '\0';
		if (!m->skipping)
			on_line(m, start, (size_t)(newline - start));
		m->skipping = false;
		start = newline + 1;
	}
	m->have = (size_t)(end - start);
	memmove(m->line, start, m->have);
	if (m->have > CAIRN_MCP_MESSAGE_MAX) {
		if (!m->skipping)
			on_line(m, m->line, m->have); /* refused for its length */
		m->skipping = true;
		m->have = 0;
	}
}

static void read_input(struct mcp *m)
{
	ssize_t n = read(STDIN_FILENO, m->line + m->have, sizeof(m->line) - 1 - m->have);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	m->ended = n <= 0;
	m->have += n > 0 ? (size_t)n : 0;
	take_lines(m);
}

static int under_way(const struct mcp *m)
{
	int count = 0;
	for (int i = 0; i < CALLS_MAX; i++)
		count += m->calls[i].curl != NULL;
	return count;
}

static void collect(struct mcp *m)
{
	int running, left;
	CURLMsg *msg;
	(void)curl_multi_perform(m->multi, &running);
	while ((msg = curl_multi_info_read(m->multi, &left)) != NULL) {
		struct call *call = NULL;
		if (msg->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&call) == CURLE_OK)
			ended(m, call, msg->data.result);
	}
}

static void run(struct mcp *m)
{
	int64_t leave_ns = 0;
	while (!m->broken && !cli_interrupted()) {
		struct curl_waitfd input = {.fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN};
		(void)curl_multi_poll(m->multi, &input, m->ended ? 0 : 1, m->ended ? 100 : POLL_MS, NULL);
		if (input.revents != 0 && !m->ended)
			read_input(m);
		collect(m);
		if (!m->ended)
			continue;
		leave_ns = leave_ns == 0 ? cli_now_ns() + LEAVE_NS : leave_ns;
		if (under_way(m) == 0 || cli_now_ns() >= leave_ns)
			return;
	}
}

static bool take_token(struct mcp *m)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const char *token = getenv(TOKEN_ENV);
	if (token == NULL || token[0] == '\0')
		return true;
	snprintf(m->token, sizeof(m->token), "%s", token);
	return strlen(token) == CAIRN_WEB_TOKEN_CHARS && token[strspn(token, letters)] == '\0';
}

int cli_mcp(const struct cli *cli)
{
	static struct mcp m;
	m.cli = cli;
	if (!take_token(&m))
		return cli_fail(
		    cli, CLI_USAGE, TOKEN_ENV " is no token; 'cairn web-key NAME' on the robot makes one");
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || (m.multi = curl_multi_init()) == NULL)
		return cli_fail(cli, CLI_FAILED, "libcurl does not start");
	cli_catch_signals();
	signal(SIGPIPE, SIG_IGN);
	run(&m);
	for (int i = 0; i < CALLS_MAX; i++)
		drop(&m, &m.calls[i]);
	curl_multi_cleanup(m.multi);
	return CLI_OK;
}
