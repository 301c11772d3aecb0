/* up_notify.h - tells the service manager that started us how we are doing (sd_notify(3): datagrams to
 * $NOTIFY_SOCKET).
 *
 * Without that variable every call does nothing. */
#ifndef CAIRN_PROCS_CAIRN_UP_NOTIFY_H
#define CAIRN_PROCS_CAIRN_UP_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct up_notify {
	int fd;            /* connected; -1 = nobody wants to know */
	int64_t period_ns; /* of signs of life, half of what $WATCHDOG_USEC allows; 0 = none wanted */
	int64_t due_ns;
	bool ready;
};

/* Reads the environment and takes both variables out of it, so that no child speaks for us. */
void up_notify_open(struct up_notify *n);
void up_notify_close(struct up_notify *n);
/* Once: the stack is up. */
void up_notify_ready(struct up_notify *n);
/* The end has begun. */
void up_notify_stopping(struct up_notify *n);
/* From the loop: a sign of life when one is due. */
void up_notify_alive(struct up_notify *n, int64_t now_ns);

#endif
