/* web_rig.h - the web stage as it runs: the real process on a run directory of the test's own, its topics and services played by the
 * test, its visitors plain sockets. CAIRN_WEB is the program. */
#ifndef CAIRN_TEST_SUPPORT_WEB_RIG_H
#define CAIRN_TEST_SUPPORT_WEB_RIG_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "common/web/tokens.h"
#include "ipc/bus.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define END_S 20 /* a limit for a broken stage, not a measure of a good one */
#define ANSWER_BYTES (1024 * 1024)

static char run_dir[CAIRN_RUN_DIR_BYTES], token[CAIRN_WEB_TOKEN_CHARS + 1];
static int port;
static pid_t stage = -1;
static struct cairn_error err;
static struct cairn_bus *bus;
static struct cairn_pub *pose, *mission, *scan;
static struct cairn_server *operator_service, *motor_service;
static char heard[8192]; /* "goto 1.50 -0.50 by key ..." a line for each command */
static int stops;
static double commands_per_s; /* web.commands_per_s of the next stage; 0: its default */
static char operator_name[] = "operator", motor_name[] = "motor";
static char answer[ANSWER_BYTES];

static inline int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* ---- the robot ---- */

static inline void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	size_t n = strlen(heard);
	n = n > sizeof(heard) - 512 ? 0 : n;
	snprintf(heard + n, sizeof(heard) - n, "%s.%s %.2f %.2f '%s' by %s\n", (const char *)ctx, cmd->verb,
	    cmd->x_m, cmd->y_m, cmd->arg, cmd->who);
	stops += strcmp(cmd->verb, "stop") == 0;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "heard %s", cmd->verb);
}

static inline void serve(void)
{
	if (operator_service != NULL)
		cairn_server_serve(operator_service);
	cairn_server_serve(motor_service);
}

static inline void write_file(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	FILE *out = fopen(path, "we");
	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
	ck_assert_int_eq(chmod(path, 0600), 0);
}

static inline void write_tokens(bool with_anna)
{
	static struct cairn_web_tokens tokens;
	uint8_t random[CAIRN_WEB_TOKEN_CHARS] = {1, 2, 3, 4, 5};
	char text[1024];
	tokens.count = 0;
	cairn_web_token_make(random, token);
	if (with_anna)
		ck_assert(
		    cairn_web_tokens_put(&tokens, "anna", CAIRN_RIGHT_BIT(CAIRN_RIGHT_DRIVE), token, &err));
	ck_assert_int_gt(cairn_web_tokens_format(&tokens, text, sizeof(text)), 0);
	write_file("state/web.tokens", text);
}

