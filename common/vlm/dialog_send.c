/* dialog_send.c - what to send: the context of the snapshot under discussion, its pictures, and what a
 * follow-up adds. */
#include "common/vlm/dialog_private.h"

#include <string.h>

#include "common/base/hash.h"

/* What closes the way in each of the three forward sectors, in cm. */
static void note_dead_end(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	char reason[64];
	snprintf(reason, sizeof(reason), "closed %.0f left, %.0f ahead, %.0f right",
	    100.0 * (double)h->sector_m[11], 100.0 * (double)h->sector_m[0], 100.0 * (double)h->sector_m[1]);
	d->changed |= cairn_memory_add_dead_end(&d->memory, h->x_m, h->y_m, h->yaw_rad, reason);
}

static void make_context(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	bool offered = d->candidates_ns != 0 && d->candidates.items_count > 0 &&
		       cairn_topic_fresh(CAIRN_TOPIC_CANDIDATES, d->candidates_ns, now_ns);
	struct cairn_prompt_view view = {.x_m = h->x_m,
	    .y_m = h->y_m,
	    .yaw_rad = h->yaw_rad,
	    .trigger = (enum cairn_trigger)h->trigger,
	    .text = d->snap.bytes.data,
	    .text_bytes = h->text_bytes,
	    .candidates = offered ? &d->candidates : NULL};
	d->shown_set = offered ? d->candidates.set : 0;
	d->changed |= cairn_memory_at(&d->memory, h->x_m, h->y_m);
	if (h->trigger == CAIRN_TRIGGER_DEAD_END)
		note_dead_end(d);
	cairn_prompt_context(&d->context, &view, dialog_frontiers_fresh(d, now_ns) ? &d->frontiers : NULL,
	    &d->mission, &d->memory, d->problem);
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
	const struct cairn_snapshot_head *h = &d->snap.head;
	const uint8_t *camera = (const uint8_t *)d->snap.bytes.data + h->text_bytes;
	bool show = d->pictures;
	bool before = show && h->jpeg_bytes > 0 && d->previous.len > 0;
	d->shows_view = show && h->view_bytes > 0 && d->cfg.map_every > 0 &&
			d->since_view + 1 >= (uint32_t)d->cfg.map_every;
	if (before)
		add_image(r, (const uint8_t *)d->previous.data, d->previous.len, "At the last decision:");
	if (show && h->jpeg_bytes > 0)
		add_image(r, camera, h->jpeg_bytes, before ? "Now:" : NULL);
	if (d->shows_view)
		add_image(r, camera + h->jpeg_bytes, h->view_bytes, "From above:");
	const struct cairn_profile *profile = &d->peers[d->peer].profile;
	d->picture_tokens = 0;
	for (int i = 0; i < r->image_count; i++)
		d->picture_tokens += (uint64_t)profile->image_tokens_low;
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
	const struct cairn_answer *a = &d->answer;
	if (a->kind == CAIRN_ANSWER_PERCEIVE)
		cairn_text_addf(
		    &d->context, "YOU ASKED %s: %s\n", cairn_tool_name(a->main.tool), d->answer_text);
	for (uint32_t i = 0; i < a->reports_count; i++)
		cairn_text_addf(
		    &d->context, "YOU REPORTED \"%s\": %s\n", a->reports[i].label, d->report_text[i]);
	cairn_text_add(&d->context, "Answer with a tool that acts now.\n");
}

static void make_body(struct cairn_dialog *d)
{
	const struct cairn_answer *a = &d->answer;
	const struct dialog_peer *peer = &d->peers[d->peer];
	if (d->followup && d->json)
		add_answer_text(d);
	struct cairn_text arguments[CAIRN_REPLY_CALLS_MAX] = {0};
	struct cairn_turn turns[3] = {{.text = d->context.data}, {.role = CAIRN_TURN_MODEL}, {.text = NULL}};
	struct cairn_request r = {.tools = d->json ? NULL : &cairn_explorer_tools,
	    .only = d->followup ? cairn_tool_actions(&cairn_explorer_tools) : 0,
	    .turns = turns,
	    .turn_count = d->followup && !d->json ? 3 : 1};
	add_images(d, &turns[0]);
	if (r.turn_count > 1 && a->kind == CAIRN_ANSWER_PERCEIVE)
		add_answer(turns, &a->main, &a->main_handle, d->answer_text, &arguments[0]);
	for (uint32_t i = 0; i < a->reports_count && r.turn_count > 1; i++)
		add_answer(
		    turns, &a->reports[i], &a->report_handles[i], d->report_text[i], &arguments[i + 1]);
	peer->format->write_body(
	    &d->body, d->followup ? &peer->prefix_actions : &peer->prefix, &peer->profile, &r);
	for (int i = 0; i < CAIRN_REPLY_CALLS_MAX; i++) {
		d->body.failed |= arguments[i].failed;
		cairn_text_free(&arguments[i]);
	}
	if (d->body.data != NULL)
		d->prompt_hash = cairn_hash_bytes(CAIRN_HASH_START, d->body.data, d->body.len);
}

/* Whether the pictures of the question that is due show something new and can be paid. */
static bool choose_pictures(struct cairn_dialog *d, int64_t now_ns)
{
	struct cairn_turn all = {.image_count = 0};
	if (d->snap.head.image_needed == 0)
		return false;
	d->pictures = true;
	add_images(d, &all);
	double price_usd = (double)d->picture_tokens * d->budget.prices.in * 1e-6;
	return cairn_cost_limiter_allows(&d->pace, price_usd, dialog_reason(d), now_ns);
}

static void count_call(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	d->triggers[dialog_reason(d)]++;
	d->pictures_sent += h->jpeg_bytes > 0 && d->pictures;
	if (h->jpeg_bytes > 0 && !d->pictures) {
		d->images_left_out++;
		d->images_for_money += h->image_needed != 0;
	}
}

bool dialog_make_request(struct cairn_dialog *d, int64_t now_ns)
{
	if (!d->followup) {
		d->asked_ns = now_ns;
		d->asked_state = d->mission.state;
		d->asked_for = d->mission.takes_events ? d->mission.decision_id : 0;
		d->asked_why = dialog_reason(d);
		d->snapshot_age_ns = now_ns - d->snap.t_ns;
		d->snap.hash = cairn_hash_bytes(CAIRN_HASH_START, d->snap.bytes.data, d->snap.bytes.len);
		make_context(d, now_ns);
		d->pictures = choose_pictures(d, now_ns);
	}
	if (d->observing)
		dialog_observe_body(d);
	else
		make_body(d);
	if (d->body.failed || d->context.failed) {
		dialog_fail(d, "out of memory for the request");
		return false;
	}
	if (!d->followup)
		count_call(d);
	return true;
}
