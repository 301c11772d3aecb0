/* cost_limiter.h - how many pictures the money allows: text always goes, pictures get what it leaves of an hourly
 * pace.
 *
 * What may be spent grows with time at usd_per_hour and every call takes its cost out of it. At most a
 * minute's worth is saved up, so an hour costs at most the pace and this minute more; debts are forgiven
 * beyond ten. The first picture of a session always goes, and so does one
 * that costs no more than the text of a call of late: leaving it out would save less than half. The last one that could be paid is kept for a scene
 * that is news of its own (a doorway, an intersection, a dead end, trouble, an operator's word). Pure: time
 * comes in. */
#ifndef CAIRN_COMMON_VLM_COST_LIMITER_H
#define CAIRN_COMMON_VLM_COST_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include "ipc/messages.h"

struct cairn_cost_limiter {
	double usd_per_hour; /* 0: pictures are never left out for money */
	double saved_usd;    /* negative: in debt */
	int64_t t_ns;        /* saved_usd is of then; 0 = not begun */
	bool shown;          /* a picture has gone */
	double text_usd;     /* mean of late of what a call costs without its picture; 0 = not known */
	double price_usd;    /* of the picture in the call under way */
};

/* May pictures of this price go with a call made because of trigger? True takes note that they did. */
bool cairn_cost_limiter_allows(
    struct cairn_cost_limiter *pace, double price_usd, enum cairn_trigger trigger, int64_t now_ns);
/* A call has cost so much. */
void cairn_cost_limiter_spend(struct cairn_cost_limiter *pace, double usd, int64_t now_ns);

#endif
