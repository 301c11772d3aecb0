/* progress_private.h - whether the robot gets anywhere, over the tasks: what leads to a manoeuvre, to local exploration, to waiting. */
#ifndef CAIRN_COMMON_SEQUENCER_PROGRESS_PRIVATE_H
#define CAIRN_COMMON_SEQUENCER_PROGRESS_PRIVATE_H

#include "common/sequencer/task_private.h"

struct cairn_sequencer;

/* Whether a way gets anywhere, over all tasks that lead to the same place. */
struct seq_way_progress {
	bool known; /* of some way since the exploration began */
	double goal_x_m, goal_y_m;
	double x_m, y_m;      /* where the robot was when it last got somewhere */
	double left_m;        /* the least that was left of the path */
	double since_s;       /* of driving */
	bool tight;           /* it is where there is no room to turn */
	uint32_t tight_times; /* so often it has come there */
};

/* Where and since when the planner has known no way off. */
struct seq_boxed {
	bool known;
	double x_m, y_m;
	int64_t t_ns;
};

struct seq_progress {
	struct seq_way_progress way;
	struct seq_boxed boxed;
	uint32_t fails;      /* results in a row that got nowhere */
	uint32_t recoveries; /* manoeuvres in a row without progress of the model's own */
	bool recovery_due, local_due;
	int64_t t_react_ns; /* until then local exploration goes by the scan alone */
};

#endif
