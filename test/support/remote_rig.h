/* remote_rig.h - the door to other machines: the real stage on the loopback, with a robot's key and those of three people: anna may
 * drive, bob may watch, eve is a stranger. The services behind it are played by the test. CAIRN_REMOTE is the program. */
#ifndef CAIRN_TEST_SUPPORT_REMOTE_RIG_H
#define CAIRN_TEST_SUPPORT_REMOTE_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <zmq.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/bus.h"
#include "ipc/keyfile.h"
#include "ipc/remote.h"
#include "ipc/remote_rules.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define END_S 60 /* a limit for a broken door, not a measure of a good one */
#define ANSWER_MS 10000
#define DECLARED "topics:\n  - name: doorbell\n    schema: note\n"

static char run_dir[CAIRN_RUN_DIR_BYTES], url[64], path[128];
static struct cairn_error err;
static struct cairn_key robot, anna, bob, eve;
static pid_t stage = -1;

/* ---- the robot ---- */

/* Two free ports in a row. */
static inline int free_ports(void)
{
	for (int tries = 0; tries < 100; tries++) {
		struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t len = sizeof(at);
		int a = socket(AF_INET, SOCK_STREAM, 0), b = socket(AF_INET, SOCK_STREAM, 0);
		ck_assert_int_eq(bind(a, (struct sockaddr *)&at, sizeof(at)), 0);
		getsockname(a, (struct sockaddr *)&at, &len);
		int port = ntohs(at.sin_port);
		at.sin_port = htons((uint16_t)(port + 1));
		bool both = port < 65535 && bind(b, (struct sockaddr *)&at, sizeof(at)) == 0;
		close(a);
		close(b);
		if (both)
			return port;
	}
	ck_abort_msg("no free ports");
	return 0;
}

static inline const char *in_run(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	return path;
}

/* Replaced at once, as an editor does. */
static inline void write_list(const char *text)
{
	char part[128];
	snprintf(part, sizeof(part), "%s/allow.new", run_dir);
	FILE *out = fopen(part, "we");
	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
	ck_assert_int_eq(rename(part, in_run("allow.list")), 0);
}

static inline void make_key(struct cairn_key *key, const char *name)
{
	ck_assert_msg(cairn_key_make(name, key, &err), "%s", err.text);
	memcpy(key->robot_key, robot.public_key, sizeof(key->robot_key));
}

static inline void start_stage(void)
{
	int ready[2];
	char c, fd[8];
	ck_assert_int_eq(pipe(ready), 0);
	pid_t parent = getpid();
	stage = fork();
	if (stage == 0) {
		int log = open(in_run("remote.log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent || log < 0)
			_exit(1);
		dup2(log, 2);
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		execl(CAIRN_REMOTE, CAIRN_REMOTE, "--run", run_dir, "--stage", "remote", "--ready-fd", fd,
		    (char *)NULL);
		_exit(127);
	}
	close(ready[1]);
	ck_assert_msg(read(ready[0], &c, 1) == 1, "the stage does not start; see %s/remote.log", run_dir);
	close(ready[0]);
}

static inline void setup_files(void)
{
	char list[512];
	static struct cairn_config cfg;
	cairn_run_dir_make(run_dir, "remote");
	make_key(&robot, "robot");
	make_key(&anna, "anna");
	make_key(&bob, "bob");
	make_key(&eve, "eve");
	ck_assert(cairn_key_save(&robot, run_dir, &err));
	snprintf(list, sizeof(list), "anna %s watch,drive\nbob %s watch\n", anna.public_key, bob.public_key);
	write_list(list);
	snprintf(url, sizeof(url), "tcp://127.0.0.1:%d", free_ports());
	cairn_config_defaults(&cfg);
	snprintf(cfg.remote.endpoint, sizeof(cfg.remote.endpoint), "%s", url);
	snprintf(cfg.remote.key_file, sizeof(cfg.remote.key_file), "%s/robot.key", run_dir);
	snprintf(cfg.remote.allow_file, sizeof(cfg.remote.allow_file), "%s/allow.list", run_dir);
	snprintf(cfg.external.topics, sizeof(cfg.external.topics), "%s/topics.yaml", run_dir);
	FILE *topics = fopen(cfg.external.topics, "we");
	ck_assert(topics != NULL && fputs(DECLARED, topics) >= 0 && fclose(topics) == 0);
	ck_assert_msg(cairn_config_save(&cfg, in_run("config.yaml"), &err), "%s", err.text);
}

static inline void setup(void)
{
	setup_files();
	start_stage();
}

static inline void teardown(void)
{
	int status = -1;
	kill(stage, SIGTERM);
	ck_assert_int_eq(waitpid(stage, &status, 0), stage);
	ck_assert_msg(
	    WIFEXITED(status) && WEXITSTATUS(status) == 0, "the stage ended with %x", (unsigned)status);
	cairn_run_dir_remove(run_dir);
}

/* ---- the service behind it, in this process; asked from a child ---- */

static int calls;
static int stops;
static char heard[4096]; /* "goto by key anna: ...\n" for each */

static inline void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	size_t n = strlen(heard);
	(void)ctx;
	calls++;
	stops += strcmp(cmd->verb, "stop") == 0;
	if (n > sizeof(heard) - 256)
		n = 0;
	snprintf(heard + n, sizeof(heard) - n, "%s by %s\n", cmd->verb, cmd->who);
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "heard %s", cmd->verb);
}

