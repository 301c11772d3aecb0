#include "common/vlm/dialog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/percept/ask.h"
#include "common/percept/snapshot.h"
#include "common/percept/trigger.h"
#include "common/vlm/prompt.h"

/* A snapshot is made from a picture taken a little before the result that asked for it. */
#define RESULT_SLACK_NS (300 * CAIRN_NS_PER_MS)
/* The sequencer has this long to take up a decision before another one may be asked for. */
#define TAKE_UP_NS CAIRN_NS_PER_S
/* A wish and the result that it follows come by different ways: the wish may be heard first. */
#define RESULT_WAIT_NS (200 * CAIRN_NS_PER_MS)
/* The mission must not want a decision for this long before a call is dropped. */
#define UNWANTED_NS (500 * CAIRN_NS_PER_MS)
/* The frontiers of the prompt should be of this place, not of the one before the result; but they are not
 * waited for longer than this. */
#define FRONTIERS_WAIT_NS (700 * CAIRN_NS_PER_MS)
#define BAD_REQUEST_NS (5 * CAIRN_NS_PER_S)
#define NO_CREDIT_NS (60 * CAIRN_NS_PER_S)
#define RETRY_AFTER_MAX_S 3600.0
/* What the providers' price lists count for a picture of 640 x 480. */
#define PICTURE_TOKENS_LOW 85
#define PICTURE_TOKENS_HIGH 765

struct snapshot {
	bool there;
	int64_t t_ns;
	struct cairn_snapshot_head head;
	struct cairn_text bytes; /* text, then the pictures */
};

struct cairn_dialog {
	struct cairn_config_vlm cfg;
	int64_t snapshot_max_age_ns;
	const struct cairn_provider *provider;
	struct cairn_text prefix, prefix_actions; /* static beginnings of a body */
	struct cairn_text context, body;
	uint64_t picture_tokens; /* estimate for the picture in body */
	char *system;

	struct cairn_msg_mission mission;
	struct cairn_header mission_hdr;
	int64_t wanted_since_ns, unwanted_since_ns; /* one of them is 0 */
	struct cairn_msg_frontiers frontiers;
	int64_t frontiers_ns;
	int64_t result_ns;          /* newest result */
	int64_t trouble_ns;         /* newest result that tells of being stuck or overridden; 0 = none */
	int64_t decided_ns;         /* last decision; 0 = none */
	int64_t frontiers_since_ns; /* waiting for frontiers since; 0 = not waiting */
	int64_t not_before_ns;      /* snapshots older than this are of the past */
	int64_t used_ns;            /* snapshot of the last decision */
	struct snapshot snap;

	bool in_flight;
	enum cairn_mission_state asked_state;
	int64_t asked_ns; /* first call of this decision */
	int64_t hold_until_ns;
	uint64_t last_id, await_id; /* await_id: published, not yet taken up; 0 = none */
	uint64_t open_id;           /* published, its result not yet heard; 0 = none */
	int64_t await_until_ns;
	bool followup; /* the next (or present) call is the follow-up of answer */
	struct cairn_answer answer;
	char answer_text[2][200];
	uint32_t bad_streak;
	bool has_decision;
	struct cairn_msg_decision decision;

	struct cairn_memory memory;
	struct cairn_budget budget;
	bool changed;
	bool final;               /* never call again */
	enum cairn_trigger ended; /* kind of the newest result since the last decision */
	bool skipping;            /* this wish has had a call left out */
	uint64_t skips, images_left_out;
	uint32_t triggers[CAIRN_TRIGGER_COUNT]; /* of the calls */
	char problem[160];
	char last_error[160];
	char last_reasoning[256];
};

