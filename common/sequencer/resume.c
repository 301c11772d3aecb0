/* resume.c - the decision under way when the process before this one died.
 *
 * A way to a place is gone on with: where it leads is known, every step of it is judged anew, and the robot
 * has to turn up nowhere by a certain time. It waits, standing, until nothing holds the robot (scan, pose and
 * motor stage are there again, the wheels are armed), as long as a way that is driven would wait for the
 * same. Once only: if the process died of the way itself, the next one must not die of it, too. That it is
 * tried is therefore saved a step before it is.
 *
 * A way whose corridor had still to be compared with the snapshot of its decision is not gone on with: the scans of
 * that moment died with the process, so what has changed since cannot be seen.
 *
 * A move, a turn or a word is reported as failed, to be asked for anew: how much of it was done is not known.
 */
#include <stdio.h>
#include <string.h>

#include "common/sequencer/sequencer_private.h"

void seq_resume_note(struct cairn_sequencer *seq)
{
	const struct seq_task *t = &seq->task;
	if (t->kind == SEQ_NONE || t->d.id == 0)
		return;
	struct cairn_mission_open *o = &seq->mission.record.open;
	bool again = o->decision.id == t->d.id && o->again;
	memset(o, 0, sizeof(*o)); /* it is saved as it lies in memory */
	o->decision = t->d;
	o->t_start_ns = t->t_start_ns;
	o->way = t->kind == SEQ_NAV && !t->nav.leans;
	o->again = again;
	o->frontier = t->nav.frontier;
	o->onward = t->nav.onward;
	o->frontier_id = t->nav.frontier_id;
	o->seen_id = t->nav.seen_id;
	o->goal_x_m = t->nav.x_m;
	o->goal_y_m = t->nav.y_m;
	o->tolerance_m = t->nav.tolerance_m;
	o->frontier_x_m = t->nav.frontier_x_m;
	o->frontier_y_m = t->nav.frontier_y_m;
	o->limit_s = t->limit_s;
	o->trail = t->nav.trail;
	o->trail_to = t->nav.trail_to;
	seq->mission.changed = true;
}

void seq_resume_give_up(struct cairn_sequencer *seq)
{
	const struct cairn_msg_decision *d = &seq->mission.record.open.decision;
	if (seq->mission.orphan == SEQ_ORPHAN_NONE)
		return;
	struct cairn_msg_result result = {.decision_id = d->id,
	    .source = d->source,
	    .tool = d->tool,
	    .outcome = CAIRN_OUTCOME_FAILED,
	    .stopped_early = true,
	    .x_m = seq->inputs.pose.x_m,
	    .y_m = seq->inputs.pose.y_m,
	    .yaw_rad = seq->inputs.pose.yaw_rad,
	    .cause_m = -1.0};
	seq_text_asked(d, result.asked, sizeof(result.asked));
	snprintf(result.executed, sizeof(result.executed), "unknown");
	snprintf(result.reason, sizeof(result.reason),
	    "the sequencer was restarted while this was being executed");
	snprintf(result.suggestion, sizeof(result.suggestion), "decide anew");
	seq->mission.orphan = SEQ_ORPHAN_NONE;
	seq->mission.record.open.decision.id = 0;
	seq->mission.changed = true;
	seq_result_push(seq, &result);
}

static void go_on(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_mission_open *o = &seq->mission.record.open;
	struct seq_task task = {.kind = SEQ_NAV,
	    .d = o->decision,
	    .again = true,
	    .limit_s = o->limit_s,
	    .active_s = seq_seconds(o->t_start_ns, now_ns),
	    .nav = {.x_m = o->goal_x_m,
		.y_m = o->goal_y_m,
		.tolerance_m = o->tolerance_m,
		.frontier = o->frontier,
		.frontier_id = o->frontier_id,
		.frontier_x_m = o->frontier_x_m,
		.frontier_y_m = o->frontier_y_m,
		.trail = o->trail,
		.trail_to = o->trail_to,
		.onward = o->onward,
		.seen_id = o->seen_id}};
	int64_t t_start_ns = o->t_start_ns;
	seq->mission.orphan = SEQ_ORPHAN_NONE;
	seq_task_start(seq, &task, now_ns);
	seq->task.t_start_ns = t_start_ns;
}

/* A way of which enough is known, whose time is not up, and that nobody has died of twice. */
static bool worth_it(const struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_mission_open *o = &seq->mission.record.open;
	return o->way && (!o->again || seq->mission.orphan == SEQ_ORPHAN_SAVED) && !seq_executing(seq) &&
	       seq->mission.record.state == CAIRN_MISSION_STATE_EXPLORING && !seq->inputs.now.estop &&
	       seq_seconds(o->t_start_ns, now_ns) < o->limit_s;
}

void seq_resume_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	double since_s = seq_seconds(seq->mission.t_start_ns, now_ns);
	if (seq->mission.orphan == SEQ_ORPHAN_NONE || since_s < SEQ_ORPHAN_WAIT_S)
		return;
	if (!worth_it(seq, now_ns) || since_s > SEQ_HOLD_MAX_S) {
		seq_resume_give_up(seq);
	} else if (seq->inputs.now.hold[0] != '\0') {
		return;
	} else if (seq->mission.orphan == SEQ_ORPHAN_SAVED) {
		go_on(seq, now_ns);
	} else {
		seq->mission.record.open.again = true;
		seq->mission.changed = true;
		seq->mission.orphan = SEQ_ORPHAN_SAVED;
	}
}