struct asked {
	const struct cairn_key *key;
	enum cairn_service service;
	const char *verb;
	int result;       /* of cairn_remote_ask */
	const char *text; /* part of the answer, or of the error */
};

/* One of them; the answer's text, or the error's. Asked again, slower than the measure of a key, while the
 * stage has not found the service yet that this process plays. */
static inline int ask_one(const struct asked *c, struct cairn_msg_reply *reply, struct cairn_error *why)
{
	for (int tries = 0;; tries++) {
		struct cairn_msg_command cmd = {.who = "a test"};
		snprintf(cmd.verb, sizeof(cmd.verb), "%s", c->verb);
		*reply = (struct cairn_msg_reply){.ok = false};
		struct cairn_remote *remote = cairn_remote_open(url, c->key, why);
		int r = cairn_remote_ask(remote, c->service, &cmd, reply, ANSWER_MS, why);
		cairn_remote_close(&remote);
		bool absent = r == 0 && strstr(reply->text, "does not answer") != NULL;
		if (!absent || strncmp(c->text, "heard", 5) != 0 || tries == 40)
			return r;
		poll(NULL, 0, 250);
	}
}

/* In a child: 0 when all was as expected. */
static inline int ask_all(const struct asked *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct cairn_msg_reply reply;
		struct cairn_error why = {""};
		int r = ask_one(&cases[i], &reply, &why);
		const char *text = r == 0 ? reply.text : why.text;
		if (r != cases[i].result || strstr(text, cases[i].text) == NULL ||
		    (r == 0 && reply.ok != (strncmp(cases[i].text, "heard", 5) == 0))) {
			fprintf(stderr, "case %zu (%s): %d '%s'\n", i, cases[i].verb, r, text);
			return (int)i + 1;
		}
	}
	return 0;
}

static inline int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* Serves until the child has ended; its exit status. */
static inline int serve_until_end(pid_t child, struct cairn_server *server)
{
	int status = -1;
	int64_t until_ns = monotonic_ns() + END_S * CAIRN_NS_PER_S;
	while (waitpid(child, &status, WNOHANG) == 0 && monotonic_ns() < until_ns) {
		zmq_pollitem_t item = {.socket = cairn_server_socket(server), .events = ZMQ_POLLIN};
		zmq_poll(&item, 1, 5);
		cairn_server_serve(server);
	}
	return status;
}

static struct cairn_bus *bus;

static inline struct cairn_server *serve(void)
{
	calls = stops = 0;
	heard[0] = '\0';
	bus = cairn_bus_new(run_dir, &err);
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, on_command, NULL, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	return server;
}

#endif
