#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VELOCITY_TIMEOUT_S 0.3
#define STATUS_TIMEOUT_S 1.0
#define PATH_PATIENCE_S                                                                                      \
	3.0          /* a zone that was just drawn is planned round, and the new path is told, within two */
#define REACT_S 10.0 /* without a planner: so long by the scan alone, then it is asked again */
#define LOOK_S 1.2   /* two updates of the frontiers, and a bit */
#define REACHED_SLACK_M 0.25 /* the planner's word is checked against the pose */
#define STRETCH_LEFT_M 1.0
#define VANISHED_UPDATES 2 /* frontier messages in a row without it */
#define VANISHED_M 0.5
#define NEARER_M 0.1
#define TIGHT_M 0.5       /* where there is no room to turn the robot creeps: so far on is somewhere else */
#define TIGHT_TIMES 3     /* the planner's recoveries at one place */
#define MOVES_ALONG_M 6.0 /* what is farther away was not seen from here */

static bool recent(int64_t t_ns, int64_t now_ns, double limit_s)
{
	return t_ns != 0 && seq_seconds(t_ns, now_ns) <= limit_s;
}

static double goal_m(const struct cairn_sequencer *seq)
{
	return hypot(seq->task.nav.x_m - seq->inputs.pose.x_m, seq->task.nav.y_m - seq->inputs.pose.y_m);
}

static void ask_again(struct cairn_sequencer *seq, int64_t now_ns)
{
	seq->task.nav.goal_id = seq_new_goal_id(seq, now_ns);
	seq->task.nav.t_goal_ns = now_ns;
	seq->task.nav.bad_s = 0.0;
	seq->task.blocked_s = seq->task.stall_s = 0.0;
	seq->task.stall_from_m = seq->task.distance_m;
}

void seq_nav_in_trouble(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	if (t->nav.nudging) { /* the manoeuvre itself ended early: plan from here */
		t->nav.nudging = false;
		ask_again(seq, now_ns);
		return;
	}
	if (t->nav.nudges < SEQ_NUDGES_MAX && seq->inputs.now.scan_ok && seq_stretch_find(seq, &t->stretch)) {
		t->nav.nudges++;
		t->nav.nudging = true;
		t->stretch.left_m += t->distance_m; /* as a mark on the path length */
		t->stretch.left_s += t->active_s;
		ask_again(seq, now_ns);
		return;
	}
	/* A planner that knows no way is what a fallback is for; an obstacle on the way is not. */
	if (outcome == CAIRN_OUTCOME_FAILED && seq_model_fall_back(seq, outcome, why, now_ns))
		return;
	seq_task_end(seq, outcome, now_ns, "%s; %.2f m from the goal", why, goal_m(seq));
}

static struct cairn_twist nudge_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	if (t->distance_m >= t->stretch.left_m || t->active_s >= t->stretch.left_s) {
		t->nav.nudging = false;
		ask_again(seq, now_ns);
		return (struct cairn_twist){0};
	}
	return (struct cairn_twist){t->stretch.v_mps, t->stretch.v_mps * t->stretch.curvature_1pm};
}

void seq_react(struct cairn_sequencer *seq, int64_t now_ns)
{
	seq->progress.t_react_ns = now_ns + (int64_t)(REACT_S * 1e9);
}

/* The planner is silent: stands and waits within the bound of a decision. */
static void wait_for_planner(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	bool own = t->d.source == CAIRN_SOURCE_MISSION || t->d.source == CAIRN_SOURCE_OPERATOR;
	t->nav.bad_state = CAIRN_NAV_STATE_NO_INPUT;
	t->nav.bad_s += seq->step.length_s;
	if (t->nav.bad_s > SEQ_HOLD_MAX_S && !own) {
		t->blameless = true;
		seq_react(seq, now_ns);
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns, "%s", why);
	}
}

