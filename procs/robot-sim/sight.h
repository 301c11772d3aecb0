/* sight.h - the simulated detector behind the detector helper's socket (docs/detector.md). */
#ifndef CAIRN_PROCS_ROBOT_SIM_SIGHT_H
#define CAIRN_PROCS_ROBOT_SIM_SIGHT_H

#include "common/sim/robot/sim.h"
#include "procs/shell/stage.h"

struct sight_server;

/* Listens at path (below the run directory unless absolute). sim and world are borrowed. NULL with err set. */
struct sight_server *sight_server_new(struct cairn_stage *stage, const char *path, struct cairn_sim *sim,
    const struct cairn_world *world, struct cairn_error *err);
void sight_server_destroy(struct sight_server **server_p);

#endif
