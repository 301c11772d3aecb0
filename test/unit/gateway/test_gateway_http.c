/* The gateway's HTTP client inside the real event loop, against a server that is told how to misbehave. */
#include "test/support/runner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common/base/geom.h"
#include "procs/gateway/http.h"

struct server {
	atomic_int listen_fd, port;
	pthread_t thread;
	_Atomic(const char *)
	    answers[4];            /* one a request; NULL: close without a word; "" : say nothing and wait */
	atomic_size_t flood_bytes; /* sent after the answer */
	atomic_bool drip;          /* the answer comes a byte every 10 ms */
	atomic_int connections, requests;
	char seen[4][512]; /* head of each request; through seen() */
};

static struct server server;
static struct cairn_stage *stage;
static struct http *http;
static int ended;
static int status;
static double retry_after_s;
static char text[256];
static char run_dir[64];
static const char *format = "openai";

static const char *seen(int request)
{
	ck_assert_int_gt(server.requests, request);
	return server.seen[request];
}

static bool read_request(int fd, char *head, size_t cap)
{
	static char buf[65536];
	size_t len = 0, want = 0;
	while (len < sizeof(buf) - 1) {
		ssize_t n = recv(fd, buf + len, sizeof(buf) - 1 - len, 0);
		if (n <= 0)
			return false;
		len += (size_t)n;
		buf[len] = '\0';
		const char *end = strstr(buf, "\r\n\r\n"), *length = strcasestr(buf, "content-length:");
		if (end != NULL && length != NULL)
			want = (size_t)(end + 4 - buf) + (size_t)atol(length + 15);
		if (want > 0 && len >= want)
			break;
	}
	snprintf(head, cap, "%.500s", buf);
	return true;
}

static void send_slowly(int fd, const char *answer)
{
	struct pollfd gone = {.fd = fd, .events = POLLRDHUP};
	for (size_t i = 0; answer[i] != '\0' && poll(&gone, 1, 10) == 0; i++) {
		if (send(fd, answer + i, 1, MSG_NOSIGNAL) <= 0)
			return;
	}
}

static void *serve(void *ctx)
{
	struct server *s = ctx;
	for (;;) {
		int fd = accept(s->listen_fd, NULL, NULL);
		if (fd < 0)
			return NULL;
		s->connections++;
		while (s->requests < 4 && read_request(fd, s->seen[s->requests], sizeof(s->seen[0]))) {
			const char *answer =
			    s->answers[s->requests++]; /* what was seen is there for others now */
			if (answer == NULL)
				break;
			if (answer[0] == '\0') {
				char c;
				(void)!recv(fd, &c, 1, 0); /* until the client goes away */
				break;
			}
			if (s->drip)
				send_slowly(fd, answer);
			else
				send(fd, answer, strlen(answer), MSG_NOSIGNAL);
			static const char junk[4096];
			for (size_t sent = 0; sent < s->flood_bytes; sent += sizeof(junk)) {
				if (send(fd, junk, sizeof(junk), MSG_NOSIGNAL) <= 0)
					break;
			}
		}
		close(fd);
	}
}

static void start_server(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	server.listen_fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(server.listen_fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(server.listen_fd, 4), 0);
	getsockname(server.listen_fd, (struct sockaddr *)&at, &len);
	server.port = ntohs(at.sin_port);
	ck_assert_int_eq(pthread_create(&server.thread, NULL, serve, &server), 0);
}

static void done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	(void)ctx;
	ended++;
	status = outcome->status;
	retry_after_s = outcome->retry_after_s;
	snprintf(text, sizeof(text), "%.*s",
	    (int)(status != 0 ? outcome->body_bytes : strlen(outcome->error)),
	    status != 0 ? (outcome->body != NULL ? outcome->body : "") : outcome->error);
}

static int leave_when_ended(void *ctx)
{
	(void)ctx;
	return ended > 0 ? -1 : 0;
}

