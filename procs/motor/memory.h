/* memory.h - what the motor stage must not forget when it dies: a latched emergency stop, and that it has
 * lived before.
 *
 * RUN/state/motor holds one line: process id of the parent, latched or not, reason. It counts only under the
 * same parent: a new stack in the same run directory is an operator's act and starts clean. */
#ifndef CAIRN_PROCS_MOTOR_MEMORY_H
#define CAIRN_PROCS_MOTOR_MEMORY_H

#include <stdbool.h>

#include "common/base/error.h"

struct cairn_motor_memory {
	bool reborn, estop;
	char reason[80];
};

/* A missing file is a first start. False with err set when there is one that cannot be read or understood:
 * then the memory is the careful one (reborn, latched). *memory is always filled. */
bool cairn_motor_memory_load(const char *run_dir, struct cairn_motor_memory *memory, struct cairn_error *err);
/* Atomically. */
bool cairn_motor_memory_save(const char *run_dir, bool estop, const char *reason, struct cairn_error *err);

#endif
