/* What strangers on the sockets of the bus can do to those who use it: messages that are too large, of
 * another version, with other fields or types; readers that never read, or die. Real sockets, processes of
 * the test's own. */
#include <msgpack.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <zmq.h>

#include "test/support/bus_rig.h"

/* Messages on their way to a reader that keeps up: with the room it has not given back yet (below 100) they fit. */
#define WINDOW 50
#define LARGEST (256 * 1024)

/* ---- a publisher that is not one of ours ---- */

struct liar {
	void *zmq, *socket;
	msgpack_sbuffer buf;
};

static void liar_open(struct liar *liar, const char *topic)
{
	char ep[128];
	snprintf(ep, sizeof(ep), "ipc://%s/bus/%s", run_dir, topic);
	liar->zmq = zmq_ctx_new();
	liar->socket = zmq_socket(liar->zmq, ZMQ_PUB);
	ck_assert_int_eq(zmq_bind(liar->socket, ep), 0);
	msgpack_sbuffer_init(&liar->buf);
}

static void liar_close(struct liar *liar)
{
	zmq_setsockopt(liar->socket, ZMQ_LINGER, &(int){0}, sizeof(int));
	zmq_close(liar->socket);
	zmq_ctx_term(liar->zmq);
	msgpack_sbuffer_destroy(&liar->buf);
}

static void pack_text(msgpack_packer *pk, const char *text)
{
	msgpack_pack_str(pk, strlen(text));
	msgpack_pack_str_body(pk, text, strlen(text));
}

/* A battery message by hand. voltage NULL: the number volts, otherwise that text. extra: unknown fields,
 * inside and out. */
static void liar_battery(struct liar *liar, int version, const char *voltage, double volts, bool extra)
{
	msgpack_packer pk;
	msgpack_sbuffer_clear(&liar->buf);
	msgpack_packer_init(&pk, &liar->buf, msgpack_sbuffer_write);
	msgpack_pack_map(&pk, extra ? 8 : 7);
	pack_text(&pk, "v");
	msgpack_pack_int(&pk, version);
	pack_text(&pk, "topic");
	pack_text(&pk, "battery");
	pack_text(&pk, "seq");
	msgpack_pack_int(&pk, 1);
	pack_text(&pk, "epoch");
	msgpack_pack_int(&pk, 7);
	pack_text(&pk, "t_ns");
	msgpack_pack_int64(&pk, 9);
	pack_text(&pk, "valid");
	msgpack_pack_true(&pk);
	if (extra) {
		pack_text(&pk, "signature");
		msgpack_pack_array(&pk, 2);
		msgpack_pack_nil(&pk);
		pack_text(&pk, "of a later version");
	}
	pack_text(&pk, "data");
	msgpack_pack_map(&pk, extra ? 3 : 2);
	if (extra) {
		pack_text(&pk, "cells");
		msgpack_pack_map(&pk, 0);
	}
	pack_text(&pk, "percent");
	msgpack_pack_double(&pk, -1.0);
	pack_text(&pk, "voltage_v");
	if (voltage != NULL)
		pack_text(&pk, voltage);
	else
		msgpack_pack_double(&pk, volts);
}

static void liar_send(struct liar *liar)
{
	zmq_send(liar->socket, liar->buf.data, liar->buf.size, 0);
}

/* Sends what the buffer holds until the reader's voltage is volts, or has refused more than before. */
static bool send_until(struct liar *liar, struct cairn_sub *sub, double volts, uint64_t rejects)
{
	struct cairn_msg_battery got = {.voltage_v = -1.0, .percent = -1.0};
	for (int i = 0; i < TRIES; i++) {
		liar_send(liar);
		wait_readable(cairn_sub_socket(sub));
		while (cairn_sub_recv(sub, &got, NULL) == 1)
			;
		if (got.voltage_v == volts || cairn_bus_rejects(bus) > rejects)
			return got.voltage_v == volts;
	}
	return false;
}

