#include "common/vlm/budget.h"

#include <math.h>

#include "common/base/geom.h"

#define OFFLINE_NS (30 * CAIRN_NS_PER_S)
#define DEGRADED_NS (10 * CAIRN_NS_PER_S)
#define JUDGED 5
#define SLOW_S 3.0

void cairn_budget_init(struct cairn_budget *budget, const struct cairn_config_vlm *cfg)
{
	*budget = (struct cairn_budget){.cfg = *cfg};
	for (int i = 0; i < CAIRN_BUDGET_BUCKETS; i++)
		budget->calls[i].index = INT64_MIN;
	struct cairn_profile pilot;
	cairn_profile_defaults(&pilot);
	cairn_budget_use(budget, &pilot);
}

static int64_t unix_s(const struct cairn_budget *budget, int64_t now_ns)
{
	return (now_ns + budget->unix_offset_ns) / CAIRN_NS_PER_S;
}

static void bucket_add(struct cairn_budget_bucket *buckets, int64_t index, double amount)
{
	struct cairn_budget_bucket *b = &buckets[index % CAIRN_BUDGET_BUCKETS];
	if (b->index != index)
		*b = (struct cairn_budget_bucket){.index = index};
	b->amount += amount;
}

/* Sum of the bucket being filled and the 60 before it. */
static double bucket_sum(const struct cairn_budget_bucket *buckets, int64_t index)
{
	double sum = 0.0;
	for (int i = 0; i < CAIRN_BUDGET_BUCKETS; i++) {
		if (buckets[i].index > index - CAIRN_BUDGET_BUCKETS && buckets[i].index <= index)
			sum += buckets[i].amount;
	}
	return sum;
}

double cairn_budget_hour_usd(const struct cairn_budget *budget, int64_t now_ns)
{
	return cairn_spending_hour_usd(&budget->spent, unix_s(budget, now_ns));
}

double cairn_budget_day_usd(const struct cairn_budget *budget, int64_t now_ns)
{
	return cairn_spending_day_usd(&budget->spent, unix_s(budget, now_ns));
}

double cairn_budget_minute_calls(const struct cairn_budget *budget, int64_t now_ns)
{
	return bucket_sum(budget->calls, now_ns / CAIRN_NS_PER_S);
}

void cairn_budget_use(struct cairn_budget *budget, const struct cairn_profile *profile)
{
	budget->prices = (struct cairn_prices){.in = profile->price_in_usd_per_mtok,
	    .cached = profile->price_cached_usd_per_mtok,
	    .cache_write = profile->price_cache_write_usd_per_mtok,
	    .out = profile->price_out_usd_per_mtok};
	budget->provider_calls_per_min = profile->limit_calls_per_min;
}

void cairn_budget_count_task(struct cairn_budget *budget, int64_t now_ns, uint64_t task, double usd)
{
	cairn_spending_count_task(&budget->spent, unix_s(budget, now_ns), task, usd);
}

void cairn_budget_carry_on(struct cairn_budget *budget, const struct cairn_ledger *ledger, int64_t now_ns)
{
	budget->ledger = *ledger;
	cairn_spending_add(&budget->spent, unix_s(budget, now_ns), ledger->cost_usd);
}

void cairn_budget_resume(struct cairn_budget *budget, const struct cairn_ledger *ledger,
    const struct cairn_spending *spent, uint64_t session, int64_t unix_ns, int64_t now_ns)
{
	bool same = spent->session == session;
	budget->unix_offset_ns = unix_ns - now_ns;
	budget->spent = *spent;
	cairn_spending_resume(&budget->spent, session, unix_ns / CAIRN_NS_PER_S);
	budget->ledger = same ? *ledger : (struct cairn_ledger){0};
}

bool cairn_budget_allows(const struct cairn_budget *budget, int64_t now_ns, struct cairn_error *err)
{
	const struct cairn_config_vlm *cfg = &budget->cfg;
	double next = budget->dearest_call_usd, hour = cairn_budget_hour_usd(budget, now_ns);
	double day = cairn_budget_day_usd(budget, now_ns), session = budget->spent.session_usd;
	bool own = cfg->limit_calls_per_min <= budget->provider_calls_per_min;
	int calls_max = own ? cfg->limit_calls_per_min : budget->provider_calls_per_min;
	if (cairn_budget_minute_calls(budget, now_ns) + 1.0 > calls_max) {
		cairn_error_set(err, "budget: %d calls a minute (%s)", calls_max,
		    own ? "vlm.limit_calls_per_min" : "limit_calls_per_min of the provider");
		return false;
	}
	if (session + next > cfg->limit_usd_per_session) {
		cairn_error_set(err,
		    "budget: %.4f of %.2f USD a session are spent (vlm.limit_usd_per_session)", session,
		    cfg->limit_usd_per_session);
		return false;
	}
	if (hour + next > cfg->limit_usd_per_hour) {
		cairn_error_set(err, "budget: %.4f of %.2f USD an hour are spent (vlm.limit_usd_per_hour)",
		    hour, cfg->limit_usd_per_hour);
		return false;
	}
	if (day + next > cfg->limit_usd_per_day) {
		cairn_error_set(err, "budget: %.4f of %.2f USD a day are spent (vlm.limit_usd_per_day)", day,
		    cfg->limit_usd_per_day);
		return false;
	}
	return true;
}

