#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/explore/reactive_exploration.h"

#define REACTION_M 0.5 /* driven by one look at the scan */
#define BOXED_M 0.10   /* a robot that has not come farther is where it was */
#define BOXED_S 120.0  /* so long it waits for somebody to free it */

void seq_result_push(struct cairn_sequencer *seq, const struct cairn_msg_result *result)
{
	if (seq->outbox.results_count == SEQ_RESULTS_MAX) { /* nobody takes them: the newest ones matter */
		seq->outbox.results_head = (seq->outbox.results_head + 1) % SEQ_RESULTS_MAX;
		seq->outbox.results_count--;
	}
	seq->outbox.results[(seq->outbox.results_head + seq->outbox.results_count++) % SEQ_RESULTS_MAX] =
	    *result;
}

bool cairn_sequencer_next_result(struct cairn_sequencer *seq, struct cairn_msg_result *ret)
{
	if (seq->outbox.results_count == 0)
		return false;
	*ret = seq->outbox.results[seq->outbox.results_head];
	seq->outbox.results_head = (seq->outbox.results_head + 1) % SEQ_RESULTS_MAX;
	seq->outbox.results_count--;
	return true;
}

static struct cairn_msg_result result_of(
    const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	struct cairn_msg_result r = {.decision_id = d->id,
	    .source = d->source,
	    .tool = d->tool,
	    .x_m = seq->inputs.pose.x_m,
	    .y_m = seq->inputs.pose.y_m,
	    .yaw_rad = seq->inputs.pose.yaw_rad,
	    .cause_m = -1.0};
	if ((unsigned)r.tool >= CAIRN_TOOL_COUNT)
		r.tool = CAIRN_TOOL_STOP_ROBOT;
	if ((unsigned)r.source >= CAIRN_SOURCE_COUNT)
		r.source = CAIRN_SOURCE_NONE;
	seq_text_asked(d, r.asked, sizeof(r.asked));
	return r;
}

static void tell_cause(const struct seq_cause *by, struct cairn_msg_result *r)
{
	r->cause = (unsigned)by->sensor < CAIRN_SENSOR_COUNT ? by->sensor : CAIRN_SENSOR_NONE;
	r->cause_bearing_rad = by->bearing_rad;
	r->cause_m = by->sensor == CAIRN_SENSOR_NONE ? -1.0 : by->distance_m;
}

/* ---- counting what gets nowhere ---- */

static void got_nowhere(struct cairn_sequencer *seq)
{
	if (++seq->progress.fails < SEQ_FAILS_FOR_RECOVERY)
		return;
	seq->progress.fails = 0;
	if (seq->progress.recoveries >= SEQ_RECOVERIES_FOR_LOCAL) {
		seq->progress.recoveries = 0;
		seq->progress.local_due = true;
	} else {
		seq->progress.recovery_due = true;
	}
}

void seq_refuse(
    struct cairn_sequencer *seq, const struct cairn_msg_decision *d, const struct seq_refusal *refusal)
{
	struct cairn_msg_result r = result_of(seq, d);
	r.outcome = CAIRN_OUTCOME_REFUSED;
	r.overridden = refusal->counts;
	tell_cause(&refusal->by, &r);
	snprintf(r.executed, sizeof(r.executed), "nothing was driven");
	snprintf(r.reason, sizeof(r.reason), "%s", refusal->reason);
	snprintf(r.suggestion, sizeof(r.suggestion), "%s", refusal->suggestion);
	seq->mission.record.refused++;
	seq->mission.changed = true;
	if (refusal->counts && d->source == CAIRN_SOURCE_MODEL)
		got_nowhere(seq);
	seq_result_push(seq, &r);
}

/* ---- begin ---- */

uint64_t seq_new_goal_id(struct cairn_sequencer *seq, int64_t now_ns)
{
	uint64_t by_clock =
	    (uint64_t)(now_ns / CAIRN_NS_PER_MS); /* rises across restarts of this process too */
	seq->planner.goal_id = by_clock > seq->planner.goal_id ? by_clock : seq->planner.goal_id + 1;
	return seq->planner.goal_id;
}

