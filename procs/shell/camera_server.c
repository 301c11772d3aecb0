#include "procs/shell/camera_server.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "procs/shell/local_socket.h"

#define BUFFERS (CAMERA_CLIENTS_MAX + 1)
#define SEND_BUFFER_BYTES (1 << 21)

struct client {
	struct camera_server *server;
	int fd;     /* -1: free */
	int buffer; /* being sent, -1 none */
	size_t sent;
};

/* Grows when more is needed. */
struct buffer {
	uint8_t *data;
	size_t capacity, bytes;
};

struct camera_server {
	struct cairn_stage *stage;
	struct local_socket socket;
	struct buffer buffers[BUFFERS];
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
	const struct buffer *b = &s->buffers[c->buffer];
	while (c->sent < b->bytes) {
		ssize_t n = send(c->fd, b->data + c->sent, b->bytes - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
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
	int fd = accept4(s->socket.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
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

struct camera_server *camera_server_new(struct cairn_stage *stage, const char *path, struct cairn_error *err)
{
	struct camera_server *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	s->stage = stage;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++)
		s->clients[i] = (struct client){.server = s, .fd = -1, .buffer = -1};
	if (!local_socket_open(&s->socket, cairn_stage_run_dir(stage), path, CAMERA_CLIENTS_MAX, err)) {
		camera_server_destroy(&s);
		return NULL;
	}
	cairn_stage_watch_fd(stage, s->socket.listener, POLLIN, on_connect, s);
	return s;
}

/* One that is not being sent: there is always one more than clients. */
static int free_buffer(struct camera_server *s, bool *ret_waiting)
{
	bool used[BUFFERS] = {false};
	int free_one = 0;
	*ret_waiting = false;
	for (int i = 0; i < CAMERA_CLIENTS_MAX; i++) {
		const struct client *c = &s->clients[i];
		if (c->buffer >= 0) {
			used[c->buffer] = true;
			s->missed++;
		}
		*ret_waiting |= c->fd >= 0 && c->buffer < 0;
	}
	while (used[free_one])
		free_one++;
	return free_one;
}

uint8_t *camera_server_room(struct camera_server *server, size_t bytes)
{
	bool waiting;
	int i = free_buffer(server, &waiting);
	struct buffer *b = &server->buffers[i];
	if (!waiting)
		return NULL;
	if (b->capacity < bytes) {
		free(b->data);
		b->data = malloc(bytes);
		b->capacity = b->data != NULL ? bytes : 0;
	}
	b->bytes = bytes;
	server->filling = i;
	return b->data;
}

void camera_server_send(struct camera_server *server)
{
	struct camera_server *s = server;
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
	if (s->socket.listener >= 0)
		cairn_stage_unwatch_fd(s->stage, s->socket.listener);
	local_socket_close(&s->socket);
	for (int i = 0; i < BUFFERS; i++)
		free(s->buffers[i].data);
	free(s);
}
