/* Real sockets in a run directory of the test's own: joining late, dying, coming back, talking nonsense. */
#include "ipc/bus.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zmq.h>

#include "ipc/lockfile.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

#define TRIES 2000 /* of 5 ms each: a limit for a broken bus, not a measure of a good one */

static char run_dir[CAIRN_RUN_DIR_BYTES];
static struct cairn_bus *bus;
static struct cairn_error err;

static void setup(void)
{
	cairn_run_dir_make(run_dir, "bus");
	bus = cairn_bus_new(run_dir, &err);
	ck_assert_msg(bus != NULL, "%s", err.text);
}

static void teardown(void)
{
	cairn_bus_destroy(&bus);
	ck_assert_ptr_null(bus);
	cairn_run_dir_remove(run_dir);
}

static struct cairn_pub *publisher(enum cairn_topic topic)
{
	struct cairn_pub *pub = cairn_pub_new(bus, topic, NULL, &err);
	ck_assert_msg(pub != NULL, "%s", err.text);
	return pub;
}

static struct cairn_sub *subscriber(enum cairn_topic topic)
{
	struct cairn_sub *sub = cairn_sub_new(bus, topic, NULL, &err);
	ck_assert_msg(sub != NULL, "%s", err.text);
	return sub;
}

static bool wait_readable(void *socket)
{
	zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
	return zmq_poll(&item, 1, 5) > 0;
}

/* Sends until the reader has it: PUB has no memory, and a connection takes its time. */
static bool send_until_heard(
    struct cairn_pub *pub, struct cairn_sub *sub, const void *msg, void *got, struct cairn_header *hdr)
{
	for (int i = 0; i < TRIES; i++) {
		ck_assert_int_eq(cairn_pub_send(pub, msg, 77, true), 0);
		wait_readable(cairn_sub_socket(sub));
		if (cairn_sub_recv(sub, got, hdr) == 1)
			return true;
	}
	return false;
}

START_TEST(a_reader_that_came_first_hears_the_publisher)
{
	setup();
	struct cairn_sub *sub = subscriber(CAIRN_TOPIC_BATTERY);
	struct cairn_pub *pub = publisher(CAIRN_TOPIC_BATTERY);
	struct cairn_msg_battery out = {.voltage_v = 11.5, .percent = -1.0},
				 in = {.voltage_v = 0, .percent = -1.0};
	struct cairn_header hdr;
	ck_assert(send_until_heard(pub, sub, &out, &in, &hdr));
	ck_assert_double_eq(in.voltage_v, 11.5);
	ck_assert_int_eq(hdr.t_ns, 77);
	ck_assert_uint_eq(hdr.epoch, cairn_pub_epoch(pub));
	teardown();
}
END_TEST

START_TEST(a_second_publisher_of_a_topic_is_refused)
{
	setup();
	struct cairn_bus *other = cairn_bus_new(run_dir, &err);
	publisher(CAIRN_TOPIC_CMD_VEL);
	errno = 0;
	ck_assert_ptr_null(cairn_pub_new(other, CAIRN_TOPIC_CMD_VEL, NULL, &err));
	ck_assert_int_eq(errno, EADDRINUSE);
	ck_assert_ptr_nonnull(strstr(err.text, "another process publishes"));
	cairn_bus_destroy(&other);
	teardown();
}
END_TEST

static void hold(int taken, const char *name)
{
	const char *first;
	int n = cairn_bus_hold(bus, &first);
	ck_assert_msg(n == taken, "%d of %d %s", n, taken, name != NULL ? name : "none");
	if (name == NULL)
		ck_assert_ptr_null(first);
	else
		ck_assert_str_eq(first, name);
}

