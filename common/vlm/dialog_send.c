/* dialog_send.c - what to send: the context of the snapshot under discussion, its pictures, and what a
 * follow-up adds. */
#include "common/vlm/dialog_private.h"

#include <string.h>

#include "common/base/hash.h"

/* What closes the way in each of the three forward sectors, in cm. */
static void note_dead_end(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	char reason[64];
	snprintf(reason, sizeof(reason), "closed %.0f left, %.0f ahead, %.0f right",
	    100.0 * (double)h->sector_m[11], 100.0 * (double)h->sector_m[0], 100.0 * (double)h->sector_m[1]);
	d->changed |= cairn_memory_add_dead_end(&d->memory, h->x_m, h->y_m, h->yaw_rad, reason);
}

static void note_offer(struct cairn_dialog *d)
{
	struct dialog_offer *o = &d->request.shown;
	o->frontiers_count = d->in.frontiers.items_count;
	o->candidates_count = d->in.candidates.items_count;
	for (uint32_t i = 0; i < o->frontiers_count; i++)
		o->frontiers[i] = d->in.frontiers.items[i].id;
	for (uint32_t i = 0; i < o->candidates_count; i++)
		o->candidates[i] = d->in.candidates.items[i].id;
}

static void make_context(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	bool offered = d->in.candidates_ns != 0 && d->in.candidates.items_count > 0 &&
		       cairn_topic_fresh(CAIRN_TOPIC_CANDIDATES, d->in.candidates_ns, now_ns);
	struct cairn_prompt_view view = {.x_m = h->x_m,
	    .y_m = h->y_m,
	    .yaw_rad = h->yaw_rad,
	    .trigger = (enum cairn_trigger)h->trigger,
	    .text = d->in.snap.bytes.data,
	    .text_bytes = h->text_bytes,
	    .candidates = offered ? &d->in.candidates : NULL};
	if (d->in.novelty_ns != 0 && dialog_novelty(d, now_ns) < 0.0)
		d->memory.local_scene[0] = '\0'; /* the stage local is silent */
	d->request.shown_set = offered ? d->in.candidates.set : 0;
	note_offer(d);
	d->changed |= cairn_memory_at(&d->memory, h->x_m, h->y_m);
	if (h->trigger == CAIRN_TRIGGER_DEAD_END)
		note_dead_end(d);
	cairn_prompt_context(&d->request.context, &view,
	    dialog_frontiers_fresh(d, now_ns) ? &d->in.frontiers : NULL, &d->in.mission, &d->memory,
	    d->answer.problem);
}

static void add_image(struct cairn_turn *r, const uint8_t *jpeg, size_t bytes, const char *caption)
{
	r->images[r->image_count++] =
	    (struct cairn_request_image){.jpeg = jpeg, .bytes = bytes, .caption = caption};
}

/* Before and now, so that the model sees what its decision did; the picture from above only now and then,
 * because it changes slowly. */
static void add_images(struct cairn_dialog *d, struct cairn_turn *r)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	const uint8_t *camera = (const uint8_t *)d->in.snap.bytes.data + h->text_bytes;
	bool show = d->request.pictures;
	bool before = show && h->jpeg_bytes > 0 && d->request.previous.len > 0;
	d->request.shows_view = show && h->view_bytes > 0 && d->cfg.map_every > 0 &&
				d->request.since_view + 1 >= (uint32_t)d->cfg.map_every;
	if (before)
		add_image(r, (const uint8_t *)d->request.previous.data, d->request.previous.len,
		    "At the last decision:");
	bool high = show && h->jpeg_bytes > 0 && d->request.detail_high;
	if (show && h->jpeg_bytes > 0) {
		add_image(r, camera, h->jpeg_bytes, before ? "Now:" : NULL);
		r->images[r->image_count - 1].detail_high = high;
	}
	if (d->request.shows_view)
		add_image(r, camera + h->jpeg_bytes, h->view_bytes, "From above:");
	const struct cairn_profile *profile = &d->who.peers[d->who.peer].profile;
	d->request.picture_tokens = 0;
	for (int i = 0; i < r->image_count; i++)
		d->request.picture_tokens += (uint64_t)(r->images[i].detail_high ? profile->image_tokens_high
										 : profile->image_tokens_low);
}

/* The model's call into its turn, and what is said to it into the turn behind it. arguments: holds the text. */
static void add_answer(struct cairn_turn *turns, const struct cairn_tool_call *call,
    const struct cairn_answer_handle *handle, const char *answer, struct cairn_text *arguments)
{
	cairn_tool_arguments(arguments, call);
	turns[1].calls[turns[1].call_count++] = (struct cairn_turn_call){.id = handle->id,
	    .signature = handle->signature,
	    .name = cairn_tool_name(call->tool),
	    .arguments = arguments->data != NULL ? arguments->data : "{}"};
	turns[2].answers[turns[2].answer_count++] =
	    (struct cairn_turn_answer){.id = handle->id, .name = cairn_tool_name(call->tool), .text = answer};
}