struct cairn_dialog *cairn_dialog_new(const struct cairn_config_vlm *cfg, double snapshot_max_age_s,
    const char *system, struct cairn_error *err)
{
	const struct cairn_provider *provider = cairn_provider_find(cfg->provider);
	if (provider == NULL) {
		cairn_error_set(err, "vlm.provider: '%s' is not known", cfg->provider);
		return NULL;
	}
	struct cairn_dialog *d = calloc(1, sizeof(*d));
	if (d != NULL)
		d->system = strdup(system);
	if (d == NULL || d->system == NULL) {
		free(d);
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	d->cfg = *cfg;
	d->snapshot_max_age_ns = (int64_t)(snapshot_max_age_s * 1e9);
	d->provider = provider;
	provider->write_prefix(&d->prefix, cfg, system, false);
	provider->write_prefix(&d->prefix_actions, cfg, system, true);
	cairn_memory_init(&d->memory);
	cairn_budget_init(&d->budget, cfg);
	if (d->prefix.failed || d->prefix_actions.failed ||
	    cairn_prompt_tokens(d->prefix_actions.len) < CAIRN_PROMPT_PREFIX_TOKENS_MIN) {
		cairn_error_set(err, "the static prompt has fewer than %d tokens: no provider would cache it",
		    CAIRN_PROMPT_PREFIX_TOKENS_MIN);
		cairn_dialog_destroy(&d);
	}
	return d;
}

void cairn_dialog_destroy(struct cairn_dialog **dialog_p)
{
	struct cairn_dialog *d = *dialog_p;
	*dialog_p = NULL;
	if (d == NULL)
		return;
	cairn_text_free(&d->prefix);
	cairn_text_free(&d->prefix_actions);
	cairn_text_free(&d->context);
	cairn_text_free(&d->body);
	cairn_text_free(&d->snap.bytes);
	free(d->system);
	free(d);
}

/* ---- what comes in ---- */

static void later(int64_t *t_ns, int64_t other_ns)
{
	if (other_ns > *t_ns)
		*t_ns = other_ns;
}

void cairn_dialog_mission(
    struct cairn_dialog *d, const struct cairn_msg_mission *mission, const struct cairn_header *hdr)
{
	bool reborn = d->mission_hdr.epoch != 0 && d->mission_hdr.epoch != hdr->epoch;
	if (!reborn && hdr->t_ns < d->mission_hdr.t_ns)
		return;
	if (reborn) {
		d->await_id = d->open_id = 0;
		later(&d->not_before_ns, hdr->t_ns - RESULT_SLACK_NS);
	}
	d->mission = *mission;
	d->mission_hdr = *hdr;
	bool wants = mission->wants_decision && hdr->valid;
	int64_t *since_ns = wants ? &d->wanted_since_ns : &d->unwanted_since_ns;
	*(wants ? &d->unwanted_since_ns : &d->wanted_since_ns) = 0;
	if (*since_ns == 0)
		*since_ns = hdr->t_ns;
	d->skipping = d->skipping && wants;
	if (d->await_id != 0 && mission->decision_id >= d->await_id)
		d->await_id = 0;
}

void cairn_dialog_result(struct cairn_dialog *d, const struct cairn_msg_result *result, int64_t t_ns)
{
	cairn_memory_add_result(&d->memory, result);
	d->changed = true;
	later(&d->not_before_ns, t_ns - RESULT_SLACK_NS);
	later(&d->result_ns, t_ns);
	d->ended = cairn_trigger_of_result(result);
	if (d->ended == CAIRN_TRIGGER_BLOCKED)
		later(&d->trouble_ns, t_ns);
	if (d->await_id != 0 && result->decision_id >= d->await_id)
		d->await_id = 0;
	if (result->decision_id >= d->open_id)
		d->open_id = 0;
}

void cairn_dialog_frontiers(struct cairn_dialog *d, const struct cairn_msg_frontiers *frontiers, int64_t t_ns)
{
	d->frontiers = *frontiers;
	d->frontiers_ns = t_ns;
}

bool cairn_dialog_snapshot(
    struct cairn_dialog *d, const void *payload, size_t bytes, int64_t t_ns, struct cairn_error *err)
{
	struct cairn_snapshot parts;
	if (!cairn_snapshot_read(payload, bytes, &parts, err))
		return false;
	if (d->in_flight || d->followup)
		return true; /* the one under discussion stays until the decision is made */
	cairn_text_clear(&d->snap.bytes);
	cairn_text_bytes(&d->snap.bytes, parts.text, bytes - sizeof(parts.head));
	d->snap.head = parts.head;
	d->snap.t_ns = t_ns;
	d->snap.there = !d->snap.bytes.failed;
	return true;
}

/* ---- asking ---- */

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

static bool snapshot_usable(const struct cairn_dialog *d, int64_t now_ns)
{
	/* Not worth a call when the answer would come too late to be acted on. */
	int64_t answer_ns = (int64_t)(cairn_budget_latency_mean_s(&d->budget) * 1e9);
	int64_t age_max_ns = d->snapshot_max_age_ns - answer_ns;
	if (age_max_ns < d->snapshot_max_age_ns / 4)
		age_max_ns = d->snapshot_max_age_ns / 4;
	return d->snap.there && d->snap.t_ns > d->used_ns && d->snap.t_ns >= d->not_before_ns &&
	       now_ns - d->snap.t_ns < age_max_ns;
}

bool cairn_dialog_wants_snapshot(const struct cairn_dialog *d, int64_t now_ns)
{
	return !d->in_flight && !d->followup && wanted(d, now_ns);
}

static bool frontiers_fresh(const struct cairn_dialog *d, int64_t now_ns)
{
	return d->frontiers_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_FRONTIERS, d->frontiers_ns, now_ns);
}