void seq_task_start(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns)
{
	seq->task = *task;
	seq->task.t_start_ns = now_ns;
	seq->task.from_x_m = seq->inputs.pose.x_m;
	seq->task.from_y_m = seq->inputs.pose.y_m;
	seq->task.pace = CAIRN_PACE_FAST;
	seq->step.coast_mps = 0.0;
	if (seq->task.kind == SEQ_NAV) {
		seq->task.nav.goal_id = seq_new_goal_id(seq, now_ns);
		seq->task.nav.t_goal_ns = now_ns;
	}
	seq_resume_note(seq);
}

void seq_task_begin(struct cairn_sequencer *seq, const struct seq_task *task, int64_t now_ns)
{
	seq_task_start(seq, task, now_ns);
	if (task->d.source == CAIRN_SOURCE_MODEL) {
		seq->mission.record.decisions++;
		if (seq->mission.record.first_decision_s <= 0.0)
			seq->mission.record.first_decision_s =
			    fmax(seq_seconds(seq->mission.record.t_first_ns, now_ns), 1e-3);
	}
}

void seq_begin_way(struct cairn_sequencer *seq, enum cairn_source source, double x_m, double y_m,
    double tolerance_m, const char *why, int64_t now_ns)
{
	struct seq_task task = {.kind = SEQ_NAV,
	    .d = {.source = source,
		.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		.goal_kind = CAIRN_GOAL_KIND_COORDINATES,
		.x_m = x_m,
		.y_m = y_m},
	    .nav = {.x_m = x_m, .y_m = y_m, .tolerance_m = tolerance_m}};
	snprintf(task.d.reason, sizeof(task.d.reason), "%s", why);
	task.limit_s = seq_way_limit_s(seq, hypot(x_m - seq->inputs.pose.x_m, y_m - seq->inputs.pose.y_m));
	seq_task_begin(seq, &task, now_ns);
}

void seq_begin_frontier(struct cairn_sequencer *seq, const struct cairn_msg_frontier *f, int64_t now_ns)
{
	seq_begin_way(seq, CAIRN_SOURCE_LOCAL, f->goal_x_m, f->goal_y_m, seq->cfg->nav.goal_tolerance_m,
	    "local exploration", now_ns);
	seq->task.d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	seq->task.d.frontier_id = f->id;
	seq->task.nav.frontier = true;
	seq->task.nav.frontier_id = f->id;
	seq->task.nav.frontier_x_m = f->x_m;
	seq->task.nav.frontier_y_m = f->y_m;
}

bool seq_begin_recovery(struct cairn_sequencer *seq, enum cairn_source source, int64_t now_ns)
{
	struct seq_task task = {.kind = SEQ_RECOVER,
	    .d = {.source = source, .tool = CAIRN_TOOL_MOVE_TOWARD},
	    .insists = true,
	    .limit_s = SEQ_HOLD_MAX_S};
	if (!seq->inputs.now.scan_ok || !seq_stretch_find(seq, &task.stretch))
		return false;
	task.v_mps = task.stretch.v_mps;
	task.curvature_1pm = task.stretch.curvature_1pm;
	task.d.direction = task.v_mps < 0.0 ? CAIRN_DIRECTION_BACKWARD : CAIRN_DIRECTION_FORWARD;
	seq_task_begin(seq, &task, now_ns);
	return true;
}

bool seq_begin_reaction(struct cairn_sequencer *seq, int64_t now_ns)
{
	double free_m[CAIRN_DIRECTION_COUNT], before_m;
	cairn_safe_survey(seq->cfg, &seq->inputs.points, CAIRN_SAFE_HORIZON_M, free_m);
	for (int i = 0; i < CAIRN_DIRECTION_COUNT; i++) {
		bool forward;
		double curvature = cairn_safe_curvature(seq->cfg, (enum cairn_direction)i, &forward);
		if (seq_geofence_ahead(seq, curvature, forward, REACTION_M, &before_m) != NULL)
			free_m[i] = -1.0;
	}
	int way = cairn_reactive_choose(&seq->inputs.points, free_m,
	    cairn_safe_from_body_m(seq->cfg, seq->cfg->safety.refuse_clearance_m));
	if (!seq->inputs.now.scan_ok || way < 0)
		return false;
	bool slow = free_m[way] < cairn_safe_from_body_m(seq->cfg, seq->cfg->safety.slow_clearance_m),
	     forward;
	double v = cairn_speed_mps(slow ? CAIRN_SPEED_SLOW : CAIRN_SPEED_FAST);
	struct seq_task task = {.kind = SEQ_DRIVE,
	    .d = {.source = CAIRN_SOURCE_LOCAL,
		.tool = CAIRN_TOOL_MOVE_TOWARD,
		.direction = (enum cairn_direction)way,
		.speed = slow ? CAIRN_SPEED_SLOW : CAIRN_SPEED_FAST,
		.duration_s = REACTION_M / v},
	    .limit_s = REACTION_M / v};
	task.curvature_1pm = cairn_safe_curvature(seq->cfg, task.d.direction, &forward);
	task.v_mps = forward ? v : -v;
	snprintf(task.d.reason, sizeof(task.d.reason), "local exploration by the scan alone");
	seq_task_begin(seq, &task, now_ns);
	return true;
}

