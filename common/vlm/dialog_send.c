/* dialog_send.c - what to send: the context of the snapshot under discussion, its pictures, and what a
 * follow-up adds. */
#include "common/vlm/dialog_impl.h"

#include <string.h>

static void make_context(struct cairn_dialog *d, int64_t now_ns)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	bool offered = d->candidates_ns != 0 && d->candidates.items_count > 0 &&
		       cairn_topic_fresh(CAIRN_TOPIC_CANDIDATES, d->candidates_ns, now_ns);
	struct cairn_prompt_view view = {
	    h->x_m, h->y_m, h->yaw_rad, d->snap.bytes.data, h->text_bytes, offered ? &d->candidates : NULL};
	d->shown_set = offered ? d->candidates.set : 0;
	if (h->trigger == CAIRN_TRIGGER_DEAD_END && cairn_memory_add_dead_end(&d->memory, h->x_m, h->y_m))
		d->changed = true;
	cairn_prompt_context(&d->context, &view, dialog_frontiers_fresh(d, now_ns) ? &d->frontiers : NULL,
	    &d->mission, &d->memory, d->problem);
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
	const struct dialog_peer *peer = &d->peers[d->peer];
	d->picture_tokens = 0;
	for (int i = 0; i < r.image_count; i++)
		d->picture_tokens += (uint64_t)(r.images[i].detail_high ? peer->profile.image_tokens_high
									: peer->profile.image_tokens_low);
	if (d->followup) {
		if (d->answer.kind == CAIRN_ANSWER_PERCEIVE) {
			struct cairn_followup_call *f = &r.followup[r.followup_count++];
			*f = (struct cairn_followup_call){.call = &d->answer.main,
			    .signature = d->answer.main_signature,
			    .answer = d->answer_text[0]};
			memcpy(f->id, d->answer.main_id, sizeof(f->id));
		}
		if (d->answer.has_report) {
			struct cairn_followup_call *f = &r.followup[r.followup_count++];
			*f = (struct cairn_followup_call){.call = &d->answer.report,
			    .signature = d->answer.report_signature,
			    .answer = d->answer_text[1]};
			memcpy(f->id, d->answer.report_id, sizeof(f->id));
		}
	}
	peer->format->write_body(
	    &d->body, d->followup ? &peer->prefix_actions : &peer->prefix, &peer->profile, &r);
}

static void count_call(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->snap.head;
	d->triggers[dialog_reason(d)]++;
	if (h->jpeg_bytes > 0 && h->image_needed == 0)
		d->images_left_out++;
}

bool dialog_make_request(struct cairn_dialog *d, int64_t now_ns)
{
	if (!d->followup) {
		d->asked_ns = now_ns;
		d->asked_state = d->mission.state;
		make_context(d, now_ns);
	}
	make_body(d);
	if (d->body.failed || d->context.failed) {
		dialog_fail(d, "out of memory for the request");
		return false;
	}
	if (!d->followup)
		count_call(d);
	return true;
}
