/* adversary.h - pilots that mean no good, as cairn_run_decide_fn; ctx is a struct cairn_adversary_pilot. */
#ifndef CAIRN_COMMON_EVAL_ADVERSARY_H
#define CAIRN_COMMON_EVAL_ADVERSARY_H

#include "common/eval/safety.h"

struct cairn_adversary_pilot {
	enum cairn_adversary kind;
	bool raw; /* no sequencer: twists as well, as tool CAIRN_TOOL_COUNT with v in x_m and w in y_m */
	struct cairn_rng rng;
	uint64_t calls, hostile; /* hostile: answers that were what the kind is named after */
	struct cairn_msg_decision first;
};

bool cairn_adversary_decide(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret);

#endif
