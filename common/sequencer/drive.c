/* drive.c - one step of whatever is executed, and what becomes of it behind the safety function. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

#define STALL_RAD 0.1 /* turning in place by less than this gets nowhere */

/* Inputs are missing: stands, keeps the decision for a while. True while it must stand. */
static bool held(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	bool own = t->d.source == CAIRN_SOURCE_MISSION || t->d.source == CAIRN_SOURCE_OPERATOR;
	if (seq->inputs.now.hold[0] == '\0' || seq_ops_of(t)->stands) {
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

static const struct seq_task_ops *const ops[SEQ_KINDS] = {
    [SEQ_STAND] = &seq_stand_ops,
    [SEQ_REPORT] = &seq_report_ops,
    [SEQ_HELP] = &seq_help_ops,
    [SEQ_DRIVE] = &seq_move_ops,
    [SEQ_TURN] = &seq_rotate_ops,
    [SEQ_NAV] = &seq_navigate_ops,
    [SEQ_WALL] = &seq_wall_ops,
    [SEQ_RECOVER] = &seq_backup_ops,
    [SEQ_TELEOP] = &seq_teleop_ops,
};

const struct seq_task_ops *seq_ops_of(const struct seq_task *t)
{
	static const struct seq_task_ops none = {.stands = true};
	return ops[t->kind] != NULL ? ops[t->kind] : &none;
}

struct cairn_twist seq_drive(struct cairn_sequencer *seq, int64_t now_ns)
{
	if (seq->task.kind == SEQ_NONE)
		return coast(seq, now_ns);
	if (held(seq, now_ns))
		return (struct cairn_twist){0};
	return seq_ops_of(&seq->task)->step(seq, now_ns);
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
	if (seq->step.held_by != CAIRN_SENSOR_NONE) {
		bool forward = fabs(safe->bearing_rad) < 1.0;
		snprintf(t->cause, sizeof(t->cause), "%s", seq_guard_text(seq->step.held_by, forward));
		t->by = (struct seq_cause){seq->step.held_by, safe->bearing_rad, -1.0};
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
	bool turns = cairn_twist_in_place(seq->step.cmd);
	if (!monitor || (!turns && fabs(seq->inputs.motion.v_mps) >= 0.5 * fabs(seq->step.cmd.v_mps)) ||
	    (turns && fabs(seq->inputs.motion.w_radps) >= 0.5 * fabs(seq->step.cmd.w_radps)))
		return false;
	t->by = (struct seq_cause){
	    seq->inputs.motion.cause, seq->inputs.motion.cause_bearing_rad, seq->inputs.motion.cause_m};
	snprintf(t->cause, sizeof(t->cause), "motor stage, %s: %.70s",
	    cairn_enum_text(&cairn_enum_sensor, (int)t->by.sensor), seq->inputs.motion.reason);
	return true;
}

void seq_drive_account(struct cairn_sequencer *seq, struct cairn_twist want,
    const struct cairn_safe_velocity *safe, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	const struct seq_task_ops *o = seq_ops_of(t);
	if (o->stands)
		return;
	if ((want.v_mps == 0.0 && want.w_radps == 0.0) || seq_backs_out(seq, now_ns)) {
		t->blocked_s = t->stall_s = 0.0;
		t->stall_from_m = t->distance_m;
		return;
	}
	if (o->in_trouble == NULL) { /* a person steers, who sees it and decides what to do about it */
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
	bool standing = (safe->twist.v_mps == 0.0 && safe->twist.w_radps == 0.0) ||
			(seq->inputs.now.motion_ok && seq->inputs.motion.state == CAIRN_MOTOR_STATE_BLOCKED);
	t->blocked_s = standing ? t->blocked_s + seq->step.length_s : 0.0;
	bool turned =
	    cairn_twist_in_place(safe->twist) && fabs(t->turned_rad - t->stall_from_rad) >= STALL_RAD;
	if (t->distance_m - t->stall_from_m >= SEQ_STALL_M || turned || standing) {
		t->stall_s = 0.0;
		t->stall_from_m = t->distance_m;
		t->stall_from_rad = t->turned_rad;
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
		o->in_trouble(seq, now_ns, why);
	else if (t->stall_s > fmax(SEQ_STALL_S, patience_s))
		o->in_trouble(seq, now_ns, "the wheels do not move");
}
