/* move_task.c - move_toward: an arc for a time. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

static void end_move(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	double wanted_m = fabs(t->v_mps) * t->limit_s;
	if (t->distance_m >= 0.5 * wanted_m)
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "time over after %.2f m%s%s", t->distance_m,
		    t->cause[0] != '\0' ? "; " : "", t->cause);
	else
		seq_task_end(seq, t->distance_m >= 0.05 ? CAIRN_OUTCOME_PARTIAL : CAIRN_OUTCOME_BLOCKED,
		    now_ns, "only %.2f of %.2f m: %s", t->distance_m, wanted_m,
		    t->cause[0] != '\0' ? t->cause : "the wheels hardly turned");
}

static struct cairn_twist move_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->active_s += seq->step.length_s;
	if (t->active_s >= t->limit_s) {
		end_move(seq, now_ns);
		return (struct cairn_twist){0};
	}
	return (struct cairn_twist){t->v_mps, t->v_mps * t->curvature_1pm};
}

static void move_in_trouble(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	seq_task_end(seq,
	    t->distance_m >= 0.5 * fabs(t->v_mps) * t->limit_s ? CAIRN_OUTCOME_PARTIAL
							       : CAIRN_OUTCOME_BLOCKED,
	    now_ns, "stopped after %.2f m: %s", t->distance_m, why);
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s %.2f m in %.1f s%s",
	    cairn_enum_text(&cairn_enum_direction, (int)t->d.direction), t->distance_m, t->active_s,
	    t->slow_only ? ", slowed to 0.08 m/s" : "");
}

const struct seq_task_ops seq_move_ops = {
    .step = move_step, .in_trouble = move_in_trouble, .executed = executed, .goes_somewhere = true};
