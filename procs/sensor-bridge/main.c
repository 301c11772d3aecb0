/* sensor-bridge - drivers of the sensors: one program, its role is the name of the stage it plays. */
#include <string.h>

#include "procs/sensor-bridge/bridge.h"

int main(int argc, char **argv)
{
	int status = 0;
	struct cairn_stage *stage = cairn_stage_start("cairn-sensor-bridge",
	    "LiDAR to scan (stage sensor-bridge), cameras to frames (stage camera-bridge), GPIO lines to "
	    "guard "
	    "(stage guard-bridge)",
	    argc, argv, &status);
	if (stage == NULL)
		return status;
	const char *name = cairn_stage_name(stage);
	if (strcmp(name, "sensor-bridge") == 0) {
		status = cairn_bridge_lidar(stage);
	} else if (strcmp(name, "camera-bridge") == 0) {
		status = cairn_bridge_camera(stage);
	} else if (strcmp(name, "guard-bridge") == 0) {
		status = cairn_bridge_guard(stage);
	} else {
		cairn_log_error(
		    "--stage %s: this program plays sensor-bridge, camera-bridge and guard-bridge", name);
		status = 2;
	}
	return cairn_stage_finish(&stage, status);
}
