/* cmd_record.c - the bus into an MCAP file. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "common/config/config.h"
#include "ipc/poller.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"
#include "procs/launcher/namespace.h"
#include "procs/recorder/capture.h"

#define LOOK_AGAIN_NS CAIRN_NS_PER_S /* for endpoints of stages that have started since */
#define FLUSH_NS CAIRN_NS_PER_S
#define FRAMES_MS 40
#define PLANE_DEADLINE_MS 3000

struct recording {
	const struct cli *cli;
	struct cairn_config cfg;
	struct cairn_bus *bus;
	struct cairn_frames *frames; /* NULL: none are recorded */
	struct capture capture;
	struct cairn_poller poller; /* item i: the capture's ear i */
	int fd;
	const char *path;
	struct cairn_message_recorder *recorder;
};

static bool to_file(void *ctx, const void *data, size_t bytes)
{
	const struct recording *r = ctx;
	return cairn_write_whole(r->fd, data, bytes);
}

static bool wanted(void *ctx, enum cairn_topic topic, const char *endpoint)
{
	const struct cli *cli = ctx;
	bool any = cli->arg_count <= 1;
	for (int i = 1; i < cli->arg_count; i++)
		any = any || strcmp(cli->args[i], endpoint) == 0 ||
		      strcmp(cli->args[i], cairn_topics[topic].name) == 0;
	return any;
}

/* The frames that are asked for, as a bit set. */
static unsigned frame_set(const struct recording *r)
{
	unsigned set = 0;
	if (r->cli->arg_count <= 1)
		return capture_frame_set(&r->cfg);
	for (int i = 1; i < r->cli->arg_count; i++) {
		int topic = cairn_frame_topic_find(r->cli->args[i]);
		set |= topic >= 0 ? 1u << topic : 0;
	}
	return set;
}

/* False when the file takes no more. */
static bool take_ready(struct recording *r)
{
	for (int i = 0; i < r->capture.count; i++) {
		if (r->poller.items[i].ready)
			(void)capture_take(&r->capture, &r->capture.ears[i], r->recorder);
	}
	if (r->frames != NULL)
		(void)capture_take_frames(&r->capture, r->recorder);
	return !cairn_message_recorder_failed(r->recorder);
}

/* Until the time is up or a signal comes. False when the file takes no more, or the machine has no more to wait with. */
static bool run(struct recording *r, int64_t end_ns)
{
	const int pause_ms = r->frames != NULL ? FRAMES_MS : 200;
	int64_t look_ns = 0, flush_ns = cli_now_ns() + FLUSH_NS;
	bool good = true;
	while (good && !cli_interrupted()) {
		int64_t now_ns = cli_now_ns();
		if (now_ns >= end_ns)
			break;
		if (now_ns >= look_ns) {
			int i = capture_look(&r->capture, wanted, (void *)(uintptr_t)r->cli);
			for (; i < r->capture.count && good; i++)
				good = cairn_poller_add_socket(
					   &r->poller, cairn_sub_socket(r->capture.ears[i].sub)) == i;
			look_ns = now_ns + LOOK_AGAIN_NS;
		}
		int64_t left_ms = (end_ns - now_ns) / CAIRN_NS_PER_MS + 1;
		good = good &&
		       cairn_poller_wait(&r->poller, left_ms < pause_ms ? (int)left_ms : pause_ms) >= 0 &&
		       take_ready(r);
		if (good && cli_now_ns() >= flush_ns) {
			good = cairn_message_recorder_flush(r->recorder);
			flush_ns = cli_now_ns() + FLUSH_NS;
		}
	}
	return good;
}

static int open_file(struct recording *r)
{
	r->fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (r->fd < 0 && errno == EEXIST)
		return cli_fail(r->cli, CLI_USAGE, "%s exists; a recording never overwrites a file", r->path);
	if (r->fd < 0)
		return cli_fail(r->cli, CLI_USAGE, "%s: %s", r->path, strerror(errno));
	return CLI_OK;
}

static int load_config(struct recording *r)
{
	struct cairn_error err = {""};
	char config[CLI_RUN_DIR_MAX + 16];
	snprintf(config, sizeof(config), "%s/config.yaml", r->cli->run_dir);
	cairn_config_defaults(&r->cfg);
	if (access(config, R_OK) == 0 && !cairn_config_load(&r->cfg, config, &err))
		return cli_fail(r->cli, CLI_USAGE, "%s", err.text);
	return CLI_OK;
}

