/* outside.h - notes of programs outside (external.topics), from the bus into the memory that the model is told. */
#ifndef CAIRN_PROCS_GATEWAY_OUTSIDE_H
#define CAIRN_PROCS_GATEWAY_OUTSIDE_H

#include "common/vlm/memory.h"
#include "procs/shell/stage.h"

struct outside;

/* Reads the declared topics and subscribes to those with notes. memory is borrowed. NULL with err set. */
struct outside *outside_new(struct cairn_stage *stage, struct cairn_memory *memory, struct cairn_error *err);
void outside_destroy(struct outside **outside_p);
/* Writes what is young enough into the memory. */
void outside_tell(struct outside *outside);

#endif
