/* instructions.h - routes told in words ("turn round, take the second door on the left, stop at the lamp") with where they lead, made from
 * the world's file by code that neither the agent nor the scripted pilot links.
 *
 *   turn round  first, or not at all: the way goes on against the heading at the start
 *   pass        a thing of a name that the house has once, in the room that the way is in. In some instructions one that the house
 *               does not have: that part does not fit the world, and whoever follows goes on without it
 *   door        the first, second ... on a side, of the room that the way is in, as seen along the way (true_doors.h): from the start,
 *               and behind a door straight on from that
 *   stop        at a thing of a name that the house has once, in the room that the way has come to
 *
 * By seed. Each leads to one place: doors and things of which it is not plain which is meant are in none. */
#ifndef CAIRN_COMMON_EVAL_INSTRUCTIONS_H
#define CAIRN_COMMON_EVAL_INSTRUCTIONS_H

#include "common/eval/true_doors.h"

#define CAIRN_INSTRUCTION_PARTS_MAX 8
#define CAIRN_INSTRUCTION_PASS_M 1.5 /* from the thing, in its room: it was passed */
#define CAIRN_INSTRUCTION_STOP_M 1.2 /* the same: stopped at it */

enum cairn_instruction_kind {
	CAIRN_INSTRUCTION_TURN,
	CAIRN_INSTRUCTION_PASS,
	CAIRN_INSTRUCTION_DOOR,
	CAIRN_INSTRUCTION_STOP
};

struct cairn_instruction_part {
	enum cairn_instruction_kind kind;
	bool unfit; /* PASS: the house has no such thing */
	bool left;  /* DOOR */
	uint32_t nth;
	uint32_t door; /* of the house's doors */
	bool against;  /* the way through is against `across` of the door */
	char label[40];
	double low[3], high[3]; /* of the thing */
	int room;               /* that it is in */
};

struct cairn_instruction {
	char text[240];
	struct cairn_pose2 start; /* world frame */
	struct cairn_instruction_part parts[CAIRN_INSTRUCTION_PARTS_MAX];
	uint32_t count;
	double shortest_m; /* way that follows all parts that fit, in their order; turning costs nothing */
};

/* A house as instructions are made of it, and judged by. */
struct cairn_instruction_house {
	const struct cairn_config *cfg;  /* borrowed */
	const struct cairn_world *world; /* borrowed */
	struct cairn_lattice floor;
	struct cairn_true_rooms rooms;
};

/* False: no memory, or a house of too many rooms. Free it in either case. */
bool cairn_instruction_house_init(struct cairn_instruction_house *h, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_pose2 start);
void cairn_instruction_house_free(struct cairn_instruction_house *h);

/* At most max, fewer where the house has no more to tell ways by; no two with the same words. foreign: names of things that this house
 * does not have. *ret_rejected: drafts that were given up. */
uint32_t cairn_instructions_make(struct cairn_instruction_house *h, const char (*foreign)[40],
    uint32_t foreign_count, uint64_t seed, struct cairn_instruction *ret, uint32_t max,
    uint32_t *ret_rejected);

/* Is a place so near to the thing of a part, in the same room? */
bool cairn_instruction_near(const struct cairn_instruction_house *h,
    const struct cairn_instruction_part *part, struct cairn_vec2 at, double within_m);

#endif
