#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <zmq.h>

#include "ipc/poller.h"

int cairn_poller_open(struct cairn_poller *poller)
{
	poller->count = 0;
	poller->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return poller->epoll_fd >= 0 ? 0 : -errno;
}

void cairn_poller_close(struct cairn_poller *poller)
{
	if (poller->epoll_fd >= 0)
		close(poller->epoll_fd);
	poller->epoll_fd = -1;
	poller->count = 0;
}

static int watch(struct cairn_poller *poller, struct cairn_poller_item *item, short events)
{
	struct epoll_event e = {.events = 0, .data.fd = item->fd};
	e.events |= (events & POLLIN) != 0 ? EPOLLIN : 0u;
	e.events |= (events & POLLOUT) != 0 ? EPOLLOUT : 0u;
	bool watched = epoll_ctl(poller->epoll_fd, EPOLL_CTL_ADD, item->fd, &e) == 0;
	if (!watched && errno != EPERM)
		return -errno;
	item->always = !watched;
	return 0;
}

static int add(struct cairn_poller *poller, struct cairn_poller_item item, short events)
{
	if (poller->count == CAIRN_POLLER_MAX)
		return -ENOSPC;
	int r = watch(poller, &item, events);
	if (r < 0)
		return r;
	poller->items[poller->count] = item;
	return poller->count++;
}

int cairn_poller_add_socket(struct cairn_poller *poller, void *socket)
{
	/* Ready until asked: its descriptor may not tell of what is in it already. */
	struct cairn_poller_item item = {.socket = socket, .ready = true};
	int type = 0;
	size_t fd_bytes = sizeof(item.fd), type_bytes = sizeof(type);
	if (zmq_getsockopt(socket, ZMQ_FD, &item.fd, &fd_bytes) != 0 ||
	    zmq_getsockopt(socket, ZMQ_TYPE, &type, &type_bytes) != 0)
		return -zmq_errno();
	item.talks = type != ZMQ_SUB && type != ZMQ_PULL;
	return add(poller, item, POLLIN);
}

int cairn_poller_add_fd(struct cairn_poller *poller, int fd, short events)
{
	return add(poller, (struct cairn_poller_item){.fd = fd}, events);
}

/* A descriptor that was closed has left the set by itself. */
static void unwatch(struct cairn_poller *poller, int item)
{
	(void)epoll_ctl(poller->epoll_fd, EPOLL_CTL_DEL, poller->items[item].fd, NULL);
}

int cairn_poller_set_events(struct cairn_poller *poller, int item, short events)
{
	unwatch(poller, item);
	return watch(poller, &poller->items[item], events);
}

void cairn_poller_remove(struct cairn_poller *poller, int item)
{
	unwatch(poller, item);
	poller->items[item] = poller->items[--poller->count];
}

/* Asking also takes in what the socket's descriptor tells of, which is quiet until there is more. */
static bool has_input(void *socket)
{
	int events = 0;
	size_t bytes = sizeof(events);
	return zmq_getsockopt(socket, ZMQ_EVENTS, &events, &bytes) == 0 && (events & ZMQ_POLLIN) != 0;
}

static int count_ready(const struct cairn_poller *poller)
{
	int ready = 0;
	for (int i = 0; i < poller->count; i++)
		ready += poller->items[i].ready;
	return ready;
}

static void mark(struct cairn_poller *poller, int fd)
{
	for (int i = 0; i < poller->count; i++) {
		struct cairn_poller_item *item = &poller->items[i];
		if (item->fd == fd) {
			item->ready = item->socket == NULL || has_input(item->socket);
			return;
		}
	}
}

int cairn_poller_wait(struct cairn_poller *poller, int wait_ms)
{
	struct epoll_event events[CAIRN_POLLER_MAX];
	for (int i = 0; i < poller->count; i++) {
		struct cairn_poller_item *item = &poller->items[i];
		if (item->socket == NULL)
			item->ready = item->always;
		else if (item->ready || item->talks)
			item->ready = has_input(item->socket);
	}
	int before = count_ready(poller);
	int n = epoll_wait(poller->epoll_fd, events, CAIRN_POLLER_MAX, before > 0 ? 0 : wait_ms);
	if (n < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < n; i++)
		mark(poller, events[i].data.fd);
	return n > 0 ? count_ready(poller) : before;
}
