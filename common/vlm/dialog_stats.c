/* dialog_stats.c - what the dialog tells people. */
#include "common/vlm/dialog_private.h"

#include <string.h>

void cairn_dialog_stats(const struct cairn_dialog *d, int64_t now_ns, struct cairn_msg_vlm_stats *ret)
{
	const struct cairn_ledger *l = &d->budget.ledger;
	*ret = (struct cairn_msg_vlm_stats){.net_tier = cairn_budget_net_tier(&d->budget, now_ns),
	    .calls = l->calls,
	    .failures = l->failures,
	    .decisions = l->decisions,
	    .tokens_in = l->tokens.tokens_in,
	    .tokens_cached = l->tokens.tokens_cached,
	    .tokens_out = l->tokens.tokens_out,
	    .cost_usd = l->cost_usd,
	    .latency_mean_s = cairn_budget_latency_mean_s(&d->budget),
	    .in_flight = d->call.in_flight,
	    .calls_answered = d->tally.calls_answered,
	    .without_reasoning = d->tally.calls_without_reasoning,
	    .left_out = d->tally.left_out,
	    .skips = d->tally.skips,
	    .images_left_out = d->tally.images_left_out,
	    .triggers_count = CAIRN_TRIGGER_COUNT,
	    .fallback_calls = cairn_failover_fallback_calls(&d->who.route),
	    .switches = d->who.route.switches,
	    .rooms = d->memory.rooms_count,
	    .discoveries = d->memory.discoveries_count};
	if (d->final) /* nobody of the line-up is asked any more, however quickly the last refusal came */
		ret->net_tier = CAIRN_NET_TIER_OFFLINE;
	ret->pictures = d->tally.pictures_sent;
	ret->images_for_money = d->tally.images_for_money;
	ret->usd_hour = cairn_budget_hour_usd(&d->budget, now_ns);
	ret->usd_day = cairn_budget_day_usd(&d->budget, now_ns);
	if (d->call.in_flight)
		ret->waiting_s = (double)(now_ns - d->budget.call_start_ns) * 1e-9;
	ret->budget_share = cairn_budget_used_share(&d->budget, now_ns);
	ret->loops_broken = d->tally.loops_broken;
	ret->shadow_compared = d->tally.shadow_compared;
	ret->shadow_agreed = d->tally.shadow_agreed;
	ret->rule_decisions = d->tally.rule_decisions;
	ret->novelty = dialog_novelty(d, now_ns);
	ret->strong_calls = d->tally.strong_calls;
	ret->strong_usd = d->tally.strong_usd;
	ret->local_calls = d->tally.stand_in_calls;
	ret->local_decides = dialog_stands_in(d, now_ns);
	if (d->who.strong != 0)
		snprintf(ret->strong_provider, sizeof(ret->strong_provider), "%.31s",
		    d->who.peers[d->who.strong].profile.name);
	if (d->who.stand_in != 0)
		snprintf(ret->local_provider, sizeof(ret->local_provider), "%.31s",
		    d->who.peers[d->who.stand_in].profile.name);
	_Static_assert(
	    sizeof(ret->triggers) == sizeof(d->tally.triggers), "one count for each kind of trigger");
	memcpy(ret->triggers, d->tally.triggers, sizeof(ret->triggers));
	const struct cairn_profile *profile = &d->who.peers[d->who.peer].profile;
	snprintf(ret->provider, sizeof(ret->provider), "%.31s", profile->name);
	cairn_text_clean(ret->model, sizeof(ret->model), profile->model, strlen(profile->model));
	memcpy(ret->last_error, d->tally.last_error, sizeof(ret->last_error));
	memcpy(ret->last_reasoning, d->tally.last_reasoning, sizeof(ret->last_reasoning));
}

enum cairn_decider cairn_dialog_decider(const struct cairn_dialog *d)
{
	return d->call.decider;
}

void cairn_dialog_decision_note(
    const struct cairn_dialog *d, struct cairn_decision_note *ret, char *local, size_t cap)
{
	static const char *const verdicts[] = {"cannot be compared", "agree", "differ"};
	const struct cairn_profile *profile = &d->who.peers[d->who.peer].profile;
	*ret = (struct cairn_decision_note){.decision = &d->decided.message,
	    .provider = d->call.decider != CAIRN_DECIDER_RULE ? profile->name : "",
	    .model = d->call.decider != CAIRN_DECIDER_RULE ? profile->model : "",
	    .context = d->request.context.data,
	    .problem = d->answer.parsed.kind == CAIRN_ANSWER_STOP ? d->answer.parsed.problem : "",
	    .trigger = d->call.why,
	    .snapshot_age_s = (double)d->call.snapshot_age_ns * 1e-9,
	    .shadow = d->cfg.shadow};
	if (!d->cfg.shadow)
		return;
	if (d->in.local.active)
		snprintf(local, cap, "local exploration drives to (%.2f, %.2f): they %s", d->in.local.x_m,
		    d->in.local.y_m, verdicts[d->decided.shadow]);
	else
		snprintf(local, cap, "local exploration drives to no goal");
	ret->local = local;
}
