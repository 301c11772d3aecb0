/* frame_reader.c - frames of a running stack, from outside. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "procs/cairn/frame_reader.h"
#include "procs/launcher/namespace.h"

#define FRAME_POLL_MS 10
#define READERS_MAX 4
#define DEADLINE_MS 3000

int cli_frame_reader_name(const char *run_dir, char *name, size_t name_bytes)
{
	for (int i = 0; i < READERS_MAX; i++) {
		char path[CLI_RUN_DIR_MAX + 64];
		snprintf(name, name_bytes, "echo-%d", i);
		snprintf(path, sizeof(path), "%s/bus/%s.lock", run_dir, name);
		int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

struct wish {
	enum cairn_frame_topic topic;
	double timeout_s;
	cli_frame_fn *fn;
	void *ctx;
};

static int read_frames(const struct cli *cli, struct cairn_frame_sub *sub, const struct wish *wish)
{
	int64_t wait_ns = (int64_t)(wish->timeout_s * 1e9), end_ns = cli_now_ns() + wait_ns;
	while (!cli_interrupted()) {
		const struct cairn_frame_header *hdr;
		const void *payload = cairn_frame_take(sub, &hdr);
		if (payload != NULL) {
			bool more = wish->fn(wish->ctx, hdr, payload);
			cairn_frame_release(sub);
			if (!more)
				break;
			end_ns = cli_now_ns() + wait_ns;
			continue;
		}
		if (cli_now_ns() > end_ns)
			return cli_fail(cli, CLI_ABSENT, "no frame within %g s", wish->timeout_s);
		nanosleep(&(struct timespec){.tv_nsec = FRAME_POLL_MS * CAIRN_NS_PER_MS}, NULL);
	}
	return CLI_OK;
}

static int read_here(const struct cli *cli, const struct wish *wish)
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
	int lock = cli_frame_reader_name(cli->run_dir, name, sizeof(name));
	if (lock < 0)
		return cli_fail(cli, CLI_FAILED, "%d others read frames already", READERS_MAX);
	struct cairn_frames *frames = NULL;
	struct cairn_frame_sub *sub = NULL;
	if (cairn_namespace_join(cli->run_dir, &err))
		frames = cairn_frames_open(name, &cfg, DEADLINE_MS, &err);
	if (frames != NULL)
		sub = cairn_frame_sub_new(frames, wish->topic, &err);
	status = sub != NULL ? read_frames(cli, sub, wish) : cli_fail(cli, CLI_FAILED, "%s", err.text);
	cairn_frames_close(&frames);
	close(lock);
	return status;
}

/* The data plane's library ends the process that cannot join it, so that a child joins in our place. */
int cli_read_frames(
    const struct cli *cli, enum cairn_frame_topic topic, double timeout_s, cli_frame_fn *fn, void *ctx)
{
	struct wish wish = {topic, timeout_s, fn, ctx};
	int ended = 0;
	pid_t us = getpid(), child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		exit(getppid() == us ? read_here(cli, &wish) : CLI_FAILED);
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

/* In a child, inside the stack's namespace: what it finds goes into a file that both have open. */
static bool keep(void *ctx, const struct cairn_frame_header *hdr, const void *payload)
{
	FILE *both = ctx;
	(void)fwrite(payload, 1, hdr->payload_bytes, both);
	(void)fflush(both);
	return false;
}

int cli_read_frame(const struct cli *cli, enum cairn_frame_topic topic, double timeout_s, size_t bytes_max,
    struct cairn_text *payload)
{
	struct cairn_error err = {""};
	char path[64];
	FILE *both = tmpfile();
	if (both == NULL)
		return cli_fail(cli, CLI_FAILED, "temporary file: %s", strerror(errno));
	int status = cli_read_frames(cli, topic, timeout_s, keep, both);
	if (status == CLI_OK) {
		size_t bytes = 0;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(both));
		char *data = cairn_file_read(path, 0, bytes_max, &bytes, &err);
		cairn_text_bytes(payload, data != NULL ? data : "", bytes);
		if (data == NULL || payload->failed)
			status = cli_fail(
			    cli, CLI_FAILED, "%s", data == NULL ? err.text : "out of memory for a frame");
		free(data);
	}
	fclose(both);
	return status;
}
