/* visible_things.h - which things of a house the robot's camera shows from anywhere that the robot gets to: what a scene graph can be
 * asked for after an exploration, whatever way the robot has driven.
 *
 * Looked from a lattice of 0.3 m over the floor on which the robot's middle can stand, in eight directions. A thing is shown by
 * detect.sim_pixels_min pixels, detect.sim_visible_min of it, within detect.range_max_m. By the truth, without chance. */
#ifndef CAIRN_COMMON_EVAL_VISIBLE_THINGS_H
#define CAIRN_COMMON_EVAL_VISIBLE_THINGS_H

#include "common/config/config.h"
#include "common/sim/world/world.h"

/* ret: one for each thing of the world. False: out of memory. */
bool cairn_visible_things(
    const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_pose2 start, bool *ret);

#endif
