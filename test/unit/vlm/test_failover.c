/* Whom to ask next, and what a service's headers say about waiting. */
#include "common/base/geom.h"
#include "common/base/rng.h"
#include "common/vlm/ratelimit.h"
#include "common/vlm/failover.h"
#include "test/support/runner.h"

#define S CAIRN_NS_PER_S

static struct cairn_failover route;
static int64_t now_ns;

static void start(uint32_t count)
{
	cairn_failover_init(&route, count);
	now_ns = 1000 * S;
}

static void call(int expect, enum cairn_failover_outcome outcome)
{
	int index = cairn_failover_pick(&route, now_ns);
	ck_assert_int_eq(index, expect);
	cairn_failover_sent(&route, index, now_ns);
	now_ns += S;
	cairn_failover_ended(&route, index, outcome, 0, now_ns);
}

START_TEST(the_first_is_asked_while_it_is_well)
{
	start(3);
	call(0, CAIRN_FAILOVER_OK);
	call(0, CAIRN_FAILOVER_FAILED); /* one failure is no reason yet */
	call(0, CAIRN_FAILOVER_OK);
	call(0, CAIRN_FAILOVER_FAILED);
	call(0, CAIRN_FAILOVER_OK);
	ck_assert_uint_eq(cairn_failover_fallback_calls(&route), 0);
}
END_TEST

START_TEST(two_failures_lead_to_the_fallback_and_a_probe_leads_back)
{
	start(2);
	call(0, CAIRN_FAILOVER_FAILED);
	call(0, CAIRN_FAILOVER_FAILED);
	int64_t failed_ns = route.ones[0].tried_ns;
	call(1, CAIRN_FAILOVER_OK);
	ck_assert_int_eq(cairn_failover_probe_due(&route, failed_ns + 30 * S - 1), -1);
	ck_assert_int_eq(cairn_failover_probe_due(&route, failed_ns + 30 * S), 0);
	cairn_failover_probe_sent(&route, 0, failed_ns + 30 * S);
	ck_assert_int_eq(cairn_failover_probe_due(&route, failed_ns + 31 * S), -1);
	cairn_failover_probe_ended(&route, 0, false, failed_ns + 32 * S);
	now_ns = failed_ns + 33 * S;
	call(1, CAIRN_FAILOVER_OK);
	/* The interval is fixed: no back-off however often it fails. */
	for (int i = 2; i < 20; i++) {
		int64_t due_ns = route.ones[0].tried_ns + 30 * S;
		ck_assert_int_eq(cairn_failover_probe_due(&route, due_ns), 0);
		cairn_failover_probe_sent(&route, 0, due_ns);
		cairn_failover_probe_ended(&route, 0, false, due_ns);
		now_ns = due_ns;
	}
	cairn_failover_probe_ended(&route, 0, true, now_ns);
	call(0, CAIRN_FAILOVER_OK);
	ck_assert_uint_eq(route.switches, 2);
	ck_assert_uint_eq(cairn_failover_fallback_calls(&route), 2);
}
END_TEST

START_TEST(one_that_asks_for_a_pause_gets_it_and_the_next_is_asked_at_once)
{
	start(2);
	cairn_failover_sent(&route, 0, now_ns);
	cairn_failover_ended(&route, 0, CAIRN_FAILOVER_FAILED, 7 * S, now_ns);
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns), 1);
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns + 7 * S - 1), 1);
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns + 7 * S), 0);
	start(1);
	cairn_failover_sent(&route, 0, now_ns);
	cairn_failover_ended(&route, 0, CAIRN_FAILOVER_FAILED, 7 * S, now_ns);
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns + 7 * S - 1), -1);
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns + 7 * S), 0);
}
END_TEST

START_TEST(a_refused_key_is_final_for_its_provider_alone)
{
	start(2);
	call(0, CAIRN_FAILOVER_FINAL);
	ck_assert(!cairn_failover_is_final(&route));
	for (int i = 0; i < 50; i++) {
		now_ns += 10 * S;
		ck_assert_int_eq(cairn_failover_probe_due(&route, now_ns), -1);
		call(1, CAIRN_FAILOVER_OK);
	}
	call(1, CAIRN_FAILOVER_FINAL);
	ck_assert(cairn_failover_is_final(&route));
	ck_assert_int_eq(cairn_failover_pick(&route, now_ns + 1000 * S), -1);
}
END_TEST

START_TEST(alone_it_is_tried_on_for_30_s_then_once_every_30_s)
{
	start(1);
	int calls = 0;
	int64_t begin_ns = now_ns, last_ns = 0, least_gap_ns = INT64_MAX;
	for (; now_ns < begin_ns + 300 * S; now_ns += S / 2) {
		int index = cairn_failover_pick(&route, now_ns);
		if (index < 0)
			continue;
		if (now_ns - begin_ns > 40 * S) {
			calls++;
			if (last_ns != 0 && now_ns - last_ns < least_gap_ns)
				least_gap_ns = now_ns - last_ns;
			last_ns = now_ns;
		}
		cairn_failover_sent(&route, index, now_ns);
		cairn_failover_ended(&route, index, CAIRN_FAILOVER_FAILED, 0, now_ns);
	}
	ck_assert_int_ge(calls, 8);
	ck_assert_int_le(calls, 9);
	ck_assert_int_ge(least_gap_ns, 30 * S);
}
END_TEST

