/* The stage notify: the real process, its topics published by the test, and a little server of the test's own at the web address. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "test/support/bus_rig.h"

#define END_S 30 /* a limit for a broken stage, not a measure of a good one */

static int server = -1, port;
static pid_t stage = -1;
static char request[16384];

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static void listen_at(int there)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	    .sin_port = htons((uint16_t)there)};
	socklen_t bytes = sizeof(at);
	server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(server, 8), 0);
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&at, &bytes), 0);
	port = ntohs(at.sin_port);
}

static void listen_somewhere(void)
{
	listen_at(0);
}

/* False: it ended without having come up. */
static bool start_stage(const char *url_env, const char *auth_env)
{
	struct cairn_config cfg;
	char path[CAIRN_RUN_DIR_BYTES + 32], fd[8], c;
	int ready[2];
	cairn_run_dir_make(run_dir, "notify");
	cairn_run_dir_folder(run_dir, "logs");
	cairn_config_defaults(&cfg);
	cfg.notify.gap_s = 0.1;
	snprintf(cfg.notify.url, sizeof(cfg.notify.url), "http://127.0.0.1:%d/robot", port);
	snprintf(cfg.notify.url_env, sizeof(cfg.notify.url_env), "%s", url_env);
	snprintf(cfg.notify.auth_env, sizeof(cfg.notify.auth_env), "%s", auth_env);
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	ck_assert_int_eq(pipe(ready), 0);
	pid_t parent = getpid();
	stage = fork();
	if (stage == 0) {
		snprintf(path, sizeof(path), "%s/notify.log", run_dir);
		int log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || log < 0)
			_exit(1);
		dup2(log, 2);
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		execl(CAIRN_NOTIFY, CAIRN_NOTIFY, "--run", run_dir, "--stage", "notify", "--ready-fd", fd,
		    (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	bool is_up = read(ready[0], &c, 1) == 1;
	close(ready[0]);
	open_bus();
	return is_up;
}

static int end_stage(void)
{
	int status = -1;
	kill(stage, SIGTERM);
	ck_assert_int_eq(waitpid(stage, &status, 0), stage);
	teardown();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Publishes until somebody comes to the address: a subscription needs a moment. The connection. */
static int somebody(struct cairn_pub *pub, const void *message)
{
	struct pollfd p = {.fd = server, .events = POLLIN};
	for (int i = 0; i < END_S * 20; i++) {
		if (pub != NULL)
			(void)cairn_pub_send(pub, message, now_ns(), true);
		if (poll(&p, 1, 50) == 1)
			return accept4(server, NULL, NULL, SOCK_CLOEXEC);
	}
	ck_abort_msg("nobody has come");
	return -1;
}

/* Reads a request whole and answers it with this status. */
static void serve(int fd, int status)
{
	size_t n = 0, want = SIZE_MAX;
	char answer[100];
	while (n < want) {
		ssize_t got = read(fd, request + n, sizeof(request) - 1 - n);
		ck_assert_int_gt(got, 0);
		n += (size_t)got;
		request[n] = '\0';
		const char *end = strstr(request, "\r\n\r\n"), *length = strstr(request, "Content-Length: ");
		if (end != NULL && length != NULL)
			want = (size_t)(end + 4 - request) + strtoul(length + 16, NULL, 10);
	}
	int len = snprintf(answer, sizeof(answer),
	    "HTTP/1.1 %d x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
	ck_assert_int_eq(write(fd, answer, (size_t)len), len);
	close(fd);
}

START_TEST(an_emergency_stop_and_a_cry_for_help_reach_the_address_though_it_fails_at_first)
{
	static struct cairn_msg_motion stopped = {
	    .state = CAIRN_MOTOR_STATE_ESTOP, .reason = "pressed by anna"};
	static struct cairn_msg_mission stuck = {.help = "the door is shut"};
	listen_somewhere();
	ck_assert(start_stage("", ""));
	struct cairn_pub *motion = cairn_pub_new(bus, CAIRN_TOPIC_MOTION, NULL, &err),
			 *mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	serve(somebody(motion, &stopped), 503);
	ck_assert_ptr_nonnull(strstr(request, "POST /robot HTTP/1.1"));
	ck_assert_ptr_nonnull(strstr(request, "application/json"));
	serve(somebody(mission, &stuck), 200); /* once more, and what has happened since */
	ck_assert_ptr_nonnull(
	    strstr(request, "Emergency: I stand until somebody releases me. pressed by anna"));
	bool helped = strstr(request, "I need help: the door is shut") != NULL;
	if (!helped)
		serve(somebody(mission, &stuck), 200);
	ck_assert_ptr_nonnull(strstr(request, "I need help: the door is shut"));
	ck_assert_int_eq(end_stage(), 0);
	close(server);
}
END_TEST

/* Some line of the stage's log has it. */
static bool logged(const char *words)
{
	char path[CAIRN_RUN_DIR_BYTES + 32], line[512];
	bool said = false;
	snprintf(path, sizeof(path), "%s/notify.log", run_dir);
	FILE *in = fopen(path, "re");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
		said |= strstr(line, words) != NULL;
	if (in != NULL)
		fclose(in);
	return said;
}

START_TEST(an_address_or_header_that_the_environment_lacks_is_said_and_the_stage_ends)
{
	unsetenv("CAIRN_TEST_NO_ADDRESS");
	ck_assert(!start_stage("CAIRN_TEST_NO_ADDRESS", ""));
	ck_assert(logged("notify.url_env: the environment has no CAIRN_TEST_NO_ADDRESS"));
	ck_assert_int_eq(end_stage(), 1);
	ck_assert(!start_stage("", "CAIRN_TEST_NO_ADDRESS"));
	ck_assert(logged("notify.auth_env: the environment has no CAIRN_TEST_NO_ADDRESS"));
	ck_assert_int_eq(end_stage(), 1);
	setenv("CAIRN_TEST_AUTH", "Bearer x\r\nHost: elsewhere", 1);
	ck_assert(!start_stage("", "CAIRN_TEST_AUTH"));
	ck_assert(logged("notify.auth_env: CAIRN_TEST_AUTH: it is no value of a header"));
	ck_assert(!logged("elsewhere"));
	ck_assert_int_eq(end_stage(), 1);
}
END_TEST

START_TEST(a_secret_header_goes_with_the_news_and_into_no_log)
{
	static struct cairn_msg_mission stuck = {.help = "the door is shut"};
	setenv("CAIRN_TEST_AUTH", "Bearer s3cret-42", 1);
	listen_somewhere();
	ck_assert(start_stage("", "CAIRN_TEST_AUTH"));
	struct cairn_pub *mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	serve(somebody(mission, &stuck), 403); /* a refusal is told, too */
	ck_assert_ptr_nonnull(strstr(request, "\r\nAuthorization: Bearer s3cret-42\r\n"));
	ck_assert_ptr_nonnull(strstr(request, "\"waits\":true,\"text\":\"I need help: the door is shut\""));
	ck_assert(!logged("s3cret"));
	ck_assert(logged("goes over the network in clear")); /* as the test's address is http */
	ck_assert_int_eq(end_stage(), 0);
	close(server);
}
END_TEST

/* Publishes until the stage says so of itself. */
static void until(struct cairn_pub *pub, const void *message, bool (*cond)(const struct cairn_msg_notify *m))
{
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_NOTIFY, NULL, &err);
	struct cairn_msg_notify m = {.waiting = 0};
	for (int i = 0; i < END_S * 20; i++) {
		(void)cairn_pub_send(pub, message, now_ns(), true);
		while (cairn_sub_recv(sub, &m, NULL) == 1)
			if (cond(&m))
				return;
		poll(NULL, 0, 50);
	}
	ck_abort_msg("it is not so: %u waiting, '%s'", m.waiting, m.trouble);
}

static bool two_wait(const struct cairn_msg_notify *m)
{
	return m->waiting == 2;
}

static bool has_trouble(const struct cairn_msg_notify *m)
{
	return m->trouble[0] != '\0' && m->waiting > 0;
}

static bool all_told(const struct cairn_msg_notify *m)
{
	return m->told > 0 && m->waiting == 0 && m->trouble[0] == '\0';
}

START_TEST(a_server_that_hangs_holds_nothing_up_and_is_tried_again)
{
	static struct cairn_msg_mission stuck = {.help = "the door is shut"}, again = {.help = "a chair"};
	listen_somewhere();
	ck_assert(start_stage("", ""));
	struct cairn_pub *mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	int hung = somebody(mission, &stuck); /* and gets no answer */
	until(mission, &again, two_wait);     /* the stage lives on, and takes what happens meanwhile */
	serve(somebody(mission, &again), 200);
	ck_assert_ptr_nonnull(strstr(request, "the door is shut"));
	ck_assert_ptr_nonnull(strstr(request, "a chair"));
	close(hung);
	hung = somebody(mission, &stuck); /* one that is under way keeps it from ending as little */
	ck_assert_int_eq(end_stage(), 0);
	close(hung);
	close(server);
}
END_TEST

START_TEST(an_address_where_nobody_is_gets_the_news_when_somebody_is_there)
{
	static struct cairn_msg_mission stuck = {.help = "the door is shut"};
	listen_somewhere();
	close(server);
	ck_assert(start_stage("", ""));
	struct cairn_pub *mission = cairn_pub_new(bus, CAIRN_TOPIC_MISSION, NULL, &err);
	until(mission, &stuck, has_trouble);
	listen_at(port);
	serve(somebody(mission, &stuck), 200);
	ck_assert_ptr_nonnull(strstr(request, "the door is shut"));
	until(mission, &stuck, all_told);
	ck_assert_int_eq(end_stage(), 0);
	close(server);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("notify stage", 4.0 * END_S,
    an_emergency_stop_and_a_cry_for_help_reach_the_address_though_it_fails_at_first,
    an_address_or_header_that_the_environment_lacks_is_said_and_the_stage_ends,
    a_secret_header_goes_with_the_news_and_into_no_log,
    a_server_that_hangs_holds_nothing_up_and_is_tried_again,
    an_address_where_nobody_is_gets_the_news_when_somebody_is_there)
