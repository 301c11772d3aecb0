/* model_worker.h - one process of an evaluation that asks a model: the call, and the money put aside for each question. */
#ifndef CAIRN_PROCS_LAB_MODEL_WORKER_H
#define CAIRN_PROCS_LAB_MODEL_WORKER_H

#include "common/eval/model_client.h"
#include "procs/gateway/model_call.h"
#include "procs/lab/shared_budget.h"

struct model_worker {
	struct model_call *call;
	struct model_purse *purse;
	double aside_usd; /* for the question that is being asked */
	bool poor;        /* it was money that the last one was not asked for */
};

/* As an asker wants it; all is borrowed. */
struct cairn_model_client_model model_worker_model(
    struct model_worker *worker, const char *system, const struct cairn_lineup *lineup);

#endif