/* True when the list of frontiers is as good as it gets. */
static bool frontiers_ready(struct cairn_dialog *d, int64_t now_ns)
{
	if (frontiers_fresh(d, now_ns) && d->frontiers_ns >= d->result_ns) {
		d->frontiers_since_ns = 0;
		return true;
	}
	if (d->frontiers_since_ns == 0)
		d->frontiers_since_ns = now_ns;
	return now_ns - d->frontiers_since_ns >= FRONTIERS_WAIT_NS;
}

static void make_context(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	struct cairn_prompt_view view = {h->x_m, h->y_m, h->yaw_rad, d->snap.bytes.data, h->text_bytes};
	bool fresh =
	    d->frontiers_ns != 0 && cairn_topic_fresh(CAIRN_TOPIC_FRONTIERS, d->frontiers_ns, now_ns);
	if (h->trigger == CAIRN_TRIGGER_DEAD_END && cairn_memory_add_dead_end(&d->memory, h->x_m, h->y_m))
		d->changed = true;
	cairn_prompt_context(
	    &d->context, &view, fresh ? &d->frontiers : NULL, &d->mission, &d->memory, d->problem);
}

static void make_body(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	struct cairn_request r = {
	    .system = d->system, .context = d->context.data, .actions_only = d->followup};
	bool observe = d->followup && d->answer.kind == CAIRN_ANSWER_PERCEIVE &&
		       d->answer.main.tool == CAIRN_TOOL_OBSERVE_SCENE;
	const uint8_t *camera = (const uint8_t *)d->snap.bytes.data + h->text_bytes;
	bool show = h->image_needed != 0 || observe;
	if (show && h->jpeg_bytes > 0)
		r.images[r.image_count++] = (struct cairn_request_image){
		    .jpeg = camera, .bytes = h->jpeg_bytes, .detail_high = observe};
	if (show && h->view_bytes > 0)
		r.images[r.image_count++] = (struct cairn_request_image){
		    .jpeg = camera + h->jpeg_bytes, .bytes = h->view_bytes, .caption = "From above:"};
	d->picture_tokens = 0;
	for (int i = 0; i < r.image_count; i++)
		d->picture_tokens += r.images[i].detail_high ? PICTURE_TOKENS_HIGH : PICTURE_TOKENS_LOW;
	if (d->followup) {
		if (d->answer.kind == CAIRN_ANSWER_PERCEIVE) {
			struct cairn_followup_call *f = &r.followup[r.followup_count++];
			*f = (struct cairn_followup_call){
			    .call = &d->answer.main, .answer = d->answer_text[0]};
			memcpy(f->id, d->answer.main_id, sizeof(f->id));
		}
		if (d->answer.has_report) {
			struct cairn_followup_call *f = &r.followup[r.followup_count++];
			*f = (struct cairn_followup_call){
			    .call = &d->answer.report, .answer = d->answer_text[1]};
			memcpy(f->id, d->answer.report_id, sizeof(f->id));
		}
	}
	d->provider->write_body(&d->body, d->followup ? &d->prefix_actions : &d->prefix, &r);
}

