/* helper_link.c - the connection to the detector helper: one that dies is connected to again, one that floods is read in pieces. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/detector/detector.h"

#define RETRY_NS CAIRN_NS_PER_S
#define READ_MAX 262144 /* bytes a turn: a flood is read in pieces, other work goes on */

void helper_link_lose(struct detector_stage *d, const char *why)
{
	if (!d->said_lost)
		cairn_log_warn("detector helper lost: %s; trying again", why);
	d->said_lost = true;
	cairn_stage_unwatch_fd(d->stage, d->fd);
	(void)close(d->fd);
	d->fd = -1;
	d->try_at_ns = cairn_now_ns() + RETRY_NS;
}

static int on_socket(void *ctx)
{
	struct detector_stage *d = ctx;
	char buf[16384];
	for (size_t all = 0; all < READ_MAX && d->fd >= 0;) {
		ssize_t n = recv(d->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			helper_link_lose(d, n == 0 ? "the other end closed" : strerror(errno));
			return 0;
		}
		all += (size_t)n;
		for (size_t at = 0; at < (size_t)n && d->fd >= 0;) {
			const char *line;
			size_t len;
			uint64_t before = d->lines.too_long;
			at += cairn_detect_lines_take(&d->lines, buf + at, (size_t)n - at, &line, &len);
			if (line != NULL)
				search_answer(d, line, len);
			if (d->lines.too_long > before) {
				struct cairn_error err;
				cairn_error_set(
				    &err, "an answer of more than %d bytes", CAIRN_DETECT_LINE_MAX);
				search_refuse(d, &err);
			}
		}
	}
	return 0;
}

static int try_connect(const struct detector_stage *d, struct cairn_error *err)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	const char *path = d->cfg->detect.socket;
	if (!cairn_path_below(where.sun_path, sizeof(where.sun_path), cairn_stage_run_dir(d->stage), path)) {
		cairn_error_set(err, "detect.socket: %s is too long for the name of a socket", path);
		return -1;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&where, sizeof(where)) == 0)
		return fd;
	cairn_error_set(err, "detector helper at %s: %s; trying again", where.sun_path, strerror(errno));
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

static void connect_again(struct detector_stage *d, int64_t now_ns)
{
	struct cairn_error err = {""};
	d->try_at_ns = now_ns + RETRY_NS;
	d->fd = try_connect(d, &err);
	if (d->fd < 0) {
		if (!d->said_lost)
			cairn_log_warn("%s", err.text);
		d->said_lost = true;
		return;
	}
	cairn_log_info("connected to the detector helper");
	d->said_lost = false;
	d->nonsense = 0;
	d->lines.len = 0;
	d->lines.skipping = false;
	cairn_stage_watch_fd(d->stage, d->fd, POLLIN, on_socket, d);
}

void helper_link_tend(struct detector_stage *d, int64_t now_ns)
{
	if (d->fd < 0 && now_ns >= d->try_at_ns)
		connect_again(d, now_ns);
}

void helper_link_send(struct detector_stage *d, const char *line, size_t bytes)
{
	if (bytes == 0 || send(d->fd, line, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)bytes)
		helper_link_lose(d, "it does not take questions");
}