START_TEST(a_topic_that_a_stranger_has_bound_is_bound_again_and_heard_when_he_is_gone)
{
	struct cairn_msg_battery msg = {.voltage_v = 12.5, .percent = -1.0}, got;
	struct cairn_header hdr;
	char ep[CAIRN_RUN_DIR_BYTES + 32];
	setup();
	struct cairn_pub *pub = publisher(CAIRN_TOPIC_BATTERY);
	struct cairn_sub *before = subscriber(CAIRN_TOPIC_BATTERY);
	ck_assert(send_until_heard(pub, before, &msg, &got, &hdr));
	hold(0, NULL);
	snprintf(ep, sizeof(ep), "ipc://%s/bus/battery", run_dir);
	void *strange = zmq_ctx_new(), *socket = zmq_socket(strange, ZMQ_PUB);
	ck_assert_int_eq(zmq_bind(socket, ep), 0);
	hold(1, "battery");
	hold(0, NULL);
	struct cairn_sub *during = subscriber(CAIRN_TOPIC_BATTERY);
	ck_assert(send_until_heard(pub, during, &msg, &got, &hdr));
	ck_assert(send_until_heard(pub, before, &msg, &got, &hdr)); /* who was connected stays so */
	zmq_close(socket);
	zmq_ctx_term(strange);
	strange = zmq_ctx_new(); /* and one who is gone before anybody has looked: his file is nobody's */
	socket = zmq_socket(strange, ZMQ_PUB);
	ck_assert_int_eq(zmq_bind(socket, ep), 0);
	zmq_close(socket);
	zmq_ctx_term(strange);
	hold(1, "battery");
	hold(0, NULL);
	struct cairn_sub *after = subscriber(CAIRN_TOPIC_BATTERY);
	ck_assert(send_until_heard(pub, after, &msg, &got, &hdr));
	teardown();
}
END_TEST

static void answer_only(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	(void)ctx;
	(void)cmd;
	reply->ok = true;
}

START_TEST(a_service_whose_socket_was_removed_is_there_again)
{
	char path[CAIRN_RUN_DIR_BYTES + 32];
	setup();
	ck_assert_ptr_nonnull(cairn_server_new(bus, CAIRN_SERVICE_MOTOR_CTL, answer_only, NULL, &err));
	snprintf(path, sizeof(path), "%s/bus/motor.ctl", run_dir);
	ck_assert_int_eq(unlink(path), 0);
	hold(1, "motor.ctl");
	ck_assert_int_eq(access(path, F_OK), 0);
	hold(0, NULL);
	for (int i = 0; i < 100;
	     i++) { /* taken again and again: reported for good, but not without a bound */
		(void)unlink(path);
		hold(1, "motor.ctl");
	}
	ck_assert_int_ne(access(path, F_OK), 0);
	teardown();
}
END_TEST

START_TEST(a_topic_of_every_message_loses_none)
{
	setup();
	struct cairn_pub *pub = publisher(CAIRN_TOPIC_RESULT);
	struct cairn_sub *sub = subscriber(CAIRN_TOPIC_RESULT);
	static struct cairn_msg_result r, got;
	struct cairn_header hdr;
	ck_assert(send_until_heard(pub, sub, &r, &got, &hdr));
	uint64_t seq = hdr.seq;
	for (int i = 1; i <= 20; i++) {
		r.decision_id = (uint64_t)i;
		cairn_pub_send(pub, &r, i, true);
	}
	for (int i = 0; i < TRIES && got.decision_id < 20; i++) {
		wait_readable(cairn_sub_socket(sub));
		while (cairn_sub_recv(sub, &got, &hdr) == 1)
			ck_assert_uint_eq(hdr.seq, ++seq);
	}
	ck_assert_uint_eq(got.decision_id, 20);
	teardown();
}
END_TEST

