/* placement.h - what the configuration says stage by stage: where and with which priority it runs (launcher.fifo,
 * launcher.affinity), and what the robot does without it (launcher.without).
 *
 * A list is words "stage:value" with blanks or commas between them. */
#ifndef CAIRN_PROCS_LAUNCHER_PLACEMENT_H
#define CAIRN_PROCS_LAUNCHER_PLACEMENT_H

#include "common/config/config.h"
#include "ipc/messages.h"

struct cairn_placement {
	int fifo; /* SCHED_FIFO priority; 0 = the ordinary scheduler */
	int cpu;  /* -1 = any */
};

/* Checks all lists: stages that exist, values that mean something, no stage twice. False with key and reason. */
bool cairn_placement_check(const struct cairn_config_launcher *cfg, struct cairn_error *err);
/* Of a stage, from lists that have been checked. */
struct cairn_placement cairn_placement_of(const struct cairn_config_launcher *cfg, const char *stage);
/* What the robot does while the stage is held failed: as launcher.without says, else the stage table. A name
 * that is none of the table's makes it stand. */
enum cairn_without cairn_without_of(const struct cairn_config_launcher *cfg, const char *stage);
/* To a process that has just been started, and to the threads that it may have by now. Where real-time
 * priority is refused the process asks for short slices of the processor instead (0.1 ms; Linux 6.12 and
 * later give such a one its turn sooner; nobody needs a privilege for it). 0, or the first negative errno:
 * the rest is done all the same. */
int cairn_placement_apply(const struct cairn_placement *placement, int pid);
/* What is done where real-time priority is refused, to a process and its threads. */
void cairn_placement_short_slices(int pid);

#endif
