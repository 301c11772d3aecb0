/* walked.h - was a route instruction followed? By the poses that the robot really had, one after the other. */
#ifndef CAIRN_COMMON_EVAL_WALKED_H
#define CAIRN_COMMON_EVAL_WALKED_H

#include "common/eval/instructions.h"

struct cairn_walked {
	uint32_t parts;  /* fulfilled in their order, of those that fit */
	uint32_t fit;    /* parts that fit the world */
	uint32_t strays; /* doors passed that were not the next one of the instruction */
	bool end;        /* the last pose is at the thing to stop at, in its room */
	bool followed;   /* all parts, in their order, and at the right end */
};

struct cairn_walked cairn_walked_judge(const struct cairn_instruction_house *h,
    const struct cairn_instruction *instruction, const struct cairn_pose2 *track, uint32_t count);

#endif
