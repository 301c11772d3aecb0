/* The door to other machines, with real sockets on the loopback and the real stage: who is let in, what he
 * may do, and what a flood of his does to the others. The services behind it are played by the test. */
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
static int free_ports(void)
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

static const char *in_run(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	return path;
}

/* Replaced at once, as an editor does. */
static void write_list(const char *text)
{
	char part[128];
	snprintf(part, sizeof(part), "%s/allow.new", run_dir);
	FILE *out = fopen(part, "we");
	ck_assert_ptr_nonnull(out);
	fputs(text, out);
	fclose(out);
	ck_assert_int_eq(rename(part, in_run("allow.list")), 0);
}

static void make_key(struct cairn_key *key, const char *name)
{
	ck_assert_msg(cairn_key_make(name, key, &err), "%s", err.text);
	memcpy(key->robot_key, robot.public_key, sizeof(key->robot_key));
}

static void start_stage(void)
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

static void setup_files(void)
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

static void setup(void)
{
	setup_files();
	start_stage();
}

static void teardown(void)
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

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
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
static int ask_one(const struct asked *c, struct cairn_msg_reply *reply, struct cairn_error *why)
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
static int ask_all(const struct asked *cases, size_t count)
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

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* Serves until the child has ended; its exit status. */
static int serve_until_end(pid_t child, struct cairn_server *server)
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

static struct cairn_server *serve(void)
{
	calls = stops = 0;
	heard[0] = '\0';
	bus = cairn_bus_new(run_dir, &err);
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, on_command, NULL, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	return server;
}

START_TEST(a_key_does_what_its_rights_allow_and_is_named_in_what_it_does)
{
	setup();
	const struct asked cases[] = {{&anna, CAIRN_SERVICE_OPERATOR, "explore", 0, "heard explore"},
	    {&bob, CAIRN_SERVICE_OPERATOR, "explore", 0, "needs the right to drive; key 'bob' has: watch"},
	    {&bob, CAIRN_SERVICE_OPERATOR, "stop", 0, "heard stop"},
	    {&anna, CAIRN_SERVICE_LAUNCHER_CTL, "down", 0, "needs the right to configure"},
	    {&anna, CAIRN_SERVICE_OPERATOR, "fly", 0, "there is no such command"},
	    {&anna, CAIRN_SERVICE_MOTOR_CTL, "release", 0, "stage 'motor' does not answer"},
	    {&eve, CAIRN_SERVICE_OPERATOR, "stop", -EACCES, "refuses the key"}};
	pid_t child = fork();
	if (child == 0)
		_exit(ask_all(cases, sizeof(cases) / sizeof(cases[0])));
	struct cairn_server *server = serve();
	int status = serve_until_end(child, server);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(calls, 2);
	char expected[256]; /* the key, and the process that vouches for it */
	snprintf(expected, sizeof(expected),
	    "explore by key anna by uid %u, pid %d: a test\nstop by key bob by uid %u, pid %d: a test\n",
	    getuid(), stage, getuid(), stage);
	ck_assert_str_eq(heard, expected);
	cairn_bus_destroy(&bus);
	teardown();
}
END_TEST

/* In a child: when told that the list is another, until the key is refused; the list is read once a second.
 */
_Noreturn static void ask_until_refused(int told_fd)
{
	static const struct asked gone[] = {
	    {&anna, CAIRN_SERVICE_OPERATOR, "stop", -EACCES, "refuses the key"}};
	char c;
	(void)!freopen("/dev/null", "w", stderr);
	if (read(told_fd, &c, 1) != 1)
		_exit(2);
	for (int i = 0; i < 100; i++) {
		if (ask_all(gone, 1) == 0)
			_exit(0);
		poll(NULL, 0, 20);
	}
	_exit(1);
}

/* What the stage says with its heartbeat that it cannot do; waits until it has text in it ("": nothing). */
static void must_say(struct cairn_sub *beats, const char *text)
{
	struct cairn_msg_heartbeat beat = {.trouble = "not heard yet"};
	for (time_t end = time(NULL) + END_S; time(NULL) < end;) {
		zmq_poll(&(zmq_pollitem_t){.socket = cairn_sub_socket(beats), .events = ZMQ_POLLIN}, 1, 100);
		while (cairn_sub_recv(beats, &beat, NULL) == 1)
			if (text[0] != '\0' ? strstr(beat.trouble, text) != NULL : beat.trouble[0] == '\0')
				return;
	}
	ck_abort_msg("'%s' is not said, but '%s'; see %s/remote.log", text, beat.trouble, run_dir);
}