START_TEST(a_topic_of_the_latest_ends_at_the_newest)
{
	setup();
	struct cairn_pub *pub = publisher(CAIRN_TOPIC_BATTERY);
	struct cairn_sub *sub = subscriber(CAIRN_TOPIC_BATTERY);
	struct cairn_msg_battery b = {.voltage_v = 0.0, .percent = -1.0};
	ck_assert(send_until_heard(pub, sub, &b, &b, NULL));
	for (int i = 1; i <= 20; i++) {
		struct cairn_msg_battery out = {.voltage_v = i, .percent = -1.0};
		cairn_pub_send(pub, &out, i, true);
	}
	/* A burst that is faster than the socket may lose any of its messages, the last as well: every topic
	 * of the latest is repeated, and what comes then is the newest, never an older one. */
	for (int i = 0; i < TRIES && b.voltage_v < 20.0; i++) {
		double before = b.voltage_v;
		if (!wait_readable(cairn_sub_socket(sub))) {
			struct cairn_msg_battery again = {.voltage_v = 20, .percent = -1.0};
			cairn_pub_send(pub, &again, 20 + i, true);
		}
		(void)cairn_sub_recv(sub, &b, NULL);
		ck_assert_double_ge(b.voltage_v, before);
	}
	ck_assert_double_eq(b.voltage_v, 20.0);
	teardown();
}
END_TEST

_Noreturn static void publish_until_killed(void)
{
	struct cairn_bus *mine = cairn_bus_new(run_dir, NULL);
	struct cairn_pub *pub = mine != NULL ? cairn_pub_new(mine, CAIRN_TOPIC_BATTERY, NULL, NULL) : NULL;
	struct cairn_msg_battery b = {.voltage_v = 1.0, .percent = -1.0};
	while (pub != NULL && getppid() != 1) {
		cairn_pub_send(pub, &b, 1, true);
		poll(NULL, 0, 5);
	}
	_exit(1);
}

START_TEST(a_killed_publisher_frees_its_topic_and_its_successor_is_heard)
{
	setup();
	pid_t pid = fork(); /* before the first socket of this process is used */
	if (pid == 0)
		publish_until_killed();
	struct cairn_sub *sub = subscriber(CAIRN_TOPIC_BATTERY);
	struct cairn_msg_battery in = {.voltage_v = 0.0, .percent = -1.0},
				 out = {.voltage_v = 2.0, .percent = -1.0};
	struct cairn_header before = {0}, after = {0};
	for (int i = 0; i < TRIES && in.voltage_v != 1.0; i++) {
		wait_readable(cairn_sub_socket(sub));
		(void)cairn_sub_recv(sub, &in, &before);
	}
	ck_assert_double_eq(in.voltage_v, 1.0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct cairn_pub *pub = publisher(CAIRN_TOPIC_BATTERY);
	for (int i = 0; i < TRIES && in.voltage_v != 2.0; i++)
		ck_assert(send_until_heard(pub, sub, &out, &in, &after));
	ck_assert_double_eq(in.voltage_v, 2.0);
	ck_assert_uint_ne(before.epoch, after.epoch);
	teardown();
}
END_TEST

START_TEST(garbage_on_a_topic_is_counted_and_loses_nothing)
{
	setup();
	struct cairn_sub *sub = subscriber(CAIRN_TOPIC_ODOM);
	char ep[128], good[1024];
	snprintf(ep, sizeof(ep), "ipc://%s/bus/odom", run_dir);
	void *ctx = zmq_ctx_new(), *liar = zmq_socket(ctx, ZMQ_PUB);
	ck_assert_int_eq(zmq_bind(liar, ep), 0);
	struct cairn_msg_odom odom = {.x_m = 3.0}, got = {0};
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 5, 9, true};
	int n = cairn_msg_encode(&cairn_desc_odom, "odom", &hdr, &odom, good, sizeof(good));
	ck_assert_int_gt(n, 0);
	for (int i = 0; i < TRIES && (got.x_m != 3.0 || cairn_bus_rejects(bus) < 2); i++) {
		zmq_send(liar, "\xff\xff\xff garbage", 11, 0);
		zmq_send(liar, good, (size_t)n / 2, 0);
		zmq_send(liar, good, (size_t)n, 0);
		wait_readable(cairn_sub_socket(sub));
		while (cairn_sub_recv(sub, &got, NULL) == 1)
			;
	}
	ck_assert_double_eq(got.x_m, 3.0);
	ck_assert_uint_ge(cairn_bus_rejects(bus), 2);
	zmq_setsockopt(liar, ZMQ_LINGER, &(int){0}, sizeof(int));
	zmq_close(liar);
	zmq_ctx_term(ctx);
	teardown();
}
END_TEST