/* How long each bad word of the planner must last before it is believed, and what follows. */
static void planner_refuses(struct cairn_sequencer *seq, enum cairn_nav_state state, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->nav.bad_s = t->nav.bad_state == state ? t->nav.bad_s + seq->step.length_s : 0.0;
	t->nav.bad_state = state;
	char why[sizeof(seq->planner.status.reason) + 32];
	snprintf(why, sizeof(why), "%s%s%s", cairn_enum_text(&cairn_enum_nav_state, (int)state),
	    seq->planner.status.reason[0] != '\0' ? ": " : "", seq->planner.status.reason);
	bool start = state == CAIRN_NAV_STATE_START_BLOCKED || state == CAIRN_NAV_STATE_STUCK;
	if (t->nav.bad_s < (start ? 0.4 : 1.0))
		return;
	if (start)
		seq_nav_in_trouble(seq, CAIRN_OUTCOME_FAILED, now_ns, why);
	else if (!seq_model_fall_back(seq, CAIRN_OUTCOME_FAILED, why, now_ns))
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns, "%s", why);
}

/* The planner keeps out of zones; a path that does not is stood before until it is another one, or given up. */
static void refuse_path(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->nav.path_bad_s += seq->step.length_s;
	if (t->nav.path_bad_s <= PATH_PATIENCE_S)
		return;
	t->by = (struct seq_cause){CAIRN_SENSOR_ZONE, 0.0, -1.0};
	t->overridden = true;
	seq->mission.record.overrides++;
	seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns,
	    "the planned path leads through the keep-out zone '%s'", seq->planner.path_zone);
}

static struct cairn_twist follow(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	struct cairn_twist zero = {0};
	if (seq->planner.path.goal_id == t->nav.goal_id && seq->planner.path_zone[0] != '\0') {
		refuse_path(seq, now_ns);
		return zero;
	}
	t->nav.path_bad_s = 0.0;
	struct seq_refusal changed = {0};
	enum seq_way way = seq_basis_way(seq, &changed);
	if (way == SEQ_WAY_UNKNOWN) {
		wait_for_planner(seq, now_ns, "the planner tells no path");
		return zero;
	}
	if (way == SEQ_WAY_CHANGED) {
		t->blameless = true;
		t->by = changed.by;
		seq->mission.record.refused++;
		seq_task_end(seq, CAIRN_OUTCOME_REFUSED, now_ns, "on its path %s", changed.reason);
		return zero;
	}
	if (seq->planner.velocity.goal_id != t->nav.goal_id ||
	    !recent(seq->planner.t_velocity_ns, now_ns, VELOCITY_TIMEOUT_S)) {
		wait_for_planner(seq, now_ns, "the planner proposes no velocity");
		return zero;
	}
	t->nav.bad_s = 0.0;
	return cairn_safe_feasible(
	    seq->cfg, (struct cairn_twist){seq->planner.velocity.v_mps, seq->planner.velocity.w_radps});
}

/* At the goal. A frontier gets a moment to be seen into before the visit counts as one in vain. */
static void arrive(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	if (goal_m(seq) > t->nav.tolerance_m + REACHED_SLACK_M) {
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns,
		    "the planner says reached, but it is %.2f m to the goal", goal_m(seq));
		return;
	}
	if (!t->nav.frontier) {
		seq_task_end(
		    seq, CAIRN_OUTCOME_SUCCESS, now_ns, "goal reached to within %.2f m", goal_m(seq));
		return;
	}
	t->nav.looked_s += seq->step.length_s;
	if (t->nav.looked_s >= LOOK_S)
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns,
		    "goal reached to within %.2f m; frontier %u is still open", goal_m(seq),
		    t->nav.frontier_id);
}

static struct cairn_twist obey_planner(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_msg_nav_status *s = &seq->planner.status;
	switch (s->state) {
	case CAIRN_NAV_STATE_REACHED:
		arrive(seq, now_ns);
		break;
	case CAIRN_NAV_STATE_FOLLOWING:
		return follow(seq, now_ns);
	case CAIRN_NAV_STATE_NO_PATH:
	case CAIRN_NAV_STATE_GOAL_BLOCKED:
	case CAIRN_NAV_STATE_START_BLOCKED:
	case CAIRN_NAV_STATE_STUCK:
		planner_refuses(seq, s->state, now_ns);
		break;
	case CAIRN_NAV_STATE_PLANNING:
		wait_for_planner(seq, now_ns, "the planner finds no path in time");
		break;
	case CAIRN_NAV_STATE_IDLE:
	case CAIRN_NAV_STATE_NO_INPUT:
	case CAIRN_NAV_STATE_COUNT:
		wait_for_planner(seq, now_ns, "the planner has no map or pose");
		break;
	}
	return (struct cairn_twist){0};
}