static int begin(struct recording *r, unsigned frames)
{
	struct cairn_error err = {""};
	char name[32];
	const struct cairn_record_options options = capture_options(&r->cfg);
	if (frames != 0) {
		int lock = cli_frame_reader_name(r->cli->run_dir, name, sizeof(name)); /* held until we end */
		if (lock < 0)
			return cli_fail(r->cli, CLI_FAILED, "too many others read frames already");
		if (cairn_namespace_join(r->cli->run_dir, &err))
			r->frames = cairn_frames_open(name, &r->cfg, PLANE_DEADLINE_MS, &err);
		if (r->frames == NULL)
			return cli_fail(r->cli, CLI_FAILED, "%s", err.text);
	}
	r->bus = cairn_bus_new(r->cli->run_dir, &err);
	if (r->bus == NULL || !capture_init(&r->capture, r->bus, r->cli->run_dir))
		return cli_fail(r->cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : "out of memory");
	if (r->frames != NULL && !capture_frames(&r->capture, r->frames, frames, &err))
		return cli_fail(r->cli, CLI_FAILED, "%s", err.text);
	r->recorder = cairn_message_recorder_new(&options, to_file, r);
	int polls = r->recorder != NULL ? cairn_poller_open(&r->poller) : 0;
	if (polls < 0)
		return cli_fail(r->cli, CLI_FAILED, "%s", strerror(-polls));
	return r->recorder != NULL ? CLI_OK
				   : cli_fail(r->cli, CLI_FAILED, "%s: %s", r->path, strerror(errno));
}

static int end(struct recording *r, bool good)
{
	int failed_with = errno;
	uint64_t messages = cairn_message_recorder_messages(r->recorder);
	if (!good || !cairn_message_recorder_finish(r->recorder))
		return cli_fail(r->cli, CLI_FAILED,
		    "%s: %s; what was written until then can be read ('cairn record %s --repair')", r->path,
		    strerror(failed_with), r->path);
	if (messages == 0)
		return cli_fail(r->cli, CLI_ABSENT, "no message came; %s holds none", r->path);
	printf("%s: %" PRIu64 " messages, %" PRIu64 " bytes\n", r->path, messages,
	    cairn_message_recorder_bytes(r->recorder));
	return CLI_OK;
}

static int record(struct recording *r, unsigned frames, int64_t end_ns)
{
	int status = begin(r, frames);
	if (status == CLI_OK)
		status = end(r, run(r, end_ns));
	cairn_message_recorder_destroy(&r->recorder);
	cairn_poller_close(&r->poller);
	cairn_bus_destroy(&r->bus);
	if (close(r->fd) != 0 && status == CLI_OK)
		status = cli_fail(r->cli, CLI_FAILED, "%s: %s", r->path, strerror(errno));
	if (r->frames != NULL)
		cairn_frames_close(&r->frames);
	capture_free(&r->capture);
	return status;
}

/* The data plane's library ends the process that cannot join it, so that a child tries in our place. Where there is no data plane
 * the messages are recorded all the same. */
static int record_with_frames(struct recording *r, unsigned frames, int64_t end_ns)
{
	int ended = 0;
	pid_t us = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		exit(getppid() == us ? record(r, frames, end_ns) : CLI_FAILED);
	}
	while (child > 0 && waitpid(child, &ended, 0) < 0) {
		if (errno != EINTR)
			break; /* a signal for us alone: the child is told, and we wait for it */
		kill(child, SIGTERM);
	}
	if (child > 0 && WIFEXITED(ended) && WEXITSTATUS(ended) != CAIRN_EXIT_PLANE)
		return WEXITSTATUS(ended);
	if (child > 0 && WIFSIGNALED(ended))
		return CLI_FAILED;
	fprintf(stderr, "cairn record: no frames: there is no data plane\n");
	return record(r, 0, end_ns);
}

static int check_topics(const struct cli *cli)
{
	const char *instance;
	for (int i = 1; i < cli->arg_count; i++) {
		if (cairn_topic_find(cli->args[i]) < 0 && cairn_topic_of(cli->args[i], &instance) < 0 &&
		    cairn_frame_topic_find(cli->args[i]) < 0)
			return cli_fail(cli, CLI_USAGE, "there is no topic '%s'; 'cairn topics' lists them",
			    cli->args[i]);
	}
	return CLI_OK;
}

int cli_record(const struct cli *cli)
{
	static struct recording r;
	struct cairn_error err;
	double for_s = 0.0;
	const char *text = cli_value(cli, "for");
	if (cli_value(cli, "repair") != NULL)
		return cli_repair(cli);
	if (text != NULL && !cairn_duration_parse(text, &for_s, &err))
		return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
	r = (struct recording){.cli = cli, .path = cli->args[0], .fd = -1, .poller.epoll_fd = -1};
	int status = check_topics(cli);
	if (status == CLI_OK)
		status = cli_need_stack(cli);
	if (status == CLI_OK)
		status = load_config(&r);
	if (status == CLI_OK)
		status = open_file(&r);
	if (status != CLI_OK)
		return status;
	cli_catch_signals();
	int64_t end_ns = text != NULL ? cli_now_ns() + (int64_t)(for_s * 1e9) : INT64_MAX;
	unsigned frames = cli_value(cli, "no-frames") == NULL ? frame_set(&r) : 0;
	return frames != 0 ? record_with_frames(&r, frames, end_ns) : record(&r, 0, end_ns);
}
