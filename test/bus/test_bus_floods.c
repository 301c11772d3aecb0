/* Strangers who shout at those who use the bus: at publishers, and at services. Real sockets, processes of
 * the test's own. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <zmq.h>

#include "test/support/bus_rig.h"

/* ---- at a publisher ---- */

enum { SUBSCRIBES = 1, LARGE = 2, CONNECTS = 4 };

/* Connects with bytes that are no ZeroMQ at all, and is gone. */
static void knock(const struct sockaddr_un *at, const char *bytes, size_t size)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0)
		(void)!send(fd, bytes, size, MSG_NOSIGNAL);
	if (fd >= 0)
		close(fd);
}

/* Subscribes like a reader, hears a message, and then shouts without end: what kinds has of other
 * subscriptions, large messages and rubbish on other connections. Counts its rounds. */
_Noreturn static void shout(int kinds, volatile unsigned *rounds)
{
	char ep[128], buf[4096];
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(ep, sizeof(ep), "ipc://%s/bus/battery", run_dir);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/bus/battery", run_dir);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	void *zmq = zmq_ctx_new(), *sub = zmq_socket(zmq, ZMQ_XSUB);
	zmq_connect(sub, ep);
	zmq_send(sub, "\1", 1, 0);
	zmq_recv(sub, buf, sizeof(buf), 0);
	for (unsigned i = 0;; i++) {
		int n = snprintf(buf, sizeof(buf), "%c%u", 1, i);
		if (kinds & SUBSCRIBES)
			zmq_send(sub, buf, (size_t)n, ZMQ_DONTWAIT);
		memset(buf, (int)i, sizeof(buf));
		if (kinds & LARGE)
			zmq_send(sub, buf, sizeof(buf), ZMQ_DONTWAIT);
		/* Begins like ZeroMQ of today: libzmq ends a process that closes while one connects that seems to be of 2011. */
		buf[0] = (char)0xff;
		buf[9] = 1;
		if ((kinds & CONNECTS) && i % 100 == 0)
			knock(&at, buf, sizeof(buf));
		*rounds = i;
	}
}

/* Subscriptions without end while connections come and go in a storm are left out: docs/reliability.md, "What
 * the library beneath cannot do". */
START_TEST(a_consumer_that_talks_to_a_publisher_disturbs_nobody)
{
	static const int kinds[] = {SUBSCRIBES, LARGE, CONNECTS, SUBSCRIBES | LARGE, LARGE | CONNECTS};
	volatile unsigned *rounds =
	    mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne((void *)rounds, MAP_FAILED);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		cairn_run_dir_make(run_dir, "flood");
		*rounds = 0;
		pid_t shouting = fork();
		if (shouting == 0)
			shout(kinds[k], rounds);
		open_bus();
		struct cairn_pub *pub = cairn_pub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
		struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
		int heard = 0;
		unsigned since =
		    0; /* rounds when it was shouting for certain: only what is heard after that counts */
		for (time_t end = time(NULL) + 10; time(NULL) < end && (heard < 200 || *rounds == since);) {
			struct cairn_msg_battery out = {.voltage_v = 11.5, .percent = -1.0}, in;
			ck_assert_int_eq(cairn_pub_send(pub, &out, 1, true), 0);
			wait_readable(cairn_sub_socket(sub));
			while (cairn_sub_recv(sub, &in, NULL) == 1)
				heard += since > 0;
			if (since == 0 && *rounds > 5000)
				since = *rounds;
		}
		ck_assert_msg(since > 0 && *rounds > since, "it does not shout (%#x)", kinds[k]);
		ck_assert_msg(heard >= 200, "%d messages heard beside it (%#x)", heard, kinds[k]);
		ck_assert_uint_eq(cairn_bus_rejects(bus), 0);
		kill(shouting, SIGKILL);
		waitpid(shouting, NULL, 0);
		teardown();
	}
	munmap((void *)rounds, sizeof(*rounds));
}
END_TEST

/* What libzmq keeps of it, and walks whenever any connection ends, would hold the publisher up. */
START_TEST(a_subscription_longer_than_any_of_ours_ends_the_connection)
{
	static const char subscription[1024] = {1};
	char ep[128];
	cairn_run_dir_make(run_dir, "flood");
	open_bus();
	struct cairn_pub *pub = cairn_pub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
	ck_assert_msg(pub != NULL, "%s", err.text);
	snprintf(ep, sizeof(ep), "ipc://%s/bus/battery", run_dir);
	void *zmq = zmq_ctx_new(), *sub = zmq_socket(zmq, ZMQ_XSUB), *monitor = zmq_socket(zmq, ZMQ_PAIR);
	ck_assert_int_eq(zmq_socket_monitor(sub, "inproc://ended", ZMQ_EVENT_DISCONNECTED), 0);
	ck_assert_int_eq(zmq_connect(monitor, "inproc://ended"), 0);
	ck_assert_int_eq(zmq_connect(sub, ep), 0);
	ck_assert_int_eq(zmq_send(sub, subscription, 1, 0), 1);
	zmq_pollitem_t items[] = {
	    {.socket = sub, .events = ZMQ_POLLIN}, {.socket = monitor, .events = ZMQ_POLLIN}};
	for (int i = 0; i < TRIES && items[0].revents == 0; i++) {
		struct cairn_msg_battery out = {.voltage_v = 11.5, .percent = -1.0};
		ck_assert_int_eq(cairn_pub_send(pub, &out, 1, true), 0);
		zmq_poll(items, 2, 5);
	}
	ck_assert_int_ne(items[0].revents, 0);
	ck_assert_int_eq(items[1].revents, 0); /* a short one has not ended it */
	ck_assert_int_eq(zmq_send(sub, subscription, sizeof(subscription), 0), sizeof(subscription));
	ck_assert_int_eq(zmq_poll(items + 1, 1, 10000), 1);
	for (int i = 0; i < 2; i++) {
		zmq_setsockopt(items[i].socket, ZMQ_LINGER, &(int){0}, sizeof(int));
		zmq_close(items[i].socket);
	}
	zmq_ctx_term(zmq);
	teardown();
}
END_TEST

