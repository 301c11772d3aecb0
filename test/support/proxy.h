/* proxy.h - a TCP proxy on this machine that spoils what passes through it, for tests of network faults. */
#ifndef CAIRN_TEST_SUPPORT_PROXY_H
#define CAIRN_TEST_SUPPORT_PROXY_H

#include <stdint.h>

enum proxy_mode {
	PROXY_PASS,
	PROXY_DELAY,    /* what the service says arrives late */
	PROXY_DROP,     /* taken, never passed on */
	PROXY_RESET,    /* connections are reset when the request has come */
	PROXY_TRUNCATE, /* the answer ends in its middle */
};

struct proxy;

/* Listens on a free port of the loopback and passes connections on to to_port, in a thread. NULL: it cannot.
 */
struct proxy *proxy_start(int to_port);
int proxy_port(const struct proxy *proxy);
/* Holds for connections and bytes from now on. delay_ms counts for PROXY_DELAY. */
void proxy_set(struct proxy *proxy, enum proxy_mode mode, int delay_ms);
/* Connections that were spoiled so far. */
uint32_t proxy_spoiled(const struct proxy *proxy);
void proxy_stop(struct proxy **proxy_p);

#endif
