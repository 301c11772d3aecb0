/* explore_model.h - a provider in the model's place of `cairn eval explore`, and the money for it. */
#ifndef CAIRN_PROCS_LAB_EXPLORE_MODEL_H
#define CAIRN_PROCS_LAB_EXPLORE_MODEL_H

#include "procs/cli/cli.h"
#include "procs/lab/eval_explore.h"

/* Reads --provider, --usd, --config and --set. False after a message. */
bool explore_read_model(const struct cli *cli, struct explore_plan *plan);
/* Before the workers are started: what may be spent, less what earlier runs of this key have spent by the report's folder.
 * False after a message. */
bool explore_open_model(struct explore_plan *plan, uint64_t key);
void explore_close_model(struct explore_plan *plan);

/* Why no worker asks the model any more, in words for people; NULL: it may be asked. */
const char *explore_model_stopped(const struct explore_plan *plan);

/* A trial with the provider, in a process of its own. False with ret->interrupted: the model is not asked any more. */
bool explore_trial(const struct explore_plan *plan, struct cairn_trial_options *options,
    struct cairn_trial_result *ret, struct cairn_error *err);

#endif
