#include "common/safety/speed_level.h"

double cairn_speed_mps(enum cairn_speed speed)
{
	static const double mps[CAIRN_SPEED_COUNT] = {0.08, 0.12, 0.18};
	return (unsigned)speed < CAIRN_SPEED_COUNT ? mps[speed] : 0.0;
}

enum cairn_pace cairn_speed_level_of(double limit_mps)
{
	if (!(limit_mps > 0.0))
		return CAIRN_PACE_STOP;
	if (limit_mps < cairn_speed_mps(CAIRN_SPEED_SLOW))
		return CAIRN_PACE_CREEP;
	if (limit_mps < cairn_speed_mps(CAIRN_SPEED_MEDIUM))
		return CAIRN_PACE_SLOW;
	return limit_mps < cairn_speed_mps(CAIRN_SPEED_FAST) ? CAIRN_PACE_MEDIUM : CAIRN_PACE_FAST;
}