static void answer(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	++*(int *)ctx;
	reply->ok = strcmp(cmd->verb, "goto") == 0 && cmd->x_m == 1.5;
	snprintf(reply->text, sizeof(reply->text), "heard %s from %s", cmd->verb, cmd->who);
}

START_TEST(a_command_is_answered_or_times_out_and_never_lost_in_silence)
{
	setup();
	struct cairn_msg_command cmd = {.verb = "goto", .who = "a test", .x_m = 1.5};
	struct cairn_msg_reply reply = {0};
	pid_t pid = fork();
	if (pid == 0) {
		char expected[128]; /* the kernel's word on who asks comes before its own */
		snprintf(
		    expected, sizeof(expected), "heard goto from uid %u, pid %d: a test", getuid(), getpid());
		int r = cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 10000, NULL);
		_exit(r == 0 && reply.ok && strcmp(reply.text, expected) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(cairn_ask(run_dir, CAIRN_SERVICE_MOTOR_CTL, &cmd, &reply, 50, &err), -ETIMEDOUT);
	ck_assert_ptr_nonnull(strstr(err.text, "no answer within 50 ms"));
	int calls = 0, status = -1;
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, answer, &calls, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	for (int i = 0; i < TRIES && waitpid(pid, &status, WNOHANG) == 0; i++) {
		wait_readable(cairn_server_socket(server));
		cairn_server_serve(server);
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(calls, 1);
	teardown();
}
END_TEST

static void tell_who(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	(void)ctx;
	reply->ok = true;
	snprintf(reply->text, sizeof(reply->text), "%s", cmd->who);
}

START_TEST(whoever_names_a_key_is_named_with_his_process_all_the_same)
{
	setup();
	struct cairn_msg_command cmd = {.verb = "home", .who = "a test", .key = "anna"};
	struct cairn_msg_reply reply = {0};
	pid_t pid = fork();
	if (pid == 0) {
		char expected[128];
		snprintf(
		    expected, sizeof(expected), "key anna by uid %u, pid %d: a test", getuid(), getpid());
		memset(cmd.who + 6, 'x', sizeof(cmd.who) - 7); /* a long claim must not push it out */
		int r = cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 10000, NULL);
		_exit(r == 0 && strncmp(reply.text, expected, strlen(expected)) == 0 ? 0 : 1);
	}
	int status = -1;
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, tell_who, NULL, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	for (int i = 0; i < TRIES && waitpid(pid, &status, WNOHANG) == 0; i++) {
		wait_readable(cairn_server_socket(server));
		cairn_server_serve(server);
	}
	ck_assert_int_eq(status, 0);
	teardown();
}
END_TEST

START_TEST(a_command_nobody_waits_for_any_more_is_not_done_but_a_stop_is)
{
	setup();
	int calls = 0;
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, answer, &calls, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	struct cairn_msg_command cmd = {.verb = "goto", .who = "a test", .x_m = 1.5};
	struct cairn_msg_reply reply;
	/* the stage hangs: its socket takes the command all the same */
	ck_assert_int_eq(cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 300, &err), -ETIMEDOUT);
	wait_readable(cairn_server_socket(server));
	cairn_server_serve(server);
	ck_assert_int_eq(calls, 0);
	ck_assert_uint_eq(cairn_bus_rejects(bus), 1);
	snprintf(cmd.verb, sizeof(cmd.verb), "stop");
	ck_assert_int_eq(cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 300, &err), -ETIMEDOUT);
	wait_readable(cairn_server_socket(server));
	cairn_server_serve(server);
	ck_assert_int_eq(calls, 1);
	teardown();
}
END_TEST

