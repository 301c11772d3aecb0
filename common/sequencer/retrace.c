/* retrace.c - going back the way it came: the trail in the record, and ways along it.
 *
 * A way back is driven by points of the trail, one after the other, each by a planned path: where the robot has come
 * through it gets through again, and the planner keeps it off what has come there since. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

#define BACK_MIN_M 1.0 /* a junction that is nearer is where the robot is */
#define VIA_STEP_M 1.5 /* between two points of the trail that are driven to */
#define VIA_NEAR_M 0.6 /* so near to one, the next is due: the robot does not stop */
#define UNTRIED_M 1.2  /* an opening so near to the trail is a way not taken */
#define TRAIL_MOVES_M 6.0

/* A place where three passages meet is a junction; it is looked for where the trail gets a new point. */
void seq_trail_note(struct cairn_sequencer *seq)
{
	struct cairn_breadcrumbs *t = &seq->mission.record.trail;
	if (!seq->inputs.now.pose_ok || !seq->inputs.now.scan_ok ||
	    seq->inputs.pose.tracking < CAIRN_TRACKING_WEAK)
		return;
	const struct cairn_breadcrumb *last = t->count > 0 ? &t->at[t->count - 1] : NULL;
	bool due =
	    last == NULL || hypot((double)last->x_m - seq->inputs.pose.x_m,
				(double)last->y_m - seq->inputs.pose.y_m) >= 0.5 * CAIRN_BREADCRUMBS_STEP_M;
	bool junction = due && cairn_breadcrumbs_passages(&seq->inputs.points, seq->inputs.lidar_count,
				   seq->cfg->robot.footprint_half_width_m + seq->cfg->safety.margin_m) >= 3;
	if (due)
		seq->mission.changed |=
		    cairn_breadcrumbs_drive(t, seq->inputs.pose.x_m, seq->inputs.pose.y_m, junction);
}

void seq_trail_moved(struct cairn_sequencer *seq, struct cairn_pose2 was)
{
	cairn_breadcrumbs_moved(&seq->mission.record.trail, was, seq_pose(seq), TRAIL_MOVES_M);
	seq->mission.changed = true;
}

/* An opening that is worth a visit looks onto the trail there. */
static bool untried(const struct cairn_sequencer *seq, const struct cairn_breadcrumb *p)
{
	for (uint32_t i = 0; i < seq->offers.frontiers.items_count; i++) {
		const struct cairn_msg_frontier *f = &seq->offers.frontiers.items[i];
		if (cairn_frontier_blacklist_worthwhile(
			&seq->mission.record.explore, f, seq->cfg->mission.frontier_min_width_m) &&
		    hypot(f->x_m - (double)p->x_m, f->y_m - (double)p->y_m) <= UNTRIED_M)
			return true;
	}
	return false;
}

/* The last place on the way here from which another way leads on: a junction, or an opening not looked into. */
static int last_choice(const struct cairn_sequencer *seq)
{
	const struct cairn_breadcrumbs *t = &seq->mission.record.trail;
	int junction = cairn_breadcrumbs_junction(t, seq->inputs.pose.x_m, seq->inputs.pose.y_m, BACK_MIN_M);
	int from = cairn_breadcrumbs_nearest(t, seq->inputs.pose.x_m, seq->inputs.pose.y_m);
	double back_m = 0.0;
	for (int i = from; i > junction && i > 0; i--) {
		if (back_m >= BACK_MIN_M && untried(seq, &t->at[i]))
			return i;
		back_m += hypot(
		    (double)(t->at[i].x_m - t->at[i - 1].x_m), (double)(t->at[i].y_m - t->at[i - 1].y_m));
	}
	return junction;
}

static void aim(struct cairn_sequencer *seq, struct seq_task *task)
{
	const struct cairn_breadcrumbs *t = &seq->mission.record.trail;
	int via = cairn_breadcrumbs_via(
	    t, seq->inputs.pose.x_m, seq->inputs.pose.y_m, task->nav.trail_to, VIA_STEP_M);
	bool last = via < 0 || via == (int)task->nav.trail_to;
	bool start = last && task->d.goal_kind == CAIRN_GOAL_KIND_START;
	task->nav.trail = !last;
	task->nav.x_m =
	    start ? 0.0 : (double)t->at[via < 0 ? 0 : via].x_m; /* the start is the map's origin */
	task->nav.y_m = start ? 0.0 : (double)t->at[via < 0 ? 0 : via].y_m;
}

bool seq_trail_prepare(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, struct seq_task *task,
    struct seq_refusal *refusal)
{
	bool start = d->goal_kind == CAIRN_GOAL_KIND_START;
	int to = start ? 0 : last_choice(seq);
	const struct cairn_breadcrumbs *t = &seq->mission.record.trail;
	if (to < 0 || t->count == 0) {
		if (!start) {
			snprintf(refusal->reason, sizeof(refusal->reason),
			    "the robot has not driven yet: no way back");
			return false;
		}
		return true; /* straight to the origin, as the task says */
	}
	double off_m =
	    hypot((double)t->at[to].x_m - seq->inputs.pose.x_m, (double)t->at[to].y_m - seq->inputs.pose.y_m);
	if (!start && to == 0 && off_m < seq->cfg->nav.goal_tolerance_m) {
		snprintf(refusal->reason, sizeof(refusal->reason),
		    "the robot is where its way began: no way back");
		return false;
	}
	task->nav.trail_to = (uint32_t)to;
	aim(seq, task);
	for (uint32_t i = (uint32_t)to + 1; i < t->count; i++)
		task->nav.distance_m += hypot(
		    (double)(t->at[i].x_m - t->at[i - 1].x_m), (double)(t->at[i].y_m - t->at[i - 1].y_m));
	return true;
}

/* True when the way goes on to a point of the trail that is farther back: the planner is to be asked for it. */
bool seq_trail_onward(struct cairn_sequencer *seq)
{
	struct seq_task *t = &seq->task;
	if (!t->nav.trail || t->nav.trail_to >= seq->mission.record.trail.count ||
	    hypot(t->nav.x_m - seq->inputs.pose.x_m, t->nav.y_m - seq->inputs.pose.y_m) > VIA_NEAR_M)
		return false;
	double x_m = t->nav.x_m, y_m = t->nav.y_m;
	aim(seq, t);
	return hypot(t->nav.x_m - x_m, t->nav.y_m - y_m) > 0.05;
}