START_TEST(whatever_happens_only_allowed_providers_are_asked)
{
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 5, 0);
	for (int round = 0; round < 300; round++) {
		start(1 + cairn_rng_u32(&rng) % CAIRN_LINEUP_MAX);
		for (int i = 0; i < 200; i++) {
			now_ns += (int64_t)(3e9 * cairn_rng_uniform(&rng));
			int index = cairn_failover_pick(&route, now_ns);
			ck_assert_int_lt(index, (int)route.count);
			if (index < 0)
				continue;
			const struct cairn_failover_one *one = &route.ones[index];
			ck_assert(!one->final && now_ns >= one->hold_until_ns);
			/* Nobody before it is well. */
			for (int k = 0; k < index && one->streak < CAIRN_FAILOVER_FAILURES; k++)
				ck_assert(route.ones[k].final || now_ns < route.ones[k].hold_until_ns ||
					  route.ones[k].streak >= CAIRN_FAILOVER_FAILURES);
			cairn_failover_sent(&route, index, now_ns);
			double u = cairn_rng_uniform(&rng);
			cairn_failover_ended(&route, index,
			    u < 0.6    ? CAIRN_FAILOVER_OK
			    : u < 0.99 ? CAIRN_FAILOVER_FAILED
				       : CAIRN_FAILOVER_FINAL,
			    u > 0.9 ? 5 * S : 0, now_ns);
		}
	}
}
END_TEST

static struct cairn_ratelimit heard(const char *const *lines)
{
	struct cairn_ratelimit limit;
	cairn_ratelimit_init(&limit);
	for (; *lines != NULL; lines++)
		cairn_ratelimit_header(&limit, *lines, strlen(*lines), 1767225600); /* 2026-01-01 00:00:00 */
	return limit;
}

START_TEST(waiting_times_are_read_as_each_service_writes_them)
{
	static const struct {
		const char *lines[5];
		double retry_s, wait_s;
	} rows[] = {
	    {{"Retry-After: 7\r\n"}, 7.0, 0.0},
	    {{"retry-after: 7", "retry-after-ms: 1500"}, 1.5, 0.0},
	    {{"retry-after-ms: 1500", "retry-after: 7"}, 1.5, 0.0},
	    {{"retry-after: Thu, 01 Jan 2026 00:01:00 GMT"}, 60.0, 0.0},
	    {{"retry-after: soon"}, -1.0, 0.0},
	    {{"x-ratelimit-remaining-requests: 0", "x-ratelimit-reset-requests: 6m0s"}, -1.0, 360.0},
	    {{"x-ratelimit-remaining-requests: 3", "x-ratelimit-reset-requests: 6m0s"}, -1.0, 0.0},
	    {{"x-ratelimit-remaining-requests: -1", "x-ratelimit-reset-requests: 6m0s"}, -1.0, 0.0},
	    {{"X-RateLimit-Remaining-Tokens: 0", "x-ratelimit-reset-tokens: 12ms"}, -1.0, 0.012},
	    {{"anthropic-ratelimit-requests-remaining: 0",
		 "anthropic-ratelimit-requests-reset: 2026-01-01T00:00:30Z"},
		-1.0, 30.0},
	    {{"x-ratelimit-remaining-requests: 0", "x-ratelimit-reset-requests: 99h"}, -1.0, 3600.0},
	    {{"no colon"}, -1.0, 0.0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_ratelimit limit = heard(rows[i].lines);
		ck_assert_msg(fabs(limit.retry_after_s - rows[i].retry_s) < 1e-9, "%s: %g", rows[i].lines[0],
		    limit.retry_after_s);
		ck_assert_double_eq_tol(cairn_ratelimit_wait_s(&limit), rows[i].wait_s, 1e-9);
	}
	ck_assert_double_eq_tol(cairn_go_duration_s("1h2m3.5s"), 3723.5, 1e-9);
	ck_assert_double_lt(cairn_go_duration_s("5"), 0.0);
	ck_assert_double_lt(cairn_go_duration_s(""), 0.0);
}
END_TEST

CAIRN_TEST_MAIN("vlm route", the_first_is_asked_while_it_is_well,
    two_failures_lead_to_the_fallback_and_a_probe_leads_back,
    one_that_asks_for_a_pause_gets_it_and_the_next_is_asked_at_once,
    a_refused_key_is_final_for_its_provider_alone, alone_it_is_tried_on_for_30_s_then_once_every_30_s,
    whatever_happens_only_allowed_providers_are_asked, waiting_times_are_read_as_each_service_writes_them)