START_TEST(a_run_directory_too_long_for_a_socket_is_refused_with_the_reason)
{
	char longer[200];
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_ptr_null(cairn_bus_new(longer, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
}
END_TEST

START_TEST(a_run_directory_that_fits_leaves_room_for_every_stage)
{
	char path[128];
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[76] = '\0'; /* 107 - strlen("/bus/heartbeat.0123456789abcdef") */
	ck_assert(cairn_bus_fits(path, &err));
	path[76] = 'x';
	path[77] = '\0';
	ck_assert(!cairn_bus_fits(path, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "77 bytes, at most 76"));
}
END_TEST

START_TEST(a_lock_is_one_holders_and_names_it)
{
	setup();
	char path[64];
	snprintf(path, sizeof(path), "%s/a.lock", run_dir);
	ck_assert(!cairn_lockfile_held(path));
	ck_assert(cairn_lockfile_remove(path)); /* none there: nothing in the way */
	int fd = cairn_lockfile_take(path, &err);
	ck_assert_int_ge(fd, 0);
	ck_assert(cairn_lockfile_held(path));
	ck_assert_int_eq(cairn_lockfile_owner(path), getpid());
	ck_assert_int_eq(cairn_lockfile_take(path, &err), -EADDRINUSE);
	ck_assert(!cairn_lockfile_remove(path));
	ck_assert(cairn_lockfile_held(path));
	close(fd);
	ck_assert(!cairn_lockfile_held(path));
	ck_assert(cairn_lockfile_remove(path));
	ck_assert_int_eq(access(path, F_OK), -1);
	teardown();
}
END_TEST

START_TEST(cleaning_takes_what_the_dead_left_and_nothing_of_the_living)
{
	setup();
	char path[64], dead[64];
	struct cairn_pub *living = publisher(CAIRN_TOPIC_ODOM);
	pid_t pid = fork();
	if (pid == 0) { /* dies without a farewell */
		struct cairn_bus *other = cairn_bus_new(run_dir, NULL);
		_exit(cairn_pub_new(other, CAIRN_TOPIC_SCAN, NULL, NULL) != NULL ? 0 : 1);
	}
	int status = -1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	snprintf(dead, sizeof(dead), "%s/bus/scan.lock", run_dir);
	ck_assert_int_eq(access(dead, F_OK), 0);
	cairn_bus_clean(run_dir);
	ck_assert_int_eq(access(dead, F_OK), -1);
	snprintf(path, sizeof(path), "%s/bus/scan", run_dir);
	ck_assert_int_eq(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/bus/odom", run_dir);
	ck_assert_int_eq(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/bus/odom.lock", run_dir);
	ck_assert(cairn_lockfile_held(path));
	ck_assert_int_ne(cairn_pub_epoch(living), 0);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("bus", a_topic_that_a_stranger_has_bound_is_bound_again_and_heard_when_he_is_gone,
    a_service_whose_socket_was_removed_is_there_again, a_reader_that_came_first_hears_the_publisher,
    a_second_publisher_of_a_topic_is_refused, a_topic_of_every_message_loses_none,
    a_topic_of_the_latest_ends_at_the_newest, a_killed_publisher_frees_its_topic_and_its_successor_is_heard,
    garbage_on_a_topic_is_counted_and_loses_nothing,
    a_command_is_answered_or_times_out_and_never_lost_in_silence,
    whoever_names_a_key_is_named_with_his_process_all_the_same,
    a_command_nobody_waits_for_any_more_is_not_done_but_a_stop_is,
    a_run_directory_too_long_for_a_socket_is_refused_with_the_reason,
    a_run_directory_that_fits_leaves_room_for_every_stage, a_lock_is_one_holders_and_names_it,
    cleaning_takes_what_the_dead_left_and_nothing_of_the_living)