START_TEST(a_port_that_somebody_else_has_is_told_and_taken_as_soon_as_it_is_free)
{
	setup_files();
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	at.sin_port = htons((uint16_t)atoi(strrchr(url, ':') + 1));
	ck_assert_int_eq(bind(other, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(other, 1), 0);
	start_stage(); /* it does not die of it */
	struct cairn_bus *ears = cairn_bus_new(run_dir, &err);
	struct cairn_sub *beats = cairn_sub_new(ears, CAIRN_TOPIC_HEARTBEAT, "remote", &err);
	ck_assert_msg(beats != NULL, "%s", err.text);
	must_say(beats, strerror(EADDRINUSE));
	close(other);
	must_say(beats, "");
	cairn_bus_destroy(&ears);
	struct cairn_remote *remote = cairn_remote_open(url, &anna, &err);
	struct cairn_msg_command cmd = {.who = "a test", .verb = "stop"};
	struct cairn_msg_reply reply = {.ok = false};
	int r = cairn_remote_ask(remote, CAIRN_SERVICE_OPERATOR, &cmd, &reply, ANSWER_MS, &err);
	ck_assert_msg(r == 0, "%s", err.text); /* nobody plays the service here: the stage itself answers */
	ck_assert_msg(strstr(reply.text, "does not answer") != NULL, "%s", reply.text);
	cairn_remote_close(&remote);
	teardown();
}
END_TEST

START_TEST(a_key_that_is_taken_off_the_list_may_do_nothing_more)
{
	setup();
	const struct asked may[] = {{&anna, CAIRN_SERVICE_OPERATOR, "stop", 0, "heard stop"}};
	int told[2];
	ck_assert_int_eq(pipe(told), 0);
	pid_t child = fork();
	if (child == 0)
		_exit(ask_all(may, 1));
	pid_t refused = fork(); /* before there are threads here: one of them may hold the allocator's lock */
	if (refused == 0)
		ask_until_refused(told[0]);
	struct cairn_server *server = serve();
	ck_assert_int_eq(serve_until_end(child, server), 0);
	char list[256];
	write_list("this is no list\n");
	snprintf(list, sizeof(list), "bob %s watch\n", bob.public_key);
	write_list(list);
	ck_assert_int_eq(write(told[1], "", 1), 1);
	ck_assert_int_eq(serve_until_end(refused, server), 0);
	close(told[0]);
	close(told[1]);
	cairn_bus_destroy(&bus);
	teardown();
}
END_TEST

/* Asks on a connection that is there until the answer is this one; the list is read once a second, and a key may not
 * ask more often than five times a second. */
static bool told(struct cairn_remote *remote, const char *verb, bool ok, const char *text)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {.ok = false};
	struct cairn_error why = {""};
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	int64_t until_ns = monotonic_ns() + END_S / 2 * CAIRN_NS_PER_S;
	while (monotonic_ns() < until_ns) {
		int r = cairn_remote_ask(remote, CAIRN_SERVICE_OPERATOR, &cmd, &reply, ANSWER_MS, &why);
		if (r == 0 && reply.ok == ok && strstr(reply.text, text) != NULL)
			return true;
		poll(NULL, 0, 250);
	}
	fprintf(stderr, "%s: not '%s' but '%s' '%s'\n", verb, text, reply.text, why.text);
	return false;
}

/* In a child. Connections stay as they are while the list changes behind them. */
_Noreturn static void lose_rights(const char *good)
{
	struct cairn_error why;
	char list[512];
	struct cairn_remote *a = cairn_remote_open(url, &anna, &why), *b = cairn_remote_open(url, &bob, &why);
	if (a == NULL || b == NULL || !told(a, "explore", true, "heard"))
		_exit(1);
	snprintf(list, sizeof(list), "anna %s watch,drive\nbob %s watch\n", eve.public_key, bob.public_key);
	write_list(list); /* the same name, another key */
	if (!told(a, "explore", false, "not on the list any more") ||
	    !told(a, "stop", false, "not on the list any more"))
		_exit(2);
	write_list(good);
	if (!told(a, "explore", true, "heard"))
		_exit(3);
	write_list("this is no list\n");
	if (!told(a, "explore", false, "only stops") || !told(a, "stop", true, "heard") ||
	    !told(b, "stop", true, "heard"))
		_exit(4);
	if (unlink(in_run("allow.list")) != 0 || !told(a, "stop", false, "not on the list any more"))
		_exit(5);
	write_list(good);
	if (!told(a, "explore", true, "heard"))
		_exit(6);
	write_list("# nobody\n");
	if (!told(b, "stop", false, "not on the list any more"))
		_exit(7);
	_exit(0);
}

