/* trial_parts.h - what the files of a trial share; nobody else includes it. */
#ifndef CAIRN_COMMON_EVAL_TRIAL_PARTS_H
#define CAIRN_COMMON_EVAL_TRIAL_PARTS_H

#include "common/eval/trial.h"

#define CAIRN_TRIAL_ROOMS 256

/* trial_end.c: what was left, and whether it was said why. */
void cairn_trial_judge_end(struct cairn_run *run, const struct cairn_config *cfg, const struct cairn_world *world,
    struct cairn_trial_result *ret);

#endif
