/* skill_hold.c - wishes for the arm: through the gate, out as an order, and the wheels at zero until its end is told. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/sequencer/sequencer_private.h"

#define MOVES_MPS 0.005 /* slower than this the wheels stand */
#define MOVES_RADPS 0.02
#define OFFER_MAX_S 3.0  /* an arm that has not said anything for so long is not there */
#define ABORT_WAIT_S 2.0 /* an arm that was told to stop is waited for so long */
#define GRACE_S 1.0      /* behind the deadline, in which the arm itself may say that it has failed */

/* ---- inputs ---- */

void cairn_sequencer_on_detections(
    struct cairn_sequencer *seq, const struct cairn_msg_detections *seen, int64_t t_ns)
{
	cairn_skill_saw(&seq->skill.sights, seen, t_ns);
}

void cairn_sequencer_on_skills(
    struct cairn_sequencer *seq, const struct cairn_msg_skills *skills, int64_t t_ns)
{
	if (t_ns < seq->skill.t_offer_ns)
		return;
	seq->skill.offer = *skills;
	seq->skill.t_offer_ns = t_ns;
}

bool seq_skill_busy(const struct cairn_sequencer *seq)
{
	return seq->skill.order.id != 0 || seq->skill.orphan;
}

/* When the wheels, by the motor stage's word or by this one's, moved last. */
static void watch_wheels(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct cairn_msg_motion *m = &seq->inputs.motion;
	bool told =
	    seq->inputs.now.motion_ok && (fabs(m->v_mps) > MOVES_MPS || fabs(m->w_radps) > MOVES_RADPS);
	bool commanded = seq->step.cmd.v_mps != 0.0 || seq->step.cmd.w_radps != 0.0;
	if (told || commanded || !seq->inputs.now.motion_ok || seq->skill.t_moved_ns == 0)
		seq->skill.t_moved_ns = now_ns;
}

/* ---- out ---- */

static void put_order(struct cairn_sequencer *seq, const struct cairn_msg_skill_request *order)
{
	if (seq->skill.orders_count < SEQ_SKILL_ORDERS)
		seq->skill.orders[seq->skill.orders_count++] = *order;
}

static void put_result(struct cairn_sequencer *seq, const struct cairn_msg_skill_result *result)
{
	if (seq->skill.results_count < SEQ_SKILL_RESULTS)
		seq->skill.results[seq->skill.results_count++] = *result;
	else
		seq->outbox.rejects++;
}

bool cairn_sequencer_next_skill_order(struct cairn_sequencer *seq, struct cairn_msg_skill_request *ret)
{
	if (seq->skill.orders_count == 0)
		return false;
	*ret = seq->skill.orders[0];
	memmove(seq->skill.orders, seq->skill.orders + 1, --seq->skill.orders_count * sizeof(*ret));
	return true;
}

bool cairn_sequencer_next_skill_result(struct cairn_sequencer *seq, struct cairn_msg_skill_result *ret)
{
	if (seq->skill.results_count == 0)
		return false;
	*ret = seq->skill.results[0];
	memmove(seq->skill.results, seq->skill.results + 1, --seq->skill.results_count * sizeof(*ret));
	return true;
}

/* ---- wishes ---- */

static const char *forbidden_by_mission(const struct cairn_sequencer *seq)
{
	switch ((enum cairn_mission_state)seq->mission.record.state) {
	case CAIRN_MISSION_STATE_TASK:
		return NULL;
	case CAIRN_MISSION_STATE_PAUSED:
		return "the mission is paused";
	default:
		return "the robot has no task";
	}
}