START_TEST(a_connection_that_is_open_has_the_rights_its_key_has_now)
{
	setup();
	char good[512];
	struct cairn_msg_heartbeat beat = {.loops = 0};
	struct cairn_header hdr;
	snprintf(good, sizeof(good), "anna %s watch,drive\nbob %s watch\n", anna.public_key, bob.public_key);
	pid_t child = fork();
	if (child == 0)
		lose_rights(good);
	struct cairn_server *server = serve();
	ck_assert_int_eq(serve_until_end(child, server), 0);
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_HEARTBEAT, "remote", &err);
	int64_t until_ns = monotonic_ns() + END_S * CAIRN_NS_PER_S;
	while (strstr(beat.trouble, "cannot let operators in") == NULL && monotonic_ns() < until_ns) {
		(void)cairn_sub_recv(sub, &beat, &hdr);
		poll(NULL, 0, 10);
	}
	ck_assert_msg(strstr(beat.trouble, "cannot let operators in") != NULL, "trouble: '%s'", beat.trouble);
	cairn_bus_destroy(&bus);
	teardown();
}
END_TEST

/* ---- topics ---- */

/* Publishes poses, and rings of a doorbell, until told to end. */
_Noreturn static void publish_poses(void)
{
	struct cairn_bus *mine = cairn_bus_new(run_dir, NULL);
	struct cairn_pub *pub = mine != NULL ? cairn_pub_new(mine, CAIRN_TOPIC_POSE, NULL, NULL) : NULL;
	struct cairn_pub *bell =
	    mine != NULL ? cairn_pub_new(mine, CAIRN_TOPIC_NOTE, "doorbell", NULL) : NULL;
	struct cairn_msg_pose pose = {.x_m = 1.25};
	struct cairn_msg_note note = {.text = "somebody rings"};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (pub != NULL && bell != NULL && getppid() != 1) {
		cairn_pub_send(pub, &pose, 1, true);
		cairn_pub_send(bell, &note, 1, true);
		poll(NULL, 0, 5);
	}
	_exit(1);
}

/* What a watcher gets: bytes of the first message, 0 none within the time, -EACCES. */
static int watch(
    const struct cairn_key *key, const char *topic, char *name, const void **bytes, int timeout_ms)
{
	static struct cairn_remote *remote;
	cairn_remote_close(&remote);
	remote = cairn_remote_open(url, key, &err);
	ck_assert_msg(remote != NULL && cairn_remote_watch(remote, topic, &err), "%s", err.text);
	return cairn_remote_recv(remote, name, bytes, timeout_ms);
}

START_TEST(a_watcher_sees_what_it_subscribes_to_and_a_stranger_nothing)
{
	setup();
	char name[CAIRN_KEY_TEXT];
	const void *bytes = NULL;
	struct cairn_msg_pose pose = {.x_m = 0.0};
	struct cairn_header hdr;
	pid_t publisher = fork();
	if (publisher == 0)
		publish_poses();
	int n = watch(&bob, "pose", name, &bytes, ANSWER_MS);
	ck_assert_int_gt(n, 0);
	ck_assert_str_eq(name, "pose");
	ck_assert_int_eq(cairn_msg_decode(&cairn_desc_pose, bytes, (size_t)n, &hdr, &pose, &err), 0);
	ck_assert_double_eq(pose.x_m, 1.25);
	ck_assert_int_eq(watch(&eve, "pose", name, &bytes, ANSWER_MS), -EACCES);
	ck_assert_int_gt(watch(&bob, "note.doorbell", name, &bytes, ANSWER_MS), 0);
	ck_assert_str_eq(name, "note.doorbell");
	ck_assert_int_eq(watch(&bob, "note.nobody", name, &bytes, 300), 0);
	ck_assert_int_eq(watch(&bob, "../secret", name, &bytes, 300), 0);
	ck_assert_int_gt(watch(&anna, "pose", name, &bytes, ANSWER_MS), 0);
	kill(publisher, SIGKILL);
	waitpid(publisher, NULL, 0);
	teardown();
}
END_TEST

/* Subscribes to everything on the topics' port, with the robot's public key and these credentials or,
 * without, in the clear. Bytes of the first message, 0 none. */