static bool must_cancel(const struct cairn_dialog *d, int64_t now_ns)
{
	return (d->mission.state != d->asked_state && d->unwanted_since_ns != 0) ||
	       (d->unwanted_since_ns != 0 && now_ns - d->unwanted_since_ns > UNWANTED_NS);
}

static void fail(struct cairn_dialog *d, const char *why)
{
	cairn_text_clean(d->last_error, sizeof(d->last_error), why, strlen(why));
}

/* The snapshot may have been made just before the result that it was wanted for. */
static enum cairn_trigger reason_to_ask(const struct cairn_dialog *d)
{
	return d->ended != CAIRN_TRIGGER_NONE ? d->ended : (enum cairn_trigger)d->snap.head.trigger;
}

/* True while the call that is due is left out. A wish counts once, however long it is put off. */
static bool skips(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	struct cairn_ask_facts facts = {.trigger = reason_to_ask(d),
	    .similarity = h->similarity,
	    .nearest_m = h->nearest_m,
	    .decision_age_ns = d->decided_ns != 0 ? now_ns - d->decided_ns : CAIRN_ASK_NEVER,
	    .trouble_age_ns = d->trouble_ns != 0 ? now_ns - d->trouble_ns : CAIRN_ASK_NEVER,
	    .wanted_age_ns = now_ns - d->wanted_since_ns,
	    .answer_was_bad = d->bad_streak > 0};
	if (!cairn_ask_may_skip(&d->cfg, &facts))
		return false;
	if (!d->skipping)
		d->skips++;
	d->skipping = true;
	return true;
}

static void count_call(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	d->skipping = false;
	d->triggers[reason_to_ask(d)]++;
	if (h->jpeg_bytes > 0 && h->image_needed == 0)
		d->images_left_out++;
}

enum cairn_dialog_act cairn_dialog_poll(
    struct cairn_dialog *d, int64_t now_ns, const char **ret_body, size_t *ret_bytes)
{
	if (d->in_flight) {
		if (!must_cancel(d, now_ns))
			return CAIRN_DIALOG_NOTHING;
		cairn_budget_call_cancelled(&d->budget);
		d->in_flight = d->followup = false;
		return CAIRN_DIALOG_CANCEL;
	}
	if (!wanted(d, now_ns)) {
		d->followup = false;
		return CAIRN_DIALOG_NOTHING;
	}
	if (now_ns < d->hold_until_ns || (!d->followup && !snapshot_usable(d, now_ns)))
		return CAIRN_DIALOG_NOTHING;
	if (!d->followup && d->open_id != 0 && now_ns - d->wanted_since_ns < RESULT_WAIT_NS)
		return CAIRN_DIALOG_NOTHING;
	if (!d->followup && skips(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why)) {
		fail(d, why.text);
		d->followup = false;
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->followup && !frontiers_ready(d, now_ns))
		return CAIRN_DIALOG_NOTHING;
	if (!d->followup) {
		d->frontiers_since_ns = 0;
		d->asked_ns = now_ns;
		d->asked_state = d->mission.state;
		make_context(d, now_ns);
	}
	make_body(d);
	if (d->body.failed || d->context.failed) {
		fail(d, "out of memory for the request");
		d->hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
		return CAIRN_DIALOG_NOTHING;
	}
	if (!d->followup)
		count_call(d);
	d->in_flight = d->changed = true;
	cairn_budget_call_sent(&d->budget, now_ns);
	*ret_body = d->body.data;
	*ret_bytes = d->body.len;
	return CAIRN_DIALOG_SEND;
}

/* ---- what came back ---- */

void cairn_dialog_give_up(struct cairn_dialog *d, const char *why)
{
	d->final = true;
	fail(d, why);
}

