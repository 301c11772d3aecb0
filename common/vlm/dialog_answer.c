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
		    o->status, d->who.peers[d->who.peer].profile.api_key_env);
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
	if (d->call.observing) {
		dialog_observed(d, "", line);
		return;
	}
	d->wish.hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
	dialog_drop(d);
	if (d->call.event) /* is not asked about twice: it has passed by then */
		d->decided.used_ns = d->in.snap.t_ns;
}

/* Both see the same frontiers; where local exploration has no goal there is nothing to compare. */
static void compare(struct cairn_dialog *d, int64_t now_ns)
{
	bool driving = d->in.local_ns != 0 && d->in.local.active &&
		       cairn_topic_fresh(CAIRN_TOPIC_NAV_GOAL, d->in.local_ns, now_ns);
	d->in.local.active = driving;
	d->decided.shadow = CAIRN_SHADOW_UNKNOWN;
	if (driving)
		d->decided.shadow = cairn_shadow_judge(&d->decided.message, &d->in.frontiers,
		    &d->in.candidates, (struct cairn_vec2){d->in.local.x_m, d->in.local.y_m});
	d->tally.shadow_compared += d->decided.shadow != CAIRN_SHADOW_UNKNOWN;
	d->tally.shadow_agreed += d->decided.shadow == CAIRN_SHADOW_AGREES;
}

/* For the picture of the next decision. */
static void keep_picture(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	d->request.since_view = d->request.shows_view ? 0 : d->request.since_view + 1;
	if (!d->cfg.previous_image || h->jpeg_bytes == 0)
		return;
	cairn_text_clear(&d->request.previous);
	cairn_text_bytes(&d->request.previous, d->in.snap.bytes.data + h->text_bytes, h->jpeg_bytes);
	if (d->request.previous.failed)
		cairn_text_clear(&d->request.previous);
}

void dialog_publish(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	struct cairn_msg_decision *out = &d->decided.message;
	cairn_decision_from_answer(&d->answer.parsed, out);
	uint64_t clock_id = (uint64_t)(now_ns / 1000);
	d->decided.last_id = clock_id > d->decided.last_id ? clock_id : d->decided.last_id + 1;
	out->id = d->decided.last_id;
	out->snapshot_id = h->snapshot_id;
	out->t_snapshot_ns = d->in.snap.t_ns;
	out->snapshot_x_m = h->x_m;
	out->snapshot_y_m = h->y_m;
	out->snapshot_yaw_rad = h->yaw_rad;
	out->candidate_set = d->request.shown_set;
	out->snapshot_epoch = d->in.snap.epoch;
	out->frame_hash = d->in.snap.hash;
	out->prompt_hash = d->request.prompt_hash;
	out->replaces = d->call.replaces_id;
	bool asked = d->call.decider != CAIRN_DECIDER_RULE;
	const struct cairn_profile *profile = &d->who.peers[d->who.peer].profile;
	out->max_age_s = asked ? profile->max_age_s : 0.0;
	out->decider = d->call.decider;
	if (asked)
		snprintf(out->provider, sizeof(out->provider), "%.31s", profile->name);
	out->latency_s = (double)(now_ns - d->call.since_ns) * 1e-9;
	d->decided.fresh = true;
	d->decided.used_ns = d->in.snap.t_ns;
	d->decided.t_ns = now_ns;
	if (asked)
		d->decided.model_ns = now_ns;
	d->in.ended = CAIRN_TRIGGER_NONE;
	d->decided.await_id = d->decided.open_id = out->id;
	d->decided.await_until_ns = now_ns + TAKE_UP_NS;
	d->budget.ledger.decisions++;
	dialog_loop_decided(d);
	keep_picture(d);
	if (d->answer.parsed.update.items_count > 0) {
		d->decided.update = d->answer.parsed.update;
		d->decided.update.id = out->id;
		d->decided.has_update = true;
	}
	if (d->cfg.shadow) { /* nobody takes it up: the next one is due when something has happened */
		compare(d, now_ns);
		d->decided.open_id = 0;
		d->decided.await_until_ns = now_ns + (int64_t)(d->cfg.base_timer_s * 1e9);
	}
}

static void remember(struct cairn_dialog *d)
{
	d->memory.discoveries_max = (uint32_t)d->cfg.discoveries_max;
	d->memory.rooms_max = (uint32_t)d->cfg.rooms_max;
	for (uint32_t i = 0; i < d->answer.parsed.reports_count; i++) {
		const struct cairn_tool_call *report = &d->answer.parsed.reports[i];
		/* A room is where the robot is, and so is a thing whose place in the picture is not known. */
		struct cairn_vec2 robot = {d->in.snap.head.x_m, d->in.snap.head.y_m}, at = robot;
		if (report->has_spot && d->hooks.locate != NULL &&
		    (!d->hooks.locate(d->hooks.locate_ctx, report, NULL, 0, &at) ||
			report->significance == CAIRN_SIGNIFICANCE_ROOM))
			at = robot;
		bool fresh = cairn_memory_report(&d->memory, report, at.x_m, at.y_m);
		if (fresh && d->hooks.on_report != NULL)
			d->hooks.on_report(d->hooks.report_ctx, report);
		snprintf(d->answer.report_text[i], sizeof(d->answer.report_text[i]), "%s",
		    fresh ? "Remembered." : "Known already.");
	}
}

