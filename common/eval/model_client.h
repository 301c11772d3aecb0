/* model_client.h - a model in the place of the scripted pilot of a run in simulated time: the same dialog, prompt, tools, checks
 * and ledger as the gateway's, with snapshots drawn for each question. Who answers, and how it is reached, is the
 * caller's.
 *
 * The simulated clock stands still while the answer is waited for and then goes on by the time that it took. */
#ifndef CAIRN_COMMON_EVAL_MODEL_CLIENT_H
#define CAIRN_COMMON_EVAL_MODEL_CLIENT_H

#include "common/eval/snapshot_view.h"
#include "common/vlm/sync_client.h"

/* Who is asked. All borrowed. */
struct cairn_model_client_model {
	const char *system; /* cairn_prompt_load */
	const struct cairn_lineup *lineup;
	cairn_sync_client_fn *send;
	void *ctx;
	double (*took_s)(void *ctx); /* of the last call; NULL: nothing is known of it */
	/* Puts aside what a question may cost, before it is asked. False with the reason: it may not be, nor any other. NULL:
	 * the configuration's limits alone. */
	bool (*reserve)(void *ctx, struct cairn_error *err);
	void (*spent)(void *ctx, double usd); /* by that question, be it nothing; NULL with reserve */
};

struct cairn_model_client;

/* cfg, world and model are borrowed. candidates: the model is told of them. NULL with err set. */
struct cairn_model_client *cairn_model_client_new(const struct cairn_config *cfg,
    const struct cairn_world *world, const struct cairn_model_client_model *model, bool candidates,
    struct cairn_error *err);
void cairn_model_client_destroy(struct cairn_model_client **asker_p);

/* The run's model (cairn_run_decide_fn), to be told of every step and every result. ret_answer_s: the time the answer took,
 * for cairn_run_options.answer_s. */
bool cairn_model_client_decide(void *asker, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret);
void cairn_model_client_watch(struct cairn_model_client *asker, const struct cairn_run *run);
void cairn_model_client_result(
    struct cairn_model_client *asker, const struct cairn_run *run, const struct cairn_msg_result *result);
const double *cairn_model_client_answer_s(const struct cairn_model_client *asker);

/* Calls, and with which of them a picture went, as the gateway counts them. */
void cairn_model_client_stats(const struct cairn_model_client *asker, struct cairn_msg_vlm_stats *ret);
const struct cairn_ledger *cairn_model_client_ledger(struct cairn_model_client *asker);
/* Called with every discovery of the model that it had not reported before. */
void cairn_model_client_on_report(
    struct cairn_model_client *asker, cairn_dialog_report_fn *on_report, void *ctx);
/* Why nothing more is asked, or NULL: the money is spent, or the service refuses for good. */
const char *cairn_model_client_stopped(const struct cairn_model_client *asker);

#endif