void cairn_sequencer_on_skill_wish(
    struct cairn_sequencer *seq, const struct cairn_msg_skill_request *wish, uint64_t epoch, int64_t now_ns)
{
	struct cairn_msg_skill_result result;
	const struct cairn_dynamic_obstacles *people = &seq->people.obstacles;
	if (epoch != seq->skill.wish_epoch) {
		seq->skill.wish_epoch = epoch;
		seq->skill.last_wish = 0;
	}
	if (wish->id <= seq->skill.last_wish) {
		seq->outbox.duplicates++;
		return;
	}
	seq->skill.last_wish = wish->id;
	seq_inputs_update(seq, now_ns);
	bool offered =
	    seq->skill.t_offer_ns != 0 && seq_seconds(seq->skill.t_offer_ns, now_ns) <= OFFER_MAX_S;
	bool drives = seq_executing(seq) && !seq_ops_of(&seq->task)->stands;
	struct cairn_skill_now now = {.cfg = seq->cfg,
	    .now_ns = now_ns,
	    .offered = offered ? &seq->skill.offer : NULL,
	    .forbidden = seq_teleop_holds(seq, now_ns) ? "a person steers the robot by hand"
						       : forbidden_by_mission(seq),
	    .hold = seq->inputs.now.hold[0] != '\0' ? seq->inputs.now.hold : NULL,
	    .busy = seq_skill_busy(seq),
	    .driving = drives,
	    .stood_s = seq->skill.t_moved_ns != 0 ? seq_seconds(seq->skill.t_moved_ns, now_ns) : 0.0,
	    .pose_ok = seq->inputs.now.pose_ok,
	    .pose = seq_pose_at(seq, now_ns),
	    .sights = &seq->skill.sights,
	    .mover_x_m = people->x_m,
	    .mover_y_m = people->y_m,
	    .movers = people->points};
	if (!cairn_skill_gate(&now, wish, &result)) {
		put_result(seq, &result);
		return;
	}
	seq->skill.order = *wish;
	seq->skill.order.abort = false;
	seq->skill.t_order_ns = now_ns;
	seq->skill.t_abort_ns = 0;
	put_order(seq, &seq->skill.order);
}

/* ---- the end ---- */

static void end_with(
    struct cairn_sequencer *seq, enum cairn_outcome outcome, const char *reason, int64_t now_ns)
{
	struct cairn_msg_skill_result r = {.id = seq->skill.order.id,
	    .task_id = seq->skill.order.task_id,
	    .verb = seq->skill.order.verb,
	    .outcome = outcome,
	    .duration_s = seq_seconds(seq->skill.t_order_ns, now_ns)};
	memcpy(r.target, seq->skill.order.target, sizeof(r.target));
	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	memcpy(r.held, seq->skill.offer.held, sizeof(r.held));
	seq->skill.order.id = 0;
	put_result(seq, &r);
}

void cairn_sequencer_on_skill_done(
    struct cairn_sequencer *seq, const struct cairn_msg_skill_result *done, int64_t now_ns)
{
	if (seq->skill.offer.busy_id == done->id)
		seq->skill.offer.busy_id = 0;
	if (done->id == 0 || done->id != seq->skill.order.id || done->verb != seq->skill.order.verb) {
		seq->outbox.duplicates++;
		return;
	}
	struct cairn_msg_skill_result r = *done;
	r.task_id = seq->skill.order.task_id;
	r.duration_s = seq_seconds(seq->skill.t_order_ns, now_ns);
	memcpy(r.target, seq->skill.order.target, sizeof(r.target));
	if (seq->skill.t_abort_ns != 0) {
		r.outcome = CAIRN_OUTCOME_FAILED;
		snprintf(r.reason, sizeof(r.reason), "%s", seq->skill.why_abort);
	}
	seq->skill.order.id = 0;
	put_result(seq, &r);
}

/* What ends a skill before its time; NULL: nothing. */
static const char *why_stop(struct cairn_sequencer *seq, int64_t now_ns)
{
	const char *forbidden = forbidden_by_mission(seq);
	if (seq->inputs.now.estop)
		return "emergency stop";
	if (forbidden != NULL)
		return forbidden;
	if (seq_teleop_holds(seq, now_ns))
		return "a person steers the robot by hand";
	if (seq_seconds(seq->skill.t_order_ns, now_ns) > seq->skill.order.deadline_s + GRACE_S)
		return "it took longer than its deadline";
	return NULL;
}

void seq_skill_step(struct cairn_sequencer *seq, int64_t now_ns)
{
	watch_wheels(seq, now_ns);
	/* An arm that moves for a process that has died is not driven away from. */
	seq->skill.orphan = seq->skill.order.id == 0 && seq->skill.offer.busy_id != 0 &&
			    seq_seconds(seq->skill.t_offer_ns, now_ns) <= OFFER_MAX_S;
	if (seq->skill.order.id == 0)
		return;
	seq->silence.t_wanted_ns = now_ns; /* who waits for an arm is not silent */
	if (seq->skill.t_abort_ns != 0) {
		if (seq_seconds(seq->skill.t_abort_ns, now_ns) > ABORT_WAIT_S)
			end_with(seq, CAIRN_OUTCOME_FAILED, seq->skill.why_abort, now_ns);
		return;
	}
	const char *why = why_stop(seq, now_ns);
	if (why == NULL)
		return;
	struct cairn_msg_skill_request stop = seq->skill.order;
	stop.abort = true;
	put_order(seq, &stop);
	seq->skill.t_abort_ns = now_ns;
	snprintf(seq->skill.why_abort, sizeof(seq->skill.why_abort), "%s", why);
}
