/* dialog_stand_in.c - while the network is away, a small model on the robot chooses among the candidates (vlm.local_provider).
 *
 * Away is: no provider of the line-up has answered for vlm.local_after_s, each has failed CAIRN_FAILOVER_FAILURES times in a row or refuses
 * for good. Those are probed meanwhile as ever; the first that is back is asked again. What the stand-in does says nothing of the
 * network's health, and it is asked nothing while a decision is driven: it is slow. Where it fails, local exploration goes on. */
#include "common/vlm/dialog_private.h"

#include <string.h>

#include "common/vlm/stand_in.h"
#include "common/vlm/usage_bounds.h"

/* Since when every provider has failed; INT64_MAX: one has not. */
static int64_t away_since_ns(const struct cairn_failover *route)
{
	int64_t since_ns = INT64_MIN;
	for (uint32_t i = 0; i < route->count; i++) {
		const struct cairn_failover_one *one = &route->ones[i];
		if (one->final)
			continue;
		if (one->streak < CAIRN_FAILOVER_FAILURES)
			return INT64_MAX;
		if (one->failing_since_ns > since_ns)
			since_ns = one->failing_since_ns;
	}
	return since_ns;
}

bool dialog_stands_in(const struct cairn_dialog *d, int64_t now_ns)
{
	int64_t since_ns = away_since_ns(&d->who.route);
	if (d->who.stand_in == 0 || since_ns == INT64_MAX)
		return false;
	return since_ns == INT64_MIN || now_ns - since_ns >= (int64_t)(d->cfg.local_after_s * 1e9);
}

bool dialog_stand_in_due(const struct cairn_dialog *d, int64_t now_ns)
{
	return dialog_stands_in(d, now_ns) && !d->call.followup && !d->call.event &&
	       d->in.candidates_ns != 0 && d->in.candidates.items_count > 0 &&
	       cairn_topic_fresh(CAIRN_TOPIC_CANDIDATES, d->in.candidates_ns, now_ns) &&
	       cairn_failover_usable(&d->who.route, (int)d->who.stand_in, now_ns);
}

void dialog_stand_in_body(struct cairn_dialog *d)
{
	const struct cairn_snapshot_head *h = &d->in.snap.head;
	const struct dialog_peer *peer = &d->who.peers[d->who.peer];
	cairn_stand_in_question(&d->request.context, &d->in.candidates, &d->in.mission,
	    (struct cairn_pose2){h->x_m, h->y_m, h->yaw_rad});
	struct cairn_turn turn = {.text = d->request.context.data != NULL ? d->request.context.data : ""};
	d->request.pictures = h->jpeg_bytes > 0;
	d->request.picture_tokens = 0;
	d->request.shows_view = d->request.detail_high = false;
	d->request.shown_set = d->in.candidates.set;
	if (d->request.pictures) {
		turn.images[turn.image_count++] = (struct cairn_request_image){
		    .jpeg = (const uint8_t *)d->in.snap.bytes.data + h->text_bytes, .bytes = h->jpeg_bytes};
		d->request.picture_tokens = (uint64_t)peer->profile.image_tokens_low;
	}
	struct cairn_request r = {.turns = &turn, .turn_count = 1};
	peer->format->write_body(&d->request.body, &peer->prefix_stand_in, &peer->profile, &r);
}

void dialog_stand_in_ended(struct cairn_dialog *d, int64_t now_ns, const struct cairn_dialog_outcome *o)
{
	const struct dialog_peer *peer = &d->who.peers[d->who.peer];
	struct cairn_reply reply;
	struct cairn_error why = {""};
	const char *body = o->body != NULL ? o->body : "";
	struct cairn_asked asked = {
	    .tokens_in = cairn_prompt_tokens(peer->prefix_stand_in.len + d->request.context.len) +
			 d->request.picture_tokens,
	    .tokens_pictures = d->request.picture_tokens,
	    .tokens_prefix = cairn_prompt_tokens(peer->prefix_stand_in.len),
	    .bytes_sent = d->request.body.len,
	    .tokens_out_max = (uint64_t)d->cfg.max_output_tokens};
	d->answer.parsed = (struct cairn_answer){.kind = CAIRN_ANSWER_ACTION};
	bool ok = peer->format->read_reply(body, o->body_bytes, &reply, &why);
	if (ok)
		ok = cairn_stand_in_read(reply.text, &d->in.candidates, &d->answer.parsed.main, &why);
	d->answer.parsed.usage = cairn_usage_bounded(&reply.usage, &asked, o->body_bytes);
	/* Charged, but no word about the network's health. */
	cairn_budget_call_cancelled(&d->budget, now_ns, &d->answer.parsed.usage);
	dialog_peer_ended(d, ok ? CAIRN_FAILOVER_OK : CAIRN_FAILOVER_FAILED, 0, now_ns);
	cairn_reply_clear(&reply);
	if (!ok) {
		dialog_fail(d, why.text);
		d->wish.hold_until_ns = now_ns + CAIRN_DIALOG_RETRY_NS;
		return;
	}
	snprintf(d->answer.parsed.reasoning, sizeof(d->answer.parsed.reasoning), "%s",
	    d->answer.parsed.main.reasoning);
	cairn_text_clean(d->tally.last_reasoning, sizeof(d->tally.last_reasoning), d->answer.parsed.reasoning,
	    strlen(d->answer.parsed.reasoning));
	dialog_publish(d, now_ns);
}
