#include "procs/robot-sim/camera.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/device/camera_link.h"
#include "procs/robot-sim/port.h"

#define BUFFERS (CAMERA_CLIENTS_MAX + 1)
#define SEND_BUFFER_BYTES (1 << 21)

struct client {
	struct camera_server *server;
	int fd;     /* -1: free */
	int buffer; /* being sent, -1 none */
	size_t sent;
};

struct camera_server {
	struct cairn_stage *stage;
	int listener;
	char path[PATH_MAX];
	uint32_t width_px, height_px, seq;
	size_t rgb_bytes, depth_bytes, pair_bytes;
	uint8_t *memory[BUFFERS];  /* made when first needed */
	uint8_t *buffers[BUFFERS]; /* the pair in it: one byte on where that makes the depth even */
	int filling;
	uint64_t missed;
	struct client clients[CAMERA_CLIENTS_MAX];
};

static void drop(struct client *c)
{
	cairn_stage_unwatch_fd(c->server->stage, c->fd);
	(void)close(c->fd);
	c->fd = c->buffer = -1;
}

/* Sends what the socket takes; false when the client is gone. */
static bool push(struct client *c)
{
	struct camera_server *s = c->server;
	while (c->sent < s->pair_bytes) {
		ssize_t n = send(c->fd, s->buffers[c->buffer] + c->sent, s->pair_bytes - c->sent,
		    MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		c->sent += (size_t)n;
	}
	c->buffer = -1;
	return true;
}

static int on_client(void *ctx)
{
	struct client *c = ctx;
	char junk[256];
	ssize_t n = recv(c->fd, junk, sizeof(junk), MSG_DONTWAIT);
	bool gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
	if (!gone && c->buffer >= 0) {
		gone = !push(c);
		if (!gone && c->buffer < 0)
			cairn_stage_watch_fd(c->server->stage, c->fd, POLLIN, on_client, c);
	}
	if (gone)
		drop(c);
	return 0;
}

static int on_connect(void *ctx)
{
	struct camera_server *s = ctx;
	int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return 0;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++) {
		struct client *c = &s->clients[i];
		if (c->fd >= 0)
			continue;
		int size = SEND_BUFFER_BYTES;
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		*c = (struct client){.server = s, .fd = fd, .buffer = -1};
		cairn_stage_watch_fd(s->stage, fd, POLLIN, on_client, c);
		return 0;
	}
	cairn_log_warn("camera: a client more than %d is turned away", CAMERA_CLIENTS_MAX);
	(void)close(fd);
	return 0;
}

struct camera_server *camera_server_new(struct cairn_stage *stage, const char *path, uint32_t width_px,
    uint32_t height_px, struct cairn_error *err)
{
	struct camera_server *s = calloc(1, sizeof(*s));
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->stage = stage;
	s->listener = -1;
	s->width_px = width_px;
	s->height_px = height_px;
	s->rgb_bytes = (size_t)width_px * height_px * 3;
	s->depth_bytes = (size_t)width_px * height_px * 2;
	s->pair_bytes = 2 * CAIRN_CAMERA_HEADER_BYTES + s->rgb_bytes + s->depth_bytes;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++)
		s->clients[i] = (struct client){.server = s, .fd = -1, .buffer = -1};
	bool ok = port_path(s->path, sizeof(s->path), cairn_stage_run_dir(stage), path, err);
	if (ok && strlen(s->path) >= sizeof(addr.sun_path)) {
		cairn_error_set(err, "%s: longer than the %zu bytes of a socket's name", s->path,
		    sizeof(addr.sun_path) - 1);
		ok = false;
	}
	if (ok) {
		memcpy(addr.sun_path, s->path, strlen(s->path) + 1);
		(void)unlink(s->path);
		s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		ok = s->listener >= 0 && bind(s->listener, (struct sockaddr *)&addr, sizeof(addr)) == 0 &&
		     listen(s->listener, CAMERA_CLIENTS_MAX) == 0;
		if (!ok)
			cairn_error_set(err, "%s: %s", s->path, strerror(errno));
	}
	if (!ok) {
		camera_server_destroy(&s);
		return NULL;
	}
	cairn_stage_watch_fd(stage, s->listener, POLLIN, on_connect, s);
	return s;
}

bool camera_server_begin(struct camera_server *server, uint8_t **ret_rgb, uint16_t **ret_depth_mm)
{
	bool used[BUFFERS] = {false}, waiting = false;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++) {
		const struct client *c = &server->clients[i];
		if (c->buffer >= 0) {
			used[c->buffer] = true;
			server->missed++;
		}
		waiting |= c->fd >= 0 && c->buffer < 0;
	}
	if (!waiting)
		return false;
	int free_one = 0;
	while (used[free_one])
		free_one++;
	if (server->memory[free_one] == NULL)
		server->memory[free_one] = malloc(server->pair_bytes + 1);
	if (server->memory[free_one] == NULL)
		return false;
	server->buffers[free_one] = server->memory[free_one] + (server->rgb_bytes & 1u);
	server->filling = free_one;
	*ret_rgb = server->buffers[free_one] + CAIRN_CAMERA_HEADER_BYTES;
	*ret_depth_mm = (uint16_t *)(void *)(*ret_rgb + server->rgb_bytes + CAIRN_CAMERA_HEADER_BYTES);
	return true;
}

void camera_server_send(struct camera_server *server, int64_t t_ns)
{
	struct camera_server *s = server;
	uint8_t *at = s->buffers[s->filling];
	struct cairn_camera_header h = {.version = CAIRN_CAMERA_VERSION,
	    .format = CAIRN_CAMERA_RGB8,
	    .width = s->width_px,
	    .height = s->height_px,
	    .stride_bytes = s->width_px * 3,
	    .t_ns = t_ns,
	    .seq = ++s->seq,
	    .payload_bytes = (uint32_t)s->rgb_bytes};
	cairn_camera_header_write(at, &h);
	h.format = CAIRN_CAMERA_DEPTH16;
	h.stride_bytes = s->width_px * 2;
	h.payload_bytes = (uint32_t)s->depth_bytes;
	cairn_camera_header_write(at + CAIRN_CAMERA_HEADER_BYTES + s->rgb_bytes, &h);
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++) {
		struct client *c = &s->clients[i];
		if (c->fd < 0 || c->buffer >= 0)
			continue;
		c->buffer = s->filling;
		c->sent = 0;
		if (!push(c))
			drop(c);
		else if (c->buffer >= 0)
			cairn_stage_watch_fd(s->stage, c->fd, POLLIN | POLLOUT, on_client, c);
	}
}

uint64_t camera_server_missed(const struct camera_server *server)
{
	return server->missed;
}

void camera_server_destroy(struct camera_server **server_p)
{
	struct camera_server *s = *server_p;
	*server_p = NULL;
	if (s == NULL)
		return;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++)
		if (s->clients[i].fd >= 0)
			drop(&s->clients[i]);
	if (s->listener >= 0) {
		cairn_stage_unwatch_fd(s->stage, s->listener);
		(void)close(s->listener);
		(void)unlink(s->path);
	}
	for (int i = 0; i < BUFFERS; i++)
		free(s->memory[i]);
	free(s);
}
