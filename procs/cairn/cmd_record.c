/* cmd_record.c - the bus into an MCAP file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "common/config/config.h"
#include "common/record/message_recorder.h"
#include "procs/cairn/commands.h"

#define EARS_MAX 128
#define LOOK_AGAIN_NS CAIRN_NS_PER_S /* for endpoints of stages that have started since */
#define FLUSH_NS CAIRN_NS_PER_S

/* One endpoint that is recorded. */
struct ear {
	enum cairn_topic topic;
	char endpoint[64], instance[32];
	struct cairn_sub *sub;
};

struct recording {
	const struct cli *cli;
	struct cairn_bus *bus;
	struct ear ears[EARS_MAX];
	int count;
	void *msg; /* the largest message */
	int fd;
	const char *path;
	struct cairn_message_recorder *recorder;
};

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	const struct recording *r = ctx;
	return cairn_write_whole(r->fd, data, bytes);
}

static bool wanted(const struct cli *cli, enum cairn_topic topic, const char *endpoint)
{
	bool any = cli->arg_count <= 1;
	for (int i = 1; i < cli->arg_count; i++)
		any = any || strcmp(cli->args[i], endpoint) == 0 ||
		      strcmp(cli->args[i], cairn_topics[topic].name) == 0;
	return any;
}

static bool heard(const struct recording *r, const char *endpoint)
{
	for (int i = 0; i < r->count; i++) {
		if (strcmp(r->ears[i].endpoint, endpoint) == 0)
			return true;
	}
	return false;
}

static void listen_to(struct recording *r, const char *endpoint)
{
	struct cairn_error err;
	const char *instance = NULL;
	int topic = cairn_topic_of(endpoint, &instance);
	if (topic < 0 || r->count == EARS_MAX || heard(r, endpoint) ||
	    !wanted(r->cli, (enum cairn_topic)topic, endpoint))
		return;
	struct cairn_sub *sub = cairn_sub_new(r->bus, (enum cairn_topic)topic, instance, &err);
	if (sub == NULL)
		return;
	struct ear *ear = &r->ears[r->count++];
	*ear = (struct ear){.topic = (enum cairn_topic)topic, .sub = sub};
	snprintf(ear->endpoint, sizeof(ear->endpoint), "%s", endpoint);
	snprintf(ear->instance, sizeof(ear->instance), "%s", instance != NULL ? instance : "");
}

/* Every topic, and what each stage has of its own, as far as it is there. */
static void listen_to_all(struct recording *r)
{
	char path[CLI_RUN_DIR_MAX + 8];
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		listen_to(r, cairn_topics[i].name);
	snprintf(path, sizeof(path), "%s/bus", r->cli->run_dir);
	DIR *dir = opendir(path);
	if (dir == NULL)
		return;
	for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
		if (e->d_type == DT_SOCK) /* beside them stand their locks */
			listen_to(r, e->d_name);
	}
	closedir(dir);
}

/* False when the file takes no more. */
static bool take_all(struct recording *r)
{
	struct cairn_header hdr;
	for (int i = 0; i < r->count; i++) {
		const struct ear *ear = &r->ears[i];
		const char *instance = ear->instance[0] != '\0' ? ear->instance : NULL;
		while (cairn_sub_recv(ear->sub, r->msg, &hdr) == 1) {
			if (!cairn_message_recorder_add(
				r->recorder, ear->topic, instance, &hdr, r->msg, cli_now_ns()))
				return false;
		}
	}
	return true;
}

/* Until the time is up or a signal comes. False when the file takes no more. */
static bool run(struct recording *r, int64_t end_ns)
{
	zmq_pollitem_t items[EARS_MAX];
	int64_t look_ns = 0, flush_ns = cli_now_ns() + FLUSH_NS;
	bool good = true;
	while (good && !cli_interrupted()) {
		int64_t now_ns = cli_now_ns();
		if (now_ns >= end_ns)
			break;
		if (now_ns >= look_ns) {
			listen_to_all(r);
			look_ns = now_ns + LOOK_AGAIN_NS;
		}
		for (int i = 0; i < r->count; i++)
			items[i] = (zmq_pollitem_t){
			    .socket = cairn_sub_socket(r->ears[i].sub), .events = ZMQ_POLLIN};
		int64_t left_ms = (end_ns - now_ns) / CAIRN_NS_PER_MS + 1;
		(void)zmq_poll(items, r->count, left_ms < 200 ? (long)left_ms : 200);
		good = take_all(r);
		if (good && cli_now_ns() >= flush_ns) {
			good = cairn_message_recorder_flush(r->recorder);
			flush_ns = cli_now_ns() + FLUSH_NS;
		}
	}
	return good;
}

