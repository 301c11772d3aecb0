/* mission_task.c - a mission of the kind task: the agent proposes and nobody else does; what ends it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sequencer/sequencer_private.h"

#define TIME_GRACE_S 15.0 /* the agent keeps agent.limit_wall_s itself, and says so */

void seq_task_mission_set(struct cairn_sequencer *seq, const char *words, bool survey, int64_t now_ns)
{
	struct cairn_mission_record *r = &seq->mission.record;
	r->task_id++;
	r->t_task_ns = now_ns;
	snprintf(r->task, sizeof(r->task), "%s", survey ? "look at what no picture has shown" : words);
	r->survey = survey;
	r->surveys_after = false;
	seq->agent = (struct seq_agent){0};
	seq->mission.changed = true;
}

void cairn_sequencer_on_agent(struct cairn_sequencer *seq, const struct cairn_msg_agent *agent, int64_t t_ns)
{
	if (t_ns < seq->agent.t_ns || agent->task_id != seq->mission.record.task_id ||
	    (unsigned)agent->state >= CAIRN_AGENT_STATE_COUNT ||
	    (unsigned)agent->limit >= CAIRN_AGENT_LIMIT_COUNT)
		return; /* of another task, or older than what was heard before */
	seq->agent.t_ns = t_ns;
	seq->agent.state = agent->state;
	seq->agent.limit = agent->limit;
	snprintf(seq->agent.answer, sizeof(seq->agent.answer), "%.95s", agent->answer);
}

uint32_t seq_task_mission_conditions(const struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_config_agent *cfg = &seq->cfg->agent;
	const struct seq_agent *a = &seq->agent;
	int64_t begun_ns = seq->mission.record.t_task_ns;
	/* A sequencer that was started again has heard nothing yet. */
	int64_t heard_ns = a->t_ns > begun_ns ? a->t_ns : begun_ns;
	heard_ns = seq->mission.t_start_ns > heard_ns ? seq->mission.t_start_ns : heard_ns;
	uint32_t c = 0;
	if (a->t_ns != 0 && (a->state == CAIRN_AGENT_STATE_DONE || a->state == CAIRN_AGENT_STATE_HANDOFF ||
				a->state == CAIRN_AGENT_STATE_FAILED))
		c |= CAIRN_MISSION_BIT(TASK_ENDED);
	if (seq_seconds(heard_ns, now_ns) > cfg->silent_s)
		c |= CAIRN_MISSION_BIT(AGENT_SILENT);
	if (seq_seconds(begun_ns, now_ns) > cfg->limit_wall_s + TIME_GRACE_S)
		c |= CAIRN_MISSION_BIT(TIME_UP);
	return c;
}

void seq_task_mission_reason(const struct cairn_sequencer *seq, char *buf, size_t bytes)
{
	const struct seq_agent *a = &seq->agent;
	snprintf(buf, bytes, "task %llu %s: %s", (unsigned long long)seq->mission.record.task_id,
	    cairn_enum_text(&cairn_enum_agent_state, (int)a->state),
	    a->answer[0] != '\0' ? a->answer : cairn_enum_text(&cairn_enum_agent_limit, (int)a->limit));
}

bool seq_task_mission_turn(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d, char *why, size_t bytes)
{
	enum cairn_mission_state state = (enum cairn_mission_state)seq->mission.record.state;
	const char *is = cairn_enum_text(&cairn_enum_mission_state, (int)state);
	bool agent = d->source == CAIRN_SOURCE_AGENT;
	if (state == (agent ? CAIRN_MISSION_STATE_TASK : CAIRN_MISSION_STATE_EXPLORING))
		return true;
	snprintf(why, bytes, "the robot is %s: %s (%.96s)", agent ? "at no task" : "not exploring", is,
	    seq->mission.record.reason);
	return false;
}
