/* cmd_echo.c - messages and frame headers as JSON lines; rates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"

#define JSON_BYTES (1024 * 1024) /* a full scan has 16384 numbers */

/* One subscribed topic, here or of a robot elsewhere. */
struct ear {
	struct cairn_bus *bus;
	struct cairn_sub *sub;
	struct cairn_remote *remote; /* NULL: here */
	const struct cairn_topic_row *row;
	void *msg;
};

static int no_such_topic(const struct cli *cli, const char *name)
{
	return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them", name);
}

static int not_let_in(const struct cli *cli)
{
	return cli_fail(
	    cli, CLI_FAILED, "the robot refuses the key: it is not on its list, or may not watch");
}

static void ear_close(struct ear *ear)
{
	cairn_bus_destroy(&ear->bus);
	cairn_remote_close(&ear->remote);
	free(ear->msg);
}

/* CLI_OK, or a status after a message. */
static int ear_open(const struct cli *cli, const char *name, struct ear *ear)
{
	struct cairn_error err = {""};
	const char *instance = NULL;
	int topic = cairn_topic_of(name, &instance);
	*ear = (struct ear){.bus = NULL};
	if (topic < 0 && cairn_topic_find(name) >= 0)
		return cli_fail(cli, CLI_USAGE, "every stage has its own %s: %s.STAGE", name, name);
	if (topic < 0)
		return no_such_topic(cli, name);
	int status = CLI_OK;
	if (cli->connect == NULL)
		status = cli_need_stack(cli);
	else
		ear->remote = cli_connect(cli, &status);
	if (status != CLI_OK)
		return status;
	ear->row = &cairn_topics[topic];
	ear->msg = calloc(1, ear->row->desc->size);
	if (ear->remote != NULL && ear->msg != NULL && cairn_remote_watch(ear->remote, name, &err))
		return CLI_OK;
	ear->bus = ear->remote == NULL && ear->msg != NULL ? cairn_bus_new(cli->run_dir, &err) : NULL;
	ear->sub = ear->bus != NULL ? cairn_sub_new(ear->bus, (enum cairn_topic)topic, instance, &err) : NULL;
	if (ear->sub == NULL) {
		ear_close(ear);
		return cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	}
	if (!cli_bus_bound(cli->run_dir, name))
		fprintf(stderr, "cairn %s: nobody publishes %s yet; waiting\n", cli->command->name, name);
	return CLI_OK;
}

static int ear_next_there(struct ear *ear, int64_t end_ns, struct cairn_header *hdr)
{
	char name[CAIRN_KEY_TEXT];
	while (!cli_interrupted()) {
		const void *bytes = NULL;
		int64_t left_ns = end_ns - cli_now_ns();
		if (left_ns <= 0)
			return 0;
		int n = cairn_remote_recv(ear->remote, name, &bytes,
		    left_ns < 200 * CAIRN_NS_PER_MS ? (int)(left_ns / CAIRN_NS_PER_MS) + 1 : 200);
		if (n < 0)
			return n;
		if (n > 0 && cairn_msg_decode(ear->row->desc, bytes, (size_t)n, hdr, ear->msg, NULL) == 0)
			return 1;
	}
	return 0;
}

/* Waits for the next message until end_ns. 1 taken, 0 the time is up or a signal came, -EACCES a robot elsewhere refuses. */
static int ear_next(struct ear *ear, int64_t end_ns, struct cairn_header *hdr)
{
	if (ear->remote != NULL)
		return ear_next_there(ear, end_ns, hdr);
	zmq_pollitem_t item = {.socket = cairn_sub_socket(ear->sub), .events = ZMQ_POLLIN};
	while (!cli_interrupted()) {
		if (cairn_sub_recv(ear->sub, ear->msg, hdr) == 1)
			return 1;
		int64_t left_ns = end_ns - cli_now_ns();
		if (left_ns <= 0)
			return 0;
		long ms = (long)(left_ns / CAIRN_NS_PER_MS) + 1;
		(void)zmq_poll(
		    &item, 1, ms < 500 ? ms : 500); /* woken now and then for a signal that came in between */
	}
	return 0;
}

/* ---- echo ---- */

