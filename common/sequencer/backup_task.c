/* backup_task.c - a short stretch out of a tight place, by the scan alone. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

#define STRETCH_SPEED_MPS 0.10
#define STRETCH_MAX_M 0.45
#define STRETCH_MIN_M 0.06

bool seq_stretch_find(const struct cairn_sequencer *seq, struct seq_stretch *ret)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	bool forward;
	double tight = cairn_safe_curvature(seq->cfg, CAIRN_DIRECTION_LEFT, &forward);
	double wide = cairn_safe_curvature(seq->cfg, CAIRN_DIRECTION_FORWARD_LEFT, &forward);
	const double curvatures[5] = {0.0, wide, -wide, tight, -tight};
	double best = 0.0;
	for (int i = 0; i < 10; i++) {
		bool ahead = i >= 5; /* backward first: the robot has seen what it came through */
		double c = curvatures[i % 5];
		if (seq_guard_bars(seq, ahead) != CAIRN_SENSOR_NONE)
			continue;
		double free_m = cairn_arc_clearance(
		    &seq->inputs.points, &body, seq->cfg->safety.margin_m, c, ahead, CAIRN_SAFE_HORIZON_M)
				    .free_m;
		if (free_m <= best + (ahead ? 0.15 : 0.02))
			continue;
		best = free_m;
		ret->curvature_1pm = c;
		ret->v_mps = ahead ? STRETCH_SPEED_MPS : -STRETCH_SPEED_MPS;
	}
	ret->left_m = fmin(best - seq->cfg->safety.stop_distance_m - 0.02, STRETCH_MAX_M);
	ret->left_s = 2.0 + 2.0 * ret->left_m / STRETCH_SPEED_MPS;
	ret->blocked_s = 0.0;
	return ret->left_m >= STRETCH_MIN_M;
}

static struct cairn_twist recover_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->active_s += seq->step.length_s;
	if (t->distance_m >= t->stretch.left_m || t->active_s >= t->stretch.left_s) {
		seq_task_end(seq, t->distance_m >= 0.03 ? CAIRN_OUTCOME_SUCCESS : CAIRN_OUTCOME_FAILED,
		    now_ns, "left a tight place by %.2f m", t->distance_m);
		return (struct cairn_twist){0};
	}
	return (struct cairn_twist){t->v_mps, t->v_mps * t->curvature_1pm};
}

static void recover_in_trouble(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	double way_m = seq->task.distance_m;
	seq_task_end(seq, way_m >= 0.03 ? CAIRN_OUTCOME_SUCCESS : CAIRN_OUTCOME_FAILED, now_ns,
	    "left a tight place by %.2f m: %s", way_m, why);
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%s %.2f m out of a tight place", t->stretch.v_mps < 0.0 ? "backed" : "moved",
	    t->distance_m);
}

const struct seq_task_ops seq_backup_ops = {
    .step = recover_step, .in_trouble = recover_in_trouble, .executed = executed};