static void refused(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	char said[120], line[256];
	int64_t hold_ns = CAIRN_DIALOG_RETRY_NS;
	cairn_json_error_text(o->body != NULL ? o->body : "", o->body_bytes, said, sizeof(said));
	const char *colon = said[0] != '\0' ? ": " : "";
	if (o->status == 0)
		snprintf(line, sizeof(line), "%.150s", o->error != NULL ? o->error : "no answer");
	else if (o->status == 401)
		snprintf(line, sizeof(line),
		    "HTTP 401: the service does not accept the key; set the environment variable %.60s",
		    d->cfg.api_key_env);
	else if (o->status == 429 && o->retry_after_s >= 0.0)
		snprintf(
		    line, sizeof(line), "HTTP 429, next try in %.1f s%s%s", o->retry_after_s, colon, said);
	else
		snprintf(line, sizeof(line), "HTTP %d%s%s", o->status, colon, said);
	fail(d, line);
	d->final = o->status == 401 || o->status == 403 || o->status == 404;
	if (o->status == 400 || o->status == 422)
		hold_ns = BAD_REQUEST_NS;
	if (o->status == 402 || (o->status == 429 && strstr(said, "quota") != NULL))
		hold_ns = NO_CREDIT_NS;
	if (o->status == 429 || o->status == 503) {
		double wait_s = o->retry_after_s >= 0.0 ? fmin(o->retry_after_s, RETRY_AFTER_MAX_S) : 0.0;
		later(&hold_ns, (int64_t)(wait_s * 1e9));
	}
	d->hold_until_ns = now_ns + hold_ns;
	d->followup = false;
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
	out->latency_s = (double)(now_ns - d->asked_ns) * 1e-9;
	d->has_decision = true;
	d->used_ns = d->snap.t_ns;
	d->decided_ns = now_ns;
	d->ended = CAIRN_TRIGGER_NONE;
	d->await_id = d->open_id = out->id;
	d->await_until_ns = now_ns + TAKE_UP_NS;
	d->budget.ledger.decisions++;
}

static void remember(struct cairn_dialog *d)
{
	if (!d->answer.has_report)
		return;
	bool fresh = cairn_memory_report(&d->memory, &d->answer.report, d->snap.head.x_m, d->snap.head.y_m);
	snprintf(d->answer_text[1], sizeof(d->answer_text[1]), "%s Now choose the action.",
	    fresh ? "Remembered." : "Known already.");
}

static void bad_answer(struct cairn_dialog *d, int64_t now_ns)
{
	fail(d, d->answer.problem);
	snprintf(d->problem, sizeof(d->problem), "%s", d->answer.problem);
	d->followup = false;
	if (d->bad_streak++ == 0)
		publish(d, now_ns);
	else
		d->hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
}

static void good_answer(struct cairn_dialog *d, int64_t now_ns)
{
	d->bad_streak = 0;
	d->problem[0] = '\0';
	if (d->answer.reasoning[0] != '\0')
		cairn_text_clean(d->last_reasoning, sizeof(d->last_reasoning), d->answer.reasoning,
		    strlen(d->answer.reasoning));
	remember(d);
	if (d->answer.kind == CAIRN_ANSWER_ACTION) {
		d->followup = false;
		publish(d, now_ns);
		return;
	}
	d->followup = true;
	if (d->answer.kind == CAIRN_ANSWER_REPORT)
		return;
	if (d->answer.main.tool == CAIRN_TOOL_CHECK_PATH_CLEAR)
		cairn_prompt_path_answer(d->answer_text[0], sizeof(d->answer_text[0]), &d->answer.main,
		    d->snap.head.sector_m, d->snap.head.feasibility);
	else
		snprintf(d->answer_text[0], sizeof(d->answer_text[0]), "%s",
		    d->snap.head.jpeg_bytes > 0
			? "The picture is above in full detail. Now choose the action."
			: "There is no picture. Choose the action by the sensors.");
}

