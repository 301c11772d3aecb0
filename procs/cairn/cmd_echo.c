/* cmd_echo.c - messages and frame headers as JSON lines; rates. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "ipc/frames.h"
#include "procs/cairn/cmd.h"

#define JSON_BYTES (1024 * 1024) /* a full scan has 16384 numbers */
#define FRAME_POLL_MS 10
#define DEADLINE_MS 3000
#define READERS_MAX 4

/* One subscribed topic. */
struct ear {
	struct cairn_bus *bus;
	struct cairn_sub *sub;
	const struct cairn_topic_row *row;
	void *msg;
};

/* Takes "heartbeat.mapper" apart. The topic's index, or -1 when there is no such topic. */
static int topic_of(const char *name, const char **ret_instance)
{
	size_t n = strlen(cairn_topics[CAIRN_TOPIC_HEARTBEAT].name);
	*ret_instance = NULL;
	if (strncmp(name, cairn_topics[CAIRN_TOPIC_HEARTBEAT].name, n) == 0 && name[n] == '.') {
		*ret_instance = name + n + 1;
		return CAIRN_TOPIC_HEARTBEAT;
	}
	return cairn_topic_find(name);
}

static int no_such_topic(const struct cli *cli, const char *name)
{
	return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them", name);
}

static void ear_close(struct ear *ear)
{
	cairn_bus_destroy(&ear->bus);
	free(ear->msg);
}

/* CLI_OK, or a status after a message. */
static int ear_open(const struct cli *cli, const char *name, struct ear *ear)
{
	struct cairn_error err = {""};
	const char *instance = NULL;
	int topic = topic_of(name, &instance);
	*ear = (struct ear){.bus = NULL};
	if (topic < 0)
		return no_such_topic(cli, name);
	if (topic == CAIRN_TOPIC_HEARTBEAT && instance == NULL)
		return cli_fail(cli, CLI_USAGE, "every stage has its own heartbeat: heartbeat.STAGE");
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	ear->row = &cairn_topics[topic];
	ear->msg = calloc(1, ear->row->desc->size);
	ear->bus = ear->msg != NULL ? cairn_bus_new(cli->run_dir, &err) : NULL;
	ear->sub = ear->bus != NULL ? cairn_sub_new(ear->bus, (enum cairn_topic)topic, instance, &err) : NULL;
	if (ear->sub == NULL) {
		ear_close(ear);
		return cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	}
	if (!cli_bus_bound(cli->run_dir, name))
		fprintf(stderr, "cairn %s: nobody publishes %s yet; waiting\n", cli->command->name, name);
	return CLI_OK;
}

/* Waits for the next message until end_ns. 1 taken, 0 the time is up or a signal came. */
static int ear_next(struct ear *ear, int64_t end_ns, struct cairn_header *hdr)
{
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
		if (ear_next(&ear, cli_now_ns() + (int64_t)(limits->timeout_s * 1e9), &hdr) == 0) {
			if (!cli_interrupted())
				status =
				    cli_fail(cli, CLI_ABSENT, "no message within %g s", limits->timeout_s);
			break;
		}
		if (cairn_msg_to_json(ear.row->desc, &hdr, ear.msg, buf, JSON_BYTES) > 0)
			puts(buf);
		fflush(stdout);
		seen++;
	}
	if (cairn_bus_rejects(ear.bus) > 0)
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
	printf("{\"seq\":%" PRIu64 ",\"epoch\":%" PRIu64 ",\"t_ns\":%" PRId64
	       ",\"format\":\"%s\",\"width\":%u,\"height\":%u,"
	       "\"stride_bytes\":%u,\"payload_bytes\":%u",
	    h->seq, h->epoch, h->t_ns, format, h->width, h->height, h->stride_bytes, h->payload_bytes);
	if (h->format == CAIRN_FORMAT_GRID8 && isfinite(h->origin_x_m) && isfinite(h->origin_y_m) &&
	    isfinite(h->cell_m))
		printf(",\"origin_x_m\":%.6g,\"origin_y_m\":%.6g,\"cell_m\":%.6g", h->origin_x_m,
		    h->origin_y_m, h->cell_m);
	printf("}\n");
}

/* The data plane knows its readers by name, and a second one of a name takes the place of the first. So each
 * echo takes a free name and holds a lock for it; -1 when all are taken. */
