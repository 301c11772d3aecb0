/* dialog_when.c - when to ask: what must be at hand, what must be new, and what stands against it. */
#include "common/vlm/dialog_private.h"

/* A wish and the result that it follows come by different ways: the wish may be heard first. */
#define RESULT_WAIT_NS (200 * CAIRN_NS_PER_MS)
/* The mission must not want a decision for this long before a call is dropped. */
#define UNWANTED_NS (500 * CAIRN_NS_PER_MS)
/* The frontiers of the prompt should be of this place, not of the one before the result; but they are not
 * waited for longer than this. */
#define FRONTIERS_WAIT_NS (700 * CAIRN_NS_PER_MS)

/* A wish is asked about with a snapshot of its own; one that was made so shortly before it will do. */
#define SNAPSHOT_BEFORE_WISH_NS (500 * CAIRN_NS_PER_MS)

/* However long an answer may take, it is not asked for about what was so long ago. */
#define SNAPSHOT_AGE_NS (5 * CAIRN_NS_PER_S)

static bool mission_fresh(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->in.mission_hdr.epoch != 0 && d->in.mission_hdr.valid &&
	       cairn_topic_fresh(CAIRN_TOPIC_MISSION, d->in.mission_hdr.t_ns, now_ns);
}

static bool wanted(const struct cairn_dialog *d, int64_t now_ns)
{
	return mission_fresh(d, now_ns) && d->in.mission.wants_decision && !d->final &&
	       (d->decided.await_id == 0 || now_ns >= d->decided.await_until_ns);
}

/* An answer to an event would be taken: the model's own decision is driven, and the sequencer has heard of the newest. */
static bool takes_events(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->cfg.ask_at_events && !d->cfg.shadow && mission_fresh(d, now_ns) &&
	       d->in.mission.takes_events && d->in.mission.decision_id != 0 && !d->final &&
	       d->decided.await_id == 0;
}

/* A question may be put: a decision is wanted, or the snapshot at hand, or the question under discussion, is of an event. */
static bool may_ask(const struct cairn_dialog *d, int64_t now_ns)
{
	bool event = d->call.followup
			 ? d->call.event
			 : cairn_call_policy_is_event((enum cairn_trigger)d->in.snap.head.trigger) &&
			       now_ns - d->in.snap.t_ns <= CAIRN_CALL_POLICY_EVENT_NS;
	return wanted(d, now_ns) || (event && takes_events(d, now_ns));
}

/* True while the question about an event is left out: its scene was asked about lately. Told once of each. */
static bool event_known(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	if (!d->call.event || !cairn_call_policy_event_known(&d->cfg, &d->tally.events_asked,
				  (enum cairn_trigger)h->trigger, h->x_m, h->y_m, now_ns))
		return false;
	d->decided.used_ns = d->in.snap.t_ns;
	d->tally.skips++;
	return true;
}

static bool snapshot_usable(const struct cairn_dialog *d, int64_t now_ns)
{
	/* Not worth a call when the answer would come too late to be acted on. */
	int64_t answer_ns = (int64_t)(cairn_budget_latency_mean_s(&d->budget) * 1e9);
	int64_t max_ns = (int64_t)(d->who.peers[d->who.peer].profile.max_age_s * 1e9);
	if (max_ns > d->snapshot_max_age_ns)
		max_ns = d->snapshot_max_age_ns;
	int64_t age_max_ns = max_ns - answer_ns;
	if (age_max_ns < max_ns / 4)
		age_max_ns = max_ns / 4;
	if (age_max_ns > SNAPSHOT_AGE_NS)
		age_max_ns = SNAPSHOT_AGE_NS;
	if (!d->call.event && d->in.snap.t_ns < d->wish.wanted_since_ns - SNAPSHOT_BEFORE_WISH_NS)
		return false; /* of an event that was not asked about: the robot has driven on */
	return d->in.snap.there && d->in.snap.t_ns > d->decided.used_ns &&
	       d->in.snap.t_ns >= d->wish.not_before_ns && now_ns - d->in.snap.t_ns < age_max_ns;
}

bool cairn_dialog_wants_snapshot(const struct cairn_dialog *d, int64_t now_ns)
{
	return !d->call.in_flight && !d->call.followup && (wanted(d, now_ns) || takes_events(d, now_ns));
}

bool dialog_frontiers_fresh(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->in.frontiers_ns != 0 &&
	       cairn_topic_fresh(CAIRN_TOPIC_FRONTIERS, d->in.frontiers_ns, now_ns);
}

/* True when the list of frontiers is as good as it gets. */
static bool frontiers_ready(struct cairn_dialog *d, int64_t now_ns)
{
	/* Candidates come right behind the frontiers, where there are any. */
	bool candidates = d->in.candidates_ns == 0 || d->in.candidates_ns >= d->in.result_ns;
	if (dialog_frontiers_fresh(d, now_ns) && d->in.frontiers_ns >= d->in.result_ns && candidates) {
		d->wish.frontiers_since_ns = 0;
		return true;
	}
	if (d->call.event && dialog_frontiers_fresh(d, now_ns))
		return true; /* while it is driven the place is the same as of the last result, and an event does not wait */
	if (d->wish.frontiers_since_ns == 0)
		d->wish.frontiers_since_ns = now_ns;
	return now_ns - d->wish.frontiers_since_ns >= FRONTIERS_WAIT_NS;
}

static bool must_cancel(const struct cairn_dialog *d, int64_t now_ns)
{
	return (d->in.mission.state != d->call.state && d->wish.unwanted_since_ns != 0) ||
	       (d->wish.unwanted_since_ns != 0 && now_ns - d->wish.unwanted_since_ns > UNWANTED_NS);
}

