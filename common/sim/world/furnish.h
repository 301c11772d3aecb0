/* furnish.h - furniture by chance for a floor plan whose rooms have labels (HouseExpo), written as a YAML world (docs/worlds.md) that
 * can be driven, looked at and changed by hand.
 *
 * What may stand where is furnish.def. A thing is put only where exactly one label with a meaning ("Room" has none) holds. Doorways
 * stay free for 0.9 m around their middle, the start for 0.6 m. What a disc of CAIRN_FURNISH_PASS_M about the robot's centre can reach
 * without furniture it reaches with it, but for what the furniture itself takes, and nooks of at most 0.1 m2 a piece. One thing in
 * four lies in a kind of room where it does not belong. The same plan and seed give the same file. */
#ifndef CAIRN_COMMON_SIM_WORLD_FURNISH_H
#define CAIRN_COMMON_SIM_WORLD_FURNISH_H

#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_FURNISH_PASS_M 0.25 /* radius: passages of half a metre stay */

struct cairn_furnish_count {
	uint32_t rooms; /* that were given something */
	uint32_t pieces, things;
	uint32_t unusual;    /* of the things: in a kind of room where they do not belong */
	double labelled_m2;  /* of the floor that can be reached: with exactly one label */
	double reachable_m2; /* without furniture */
};

/* The file's text, free(); NULL with "FILE: reason". The robot starts where it would in the plan. */
char *cairn_furnish(
    const char *plan, uint64_t seed, struct cairn_furnish_count *ret, struct cairn_error *err);

#endif
