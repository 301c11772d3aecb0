#include "test/support/proxy.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINKS_MAX 16
#define BUFFER_BYTES (1 << 20)
#define TRUNCATED_BYTES 200 /* the head of the answer and a little of its body */
#define TICK_MS 10

struct side {
	int fd;
	char *data; /* towards the other side, not written yet */
	size_t len;
	int64_t due_ns; /* not before */
};

struct link {
	struct side client, service; /* fd -1: not in use */
	size_t answered;             /* bytes of the answer that were passed on */
	int spoiled;
};

struct proxy {
	pthread_t thread;
	int listen_fd, to_port;
	atomic_int mode, delay_ms, ending;
	atomic_uint spoiled;
	struct link links[LINKS_MAX];
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void end_side(struct side *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->data);
	*s = (struct side){.fd = -1};
}

static void end_link(struct link *l)
{
	end_side(&l->client);
	end_side(&l->service);
	*l = (struct link){.client.fd = -1, .service.fd = -1};
}

static void spoil(struct proxy *p, struct link *l)
{
	if (!l->spoiled)
		atomic_fetch_add(&p->spoiled, 1);
	l->spoiled = 1;
}

static void reset_link(struct proxy *p, struct link *l)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};
	setsockopt(l->client.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	spoil(p, l);
	end_link(l);
}

static void take_connection(struct proxy *p)
{
	int fd = accept(p->listen_fd, NULL, NULL), out = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in at = loopback(p->to_port);
	for (int i = 0; i < LINKS_MAX && fd >= 0 && out >= 0; i++) {
		struct link *l = &p->links[i];
		if (l->client.fd >= 0 || connect(out, (struct sockaddr *)&at, sizeof(at)) != 0)
			continue;
		l->client = (struct side){.fd = fd, .data = malloc(BUFFER_BYTES)};
		l->service = (struct side){.fd = out, .data = malloc(BUFFER_BYTES)};
		return;
	}
	if (fd >= 0)
		close(fd);
	if (out >= 0)
		close(out);
}

/* What one side has said goes into its buffer; false when it has ended. */
static int take(struct side *s)
{
	ssize_t n = recv(s->fd, s->data + s->len, BUFFER_BYTES - s->len, MSG_DONTWAIT);
	if (n > 0)
		s->len += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)) || s->len == BUFFER_BYTES;
}

static int pass(struct side *from, struct side *to, size_t most)
{
	size_t want = from->len < most ? from->len : most;
	ssize_t n = want > 0 ? send(to->fd, from->data, want, MSG_DONTWAIT | MSG_NOSIGNAL) : 0;
	if (n < 0)
		return errno == EAGAIN;
	memmove(from->data, from->data + n, from->len - (size_t)n);
	from->len -= (size_t)n;
	return 1;
}

static void from_client(struct proxy *p, struct link *l)
{
	if (!take(&l->client)) {
		end_link(l);
		return;
	}
	switch (atomic_load(&p->mode)) {
	case PROXY_RESET:
		reset_link(p, l);
		return;
	case PROXY_DROP:
		spoil(p, l);
		l->client.len = 0;
		return;
	default:
		if (!pass(&l->client, &l->service, SIZE_MAX))
			end_link(l);
	}
}

static void from_service(struct proxy *p, struct link *l)
{
	int mode = atomic_load(&p->mode);
	size_t before = l->service.len;
	if (!take(&l->service)) {
		end_link(l);
		return;
	}
	if (before == 0 && l->service.len > 0 && mode == PROXY_DELAY) {
		spoil(p, l);
		l->service.due_ns = now_ns() + (int64_t)atomic_load(&p->delay_ms) * 1000000;
	}
}

static void deliver(struct proxy *p, struct link *l)
{
	int mode = atomic_load(&p->mode);
	if (l->service.fd < 0 || l->service.len == 0 || now_ns() < l->service.due_ns)
		return;
	if (mode == PROXY_DROP) {
		spoil(p, l);
		l->service.len = 0;
		return;
	}
	if (!pass(&l->service, &l->client, mode == PROXY_TRUNCATE ? TRUNCATED_BYTES : SIZE_MAX)) {
		end_link(l);
	} else if (mode == PROXY_TRUNCATE) {
		spoil(p, l);
		end_link(l);
	}
}

static void *run(void *ctx)
{
	struct proxy *p = ctx;
	while (!atomic_load(&p->ending)) {
		struct pollfd fds[1 + 2 * LINKS_MAX] = {{.fd = p->listen_fd, .events = POLLIN}};
		for (int i = 0; i < LINKS_MAX; i++) {
			/* What is held back is not asked for again. */
			fds[1 + 2 * i] = (struct pollfd){.fd = p->links[i].client.fd, .events = POLLIN};
			fds[2 + 2 * i] = (struct pollfd){.fd = p->links[i].service.fd, .events = POLLIN};
		}
		(void)poll(fds, 1 + 2 * LINKS_MAX, TICK_MS);
		if ((fds[0].revents & POLLIN) != 0)
			take_connection(p);
		for (int i = 0; i < LINKS_MAX; i++) {
			struct link *l = &p->links[i];
			if (fds[1 + 2 * i].revents != 0 && l->client.fd == fds[1 + 2 * i].fd)
				from_client(p, l);
			if (fds[2 + 2 * i].revents != 0 && l->service.fd == fds[2 + 2 * i].fd &&
			    l->service.fd >= 0)
				from_service(p, l);
			deliver(p, l);
		}
	}
	for (int i = 0; i < LINKS_MAX; i++)
		end_link(&p->links[i]);
	return NULL;
}

struct proxy *proxy_start(int to_port)
{
	struct proxy *p = calloc(1, sizeof(*p));
	if (p == NULL)
		return NULL;
	struct sockaddr_in at = loopback(0);
	for (int i = 0; i < LINKS_MAX; i++)
		p->links[i] = (struct link){.client.fd = -1, .service.fd = -1};
	p->to_port = to_port;
	p->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->listen_fd < 0 || bind(p->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 ||
	    listen(p->listen_fd, LINKS_MAX) != 0 || pthread_create(&p->thread, NULL, run, p) != 0) {
		if (p->listen_fd >= 0)
			close(p->listen_fd);
		free(p);
		return NULL;
	}
	return p;
}

int proxy_port(const struct proxy *p)
{
	struct sockaddr_in at;
	socklen_t len = sizeof(at);
	return getsockname(p->listen_fd, (struct sockaddr *)&at, &len) == 0 ? ntohs(at.sin_port) : -1;
}

void proxy_set(struct proxy *p, enum proxy_mode mode, int delay_ms)
{
	atomic_store(&p->delay_ms, delay_ms);
	atomic_store(&p->mode, (int)mode);
}

uint32_t proxy_spoiled(const struct proxy *p)
{
	return atomic_load(&((struct proxy *)p)->spoiled);
}

void proxy_stop(struct proxy **proxy_p)
{
	struct proxy *p = *proxy_p;
	if (p == NULL)
		return;
	atomic_store(&p->ending, 1);
	pthread_join(p->thread, NULL);
	close(p->listen_fd);
	free(p);
	*proxy_p = NULL;
}
