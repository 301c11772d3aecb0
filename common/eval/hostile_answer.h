/* hostile_answer.h - who answers the agent's queries and means no good: wrong tools, arguments of any sort, loops, lies about what was done,
 * orders hidden in texts, broken answers and a service that fails. A third of the answers are the scholar's, so that tasks get on and
 * there is something to spoil. By the seed; pure. */
#ifndef CAIRN_COMMON_EVAL_HOSTILE_ANSWER_H
#define CAIRN_COMMON_EVAL_HOSTILE_ANSWER_H

#include "common/sim/pilot/pilot_api.h"
#include "common/vlm/dialog.h"

struct cairn_hostile {
	struct cairn_rng rng;
	struct cairn_pilot_api scholar;
	struct cairn_pilot_answer said;
	struct cairn_text body, arguments, last; /* last: the answer before, for loops */
	uint64_t answers, spoilt;
};

bool cairn_hostile_init(
    struct cairn_hostile *hostile, const struct cairn_config *cfg, uint64_t seed, struct cairn_error *err);
void cairn_hostile_free(struct cairn_hostile *hostile);
/* A cairn_episode_answer_fn; ctx is a struct cairn_hostile. */
void cairn_hostile_answer(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s);

#endif
