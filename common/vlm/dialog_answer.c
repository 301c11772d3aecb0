/* dialog_answer.c - what to make of an answer: a decision, a follow-up, a later try, or the end of asking. */
#include "common/vlm/dialog_private.h"
#include "common/vlm/usage_bounds.h"

#include <math.h>
#include <string.h>

/* The sequencer has this long to take up a decision before another one may be asked for. */
#define TAKE_UP_NS CAIRN_NS_PER_S
#define BAD_REQUEST_NS (5 * CAIRN_NS_PER_S)
#define NO_CREDIT_NS (60 * CAIRN_NS_PER_S)
#define RETRY_AFTER_MAX_S 3600.0

/* Why there is no answer, and what that says of the provider. */
static void refused(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	char said[120], line[256];
	int64_t hold_ns = 0;
	cairn_json_error_text(o->body != NULL ? o->body : "", o->body_bytes, said, sizeof(said));
	const char *colon = said[0] != '\0' ? ": " : "";
	/* Google's word for a wrong key is 400. */
	bool key_refused =
	    o->status == 401 || (o->status == 400 && strstr(said, "API key not valid") != NULL);
	if (o->status == 0)
		snprintf(line, sizeof(line), "%.150s", o->error != NULL ? o->error : "no answer");
	else if (key_refused)
		snprintf(line, sizeof(line),
		    "HTTP %d: the service does not accept the key; set the environment variable %.60s",
		    o->status, d->peers[d->peer].profile.api_key_env);
	else if (o->status == 429 && o->retry_after_s >= 0.0)
		snprintf(
		    line, sizeof(line), "HTTP 429, next try in %.1f s%s%s", o->retry_after_s, colon, said);
	else
		snprintf(line, sizeof(line), "HTTP %d%s%s", o->status, colon, said);
	dialog_fail(d, line);
	bool final = key_refused || o->status == 403 || o->status == 404;
	if (o->status == 400 || o->status == 422)
		hold_ns = BAD_REQUEST_NS;
	if (o->status == 402 || (o->status == 429 && o->retry_after_s < 0.0 && strstr(said, "quota") != NULL))
		hold_ns = NO_CREDIT_NS;
	if (o->status == 429 || o->status == 503) {
		double wait_s = o->retry_after_s >= 0.0 ? fmin(o->retry_after_s, RETRY_AFTER_MAX_S) : 0.0;
		dialog_later(&hold_ns, (int64_t)(wait_s * 1e9));
	}
	dialog_later(&hold_ns, (int64_t)(o->quota_wait_s * 1e9));
	/* Another provider need not wait for this one. */
	dialog_peer_ended(d, final ? CAIRN_FAILOVER_FINAL : CAIRN_FAILOVER_FAILED, hold_ns, now_ns);
	if (d->observing) {
		dialog_observed(d, "", line);
		return;
	}
	d->hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
	dialog_drop(d);
	if (d->event) /* is not asked about twice: it has passed by then */
		d->used_ns = d->snap.t_ns;
}

/* Both see the same frontiers; where local exploration has no goal there is nothing to compare. */
static void compare(struct cairn_dialog *d, int64_t now_ns)
{
	bool driving = d->local_ns != 0 && d->local.active &&
		       cairn_topic_fresh(CAIRN_TOPIC_NAV_GOAL, d->local_ns, now_ns);
	d->local.active = driving;
	d->shadow = CAIRN_SHADOW_UNKNOWN;
	if (driving)
		d->shadow = cairn_shadow_judge(&d->decision, &d->frontiers, &d->candidates,
		    (struct cairn_vec2){d->local.x_m, d->local.y_m});
	d->shadow_compared += d->shadow != CAIRN_SHADOW_UNKNOWN;
	d->shadow_agreed += d->shadow == CAIRN_SHADOW_AGREES;
}