START_TEST(fields_of_a_later_version_are_passed_over)
{
	cairn_run_dir_make(run_dir, "lim");
	open_bus();
	struct liar liar;
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
	liar_open(&liar, "battery");
	liar_battery(&liar, CAIRN_SCHEMA_VERSION, NULL, 11.25, true);
	ck_assert(send_until(&liar, sub, 11.25, 0));
	ck_assert_uint_eq(cairn_bus_rejects(bus), 0);
	liar_close(&liar);
	teardown();
}
END_TEST

START_TEST(another_version_and_another_type_are_refused_and_counted)
{
	cairn_run_dir_make(run_dir, "lim");
	open_bus();
	struct liar liar;
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
	liar_open(&liar, "battery");
	liar_battery(&liar, CAIRN_SCHEMA_VERSION + 1, NULL, 11.25, false);
	ck_assert(!send_until(&liar, sub, 11.25, 0));
	uint64_t rejects = cairn_bus_rejects(bus);
	ck_assert_uint_gt(rejects, 0);
	liar_battery(&liar, CAIRN_SCHEMA_VERSION, "eleven", 0.0, false);
	ck_assert(!send_until(&liar, sub, 11.25, rejects));
	ck_assert_uint_gt(cairn_bus_rejects(bus), rejects);
	for (int i = 0; i < TRIES;
	     i++) { /* and the next good one is taken: what is still in the pipe is refused on the way */
		liar_battery(&liar, CAIRN_SCHEMA_VERSION, NULL, 10.5, false);
		if (send_until(&liar, sub, 10.5, cairn_bus_rejects(bus)))
			break;
		ck_assert_int_lt(i, TRIES - 1);
	}
	liar_close(&liar);
	teardown();
}
END_TEST

START_TEST(a_message_larger_than_any_of_ours_is_refused_counted_and_the_topic_goes_on)
{
	cairn_run_dir_make(run_dir, "lim");
	open_bus();
	struct liar liar;
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_BATTERY, NULL, &err);
	char *huge = calloc(1, LARGEST + 1);
	struct cairn_msg_battery got = {.voltage_v = -1.0, .percent = -1.0};
	liar_open(&liar, "battery");
	liar_battery(&liar, CAIRN_SCHEMA_VERSION, NULL, 10.5, false);
	ck_assert(send_until(&liar, sub, 10.5, 0));
	for (int i = 0; i < TRIES && cairn_bus_rejects(bus) == 0; i++) {
		zmq_send(liar.socket, huge, LARGEST + 1, 0);
		wait_readable(cairn_sub_socket(sub));
		(void)cairn_sub_recv(sub, &got, NULL);
	}
	ck_assert_uint_gt(cairn_bus_rejects(bus), 0);
	liar_battery(&liar, CAIRN_SCHEMA_VERSION, NULL, 9.5, false);
	ck_assert(send_until(&liar, sub, 9.5, UINT64_MAX));
	free(huge);
	liar_close(&liar);
	teardown();
}
END_TEST

/* ---- readers that never read ---- */

static long resident_kb(void)
{
	char line[128];
	long kb = 0;
	FILE *in = fopen("/proc/self/status", "re");
	while (in != NULL && fgets(line, sizeof(line), in) != NULL)
		(void)sscanf(line, "VmRSS: %ld", &kb);
	if (in != NULL)
		fclose(in);
	return kb;
}

/* Connects, hears the first message, and then says so and reads no more; a byte on the pipe. */
_Noreturn static void read_once(enum cairn_topic topic, int tell)
{
	static struct cairn_msg_scan scan;
	struct cairn_bus *mine = cairn_bus_new(run_dir, NULL);
	struct cairn_sub *sub = mine != NULL ? cairn_sub_new(mine, topic, NULL, NULL) : NULL;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (sub != NULL && cairn_sub_recv(sub, &scan, NULL) == 0)
		wait_readable(cairn_sub_socket(sub));
	(void)!write(tell, "x", 1);
	for (;;)
		pause();
}

