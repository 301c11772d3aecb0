/* past.c - what a page that is opened later is told of before: the way driven, and the newest events as the messages that they
 * were (common/web/history.h). The one part of the stage that listens while nobody watches. */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "procs/web/web.h"

static bool wanted(const struct web_slot *s)
{
	return s->kind == WEB_SLOT_TOPIC && cairn_web_history_wants(s->topic);
}

void past_open(struct web *web)
{
	for (int i = 0; i < web->slot_count; i++) {
		if (wanted(&web->slots[i]))
			hub_use(web, i);
	}
}

void past_close(struct web *web)
{
	for (int i = 0; i < WEB_EVENTS_MAX; i++)
		web_blob_drop(&web->events[i].blob);
}

/* What the hub has just heard. */
void past_take(struct web *web, int slot)
{
	const struct web_slot *s = &web->slots[slot];
	if (!wanted(s))
		return;
	if (s->topic == CAIRN_TOPIC_POSE) {
		cairn_web_history_pose(&web->history, &s->hdr, s->msg);
		return;
	}
	if (!cairn_web_history_event(&web->history, s->topic, s->msg))
		return;
	const struct web_kept *kept = hub_message(web, slot, web->feed_slots[slot].newest);
	if (kept == NULL)
		return;
	struct web_event *e = &web->events[web->event_next++ % WEB_EVENTS_MAX];
	web_blob_drop(&e->blob);
	*e = (struct web_event){.blob = web_blob_hold(kept->blob), .slot = slot, .t_ns = cairn_now_ns()};
}

void past_add(struct cairn_text *t, const struct web *web)
{
	bool first = true;
	cairn_text_add(t, "{\"op\":\"history\",");
	cairn_web_history_add_trail(t, &web->history);
	cairn_text_add(t, ",\"events\":[");
	for (unsigned i = 0; i < WEB_EVENTS_MAX; i++) { /* oldest first */
		const struct web_event *e = &web->events[(web->event_next + i) % WEB_EVENTS_MAX];
		if (e->blob == NULL)
			continue;
		cairn_text_addf(t, "%s{\"topic\":\"%s\",\"age_ms\":%" PRId64 ",\"data\":", first ? "" : ",",
		    web->slots[e->slot].name, (cairn_now_ns() - e->t_ns) / CAIRN_NS_PER_MS);
		cairn_text_bytes(t, e->blob->data, e->blob->bytes);
		cairn_text_add(t, "}");
		first = false;
	}
	cairn_text_add(t, "]}");
}