/* A long way of the model's is driven in stretches, so that it sees where it is going; the last bit is not
 * cut. */
static bool stretch_over(const struct cairn_sequencer *seq)
{
	const struct seq_task *t = &seq->task;
	double stretch_s = seq->cfg->safety.decision_stretch_s;
	return t->d.source == CAIRN_SOURCE_MODEL && stretch_s > 0.0 && t->active_s >= stretch_s &&
	       seq->planner.status.state == CAIRN_NAV_STATE_FOLLOWING &&
	       seq->planner.status.remaining_m > STRETCH_LEFT_M && t->distance_m > SEQ_MOVED_M &&
	       seq_prefetch_has_waited(seq);
}

static bool follows(const struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_msg_nav_status *s = &seq->planner.status;
	return s->goal_id == seq->task.nav.goal_id && s->state == CAIRN_NAV_STATE_FOLLOWING &&
	       recent(seq->planner.t_status_ns, now_ns, STATUS_TIMEOUT_S);
}

/* There is no room to turn round where the robot is. */
static bool is_tight(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return seq->task.kind == SEQ_NAV && follows(seq, now_ns) && seq->planner.status.tight;
}

bool seq_backs_out(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return seq->task.kind == SEQ_NAV && follows(seq, now_ns) && seq->planner.status.backing_out;
}

/* What is left of the path, infinity while there is none. To the end of a part of a path it may be near, and far to the
 * goal. */
static double left_m(const struct cairn_sequencer *seq, int64_t now_ns)
{
	return follows(seq, now_ns) && !seq->planner.status.partial ? seq->planner.status.remaining_m
								    : INFINITY;
}

/* False when the robot has long stayed around one place and has not come nearer to where it was to go: it drives to
 * and fro before what it cannot get through, and each path that is planned anew looks as good as the one before. Ways
 * of the mission and of people are followed for as long as their time lasts. */
static bool gets_somewhere(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct seq_task *t = &seq->task;
	const struct cairn_config_nav *cfg = &seq->cfg->nav;
	struct seq_way_progress *p = &seq->progress.way;
	double x_m = t->nav.frontier ? t->nav.frontier_x_m : t->nav.x_m, left = left_m(seq, now_ns);
	double y_m = t->nav.frontier ? t->nav.frontier_y_m : t->nav.y_m;
	bool tight = is_tight(seq, now_ns);
	double somewhere_else_m = tight ? fmin(TIGHT_M, cfg->progress_m) : cfg->progress_m;
	if (t->d.source != CAIRN_SOURCE_MODEL && t->d.source != CAIRN_SOURCE_LOCAL)
		return true;
	if (seq_backs_out(seq, now_ns)) {
		p->since_s = 0.0;
		p->tight = false; /* it comes to where there is room, also if it follows nothing there */
		return true;
	}
	if (!p->known || hypot(x_m - p->goal_x_m, y_m - p->goal_y_m) > VANISHED_M ||
	    left < p->left_m - NEARER_M ||
	    hypot(seq->inputs.pose.x_m - p->x_m, seq->inputs.pose.y_m - p->y_m) > somewhere_else_m)
		*p = (struct seq_way_progress){
		    true, x_m, y_m, seq->inputs.pose.x_m, seq->inputs.pose.y_m, left, 0.0, false, 0};
	/* Nothing is given up from in there before the planner has had time to back out. It counts anew whenever the robot has had
	 * room again, which matters where it follows a part of a path into a place that may lead nowhere. */
	bool again = p->tight_times > 0 && p->tight_times < TIGHT_TIMES && seq->planner.status.partial;
	if (tight && !p->tight && (p->tight_times == 0 || again)) {
		p->tight_times++;
		p->since_s = 0.0;
	}
	if (follows(seq, now_ns))
		p->tight = tight;
	/* A planner that is silent or thinks has not tried, and whom a person holds up is not stuck: the person goes, or is a thing that
	 * stands there after safety.person_stands_s. */
	if ((follows(seq, now_ns) || t->nav.nudging) && !seq_people_hold_up(seq))
		p->since_s += seq->step.length_s;
	if (p->since_s <= cfg->progress_s)
		return true;
	p->since_s = 0.0;
	return false;
}