struct echo_limits {
	long count; /* 0 = no end */
	double timeout_s;
};

static int echo_topic(const struct cli *cli, const struct echo_limits *limits)
{
	struct ear ear;
	struct cairn_header hdr;
	int status = ear_open(cli, cli->args[0], &ear);
	char *buf = malloc(JSON_BYTES);
	if (status != CLI_OK || buf == NULL) {
		free(buf);
		return status != CLI_OK ? status : CLI_FAILED;
	}
	long seen = 0;
	while (limits->count == 0 || seen < limits->count) {
		int r = ear_next(&ear, cli_now_ns() + (int64_t)(limits->timeout_s * 1e9), &hdr);
		if (r < 0)
			status = not_let_in(cli);
		else if (r == 0 && !cli_interrupted())
			status = cli_fail(cli, CLI_ABSENT, "no message within %g s", limits->timeout_s);
		if (r <= 0)
			break;
		if (cairn_msg_to_json(ear.row->desc, &hdr, ear.msg, buf, JSON_BYTES) > 0)
			puts(buf);
		fflush(stdout);
		seen++;
	}
	if (ear.bus != NULL && cairn_bus_rejects(ear.bus) > 0)
		fprintf(
		    stderr, "cairn echo: %" PRIu64 " broken messages refused\n", cairn_bus_rejects(ear.bus));
	ear_close(&ear);
	free(buf);
	return status;
}

static void print_frame(const struct cairn_frame_header *h)
{
	static const char *const formats[] = {[CAIRN_FORMAT_NONE] = "none",
	    [CAIRN_FORMAT_RGB8] = "rgb8",
	    [CAIRN_FORMAT_DEPTH16] = "depth16",
	    [CAIRN_FORMAT_GRID8] = "grid8",
	    [CAIRN_FORMAT_SNAPSHOT] = "snapshot",
	    [CAIRN_FORMAT_PROBE] = "probe"};
	const char *format = h->format < CAIRN_FORMAT_COUNT ? formats[h->format] : "?";
	printf("{\"seq\":\"%" PRIu64 "\",\"epoch\":\"%" PRIu64 "\",\"t_ns\":\"%" PRId64
	       "\",\"format\":\"%s\",\"width\":%u,\"height\":%u,"
	       "\"stride_bytes\":%u,\"payload_bytes\":%u",
	    h->seq, h->epoch, h->t_ns, format, h->width, h->height, h->stride_bytes, h->payload_bytes);
	if (h->format == CAIRN_FORMAT_GRID8 && isfinite(h->origin_x_m) && isfinite(h->origin_y_m) &&
	    isfinite(h->cell_m))
		printf(",\"origin_x_m\":%.6g,\"origin_y_m\":%.6g,\"cell_m\":%.6g", h->origin_x_m,
		    h->origin_y_m, h->cell_m);
	printf("}\n");
}

/* One line a frame; ends after limits->count of them. */
static bool echo_one(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	struct echo_limits *left = ctx;
	(void)payload;
	print_frame(hdr);
	fflush(stdout);
	return left->count == 0 || --left->count > 0;
}

int cli_echo(const struct cli *cli)
{
	struct echo_limits limits = {cli_count(cli, "count", 0), 3.0e8};
	struct cairn_error err = {""};
	const char *timeout = cli_value(cli, "timeout");
	if (limits.count < 0)
		return CLI_USAGE;
	if (timeout != NULL && !cairn_duration_parse(timeout, &limits.timeout_s, &err))
		return cli_fail(cli, CLI_USAGE, "--timeout: %s", err.text);
	cli_catch_signals();
	/* "canary" is both a topic and a frame: the topic is what a person means. */
	int frame = cairn_topic_find(cli->args[0]) < 0 ? cairn_frame_topic_find(cli->args[0]) : -1;
	if (frame >= 0 && cli->connect != NULL)
		return cli_fail(cli, CLI_USAGE,
		    "%s is a frame, which does not go over TCP; see 'cairn look' and "
		    "'cairn map'",
		    cli->args[0]);
	if (frame >= 0)
		return cli_read_frames(
		    cli, (enum cairn_frame_topic)frame, limits.timeout_s, echo_one, &limits);
	return echo_topic(cli, &limits);
}