enum cairn_trigger dialog_reason(const struct cairn_dialog *d)
{
	return d->in.ended != CAIRN_TRIGGER_NONE && !d->call.event
		   ? d->in.ended
		   : (enum cairn_trigger)d->in.snap.head.trigger;
}

/* True while the call that is due is left out. A wish counts once, however long it is put off. */
static bool skips(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	struct cairn_call_policy_facts facts = {.trigger = dialog_reason(d),
	    .similarity = h->similarity,
	    .nearest_m = h->nearest_m,
	    .decision_age_ns = d->decided.t_ns != 0 ? now_ns - d->decided.t_ns : CAIRN_CALL_POLICY_NEVER,
	    .trouble_age_ns = d->in.trouble_ns != 0 ? now_ns - d->in.trouble_ns : CAIRN_CALL_POLICY_NEVER,
	    .wanted_age_ns = d->call.event ? 0 : now_ns - d->wish.wanted_since_ns,
	    .answer_was_bad = d->answer.bad_streak > 0};
	if (!cairn_call_policy_may_skip(&d->cfg, &facts))
		return false;
	if (!d->wish.skipping)
		d->tally.skips++;
	d->wish.skipping = true;
	return true;
}

enum cairn_dialog_act cairn_dialog_poll(
    struct cairn_dialog *d, int64_t now_ns, const char **ret_body, size_t *ret_bytes)
{
	if (d->call.in_flight) {
		if (!must_cancel(d, now_ns))
			return CAIRN_DIALOG_NOTHING;
		dialog_cancelled(d, now_ns);
		if (d->call.event)
			d->decided.used_ns = d->in.snap.t_ns;
		d->call.in_flight = false;
		dialog_drop(d);
		return CAIRN_DIALOG_CANCEL;
	}
	if (!may_ask(d, now_ns)) {
		dialog_drop(d);
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->call.followup) /* known before the reason is, and of what is not sent it says nothing */
		d->call.event = !wanted(d, now_ns);
	if (now_ns < d->wish.hold_until_ns || (!d->call.followup && !snapshot_usable(d, now_ns)))
		return CAIRN_DIALOG_NOTHING;
	bool driven = d->decided.open_id != 0 &&
		      d->in.mission.decision_id == d->decided.open_id; /* asked ahead: no result is due */
	if (!d->call.followup && d->decided.open_id != 0 && !driven &&
	    now_ns - d->wish.wanted_since_ns < RESULT_WAIT_NS)
		return CAIRN_DIALOG_NOTHING;
	if (!d->call.followup &&
	    (dialog_loop_broken(d, now_ns) || event_known(d, now_ns) || skips(d, now_ns)))
		return CAIRN_DIALOG_NOTHING;
	if (dialog_rule_due(d, now_ns)) {
		if (!frontiers_ready(d, now_ns))
			return CAIRN_DIALOG_NOTHING;
		dialog_decide_by_rule(d, now_ns);
		return CAIRN_DIALOG_DECIDED;
	}
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why)) {
		dialog_fail(d, why.text);
		dialog_drop(d);
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->call.followup && !frontiers_ready(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	if (!dialog_choose_peer(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	d->wish.frontiers_since_ns = 0;
	if (!dialog_make_request(d, now_ns)) {
		d->wish.hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
		return CAIRN_DIALOG_NOTHING;
	}
	d->wish.skipping = false;
	d->call.in_flight = d->changed = true;
	if (!d->call.followup)
		cairn_call_policy_question_asked(
		    &d->tally.events_asked, d->in.snap.head.x_m, d->in.snap.head.y_m, now_ns);
	if (d->call.event && !d->call.followup) {
		d->tally.event_calls++;
		cairn_call_policy_event_asked(&d->tally.events_asked,
		    (enum cairn_trigger)d->in.snap.head.trigger, d->in.snap.head.x_m, d->in.snap.head.y_m,
		    now_ns);
	}
	cairn_budget_call_sent(&d->budget, now_ns);
	d->tally.strong_calls += d->call.strong && !d->call.observing;
	d->tally.stand_in_calls += d->call.stand_in;
	if (d->call.observing || d->call.strong) /* says nothing about who is in use */
		cairn_failover_probe_sent(&d->who.route, (int)d->who.peer, now_ns);
	else
		cairn_failover_sent(&d->who.route, (int)d->who.peer, now_ns);
	*ret_body = d->request.body.data;
	*ret_bytes = d->request.body.len;
	return CAIRN_DIALOG_SEND;
}

const char *cairn_dialog_note(const struct cairn_dialog *d, int64_t now_ns)
{
	if (d->call.in_flight)
		return d->call.observing ? "waiting for the description of the picture"
					 : "waiting for the model's answer";
	if (d->final)
		return d->tally.last_error;
	if (!mission_fresh(d, now_ns))
		return "no mission message";
	if (!d->in.mission.wants_decision)
		return d->in.mission.takes_events ? "a decision is driven; an event would be asked about"
						  : "no decision is wanted";
	if (d->decided.await_id != 0 && now_ns < d->decided.await_until_ns)
		return "decision published";
	if (now_ns < d->wish.hold_until_ns ||
	    (cairn_failover_pick(&d->who.route, now_ns) < 0 && !dialog_stand_in_due(d, now_ns)))
		return d->tally.last_error;
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why))
		return d->tally.last_error;
	if (!snapshot_usable(d, now_ns))
		return "waiting for a snapshot";
	return d->wish.skipping ? "nothing has changed since the last decision" : "waiting for frontiers";
}
