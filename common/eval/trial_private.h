/* trial_private.h - what the files of a trial share; nobody else includes it. */
#ifndef CAIRN_COMMON_EVAL_TRIAL_PRIVATE_H
#define CAIRN_COMMON_EVAL_TRIAL_PRIVATE_H

#include "common/eval/trial.h"

/* trial_verdict.c: what was left, and whether it was said why. */
void cairn_trial_judge_end(struct cairn_run *run, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_trial_result *ret);

/* A patch of reachable floor that was not seen, and what stands near it. */
struct cairn_trial_patch {
	double area_m2;
	double given_up_m; /* to the nearest frontier given up, blind ones aside; infinity: there is none */
	double
	    barred_m; /* the same of those given up for a fence or for the time, which may hold any floor back */
};
bool cairn_trial_patch_excused(const struct cairn_trial_patch *patch);

#endif
