/* Under test: procs/voice/transcriber.c, against a service that repeats the key it was given. */
#include "test/support/runner.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "procs/voice/transcriber.h"

#define KEY "sk/test-12345678"

struct service {
	int fd;
	const char *body;
	char asked[4096]; /* the beginning of the request */
};

static void *serve(void *ctx)
{
	struct service *s = ctx;
	char head[128];
	int fd = accept(s->fd, NULL, NULL);
	size_t len = 0;
	while (len < sizeof(s->asked) - 1 && strstr(s->asked, "\r\n\r\n") == NULL) {
		ssize_t n = recv(fd, s->asked + len, sizeof(s->asked) - 1 - len, 0);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	int n = snprintf(head, sizeof(head),
	    "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", strlen(s->body));
	(void)!send(fd, head, (size_t)n, MSG_NOSIGNAL);
	(void)!send(fd, s->body, strlen(s->body), MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	while (recv(fd, head, sizeof(head), 0) > 0) { /* until it has gone: an answer is lost by a reset */
	}
	close(fd);
	return NULL;
}

static void begin(struct service *s, struct cairn_config *cfg)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t bytes = sizeof(at);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(s->fd, 1), 0);
	getsockname(s->fd, (struct sockaddr *)&at, &bytes);
	cairn_config_defaults(cfg);
	snprintf(cfg->voice.transcriber_url, sizeof(cfg->voice.transcriber_url), "http://127.0.0.1:%d/",
	    ntohs(at.sin_port));
	snprintf(cfg->voice.transcriber_key, sizeof(cfg->voice.transcriber_key), "TEST_TRANSCRIBER_KEY");
}

START_TEST(a_service_that_repeats_its_key_in_disguise_has_not_said_it)
{
	struct service s = {.body = "{\"text\":\"bring s\\u006b\\/te\\u200bst-12345678 here\"}"};
	struct cairn_config cfg;
	struct cairn_error err = {""};
	static const int16_t pcm[1600];
	const char *text = NULL;
	pthread_t thread;
	begin(&s, &cfg);
	unsetenv("TEST_TRANSCRIBER_KEY");
	ck_assert_ptr_null(transcriber_new(&cfg.voice, &err));
	ck_assert_str_eq(err.text, "voice.transcriber_key: the environment has no TEST_TRANSCRIBER_KEY");
	setenv("TEST_TRANSCRIBER_KEY", KEY, 1);
	struct transcriber *t = transcriber_new(&cfg.voice, &err);
	ck_assert_msg(t != NULL, "%s", err.text);
	ck_assert_ptr_null(getenv("TEST_TRANSCRIBER_KEY")); /* a process of the same user finds it no more */
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, &s), 0);
	ck_assert(transcriber_send(t, pcm, 1600));
	struct pollfd done = {.fd = transcriber_fd(t), .events = POLLIN};
	ck_assert_int_eq(poll(&done, 1, 30000), 1);
	ck_assert(transcriber_take(t, &text, &err));
	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_str_eq(text, "bring **************************** here");
	transcriber_destroy(&t);
	close(s.fd);
	pthread_join(thread, NULL);
	ck_assert_ptr_nonnull(strstr(s.asked, "Authorization: Bearer " KEY));
}
END_TEST

CAIRN_TEST_MAIN("transcriber", a_service_that_repeats_its_key_in_disguise_has_not_said_it)
