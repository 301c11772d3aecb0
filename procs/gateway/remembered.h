/* remembered.h - what outlives the gateway: the memory of the house, and what was spent. What was spent lies beside the memory and not in it:
 * it is the money of whoever pays, whatever home the robot is in. */
#ifndef CAIRN_PROCS_GATEWAY_REMEMBERED_H
#define CAIRN_PROCS_GATEWAY_REMEMBERED_H

#include "common/vlm/dialog.h"
#include "procs/shell/stage.h"

struct remembered {
	struct cairn_stage *stage;
	struct cairn_dialog *dialog;
	char memory_path[512], spending_path[512];
	double saved_task_usd; /* of the agent */
};

/* All borrowed. What folder holds is given to the dialog; a file that cannot be used is kept beside it, and said. */
void remembered_load(
    struct remembered *r, struct cairn_stage *stage, struct cairn_dialog *dialog, const char *folder);

/* What has changed. What could not be saved is tried again with the next call. */
void remembered_save(struct remembered *r);
/* When a call of the model is sent, counted as if its answer never came, and when it has ended: a process that dies forgets nothing. */
void remembered_save_spending(struct remembered *r);

#endif
