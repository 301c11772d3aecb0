/* checkpoint.h - a simulation's truth in a piece of memory that outlives the process (a mapped file).
 *
 * The small state is in two slots written in turn, each with a serial number and a checksum, so that a kill
 * in the middle of a write leaves the other one good. The swept floor is a bitmap whose bits are only ever
 * set, in place. Pure: the caller maps the memory. */
#ifndef CAIRN_COMMON_SIM_ROBOT_CHECKPOINT_H
#define CAIRN_COMMON_SIM_ROBOT_CHECKPOINT_H

#include "common/sim/robot/sim.h"

/* Which run a memory belongs to: world, start and seed. */
uint64_t cairn_checkpoint_key(
    const struct cairn_sim *sim, const struct cairn_world *world, const struct cairn_config *cfg);

size_t cairn_checkpoint_bytes(size_t bitmap_bytes);
/* True when the memory holds a state of this key and size; *ret_state is the newest good one then. */
bool cairn_checkpoint_load(
    const void *memory, size_t bytes, uint64_t key, size_t bitmap_bytes, struct cairn_sim_state *ret_state);
/* Makes the memory a new, empty one. */
void cairn_checkpoint_clear(void *memory, uint64_t key, size_t bitmap_bytes);
void cairn_checkpoint_save(void *memory, const struct cairn_sim_state *state);
uint8_t *cairn_checkpoint_bitmap(void *memory);

#endif