/* ---- hz ---- */

struct tally {
	uint64_t received, sent, starts, epoch, last_seq;
	int64_t first_ns, last_ns; /* arrival */
	double age_sum_s, age_max_s;
};

/* Readers of a LATEST topic see only the newest, so the publisher's own count (seq) tells the rate. */
static void tally_add(struct tally *t, const struct cairn_header *hdr, int64_t now_ns)
{
	double age_s = (double)(now_ns - hdr->t_ns) * 1e-9;
	if (t->received == 0)
		t->first_ns = now_ns;
	else if (hdr->epoch == t->epoch && hdr->seq > t->last_seq)
		t->sent += hdr->seq - t->last_seq;
	else
		t->starts++;
	t->epoch = hdr->epoch;
	t->last_seq = hdr->seq;
	t->last_ns = now_ns;
	t->received++;
	t->age_sum_s += age_s;
	t->age_max_s = age_s > t->age_max_s || t->received == 1 ? age_s : t->age_max_s;
}

static void print_tally(const struct cli *cli, const struct cairn_topic_row *row, const struct tally *t)
{
	double span_s = (double)(t->last_ns - t->first_ns) * 1e-9;
	double rate_hz = span_s > 0.0 ? (double)t->sent / span_s : 0.0;
	double age_s = t->age_sum_s / (double)t->received;
	uint64_t missed = t->sent + t->starts + 1 - t->received;
	bool here = cli->connect == NULL; /* stamps are of the robot's clock */
	if (cli->json) {
		printf("{\"topic\":\"%s\",\"rate_hz\":%.3f,\"nominal_hz\":%g,\"received\":%" PRIu64
		       ",\"missed\":%" PRIu64 ",\"restarts\":%" PRIu64,
		    cli->args[0], rate_hz, row->rate_hz, t->received, missed, t->starts);
		if (here)
			printf(",\"age_mean_s\":%.6f,\"age_max_s\":%.6f", age_s, t->age_max_s);
		else
			printf(",\"age_mean_s\":null,\"age_max_s\":null");
		printf(",\"max_age_s\":%g}\n", row->max_age_ms * 1e-3);
		return;
	}
	printf("%s: %.2f Hz", cli->args[0], rate_hz);
	if (row->rate_hz > 0.0)
		printf(" (nominal %g)", row->rate_hz);
	printf(", %" PRIu64 " received, %" PRIu64 " passed over", t->received, missed);
	if (here)
		printf(", age %.1f ms mean, %.1f ms at most", age_s * 1e3, t->age_max_s * 1e3);
	if (row->max_age_ms > 0)
		printf(" (stale after %d ms)", row->max_age_ms);
	if (t->starts > 0)
		printf(", publisher restarted %" PRIu64 " times", t->starts);
	putchar('\n');
}

int cli_hz(const struct cli *cli)
{
	struct cairn_error err = {""};
	struct ear ear;
	struct tally tally = {0};
	struct cairn_header hdr;
	double for_s = 3.0;
	const char *text = cli_value(cli, "for");
	if (text != NULL && !cairn_duration_parse(text, &for_s, &err))
		return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
	if (cairn_topic_find(cli->args[0]) < 0 && cairn_frame_topic_find(cli->args[0]) >= 0)
		return cli_fail(cli, CLI_USAGE, "%s is a frame; 'cairn echo %s' shows its headers",
		    cli->args[0], cli->args[0]);
	cli_catch_signals();
	int status = ear_open(cli, cli->args[0], &ear);
	if (status != CLI_OK)
		return status;
	int64_t end_ns = cli_now_ns() + (int64_t)(for_s * 1e9);
	int r;
	while ((r = ear_next(&ear, end_ns, &hdr)) == 1)
		tally_add(&tally, &hdr, cli_now_ns());
	if (r < 0)
		status = not_let_in(cli);
	else if (tally.received > 0)
		print_tally(cli, ear.row, &tally);
	else
		status = cli_fail(cli, CLI_ABSENT, "no message within %g s", for_s);
	ear_close(&ear);
	return status;
}
