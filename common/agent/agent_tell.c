/* agent_tell.c - what an agent tells of itself. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"

_Static_assert(sizeof(((struct cairn_msg_agent *)0)->plan) / sizeof(struct cairn_msg_agent_line) ==
		       CAIRN_AGENT_LINES_MAX &&
		   sizeof(struct cairn_msg_agent_line) == CAIRN_AGENT_LINE_CAP,
    "a plan fits into its message");

static enum cairn_agent_state state_of(const struct cairn_agent *a)
{
	if (a->phase == AGENT_PHASE_IDLE)
		return a->end;
	if (a->phase == AGENT_PHASE_ACTING)
		return CAIRN_AGENT_STATE_ACTING;
	return a->query <= CAIRN_AGENT_QUERY_REVISE ? CAIRN_AGENT_STATE_PLANNING : CAIRN_AGENT_STATE_THINKING;
}

void cairn_agent_message(const struct cairn_agent *a, int64_t now_ns, struct cairn_msg_agent *m)
{
	*m = (struct cairn_msg_agent){.task_id = a->task_id,
	    .state = state_of(a),
	    .revisions = a->spent.revisions,
	    .queries = a->spent.queries,
	    .repeated = a->spent.repeated,
	    .tokens_in = a->spent.tokens_in,
	    .tokens_out = a->spent.tokens_out,
	    .usd = a->spent.usd,
	    .steps = (uint32_t)ceil(a->spent.steps),
	    .function_errors = a->spent.errors,
	    .elapsed_s = agent_elapsed_s(a, now_ns),
	    .limit = a->limit,
	    .confidence = a->confidence};
	char step[320];
	memcpy(m->task, a->task, sizeof(m->task));
	memcpy(m->answer, a->answer, sizeof(m->answer));
	memcpy(m->evidence, a->evidence, sizeof(m->evidence));
	if (a->phase != AGENT_PHASE_IDLE)
		snprintf(step, sizeof(step), "%s%s%s",
		    a->phase == AGENT_PHASE_ACTING ? a->act.what : cairn_agent_queries[a->query].name,
		    a->step[0] != '\0' ? ": " : "", a->step);
	else
		step[0] = '\0';
	cairn_text_clean(m->step, sizeof(m->step), step, strlen(step));
	for (uint32_t i = 0; i < a->memory.plan.count; i++)
		memcpy(m->plan[m->plan_count++].text, a->memory.plan.items[i], sizeof(m->plan[0].text));
}

uint64_t cairn_agent_tokens_in(const struct cairn_agent *a, int query)
{
	return a->spent.by_query[query];
}

struct cairn_agent_cost cairn_agent_cost_of(const struct cairn_agent *a, int query)
{
	const struct agent_spent *s = &a->spent;
	return (struct cairn_agent_cost){
	    s->by_query[query], s->calls_by_query[query], s->usd_by_query[query]};
}

const uint8_t *cairn_agent_map(const struct cairn_agent *a, uint32_t *ret_number, size_t *ret_bytes)
{
	return cairn_memory_map_jpeg(a->map, ret_number, ret_bytes);
}
