#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

#define TURN_SPEED_MPS 0.12
#define TURN_DONE_RAD 0.06
#define TURN_LATENCY_S 0.15
#define TURN_LEG_MAX_M 0.35   /* longer legs leave the place where the turn was wanted */
#define TURN_LEG_MIN_RAD 0.03 /* a leg with less than this got nowhere */
#define TURN_IDLE_LEGS 3
#define TURN_PAUSE_S 0.3 /* the wheels stop and the steering swings over */
#define STRETCH_SPEED_MPS 0.10
#define STRETCH_MAX_M 0.45
#define STRETCH_MIN_M 0.06

static double sign_of(double x)
{
	return x < 0.0 ? -1.0 : 1.0;
}

/* ---- stand ---- */

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

/* ---- move_toward ---- */

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

/* ---- rotate: arcs forward and backward at the tightest radius until the heading fits ---- */

static double turn_free_m(const struct cairn_sequencer *seq, int leg)
{
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	return cairn_arc_clearance(&seq->inputs.points, &body, seq->cfg->safety.margin_m,
	    leg * seq->task.curvature_1pm, leg > 0, CAIRN_SAFE_HORIZON_M)
	    .free_m;
}

/* Picks the next leg; false: no room either way. */
static bool turn_choose(struct cairn_sequencer *seq, double remaining_rad)
{
	struct seq_turn *turn = &seq->task.turn;
	double stop = seq->cfg->safety.stop_distance_m;
	double need = fmin(fabs(remaining_rad / seq->task.curvature_1pm), TURN_LEG_MAX_M) + stop;
	double ahead = turn_free_m(seq, 1), back = turn_free_m(seq, -1);
	if (turn->last_leg > 0)
		turn->leg = back >= stop + 0.08 ? -1 : 1;
	else if (turn->last_leg < 0)
		turn->leg = ahead >= stop + 0.08 ? 1 : -1;
	else
		turn->leg = ahead >= need || ahead >= back ? 1 : -1;
	turn->leg_from_rad = seq->task.turned_rad;
	turn->leg_m = seq->task.distance_m;
	return (turn->leg > 0 ? ahead : back) >= stop + 0.04;
}

static void turn_end_leg(struct seq_task *t)
{
	bool idle = fabs(t->turned_rad - t->turn.leg_from_rad) < TURN_LEG_MIN_RAD;
	t->turn.idle_legs = idle ? t->turn.idle_legs + 1 : 0;
	t->turn.last_leg = t->turn.leg;
	t->turn.leg = 0;
	t->turn.pause_s = TURN_PAUSE_S;
	t->blocked_s = 0.0;
}

static void turn_give_up(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	bool some = fabs(t->turned_rad) >= 0.3 * fabs(t->turn.wanted_rad);
	seq_task_end(seq, some ? CAIRN_OUTCOME_PARTIAL : CAIRN_OUTCOME_BLOCKED, now_ns,
	    "%s after %.0f of %.0f deg", why, -cairn_rad_to_deg(t->turned_rad),
	    -cairn_rad_to_deg(t->turn.wanted_rad));
}

static struct cairn_twist turn_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	struct cairn_twist zero = {0};
	double remaining = t->turn.wanted_rad - t->turned_rad;
	double w = TURN_SPEED_MPS * fabs(t->curvature_1pm);
	t->active_s += seq->step.length_s;
	/* what is commanded now still turns it a little further */
	double slack =
	    fabs(seq->step.cmd.w_radps) > 0.0 ? fmax(TURN_DONE_RAD, w * TURN_LATENCY_S) : TURN_DONE_RAD;
	if (fabs(remaining) <= slack || remaining * sign_of(t->turn.wanted_rad) < 0.0) {
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "turned %.0f deg, now facing %.0f deg",
		    -cairn_rad_to_deg(t->turned_rad), cairn_compass_deg(seq->inputs.pose.yaw_rad));
		return zero;
	}
	if (t->active_s > t->limit_s) {
		turn_give_up(seq, now_ns, "no time left");
		return zero;
	}
	if (t->turn.pause_s > 0.0) {
		t->turn.pause_s -= seq->step.length_s;
		return zero;
	}
	if (t->turn.leg == 0 && (!turn_choose(seq, remaining) || t->turn.idle_legs >= TURN_IDLE_LEGS)) {
		turn_give_up(seq, now_ns, "no room to turn further");
		return zero;
	}
	bool tight = turn_free_m(seq, t->turn.leg) < seq->cfg->safety.stop_distance_m + 0.03;
	if (tight || t->blocked_s > 0.3 || t->distance_m - t->turn.leg_m > TURN_LEG_MAX_M) {
		turn_end_leg(t);
		return zero;
	}
	double v = t->turn.leg * TURN_SPEED_MPS;
	return (struct cairn_twist){v, v * t->turn.leg * t->curvature_1pm};
}