static struct cairn_twist nav_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	struct cairn_twist zero = {0};
	t->active_s += seq->step.length_s;
	if (seq_backs_out(seq, now_ns)) /* that is not the goal's time */
		t->limit_s += seq->step.length_s;
	else if (isfinite(
		     left_m(seq, now_ns))) /* the way may lead round by far more than it is to the goal */
		t->limit_s = fmax(t->limit_s, t->nav.aimed_s + seq_way_limit_s(seq, left_m(seq, now_ns)));
	if (!gets_somewhere(seq, now_ns)) {
		seq_task_end(seq, CAIRN_OUTCOME_FAILED, now_ns,
		    "no nearer for %.0f s within %.1f m; %.2f m from the goal", seq->cfg->nav.progress_s,
		    seq->cfg->nav.progress_m, goal_m(seq));
		return zero;
	}
	if (t->nav.nudging)
		return nudge_step(seq, now_ns);
	if (seq_trail_onward(seq)) {
		ask_again(seq, now_ns);
		seq_resume_note(seq);
	}
	if (t->active_s > t->limit_s) {
		seq_task_end(seq, t->distance_m > 1.0 ? CAIRN_OUTCOME_PARTIAL : CAIRN_OUTCOME_FAILED, now_ns,
		    "took longer than %.0f s; still %.2f m from the goal", t->limit_s, goal_m(seq));
		return zero;
	}
	if (t->nav.frontier && seq->cfg->mission.recheck && t->nav.missing >= VANISHED_UPDATES &&
	    t->active_s > 1.0 && !seq_prefetch_waits(seq)) {
		t->blameless = true; /* nothing is left there that could be held against it */
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns,
		    "frontier %u has been seen into from %.2f m away", t->nav.frontier_id, goal_m(seq));
		return zero;
	}
	if (seq->planner.status.goal_id != t->nav.goal_id ||
	    !recent(seq->planner.t_status_ns, now_ns, STATUS_TIMEOUT_S)) {
		wait_for_planner(seq, now_ns, "the planner does not answer");
		return zero;
	}
	if (stretch_over(seq)) {
		t->blameless = true;
		seq_task_end(seq, CAIRN_OUTCOME_PARTIAL, now_ns,
		    "on the way, %.1f m are left: decide whether to go on", seq->planner.status.remaining_m);
		return zero;
	}
	return obey_planner(seq, now_ns);
}

static void aim(struct cairn_sequencer *seq, const struct cairn_msg_frontier *f, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	t->nav.x_m = f->goal_x_m;
	t->nav.y_m = f->goal_y_m;
	t->nav.frontier_id = f->id;
	if (!t->nav.onward) { /* what the model has asked for stays so */
		t->d.x_m = f->goal_x_m;
		t->d.y_m = f->goal_y_m;
		t->d.frontier_id = f->id;
	}
	t->nav.frontier_x_m = f->x_m;
	t->nav.frontier_y_m = f->y_m;
	t->nav.missing = 0;
	t->nav.looked_s = 0.0;
	ask_again(seq, now_ns);
}

/* Local exploration may turn at any time. A way of the model's only when what it was sent to has been seen
 * into: so the robot does not drive on to nothing, or stand, until the model is asked again. */
static bool may_turn(const struct cairn_sequencer *seq, const struct cairn_msg_frontier *now)
{
	const struct seq_task *t = &seq->task;
	if (t->nav.nudging || seq->cfg->mission.order != CAIRN_CHOICE_ORDER_TOUR)
		return false;
	if (t->d.source == CAIRN_SOURCE_MODEL)
		return seq_prefetch_goes_on(seq, now == NULL);
	return t->d.source == CAIRN_SOURCE_LOCAL;
}

/* Goes where the round goes on best, also on the way: what has just come in sight may be worth more than what
 * it set out for, and what has been seen into needs no visit. now: the frontier it drives to, NULL when it is
 * gone. The ranking itself keeps it from dithering (choice.tour_keep_m). */