static int take_reader_name(const char *run_dir, char *name, size_t name_bytes)
{
	for (int i = 0; i < READERS_MAX; i++) {
		char path[CLI_RUN_DIR_MAX + 64];
		snprintf(name, name_bytes, "echo-%d", i);
		snprintf(path, sizeof(path), "%s/bus/%s.lock", run_dir, name);
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int read_frames(const struct cli *cli, struct cairn_frame_sub *sub, const struct echo_limits *limits)
{
	long seen = 0;
	int64_t end_ns = cli_now_ns() + (int64_t)(limits->timeout_s * 1e9);
	while (!cli_interrupted() && (limits->count == 0 || seen < limits->count)) {
		const struct cairn_frame_header *hdr;
		if (cairn_frame_take(sub, &hdr) != NULL) {
			print_frame(hdr);
			fflush(stdout);
			cairn_frame_release(sub);
			seen++;
			end_ns = cli_now_ns() + (int64_t)(limits->timeout_s * 1e9);
			continue;
		}
		if (cli_now_ns() > end_ns)
			return cli_fail(cli, CLI_ABSENT, "no frame within %g s", limits->timeout_s);
		nanosleep(&(struct timespec){.tv_nsec = FRAME_POLL_MS * CAIRN_NS_PER_MS}, NULL);
	}
	return CLI_OK;
}

static int echo_frame_here(
    const struct cli *cli, enum cairn_frame_topic topic, const struct echo_limits *limits)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	char path[CLI_RUN_DIR_MAX + 32], name[32];
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	/* Files first: the stack's namespace may hide the folder they are in. */
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	cairn_config_defaults(&cfg);
	if (!cairn_config_load(&cfg, path, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	int lock = take_reader_name(cli->run_dir, name, sizeof(name));
	if (lock < 0)
		return cli_fail(cli, CLI_FAILED, "%d others read frames already", READERS_MAX);
	struct cairn_frames *frames = NULL;
	struct cairn_frame_sub *sub = NULL;
	if (cli_enter_stack(cli->run_dir, &err))
		frames = cairn_frames_open(name, &cfg, DEADLINE_MS, &err);
	if (frames != NULL)
		sub = cairn_frame_sub_new(frames, topic, &err);
	status = sub != NULL ? read_frames(cli, sub, limits) : cli_fail(cli, CLI_FAILED, "%s", err.text);
	cairn_frames_close(&frames);
	close(lock);
	return status;
}

/* The data plane's library ends the process that cannot join it, so that a child joins in our place. */
static int echo_frame(const struct cli *cli, enum cairn_frame_topic topic, const struct echo_limits *limits)
{
	int ended = 0;
	pid_t us = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		exit(getppid() == us ? echo_frame_here(cli, topic, limits) : CLI_FAILED);
	}
	while (child > 0 && waitpid(child, &ended, 0) < 0) {
		if (errno != EINTR)
			break; /* a signal for us alone: the child is told, and we wait for it */
		kill(child, SIGTERM);
	}
	if (child < 0)
		return cli_fail(cli, CLI_FAILED, "%s", strerror(errno));
	if (WIFEXITED(ended) && WEXITSTATUS(ended) == CAIRN_EXIT_PLANE)
		return CLI_ABSENT;
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : CLI_FAILED;
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
	if (frame >= 0)
		return echo_frame(cli, (enum cairn_frame_topic)frame, &limits);
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
	if (cli->json) {
		printf("{\"topic\":\"%s\",\"rate_hz\":%.3f,\"nominal_hz\":%g,\"received\":%" PRIu64
		       ",\"missed\":%" PRIu64 ",\"restarts\":%" PRIu64
		       ",\"age_mean_s\":%.6f,\"age_max_s\":%.6f,\"max_age_s\":%g}\n",
		    cli->args[0], rate_hz, row->rate_hz, t->received, missed, t->starts, age_s, t->age_max_s,
		    row->max_age_ms * 1e-3);
		return;
	}
	printf("%s: %.2f Hz", cli->args[0], rate_hz);
	if (row->rate_hz > 0.0)
		printf(" (nominal %g)", row->rate_hz);
	printf(", %" PRIu64 " received, %" PRIu64 " passed over, age %.1f ms mean, %.1f ms at most",
	    t->received, missed, age_s * 1e3, t->age_max_s * 1e3);
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
	while (ear_next(&ear, end_ns, &hdr) == 1)
		tally_add(&tally, &hdr, cli_now_ns());
	if (tally.received > 0)
		print_tally(cli, ear.row, &tally);
	else
		status = cli_fail(cli, CLI_ABSENT, "no message within %g s", for_s);
	ear_close(&ear);
	return status;
}