/* For the picture of the next decision. */
static void keep_picture(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	d->since_view = d->shows_view ? 0 : d->since_view + 1;
	if (!d->cfg.previous_image || h->jpeg_bytes == 0)
		return;
	cairn_text_clear(&d->previous);
	cairn_text_bytes(&d->previous, d->snap.bytes.data + h->text_bytes, h->jpeg_bytes);
	if (d->previous.failed)
		cairn_text_clear(&d->previous);
}

static void publish(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	struct cairn_msg_decision *out = &d->decision;
	cairn_decision_from_answer(&d->answer, out);
	uint64_t clock_id = (uint64_t)(now_ns / 1000);
	d->last_id = clock_id > d->last_id ? clock_id : d->last_id + 1;
	out->id = d->last_id;
	out->snapshot_id = h->snapshot_id;
	out->t_snapshot_ns = d->snap.t_ns;
	out->snapshot_x_m = h->x_m;
	out->snapshot_y_m = h->y_m;
	out->snapshot_yaw_rad = h->yaw_rad;
	out->candidate_set = d->shown_set;
	out->snapshot_epoch = d->snap.epoch;
	out->frame_hash = d->snap.hash;
	out->prompt_hash = d->prompt_hash;
	out->replaces = d->asked_for;
	out->max_age_s = d->peers[d->peer].profile.max_age_s;
	out->latency_s = (double)(now_ns - d->asked_ns) * 1e-9;
	d->has_decision = true;
	d->used_ns = d->snap.t_ns;
	d->decided_ns = now_ns;
	d->ended = CAIRN_TRIGGER_NONE;
	d->await_id = d->open_id = out->id;
	d->await_until_ns = now_ns + TAKE_UP_NS;
	d->budget.ledger.decisions++;
	dialog_loop_decided(d);
	keep_picture(d);
	if (d->answer.update.items_count > 0) {
		d->update = d->answer.update;
		d->update.id = out->id;
		d->has_update = true;
	}
	if (d->cfg.shadow) { /* nobody takes it up: the next one is due when something has happened */
		compare(d, now_ns);
		d->open_id = 0;
		d->await_until_ns = now_ns + (int64_t)(d->cfg.base_timer_s * 1e9);
	}
}

static void remember(struct cairn_dialog *d)
{
	d->memory.discoveries_max = (uint32_t)d->cfg.discoveries_max;
	for (uint32_t i = 0; i < d->answer.reports_count; i++) {
		const struct cairn_tool_call *report = &d->answer.reports[i];
		bool fresh = cairn_memory_report(&d->memory, report, d->snap.head.x_m, d->snap.head.y_m);
		if (fresh && d->on_report != NULL)
			d->on_report(d->report_ctx, report);
		if (report->has_spot && d->locate != NULL)
			d->locate(d->locate_ctx, report, NULL, 0);
		snprintf(d->report_text[i], sizeof(d->report_text[i]), "%s",
		    fresh ? "Remembered." : "Known already.");
	}
}

static void bad_answer(struct cairn_dialog *d, int64_t now_ns)
{
	dialog_fail(d, d->answer.problem);
	snprintf(d->problem, sizeof(d->problem), "%s", d->answer.problem);
	dialog_drop(d);
	if (d->event) { /* what is driven was decided on already: nonsense about an event takes nothing of that back */
		d->used_ns = d->snap.t_ns;
		return;
	}
	if (d->bad_streak++ == 0)
		publish(d, now_ns);
	else
		d->hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
}

/* False for a frontier or candidate that was not in the prompt, or is not any more. */
static bool is_offered(const struct cairn_dialog *d, const struct cairn_tool_call *call)
{
	bool frontier = call->goal_kind == CAIRN_GOAL_KIND_FRONTIER;
	bool candidate = call->goal_kind == CAIRN_GOAL_KIND_CANDIDATE;
	if (call->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL || (!frontier && !candidate))
		return true;
	for (uint32_t i = 0; frontier && i < d->frontiers.items_count; i++) {
		if ((double)d->frontiers.items[i].id == call->frontier_id)
			return true;
	}
	for (uint32_t i = 0; candidate && i < d->candidates.items_count; i++) {
		if ((double)d->candidates.items[i].id == call->candidate_id)
			return true;
	}
	return false;
}