static int64_t clock_offset_ns(void)
{
	struct timespec real;
	clock_gettime(CLOCK_REALTIME, &real);
	return (int64_t)real.tv_sec * CAIRN_NS_PER_S + real.tv_nsec - cli_now_ns();
}

static int begin(struct recording *r)
{
	struct cairn_error err = {""};
	struct cairn_config cfg;
	char config[CLI_RUN_DIR_MAX + 16];
	snprintf(config, sizeof(config), "%s/config.yaml", r->cli->run_dir);
	cairn_config_defaults(&cfg);
	if (access(config, R_OK) == 0 && !cairn_config_load(&cfg, config, &err))
		return cli_fail(r->cli, CLI_USAGE, "%s", err.text);
	size_t largest = 0;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++)
		largest = cairn_topics[i].desc->size > largest ? cairn_topics[i].desc->size : largest;
	r->msg = calloc(1, largest);
	r->bus = r->msg != NULL ? cairn_bus_new(r->cli->run_dir, &err) : NULL;
	if (r->bus == NULL)
		return cli_fail(r->cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (r->fd < 0 && errno == EEXIST)
		return cli_fail(r->cli, CLI_USAGE, "%s exists; a recording never overwrites a file", r->path);
	if (r->fd < 0)
		return cli_fail(r->cli, CLI_USAGE, "%s: %s", r->path, strerror(errno));
	const struct cairn_record_options options = {.clock_offset_ns = clock_offset_ns(),
	    .laser_x_m = cfg.robot.lidar_x_m,
	    .laser_y_m = cfg.robot.lidar_y_m,
	    .laser_z_m = cfg.robot.lidar_z_m};
	r->recorder = cairn_message_recorder_new(&options, to_file, r);
	return r->recorder != NULL ? CLI_OK
				   : cli_fail(r->cli, CLI_FAILED, "%s: %s", r->path, strerror(errno));
}

static int end(struct recording *r, bool good)
{
	int failed_with = errno;
	uint64_t messages = cairn_message_recorder_messages(r->recorder);
	if (!good || !cairn_message_recorder_finish(r->recorder))
		return cli_fail(r->cli, CLI_FAILED,
		    "%s: %s; what was written until then can be read ('cairn recording --repair')", r->path,
		    strerror(failed_with));
	if (messages == 0)
		return cli_fail(r->cli, CLI_ABSENT, "no message came; %s holds none", r->path);
	printf("%s: %" PRIu64 " messages, %" PRIu64 " bytes\n", r->path, messages,
	    cairn_message_recorder_bytes(r->recorder));
	return CLI_OK;
}

int cli_record(const struct cli *cli)
{
	struct cairn_error err;
	double for_s = 0.0;
	const char *text = cli_value(cli, "for");
	if (text != NULL && !cairn_duration_parse(text, &for_s, &err))
		return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
	const char *instance;
	for (int i = 1; i < cli->arg_count; i++) {
		if (cairn_topic_find(cli->args[i]) < 0 && cairn_topic_of(cli->args[i], &instance) < 0)
			return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them",
			    cli->args[i]);
	}
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	cli_catch_signals();
	struct recording *r = calloc(1, sizeof(*r));
	if (r == NULL)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	r->cli = cli;
	r->path = cli->args[0];
	r->fd = -1;
	status = begin(r);
	if (status == CLI_OK)
		status = end(r, run(r, text != NULL ? cli_now_ns() + (int64_t)(for_s * 1e9) : INT64_MAX));
	cairn_message_recorder_destroy(&r->recorder);
	cairn_bus_destroy(&r->bus);
	if (r->fd >= 0 && close(r->fd) != 0 && status == CLI_OK)
		status = cli_fail(cli, CLI_FAILED, "%s: %s", r->path, strerror(errno));
	free(r->msg);
	free(r);
	return status;
}