/* For a service that does not count. */
static void estimate_usage(struct cairn_dialog *d, size_t answer_bytes)
{
	struct cairn_usage *usage = &d->answer.usage;
	usage->tokens_in = cairn_prompt_tokens(d->prefix.len + d->context.len) + d->picture_tokens;
	usage->tokens_cached = 0;
	usage->tokens_out = cairn_prompt_tokens(answer_bytes);
}

void cairn_dialog_ended(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	static const struct cairn_usage none = {0};
	if (!d->in_flight)
		return;
	d->in_flight = false;
	d->changed = true;
	if (o->status < 200 || o->status > 299) {
		cairn_budget_call_ended(&d->budget, now_ns, false, &none);
		refused(d, now_ns, o);
		return;
	}
	cairn_answer_parse(
	    d->provider, o->body != NULL ? o->body : "", o->body_bytes, d->followup, &d->answer);
	bool ok = d->answer.kind != CAIRN_ANSWER_STOP;
	if (d->answer.usage.tokens_in == 0)
		estimate_usage(d, o->body_bytes);
	cairn_budget_call_ended(&d->budget, now_ns, ok, &d->answer.usage);
	if (ok)
		good_answer(d, now_ns);
	else
		bad_answer(d, now_ns);
}

bool cairn_dialog_take_decision(struct cairn_dialog *d, struct cairn_msg_decision *ret)
{
	if (!d->has_decision)
		return false;
	*ret = d->decision;
	d->has_decision = false;
	return true;
}

/* ---- for people ---- */

void cairn_dialog_stats(const struct cairn_dialog *d, int64_t now_ns, struct cairn_msg_vlm_stats *ret)
{
	const struct cairn_ledger *l = &d->budget.ledger;
	*ret = (struct cairn_msg_vlm_stats){.net_tier = cairn_budget_net_tier(&d->budget, now_ns),
	    .calls = l->calls,
	    .failures = l->failures,
	    .decisions = l->decisions,
	    .tokens_in = l->tokens.tokens_in,
	    .tokens_cached = l->tokens.tokens_cached,
	    .tokens_out = l->tokens.tokens_out,
	    .cost_usd = l->cost_usd,
	    .latency_mean_s = cairn_budget_latency_mean_s(&d->budget),
	    .in_flight = d->in_flight,
	    .skips = d->skips,
	    .images_left_out = d->images_left_out,
	    .triggers_count = CAIRN_TRIGGER_COUNT,
	    .rooms = d->memory.rooms_count,
	    .discoveries = d->memory.discoveries_count};
	_Static_assert(sizeof(ret->triggers) == sizeof(d->triggers), "one count for each kind of trigger");
	memcpy(ret->triggers, d->triggers, sizeof(ret->triggers));
	snprintf(ret->provider, sizeof(ret->provider), "%s", d->cfg.provider);
	cairn_text_clean(ret->model, sizeof(ret->model), d->cfg.model, strlen(d->cfg.model));
	memcpy(ret->last_error, d->last_error, sizeof(ret->last_error));
	memcpy(ret->last_reasoning, d->last_reasoning, sizeof(ret->last_reasoning));
}

const char *cairn_dialog_note(const struct cairn_dialog *d, int64_t now_ns)
{
	if (d->in_flight)
		return "waiting for the model's answer";
	if (d->final)
		return d->last_error;
	if (!mission_fresh(d, now_ns))
		return "no mission message";
	if (!d->mission.wants_decision)
		return "no decision is wanted";
	if (d->await_id != 0 && now_ns < d->await_until_ns)
		return "decision published";
	if (now_ns < d->hold_until_ns)
		return d->last_error;
	struct cairn_error why = {""};
	if (!cairn_budget_allows(&d->budget, now_ns, &why))
		return d->last_error;
	if (!snapshot_usable(d, now_ns))
		return "waiting for a snapshot";
	return d->skipping ? "nothing has changed since the last decision" : "waiting for frontiers";
}

struct cairn_memory *cairn_dialog_memory(struct cairn_dialog *d)
{
	return &d->memory;
}

struct cairn_budget *cairn_dialog_budget(struct cairn_dialog *d)
{
	return &d->budget;
}

bool *cairn_dialog_changed(struct cairn_dialog *d)
{
	return &d->changed;
}