static inline void start_stage(void)
{
	int ready[2];
	char c, fd[8], path[128], url[128] = "";
	ck_assert_int_eq(pipe(ready), 0);
	pid_t parent = getpid();
	stage = fork();
	if (stage == 0) {
		snprintf(path, sizeof(path), "%s/web.log", run_dir);
		int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || log < 0)
			_exit(1);
		dup2(log, 2);
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		execl(
		    CAIRN_WEB, CAIRN_WEB, "--run", run_dir, "--stage", "web", "--ready-fd", fd, (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	ck_assert_msg(read(ready[0], &c, 1) == 1, "the stage does not start; see %s/web.log", run_dir);
	close(ready[0]);
	snprintf(path, sizeof(path), "%s/web.url", run_dir);
	FILE *in = fopen(path, "re");
	ck_assert_ptr_nonnull(in);
	ck_assert_ptr_nonnull(fgets(url, sizeof(url), in));
	fclose(in);
	ck_assert_int_eq(sscanf(url, "http://127.0.0.1:%d/", &port), 1);
}

static inline int request(const char *method, const char *path, const char *headers, const char *body);

/* Until the stage has its connection to a service: an order that is given before is one that nobody answers in time. */
static inline void await_service(const char *order, const char *said)
{
	char path[64];
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	snprintf(path, sizeof(path), "/api/command/%s", order);
	do {
		heard[0] = '\0';
		(void)request("POST", path, "", NULL);
	} while (strstr(heard, said) == NULL && now_ns() < end_ns && poll(NULL, 0, 200) == 0);
	ck_assert_msg(strstr(heard, said) != NULL, "no %s", said);
}

static inline void setup(bool with_sequencer)
{
	static struct cairn_config cfg;
	char path[128];
	cairn_run_dir_make(run_dir, "web");
	cairn_run_dir_folder(run_dir, "state");
	cairn_run_dir_folder(run_dir, "logs");
	cairn_config_defaults(&cfg);
	snprintf(cfg.web.endpoint, sizeof(cfg.web.endpoint), "127.0.0.1:0");
	if (commands_per_s > 0.0)
		cfg.web.commands_per_s = commands_per_s;
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	write_tokens(true);
	heard[0] = '\0';
	stops = 0;
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
	pose = cairn_pub_new(bus, CAIRN_TOPIC_POSE, NULL, &err);
	mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	scan = cairn_pub_new(bus, CAIRN_TOPIC_SCAN, NULL, &err);
	operator_service =
	    with_sequencer ? cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, on_command, operator_name, &err)
			   : NULL;
	motor_service = cairn_server_new(bus, CAIRN_SERVICE_MOTOR_CTL, on_command, motor_name, &err);
	ck_assert_ptr_nonnull(motor_service);
	start_stage();
	await_service("estop", "motor.stop");
	if (with_sequencer)
		await_service("stop", "operator.stop");
	heard[0] = '\0';
	stops = 0;
}

static inline void teardown(void)
{
	int status = -1;
	kill(stage, SIGTERM);
	ck_assert_int_eq(waitpid(stage, &status, 0), stage);
	ck_assert_msg(
	    WIFEXITED(status) && WEXITSTATUS(status) == 0, "the stage ended with %x", (unsigned)status);
	cairn_bus_destroy(&bus);
	cairn_run_dir_remove(run_dir);
}

/* ---- HTTP ---- */

static inline int dial(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	return fd;
}

/* Reads into buf until the other end closes or `whole` says that it is enough. Serves meanwhile. */
static inline size_t read_until(int fd, char *buf, size_t cap, bool (*whole)(const char *buf, size_t n))
{
	size_t n = 0;
	int64_t end_ns = now_ns() + END_S * CAIRN_NS_PER_S;
	while (n + 1 < cap && now_ns() < end_ns) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		serve();
		if (poll(&p, 1, 5) <= 0)
			continue;
		ssize_t got = recv(fd, buf + n, cap - 1 - n, 0);
		if (got <= 0)
			break;
		n += (size_t)got;
		buf[n] = '\0';
		if (whole(buf, n))
			break;
	}
	buf[n] = '\0';
	return n;
}

/* All that it said it would send; of a stream, which has no end, its head. */
static inline bool whole_answer(const char *buf, size_t n)
{
	const char *body = strstr(buf, "\r\n\r\n"), *length = strcasestr(buf, "content-length:");
	if (body == NULL || length == NULL || length > body)
		return body != NULL && strstr(buf, "multipart/") != NULL;
	return n >= (size_t)(body + 4 - buf) + strtoul(length + 15, NULL, 10);
}

/* Sends a request with these header lines; the socket on which its answer comes. */
static inline int send_request(const char *method, const char *path, const char *headers, const char *body)
{
	char text[12000];
	int fd = dial();
	int n = snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\n%s%s", method, path,
	    strstr(headers, "Host:") != NULL ? "" : "Host: 127.0.0.1\r\n", headers);
	if (body != NULL)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
		    "Content-Type: application/json\r\nContent-Length: %zu\r\n", strlen(body));
	n += snprintf(text + n, sizeof(text) - (size_t)n, "\r\n%s", body != NULL ? body : "");
	ck_assert_int_lt(n, (int)sizeof(text));
	ck_assert_int_eq(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
	return fd;
}

/* Reads the answer into answer[] and closes the socket; its status. */
static inline int take_answer(int fd)
{
	int status = 0;
	(void)read_until(fd, answer, sizeof(answer), whole_answer);
	close(fd);
	(void)sscanf(answer, "HTTP/1.1 %d", &status);
	return status;
}

static inline int request(const char *method, const char *path, const char *headers, const char *body)
{
	return take_answer(send_request(method, path, headers, body));
}

static inline void expect(
    int status, const char *method, const char *path, const char *headers, const char *body, const char *said)
{
	int got = request(method, path, headers, body);
	ck_assert_msg(got == status && strstr(answer, said) != NULL,
	    "%s %s: %d instead of %d, or not '%s': %.900s", method, path, got, status, said, answer);
}

#endif
