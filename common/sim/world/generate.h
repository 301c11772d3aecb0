/* generate.h - houses by chance: rooms, doors, furniture, and what makes a house hard for a robot.
 *
 * A rectangle is cut into rooms by walls with one door each (0.70 to 0.95 m wide), so that every room can be
 * reached; furniture stands along walls and about the rooms. The same seed gives the same house. */
#ifndef CAIRN_COMMON_SIM_WORLD_GENERATE_H
#define CAIRN_COMMON_SIM_WORLD_GENERATE_H

#include <stdint.h>

#include "common/sim/world/world.h"

struct cairn_house_params {
	uint64_t seed;
	double width_min_m, width_max_m; /* of the whole; 0: 6 to 11 */
	double door_min_m, door_max_m;   /* 0: 0.70 to 0.95 */
	double furniture;                /* pieces a square metre; 0: 0.12, negative: none */
	uint32_t people;                 /* that walk about, up to 4 */
	double person_speed_mps;         /* fastest; 0: 1.0 */
	double heedless_m;               /* cairn_person.heedless_m */
	uint32_t low_boxes;              /* below the LiDAR's plane */
	uint32_t glass_panes;            /* the LiDAR looks through */
	uint32_t shelves;                /* above the LiDAR's plane, below the robot's top */
	bool swinging_door;              /* a door that opens and closes by itself */
};

/* NULL with the reason. */
struct cairn_world *cairn_house_generate(const struct cairn_house_params *params, struct cairn_error *err);

#endif
