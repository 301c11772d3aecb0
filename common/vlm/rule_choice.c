#include "common/vlm/rule_choice.h"

#include <stdio.h>

#include "common/explore/offered_frontiers.h"

/* The frontier that a decision goes to; 0: none. */
static uint32_t frontier_of(const struct cairn_msg_decision *d, const struct cairn_msg_candidates *candidates)
{
	if (d == NULL || d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return 0;
	if (d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		return d->frontier_id;
	for (uint32_t i = 0;
	     d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE && candidates != NULL && i < candidates->items_count;
	     i++) {
		if (candidates->items[i].id == d->candidate_id)
			return candidates->items[i].frontier_id;
	}
	return 0;
}

bool cairn_rule_choose(const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission,
    const struct cairn_msg_decision *last, const struct cairn_msg_candidates *candidates,
    struct cairn_tool_call *ret)
{
	const struct cairn_msg_frontier *best = NULL;
	uint32_t before = frontier_of(last, candidates);
	double best_m = 0.0;
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		bool worth = f->detour_m >= 0.0 && cairn_frontier_offered(f, mission);
		double cost_m = f->detour_m - (before != 0 && f->id == before ? CAIRN_RULE_KEEP_M : 0.0);
		if (!worth || (best != NULL && cost_m >= best_m))
			continue;
		best = f;
		best_m = cost_m;
	}
	if (best == NULL)
		return false;
	*ret = (struct cairn_tool_call){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .goal_kind = CAIRN_GOAL_KIND_FRONTIER,
	    .frontier_id = best->id,
	    .has_frontier_id = true};
	snprintf(ret->reasoning, sizeof(ret->reasoning),
	    "By rule: nothing new is in sight, and the round through the frontiers goes on here.");
	return true;
}
