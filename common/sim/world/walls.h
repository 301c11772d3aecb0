/* walls.h - straight walls with doors cut into them. */
#ifndef CAIRN_COMMON_SIM_WORLD_WALLS_H
#define CAIRN_COMMON_SIM_WORLD_WALLS_H

#include "common/sim/world/build.h"

struct cairn_door {
	const char *name;
	struct cairn_vec2 from, to; /* the opening, on the centre line of a wall */
	double height_m;
	bool has_leaf;
	double leaf_rad; /* of the leaf: 0 closed, counter-clockwise about its hinge at from */
	struct cairn_paint paint;
	bool used; /* out: a wall was cut */
};

struct cairn_wall {
	struct cairn_vec2 from,
	    to; /* centre line; the wall reaches half its thickness farther on both ends */
	double thickness_m, height_m;
	struct cairn_paint paint;
};

/* The wall without its door openings, cut also where the corners of rooms meet it (so that each room can have
 * its own colour), with a lintel over each door. Marks the doors that lie in it. */
void cairn_wall_build(
    struct cairn_builder *b, const struct cairn_wall *wall, struct cairn_door *doors, size_t door_count);
/* Its frame and leaf. thickness_m of the wall it stands in. */
void cairn_door_build(struct cairn_builder *b, const struct cairn_door *door, double thickness_m);

#endif