/* ---- recovery ---- */

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

/* ---- all of them ---- */

/* Inputs are missing: stands, keeps the decision for a while. True while it must stand. */
static bool held(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	bool own = t->d.source == CAIRN_SOURCE_MISSION || t->d.source == CAIRN_SOURCE_OPERATOR;
	if (seq->inputs.now.hold[0] == '\0' || t->kind == SEQ_STAND || t->kind == SEQ_REPORT ||
	    t->kind == SEQ_HELP) {
		t->held_s = 0.0;
		return false;
	}
	t->held_s += seq->step.length_s;
	t->blocked_s = t->stall_s = 0.0;
	t->stall_from_m = t->distance_m;
	if (own) /* the way home waits as long as it takes */
		return true;
	if (seq->inputs.now.estop || t->held_s > SEQ_HOLD_MAX_S) {
		t->blameless = true;
		seq_task_end(seq, seq->inputs.now.estop ? CAIRN_OUTCOME_BLOCKED : CAIRN_OUTCOME_FAILED,
		    now_ns, "%s", seq->inputs.now.hold);
	}
	return true;
}

/* Between two decisions of the model the last straight move fades out. */
static struct cairn_twist coast(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct cairn_twist zero = {0};
	if (seq->inputs.now.hold[0] != '\0')
		seq->step.coast_mps = 0.0; /* what was stopped does not roll on by itself afterwards */
	if (seq->step.coast_mps <= 0.0 || seq->mission.record.state != CAIRN_MISSION_STATE_EXPLORING)
		return zero;
	double age_s = seq_seconds(seq->step.t_coast_ns, now_ns);
	double v = seq->step.coast_mps * exp(-age_s / seq->cfg->safety.silent_decay_s);
	struct cairn_footprint body = cairn_safe_footprint(seq->cfg);
	double free_m = cairn_arc_clearance(
	    &seq->inputs.points, &body, seq->cfg->safety.margin_m, 0.0, true, CAIRN_SAFE_HORIZON_M)
			    .free_m;
	if (age_s > seq->cfg->safety.silent_coast_s || v < CAIRN_SAFE_CREEP_MPS ||
	    free_m < seq->cfg->safety.slow_distance_m) {
		seq->step.coast_mps = 0.0;
		return zero;
	}
	return (struct cairn_twist){v, 0.0};
}

struct cairn_twist seq_drive(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct cairn_twist zero = {0};
	if (seq->task.kind == SEQ_NONE)
		return coast(seq, now_ns);
	if (held(seq, now_ns))
		return zero;
	switch (seq->task.kind) {
	case SEQ_STAND:
	case SEQ_REPORT:
		return stand_step(seq, now_ns);
	case SEQ_HELP:
		return seq_model_help(seq, now_ns);
	case SEQ_WALL:
		return seq_wall_step(seq, now_ns);
	case SEQ_DRIVE:
		return move_step(seq, now_ns);
	case SEQ_TURN:
		return turn_step(seq, now_ns);
	case SEQ_TELEOP:
		return seq_teleop_twist(seq);
	case SEQ_NAV:
		return seq_nav_step(seq, now_ns);
	case SEQ_RECOVER:
		return recover_step(seq, now_ns);
	case SEQ_NONE:
		break;
	}
	return zero;
}

/* ---- after the safety function ---- */

/* Notes what holds the robot back; true while less than half of what is wanted is driven. */
static bool reduced(struct cairn_sequencer *seq, const struct cairn_safe_velocity *safe)
{
	struct seq_task *t = &seq->task;
	if (seq->step.keepout[0] != '\0') {
		snprintf(t->cause, sizeof(t->cause), "keep-out zone '%s' begins in %.2f m", seq->step.keepout,
		    fmax(safe->free_m, 0.0));
		t->by = (struct seq_cause){CAIRN_SENSOR_ZONE, safe->bearing_rad, safe->free_m};
		return true;
	}
	if (safe->ratio < 0.5 && isfinite(seq->people.held_by.limit_mps)) {
		t->by = (struct seq_cause){
		    CAIRN_SENSOR_LIDAR, seq->people.held_by.bearing_rad, seq->people.held_by.distance_m};
		snprintf(t->cause, sizeof(t->cause), "lidar: something moves %s, %.2f m away",
		    cairn_bearing_name(seq->people.held_by.bearing_rad), seq->people.held_by.distance_m);
		return true;
	}
	if (safe->ratio < 0.5) {
		t->by = seq_cause_of(seq, safe->hit, safe->point);
		snprintf(t->cause, sizeof(t->cause), "%s: obstacle %s, %.2f m free on the arc",
		    cairn_enum_text(&cairn_enum_sensor, (int)t->by.sensor),
		    cairn_bearing_name(safe->bearing_rad), safe->free_m);
		return true;
	}
	bool monitor =
	    seq->inputs.now.motion_ok && (seq->inputs.motion.state == CAIRN_MOTOR_STATE_SLOWED ||
					     seq->inputs.motion.state == CAIRN_MOTOR_STATE_BLOCKED);
	if (!monitor || fabs(seq->inputs.motion.v_mps) >= 0.5 * fabs(seq->step.cmd.v_mps))
		return false;
	t->by = (struct seq_cause){
	    seq->inputs.motion.cause, seq->inputs.motion.cause_bearing_rad, seq->inputs.motion.cause_m};
	snprintf(t->cause, sizeof(t->cause), "motor stage, %s: %.70s",
	    cairn_enum_text(&cairn_enum_sensor, (int)t->by.sensor), seq->inputs.motion.reason);
	return true;
}