/* A model that calls no tools is told the answers in the text. */
static void add_answer_text(struct cairn_dialog *d)
{
	const struct cairn_answer *a = &d->answer.parsed;
	if (a->kind == CAIRN_ANSWER_PERCEIVE)
		cairn_text_addf(
		    &d->request.context, "YOU ASKED %s: %s\n", cairn_tool_name(a->main.tool), d->answer.text);
	for (uint32_t i = 0; i < a->reports_count; i++)
		cairn_text_addf(&d->request.context, "YOU REPORTED \"%s\": %s\n", a->reports[i].label,
		    d->answer.report_text[i]);
	cairn_text_add(&d->request.context, "Answer with a tool that acts now.\n");
}

static void make_body(struct cairn_dialog *d)
{
	const struct cairn_answer *a = &d->answer.parsed;
	const struct dialog_peer *peer = &d->who.peers[d->who.peer];
	if (d->call.followup && d->json)
		add_answer_text(d);
	struct cairn_text arguments[CAIRN_REPLY_CALLS_MAX] = {0};
	struct cairn_turn turns[3] = {
	    {.text = d->request.context.data}, {.role = CAIRN_TURN_MODEL}, {.text = NULL}};
	struct cairn_request r = {.tools = d->json ? NULL : &cairn_explorer_tools,
	    .only = d->call.followup ? cairn_tool_actions(&cairn_explorer_tools) : 0,
	    .turns = turns,
	    .turn_count = d->call.followup && !d->json ? 3 : 1};
	add_images(d, &turns[0]);
	if (r.turn_count > 1 && a->kind == CAIRN_ANSWER_PERCEIVE)
		add_answer(turns, &a->main, &a->main_handle, d->answer.text, &arguments[0]);
	for (uint32_t i = 0; i < a->reports_count && r.turn_count > 1; i++)
		add_answer(turns, &a->reports[i], &a->report_handles[i], d->answer.report_text[i],
		    &arguments[i + 1]);
	peer->format->write_body(
	    &d->request.body, d->call.followup ? &peer->prefix_actions : &peer->prefix, &peer->profile, &r);
	for (int i = 0; i < CAIRN_REPLY_CALLS_MAX; i++) {
		d->request.body.failed |= arguments[i].failed;
		cairn_text_free(&arguments[i]);
	}
	if (d->request.body.data != NULL)
		d->request.prompt_hash =
		    cairn_hash_bytes(CAIRN_HASH_START, d->request.body.data, d->request.body.len);
}

static bool can_pay(struct cairn_dialog *d, bool detail_high, int64_t now_ns)
{
	struct cairn_turn all = {.image_count = 0};
	d->request.detail_high = detail_high;
	add_images(d, &all);
	double price_usd = (double)d->request.picture_tokens * d->budget.prices.in * 1e-6;
	return cairn_cost_limiter_allows(&d->pace, price_usd, dialog_reason(d), now_ns);
}

/* Whether the pictures of the question that is due show something new and can be paid; one of a scene that is very new in full
 * detail, where that can be paid, too. */
static bool choose_pictures(struct cairn_dialog *d, int64_t now_ns)
{
	bool very_new = dialog_novelty_band(d, now_ns) == CAIRN_NOVELTY_VERY_NEW;
	d->request.detail_high = false;
	if (d->in.snap.head.image_needed == 0 && !very_new)
		return false;
	d->request.pictures = true;
	return (very_new && can_pay(d, true, now_ns)) || can_pay(d, false, now_ns);
}

static void count_call(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	d->tally.triggers[dialog_reason(d)]++;
	d->tally.pictures_sent += h->jpeg_bytes > 0 && d->request.pictures;
	if (h->jpeg_bytes > 0 && !d->request.pictures) {
		d->tally.images_left_out++;
		d->tally.images_for_money += h->image_needed != 0;
	}
}

bool dialog_make_request(struct cairn_dialog *d, int64_t now_ns)
{
	if (!d->call.followup) {
		d->call.since_ns = now_ns;
		d->call.state = d->in.mission.state;
		d->call.replaces_id = d->in.mission.takes_events ? d->in.mission.decision_id : 0;
		d->call.why = dialog_reason(d);
		d->call.decider = d->call.stand_in ? CAIRN_DECIDER_LOCAL_MODEL
				  : d->call.strong ? CAIRN_DECIDER_STRONG_MODEL
						   : CAIRN_DECIDER_MODEL;
		d->call.snapshot_age_ns = now_ns - d->in.snap.t_ns;
		d->in.snap.hash =
		    cairn_hash_bytes(CAIRN_HASH_START, d->in.snap.bytes.data, d->in.snap.bytes.len);
		if (!d->call.stand_in) {
			make_context(d, now_ns);
			d->request.pictures = choose_pictures(d, now_ns);
		}
	}
	if (d->call.stand_in)
		dialog_stand_in_body(d);
	else if (d->call.observing)
		dialog_observe_body(d);
	else
		make_body(d);
	if (d->request.body.failed || d->request.context.failed) {
		dialog_fail(d, "out of memory for the request");
		return false;
	}
	if (!d->call.followup)
		count_call(d);
	return true;
}