static int knock(const struct cairn_key *key, int timeout_ms)
{
	char topics_url[80], buf[1024];
	void *zmq = zmq_ctx_new(), *s = zmq_socket(zmq, ZMQ_SUB);
	ck_assert(cairn_remote_endpoint(url, topics_url, sizeof(topics_url), &err));
	if (key != NULL) {
		zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, key->robot_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, key->public_key, CAIRN_KEY_TEXT);
		zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, key->secret_key, CAIRN_KEY_TEXT);
	}
	zmq_setsockopt(s, ZMQ_SUBSCRIBE, "pose:", 5);
	zmq_connect(s, topics_url);
	zmq_setsockopt(s, ZMQ_RCVTIMEO, &timeout_ms, sizeof(timeout_ms));
	int n = zmq_recv(s, buf, sizeof(buf), 0);
	zmq_setsockopt(s, ZMQ_LINGER, &(int){0}, sizeof(int));
	zmq_close(s);
	zmq_ctx_term(zmq);
	return n > 0 ? n : 0;
}

START_TEST(who_does_not_encrypt_or_knows_another_robot_is_not_heard)
{
	setup();
	pid_t publisher = fork();
	if (publisher == 0)
		publish_poses();
	ck_assert_int_gt(knock(&bob, ANSWER_MS), 0); /* so the silence below means something */
	ck_assert_int_eq(knock(NULL, 500), 0);
	struct cairn_key mistaken = bob;
	memcpy(mistaken.robot_key, eve.public_key, sizeof(mistaken.robot_key));
	ck_assert_int_eq(knock(&mistaken, 500), 0);
	struct cairn_key thief = eve; /* knows bob's public key, not his secret */
	memcpy(thief.public_key, bob.public_key, sizeof(thief.public_key));
	ck_assert_int_eq(knock(&thief, 500), 0);
	kill(publisher, SIGKILL);
	waitpid(publisher, NULL, 0);
	teardown();
}
END_TEST

/* ---- floods ---- */

#define FLOOD 3000

/* As fast as the socket takes them, without ever reading an answer. */
_Noreturn static void flood_commands(void)
{
	char buf[1024], zeros[7000] = "";
	void *zmq = zmq_ctx_new(), *s = zmq_socket(zmq, ZMQ_DEALER);
	struct cairn_msg_command cmd = {.verb = "pause",
	    .who = "flood",
	    .expires_ns = monotonic_ns() + CAIRN_REMOTE_AHEAD_NS - CAIRN_NS_PER_S};
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, 1, true};
	int n = cairn_msg_encode(&cairn_desc_command, "operator", &hdr, &cmd, buf, sizeof(buf));
	zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, anna.robot_key, CAIRN_KEY_TEXT);
	zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, anna.public_key, CAIRN_KEY_TEXT);
	zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, anna.secret_key, CAIRN_KEY_TEXT);
	zmq_connect(s, url);
	for (int i = 0; i < FLOOD; i++) {
		zmq_send(s, "operator", 8, ZMQ_SNDMORE);
		zmq_send(s, buf, (size_t)n, 0);
		if (i % 10 == 0) { /* no request at all, no command, too many parts */
			zmq_send(s, zeros, sizeof(zeros), 0);
			zmq_send(s, "operator", 8, ZMQ_SNDMORE);
			zmq_send(s, zeros, sizeof(zeros), 0);
			for (int k = 0; k < 20; k++)
				zmq_send(s, "x", 1, k < 19 ? ZMQ_SNDMORE : 0);
		}
	}
	zmq_close(s);
	zmq_ctx_term(zmq); /* waits until all is sent */
	_exit(0);
}

START_TEST(of_a_flood_only_its_measure_passes_and_a_stop_in_the_midst_of_it_does)
{
	setup();
	int64_t begin_ns = monotonic_ns();
	pid_t flood = fork();
	if (flood == 0)
		flood_commands();
	const struct asked stop[] = {{&bob, CAIRN_SERVICE_OPERATOR, "stop", 0, "heard stop"},
	    {&anna, CAIRN_SERVICE_OPERATOR, "stop", 0, "heard stop"}};
	pid_t child = fork(); /* before there are threads here, see above */
	if (child == 0)
		_exit(ask_all(stop, 2));
	struct cairn_server *server = serve();
	ck_assert_int_eq(serve_until_end(child, server), 0);
	ck_assert_int_eq(serve_until_end(flood, server), 0);
	double s = (double)(monotonic_ns() - begin_ns) * 1e-9;
	ck_assert_int_eq(stops, 2);
	ck_assert_msg(calls - stops <= 10 + 5.0 * s + 1.0, "%d of %d commands passed in %.1f s",
	    calls - stops, FLOOD, s);
	cairn_bus_destroy(&bus);
	teardown();
}
END_TEST

