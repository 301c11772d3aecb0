#include "common/web/feed.h"

#define NS_PER_S 1e9

void cairn_web_feed_subscribe(
    struct cairn_web_feed *feed, int slot, double hz, const struct cairn_web_slot *now)
{
	struct cairn_web_want *w = &feed->wants[slot];
	if (!w->on)
		*w = (struct cairn_web_want){.on = true,
		    .sent = now->first > 0 && now->first <= now->newest ? now->newest - 1 : now->newest};
	w->period_ns = (int64_t)(NS_PER_S / hz);
	w->due_ns = 0;
}

void cairn_web_feed_unsubscribe(struct cairn_web_feed *feed, int slot)
{
	feed->wants[slot].on = false;
}

/* 1: a message of it may go out now, 2: the word that it is gone, 0: neither. */
static int due(const struct cairn_web_want *w, const struct cairn_web_slot *s, int64_t now_ns)
{
	if (!w->on)
		return 0;
	if (s->newest > w->sent && !s->gone)
		return s->every || now_ns >= w->due_ns - w->period_ns / 4 ? 1 : 0;
	return s->gone && !w->gone_told ? 2 : 0;
}

/* A rate that is the publisher's own must not lose every other message to a little jitter: the next one is due a period after
 * this one was, not after it went, and a quarter of a period early will do. */
static void count_sent(struct cairn_web_want *w, uint64_t number, int64_t now_ns)
{
	w->sent = number;
	w->gone_told = false;
	w->due_ns += w->period_ns;
	int64_t soonest_ns = now_ns + w->period_ns / 2;
	w->due_ns = w->due_ns > soonest_ns ? w->due_ns : soonest_ns;
}

struct cairn_web_pick cairn_web_feed_pick(
    struct cairn_web_feed *feed, const struct cairn_web_slot *slots, int count, int64_t now_ns)
{
	for (int k = 0; k < count; k++) {
		int i = (feed->next + k) % count;
		struct cairn_web_want *w = &feed->wants[i];
		const struct cairn_web_slot *s = &slots[i];
		int what = due(w, s, now_ns);
		if (what == 0)
			continue;
		feed->next = (i + 1) % count;
		if (what == 2) {
			w->gone_told = true;
			return (struct cairn_web_pick){i, 0};
		}
		uint64_t number = s->newest;
		if (s->every)
			number = w->sent + 1 > s->first ? w->sent + 1 : s->first;
		count_sent(w, number, now_ns);
		return (struct cairn_web_pick){i, number};
	}
	return (struct cairn_web_pick){-1, 0};
}

bool cairn_web_feed_ready(
    const struct cairn_web_feed *feed, const struct cairn_web_slot *slots, int count, int64_t now_ns)
{
	for (int i = 0; i < count; i++) {
		if (due(&feed->wants[i], &slots[i], now_ns) != 0)
			return true;
	}
	return false;
}
