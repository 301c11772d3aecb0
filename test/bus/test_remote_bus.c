/* The door to other machines: who is let in, what he may do, and what a flood of his does to the others. */
#include "test/support/remote_rig.h"

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

CAIRN_TEST_MAIN("remote-bus", a_key_does_what_its_rights_allow_and_is_named_in_what_it_does,
    a_port_that_somebody_else_has_is_told_and_taken_as_soon_as_it_is_free,
    a_key_that_is_taken_off_the_list_may_do_nothing_more,
    a_connection_that_is_open_has_the_rights_its_key_has_now,
    of_a_flood_only_its_measure_passes_and_a_stop_in_the_midst_of_it_does,
    connections_without_a_key_keep_nobody_out)
