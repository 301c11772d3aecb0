/* dead_ends.h - worlds of rooms and corridors that end: for what a robot that cannot turn round does in them.
 *
 * Two rooms with a door between them, and one or two corridors off the first that lead nowhere: 0.45 to 0.70 m wide, 2 to
 * 15 m deep, straight or with one bend. In two of three worlds a person or a box appears in the first corridor, behind a
 * robot that is in it, and goes away again. The same number gives the same world. */
#ifndef CAIRN_COMMON_SIM_WORLD_DEAD_ENDS_H
#define CAIRN_COMMON_SIM_WORLD_DEAD_ENDS_H

#include "common/sim/world/world.h"

#define CAIRN_DEAD_ENDS_MAX 2
#define CAIRN_DEAD_END_WIDTH_MIN_M 0.45
#define CAIRN_DEAD_END_WIDTH_MAX_M 0.70
#define CAIRN_DEAD_END_DEPTH_MIN_M 2.0
#define CAIRN_DEAD_END_DEPTH_MAX_M 15.0

enum cairn_behind { CAIRN_BEHIND_NOBODY, CAIRN_BEHIND_PERSON, CAIRN_BEHIND_BOX, CAIRN_BEHIND_COUNT };

/* World frame. The middle line runs from the mouth to the end, over the bend where there is one. */
struct cairn_dead_end {
	double width_m, depth_m; /* depth along the middle line */
	uint32_t count;          /* of points of the middle line: 2, or 3 with a bend */
	struct cairn_vec2 line[3];
};

struct cairn_dead_ends {
	uint64_t number;
	struct cairn_dead_end ends[CAIRN_DEAD_ENDS_MAX];
	uint32_t count;
	/* The mover is the world's person 0; it stands far away until the robot is trigger_m deep in the first corridor. A
	 * box is put gap_m behind the robot; a person walks in from the mouth up to gap_m. Both stay for stay_s. */
	enum cairn_behind behind;
	double trigger_m, gap_m, stay_s;
	struct cairn_vec2 away;
	struct cairn_world *world;
};

/* False with the reason. ret->world is the caller's, to be destroyed. */
bool cairn_dead_ends_generate(
    uint64_t seed, uint64_t number, struct cairn_dead_ends *ret, struct cairn_error *err);

/* How deep in a corridor a place is: metres along the middle line from the mouth, negative when it is not within the
 * corridor's walls. */
double cairn_dead_end_depth(const struct cairn_dead_end *end, double x_m, double y_m);
/* The place so deep on the middle line. */
struct cairn_vec2 cairn_dead_end_at(const struct cairn_dead_end *end, double depth_m);

#endif
