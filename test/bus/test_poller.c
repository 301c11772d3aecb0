/* What a loop waits for (ipc/poller.h): no message is left lying, whoever else touches the socket. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "ipc/poller.h"
#include "test/support/runner.h"

#define SOON_MS 10000 /* a limit for a broken poller, not a measure of a good one */

static struct cairn_poller poller;
static void *zmq;

static void setup(void)
{
	zmq = zmq_ctx_new();
	ck_assert_int_eq(cairn_poller_open(&poller), 0);
}

static void teardown(void)
{
	cairn_poller_close(&poller);
	ck_assert_int_eq(zmq_ctx_term(zmq), 0);
}

static void *bound(int type, const char *endpoint)
{
	void *s = zmq_socket(zmq, type);
	ck_assert_int_eq(zmq_bind(s, endpoint), 0);
	return s;
}

static void *connected(int type, const char *endpoint)
{
	void *s = zmq_socket(zmq, type);
	ck_assert_int_eq(zmq_connect(s, endpoint), 0);
	return s;
}

static void say(void *socket, const char *text)
{
	ck_assert_int_eq(zmq_send(socket, text, strlen(text), 0), (int)strlen(text));
}

static int hear(void *socket)
{
	char buf[16];
	return zmq_recv(socket, buf, sizeof(buf), ZMQ_DONTWAIT);
}

static void close_now(void *socket)
{
	int linger = 0;
	(void)zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
	zmq_close(socket);
}

START_TEST(what_came_before_a_socket_was_added_is_told)
{
	setup();
	void *in = bound(ZMQ_PULL, "inproc://a"), *out = connected(ZMQ_PUSH, "inproc://a");
	say(out, "1");
	say(out, "2");
	zmq_poll(&(zmq_pollitem_t){.socket = in, .events = ZMQ_POLLIN}, 1,
	    SOON_MS); /* its descriptor has told all */
	ck_assert_int_eq(hear(in), 1);
	ck_assert_int_eq(cairn_poller_add_socket(&poller, in), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	ck_assert(poller.items[0].ready);
	close_now(in);
	close_now(out);
	teardown();
}
END_TEST

START_TEST(what_is_left_in_a_socket_is_told_again_and_an_empty_one_is_not)
{
	setup();
	void *in = bound(ZMQ_PULL, "inproc://a"), *out = connected(ZMQ_PUSH, "inproc://a");
	ck_assert_int_eq(cairn_poller_add_socket(&poller, in), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	for (int i = 0; i < 3; i++)
		say(out, "x");
	for (int left = 3; left > 0; left--) {
		ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
		ck_assert_int_eq(hear(in), 1);
	}
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	ck_assert(!poller.items[0].ready);
	close_now(in);
	close_now(out);
	teardown();
}
END_TEST

/* Sending takes in what the descriptor of the socket would have told. */
START_TEST(a_request_that_comes_while_the_server_sends_is_told)
{
	char id[8];
	setup();
	void *server = bound(ZMQ_ROUTER, "inproc://s"), *client = connected(ZMQ_DEALER, "inproc://s");
	ck_assert_int_eq(cairn_poller_add_socket(&poller, server), 0);
	say(client, "first");
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	int n = zmq_recv(server, id, sizeof(id), 0);
	ck_assert_int_eq(hear(server), 5);
	ck_assert_int_eq(hear(server), -1);
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	say(client, "next");
	ck_assert_int_eq(zmq_send(server, id, (size_t)n, ZMQ_SNDMORE), n);
	say(server, "news");
	int events = 0; /* what sending does now and then, as the library sees fit: look for what came */
	size_t bytes = sizeof(events);
	ck_assert_int_eq(zmq_getsockopt(server, ZMQ_EVENTS, &events, &bytes), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	close_now(server);
	close_now(client);
	teardown();
}
END_TEST

#define PAIRS 40

/* Any order of sending, waiting, reading a part: at the end all that was sent has been told of and read. */
START_TEST(no_message_is_lost_by_any_order_of_sending_and_reading)
{
	void *in[PAIRS], *out[PAIRS];
	char endpoint[32];
	int sent = 0, heard = 0;
	setup();
	for (int i = 0; i < PAIRS; i++) {
		snprintf(endpoint, sizeof(endpoint), "inproc://%d", i);
		in[i] = bound(ZMQ_PULL, endpoint);
		out[i] = connected(ZMQ_PUSH, endpoint);
		ck_assert_int_eq(cairn_poller_add_socket(&poller, in[i]), i);
	}
	while (sent < 2000 || heard < sent) {
		for (int k = rand() % 6; k > 0 && sent < 2000; k--, sent++)
			say(out[rand() % PAIRS], "m");
		int told = cairn_poller_wait(&poller, heard < sent && sent == 2000 ? SOON_MS : 0);
		ck_assert_msg(
		    told > 0 || sent < 2000, "%d of %d messages were never told of", sent - heard, sent);
		for (int i = 0; i < PAIRS; i++) {
			for (int k = rand() % 3; poller.items[i].ready && k > 0 && hear(in[i]) == 1; k--)
				heard++;
		}
	}
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	for (int i = 0; i < PAIRS; i++) {
		close_now(in[i]);
		close_now(out[i]);
	}
	teardown();
}
END_TEST

START_TEST(the_last_item_takes_the_number_of_the_one_that_goes)
{
	int a[2], b[2], c[2];
	setup();
	ck_assert_int_eq(pipe2(a, O_CLOEXEC) | pipe2(b, O_CLOEXEC) | pipe2(c, O_CLOEXEC), 0);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, a[0], POLLIN), 0);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, b[0], POLLIN), 1);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, c[0], POLLIN), 2);
	cairn_poller_remove(&poller, 0);
	ck_assert_int_eq(poller.count, 2);
	ck_assert_int_eq(write(a[1], "a", 1) + write(c[1], "c", 1), 2);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	ck_assert_int_eq(poller.items[0].fd, c[0]);
	ck_assert(poller.items[0].ready && !poller.items[1].ready);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
		close(c[i]);
	}
	teardown();
}
END_TEST