/* What the model would do instead, when the place it chose is gone. */
static void fall_back(struct cairn_dialog *d)
{
	struct cairn_answer *a = &d->answer;
	if (!a->has_fallback || is_offered(d, &a->main) || !is_offered(d, &a->fallback))
		return;
	char words[sizeof(a->reasoning)];
	bool candidate = a->main.goal_kind == CAIRN_GOAL_KIND_CANDIDATE;
	snprintf(words, sizeof(words), "(its fallback: %c%.0f is gone) %.400s", candidate ? 'C' : 'F',
	    candidate ? a->main.candidate_id : a->main.frontier_id, a->reasoning);
	memcpy(a->reasoning, words, sizeof(words));
	a->main = a->fallback;
	a->has_fallback = false;
}

/* By the sensors as they are now; without them by the snapshot. */
static void answer_path(struct cairn_dialog *d, int64_t now_ns)
{
	uint32_t way = (uint32_t)d->answer.main.direction;
	bool live = d->paths_ns != 0 && way < d->paths.items_count &&
		    cairn_topic_fresh(CAIRN_TOPIC_PATHS_CLEAR, d->paths_ns, now_ns);
	if (live)
		cairn_prompt_path_clear(d->answer_text, sizeof(d->answer_text), &d->answer.main, &d->paths);
	else
		cairn_prompt_path_answer(d->answer_text, sizeof(d->answer_text), &d->answer.main,
		    d->snap.head.sector_m, d->snap.head.feasibility);
}

static void answer_where(struct cairn_dialog *d)
{
	snprintf(d->answer_text, sizeof(d->answer_text), "nothing is known of where things are");
	if (d->locate != NULL)
		d->locate(d->locate_ctx, &d->answer.main, d->answer_text, sizeof(d->answer_text));
}

static void good_answer(struct cairn_dialog *d, int64_t now_ns)
{
	d->bad_streak = 0;
	d->problem[0] = '\0';
	if (d->answer.reasoning[0] != '\0')
		cairn_text_clean(d->last_reasoning, sizeof(d->last_reasoning), d->answer.reasoning,
		    strlen(d->answer.reasoning));
	remember(d);
	d->calls_answered += d->answer.calls;
	d->calls_without_reasoning += d->answer.calls_without_reasoning;
	if (d->answer.kind == CAIRN_ANSWER_ACTION) {
		fall_back(d);
		dialog_drop(d);
		publish(d, now_ns);
		return;
	}
	d->followup = true;
	if (d->answer.kind == CAIRN_ANSWER_REPORT)
		return;
	if (d->answer.main.tool == CAIRN_TOOL_CHECK_PATH_CLEAR)
		answer_path(d, now_ns);
	else if (d->answer.main.tool == CAIRN_TOOL_FIND_OBJECT_DISTANCE)
		answer_where(d);
	else
		dialog_observe(d);
}

/* What the call in flight, or the one that has just ended, asked for. */
static struct cairn_asked asked(const struct cairn_dialog *d)
{
	const struct dialog_peer *peer = &d->peers[d->peer];
	int own = peer->profile.max_output_tokens;
	uint64_t prefix = cairn_prompt_tokens(peer->prefix.len);
	if (d->observing)
		return (struct cairn_asked){
		    .tokens_in = cairn_prompt_tokens(peer->prefix_observe.len + d->observe_context.len) +
				 d->picture_tokens,
		    .tokens_prefix = cairn_prompt_tokens(peer->prefix_observe.len),
		    .bytes_sent = d->body.len,
		    .tokens_out_max = (uint64_t)(own > 0 ? own : d->cfg.max_output_tokens)};
	return (struct cairn_asked){
	    .tokens_in = cairn_prompt_tokens(peer->prefix.len + d->context.len) + d->picture_tokens,
	    .tokens_prefix = prefix,
	    .bytes_sent = d->body.len,
	    .tokens_out_max = (uint64_t)(own > 0 ? own : d->cfg.max_output_tokens)};
}

