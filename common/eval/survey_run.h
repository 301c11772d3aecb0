/* survey_run.h - after an exploration the agent's survey (common/agent/survey.h) in a run: the floor that no picture has shown is looked
 * at, piece by piece.
 *
 * Drives through the sequencer as the agent does, as a task; no model is asked. Simulated time, one run. */
#ifndef CAIRN_COMMON_EVAL_SURVEY_RUN_H
#define CAIRN_COMMON_EVAL_SURVEY_RUN_H

#include "common/agent/survey.h"
#include "common/eval/run.h"

struct cairn_survey_run {
	struct cairn_coverage *coverage; /* owned */
	struct cairn_survey survey;
	bool begun, over;
	uint64_t decision_id; /* under way; 0 = none */
	int64_t t_told_ns;
};

/* False without memory. */
bool cairn_survey_run_init(struct cairn_survey_run *s, const struct cairn_config *cfg);
void cairn_survey_run_free(struct cairn_survey_run *s);
/* From the first picture of the exploration on. */
void cairn_survey_run_on_picture(
    struct cairn_survey_run *s, const struct cairn_msg_detections *seen, int64_t t_ns);
void cairn_survey_run_on_result(
    struct cairn_survey_run *s, const struct cairn_msg_result *result, int64_t now_ns);
void cairn_survey_run_on_grid(struct cairn_survey_run *s, const struct cairn_scene_grid *grid);
/* At every step after the exploration. False: nothing is left to look at, or the robot takes no task. */
bool cairn_survey_run_step(struct cairn_survey_run *s, struct cairn_run *run);

#endif