START_TEST(connections_without_a_key_keep_nobody_out)
{
	setup();
	int idle[200], port = atoi(strrchr(url, ':') + 1);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	at.sin_port = htons((uint16_t)port);
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) { /* some say nothing, some rubbish */
		idle[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(idle[i], (struct sockaddr *)&at, sizeof(at));
		if (i % 2 == 0)
			(void)!send(idle[i], "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
	}
	const struct asked may[] = {{&anna, CAIRN_SERVICE_OPERATOR, "stop", 0, "heard stop"}};
	pid_t child = fork();
	if (child == 0)
		_exit(ask_all(may, 1));
	struct cairn_server *server = serve();
	ck_assert_int_eq(serve_until_end(child, server), 0);
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
		close(idle[i]);
	cairn_bus_destroy(&bus);
	teardown();
}
END_TEST

/* Everything from at on, piece by piece; the bytes, or a negative errno. */
static long fetch_all(struct cairn_remote *remote, const char *name, char *ret, size_t room)
{
	struct cairn_remote_piece got = {.size = 1};
	long have = 0;
	while ((uint64_t)have < got.size) {
		static char piece[CAIRN_REMOTE_PIECE_BYTES];
		int r = cairn_remote_fetch(remote, name, (uint64_t)have, piece, &got, ANSWER_MS, &err);
		if (r != 0)
			return r;
		ck_assert_uint_le((size_t)have + got.bytes, room);
		memcpy(ret + have, piece, got.bytes);
		have += (long)got.bytes;
	}
	return have;
}

START_TEST(who_may_watch_reads_logs_and_decisions_in_pieces_and_nothing_else)
{
	enum { BYTES = 100001 }; /* four pieces */
	static char sent[BYTES], got[2 * BYTES];
	setup();
	(void)mkdir(in_run("logs"), 0700);
	(void)mkdir(in_run("state"), 0700);
	for (int i = 0; i < BYTES; i++)
		sent[i] = (char)(i * 7 + i / 251);
	ck_assert(cairn_file_replace(in_run("logs/mapper.log"), 0, 0600, sent, BYTES, &err));
	ck_assert_int_eq(symlink("/etc/passwd", in_run("logs/motor.log")), 0);
	ck_assert_int_eq(mkfifo(in_run("logs/planner.log"), 0600), 0);
	struct cairn_remote *remote = cairn_remote_open(url, &bob, &err);
	ck_assert_int_eq(fetch_all(remote, "logs/mapper.log", got, sizeof(got)), BYTES);
	ck_assert_int_eq(memcmp(got, sent, BYTES), 0);
	long n = fetch_all(remote, "logs", got, sizeof(got) - 1);
	ck_assert_int_gt(n, 0);
	got[n] = '\0';
	ck_assert_ptr_nonnull(strstr(got, "mapper.log\n"));
	ck_assert_int_eq(fetch_all(remote, "logs/motor.log", got, sizeof(got)), -ELOOP);
	ck_assert_int_eq(fetch_all(remote, "logs/planner.log", got, sizeof(got)), -EINVAL);
	ck_assert_int_eq(fetch_all(remote, "state/decisions.jsonl", got, sizeof(got)), -ENOENT);
	ck_assert_int_eq(fetch_all(remote, "robot.key", got, sizeof(got)), -EACCES);
	ck_assert_int_eq(fetch_all(remote, "logs/../robot.key", got, sizeof(got)), -EACCES);
	cairn_remote_close(&remote);
	char list[256]; /* and without the right: nothing */
	snprintf(list, sizeof(list), "anna %s drive\n", anna.public_key);
	write_list(list);
	int r = 0;
	for (int tries = 0; r != -EACCES && tries < 100; tries++) {
		poll(NULL, 0, 100); /* the list is read once a second */
		remote = cairn_remote_open(url, &anna, &err);
		r = (int)fetch_all(remote, "logs/mapper.log", got, sizeof(got));
		cairn_remote_close(&remote);
	}
	ck_assert_int_eq(r, -EACCES);
	ck_assert_ptr_nonnull(strstr(err.text, "needs the right to watch"));
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("remote-bus", a_key_does_what_its_rights_allow_and_is_named_in_what_it_does,
    a_port_that_somebody_else_has_is_told_and_taken_as_soon_as_it_is_free,
    a_key_that_is_taken_off_the_list_may_do_nothing_more,
    a_connection_that_is_open_has_the_rights_its_key_has_now,
    a_watcher_sees_what_it_subscribes_to_and_a_stranger_nothing,
    who_does_not_encrypt_or_knows_another_robot_is_not_heard,
    of_a_flood_only_its_measure_passes_and_a_stop_in_the_midst_of_it_does,
    connections_without_a_key_keep_nobody_out,
    who_may_watch_reads_logs_and_decisions_in_pieces_and_nothing_else)
