#include "ipc/ports.h"

#include "common/base/geom.h"

enum cairn_judgement cairn_in_judge(
    const struct cairn_in *row, const struct cairn_header *hdr, int64_t now_ns)
{
	if (row->accept == CAIRN_ACCEPT_ALL)
		return CAIRN_JUDGED_FIT;
	if (!cairn_stamp_plausible(hdr->t_ns, now_ns))
		return CAIRN_JUDGED_UNFIT;
	if (!hdr->valid)
		return CAIRN_JUDGED_UNSURE;
	if (row->accept == CAIRN_ACCEPT_FRESH && !cairn_topic_fresh(row->topic, hdr->t_ns, now_ns))
		return CAIRN_JUDGED_UNFIT;
	return CAIRN_JUDGED_FIT;
}

bool cairn_in_deliver(const struct cairn_in *rows, void *core, enum cairn_topic topic, const void *message,
    const struct cairn_header *hdr, int64_t now_ns)
{
	bool at_once = false;
	for (; rows->take != NULL; rows++)
		if (rows->topic == topic && cairn_in_judge(rows, hdr, now_ns) == CAIRN_JUDGED_FIT)
			at_once |= rows->take(core, message, hdr, now_ns);
	return at_once;
}

static const struct cairn_out *find(const struct cairn_outbox *box, enum cairn_topic topic)
{
	const struct cairn_out *row = box->rows;
	while (row->topic != topic && row->topic != CAIRN_TOPIC_COUNT)
		row++;
	return row;
}

bool cairn_outbox_due(const struct cairn_outbox *box, enum cairn_topic topic, bool is_new, int64_t now_ns)
{
	const struct cairn_out *row = find(box, topic);
	return row->topic == topic && (is_new || (row->repeat_ms > 0 && now_ns >= box->due_ns[topic]));
}

void cairn_outbox_put(
    struct cairn_outbox *box, enum cairn_topic topic, const void *message, bool is_new, int64_t now_ns)
{
	if (!cairn_outbox_due(box, topic, is_new, now_ns))
		return;
	/* A repetition keeps its phase, or a step that does not divide the period would stretch it. */
	int64_t period_ns = find(box, topic)->repeat_ms * CAIRN_NS_PER_MS;
	int64_t next_ns = box->due_ns[topic] + period_ns;
	box->due_ns[topic] = is_new || next_ns <= now_ns ? now_ns + period_ns : next_ns;
	box->send(box->ctx, topic, message, now_ns);
}
