/* true_doors.h - rooms and doors of a house by the truth: what a route instruction means by "the second door on the left".
 *
 * Rooms are those of the world's file; floor that is in none of them is divided into what hangs together. Where floor of one room meets
 * floor of another there is a door, if walls or things stand at most CAIRN_TRUE_DOOR_MAX_M apart there, and a wide opening otherwise. */
#ifndef CAIRN_COMMON_EVAL_TRUE_DOORS_H
#define CAIRN_COMMON_EVAL_TRUE_DOORS_H

#include "common/eval/lattice.h"

#define CAIRN_TRUE_DOORS_MAX 64
#define CAIRN_TRUE_DOOR_MAX_M 1.15
#define CAIRN_TRUE_ROOMS_MAX 96

struct cairn_true_door {
	struct cairn_vec2 at;     /* its middle */
	struct cairn_vec2 across; /* unit vector of the way through, out of rooms[0] into rooms[1] */
	double width_m;
	int rooms[2];
	bool wide; /* no door: one room goes over into the other */
};

struct cairn_true_rooms {
	int8_t *room; /* of each cell of the lattice; -1: floor that is not reached */
	int room_count;
	struct cairn_true_door doors[CAIRN_TRUE_DOORS_MAX];
	uint32_t door_count;
};

/* False: no memory, or more rooms or doors than fit. Free it in either case. */
bool cairn_true_rooms_init(
    struct cairn_true_rooms *r, const struct cairn_world *world, const struct cairn_lattice *lattice);
void cairn_true_rooms_free(struct cairn_true_rooms *r);

/* Doors of a room on one side of somebody who goes on from `leg` along its heading: how many, the nearest along the way first. A door
 * counts when it is ahead and in a wall along the way. 0 as well where it is not plain which they are: a door beside the start or two close
 * behind each other, a wide opening on that side, or doors of what a wide opening leads to. */
uint32_t cairn_true_doors_beside(const struct cairn_true_rooms *r, int room, struct cairn_pose2 leg,
    bool left, uint32_t ret[CAIRN_TRUE_DOORS_MAX]);

/* Does the step from one place to the next lead through it? 1: along `across`, -1: against it, 0: no. */
int cairn_true_door_passed(const struct cairn_true_door *door, struct cairn_vec2 from, struct cairn_vec2 to);

#endif
