/* route.h - which provider to ask now, given what became of the calls before. Pure.
 *
 * The first of the line-up that is well is asked. One that failed CAIRN_ROUTE_FAILURES times in a row is left
 * for the next; it is probed every CAIRN_ROUTE_PROBE_NS, at a fixed interval, and asked again as soon as a
 * probe succeeds. When none is well they are tried on in their order for CAIRN_ROUTE_OFFLINE_NS of failure
 * each; then the whole service counts as offline, and one real call every probe interval is the probe. A
 * provider that says when it wants to be asked again is left alone until then; one that refuses for good
 * (401, 403, 404) is never asked again. */
#ifndef CAIRN_COMMON_VLM_ROUTE_H
#define CAIRN_COMMON_VLM_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vlm/profile.h"

#define CAIRN_ROUTE_FAILURES 2
#define CAIRN_ROUTE_PROBE_NS (INT64_C(30) * 1000000000)
#define CAIRN_ROUTE_OFFLINE_NS (INT64_C(30) * 1000000000)

enum cairn_route_outcome {
	CAIRN_ROUTE_OK,
	CAIRN_ROUTE_FAILED, /* no answer, a server's error, nonsense */
	CAIRN_ROUTE_FINAL   /* will not serve us: wrong key, no such model */
};

struct cairn_route_one {
	bool final;
	uint32_t streak;          /* failures in a row */
	int64_t failing_since_ns; /* first of them; 0 = none */
	int64_t tried_ns;         /* newest call or probe; 0 = none */
	int64_t hold_until_ns;
	uint64_t calls;
};

struct cairn_route {
	uint32_t count, in_use;
	struct cairn_route_one ones[CAIRN_LINEUP_MAX];
	uint64_t switches; /* changes of the provider in use */
};

void cairn_route_init(struct cairn_route *route, uint32_t count);

/* Index of the provider to ask now, or -1: none may be asked now. */
int cairn_route_pick(const struct cairn_route *route, int64_t now_ns);
/* A call goes to it. True when that is another one than before. */
bool cairn_route_sent(struct cairn_route *route, int index, int64_t now_ns);
/* What became of it. hold_ns: it wants to be left alone for so long; 0 = it did not say. */
void cairn_route_ended(
    struct cairn_route *route, int index, enum cairn_route_outcome outcome, int64_t hold_ns, int64_t now_ns);

/* Index of a provider before the one in use whose probe is due (cairn_route_sent must not be called for it),
 * or -1. A probe that was started is told here, and again when it ended. */
int cairn_route_probe_due(const struct cairn_route *route, int64_t now_ns);
void cairn_route_probe_sent(struct cairn_route *route, int index, int64_t now_ns);
void cairn_route_probe_ended(struct cairn_route *route, int index, bool ok, int64_t now_ns);

/* True when no provider will ever be asked again. */
bool cairn_route_is_final(const struct cairn_route *route);
/* Calls that went to a fallback. */
uint64_t cairn_route_fallback_calls(const struct cairn_route *route);

#endif
