/* dialog_observe.c - observe_scene: the picture in full detail is described by the model that vlm.observe_provider names, in a
 * call of its own without tools. The text is the answer to the tool and stays in the memory; the follow-up, to the
 * model that called the tool, chooses the action. Where there is no description the follow-up says why. */
#include "common/vlm/dialog_private.h"

#include <string.h>

static const char *focus(const struct cairn_dialog *d)
{
	return cairn_tools[CAIRN_TOOL_OBSERVE_SCENE].params[0].words[d->answer.parsed.main.focus];
}

void dialog_observe(struct cairn_dialog *d)
{
	d->call.observing = d->in.snap.head.jpeg_bytes > 0;
	if (!d->call.observing)
		snprintf(d->answer.text, sizeof(d->answer.text),
		    "There is no picture. Choose the action by the sensors.");
}

void dialog_observe_body(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	const struct dialog_peer *peer = &d->who.peers[d->who.peer];
	cairn_prompt_observe_context(&d->request.observe_context, focus(d));
	struct cairn_turn turn = {
	    .text = d->request.observe_context.data != NULL ? d->request.observe_context.data : "",
	    .images = {{.jpeg = (const uint8_t *)d->in.snap.bytes.data + h->text_bytes,
		.bytes = h->jpeg_bytes,
		.detail_high = true}},
	    .image_count = 1};
	struct cairn_request r = {.turns = &turn, .turn_count = 1};
	d->request.picture_tokens = (uint64_t)peer->profile.image_tokens_high;
	peer->format->write_body(&d->request.body, &peer->prefix_observe, &peer->profile, &r);
}

void dialog_observed(struct cairn_dialog *d, const char *text, const char *failed)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	d->call.observing = false;
	if (failed != NULL) {
		snprintf(d->answer.text, sizeof(d->answer.text),
		    "The picture could not be described: %.150s. Choose the action by what you know.",
		    failed);
		return;
	}
	const char *kept =
	    cairn_memory_add_observation(&d->memory, h->x_m, h->y_m, h->yaw_rad, focus(d), text);
	d->changed = true;
	snprintf(d->answer.text, sizeof(d->answer.text),
	    "The picture in full detail, described: \"%s\". Now choose the action.", kept);
}

bool cairn_dialog_observes(const struct cairn_dialog *d)
{
	return d->call.observing;
}
