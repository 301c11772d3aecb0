/* fleet_sim.h - `cairn fleet-sim`: simulated robots at one broker, each in an empty hall of its own. */
#ifndef CAIRN_PROCS_LAB_FLEET_SIM_H
#define CAIRN_PROCS_LAB_FLEET_SIM_H

#include "procs/cli/cli.h"

#define FLEET_HALL_M 12.0 /* its edge */

int cairn_fleet_sim(const struct cli *cli);

#endif
