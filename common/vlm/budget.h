/* budget.h - the ledger of tokens and money, the limits, and how healthy the service is. Pure.
 *
 * Times are monotonic ns and never fall. Hours and minutes are sliding windows made of 60 buckets each, so a
 * limit is kept to within one bucket (a minute, a second) on the strict side: a bucket leaves the window only
 * as a whole. */
#ifndef CAIRN_COMMON_VLM_BUDGET_H
#define CAIRN_COMMON_VLM_BUDGET_H

#include "common/config/config.h"
#include "common/vlm/ledger.h"
#include "common/vlm/profile.h"
#include "common/vlm/spending.h"
#include "ipc/messages.h"

#define CAIRN_BUDGET_WINDOW 20  /* calls judged */
#define CAIRN_BUDGET_BUCKETS 61 /* 60 whole ones and the one being filled */

struct cairn_budget_bucket {
	int64_t index; /* which minute or second since boot; a stale index is an empty bucket */
	double amount;
};

struct cairn_budget_call {
	bool ok;
	double latency_s;
};

struct cairn_budget {
	struct cairn_config_vlm cfg;
	struct cairn_prices prices; /* of the provider in use; the scripted pilot's at first */
	int provider_calls_per_min; /* its limit; the configuration's holds as well */
	struct cairn_ledger ledger;
	double dearest_call_usd;     /* so far; a call is refused when it might break a limit */
	struct cairn_spending spent; /* by the time of day */
	int64_t unix_offset_ns;      /* time of day less monotonic time */
	struct cairn_budget_bucket calls[CAIRN_BUDGET_BUCKETS]; /* a second each */
	struct cairn_budget_call window[CAIRN_BUDGET_WINDOW];   /* ring */
	uint32_t window_count, window_next;
	bool in_flight;
	int64_t call_start_ns, last_end_ns;
	int64_t failing_since_ns; /* start of the first failed call after the last success; 0 = the last one
				     succeeded */
};

void cairn_budget_init(struct cairn_budget *budget, const struct cairn_config_vlm *cfg);

/* Goes on with what was spent before, in this session and by this time of day. The ledger is of the session, too: that of
 * another one is left. */
void cairn_budget_resume(struct cairn_budget *budget, const struct cairn_ledger *ledger,
    const struct cairn_spending *spent, uint64_t session, int64_t unix_ns, int64_t now_ns);

/* Goes on with a ledger of which nobody knows when its money was spent: it counts fully in the hour that begins now, as a
 * limit must not be lost by dying. */
void cairn_budget_carry_on(struct cairn_budget *budget, const struct cairn_ledger *ledger, int64_t now_ns);

/* May a call be sent now? False with the limit that stands against it. */
bool cairn_budget_allows(const struct cairn_budget *budget, int64_t now_ns, struct cairn_error *err);
void cairn_budget_call_sent(struct cairn_budget *budget, int64_t now_ns);
/* usage counts (and costs) even when the answer was of no use. */
void cairn_budget_call_ended(
    struct cairn_budget *budget, int64_t now_ns, bool ok, const struct cairn_usage *usage);
/* What is spent, and a call of this usage besides. */
void cairn_budget_spent_with(const struct cairn_budget *budget, int64_t now_ns,
    const struct cairn_usage *usage, struct cairn_spending *ret);
/* The call was given up by us, not by the service: it says nothing about its health, but it may have cost. */
void cairn_budget_call_cancelled(
    struct cairn_budget *budget, int64_t now_ns, const struct cairn_usage *usage);

/* What the agent's task has cost until now, which counts in the day. */
void cairn_budget_count_task(struct cairn_budget *budget, int64_t now_ns, uint64_t task, double usd);

/* Another provider is in use from now on: its prices, its limit. */
void cairn_budget_use(struct cairn_budget *budget, const struct cairn_profile *profile);
double cairn_budget_day_usd(const struct cairn_budget *budget, int64_t now_ns);
double cairn_budget_hour_usd(const struct cairn_budget *budget, int64_t now_ns);
double cairn_budget_minute_calls(const struct cairn_budget *budget, int64_t now_ns);
/* 0..1 of the nearest money limit used. */
double cairn_budget_used_share(const struct cairn_budget *budget, int64_t now_ns);
/* Mean over the window; 0 when empty. */
double cairn_budget_latency_mean_s(const struct cairn_budget *budget);

/* OFFLINE: nothing but failure for 30 s; DEGRADED: for 10 s, or fewer than 40 % of the last five succeeded
 * (of at least three); ELEVATED: the last five took more than 3 s on average; else NORMAL. */
enum cairn_net_tier cairn_budget_net_tier(const struct cairn_budget *budget, int64_t now_ns);

#endif
