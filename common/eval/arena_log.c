#include "common/eval/arena_log.h"

#include <jansson.h>
#include <math.h>

#include "common/vlm/decision_log.h"

static json_t *rounded(double value)
{
	return isfinite(value) ? json_real(round(value * 1000.0) / 1000.0) : json_null();
}

static void write_line(struct cairn_arena_log *log, json_t *line)
{
	if (line == NULL)
		return;
	json_dumpf(line, log->out, JSON_COMPACT | JSON_REAL_PRECISION(9));
	fputc('\n', log->out);
	json_decref(line);
}

void cairn_arena_log_decision(struct cairn_arena_log *log, const struct cairn_msg_decision *decision)
{
	log->has_decision = true;
	log->decision = *decision;
}

void cairn_arena_log_result(struct cairn_arena_log *log, const struct cairn_msg_result *result)
{
	if (result->decision_id == 0)
		return;
	log->has_result = true;
	log->result = *result;
}

static json_t *decision_json(const struct cairn_msg_decision *d)
{
	char words[160];
	cairn_decision_words(d, words, sizeof(words));
	return json_pack("{s:I, s:s, s:s, s:s, s:o}", "id", (json_int_t)d->id, "tool",
	    cairn_enum_text(&cairn_enum_tool, (int)d->tool), "words", words, "reasoning", d->reasoning,
	    "latency_s", rounded(d->latency_s));
}

static json_t *result_json(const struct cairn_msg_result *r)
{
	return json_pack("{s:I, s:s, s:s, s:s, s:o}", "decision", (json_int_t)r->decision_id, "outcome",
	    cairn_enum_text(&cairn_enum_outcome, (int)r->outcome), "asked", r->asked, "reason", r->reason,
	    "distance_m", rounded(r->distance_m));
}

void cairn_arena_log_cycle(struct cairn_arena_log *log, const struct cairn_run *run, uint32_t cycle,
    const struct cairn_arena_result *result)
{
	if (log->out == NULL)
		return;
	const struct cairn_pose2 at = cairn_run_truth(run)->body.pose;
	const struct cairn_msg_mission *m = &cairn_run_output(run)->mission;
	json_t *line = json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:i, s:s, s:s}", "cycle", (int)cycle, "t_s",
	    rounded(cairn_run_elapsed_s(run)), "x_m", rounded(at.x_m), "y_m", rounded(at.y_m), "yaw_rad",
	    rounded(at.yaw_rad), "nearest_m", rounded(result->clearance_min_m), "contacts",
	    (int)result->contacts, "state", cairn_enum_text(&cairn_enum_mission_state, (int)m->state),
	    "activity", m->activity);
	if (line != NULL && log->arena->has_goal)
		json_object_set_new(line, "goal_m",
		    rounded(hypot(at.x_m - log->arena->goal_x_m, at.y_m - log->arena->goal_y_m)));
	if (line != NULL && log->has_decision)
		json_object_set_new(line, "decision", decision_json(&log->decision));
	if (line != NULL && log->has_result)
		json_object_set_new(line, "result", result_json(&log->result));
	log->has_decision = log->has_result = false;
	write_line(log, line);
}

void cairn_arena_log_end(struct cairn_arena_log *log, const struct cairn_arena_result *r)
{
	if (log->out == NULL)
		return;
	write_line(log, json_pack("{s:s, s:b, s:i, s:i, s:i}", "end", r->end, "reached", r->reached, "cycles",
			    (int)r->cycles, "decisions", (int)r->decisions, "contacts", (int)r->contacts));
}
