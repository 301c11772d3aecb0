#include "procs/cairn/up_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t len = strlen(path);
	if (len == 0 || len >= sizeof(at.sun_path) || (path[0] != '/' && path[0] != '@'))
		return -1;
	memcpy(at.sun_path, path, len);
	if (path[0] == '@')
		at.sun_path[0] = '\0'; /* a name without a file */
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at,
			   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void up_notify_open(struct up_notify *n)
{
	const char *path = getenv("NOTIFY_SOCKET"), *usec = getenv("WATCHDOG_USEC");
	*n = (struct up_notify){.fd = path != NULL ? connect_to(path) : -1};
	long long period_us = usec != NULL ? atoll(usec) : 0;
	if (period_us > 0)
		n->period_ns = (int64_t)period_us * 1000 / 2;
	(void)unsetenv("NOTIFY_SOCKET");
	(void)unsetenv("WATCHDOG_USEC");
}

void up_notify_close(struct up_notify *n)
{
	if (n->fd >= 0)
		close(n->fd);
	n->fd = -1;
}

/* A manager that does not listen has its own time limits. */
static void tell(const struct up_notify *n, const char *text)
{
	if (n->fd >= 0)
		(void)!send(n->fd, text, strlen(text), MSG_NOSIGNAL);
}

void up_notify_ready(struct up_notify *n)
{
	if (!n->ready)
		tell(n, "READY=1\nSTATUS=up");
	n->ready = true;
}

void up_notify_stopping(struct up_notify *n)
{
	tell(n, "STOPPING=1\nSTATUS=ending");
}

void up_notify_alive(struct up_notify *n, int64_t now_ns)
{
	if (n->period_ns == 0 || now_ns < n->due_ns)
		return;
	n->due_ns = now_ns + n->period_ns;
	tell(n, "WATCHDOG=1");
}
