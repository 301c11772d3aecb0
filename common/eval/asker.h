/* asker.h - a model in the place of the scripted pilot of a run in simulated time: the same dialog, prompt, tools, checks
 * and ledger as the gateway's, with snapshots drawn for each question. Who answers, and how it is reached, is the
 * caller's.
 *
 * The simulated clock stands still while the answer is waited for and then goes on by the time that it took. */
#ifndef CAIRN_COMMON_EVAL_ASKER_H
#define CAIRN_COMMON_EVAL_ASKER_H

#include "common/eval/eye.h"
#include "common/vlm/once.h"

/* Who is asked. All borrowed. */
struct cairn_asker_model {
	const char *system; /* cairn_prompt_load */
	const struct cairn_lineup *lineup;
	cairn_once_fn *send;
	void *ctx;
	double (*took_s)(void *ctx); /* of the last call; NULL: nothing is known of it */
	/* Puts aside what a question may cost, before it is asked. False with the reason: it may not be, nor any other. NULL:
	 * the configuration's limits alone. */
	bool (*reserve)(void *ctx, struct cairn_error *err);
	void (*spent)(void *ctx, double usd); /* by that question, be it nothing; NULL with reserve */
};

struct cairn_asker;

/* cfg, world and model are borrowed. candidates: the model is told of them. NULL with err set. */
struct cairn_asker *cairn_asker_new(const struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_asker_model *model, bool candidates, struct cairn_error *err);
void cairn_asker_destroy(struct cairn_asker **asker_p);

/* The run's model (cairn_run_decide_fn), to be told of every step and every result. ret_answer_s: the time the answer took,
 * for cairn_run_options.answer_s. */
bool cairn_asker_decide(void *asker, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret);
void cairn_asker_watch(struct cairn_asker *asker, const struct cairn_run *run);
void cairn_asker_result(
    struct cairn_asker *asker, const struct cairn_run *run, const struct cairn_msg_result *result);
const double *cairn_asker_answer_s(const struct cairn_asker *asker);

const struct cairn_ledger *cairn_asker_ledger(struct cairn_asker *asker);
/* Called with every discovery of the model that it had not reported before. */
void cairn_asker_on_report(struct cairn_asker *asker, cairn_dialog_report_fn *on_report, void *ctx);
/* Why nothing more is asked, or NULL: the money is spent, or the service refuses for good. */
const char *cairn_asker_stopped(const struct cairn_asker *asker);

#endif
