/* prefetch.c - the next word of the model is asked for while its last way is still being driven.
 *
 * A model takes its time. Asked only when a way is over, the robot would stand for as long as it thinks. So a
 * decision is wanted when what is left of a way, or of a stretch of it, takes about as long as the model has
 * taken lately. All rules for decisions hold for the answer, those of its age and of how far the robot has
 * moved since the snapshot included: what would break them is not asked for ahead of time.
 *
 * An event (a doorway, a way that is blocked) may start a call at any time of a drive. Its answer says which decision it
 * takes the place of (decision.replaces), so that one that comes after that has ended, or was replaced already, is judged
 * like any other. A model too slow for that, at the speed of the robot, is not asked at events.
 *
 * A way whose frontier has been seen into goes on with the round by itself and is asked about like any other,
 * before it or its stretch ends: a question for every frontier that comes in sight on the way would cost up
 * to twice the calls, and the robot would turn more than it gains. */
#include <math.h>

#include "common/sequencer/sequencer_private.h"
#include "common/config/speeds.h"

#define ANSWER_FIRST_S 0.6 /* of a model that has not answered yet */
#define ANSWER_SHARE 0.3   /* of the newest answer in the mean */
#define MARGIN_S 0.3       /* until the snapshot is taken, and for slower answers than usual */
#define MOVED_SHARE 0.75   /* of what the robot may move from the snapshot on */
#define SAME_GOAL_M 0.3
#define EVENT_MARGIN_S 0.1 /* until the snapshot of an event is sent */
#define HELD_UP_S 0.3      /* of standing before something, or of a planner that knows no way */
#define WORSE_AFTER_S 2.0  /* a way is driven for so long before another is thought of */

void seq_prefetch_answered(struct cairn_sequencer *seq, const struct cairn_msg_decision *d, int64_t now_ns)
{
	double age_s = seq_seconds(d->t_snapshot_ns, now_ns);
	if (d->t_snapshot_ns == 0 || !(age_s >= 0.0) || d->decider == CAIRN_DECIDER_RULE)
		return; /* a rule that decides at once says nothing of how long a model takes */
	seq->silence.answer_s = seq->silence.answer_s > 0.0
				    ? seq->silence.answer_s + ANSWER_SHARE * (age_s - seq->silence.answer_s)
				    : age_s;
}

double seq_prefetch_lead_s(const struct cairn_sequencer *seq)
{
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double answer_s = (seq->silence.answer_s > 0.0 ? seq->silence.answer_s : ANSWER_FIRST_S) + MARGIN_S;
	double moved_s = MOVED_SHARE * s->decision_max_moved_m / cairn_cruise_mps(seq->cfg);
	return fmin(fmin(answer_s, moved_s), s->ask_ahead_s);
}

/* Another frontier has become the better one to go to by a good deal. */
static bool worse(const struct cairn_sequencer *seq)
{
	const struct seq_task *t = &seq->task;
	double much_m = seq->cfg->safety.ask_worse_m;
	if (!t->nav.frontier || !(much_m > 0.0) || t->active_s < WORSE_AFTER_S)
		return false;
	const struct cairn_msg_frontier *f = seq_frontier(seq, t->nav.frontier_id);
	return f != NULL && f->detour_m > much_m;
}

static bool due(const struct cairn_sequencer *seq, double lead_s)
{
	const struct seq_task *t = &seq->task;
	double stretch_s = seq->cfg->safety.decision_stretch_s;
	if (!(lead_s > 0.0) || t->distance_m <= SEQ_MOVED_M || t->nav.nudging)
		return false;
	if (t->nav.frontier && t->nav.missing > 0 && seq->cfg->mission.recheck)
		return true; /* seen into, and nothing to go on to: nothing is left to drive there for */
	if (seq->planner.status.goal_id != t->nav.goal_id)
		return false;
	if (seq->planner.status.state == CAIRN_NAV_STATE_REACHED || worse(seq))
		return true;
	if (seq->planner.status.state != CAIRN_NAV_STATE_FOLLOWING)
		return false;
	return (!seq->planner.status.partial &&
		   seq->planner.status.remaining_m <= lead_s * cairn_cruise_mps(seq->cfg)) ||
	       (stretch_s > 0.0 && stretch_s - t->active_s <= lead_s);
}

void seq_prefetch_step(struct cairn_sequencer *seq)
{
	struct seq_task *t = &seq->task;
	if (t->kind != SEQ_NAV || t->d.source != CAIRN_SOURCE_MODEL)
		return;
	if (t->ahead)
		t->ahead_s += seq->step.length_s;
	else
		t->ahead = due(seq, seq_prefetch_lead_s(seq));
}

bool seq_prefetch_goes_on(const struct cairn_sequencer *seq, bool seen)
{
	const struct seq_task *t = &seq->task;
	return seq->cfg->mission.recheck && seq_prefetch_lead_s(seq) > 0.0 &&
	       (t->nav.onward || (seen && t->distance_m > SEQ_MOVED_M));
}