/* ---- at a service ---- */

static void answer(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	int *counts = ctx;
	counts[strcmp(cmd->verb, "stop") == 0]++;
	reply->ok = true;
}

START_TEST(in_a_flood_of_commands_and_rubbish_a_stop_is_answered_and_a_turn_stays_short)
{
	cairn_run_dir_make(run_dir, "flood");
	pid_t flood = fork();
	if (flood == 0) {
		char ep[128], buf[1024];
		static char rubbish[9000];
		struct cairn_msg_command cmd = {.verb = "pause", .who = "flood"};
		struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, 1, true};
		int n = cairn_msg_encode(&cairn_desc_command, "operator", &hdr, &cmd, buf, sizeof(buf));
		snprintf(ep, sizeof(ep), "ipc://%s/bus/operator", run_dir);
		void *zmq = zmq_ctx_new(), *s = zmq_socket(zmq, ZMQ_DEALER),
		     *bad = zmq_socket(zmq, ZMQ_DEALER);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		zmq_connect(s, ep);
		zmq_connect(bad, ep);
		for (;;) {
			zmq_send(s, buf, (size_t)n, ZMQ_DONTWAIT);
			zmq_send(bad, rubbish, 100, ZMQ_DONTWAIT);
			zmq_send(
			    bad, rubbish, sizeof(rubbish), ZMQ_DONTWAIT); /* larger than a command may be */
		}
	}
	pid_t child = fork();
	if (child == 0) {
		struct cairn_msg_command cmd = {.verb = "stop", .who = "a test"};
		struct cairn_msg_reply reply = {0};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 20000, NULL) == 0 && reply.ok
			  ? 0
			  : 1);
	}
	open_bus();
	int counts[2] = {0, 0}, status = -1;
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, answer, counts, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	/* The stop came through, the flood was felt, and rubbish was counted: each large message costs the sender its
	 * connection, and a tenth of a second until the next, in which a fast machine takes any number of turns. */
	time_t end = time(NULL) + 40;
	while (time(NULL) < end && (status != 0 || counts[0] < 100 || cairn_bus_rejects(bus) < 10)) {
		wait_readable(cairn_server_socket(server));
		int before = counts[0] + counts[1];
		cairn_server_serve(server);
		ck_assert_int_le(
		    counts[0] + counts[1] - before, 32); /* then the stage's own work has its turn */
		(void)waitpid(child, &status, WNOHANG);
	}
	kill(flood, SIGKILL);
	waitpid(flood, NULL, 0);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(counts[1], 1);
	ck_assert_int_ge(counts[0], 100);
	ck_assert_uint_ge(cairn_bus_rejects(bus), 10);
	teardown();
}
END_TEST

START_TEST(a_verb_of_another_service_is_refused_and_counted)
{
	cairn_run_dir_make(run_dir, "flood");
	pid_t child = fork();
	if (child == 0) {
		struct cairn_msg_command cmd = {.verb = "release", .who = "a test"};
		struct cairn_msg_reply reply = {0};
		int r = cairn_ask(run_dir, CAIRN_SERVICE_OPERATOR, &cmd, &reply, 20000, NULL);
		_exit(r == 0 && !reply.ok &&
			      strcmp(reply.text, "there is no command 'release' of operator") == 0
			  ? 0
			  : 1);
	}
	open_bus();
	int counts[2] = {0, 0}, status = -1;
	struct cairn_server *server = cairn_server_new(bus, CAIRN_SERVICE_OPERATOR, answer, counts, &err);
	for (int i = 0; i < TRIES && waitpid(child, &status, WNOHANG) == 0; i++) {
		wait_readable(cairn_server_socket(server));
		cairn_server_serve(server);
	}
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(counts[0] + counts[1], 0);
	ck_assert_uint_eq(cairn_bus_rejects(bus), 1);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("bus-floods", a_consumer_that_talks_to_a_publisher_disturbs_nobody,
    a_subscription_longer_than_any_of_ours_ends_the_connection,
    in_a_flood_of_commands_and_rubbish_a_stop_is_answered_and_a_turn_stays_short,
    a_verb_of_another_service_is_refused_and_counted)