/* ---- end ---- */

/* The planner knows no way off, and nudges have not got the robot off either: that says nothing about the goal. For as
 * long as somebody may come and free it; then what it cannot go to is given up, or the exploration would never end. */
static bool boxed_in(
    struct cairn_sequencer *seq, const struct seq_task *t, enum cairn_outcome outcome, int64_t now_ns)
{
	const struct cairn_msg_nav_status *s = &seq->planner.status;
	struct seq_boxed *b = &seq->progress.boxed;
	if (outcome != CAIRN_OUTCOME_FAILED || s->goal_id != t->nav.goal_id ||
	    s->state != CAIRN_NAV_STATE_START_BLOCKED)
		return false;
	if (!b->known || hypot(seq->inputs.pose.x_m - b->x_m, seq->inputs.pose.y_m - b->y_m) > BOXED_M)
		*b = (struct seq_boxed){true, seq->inputs.pose.x_m, seq->inputs.pose.y_m, now_ns};
	return hypot(seq->inputs.pose.x_m - t->from_x_m, seq->inputs.pose.y_m - t->from_y_m) <= BOXED_M &&
	       seq_seconds(b->t_ns, now_ns) <= BOXED_S;
}

/* What the end says about the frontier that was the goal. */
static void judge_frontier(struct cairn_sequencer *seq, const struct seq_task *t, enum cairn_outcome outcome,
    const char *reason, int64_t now_ns)
{
	if (t->kind != SEQ_NAV || !t->nav.frontier || t->blameless)
		return;
	if (boxed_in(seq, t, outcome, now_ns)) {
		seq_react(seq, now_ns);
		return;
	}
	double x = t->nav.frontier_x_m, y = t->nav.frontier_y_m, floor_m2 = seq->offers.frontiers.free_m2;
	if (outcome == CAIRN_OUTCOME_FAILED || outcome == CAIRN_OUTCOME_BLOCKED ||
	    outcome == CAIRN_OUTCOME_PARTIAL)
		cairn_frontier_blacklist_failed(&seq->mission.record.explore, x, y, floor_m2,
		    hypot(t->nav.x_m - seq->inputs.pose.x_m, t->nav.y_m - seq->inputs.pose.y_m), reason);
	else if (outcome == CAIRN_OUTCOME_SUCCESS)
		cairn_frontier_blacklist_arrived(&seq->mission.record.explore, x, y, floor_m2, now_ns);
	seq->mission.changed = true;
}

static void judge_progress(struct cairn_sequencer *seq, const struct seq_task *t, enum cairn_outcome outcome)
{
	bool moved = t->distance_m >= SEQ_MOVED_M || fabs(t->turned_rad) >= 0.2;
	if (t->d.source == CAIRN_SOURCE_LOCAL && t->kind == SEQ_RECOVER)
		seq->progress.recoveries++;
	if (!seq_ops_of(t)->goes_somewhere || outcome == CAIRN_OUTCOME_REPLACED)
		return;
	if (outcome == CAIRN_OUTCOME_SUCCESS || (moved && outcome == CAIRN_OUTCOME_PARTIAL)) {
		seq->progress.fails = 0;
		seq->progress.recoveries = 0;
	} else if (t->d.source == CAIRN_SOURCE_MODEL && !t->blameless) {
		got_nowhere(seq);
	} else if (t->d.source == CAIRN_SOURCE_LOCAL && t->kind == SEQ_NAV && !moved && !t->blameless &&
		   outcome == CAIRN_OUTCOME_FAILED && seq->planner.status.state == CAIRN_NAV_STATE_NO_PATH &&
		   seq->progress.recoveries < SEQ_RECOVERIES_FOR_LOCAL) {
		seq->progress.recovery_due = true; /* from elsewhere there may be a way */
	}
}