static void in_trouble(struct cairn_sequencer *seq, int64_t now_ns, const char *why)
{
	struct seq_task *t = &seq->task;
	switch (t->kind) {
	case SEQ_DRIVE:
		seq_task_end(seq,
		    t->distance_m >= 0.5 * fabs(t->v_mps) * t->limit_s ? CAIRN_OUTCOME_PARTIAL
								       : CAIRN_OUTCOME_BLOCKED,
		    now_ns, "stopped after %.2f m: %s", t->distance_m, why);
		return;
	case SEQ_WALL:
		seq_task_end(seq,
		    t->distance_m >= SEQ_MOVED_M ? CAIRN_OUTCOME_PARTIAL : CAIRN_OUTCOME_BLOCKED, now_ns,
		    "stopped after %.2f m: %s", t->distance_m, why);
		return;
	case SEQ_TURN:
		turn_give_up(seq, now_ns, why);
		return;
	case SEQ_RECOVER:
		seq_task_end(seq, t->distance_m >= 0.03 ? CAIRN_OUTCOME_SUCCESS : CAIRN_OUTCOME_FAILED,
		    now_ns, "left a tight place by %.2f m: %s", t->distance_m, why);
		return;
	case SEQ_NAV:
		seq_nav_in_trouble(seq, CAIRN_OUTCOME_BLOCKED, now_ns, why);
		return;
	case SEQ_NONE:
	case SEQ_STAND:
	case SEQ_REPORT:
	case SEQ_HELP:
	case SEQ_TELEOP:
		return;
	}
}

void seq_drive_account(struct cairn_sequencer *seq, struct cairn_twist want,
    const struct cairn_safe_velocity *safe, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	if (t->kind == SEQ_NONE || t->kind == SEQ_STAND || t->kind == SEQ_REPORT || t->kind == SEQ_HELP)
		return;
	if (want.v_mps == 0.0 || seq_backs_out(seq, now_ns)) {
		t->blocked_s = t->stall_s = 0.0;
		t->stall_from_m = t->distance_m;
		return;
	}
	if (t->kind == SEQ_TELEOP) { /* the person sees it, and decides what to do about it */
		t->cause[0] = '\0';
		(void)reduced(seq, safe);
		return;
	}
	t->pace = safe->pace < t->pace ? safe->pace : t->pace;
	if (reduced(seq, safe)) {
		t->reduced_s += seq->step.length_s;
		if (!t->overridden && t->reduced_s > SEQ_OVERRIDE_S) {
			t->overridden = true;
			seq->mission.record.overrides++;
			seq->mission.changed = true;
		}
	}
	bool standing = safe->twist.v_mps == 0.0 ||
			(seq->inputs.now.motion_ok && seq->inputs.motion.state == CAIRN_MOTOR_STATE_BLOCKED);
	t->blocked_s = standing ? t->blocked_s + seq->step.length_s : 0.0;
	if (t->distance_m - t->stall_from_m >= SEQ_STALL_M || standing) {
		t->stall_s = 0.0;
		t->stall_from_m = t->distance_m;
	} else {
		t->stall_s += seq->step.length_s;
	}
	char why[sizeof(t->cause)];
	snprintf(why, sizeof(why), "%s", t->cause[0] != '\0' ? t->cause : "the wheels do not move");
	/* On a way the planner tries to get out of it first: it remembers where it was held, and plans around
	 * that. */
	double patience_s =
	    t->kind == SEQ_NAV && !t->nav.nudging ? seq->cfg->nav.stuck_s + SEQ_NAV_PATIENCE_S : 0.0;
	if (t->blocked_s > fmax(SEQ_BLOCKED_S, patience_s))
		in_trouble(seq, now_ns, why);
	else if (t->stall_s > fmax(SEQ_STALL_S, patience_s))
		in_trouble(seq, now_ns, "the wheels do not move");
}
