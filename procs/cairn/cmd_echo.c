/* cmd_echo.c - messages and frame headers as JSON lines; rates. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"
#include "procs/cairn/topic_reader.h"

#define JSON_BYTES (1024 * 1024) /* a full scan has 16384 numbers */

/* ---- echo ---- */

struct echo_limits {
	long count; /* 0 = no end */
	double timeout_s;
};

static int echo_topic(const struct cli *cli, const struct echo_limits *limits)
{
	struct topic_reader reader;
	struct cairn_header hdr;
	int status = topic_reader_open(cli, cli->args[0], &reader);
	char *buf = malloc(JSON_BYTES);
	if (status != CLI_OK || buf == NULL) {
		free(buf);
		return status != CLI_OK ? status : CLI_FAILED;
	}
	long seen = 0;
	while (limits->count == 0 || seen < limits->count) {
		int r = topic_reader_next(&reader, cli_now_ns() + (int64_t)(limits->timeout_s * 1e9), &hdr);
		if (r < 0)
			status = topic_reader_refused(cli);
		else if (r == 0 && !cli_interrupted())
			status = cli_fail(cli, CLI_ABSENT, "no message within %g s", limits->timeout_s);
		if (r <= 0)
			break;
		if (cairn_msg_to_json(reader.row->desc, &hdr, reader.msg, buf, JSON_BYTES) > 0)
			puts(buf);
		fflush(stdout);
		seen++;
	}
	if (reader.bus != NULL && cairn_bus_rejects(reader.bus) > 0)
		fprintf(stderr, "cairn echo: %" PRIu64 " broken messages refused\n",
		    cairn_bus_rejects(reader.bus));
	topic_reader_close(&reader);
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
	char seq[24], epoch[24], t_ns[24]; /* as text: a number of JSON need not hold 64 bits */
	snprintf(seq, sizeof(seq), "%" PRIu64, h->seq);
	snprintf(epoch, sizeof(epoch), "%" PRIu64, h->epoch);
	snprintf(t_ns, sizeof(t_ns), "%" PRId64, h->t_ns);
	json_t *line = json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I}", "seq", seq, "epoch", epoch, "t_ns",
	    t_ns, "format", format, "width", (json_int_t)h->width, "height", (json_int_t)h->height,
	    "stride_bytes", (json_int_t)h->stride_bytes, "payload_bytes", (json_int_t)h->payload_bytes);
	if (h->format == CAIRN_FORMAT_GRID8 && isfinite(h->origin_x_m) && isfinite(h->origin_y_m) &&
	    isfinite(h->cell_m)) {
		json_object_set_new(line, "origin_x_m", json_real(h->origin_x_m));
		json_object_set_new(line, "origin_y_m", json_real(h->origin_y_m));
		json_object_set_new(line, "cell_m", json_real(h->cell_m));
	}
	cli_print_json(line);
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
		cli_print_json(json_pack("{s:s,s:f,s:f,s:I,s:I,s:I,s:o,s:o,s:f}", "topic", cli->args[0],
		    "rate_hz", rate_hz, "nominal_hz", row->rate_hz, "received", (json_int_t)t->received,
		    "missed", (json_int_t)missed, "restarts", (json_int_t)t->starts, "age_mean_s",
		    here ? json_real(age_s) : json_null(), "age_max_s",
		    here ? json_real(t->age_max_s) : json_null(), "max_age_s", row->max_age_ms * 1e-3));
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
	struct topic_reader reader;
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
	int status = topic_reader_open(cli, cli->args[0], &reader);
	if (status != CLI_OK)
		return status;
	int64_t end_ns = cli_now_ns() + (int64_t)(for_s * 1e9);
	int r;
	while ((r = topic_reader_next(&reader, end_ns, &hdr)) == 1)
		tally_add(&tally, &hdr, cli_now_ns());
	if (r < 0)
		status = topic_reader_refused(cli);
	else if (tally.received > 0)
		print_tally(cli, reader.row, &tally);
	else
		status = cli_fail(cli, CLI_ABSENT, "no message within %g s", for_s);
	topic_reader_close(&reader);
	return status;
}