static void bad_answer(struct cairn_dialog *d, int64_t now_ns)
{
	dialog_fail(d, d->answer.parsed.problem);
	snprintf(d->answer.problem, sizeof(d->answer.problem), "%s", d->answer.parsed.problem);
	dialog_drop(d);
	if (d->call
		.event) { /* what is driven was decided on already: nonsense about an event takes nothing of that back */
		d->decided.used_ns = d->in.snap.t_ns;
		return;
	}
	if (d->answer.bad_streak++ == 0)
		dialog_publish(d, now_ns);
	else
		d->wish.hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
}

/* False for a frontier or candidate that was offered neither when the model was asked nor now. */
static bool is_offered(const struct cairn_dialog *d, const struct cairn_tool_call *call)
{
	const struct dialog_offer *shown = &d->request.shown;
	bool frontier = call->goal_kind == CAIRN_GOAL_KIND_FRONTIER;
	bool candidate = call->goal_kind == CAIRN_GOAL_KIND_CANDIDATE, offered = !frontier && !candidate;
	if (call->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return true;
	for (uint32_t i = 0; frontier && i < shown->frontiers_count; i++)
		offered |= (double)shown->frontiers[i] == call->frontier_id;
	for (uint32_t i = 0; frontier && i < d->in.frontiers.items_count; i++)
		offered |= (double)d->in.frontiers.items[i].id == call->frontier_id;
	for (uint32_t i = 0; candidate && i < shown->candidates_count; i++)
		offered |= (double)shown->candidates[i] == call->candidate_id;
	for (uint32_t i = 0; candidate && i < d->in.candidates.items_count; i++)
		offered |= (double)d->in.candidates.items[i].id == call->candidate_id;
	return offered;
}

/* What the model would do instead, when there never was the place that it chose. Of one that was offered and is gone by now the
 * sequencer knows what has become: it may go by another id, and else the sequencer takes the fallback. */
static void fall_back(struct cairn_dialog *d)
{
	struct cairn_answer *a = &d->answer.parsed;
	if (!a->has_fallback || is_offered(d, &a->main) || !is_offered(d, &a->fallback))
		return;
	char words[sizeof(a->reasoning)];
	bool candidate = a->main.goal_kind == CAIRN_GOAL_KIND_CANDIDATE;
	snprintf(words, sizeof(words), "(its fallback: there is no %c%.0f) %.400s", candidate ? 'C' : 'F',
	    candidate ? a->main.candidate_id : a->main.frontier_id, a->reasoning);
	memcpy(a->reasoning, words, sizeof(words));
	a->main = a->fallback;
	a->has_fallback = false;
}

/* By the sensors as they are now; without them by the snapshot. */
static void answer_path(struct cairn_dialog *d, int64_t now_ns)
{
	uint32_t way = (uint32_t)d->answer.parsed.main.direction;
	bool live = d->in.paths_ns != 0 && way < d->in.paths.items_count &&
		    cairn_topic_fresh(CAIRN_TOPIC_PATHS_CLEAR, d->in.paths_ns, now_ns);
	if (live)
		cairn_prompt_path_clear(
		    d->answer.text, sizeof(d->answer.text), &d->answer.parsed.main, &d->in.paths);
	else
		cairn_prompt_path_answer(d->answer.text, sizeof(d->answer.text), &d->answer.parsed.main,
		    d->in.snap.head.sector_m, d->in.snap.head.feasibility);
}

static void answer_where(struct cairn_dialog *d)
{
	struct cairn_vec2 at;
	snprintf(d->answer.text, sizeof(d->answer.text), "nothing is known of where things are");
	if (d->hooks.locate != NULL)
		(void)d->hooks.locate(
		    d->hooks.locate_ctx, &d->answer.parsed.main, d->answer.text, sizeof(d->answer.text), &at);
}

static void good_answer(struct cairn_dialog *d, int64_t now_ns)
{
	d->answer.bad_streak = 0;
	d->answer.problem[0] = '\0';
	if (d->answer.parsed.reasoning[0] != '\0')
		cairn_text_clean(d->tally.last_reasoning, sizeof(d->tally.last_reasoning),
		    d->answer.parsed.reasoning, strlen(d->answer.parsed.reasoning));
	remember(d);
	d->tally.calls_answered += d->answer.parsed.calls;
	d->tally.left_out += d->answer.parsed.left_out;
	d->tally.calls_without_reasoning += d->answer.parsed.calls_without_reasoning;
	if (d->answer.parsed.kind == CAIRN_ANSWER_ACTION) {
		fall_back(d);
		dialog_drop(d);
		dialog_publish(d, now_ns);
		return;
	}
	d->call.followup = true;
	if (d->answer.parsed.kind == CAIRN_ANSWER_REPORT)
		return;
	if (d->answer.parsed.main.tool == CAIRN_TOOL_CHECK_PATH_CLEAR)
		answer_path(d, now_ns);
	else if (d->answer.parsed.main.tool == CAIRN_TOOL_FIND_OBJECT_DISTANCE)
		answer_where(d);
	else
		dialog_observe(d);
}

/* What the call in flight, or the one that has just ended, asked for. */
static struct cairn_asked asked(const struct cairn_dialog *d)
{
	const struct dialog_peer *peer = &d->who.peers[d->who.peer];
	int own = peer->profile.max_output_tokens;
	uint64_t prefix = cairn_prompt_tokens(peer->prefix.len);
	if (d->call.observing)
		return (struct cairn_asked){.tokens_in = cairn_prompt_tokens(peer->prefix_observe.len +
									     d->request.observe_context.len) +
							 d->request.picture_tokens,
		    .tokens_pictures = d->request.picture_tokens,
		    .tokens_prefix = cairn_prompt_tokens(peer->prefix_observe.len),
		    .bytes_sent = d->request.body.len,
		    .tokens_out_max = (uint64_t)(own > 0 ? own : d->cfg.max_output_tokens)};
	return (struct cairn_asked){
	    .tokens_in =
		cairn_prompt_tokens(peer->prefix.len + d->request.context.len) + d->request.picture_tokens,
	    .tokens_pictures = d->request.picture_tokens,
	    .tokens_prefix = prefix,
	    .bytes_sent = d->request.body.len,
	    .tokens_out_max = (uint64_t)(own > 0 ? own : d->cfg.max_output_tokens)};
}

/* Out of the pace, and of what the strong model may take. */
static void spend(struct cairn_dialog *d, const struct cairn_usage *usage, int64_t now_ns)
{
	double usd = cairn_usage_cost_usd(&d->budget.prices, usage);
	cairn_cost_limiter_spend(&d->pace, usd, now_ns);
	dialog_strong_spend(d, usd, now_ns);
}

static void charge_unanswered(
    struct cairn_dialog *d, int64_t now_ns, int status, bool sent, struct cairn_usage *ret)
{
	struct cairn_asked a = asked(d);
	*ret = cairn_usage_unanswered(&a, status, sent);
	spend(d, ret, now_ns);
}

void dialog_cancelled(struct cairn_dialog *d, int64_t now_ns)
{
	struct cairn_usage usage;
	charge_unanswered(d, now_ns, 0, true, &usage);
	cairn_budget_call_cancelled(&d->budget, now_ns, &usage);
}

void cairn_dialog_spending(const struct cairn_dialog *d, int64_t now_ns, struct cairn_spending *ret)
{
	*ret = d->budget.spent;
	if (!d->call.in_flight)
		return;
	struct cairn_asked a = asked(d);
	struct cairn_usage usage = cairn_usage_unanswered(&a, 0, true);
	cairn_budget_spent_with(&d->budget, now_ns, &usage, ret);
}

/* The picture was described: counted and charged like every answer. */
static void described(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	const struct cairn_provider *format = d->who.peers[d->who.peer].format;
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
	d->answer.parsed.usage = cairn_usage_bounded(&reply.usage, &a, o->body_bytes);
	cairn_budget_call_ended(&d->budget, now_ns, ok, &d->answer.parsed.usage);
	spend(d, &d->answer.parsed.usage, now_ns);
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
	if (!d->call.in_flight)
		return;
	d->call.in_flight = false;
	d->changed = true;
	if (o->status < 200 || o->status > 299) {
		charge_unanswered(d, now_ns, o->status, o->sent, &usage);
		cairn_budget_call_ended(&d->budget, now_ns, false, &usage);
		refused(d, now_ns, o);
		return;
	}
	if (d->call.stand_in) {
		dialog_stand_in_ended(d, now_ns, o);
		return;
	}
	const struct cairn_provider *format = d->who.peers[d->who.peer].format;
	const char *body = o->body != NULL ? o->body : "";
	if (d->call.observing) {
		described(d, now_ns, o);
		return;
	}
	if (d->json)
		cairn_answer_parse_text(format, body, o->body_bytes, d->call.followup,
		    d->request.shown_set != 0, &d->answer.parsed);
	else
		cairn_answer_parse(format, body, o->body_bytes, d->call.followup, &d->answer.parsed);
	bool ok = d->answer.parsed.kind != CAIRN_ANSWER_STOP;
	struct cairn_asked a = asked(d);
	d->answer.parsed.usage = cairn_usage_bounded(&d->answer.parsed.usage, &a, o->body_bytes);
	cairn_budget_call_ended(&d->budget, now_ns, ok, &d->answer.parsed.usage);
	spend(d, &d->answer.parsed.usage, now_ns);
	dialog_peer_ended(
	    d, ok ? CAIRN_FAILOVER_OK : CAIRN_FAILOVER_FAILED, (int64_t)(o->quota_wait_s * 1e9), now_ns);
	if (ok)
		good_answer(d, now_ns);
	else
		bad_answer(d, now_ns);
}
