/* dialog_loop.c - equal decisions that move nothing are not paid for: a rule ends them. */
#include <math.h>
#include <string.h>

#include "common/vlm/dialog_private.h"

/* Below these the robot stands where it stood. */
#define MOVED_M 0.05
#define TURNED_RAD 0.09

void dialog_loop_decided(struct cairn_dialog *d)
{
	char words[sizeof(d->last_words)];
	cairn_decision_words(&d->decision, words, sizeof(words));
	if (d->decision.tool == CAIRN_TOOL_STOP_ROBOT)
		snprintf(words, sizeof(words), "stop"); /* whatever the reason: it stands */
	d->equal = !d->moved && strcmp(words, d->last_words) == 0 ? d->equal + 1 : 1;
	d->moved = false;
	memcpy(d->last_words, words, sizeof(words));
}

void dialog_loop_result(struct cairn_dialog *d, const struct cairn_msg_result *r)
{
	d->moved |= fabs(r->distance_m) >= MOVED_M || fabs(r->turned_rad) >= TURNED_RAD;
}

bool dialog_loop_broken(struct cairn_dialog *d, int64_t now_ns)
{
	if (d->cfg.shadow || d->moved || d->equal < (uint32_t)d->cfg.equal_decisions || d->open_id != 0)
		return false;
	char why[200];
	snprintf(why, sizeof(why), "%u equal decisions moved nothing: %.60s; left to local exploration",
	    d->equal, d->last_words);
	dialog_fail(d, why);
	snprintf(d->problem, sizeof(d->problem),
	    "your last %u decisions were the same (%.60s) and moved nothing; choose something else", d->equal,
	    d->last_words);
	d->equal--; /* one more try after the pause */
	d->loops_broken++;
	d->hold_until_ns = now_ns + (int64_t)(d->cfg.equal_hold_s * 1e9);
	return true;
}
