/* dialog_peers.c - whom to ask: the providers of the line-up, each with the static beginning of its requests.
 */
#include <string.h>

#include "common/vlm/dialog_private.h"
#include "common/vlm/stand_in.h"

static bool make_peer(struct cairn_dialog *d, struct dialog_peer *peer, struct cairn_error *err)
{
	int own = peer->profile.max_output_tokens;
	struct cairn_prefix prefix = {.profile = &peer->profile,
	    .max_output_tokens = own > 0 ? own : d->cfg.max_output_tokens,
	    .system = d->system,
	    .tools = d->json ? NULL : &cairn_explorer_tools,
	    .has_temperature = peer->profile.sends_temperature,
	    .temperature = d->cfg.temperature};
	peer->format = cairn_provider_find(peer->profile.format);
	peer->format->write_prefix(&peer->prefix, &prefix);
	prefix.only = cairn_tool_actions(&cairn_explorer_tools);
	peer->format->write_prefix(&peer->prefix_actions, &prefix);
	prefix.system = cairn_prompt_observe_system;
	prefix.only = 0;
	prefix.tools = NULL;
	peer->format->write_prefix(&peer->prefix_observe, &prefix);
	prefix.system = cairn_stand_in_system;
	peer->format->write_prefix(&peer->prefix_stand_in, &prefix);
	if (peer->prefix.failed || peer->prefix_stand_in.failed || peer->prefix_actions.failed ||
	    peer->prefix_observe.failed ||
	    cairn_prompt_tokens(peer->prefix_actions.len) < CAIRN_PROMPT_PREFIX_TOKENS_MIN) {
		cairn_error_set(err, "the static prompt has fewer than %d tokens: no provider would cache it",
		    CAIRN_PROMPT_PREFIX_TOKENS_MIN);
		return false;
	}
	return true;
}

void dialog_free_peers(struct cairn_dialog *d)
{
	for (int i = 0; i < CAIRN_LINEUP_ROWS_MAX; i++) {
		cairn_text_free(&d->who.peers[i].prefix_observe);
		cairn_text_free(&d->who.peers[i].prefix_stand_in);
		cairn_text_free(&d->who.peers[i].prefix);
		cairn_text_free(&d->who.peers[i].prefix_actions);
	}
}

bool cairn_dialog_use(struct cairn_dialog *d, const struct cairn_lineup *lineup, struct cairn_error *err)
{
	dialog_free_peers(d);
	cairn_failover_init(&d->who.route, lineup->count);
	d->who.peer = d->who.asker = 0;
	d->who.observer = lineup->observer;
	d->who.strong = lineup->strong;
	d->who.stand_in = lineup->local;
	for (uint32_t i = 0; i < cairn_lineup_rows(lineup); i++) {
		d->who.peers[i] = (struct dialog_peer){.profile = lineup->rows[i]};
		if (!make_peer(d, &d->who.peers[i], err))
			return false;
	}
	cairn_budget_use(&d->budget, &lineup->rows[0]);
	return true;
}

uint64_t cairn_dialog_prefix_tokens(const struct cairn_dialog *d, uint32_t index)
{
	return cairn_prompt_tokens(d->who.peers[index].prefix.len);
}

uint32_t cairn_dialog_provider(const struct cairn_dialog *d)
{
	return d->who.peer;
}

struct cairn_failover *cairn_dialog_route(struct cairn_dialog *d)
{
	return &d->who.route;
}

bool dialog_choose_peer(struct cairn_dialog *d, int64_t now_ns)
{
	int index = d->call.followup ? (int)d->who.asker : cairn_failover_pick(&d->who.route, now_ns);
	if (!d->call.followup) {
		d->call.stand_in = dialog_stand_in_due(d, now_ns);
		d->call.strong = !d->call.stand_in && dialog_strong_due(d, now_ns);
		if (d->call.stand_in || d->call.strong)
			index = (int)(d->call.stand_in ? d->who.stand_in : d->who.strong);
	}
	if (d->call.observing && cairn_failover_usable(&d->who.route, (int)d->who.observer, now_ns))
		index = (int)d->who.observer;
	if (index < 0)
		return false;
	if (d->who.peer != (uint32_t)index)
		cairn_budget_use(&d->budget, &d->who.peers[index].profile);
	d->who.peer = (uint32_t)index;
	if (!d->call.followup)
		d->who.asker = d->who.peer;
	return true;
}

void dialog_peer_ended(
    struct cairn_dialog *d, enum cairn_failover_outcome outcome, int64_t hold_ns, int64_t now_ns)
{
	cairn_failover_ended(&d->who.route, (int)d->who.peer, outcome, hold_ns, now_ns);
	d->final = d->who.stand_in == 0 && cairn_failover_is_final(&d->who.route);
}

void cairn_dialog_give_up(struct cairn_dialog *d, uint32_t index, const char *why)
{
	if (index < CAIRN_LINEUP_ROWS_MAX)
		d->who.route.ones[index].final = true;
	d->final = d->who.stand_in == 0 && cairn_failover_is_final(&d->who.route);
	dialog_fail(d, why);
}