static void turn_to_better(struct cairn_sequencer *seq, const struct cairn_msg_frontier *now, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	if (!may_turn(seq, now) || (now != NULL && !(now->detour_m > 0.0)))
		return;
	/* To leave a place without room takes long: what it went in for, or is beside it, is looked into first. */
	bool tight = is_tight(seq, now_ns);
	if (now != NULL && (tight || seq_backs_out(seq, now_ns)))
		return;
	int best = (tight ? cairn_frontier_blacklist_nearest : cairn_frontier_blacklist_best)(
	    &seq->mission.record.explore, &seq->offers.frontiers, seq->cfg->mission.frontier_min_width_m);
	if (best < 0 || seq->offers.frontiers.items[best].id == t->nav.frontier_id)
		return;
	const struct cairn_msg_frontier *f = &seq->offers.frontiers.items[best];
	if (t->d.source == CAIRN_SOURCE_MODEL && !t->nav.onward) {
		t->nav.onward = true;
		t->nav.seen_id = t->nav.frontier_id;
	}
	aim(seq, f, now_ns);
	t->nav.aimed_s = t->active_s;
	t->limit_s = t->active_s + seq_way_limit_s(seq, hypot(f->goal_x_m - seq->inputs.pose.x_m,
							    f->goal_y_m - seq->inputs.pose.y_m));
	seq_resume_note(seq);
}

void seq_nav_map_moved(struct cairn_sequencer *seq, struct cairn_pose2 was, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	double off_m = hypot(t->nav.x_m - was.x_m, t->nav.y_m - was.y_m);
	bool start = t->d.source == CAIRN_SOURCE_MISSION || t->d.goal_kind == CAIRN_GOAL_KIND_START;
	seq_trail_moved(seq, was);
	if (t->kind != SEQ_NAV || start || off_m > MOVES_ALONG_M)
		return;
	struct cairn_pose2 goal = {t->nav.x_m, t->nav.y_m, 0.0},
			   frontier = {t->nav.frontier_x_m, t->nav.frontier_y_m, 0.0};
	struct cairn_pose2 g = cairn_pose_between(was, goal), f = cairn_pose_between(was, frontier);
	struct cairn_vec2 to = cairn_pose_apply(seq_pose(seq), (struct cairn_vec2){g.x_m, g.y_m});
	struct cairn_vec2 open = cairn_pose_apply(seq_pose(seq), (struct cairn_vec2){f.x_m, f.y_m});
	if (t->d.source == CAIRN_SOURCE_OPERATOR && seq->mission.record.state == CAIRN_MISSION_STATE_GOTO) {
		seq->mission.record.goto_x_m = to.x_m; /* for another attempt */
		seq->mission.record.goto_y_m = to.y_m;
		seq->mission.changed = true;
	}
	t->nav.x_m = to.x_m;
	t->nav.y_m = to.y_m;
	t->nav.frontier_x_m = open.x_m;
	t->nav.frontier_y_m = open.y_m;
	ask_again(seq, now_ns);
	seq_resume_note(seq);
}

void seq_nav_frontiers(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	if (t->kind != SEQ_NAV || !t->nav.frontier)
		return;
	for (uint32_t i = 0; i < seq->offers.frontiers.items_count; i++) {
		const struct cairn_msg_frontier *f = &seq->offers.frontiers.items[i];
		double off_m = hypot(f->x_m - t->nav.frontier_x_m, f->y_m - t->nav.frontier_y_m);
		if (f->id == t->nav.frontier_id || off_m <= VANISHED_M) {
			t->nav.missing = 0;
			turn_to_better(seq, f, now_ns);
			return;
		}
	}
	t->nav.missing++;
	turn_to_better(seq, NULL, now_ns);
}

static void blocked(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	seq_nav_in_trouble(seq, CAIRN_OUTCOME_BLOCKED, now_ns, why);
}

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "drove %.2f m toward (%.2f, %.2f) in %.1f s%s", t->distance_m, t->nav.x_m,
	    t->nav.y_m, t->active_s, t->again ? ", restarted on the way" : "");
}

const struct seq_task_ops seq_navigate_ops = {
    .step = nav_step, .in_trouble = blocked, .executed = executed, .goes_somewhere = true};
