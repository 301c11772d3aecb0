/* shared_budget.h - money that several processes, and several runs one after the other, spend together.
 *
 * What a question may cost is put aside before it is asked, and set right when its cost is known: a process
 * that is killed meanwhile has spent what it had put aside. A question may cost as much as the dearest so
 * far. */
#ifndef CAIRN_PROCS_LAB_SHARED_BUDGET_H
#define CAIRN_PROCS_LAB_SHARED_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct model_purse;

/* To be made before the processes are started. path: a file that goes on with what earlier runs of this key
 * have spent; NULL: of this run alone. NULL with err set: it cannot be written, or is of another key. */
struct model_purse *model_purse_new(double usd_max, const char *path, uint64_t key, struct cairn_error *err);
void model_purse_destroy(struct model_purse **budget_file_p);

/* Puts money aside for a question. Not 0, with the reason: -EDQUOT, too little is left; another negative
 * errno, it cannot be written down. */
int model_purse_reserve(struct model_purse *purse, double *ret_usd, struct cairn_error *err);
/* The question that reserved_usd was put aside for did cost usd. */
void model_purse_settle(struct model_purse *purse, double reserved_usd, double usd);

/* What is spent or put aside, and what of usd_max is left, which is never negative. US dollars. */
double model_purse_spent_usd(const struct model_purse *purse);
double model_purse_left_usd(const struct model_purse *purse);

#endif
