/* rotate_task.c - rotate: in place where the base can, else arcs forward and backward at the tightest radius, until the heading
 * fits. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>
#include <stdio.h>

#include "common/config/speeds.h"

#define TURN_SPEED_MPS 0.12
#define TURN_DONE_RAD 0.06
#define TURN_LATENCY_S 0.15
#define TURN_LEG_MAX_M 0.35   /* longer legs leave the place where the turn was wanted */
#define TURN_LEG_MIN_RAD 0.03 /* a leg with less than this got nowhere */
#define TURN_IDLE_LEGS 3
#define PLACE_RADPS 0.7 /* in place: turning faster blurs the scan */
#define PLACE_GAIN_1PS 1.5
#define PLACE_MIN_RADPS 0.25
#define IN_PLACE_M 0.02
#define TURN_PAUSE_S 0.3 /* the wheels stop and the steering swings over */

static double sign_of(double x)
{
	return x < 0.0 ? -1.0 : 1.0;
}

/* Slower toward the end, so that it comes to stand at it. */
static struct cairn_twist turn_in_place(const struct cairn_sequencer *seq, double remaining_rad)
{
	double most = fmin(PLACE_RADPS, cairn_turn_rate_max_radps(seq->cfg));
	double rate = cairn_clamp(PLACE_GAIN_1PS * fabs(remaining_rad), PLACE_MIN_RADPS, most);
	return (struct cairn_twist){0.0, copysign(rate, remaining_rad)};
}

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
	bool in_place = cairn_is_differential(seq->cfg);
	double w = in_place ? fabs(seq->step.cmd.w_radps) : TURN_SPEED_MPS * fabs(t->curvature_1pm);
	t->active_s += seq->step.length_s;
	/* what is commanded now still turns it a little further */
	double slack =
	    fabs(seq->step.cmd.w_radps) > 0.0 ? fmax(TURN_DONE_RAD, w * TURN_LATENCY_S) : TURN_DONE_RAD;
	if (fabs(remaining) <= slack || remaining * sign_of(t->turn.wanted_rad) < 0.0) {
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "turned %.0f deg, now facing %d deg",
		    -cairn_rad_to_deg(t->turned_rad), cairn_compass_whole_deg(seq->inputs.pose.yaw_rad));
		return zero;
	}
	if (t->active_s > t->limit_s) {
		turn_give_up(seq, now_ns, "no time left");
		return zero;
	}
	if (in_place)
		return turn_in_place(seq, remaining);
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

static void executed(const struct seq_task *t, char *buf, size_t bytes)
{
	if (t->distance_m < IN_PLACE_M)
		snprintf(buf, bytes, "turned %.0f deg in place in %.1f s", -cairn_rad_to_deg(t->turned_rad),
		    t->active_s);
	else
		snprintf(buf, bytes, "turned %.0f deg (%.2f m of arcs) in %.1f s",
		    -cairn_rad_to_deg(t->turned_rad), t->distance_m, t->active_s);
}

const struct seq_task_ops seq_rotate_ops = {
    .step = turn_step, .in_trouble = turn_give_up, .executed = executed, .goes_somewhere = true};
