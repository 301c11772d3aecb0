/* cmd_camera.c - tries a camera or a camera helper before the robot is started: reads it for a while and tells what came. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "procs/cli/rundir.h"
#include "common/percept/camera_check.h"
#include "ipc/topics.h"
#include "procs/cairn/commands.h"
#include "procs/camera/mjpeg_http.h"
#include "procs/camera/v4l2.h"

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

/* ---- a V4L2 camera ---- */

/* What is wrong, each time that it is something else; and that it is over. */
static void tell_change(const char *problem, char *told, size_t bytes)
{
	if (strcmp(problem, told) == 0)
		return;
	fprintf(stderr, "%s\n", problem[0] != '\0' ? problem : "pictures arrive again");
	snprintf(told, bytes, "%s", problem);
}

static void read_device(struct probe *p, const struct cairn_v4l2_want *want)
{
	char told[sizeof(((struct cairn_error *)0)->text)] = "";
	struct cairn_v4l2_link link;
	struct cairn_camera_header hdr;
	const uint8_t *payload;
	cairn_v4l2_init(&link, &v4l2_kernel, NULL, want);
	while (cli_now_ns() < p->end_ns && !cli_interrupted()) {
		bool was_closed = link.fd < 0;
		cairn_v4l2_tick(&link, cli_now_ns());
		if (was_closed && link.fd >= 0)
			p->check.order = (struct cairn_camera_order){0};
		tell_change(link.problem.text, told, sizeof(told));
		struct pollfd ready = {.fd = link.fd, .events = POLLIN};
		(void)poll(&ready, 1, POLL_MS);
		while (cairn_v4l2_take(&link, cli_now_ns(), &hdr, &payload)) {
			const char *why_not =
			    cairn_camera_check_picture(&p->check, &hdr, payload, cli_now_ns());
			cairn_v4l2_give_back(&link, cli_now_ns(), why_not);
		}
	}
	if (link.controls.text[0] != '\0')
		fprintf(stderr, "robot.camera_controls: %s\n", link.controls.text);
	if (link.losses > 0 || link.damaged > 0 || link.missed > 0)
		printf("%" PRIu64 " times lost or not to be had, %" PRIu64 " pictures damaged, %" PRIu64
		       " left out by the driver\n",
		    link.losses, link.damaged, link.missed);
	snprintf(p->check.broken, sizeof(p->check.broken), "%.127s", link.problem.text);
	cairn_v4l2_close(&link);
}

/* ---- a stream over HTTP ---- */

static const char *on_http_picture(void *ctx, const struct cairn_camera_header *hdr, const uint8_t *payload)
{
	struct probe *p = ctx;
	return cairn_camera_check_picture(&p->check, hdr, payload, cli_now_ns());
}

static void read_stream(struct probe *p, const struct cairn_mjpeg_want *want)
{
	char told[sizeof(((struct cairn_error *)0)->text)] = "";
	struct mjpeg_http *http = mjpeg_http_new(want, on_http_picture, p);
	if (http == NULL) {
		snprintf(p->check.broken, sizeof(p->check.broken), "no memory");
		return;
	}
	const struct cairn_mjpeg_link *link = mjpeg_http_link(http);
	while (cli_now_ns() < p->end_ns && !cli_interrupted()) {
		mjpeg_http_step(http);
		tell_change(link->problem.text, told, sizeof(told));
		struct pollfd ready = {.fd = mjpeg_http_fd(http), .events = POLLIN};
		(void)poll(&ready, 1, POLL_MS);
	}
	if (link->losses > 0)
		printf("%" PRIu64 " times lost or not to be had\n", link->losses);
	snprintf(p->check.broken, sizeof(p->check.broken), "%.127s", link->problem.text);
	mjpeg_http_destroy(&http);
}

static bool is_stream(const char *path)
{
	return strncasecmp(path, "http://", 7) == 0 || strncasecmp(path, "https://", 8) == 0;
}

/* A path that is no socket is a device, also one that is not plugged in yet. */
static bool is_device(const char *path)
{
	struct stat st;
	return strncmp(path, "/dev/", 5) == 0 && (stat(path, &st) != 0 || !S_ISSOCK(st.st_mode));
}

static int probe(const struct cli *cli, struct probe *p, const struct cairn_config *cfg, double for_s)
{
	struct cairn_text report = {0};
	const char *path = cli->args[0];
	bool device = is_device(path), stream = is_stream(path), helper = !device && !stream;
	p->fd = helper ? connect_to(cli, path) : -1;
	if (p->fd < 0 && helper)
		return -p->fd;
	cli_catch_signals();
	p->end_ns = cli_now_ns() + (int64_t)(for_s * 1e9);
	if (device)
		read_device(p, &(struct cairn_v4l2_want){.path = path,
				   .controls = cfg->robot.camera_controls,
				   .mode = {.width = p->check.want.width,
				       .height = p->check.want.height,
				       .rate_hz = cfg->camera.rate_hz}});
	if (stream)
		read_stream(p, &(struct cairn_mjpeg_want){
				   path, p->check.want.width, p->check.want.height, cfg->camera.rate_hz});
	while (helper && read_one(p))
		;
	if (p->fd >= 0)
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
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
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
			 ? probe(cli, &p, &cfg, for_s)
			 : cli_fail(cli, CLI_FAILED, "out of memory");
	cairn_picture_maker_destroy(&p.check.maker);
	free(p.check.made);
	free(p.payload);
	return status;
}
