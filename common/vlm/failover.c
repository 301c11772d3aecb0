#include "common/vlm/failover.h"

void cairn_failover_init(struct cairn_failover *route, uint32_t count)
{
	*route = (struct cairn_failover){.count = count < CAIRN_LINEUP_MAX ? count : CAIRN_LINEUP_MAX};
}

static bool open_for(const struct cairn_failover_one *one, int64_t now_ns)
{
	return !one->final && now_ns >= one->hold_until_ns;
}

int cairn_failover_pick(const struct cairn_failover *route, int64_t now_ns)
{
	for (uint32_t i = 0; i < route->count; i++) {
		const struct cairn_failover_one *one = &route->ones[i];
		if (open_for(one, now_ns) && one->streak < CAIRN_FAILOVER_FAILURES)
			return (int)i;
	}
	for (uint32_t i = 0; i < route->count; i++) {
		const struct cairn_failover_one *one = &route->ones[i];
		if (open_for(one, now_ns) && now_ns - one->failing_since_ns < CAIRN_FAILOVER_OFFLINE_NS)
			return (int)i;
	}
	/* Offline. The one that was left alone for longest is next, so that each gets its turn. */
	int next = -1;
	for (uint32_t i = 0; i < route->count; i++) {
		const struct cairn_failover_one *one = &route->ones[i];
		if (open_for(one, now_ns) && now_ns - one->tried_ns >= CAIRN_FAILOVER_PROBE_NS &&
		    (next < 0 || one->tried_ns < route->ones[next].tried_ns))
			next = (int)i;
	}
	return next;
}

bool cairn_failover_usable(const struct cairn_failover *route, int index, int64_t now_ns)
{
	const struct cairn_failover_one *one = &route->ones[index];
	return open_for(one, now_ns) &&
	       (one->streak < CAIRN_FAILOVER_FAILURES || now_ns - one->tried_ns >= CAIRN_FAILOVER_PROBE_NS);
}

bool cairn_failover_sent(struct cairn_failover *route, int index, int64_t now_ns)
{
	bool changed = route->in_use != (uint32_t)index;
	route->in_use = (uint32_t)index;
	route->switches += changed;
	route->ones[index].tried_ns = now_ns;
	route->ones[index].calls++;
	return changed;
}

void cairn_failover_ended(struct cairn_failover *route, int index, enum cairn_failover_outcome outcome,
    int64_t hold_ns, int64_t now_ns)
{
	struct cairn_failover_one *one = &route->ones[index];
	if (hold_ns > 0)
		one->hold_until_ns = now_ns + hold_ns;
	if (outcome == CAIRN_FAILOVER_OK) {
		one->streak = 0;
		one->failing_since_ns = 0;
		return;
	}
	one->final = one->final || outcome == CAIRN_FAILOVER_FINAL;
	if (one->streak++ == 0)
		one->failing_since_ns = one->tried_ns;
}

int cairn_failover_probe_due(const struct cairn_failover *route, int64_t now_ns)
{
	for (uint32_t i = 0; i < route->in_use && i < route->count; i++) {
		const struct cairn_failover_one *one = &route->ones[i];
		if (open_for(one, now_ns) && one->streak >= CAIRN_FAILOVER_FAILURES &&
		    now_ns - one->tried_ns >= CAIRN_FAILOVER_PROBE_NS)
			return (int)i;
	}
	return -1;
}

void cairn_failover_probe_sent(struct cairn_failover *route, int index, int64_t now_ns)
{
	route->ones[index].tried_ns = now_ns;
}

void cairn_failover_probe_ended(struct cairn_failover *route, int index, bool ok, int64_t now_ns)
{
	struct cairn_failover_one *one = &route->ones[index];
	one->tried_ns = now_ns;
	if (ok) {
		one->streak = 0;
		one->failing_since_ns = 0;
	}
}

bool cairn_failover_is_final(const struct cairn_failover *route)
{
	for (uint32_t i = 0; i < route->count; i++) {
		if (!route->ones[i].final)
			return false;
	}
	return true;
}

uint64_t cairn_failover_fallback_calls(const struct cairn_failover *route)
{
	uint64_t calls = 0;
	for (uint32_t i = 1; i < route->count; i++)
		calls += route->ones[i].calls;
	return calls;
}
