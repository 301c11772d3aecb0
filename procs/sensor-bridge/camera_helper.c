/* camera_helper.c - pictures of a camera helper: a header and a payload each, over a socket (common/device/camera_link.h). */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "procs/sensor-bridge/camera_source.h"

#define STALL_NS (500 * CAIRN_NS_PER_MS)   /* in the middle of a picture */
#define SILENT_NS (3000 * CAIRN_NS_PER_MS) /* no picture at all */
#define TRIES_FAST 100                     /* in vain: every 100 ms, then twice a second */
#define READS_MAX 8                        /* a turn of the loop: other work is not kept waiting */

struct source {
	struct camera_frames *frames;
	struct cairn_stage *stage;
	int fd; /* -1 = not connected */
	uint32_t failed_tries;
	int64_t try_at_ns, heard_ns;
	struct cairn_camera_order order;
	/* the message being read */
	uint8_t head[CAIRN_CAMERA_HEADER_BYTES];
	size_t have; /* bytes of head */
	struct cairn_camera_header hdr;
	uint8_t *payload; /* where it goes; NULL = skipped */
	size_t left;      /* payload bytes to come */
};

/* ---- connection ---- */

static void begin_message(struct source *s)
{
	camera_frames_drop(s->frames);
	s->payload = NULL;
	s->have = s->left = 0;
}

static void try_later(struct source *s)
{
	s->try_at_ns = cairn_now_ns() + (s->failed_tries <= TRIES_FAST ? 100 : 500) * CAIRN_NS_PER_MS;
}

static void disconnect(struct source *s, const char *why)
{
	/* Once in a row: a peer that talks nonsense is connected to again and again. */
	cairn_log_write(s->frames->pictures > 0 || s->failed_tries == 0 ? CAIRN_LOG_WARN : CAIRN_LOG_DEBUG,
	    __FILE__, __LINE__, "camera lost: %s", why);
	begin_message(s);
	cairn_stage_unwatch_fd(s->stage, s->fd);
	close(s->fd);
	s->fd = -1;
	if (s->frames->pictures == 0)
		s->failed_tries++;
	try_later(s);
	cairn_stage_note(s->stage, "no camera");
}

static int try_connect(const char *run_dir, const char *socket_path, struct cairn_error *err)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	bool absolute = socket_path[0] == '/';
	int n = snprintf(where.sun_path, sizeof(where.sun_path), "%s%s%s", absolute ? "" : run_dir,
	    absolute ? "" : "/", socket_path);
	if (n < 0 || (size_t)n >= sizeof(where.sun_path)) {
		cairn_error_set(err, "%s: path too long for a socket", socket_path);
		return -ENAMETOOLONG;
	}
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&where, sizeof(where)) == 0)
		return fd;
	int r = -errno;
	cairn_error_set(err, "%s: %s", where.sun_path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

/* ---- pictures ---- */

/* A whole header is there: decide where its payload goes. False when the connection is of no use. */
static bool begin_payload(struct source *s)
{
	struct cairn_error err = {""};
	enum cairn_camera_verdict verdict =
	    cairn_camera_header_read(s->head, &s->frames->want, &s->order, cairn_now_ns(), &s->hdr, &err);
	if (verdict == CAIRN_CAMERA_SKIP || verdict == CAIRN_CAMERA_BROKEN) {
		cairn_stage_count_reject(s->stage);
		cairn_log_debug("%s", err.text);
	}
	if (verdict == CAIRN_CAMERA_BROKEN) {
		disconnect(s, err.text);
		return false;
	}
	s->left = s->hdr.payload_bytes;
	s->payload = camera_frames_begin(s->frames, &s->hdr, verdict);
	return true;
}

static void end_payload(struct source *s)
{
	(void)camera_frames_end(s->frames);
	if (s->frames->pictures > 0)
		s->failed_tries = 0;
	begin_message(s);
}

/* Where the next bytes belong, and how many are wanted there. */
static uint8_t *next_room(struct source *s, uint8_t *waste, size_t waste_bytes, size_t *ret_bytes)
{
	if (s->have < sizeof(s->head)) {
		*ret_bytes = sizeof(s->head) - s->have;
		return s->head + s->have;
	}
	if (s->payload != NULL) {
		*ret_bytes = s->left;
		return s->payload + (s->hdr.payload_bytes - s->left);
	}
	*ret_bytes = s->left < waste_bytes ? s->left : waste_bytes;
	return waste;
}

/* n bytes have arrived where next_room said. False when the connection was closed. */
static bool took(struct source *s, size_t n)
{
	if (s->have < sizeof(s->head)) {
		s->have += n;
		if (s->have == sizeof(s->head) && !begin_payload(s))
			return false;
	} else {
		s->left -= n;
	}
	if (s->have == sizeof(s->head) && s->left == 0)
		end_payload(s);
	return true;
}

static int on_socket(void *ctx)
{
	struct source *s = ctx;
	uint8_t waste[16384];
	for (int i = 0; i < READS_MAX; i++) {
		size_t want;
		uint8_t *room = next_room(s, waste, sizeof(waste), &want);
		ssize_t n = read(s->fd, room, want);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0) {
			disconnect(s, n == 0 ? "the other end closed" : strerror(errno));
			return 0;
		}
		s->heard_ns = cairn_now_ns();
		if (!took(s, (size_t)n))
			return 0;
	}
	return 0;
}

/* ---- life ---- */

static void connect_again(struct source *s, int64_t now_ns)
{
	struct cairn_error err = {""};
	int fd = try_connect(cairn_stage_run_dir(s->stage), s->frames->cfg->robot.camera_socket, &err);
	if (fd < 0) {
		if (s->failed_tries++ == 0)
			cairn_log_warn("%s; trying again", err.text);
		try_later(s);
		return;
	}
	s->fd = fd;
	s->heard_ns = now_ns;
	s->order = (struct cairn_camera_order){0};
	camera_frames_restart(s->frames);
	begin_message(s);
	cairn_stage_note(s->stage, "connected, waiting for a picture");
	cairn_stage_watch_fd(s->stage, fd, POLLIN, on_socket, s);
}

static void tick(void *source, int64_t now_ns)
{
	struct source *s = source;
	if (s->fd < 0) {
		if (now_ns >= s->try_at_ns)
			connect_again(s, now_ns);
		return;
	}
	int64_t quiet_ns = now_ns - s->heard_ns;
	if (s->have > 0 && quiet_ns > STALL_NS)
		disconnect(s, "stalled in the middle of a picture");
	else if (quiet_ns > SILENT_NS)
		disconnect(s, "silent");
}

static bool is_for(const char *device)
{
	return device[0] == '\0';
}

static void *new_source(struct camera_frames *frames)
{
	struct source *s = calloc(1, sizeof(*s));
	if (s == NULL)
		return NULL;
	s->frames = frames;
	s->stage = frames->stage;
	s->fd = -1;
	return s;
}

static void destroy(void *source)
{
	struct source *s = source;
	begin_message(s);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

const struct camera_source camera_helper = {is_for, new_source, tick, destroy};
