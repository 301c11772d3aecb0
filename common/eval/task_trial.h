/* task_trial.h - tasks with things in a simulated house, in simulated time: does the reasoner bring what was asked for, and does it ever
 * say "done" when the house says otherwise?
 *
 * The robot first explores the house with the scripted pilot, with the cores of the stages detector and scene beside it. Then the
 * operator gives a task: decisions and wishes for the arm go through the sequencer as the agent's, and the simulated arm
 * (sim/skills) changes the house. In the model's place stands a script of calls per task that sees nothing but the reasoner's answers
 * as text: this measures the reasoner, the sequencer and the gate, and says nothing about a model. Success is judged by the state of the house. */
#ifndef CAIRN_COMMON_EVAL_TASK_TRIAL_H
#define CAIRN_COMMON_EVAL_TASK_TRIAL_H

#include "common/eval/run.h"
#include "common/reasoner/reasoner.h"

enum cairn_task_trial_id {
	CAIRN_TASK_T1, /* wine in the graph and in the fridge, glasses on the table */
	CAIRN_TASK_T2, /* glasses in the closed cupboard, not in the graph */
	CAIRN_TASK_T3, /* no glass in the house */
	CAIRN_TASK_T4, /* nothing in the graph but what exploring has shown */
	CAIRN_TASK_T5, /* go to where the red kettle is seen */
	CAIRN_TASK_T6, /* the graph lies: wine in a wall */
	CAIRN_TASK_T7, /* the arm fails once */
	CAIRN_TASK_T7_ALWAYS,
	CAIRN_TASK_T8,  /* questions alone */
	CAIRN_TASK_T10, /* who has asked goes away */
	CAIRN_TASK_T11, /* labels that give orders */
	CAIRN_TASK_T12, /* calls that are none */
	CAIRN_TASK_COUNT
};

/* "T1" and what it is. */
const char *cairn_task_trial_name(enum cairn_task_trial_id id);
const char *cairn_task_trial_about(enum cairn_task_trial_id id);

struct cairn_task_trial_result {
	bool passed, said_done, is_done, handed_off;
	bool false_done; /* said, and not so by the house */
	uint32_t contacts, candidates, opened, skills, refused, calls;
	double seconds, driven_m; /* of the task alone */
	char why[160];            /* it has not passed */
	struct cairn_reasoner_event trace[CAIRN_REASONER_TRACE];
	uint32_t trace_count;
};

/* False with the reason: it could not be run. */
bool cairn_task_trial_run(const struct cairn_config *cfg, const struct cairn_world *world,
    enum cairn_task_trial_id id, struct cairn_task_trial_result *ret, struct cairn_error *err);

#endif
