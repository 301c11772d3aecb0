/* corridors.h - worlds of long corridors, and a way to drive through them: for what scan matching can know along one.
 *
 * A hall, and one or two corridors off it, 20 to 60 m long and 1.3 to 2.2 m wide, along the x axis. The same number gives the
 * same world; the kind follows from the number. */
#ifndef CAIRN_COMMON_SIM_WORLD_CORRIDORS_H
#define CAIRN_COMMON_SIM_WORLD_CORRIDORS_H

#include "common/sim/world/world.h"

#define CAIRN_CORRIDOR_LENGTH_MIN_M 20.0
#define CAIRN_CORRIDOR_LENGTH_MAX_M 60.0
#define CAIRN_CORRIDOR_WAY_MAX 12

enum cairn_corridor_kind {
	CAIRN_CORRIDOR_BARE,  /* two smooth walls and an end */
	CAIRN_CORRIDOR_DOORS, /* closed doors, set back into the walls */
	CAIRN_CORRIDOR_ROOMS, /* open doors to rooms on both sides */
	CAIRN_CORRIDOR_TWINS, /* two that look alike, side by side, each a dead end: out and back in both */
	CAIRN_CORRIDOR_RING,  /* two that look alike between two halls: out by one, back by the other */
	CAIRN_CORRIDOR_KINDS
};

struct cairn_corridors {
	uint64_t number;
	enum cairn_corridor_kind kind;
	double length_m, width_m;
	bool doors;     /* the walls are not smooth */
	double apart_m; /* the wall between two corridors; 0 with one */
	/* World frame: straight legs, at each end of which the robot turns on the spot. It starts at the first, facing the
	 * second, and ends where it started. */
	struct cairn_vec2 way[CAIRN_CORRIDOR_WAY_MAX];
	uint32_t way_count;
	struct cairn_world *world;
};

/* False with the reason. ret->world is the caller's, to be destroyed. */
bool cairn_corridors_generate(
    uint64_t seed, uint64_t number, struct cairn_corridors *ret, struct cairn_error *err);

#endif
