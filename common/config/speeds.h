/* speeds.h - what the base can do, and cruising speeds: nav.speed_mps and nav.speed_reverse_mps, never above robot.speed_max_mps, so that lowering
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

static inline bool cairn_is_differential(const struct cairn_config *cfg)
{
	return cfg->robot.kinematics == CAIRN_CHOICE_KINEMATICS_DIFFERENTIAL;
}

/* Fastest turn in place; 0: the base cannot. */
static inline double cairn_turn_rate_max_radps(const struct cairn_config *cfg)
{
	return cairn_is_differential(cfg) ? cfg->robot.turn_rate_max_radps : 0.0;
}

#endif