START_TEST(what_is_waited_for_can_be_changed_and_an_end_is_always_told)
{
	int pair[2];
	setup();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, pair[0], POLLIN), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	ck_assert_int_eq(cairn_poller_set_events(&poller, 0, POLLIN | POLLOUT), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	ck_assert_int_eq(cairn_poller_set_events(&poller, 0, 0), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, 0), 0);
	close(pair[1]);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	close(pair[0]);
	teardown();
}
END_TEST

/* A descriptor that was closed and opened again behind its back. */
START_TEST(a_number_that_means_another_descriptor_since_is_watched_anew)
{
	int a[2], b[2];
	setup();
	ck_assert_int_eq(pipe2(a, O_CLOEXEC) | pipe2(b, O_CLOEXEC), 0);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, a[0], POLLIN), 0);
	ck_assert_int_eq(dup3(b[0], a[0], O_CLOEXEC), a[0]);
	ck_assert_int_eq(cairn_poller_set_events(&poller, 0, POLLIN), 0);
	ck_assert_int_eq(write(b[1], "b", 1), 1);
	ck_assert_int_eq(cairn_poller_wait(&poller, SOON_MS), 1);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
	teardown();
}
END_TEST

START_TEST(a_file_is_always_ready_and_what_is_no_descriptor_is_refused)
{
	setup();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, fd, POLLIN), 0);
	ck_assert_int_eq(cairn_poller_wait(&poller, -1), 1);
	ck_assert_int_eq(cairn_poller_wait(&poller, -1), 1);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, -1, POLLIN), -EBADF);
	while (poller.count < CAIRN_POLLER_MAX)
		ck_assert_int_ge(cairn_poller_add_fd(&poller, fd, POLLIN), 0);
	ck_assert_int_eq(cairn_poller_add_fd(&poller, fd, POLLIN), -ENOSPC);
	close(fd);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("poller", what_came_before_a_socket_was_added_is_told,
    what_is_left_in_a_socket_is_told_again_and_an_empty_one_is_not,
    a_request_that_comes_while_the_server_sends_is_told,
    no_message_is_lost_by_any_order_of_sending_and_reading,
    the_last_item_takes_the_number_of_the_one_that_goes,
    what_is_waited_for_can_be_changed_and_an_end_is_always_told,
    a_number_that_means_another_descriptor_since_is_watched_anew,
    a_file_is_always_ready_and_what_is_no_descriptor_is_refused)
