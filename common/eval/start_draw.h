/* start_draw.h - where a trial begins: seed 1 where the world says, any other somewhere else that the robot reaches from there, drawn by the
 * seed alone: trials of the same house and seed are pairs. */
#ifndef CAIRN_COMMON_EVAL_START_DRAW_H
#define CAIRN_COMMON_EVAL_START_DRAW_H

#include "common/sim/robot/sim.h"

/* Writes sim.start and sim.start_* of cfg. *ret_at: where it is, world frame. *ret_none: another start was asked for, and no place fits: it is the world's. False with the
 * reason: the robot cannot stand at the world's start, or no memory. */
bool cairn_draw_start(struct cairn_config *cfg, const struct cairn_world *world, uint64_t seed,
    struct cairn_pose2 *ret_at, bool *ret_none, struct cairn_error *err);

/* Can the robot drive off there? Nobody puts one down between the legs of a chair. */
bool cairn_start_fits(const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_pose2 at);

#endif