static double share(double usd, double limit)
{
	return limit > 0.0 ? usd / limit : 1.0;
}

double cairn_budget_used_share(const struct cairn_budget *budget, int64_t now_ns)
{
	const struct cairn_config_vlm *cfg = &budget->cfg;
	double most = fmax(share(budget->spent.session_usd, cfg->limit_usd_per_session),
	    share(cairn_budget_hour_usd(budget, now_ns), cfg->limit_usd_per_hour));
	most = fmax(most, share(cairn_budget_day_usd(budget, now_ns), cfg->limit_usd_per_day));
	return cairn_clamp(most, 0.0, 1.0);
}

void cairn_budget_call_sent(struct cairn_budget *budget, int64_t now_ns)
{
	budget->ledger.calls++;
	bucket_add(budget->calls, now_ns / CAIRN_NS_PER_S, 1.0);
	budget->in_flight = true;
	budget->call_start_ns = now_ns;
}

/* Enters what a call has used and costs. */
static void charge(struct cairn_budget *budget, int64_t now_ns, const struct cairn_usage *usage)
{
	struct cairn_ledger *l = &budget->ledger;
	double cost = cairn_usage_cost_usd(&budget->prices, usage);
	l->tokens.tokens_in += usage->tokens_in;
	l->tokens.tokens_cached += usage->tokens_cached;
	l->tokens.tokens_cache_written += usage->tokens_cache_written;
	l->tokens.tokens_out += usage->tokens_out;
	l->cost_usd += cost;
	budget->dearest_call_usd = fmax(budget->dearest_call_usd, cost);
	cairn_spending_add(&budget->spent, unix_s(budget, now_ns), cost);
}

void cairn_budget_spent_with(const struct cairn_budget *budget, int64_t now_ns,
    const struct cairn_usage *usage, struct cairn_spending *ret)
{
	*ret = budget->spent;
	cairn_spending_add(ret, unix_s(budget, now_ns), cairn_usage_cost_usd(&budget->prices, usage));
}

void cairn_budget_call_ended(
    struct cairn_budget *budget, int64_t now_ns, bool ok, const struct cairn_usage *usage)
{
	charge(budget, now_ns, usage);
	if (!ok)
		budget->ledger.failures++;
	struct cairn_budget_call *call = &budget->window[budget->window_next];
	*call = (struct cairn_budget_call){ok, (double)(now_ns - budget->call_start_ns) * 1e-9};
	budget->window_next = (budget->window_next + 1) % CAIRN_BUDGET_WINDOW;
	if (budget->window_count < CAIRN_BUDGET_WINDOW)
		budget->window_count++;
	if (ok)
		budget->failing_since_ns = 0;
	else if (budget->failing_since_ns == 0)
		budget->failing_since_ns = budget->call_start_ns;
	budget->last_end_ns = now_ns;
	budget->in_flight = false;
}

void cairn_budget_call_cancelled(struct cairn_budget *budget, int64_t now_ns, const struct cairn_usage *usage)
{
	charge(budget, now_ns, usage);
	budget->in_flight = false;
}

/* The i-th newest call of the window. */
static const struct cairn_budget_call *newest(const struct cairn_budget *budget, uint32_t i)
{
	return &budget->window[(budget->window_next + 2 * CAIRN_BUDGET_WINDOW - 1 - i) % CAIRN_BUDGET_WINDOW];
}

double cairn_budget_latency_mean_s(const struct cairn_budget *budget)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < budget->window_count; i++)
		sum += newest(budget, i)->latency_s;
	return budget->window_count > 0 ? sum / budget->window_count : 0.0;
}

enum cairn_net_tier cairn_budget_net_tier(const struct cairn_budget *budget, int64_t now_ns)
{
	/* Time without a call (paused, finished) is no failure: the streak lasts until the last call ended.
	 */
	int64_t failing_ns = 0;
	if (budget->failing_since_ns != 0)
		failing_ns = (budget->in_flight ? now_ns : budget->last_end_ns) - budget->failing_since_ns;
	uint32_t n = budget->window_count < JUDGED ? budget->window_count : JUDGED, good = 0;
	double sum_s = 0.0;
	for (uint32_t i = 0; i < n; i++) {
		good += newest(budget, i)->ok;
		sum_s += newest(budget, i)->latency_s;
	}
	if (failing_ns >= OFFLINE_NS)
		return CAIRN_NET_TIER_OFFLINE;
	if (failing_ns >= DEGRADED_NS || (n >= 3 && good * 10 < n * 4))
		return CAIRN_NET_TIER_DEGRADED;
	return n > 0 && sum_s / n > SLOW_S ? CAIRN_NET_TIER_ELEVATED : CAIRN_NET_TIER_NORMAL;
}
