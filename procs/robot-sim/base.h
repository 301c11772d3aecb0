/* base.h - the simulated robot's base at its port: whichever robot.base_model it speaks. */
#ifndef CAIRN_PROCS_ROBOT_SIM_BASE_H
#define CAIRN_PROCS_ROBOT_SIM_BASE_H

#include "common/sim/robot/dev_board.h"
#include "common/sim/robot/dev_diffdrive.h"
#include "common/sim/robot/sim.h"
#include "procs/shell/device_port.h"

#define SIM_BASE_GYRO_STEPS 4 /* its gyro's filter: mean over the report period */

struct sim_base {
	const struct cairn_config *cfg;
	const struct cairn_sim *sim;
	struct device_port port; /* opened and closed by the owner */
	struct cairn_dev_board board;
	struct cairn_dev_diffdrive two_wheels;
	double gyro[SIM_BASE_GYRO_STEPS];
};

/* cfg and sim are borrowed; the port is left as it is. */
void sim_base_init(struct sim_base *base, const struct cairn_config *cfg, const struct cairn_sim *sim);
/* Takes what was written to it, and answers. */
void sim_base_hear(struct sim_base *base);
/* After each step of the simulation: says what is due. */
void sim_base_report(struct sim_base *base);
/* What it makes the wheels do. */
struct cairn_drive sim_base_drive(const struct sim_base *base);

#endif
