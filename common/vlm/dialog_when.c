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
	return d->mission_hdr.epoch != 0 && d->mission_hdr.valid &&
	       cairn_topic_fresh(CAIRN_TOPIC_MISSION, d->mission_hdr.t_ns, now_ns);
}

static bool wanted(const struct cairn_dialog *d, int64_t now_ns)
{
	return mission_fresh(d, now_ns) && d->mission.wants_decision && !d->final &&
	       (d->await_id == 0 || now_ns >= d->await_until_ns);
}

/* An answer to an event would be taken: the model's own decision is driven, and the sequencer has heard of the newest. */
static bool takes_events(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->cfg.ask_at_events && !d->cfg.shadow && mission_fresh(d, now_ns) &&
	       d->mission.takes_events && d->mission.decision_id != 0 && !d->final && d->await_id == 0;
}

/* A question may be put: a decision is wanted, or the snapshot at hand, or the question under discussion, is of an event. */
static bool may_ask(const struct cairn_dialog *d, int64_t now_ns)
{
	bool event = d->followup ? d->event
				 : cairn_call_policy_is_event((enum cairn_trigger)d->snap.head.trigger) &&
				       now_ns - d->snap.t_ns <= CAIRN_CALL_POLICY_EVENT_NS;
	return wanted(d, now_ns) || (event && takes_events(d, now_ns));
}

/* True while the question about an event is left out: its scene was asked about lately. Told once of each. */
static bool event_known(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	if (!d->event || !cairn_call_policy_event_known(&d->cfg, &d->events_asked,
			     (enum cairn_trigger)h->trigger, h->x_m, h->y_m, now_ns))
		return false;
	d->used_ns = d->snap.t_ns;
	d->skips++;
	return true;
}

static bool snapshot_usable(const struct cairn_dialog *d, int64_t now_ns)
{
	/* Not worth a call when the answer would come too late to be acted on. */
	int64_t answer_ns = (int64_t)(cairn_budget_latency_mean_s(&d->budget) * 1e9);
	int64_t max_ns = (int64_t)(d->peers[d->peer].profile.max_age_s * 1e9);
	if (max_ns > d->snapshot_max_age_ns)
		max_ns = d->snapshot_max_age_ns;
	int64_t age_max_ns = max_ns - answer_ns;
	if (age_max_ns < max_ns / 4)
		age_max_ns = max_ns / 4;
	if (age_max_ns > SNAPSHOT_AGE_NS)
		age_max_ns = SNAPSHOT_AGE_NS;
	if (!d->event && d->snap.t_ns < d->wanted_since_ns - SNAPSHOT_BEFORE_WISH_NS)
		return false; /* of an event that was not asked about: the robot has driven on */
	return d->snap.there && d->snap.t_ns > d->used_ns && d->snap.t_ns >= d->not_before_ns &&
	       now_ns - d->snap.t_ns < age_max_ns;
}

bool cairn_dialog_wants_snapshot(const struct cairn_dialog *d, int64_t now_ns)
{
	return !d->in_flight && !d->followup && (wanted(d, now_ns) || takes_events(d, now_ns));
}

bool dialog_frontiers_fresh(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->frontiers_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_FRONTIERS, d->frontiers_ns, now_ns);
}

/* True when the list of frontiers is as good as it gets. */
static bool frontiers_ready(struct cairn_dialog *d, int64_t now_ns)
{
	/* Candidates come right behind the frontiers, where there are any. */
	bool candidates = d->candidates_ns == 0 || d->candidates_ns >= d->result_ns;
	if (dialog_frontiers_fresh(d, now_ns) && d->frontiers_ns >= d->result_ns && candidates) {
		d->frontiers_since_ns = 0;
		return true;
	}
	if (d->event && dialog_frontiers_fresh(d, now_ns))
		return true; /* while it is driven the place is the same as of the last result, and an event does not wait */
	if (d->frontiers_since_ns == 0)
		d->frontiers_since_ns = now_ns;
	return now_ns - d->frontiers_since_ns >= FRONTIERS_WAIT_NS;
}

static bool must_cancel(const struct cairn_dialog *d, int64_t now_ns)
{
	return (d->mission.state != d->asked_state && d->unwanted_since_ns != 0) ||
	       (d->unwanted_since_ns != 0 && now_ns - d->unwanted_since_ns > UNWANTED_NS);
}

enum cairn_trigger dialog_reason(const struct cairn_dialog *d)
{
	return d->ended != CAIRN_TRIGGER_NONE && !d->event ? d->ended
							   : (enum cairn_trigger)d->snap.head.trigger;
}

