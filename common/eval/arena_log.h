/* arena_log.h - what happened in each cycle of an arena, as lines of JSON: for people who want to know why. */
#ifndef CAIRN_COMMON_EVAL_ARENA_LOG_H
#define CAIRN_COMMON_EVAL_ARENA_LOG_H

#include "common/eval/arena.h"

struct cairn_arena_log {
	FILE *out; /* borrowed; NULL: nothing is written, and all calls below do nothing */
	const struct cairn_arena *arena;
	bool has_decision, has_result; /* since the last line */
	struct cairn_msg_decision decision;
	struct cairn_msg_result result;
};

void cairn_arena_log_decision(struct cairn_arena_log *log, const struct cairn_msg_decision *decision);
void cairn_arena_log_result(struct cairn_arena_log *log, const struct cairn_msg_result *result);
/* The line of a cycle that has ended: where the robot is by the truth, what it does, the newest decision and result since
 * the line before. */
void cairn_arena_log_cycle(struct cairn_arena_log *log, const struct cairn_run *run, uint32_t cycle,
    const struct cairn_arena_result *result);
void cairn_arena_log_end(struct cairn_arena_log *log, const struct cairn_arena_result *result);

#endif