static void setup(const char *key)
{
	char path[96];
	snprintf(run_dir, sizeof(run_dir), "/tmp/cairn-http-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(run_dir));
	snprintf(path, sizeof(path), "%s/bus", run_dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	FILE *out = fopen(path, "w");
	fputs("log:\n  level: error\nvlm:\n  timeout_s: 0.6\n  connect_timeout_s: 0.5\n", out);
	fclose(out);
	char *argv[] = {(char *)"test", (char *)"--run", run_dir, (char *)"--stage", (char *)"gateway", NULL};
	int why;
	stage = cairn_stage_start("test", "test", 5, argv, &why);
	ck_assert_ptr_nonnull(stage);
	struct cairn_error err = {""};
	struct cairn_lineup lineup = {.count = 1};
	cairn_profile_defaults(&lineup.rows[0]);
	lineup.rows[0].format =
	    (enum cairn_choice_format)cairn_choice_find(cairn_choice_format_words, format);
	http = http_new(stage, &cairn_stage_config(stage)->vlm, &lineup, &key, &err);
	ck_assert_msg(http != NULL, "%s", err.text);
	http_listen(http, done, NULL, NULL);
	cairn_stage_every(stage, 5, leave_when_ended, NULL);
	start_server();
}

static void teardown(void)
{
	char command[128];
	http_destroy(&http);
	cairn_stage_finish(&stage, 0);
	shutdown(server.listen_fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.listen_fd);
	snprintf(command, sizeof(command), "rm -r %s", run_dir);
	ck_assert_int_eq(system(command), 0);
}

static void post(const char *body)
{
	char url[64];
	struct cairn_error err = {""};
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/v1/chat/completions", server.port);
	ck_assert_msg(http_post(http, 0, url, body, strlen(body), &err), "%s", err.text);
}

static void call(const char *body)
{
	ended = 0;
	post(body);
	cairn_stage_run(stage);
	ck_assert_int_eq(ended, 1);
}

#define OK(body, length)                                                                                     \
	"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " length "\r\n\r\n" body

START_TEST(calls_share_a_connection_and_carry_the_key)
{
	setup("sk-test");
	server.answers[0] = OK("one", "3");
	server.answers[1] = OK("two", "3");
	call("{\"a\":1}");
	ck_assert_int_eq(status, 200);
	ck_assert_str_eq(text, "one");
	call("{\"b\":2}");
	ck_assert_str_eq(text, "two");
	ck_assert_int_eq(server.connections, 1);
	ck_assert_ptr_nonnull(strstr(seen(0), "POST /v1/chat/completions HTTP/1.1\r\n"));
	ck_assert_ptr_nonnull(strstr(seen(0), "Authorization: Bearer sk-test\r\n"));
	ck_assert_ptr_nonnull(strstr(seen(0), "Content-Type: application/json\r\n"));
	ck_assert_ptr_null(strstr(seen(0), "Expect:"));
	teardown();
}
END_TEST

START_TEST(without_a_key_no_authorization_is_sent)
{
	setup(NULL);
	server.answers[0] = OK("", "0");
	call("{}");
	ck_assert_int_eq(status, 200);
	ck_assert_ptr_null(strstr(seen(0), "Authorization"));
	teardown();
}
END_TEST

START_TEST(a_server_that_hangs_or_hangs_up_is_an_error_in_time)
{
	setup(NULL);
	server.answers[0] = "";
	server.answers[1] = NULL;
	int64_t start_ns = cairn_now_ns();
	call("{}");
	double took_s = (double)(cairn_now_ns() - start_ns) * 1e-9;
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_nonnull(strstr(text, "timed out"));
	ck_assert_double_ge(took_s, 0.5);
	call("{}");
	ck_assert_int_eq(status, 0);
	ck_assert_str_ne(text, "");
	teardown();
}
END_TEST

START_TEST(an_answer_that_drips_is_not_waited_for_longer_than_a_call_may_take)
{
	static char slow[1200];
	setup(NULL);
	snprintf(slow, sizeof(slow), OK("%0*d", "1000"), 1000, 0);
	server.answers[0] = slow;
	server.drip = true; /* over 10 s, and 0.6 s are allowed; each byte alone comes in time */
	call("{}");
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_nonnull(strstr(text, "timed out"));
	teardown();
}
END_TEST

START_TEST(an_answer_without_end_is_cut_at_the_limit)
{
	setup(NULL);
	server.answers[0] = OK("", "100000000");
	server.flood_bytes = 100000000;
	call("{}");
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(text, "the answer is larger than 1048576 bytes");
	teardown();
}
END_TEST

START_TEST(what_the_service_says_about_waiting_is_read)
{
	setup(NULL);
	server.answers[0] = "HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n";
	server.answers[1] =
	    "HTTP/1.1 429 Slow\r\nretry-after: 7\r\nretry-after-ms: 1500\r\nContent-Length: 0\r\n\r\n";
	server.answers[2] = "HTTP/1.1 503 No\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n";
	call("{}");
	ck_assert_int_eq(status, 429);
	ck_assert_double_eq(retry_after_s, 7.0);
	call("{}");
	ck_assert_double_eq_tol(retry_after_s, 1.5, 1e-9);
	call("{}");
	ck_assert_int_eq(status, 503);
	ck_assert_double_lt(retry_after_s, 0.0);
	teardown();
}
END_TEST

START_TEST(a_redirect_is_not_followed_with_the_key)
{
	char line[200];
	setup("sk-test");
	snprintf(line, sizeof(line),
	    "HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:%d/x\r\nContent-Length: 0\r\n\r\n", server.port);
	server.answers[0] = line;
	call("{}");
	ck_assert_int_eq(status, 302);
	ck_assert_int_eq(server.requests, 1);
	teardown();
}
END_TEST

START_TEST(a_dropped_call_is_never_heard_of_again)
{
	setup(NULL);
	server.answers[0] = "";
	server.answers[1] = OK("second", "6");
	ended = 0;
	post("{\"n\":1}");
	http_cancel(http);
	http_cancel(http);
	ck_assert_int_eq(ended, 0);
	server.answers[0] = OK("second", "6"); /* whether or not the first got as far as the server */
	call("{\"n\":2}");
	ck_assert_int_eq(status, 200);
	ck_assert_str_eq(text, "second");
	teardown();
}
END_TEST

static void answer_with(int index, const char *body)
{
	static char lines[4][512];
	snprintf(lines[index], sizeof(lines[index]), "HTTP/1.1 401 No\r\nContent-Length: %zu\r\n\r\n%s",
	    strlen(body), body);
	server.answers[index] = lines[index];
}

START_TEST(a_key_that_comes_back_in_disguise_or_in_parts_goes_no_further)
{
	format = "anthropic"; /* joins the parts of an answer */
	setup("sk/test-12345678");
	answer_with(0, "{\"error\":{\"message\":\"wrong: s\\u006b\\/te\\u200bst-12345678\"}}");
	answer_with(1,
	    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":["
	    "{\"type\":\"text\",\"text\":\"sk/test\"},{\"type\":\"text\",\"text\":\"-12345678\"}]}");
	call("{}");
	ck_assert_int_eq(status, 401);
	ck_assert_str_eq(text, "{\"error\":{\"message\":\"wrong: ****************************\"}}");
	call("{}");
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(text, "the answer repeats the API key in parts: it was dropped");
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("gateway http", calls_share_a_connection_and_carry_the_key,
    without_a_key_no_authorization_is_sent, a_server_that_hangs_or_hangs_up_is_an_error_in_time,
    an_answer_that_drips_is_not_waited_for_longer_than_a_call_may_take,
    an_answer_without_end_is_cut_at_the_limit, what_the_service_says_about_waiting_is_read,
    a_redirect_is_not_followed_with_the_key, a_key_that_comes_back_in_disguise_or_in_parts_goes_no_further,
    a_dropped_call_is_never_heard_of_again)
