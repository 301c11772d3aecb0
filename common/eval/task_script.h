/* task_script.h - what stands in the model's place in the trials of tasks: a list of calls per task, gone through by the text of the
 * answers alone. */
#ifndef CAIRN_COMMON_EVAL_TASK_SCRIPT_H
#define CAIRN_COMMON_EVAL_TASK_SCRIPT_H

#include "common/eval/task_trial.h"

struct cairn_task_script {
	enum cairn_task_trial_id id;
	uint32_t next, failures;
	bool begun;
	char poured
	    [CAIRN_SCENE_LABEL_CAP]; /* id of the glass that was filled, from the answer: that one is brought */
};

void cairn_task_script_init(struct cairn_task_script *script, enum cairn_task_trial_id id);
/* The answer to the call before ("" before the first); the next call. False: the script says nothing more. */
bool cairn_task_script_next(
    struct cairn_task_script *script, const char *answer, struct cairn_reasoner_call *ret);

#endif