/* A way that went on with the round: what the model asked for was done before, whatever came of the rest. */
static void tell_onward(const struct seq_task *t, struct cairn_msg_result *r)
{
	char rest[sizeof(r->reason)];
	if (t->kind != SEQ_NAV || !t->nav.onward || r->outcome == CAIRN_OUTCOME_REPLACED)
		return;
	memcpy(rest, r->reason, sizeof(rest));
	r->outcome = CAIRN_OUTCOME_SUCCESS;
	r->stopped_early = false;
	r->suggestion[0] = '\0';
	snprintf(r->reason, sizeof(r->reason),
	    "frontier %u has been seen into on the way there; then: %.100s", t->nav.seen_id, rest);
}

void seq_task_judge(struct cairn_sequencer *seq, const struct seq_task *t, enum cairn_outcome outcome,
    const char *reason, int64_t now_ns)
{
	judge_frontier(seq, t, outcome, reason, now_ns);
	judge_progress(seq, t, outcome);
	if (outcome == CAIRN_OUTCOME_BLOCKED && !t->blameless && !t->nav.onward)
		seq_remember_blocked(seq, &t->d, now_ns);
}

/* A fallback tells what it stands for. */
static void tell_instead(const struct seq_task *t, struct cairn_msg_result *r)
{
	char reason[sizeof(r->reason)];
	if (t->instead[0] == '\0')
		return;
	memcpy(reason, r->reason, sizeof(reason));
	snprintf(r->reason, sizeof(r->reason), "%.110s; %.46s", t->instead, reason);
}

void seq_task_end(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns, const char *fmt, ...)
{
	struct seq_task t = seq->task;
	if (t.kind == SEQ_NONE)
		return;
	seq->task.kind = SEQ_NONE;
	struct cairn_msg_result r = result_of(seq, &t.d);
	r.outcome = outcome;
	r.overridden = t.overridden;
	r.stopped_early = outcome != CAIRN_OUTCOME_SUCCESS;
	r.pace = t.pace;
	tell_cause(&t.by, &r);
	r.distance_m = t.distance_m;
	r.turned_rad = t.turned_rad;
	r.duration_s = seq_seconds(t.t_start_ns, now_ns);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r.reason, sizeof(r.reason), fmt, ap);
	va_end(ap);
	seq_text_executed(&t, r.executed, sizeof(r.executed));
	if (seq->progress.boxed.known && hypot(seq->inputs.pose.x_m - seq->progress.boxed.x_m,
					     seq->inputs.pose.y_m - seq->progress.boxed.y_m) > BOXED_M)
		seq->progress.boxed.known =
		    false; /* it has got off: what may shut it in there again is a new matter */
	seq_task_judge(seq, &t, outcome, r.reason, now_ns);
	bool on_the_way = outcome == CAIRN_OUTCOME_PARTIAL && t.blameless; /* nothing went wrong */
	if (outcome != CAIRN_OUTCOME_SUCCESS && outcome != CAIRN_OUTCOME_REPLACED && !on_the_way)
		seq_text_suggestion(seq, &t.d, r.suggestion, sizeof(r.suggestion));
	if (outcome == CAIRN_OUTCOME_SUCCESS && t.kind == SEQ_DRIVE &&
	    t.d.direction == CAIRN_DIRECTION_FORWARD) {
		seq->step.coast_mps = fabs(seq->step.cmd.v_mps);
		seq->step.t_coast_ns = now_ns;
	}
	if (t.d.id != 0) {
		seq->mission.record.open.decision.id = 0;
		seq->mission.changed = true;
	}
	tell_onward(&t, &r);
	tell_instead(&t, &r);
	seq_text_fallback_refused(r.reason, sizeof(r.reason), t.fallback_refused);
	seq_result_push(seq, &r);
	seq_mission_way_ended(seq, &t, outcome, now_ns);
}
