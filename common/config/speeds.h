/* speeds.h - cruising speeds: nav.speed_mps and nav.speed_reverse_mps, never above robot.speed_max_mps, so that lowering
 * that one key makes the whole robot slow. */
#ifndef CAIRN_COMMON_CONFIG_SPEEDS_H
#define CAIRN_COMMON_CONFIG_SPEEDS_H

#include "common/base/geom.h"
#include "common/config/config.h"

static inline double cairn_cruise_mps(const struct cairn_config *cfg)
{
	return cairn_smaller(cfg->nav.speed_mps, cfg->robot.speed_max_mps);
}

static inline double cairn_cruise_reverse_mps(const struct cairn_config *cfg)
{
	return cairn_smaller(cfg->nav.speed_reverse_mps, cfg->robot.speed_max_mps);
}

#endif
