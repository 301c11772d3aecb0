/* bridge.h - the three roles of cairn-sensor-bridge. Each runs the stage's loop until it ends and returns its
 * status. */
#ifndef CAIRN_PROCS_SENSOR_BRIDGE_BRIDGE_H
#define CAIRN_PROCS_SENSOR_BRIDGE_BRIDGE_H

#include "procs/shell/stage.h"

/* LiDAR to scan. Part of the way to the wheels: never touches shared memory. */
int cairn_bridge_lidar(struct cairn_stage *stage);
/* Camera to frames. */
int cairn_bridge_camera(struct cairn_stage *stage);
/* Bumpers and cliff sensors on GPIO lines to topic guard; never touches shared memory. */
int cairn_bridge_guard(struct cairn_stage *stage);

#endif