bool seq_prefetch_waits(const struct cairn_sequencer *seq)
{
	return seq->task.ahead && seq->task.ahead_s < seq_prefetch_lead_s(seq);
}

bool seq_prefetch_has_waited(const struct cairn_sequencer *seq)
{
	double lead_s = seq_prefetch_lead_s(seq);
	return !(lead_s > 0.0) || (seq->task.ahead && seq->task.ahead_s >= lead_s);
}

/* A turn is over soon, and what "forward" was changes under it; whoever stands is asked anyway. */
static bool drives_for_model(const struct cairn_sequencer *seq)
{
	const struct seq_task *t = &seq->task;
	return t->d.source == CAIRN_SOURCE_MODEL && t->d.id != 0 &&
	       (t->kind == SEQ_NAV || t->kind == SEQ_DRIVE || t->kind == SEQ_WALL);
}

bool seq_prefetch_takes_events(const struct cairn_sequencer *seq)
{
	double answer_s =
	    (seq->silence.answer_s > 0.0 ? seq->silence.answer_s : ANSWER_FIRST_S) + EVENT_MARGIN_S;
	const struct cairn_config_safety *s = &seq->cfg->safety;
	double moved_m = s->decision_max_moved_m;
	if (seq->task.kind == SEQ_NAV && s->decision_max_shift_m > 0.0)
		moved_m = fmax(moved_m, s->decision_checked_moved_m);
	return seq->cfg->vlm.ask_at_events && drives_for_model(seq) &&
	       answer_s * cairn_cruise_mps(seq->cfg) <= moved_m;
}

bool seq_prefetch_replaces(const struct cairn_sequencer *seq, const struct cairn_msg_decision *d)
{
	return d->source == CAIRN_SOURCE_MODEL && drives_for_model(seq) && d->replaces == seq->task.d.id;
}

bool seq_prefetch_held_up(const struct cairn_sequencer *seq)
{
	const struct seq_task *t = &seq->task;
	bool no_way =
	    t->nav.bad_state == CAIRN_NAV_STATE_NO_PATH || t->nav.bad_state == CAIRN_NAV_STATE_GOAL_BLOCKED ||
	    t->nav.bad_state == CAIRN_NAV_STATE_START_BLOCKED || t->nav.bad_state == CAIRN_NAV_STATE_STUCK;
	return drives_for_model(seq) && (t->blocked_s > HELD_UP_S || t->nav.nudging ||
					    (t->kind == SEQ_NAV && no_way && t->nav.bad_s > HELD_UP_S));
}

void seq_prefetch_take_over(struct cairn_sequencer *seq, struct seq_task *next, int64_t now_ns)
{
	struct seq_task *t = &seq->task;
	const struct cairn_msg_decision *d = &next->d;
	bool event = seq_prefetch_replaces(seq, d);
	struct seq_nav was = t->nav;
	bool seen = t->nav.frontier && t->nav.missing > 0;
	/* The place from which a frontier is looked into moves while the map grows. No way is left for that alone that is longer than a
	 * stretch; the end of a shorter one would have to be asked about once more. */
	double stretch_m = seq->cfg->safety.decision_stretch_s * cairn_cruise_mps(seq->cfg);
	bool confirmed = event && was.frontier && next->nav.frontier &&
			 next->nav.frontier_id == was.frontier_id && stretch_m > 0.0 &&
			 seq->planner.status.remaining_m > stretch_m;
	bool same = next->kind == SEQ_NAV && !was.nudging &&
		    seq->planner.status.state == CAIRN_NAV_STATE_FOLLOWING &&
		    (confirmed || hypot(next->nav.x_m - was.x_m, next->nav.y_m - was.y_m) <= SAME_GOAL_M);
	t->blameless = true;
	if (seen)
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns,
		    "frontier %u has been seen into on the way there", was.frontier_id);
	else
		/* An event cuts a way wherever it happens: how far that is says nothing of how well the way goes. */
		seq_task_end(seq, event && !was.onward ? CAIRN_OUTCOME_REPLACED : CAIRN_OUTCOME_PARTIAL,
		    now_ns, "on the way, %.1f m were left when decision %llu took over",
		    hypot(was.x_m - seq->inputs.pose.x_m, was.y_m - seq->inputs.pose.y_m),
		    (unsigned long long)d->id);
	seq_task_begin(seq, next, now_ns);
	if (!same)
		return;
	/* The planner goes on with its path: a goal of its own would make the robot stand until there is a
	 * new one. */
	seq->task.nav.goal_id = was.goal_id;
	seq->task.nav.t_goal_ns = was.t_goal_ns;
	seq->task.nav.x_m = was.x_m;
	seq->task.nav.y_m = was.y_m;
	seq_resume_note(seq);
}
