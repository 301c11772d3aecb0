/* poller.h - waits for many ZeroMQ sockets and descriptors at the cost of those that have something: zmq_poll asks every socket
 * at every wake, which a reader of all topics feels.
 *
 * Items are numbered 0 to count - 1 in the order in which they were added; of several that are ready the caller serves them in
 * any order. A socket that only receives (SUB, PULL) is read by whoever serves it and by nobody else, since its descriptor tells of
 * a change only; what is left in it after a call is reported by the next wait at once. Other sockets may be sent to at any time:
 * they are asked at every wait. One thread. */
#ifndef CAIRN_IPC_POLLER_H
#define CAIRN_IPC_POLLER_H

#include <stdbool.h>

#define CAIRN_POLLER_MAX 256

struct cairn_poller_item {
	void *socket; /* zmq, borrowed; NULL: fd alone */
	int fd;       /* of the socket, too; borrowed */
	bool talks;   /* a socket that is sent to as well */
	bool
	    always; /* a descriptor that cannot be waited for, such as a file: always ready, as for poll(2) */
	bool ready;
};

struct cairn_poller {
	int epoll_fd; /* readable while an item may be ready: for programs whose other library does the waiting */
	int count;
	struct cairn_poller_item items[CAIRN_POLLER_MAX];
};

/* 0 or -errno. */
int cairn_poller_open(struct cairn_poller *poller);
void cairn_poller_close(struct cairn_poller *poller);

/* The number of the item, or -errno (-ENOSPC: CAIRN_POLLER_MAX are in it). events: POLLIN, POLLOUT; errors are always told. */
int cairn_poller_add_socket(struct cairn_poller *poller, void *socket);
int cairn_poller_add_fd(struct cairn_poller *poller, int fd, short events);
/* Changes what is waited for; also right for a descriptor of this number that was closed and opened again. 0 or -errno. */
int cairn_poller_set_events(struct cairn_poller *poller, int item, short events);
/* Before the socket is closed. The last item takes this one's number. */
void cairn_poller_remove(struct cairn_poller *poller, int item);

/* Waits at most wait_ms (-1: without end) until an item is ready; none when a signal came. How many are ready, or -errno. */
int cairn_poller_wait(struct cairn_poller *poller, int wait_ms);

#endif
