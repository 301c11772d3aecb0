/* cmd_camera.c - tries a camera helper before the robot is started: reads its socket for a while and tells what came. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "procs/cli/rundir.h"
#include "common/percept/camera_check.h"
#include "ipc/topics.h"
#include "procs/cairn/commands.h"

#define FOR_S 5.0
#define POLL_MS 100

struct probe {
	struct cairn_camera_check check;
	int fd;
	int64_t end_ns;
	uint8_t *payload;
	size_t room;
};

static int connect_to(const struct cli *cli, const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(at.sun_path))
		return -cli_fail(cli, CLI_USAGE, "%s: too long for a socket", path);
	strcpy(at.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof(at)) == 0)
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	return -cli_fail(cli, CLI_ABSENT, "%s: %s; is the helper running?", path, strerror(why));
}

/* False when the time is up, or with broken set when the helper has gone. */
static bool read_whole(struct probe *p, uint8_t *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		struct pollfd ready = {.fd = p->fd, .events = POLLIN};
		if (cli_now_ns() > p->end_ns || cli_interrupted())
			return false;
		if (poll(&ready, 1, POLL_MS) <= 0)
			continue;
		ssize_t n = read(p->fd, to + done, bytes - done);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0) {
			snprintf(p->check.broken, sizeof(p->check.broken), "%s",
			    n == 0 ? "the helper has closed it" : strerror(errno));
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

static bool read_one(struct probe *p)
{
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES];
	struct cairn_camera_header hdr;
	enum cairn_camera_verdict verdict;
	if (!read_whole(p, head, sizeof(head)) ||
	    !cairn_camera_check_header(&p->check, head, cli_now_ns(), &hdr, &verdict))
		return false;
	if (hdr.payload_bytes > p->room) {
		free(p->payload);
		p->payload = malloc(hdr.payload_bytes);
		p->room = p->payload != NULL ? hdr.payload_bytes : 0;
	}
	if (p->payload == NULL) {
		snprintf(
		    p->check.broken, sizeof(p->check.broken), "no memory for %u bytes", hdr.payload_bytes);
		return false;
	}
	if (!read_whole(p, p->payload, hdr.payload_bytes))
		return false;
	cairn_camera_check_payload(&p->check, &hdr, verdict, p->payload, cli_now_ns());
	return true;
}

static int probe(const struct cli *cli, struct probe *p, double for_s)
{
	struct cairn_text report = {0};
	p->fd = connect_to(cli, cli->args[0]);
	if (p->fd < 0)
		return -p->fd;
	cli_catch_signals();
	p->end_ns = cli_now_ns() + (int64_t)(for_s * 1e9);
	while (read_one(p))
		;
	close(p->fd);
	bool good = cairn_camera_check_report(&p->check, &report);
	printf("%s%s\n", report.failed ? "" : report.data,
	    good ? "This camera can be used." : "This camera cannot be used so.");
	cairn_text_free(&report);
	return good ? CLI_OK : CLI_FAILED;
}

int cli_camera_check(const struct cli *cli)
{
	char share[4096];
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_config_layers layers = {.share_dir = share, .file = cli_value(cli, "config")};
	layers.sets = cli_values(cli, "set", &layers.set_count);
	double for_s = FOR_S;
	if (cli_value(cli, "for") != NULL && !cairn_duration_parse(cli_value(cli, "for"), &for_s, &err))
		return cli_fail(cli, CLI_USAGE, "--for: %s", err.text);
	if (!cairn_share_dir(share, sizeof(share), &err) || !cairn_config_merge(&cfg, &layers, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	uint32_t width = (uint32_t)cfg.camera.width_px, height = (uint32_t)cfg.camera.height_px;
	struct probe p = {
	    .check = {.want = {width, height,
			  cairn_frame_topics[CAIRN_FRAME_CAMERA_RGB].max_age_ms * CAIRN_NS_PER_MS},
		.rate_hz = cfg.camera.rate_hz}};
	p.check.maker = cairn_picture_maker_new(width, height, &err);
	p.check.made = malloc(3 * (size_t)width * height);
	int status = p.check.maker != NULL && p.check.made != NULL
			 ? probe(cli, &p, for_s)
			 : cli_fail(cli, CLI_FAILED, "out of memory");
	cairn_picture_maker_destroy(&p.check.maker);
	free(p.check.made);
	free(p.payload);
	return status;
}
