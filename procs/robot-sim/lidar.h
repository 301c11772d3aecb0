/* lidar.h - the simulated LiDAR at its port: whichever robot.lidar_model it speaks. */
#ifndef CAIRN_PROCS_ROBOT_SIM_LIDAR_H
#define CAIRN_PROCS_ROBOT_SIM_LIDAR_H

#include "common/device/scan_stream.h"
#include "common/sim/robot/dev_ld06.h"
#include "common/sim/robot/dev_lidar.h"
#include "common/sim/robot/sim.h"
#include "procs/shell/device_port.h"

#define SIM_LIDAR_FLUSH_STEPS 2 /* bytes leave in pieces of 20 ms, as a serial line would deliver them */

struct sim_lidar {
	enum cairn_choice_lidar_model model;
	struct device_port port; /* opened and closed by the owner */
	struct cairn_dev_lidar dev;
	struct cairn_dev_ld06 ld06;
	struct cairn_lidar_turn turn; /* as a helper tells it */
	uint8_t nodes[SIM_LIDAR_FLUSH_STEPS * CAIRN_LIDAR_STEP_POINTS * CAIRN_DEV_LIDAR_NODE];
	size_t node_bytes;
};

/* The port is left as it is. */
void sim_lidar_init(struct sim_lidar *l, enum cairn_choice_lidar_model model);
/* Takes what was written to it, and answers. */
void sim_lidar_hear(struct sim_lidar *l);
bool sim_lidar_scans(const struct sim_lidar *l);
/* The points of a step of the simulation (NULL: none). */
void sim_lidar_report(struct sim_lidar *l, const struct cairn_lidar_point *points);

#endif
