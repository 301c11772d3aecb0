/* narrow.h - gaps that are too narrow for the robot, as people are told of them. */
#ifndef CAIRN_PROCS_CAIRN_NARROW_H
#define CAIRN_PROCS_CAIRN_NARROW_H

#include <stdio.h>

#include "ipc/messages.h"

/* A line for each gap, with the first opening behind it. */
void narrow_print(const struct cairn_msg_frontiers *frontiers, const char *lead, FILE *out);
/* How many gaps there are. */
uint32_t narrow_count(const struct cairn_msg_frontiers *frontiers);

#endif
