#include "common/sim/robot/stop_timer.h"

#include <math.h>

#define STANDING_MPS 0.005 /* the lag of the wheels never quite reaches zero */
#define CHANGE_MPS 1e-6

void cairn_stop_timer_step(struct cairn_stop_timer *stops, double cmd_mps, double wheel_mps, int64_t now_ns)
{
	double cmd = fabs(cmd_mps), before = stops->cmd_mps;
	stops->cmd_mps = cmd;
	if (cmd > before + CHANGE_MPS)
		stops->falling_ns = 0;
	else if (cmd < before - CHANGE_MPS && stops->falling_ns == 0)
		stops->falling_ns = now_ns;
	if (fabs(wheel_mps) > STANDING_MPS) {
		stops->moving = true;
		return;
	}
	if (!stops->moving || cmd > CHANGE_MPS)
		return;
	stops->moving = false;
	stops->braked_ns = stops->falling_ns != 0 ? stops->falling_ns : now_ns;
	stops->stood_ns = now_ns;
	stops->falling_ns = 0;
	stops->count++;
}
