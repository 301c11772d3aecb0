/* eval_cost_need.h - what an hour costs with each provider when the model is asked by need (`cairn eval cost --by-need`). */
#ifndef CAIRN_PROCS_LAB_EVAL_COST_NEED_H
#define CAIRN_PROCS_LAB_EVAL_COST_NEED_H

#include "procs/lab/bench.h"
#include "procs/cli/cli.h"

enum cairn_eval_end cost_by_need(const struct cli *cli, json_t *figures);

#endif
