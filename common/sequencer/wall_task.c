/* wall_task.c - follow_wall: a task of its own, steered by common/sequencer/follow_wall.h. */
#include "common/sequencer/sequencer_private.h"

#include <stdio.h>

#define WALL_SPEED_MPS 0.12
#define WALL_LIMIT_S 120.0

static double ahead_m(const struct cairn_sequencer *seq)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	return cairn_arc_clearance(
	    &seq->inputs.points, &body, seq->cfg->safety.margin_m, 0.0, true, CAIRN_SAFE_HORIZON_M)
	    .free_m;
}

bool seq_wall_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	int side = d->direction == CAIRN_DIRECTION_LEFT ? 1 : -1;
	const char *word = side > 0 ? "left" : "right";
	task->kind = SEQ_WALL;
	task->limit_s = WALL_LIMIT_S;
	task->wall = (struct cairn_wall){.side = side, .asked_m = d->distance_m};
	if (!seq->inputs.now.scan_ok)
		return true;
	refusal->counts = true;
	if (!cairn_wall_line(&seq->inputs.points, seq->inputs.lidar_count, &body, side).there)
		snprintf(refusal->reason, sizeof(refusal->reason), "no wall within %.1f m on the %s",
		    CAIRN_WALL_REACH_M, word);
	else if (ahead_m(seq) < CAIRN_WALL_CORNER_M)
		snprintf(refusal->reason, sizeof(refusal->reason),
		    "only %.2f m free ahead along the wall on the %s", ahead_m(seq), word);
	else
		refusal->counts = false;
	return !refusal->counts;
}

static struct cairn_twist wall_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	static const char *const words[] = {[CAIRN_WALL_NONE] = "there is no wall beside the robot any more",
	    [CAIRN_WALL_ENDED] = "the wall ends or has an opening here",
	    [CAIRN_WALL_CORNER] = "a corner: something stands across the way",
	    [CAIRN_WALL_ROUND] = "round: back where the wall was met",
	    [CAIRN_WALL_DONE] = "followed as far as asked"};
	struct seq_task *t = &seq->task;
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	bool forward;
	double tight = cairn_safe_curvature(seq->cfg, CAIRN_DIRECTION_LEFT, &forward), curvature;
	t->active_s += seq->step.length_s;
	if (t->active_s > t->limit_s) {
		seq_task_end(seq, CAIRN_OUTCOME_PARTIAL, now_ns, "took longer than %.0f s", t->limit_s);
		return (struct cairn_twist){0};
	}
	enum cairn_wall_end end = cairn_wall_step(&t->wall, &seq->inputs.points, seq->inputs.lidar_count,
	    &body, tight, t->distance_m, (struct cairn_vec2){seq->inputs.pose.x_m, seq->inputs.pose.y_m},
	    ahead_m(seq), &curvature);
	if (end != CAIRN_WALL_GOES_ON) {
		seq_task_end(seq, end == CAIRN_WALL_NONE ? CAIRN_OUTCOME_FAILED : CAIRN_OUTCOME_SUCCESS,
		    now_ns, "%s, after %.2f m", words[end], t->distance_m);
		return (struct cairn_twist){0};
	}
	return (struct cairn_twist){WALL_SPEED_MPS, WALL_SPEED_MPS * curvature};
}

static void wall_in_trouble(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	seq_task_end(seq, t->distance_m >= SEQ_MOVED_M ? CAIRN_OUTCOME_PARTIAL : CAIRN_OUTCOME_BLOCKED,
	    now_ns, "stopped after %.2f m: %s", t->distance_m, why);
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "followed the wall on the %s for %.2f m in %.1f s",
	    cairn_enum_text(&cairn_enum_direction, (int)t->d.direction), t->distance_m, t->active_s);
}

const struct seq_task_ops seq_wall_ops = {
    .step = wall_step, .in_trouble = wall_in_trouble, .executed = executed, .goes_somewhere = true};