/* Publishes until a byte comes. */
static void publish_until_told(struct cairn_pub *pub, const void *msg, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char c;
	for (int i = 0; i < TRIES && poll(&p, 1, 5) == 0; i++)
		cairn_pub_send(pub, msg, 1, true);
	ck_assert_int_eq(read(fd, &c, 1), 1);
}

/* Reads on behind last until the wanted one; none may be missing. The last one read. */
static uint64_t read_on(struct cairn_sub *sub, uint64_t last, uint64_t wanted)
{
	static struct cairn_msg_result got;
	for (int i = 0; i < TRIES && last < wanted; i++) {
		wait_readable(cairn_sub_socket(sub));
		while (cairn_sub_recv(sub, &got, NULL) == 1)
			ck_assert_uint_eq(got.decision_id, ++last);
	}
	ck_assert_uint_ge(last, wanted);
	return last;
}

/* Publishes one at a time until the newest is heard: from here on the reader is connected and nothing is on
 * its way. */
static void hear_newest(struct cairn_pub *pub, struct cairn_sub *sub, struct cairn_msg_result *msg)
{
	static struct cairn_msg_result got;
	for (uint64_t i = 1; i <= TRIES && (i == 1 || got.decision_id != msg->decision_id); i++) {
		msg->decision_id = i;
		ck_assert_int_eq(cairn_pub_send(pub, msg, 1, true), 0);
		wait_readable(cairn_sub_socket(sub));
		while (cairn_sub_recv(sub, &got, NULL) == 1)
			;
	}
	ck_assert_uint_eq(got.decision_id, msg->decision_id);
}

START_TEST(a_reader_that_is_stopped_or_dies_costs_the_publisher_and_the_others_nothing)
{
	cairn_run_dir_make(run_dir, "lim");
	int tell[2];
	ck_assert_int_eq(pipe(tell), 0);
	pid_t stopped = fork();
	if (stopped == 0)
		read_once(CAIRN_TOPIC_RESULT, tell[1]); /* a topic that queues */
	open_bus();
	struct cairn_pub *pub = cairn_pub_new(bus, CAIRN_TOPIC_RESULT, NULL, &err);
	struct cairn_sub *sub = cairn_sub_new(bus, CAIRN_TOPIC_RESULT, NULL, &err);
	static struct cairn_msg_result result;
	ck_assert_msg(pub != NULL && sub != NULL, "%s", err.text);
	memset(result.reason, 'r', sizeof(result.reason) - 1);
	publish_until_told(pub, &result, tell[0]);
	hear_newest(pub, sub, &result);
	ck_assert_int_eq(kill(stopped, SIGSTOP), 0);
	long before_kb = resident_kb();
	uint64_t last = 0;
	for (uint64_t i = 1; i <= 100000;
	     i++) { /* some 40 MB; what the stopped one does not take is dropped at its mark */
		result.decision_id = i;
		ck_assert_int_eq(cairn_pub_send(pub, &result, 1, true), 0);
		last = read_on(sub, last, i > WINDOW ? i - WINDOW : 0); /* the reader beside it keeps up */
		if (i == 50000)
			ck_assert_int_eq(kill(stopped, SIGKILL), 0);
	}
	ck_assert_uint_eq(read_on(sub, last, 100000), 100000);
	long grown_kb = resident_kb() - before_kb;
#ifndef __SANITIZE_ADDRESS__ /* which keeps what was freed for a while */
	ck_assert_msg(grown_kb < 8 * 1024, "the publisher has grown by %ld kB", grown_kb);
#else
	(void)grown_kb;
#endif
	waitpid(stopped, NULL, 0);
	teardown();
}
END_TEST

CAIRN_TEST_MAIN("bus-limits", fields_of_a_later_version_are_passed_over,
    another_version_and_another_type_are_refused_and_counted,
    a_message_larger_than_any_of_ours_is_refused_counted_and_the_topic_goes_on,
    a_reader_that_is_stopped_or_dies_costs_the_publisher_and_the_others_nothing)
