/* estop_latch.h - what must not be forgotten when processes die: a latched emergency stop, that a person is waited
 * for (safety.rearm), and that the motor stage has lived before.
 *
 * RUN/state/motor.stop holds one record, written over in place and in one go: that needs no room on a disk which
 * has filled up since, and what is torn counts as a stop. It outlives the motor stage, the launcher and a
 * killed `cairn up`. */
#ifndef CAIRN_COMMON_SAFETY_ESTOP_LATCH_H
#define CAIRN_COMMON_SAFETY_ESTOP_LATCH_H

#include <stdbool.h>

#include "common/base/error.h"

#define CAIRN_ESTOP_LATCH_NAME "motor.stop" /* in RUN/state */

struct cairn_estop_latch {
	bool reborn; /* by load: there was a motor stage before */
	bool estop;
	bool waits; /* for an operator's release, after something was reborn */
	char reason[80];
};

/* A missing file is a first start. False with err set when there is one that cannot be read or understood:
 * then the memory is the careful one (reborn, latched, waiting). *memory is always filled. */
bool cairn_estop_latch_load(const char *run_dir, struct cairn_estop_latch *memory, struct cairn_error *err);
bool cairn_estop_latch_save(
    const char *run_dir, const struct cairn_estop_latch *memory, struct cairn_error *err);
/* At the end of a stack in good order, when its stages are gone (otherwise all stays). An operator who takes
 * it down, and so takes over, ends the stop too; whatever else ends it leaves what a person has to release to
 * the next. */
void cairn_estop_latch_end(const char *run_dir, bool by_operator);

#endif
