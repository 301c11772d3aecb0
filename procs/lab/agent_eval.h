/* agent_eval.h - what the evaluations of the agent have in common: the configuration, houses, and who answers the queries. */
#ifndef CAIRN_PROCS_LAB_AGENT_EVAL_H
#define CAIRN_PROCS_LAB_AGENT_EVAL_H

#include "common/eval/episode.h"
#include "procs/cli/cli.h"
#include "procs/gateway/model_call.h"

struct agent_eval {
	struct cairn_config cfg;
	double usd_left; /* of --usd */
	struct cairn_lineup lineup;
	struct model_call *call;
};

/* --config, --set, --provider and --usd: the agent on, wheels that slip, a detector that tells states, the scripted scholar unless a
 * provider is named. False with the reason. */
bool agent_eval_config(struct agent_eval *e, const struct cli *cli, struct cairn_error *err);
/* Makes ready to ask; to be closed in either case. False with the reason. */
bool agent_eval_open(struct agent_eval *e, struct cairn_error *err);
void agent_eval_close(struct agent_eval *e);
bool agent_eval_is_script(const struct agent_eval *e);
/* What the figures are about, for their first line. */
void agent_eval_boundary(const struct agent_eval *e, char *ret, size_t bytes);

/* A cairn_episode_answer_fn; ctx: struct agent_eval. */
void agent_eval_answer(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s);

/* A file, or the name of a bundled home. */
struct cairn_world *agent_eval_house(const char *house, struct cairn_error *err);

#endif
