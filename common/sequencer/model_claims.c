/* model_claims.c - what a model says rather than drives: that it is done, that it needs help, and what it would do
 * instead of a way that is not there. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME_PLACE_M 0.3 /* a goal that is no farther from another leads to the same */

/* ---- it is done ---- */

static bool claim_explored(struct cairn_sequencer *seq, int64_t now_ns, struct seq_refusal *refusal)
{
	const struct cairn_msg_frontiers *f = &seq->offers.frontiers;
	double width_m = seq->cfg->mission.frontier_min_width_m;
	uint32_t left = cairn_frontier_blacklist_left(&seq->mission.record.explore, f, width_m);
	int next = cairn_frontier_blacklist_best(&seq->mission.record.explore, f, width_m);
	if (seq->offers.t_frontiers_ns == 0 ||
	    seq_seconds(seq->offers.t_frontiers_ns, now_ns) > SEQ_FRONTIERS_TIMEOUT_S) {
		snprintf(refusal->reason, sizeof(refusal->reason),
		    "not complete: the list of frontiers is too old to tell");
		return false;
	}
	if (left > 0) {
		snprintf(refusal->reason, sizeof(refusal->reason),
		    "not complete: %u frontier%s left, the next is %u, %.1f m away", left,
		    left > 1 ? "s are" : " is", next >= 0 ? f->items[next].id : 0,
		    next >= 0 ? f->items[next].distance_m : 0.0);
		return false;
	}
	seq->mission.claimed_complete = true; /* it need not settle: nothing_left looks for the rest */
	return true;
}

/* goal_reached is judged once the robot stands (seq_goal_judge). */
bool seq_model_claim(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns,
    struct seq_refusal *refusal)
{
	if (d->source != CAIRN_SOURCE_MODEL)
		return true;
	if (strcmp(d->reason, "exploration_complete") == 0)
		return claim_explored(seq, now_ns, refusal);
	return true;
}

/* ---- help ---- */

bool seq_model_answered(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq->task.kind != SEQ_HELP)
		return false;
	seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "somebody has answered after %.0f s: go on",
	    seq->task.active_s);
	return true;
}

/* ---- what it would do instead ---- */

bool seq_model_other(const struct cairn_msg_decision *d, struct cairn_msg_decision *ret)
{
	struct cairn_msg_decision f = *d;
	if (!d->has_fallback || d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return false;
	f.has_fallback = false;
	f.absolute = d->fallback_absolute;
	f.tool = d->fallback_tool;
	f.direction = d->fallback_direction;
	f.speed = d->fallback_speed;
	f.duration_s = d->fallback_duration_s;
	f.angle_deg = d->fallback_angle_deg;
	f.goal_kind = d->fallback_goal_kind;
	f.frontier_id = d->fallback_frontier_id;
	f.candidate_id = d->fallback_candidate_id;
	f.x_m = d->fallback_x_m;
	f.y_m = d->fallback_y_m;
	f.reason[0] = '\0';
	*ret = f;
	return true;
}

bool seq_model_fallback(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const char *why,
    int64_t now_ns, struct seq_task *task, struct seq_refusal *refusal)
{
	struct cairn_msg_decision f;
	char asked[64];
	memset(refusal, 0, sizeof(*refusal));
	if (!seq_model_other(d, &f) || !seq_check(seq, &f, now_ns, task, refusal))
		return false;
	seq_text_asked(d, asked, sizeof(asked));
	snprintf(task->instead, sizeof(task->instead), "instead of %.40s (%.72s)", asked, why);
	return true;
}

static bool same_place(const struct seq_task *a, const struct seq_task *b)
{
	return a->kind == SEQ_NAV && b->kind == SEQ_NAV &&
	       hypot(a->nav.x_m - b->nav.x_m, a->nav.y_m - b->nav.y_m) <= SAME_PLACE_M;
}

bool seq_model_fall_back(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, const char *why, int64_t now_ns)
{
	struct seq_task was = seq->task, next;
	struct seq_refusal refusal;
	struct cairn_msg_decision d = was.d;
	if (!d.has_fallback)
		return false;
	/* What it rests on still holds: the way began with it a moment ago; where the robot is now is checked. A place is where it is
	 * from wherever the robot has come to; a move or a turn was meant from where it was. */
	d.t_snapshot_ns = now_ns;
	if (d.fallback_tool == CAIRN_TOOL_NAVIGATE_TO_GOAL) {
		d.snapshot_x_m = seq->inputs.pose.x_m;
		d.snapshot_y_m = seq->inputs.pose.y_m;
		d.snapshot_yaw_rad = seq->inputs.pose.yaw_rad;
	}
	seq->task.kind = SEQ_NONE;
	bool taken = seq_model_fallback(seq, &d, why, now_ns, &next, &refusal);
	if (taken && same_place(&was, &next)) {
		snprintf(refusal.reason, sizeof(refusal.reason), "it is the same place");
		taken = false;
	}
	seq->task = was;
	if (!taken) {
		snprintf(
		    seq->task.fallback_refused, sizeof(seq->task.fallback_refused), "%.95s", refusal.reason);
		return false; /* whoever ends the way judges it: once */
	}
	seq->task.kind = SEQ_NONE;
	seq_task_judge(seq, &was, outcome, why, now_ns);
	seq_task_start(seq, &next, now_ns);
	return true;
}
