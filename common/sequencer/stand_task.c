/* stand_task.c - tasks that move nothing: standing, looking, a report, waiting for people. */
#include "common/sequencer/sequencer_private.h"

#include <stdio.h>

static struct cairn_twist stand_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->active_s += seq->step.length_s;
	if (t->kind == SEQ_REPORT && t->d.tool == CAIRN_TOOL_DEFINE_ZONE) {
		seq_define_zone(seq, now_ns);
	} else if (t->kind == SEQ_REPORT) {
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "noted");
	} else if (t->active_s >= t->limit_s) {
		if (t->d.tool == CAIRN_TOOL_CHECK_PATH_CLEAR && seq->inputs.now.scan_ok) {
			struct cairn_msg_paths_clear all;
			(void)cairn_sequencer_paths_clear(seq, now_ns, &all);
			const struct cairn_msg_path_clear *way = &all.items[t->d.direction];
			seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "%s is clear for %.2f m; then %s",
			    cairn_enum_text(&cairn_enum_direction, (int)t->d.direction), way->free_m,
			    cairn_enum_text(&cairn_enum_path_obstacle, (int)way->obstacle));
		} else if (seq_goal_claimed(seq)) {
			seq_goal_judge(seq, now_ns);
		} else {
			seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "stands still");
		}
	}
	return (struct cairn_twist){0};
}

static struct cairn_twist help_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->active_s += seq->step.length_s;
	if (t->active_s >= t->limit_s)
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns, "nobody answered within %.0f s", t->limit_s);
	return (struct cairn_twist){0};
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "stood still for %.1f s", t->active_s);
}

const struct seq_task_ops seq_stand_ops = {.step = stand_step, .executed = executed, .stands = true};
const struct seq_task_ops seq_report_ops = {.step = stand_step, .stands = true};
const struct seq_task_ops seq_help_ops = {.step = help_step, .executed = executed, .stands = true};
