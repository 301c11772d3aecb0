/* failover.h - which provider to ask now, given what became of the calls before. Pure.
 *
 * The first of the line-up that is well is asked. One that failed CAIRN_FAILOVER_FAILURES times in a row is left
 * for the next; it is probed every CAIRN_FAILOVER_PROBE_NS, at a fixed interval, and asked again as soon as a
 * probe succeeds. When none is well they are tried on in their order for CAIRN_FAILOVER_OFFLINE_NS of failure
 * each; then the whole service counts as offline, and one real call every probe interval is the probe. A
 * provider that says when it wants to be asked again is left alone until then; one that refuses for good
 * (401, 403, 404) is never asked again. */
#ifndef CAIRN_COMMON_VLM_FAILOVER_H
#define CAIRN_COMMON_VLM_FAILOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vlm/profile.h"

#define CAIRN_FAILOVER_FAILURES 2
#define CAIRN_FAILOVER_PROBE_NS (INT64_C(30) * 1000000000)
#define CAIRN_FAILOVER_OFFLINE_NS (INT64_C(30) * 1000000000)

enum cairn_failover_outcome {
	CAIRN_FAILOVER_OK,
	CAIRN_FAILOVER_FAILED, /* no answer, a server's error, nonsense */
	CAIRN_FAILOVER_FINAL   /* will not serve us: wrong key, no such model */
};

struct cairn_failover_one {
	bool final;
	uint32_t streak;          /* failures in a row */
	int64_t failing_since_ns; /* first of them; 0 = none */
	int64_t tried_ns;         /* newest call or probe; 0 = none */
	int64_t hold_until_ns;
	uint64_t calls;
};

struct cairn_failover {
	uint32_t count, in_use;
	struct cairn_failover_one ones[CAIRN_LINEUP_ROWS_MAX]; /* the observer's own row included */
	uint64_t switches;                                     /* changes of the provider in use */
};

void cairn_failover_init(struct cairn_failover *route, uint32_t count);

/* Index of the provider to ask now, or -1: none may be asked now. */
int cairn_failover_pick(const struct cairn_failover *route, int64_t now_ns);
/* True when this one may be asked now: it is well, or was left alone for as long as one that fails is. For the observer, who
 * is asked by name and not by its place in the order; told with cairn_failover_probe_sent and cairn_failover_ended. */
bool cairn_failover_usable(const struct cairn_failover *route, int index, int64_t now_ns);
/* A call goes to it. True when that is another one than before. */
bool cairn_failover_sent(struct cairn_failover *route, int index, int64_t now_ns);
/* What became of it. hold_ns: it wants to be left alone for so long; 0 = it did not say. */
void cairn_failover_ended(struct cairn_failover *route, int index, enum cairn_failover_outcome outcome,
    int64_t hold_ns, int64_t now_ns);

/* Index of a provider before the one in use whose probe is due (cairn_failover_sent must not be called for it),
 * or -1. A probe that was started is told here, and again when it ended. */
int cairn_failover_probe_due(const struct cairn_failover *route, int64_t now_ns);
void cairn_failover_probe_sent(struct cairn_failover *route, int index, int64_t now_ns);
void cairn_failover_probe_ended(struct cairn_failover *route, int index, bool ok, int64_t now_ns);

/* True when no provider will ever be asked again. */
bool cairn_failover_is_final(const struct cairn_failover *route);
/* Calls that went to a fallback. */
uint64_t cairn_failover_fallback_calls(const struct cairn_failover *route);

#endif