static void charge_unanswered(
    struct cairn_dialog *d, int64_t now_ns, int status, bool sent, struct cairn_usage *ret)
{
	struct cairn_asked a = asked(d);
	*ret = cairn_usage_unanswered(&a, status, sent);
	cairn_cost_limiter_spend(&d->pace, cairn_usage_cost_usd(&d->budget.prices, ret), now_ns);
}

void dialog_cancelled(struct cairn_dialog *d, int64_t now_ns)
{
	struct cairn_usage usage;
	charge_unanswered(d, now_ns, 0, true, &usage);
	cairn_budget_call_cancelled(&d->budget, now_ns, &usage);
}

/* The picture was described: counted and charged like every answer. */
static void described(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	const struct cairn_provider *format = d->peers[d->peer].format;
	const char *body = o->body != NULL ? o->body : "";
	struct cairn_reply reply;
	struct cairn_error why = {""};
	bool ok = format->read_reply(body, o->body_bytes, &reply, &why);
	if (ok && (reply.refusal[0] != '\0' || reply.filtered || reply.text[0] == '\0')) {
		ok = false;
		cairn_error_set(&why, "%.150s",
		    reply.refusal[0] != '\0' ? reply.refusal
		    : reply.filtered         ? "the answer was filtered"
					     : "there is no text in the answer");
	}
	struct cairn_asked a = asked(d);
	d->answer.usage = cairn_usage_bounded(&reply.usage, &a, o->body_bytes);
	cairn_budget_call_ended(&d->budget, now_ns, ok, &d->answer.usage);
	cairn_cost_limiter_spend(&d->pace, cairn_usage_cost_usd(&d->budget.prices, &d->answer.usage), now_ns);
	dialog_peer_ended(
	    d, ok ? CAIRN_FAILOVER_OK : CAIRN_FAILOVER_FAILED, (int64_t)(o->quota_wait_s * 1e9), now_ns);
	if (!ok)
		dialog_fail(d, why.text);
	dialog_observed(d, reply.text, ok ? NULL : why.text);
	cairn_reply_clear(&reply);
}

void cairn_dialog_ended(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	struct cairn_usage usage;
	if (!d->in_flight)
		return;
	d->in_flight = false;
	d->changed = true;
	if (o->status < 200 || o->status > 299) {
		charge_unanswered(d, now_ns, o->status, o->sent, &usage);
		cairn_budget_call_ended(&d->budget, now_ns, false, &usage);
		refused(d, now_ns, o);
		return;
	}
	const struct cairn_provider *format = d->peers[d->peer].format;
	const char *body = o->body != NULL ? o->body : "";
	if (d->observing) {
		described(d, now_ns, o);
		return;
	}
	if (d->json)
		cairn_answer_parse_text(
		    format, body, o->body_bytes, d->followup, d->shown_set != 0, &d->answer);
	else
		cairn_answer_parse(format, body, o->body_bytes, d->followup, &d->answer);
	bool ok = d->answer.kind != CAIRN_ANSWER_STOP;
	struct cairn_asked a = asked(d);
	d->answer.usage = cairn_usage_bounded(&d->answer.usage, &a, o->body_bytes);
	cairn_budget_call_ended(&d->budget, now_ns, ok, &d->answer.usage);
	cairn_cost_limiter_spend(&d->pace, cairn_usage_cost_usd(&d->budget.prices, &d->answer.usage), now_ns);
	dialog_peer_ended(
	    d, ok ? CAIRN_FAILOVER_OK : CAIRN_FAILOVER_FAILED, (int64_t)(o->quota_wait_s * 1e9), now_ns);
	if (ok)
		good_answer(d, now_ns);
	else
		bad_answer(d, now_ns);
}
