/* feed.h - what one viewer gets next: of each topic the newest only, as often as asked for, each topic in its turn; where every
 * message counts, those that are still kept, oldest first. Pure: numbers of messages and time in, choice out.
 *
 * So a viewer that reads slowly skips, and costs others nothing. */
#ifndef CAIRN_COMMON_WEB_FEED_H
#define CAIRN_COMMON_WEB_FEED_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_WEB_SLOTS_MAX 192

/* A topic as the stage has it. Messages are numbered from 1 as they arrive. */
struct cairn_web_slot {
	uint64_t first,
	    newest; /* first that is still kept, newest; first above newest, or both 0: none is kept */
	bool every; /* each is sent; otherwise the newest only */
	bool gone;  /* its publisher is silent for longer than its messages are good for */
};

struct cairn_web_feed {
	struct cairn_web_want {
		bool on, gone_told;
		uint64_t sent;
		int64_t period_ns, due_ns;
	} wants[CAIRN_WEB_SLOTS_MAX];
	int next; /* where the search goes on */
};

struct cairn_web_pick {
	int slot;        /* -1: nothing is due */
	uint64_t number; /* of the message; 0: tell that the publisher is gone */
};

/* From now on; the newest that is there already goes out at once. hz: at most. Asked for again: the new rate. */
void cairn_web_feed_subscribe(
    struct cairn_web_feed *feed, int slot, double hz, const struct cairn_web_slot *now);
void cairn_web_feed_unsubscribe(struct cairn_web_feed *feed, int slot);
/* What to send now; it counts as sent. */
struct cairn_web_pick cairn_web_feed_pick(
    struct cairn_web_feed *feed, const struct cairn_web_slot *slots, int count, int64_t now_ns);
/* True when something could be picked now. */
bool cairn_web_feed_ready(
    const struct cairn_web_feed *feed, const struct cairn_web_slot *slots, int count, int64_t now_ns);

#endif