/* True while the call that is due is left out. A wish counts once, however long it is put off. */
static bool skips(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	struct cairn_call_policy_facts facts = {.trigger = dialog_reason(d),
	    .similarity = h->similarity,
	    .nearest_m = h->nearest_m,
	    .decision_age_ns = d->decided_ns != 0 ? now_ns - d->decided_ns : CAIRN_CALL_POLICY_NEVER,
	    .trouble_age_ns = d->trouble_ns != 0 ? now_ns - d->trouble_ns : CAIRN_CALL_POLICY_NEVER,
	    .wanted_age_ns = d->event ? 0 : now_ns - d->wanted_since_ns,
	    .answer_was_bad = d->bad_streak > 0};
	if (!cairn_call_policy_may_skip(&d->cfg, &facts))
		return false;
	if (!d->skipping)
		d->skips++;
	d->skipping = true;
	return true;
}

enum cairn_dialog_act cairn_dialog_poll(
    struct cairn_dialog *d, int64_t now_ns, const char **ret_body, size_t *ret_bytes)
{
	if (d->in_flight) {
		if (!must_cancel(d, now_ns))
			return CAIRN_DIALOG_NOTHING;
		dialog_cancelled(d, now_ns);
		if (d->event)
			d->used_ns = d->snap.t_ns;
		d->in_flight = false;
		dialog_drop(d);
		return CAIRN_DIALOG_CANCEL;
	}
	if (!may_ask(d, now_ns)) {
		dialog_drop(d);
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->followup) /* known before the reason is, and of what is not sent it says nothing */
		d->event = !wanted(d, now_ns);
	if (now_ns < d->hold_until_ns || (!d->followup && !snapshot_usable(d, now_ns)))
		return CAIRN_DIALOG_NOTHING;
	bool driven =
	    d->open_id != 0 && d->mission.decision_id == d->open_id; /* asked ahead: no result is due */
	if (!d->followup && d->open_id != 0 && !driven && now_ns - d->wanted_since_ns < RESULT_WAIT_NS)
		return CAIRN_DIALOG_NOTHING;
	if (!d->followup && (dialog_loop_broken(d, now_ns) || event_known(d, now_ns) || skips(d, now_ns)))
		return CAIRN_DIALOG_NOTHING;
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why)) {
		dialog_fail(d, why.text);
		dialog_drop(d);
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->followup && !frontiers_ready(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	if (!dialog_choose_peer(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	d->frontiers_since_ns = 0;
	if (!dialog_make_request(d, now_ns)) {
		d->hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
		return CAIRN_DIALOG_NOTHING;
	}
	d->skipping = false;
	d->in_flight = d->changed = true;
	if (!d->followup)
		cairn_call_policy_question_asked(
		    &d->events_asked, d->snap.head.x_m, d->snap.head.y_m, now_ns);
	if (d->event && !d->followup) {
		d->event_calls++;
		cairn_call_policy_event_asked(&d->events_asked, (enum cairn_trigger)d->snap.head.trigger,
		    d->snap.head.x_m, d->snap.head.y_m, now_ns);
	}
	cairn_budget_call_sent(&d->budget, now_ns);
	if (d->observing) /* says nothing about who decides */
		cairn_failover_probe_sent(&d->route, (int)d->peer, now_ns);
	else
		cairn_failover_sent(&d->route, (int)d->peer, now_ns);
	*ret_body = d->body.data;
	*ret_bytes = d->body.len;
	return CAIRN_DIALOG_SEND;
}

const char *cairn_dialog_note(const struct cairn_dialog *d, int64_t now_ns)
{
	if (d->in_flight)
		return d->observing ? "waiting for the description of the picture"
				    : "waiting for the model's answer";
	if (d->final)
		return d->last_error;
	if (!mission_fresh(d, now_ns))
		return "no mission message";
	if (!d->mission.wants_decision)
		return d->mission.takes_events ? "a decision is driven; an event would be asked about"
					       : "no decision is wanted";
	if (d->await_id != 0 && now_ns < d->await_until_ns)
		return "decision published";
	if (now_ns < d->hold_until_ns || cairn_failover_pick(&d->route, now_ns) < 0)
		return d->last_error;
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why))
		return d->last_error;
	if (!snapshot_usable(d, now_ns))
		return "waiting for a snapshot";
	return d->skipping ? "nothing has changed since the last decision" : "waiting for frontiers";
}
