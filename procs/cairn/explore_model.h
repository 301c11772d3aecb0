/* explore_model.h - a provider in the model's place of `cairn eval explore`, and the money for it. */
#ifndef CAIRN_PROCS_CAIRN_EXPLORE_MODEL_H
#define CAIRN_PROCS_CAIRN_EXPLORE_MODEL_H

#include "procs/cairn/cmd.h"
#include "procs/cairn/eval_explore.h"

/* Reads --provider, --usd, --config and --set. False after a message. */
bool explore_read_model(const struct cli *cli, struct explore_plan *plan);
void explore_close_model(struct explore_plan *plan);

/* A trial with the provider, in a process of its own. */
bool explore_trial(const struct explore_plan *plan, struct cairn_trial_options *options,
    struct cairn_trial_result *ret, struct cairn_error *err);

#endif
