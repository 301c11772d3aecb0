/* dialog_question.c - what a question is made of, to be kept and to be put once more. */
#include <string.h>

#include "common/vlm/dialog_private.h"

void cairn_dialog_question(const struct cairn_dialog *d, struct cairn_dialog_question *ret)
{
	*ret = (struct cairn_dialog_question){.mission = &d->in.mission,
	    .mission_hdr = &d->in.mission_hdr,
	    .frontiers = &d->in.frontiers,
	    .candidates = &d->in.candidates,
	    .frontiers_ns = d->in.frontiers_ns,
	    .candidates_ns = d->in.candidates_ns,
	    .memory = &d->memory,
	    .head = &d->in.snap.head,
	    .parts = d->in.snap.bytes.data,
	    .parts_bytes = d->in.snap.bytes.len,
	    .snapshot_ns = d->in.snap.t_ns,
	    .pictures = d->request.pictures,
	    .view = d->request.shows_view,
	    .detail = d->request.detail_high,
	    .context = d->request.context.data,
	    .problem = d->answer.problem,
	    .followup = d->call.followup};
}

bool cairn_dialog_restore(
    struct cairn_dialog *d, const struct cairn_dialog_question *q, int64_t now_ns, struct cairn_error *err)
{
	struct cairn_text payload = {0};
	struct cairn_snapshot_head head = *q->head;
	head.image_needed = q->pictures ? 1 : 0;
	cairn_text_bytes(&payload, (const char *)&head, sizeof(head));
	cairn_text_bytes(&payload, q->parts, q->parts_bytes);
	bool ok = !payload.failed && cairn_dialog_snapshot(d, payload.data, payload.len, q->snapshot_ns, err);
	cairn_text_free(&payload);
	if (!ok)
		return false;
	d->in.novelty = 1.0; /* what it was sent in detail for; else nothing is known of it */
	d->in.novelty_ns = q->detail ? now_ns : 0;
	d->pace.usd_per_hour = 0.0; /* whether pictures go is settled */
	d->request.since_view = q->view ? UINT32_MAX / 2 : 0;
	d->memory = *q->memory; /* counts the openings anew below */
	cairn_dialog_mission(d, q->mission, q->mission_hdr);
	if (q->frontiers_ns != 0)
		cairn_dialog_frontiers(d, q->frontiers, q->frontiers_ns);
	if (q->candidates_ns != 0)
		cairn_dialog_candidates(d, q->candidates, q->candidates_ns);
	d->wish.frontiers_since_ns = now_ns - CAIRN_NS_PER_S; /* it was waited for long enough */
	if (d->wish.frontiers_since_ns == 0)
		d->wish.frontiers_since_ns = -1;
	snprintf(d->answer.problem, sizeof(d->answer.problem), "%s", q->problem);
	d->answer.bad_streak = q->problem[0] != '\0'; /* a second bad answer in a row makes no decision */
	return true;
}
