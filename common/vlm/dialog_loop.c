/* dialog_loop.c - equal decisions that move nothing are not paid for: a rule ends them. */
#include <math.h>
#include <string.h>

#include "common/vlm/dialog_private.h"

/* Below these the robot stands where it stood. */
#define MOVED_M 0.05
#define TURNED_RAD 0.09

void dialog_loop_decided(struct cairn_dialog *d)
{
	char words[sizeof(d->loop.words)];
	cairn_decision_words(&d->decided.message, words, sizeof(words));
	if (d->decided.message.tool == CAIRN_TOOL_STOP_ROBOT)
		snprintf(words, sizeof(words), "stop"); /* whatever the reason: it stands */
	d->loop.equal = !d->loop.moved && strcmp(words, d->loop.words) == 0 ? d->loop.equal + 1 : 1;
	d->loop.moved = false;
	memcpy(d->loop.words, words, sizeof(words));
}

void dialog_loop_result(struct cairn_dialog *d, const struct cairn_msg_result *r)
{
	d->loop.moved |= fabs(r->distance_m) >= MOVED_M || fabs(r->turned_rad) >= TURNED_RAD;
}

bool dialog_loop_broken(struct cairn_dialog *d, int64_t now_ns)
{
	if (d->cfg.shadow || d->loop.moved || d->loop.equal < (uint32_t)d->cfg.equal_decisions ||
	    d->decided.open_id != 0)
		return false;
	char why[200];
	snprintf(why, sizeof(why), "%u equal decisions moved nothing: %.60s; left to local exploration",
	    d->loop.equal, d->loop.words);
	dialog_fail(d, why);
	snprintf(d->answer.problem, sizeof(d->answer.problem),
	    "your last %u decisions were the same (%.60s) and moved nothing; choose something else",
	    d->loop.equal, d->loop.words);
	d->loop.equal--; /* one more try after the pause */
	d->tally.loops_broken++;
	d->wish.hold_until_ns = now_ns + (int64_t)(d->cfg.equal_hold_s * 1e9);
	return true;
}
