/* safety_cost.h - what safety costs: the same ways in the same house, once through the whole chain and once by a
 * perfect map follower.
 *
 * The map is known beforehand, poses are true, nobody walks about. The follower is the planner alone: its
 * velocities go to the wheels as they are. The whole chain has sequencer, motor core and the depth camera's
 * floor in between. Times count from the first motion of a leg to where its goal is within
 * nav.goal_tolerance_m and a hand. */
#ifndef CAIRN_COMMON_EVAL_SAFETY_COST_H
#define CAIRN_COMMON_EVAL_SAFETY_COST_H

#include "common/eval/run.h"

#define CAIRN_PROGRESS_GOALS_MAX 16

struct cairn_safety_cost {
	uint32_t goals;
	uint32_t legs;                    /* that both reached */
	uint32_t missed, missed_follower; /* goals not reached in time */
	double chain_s, follower_s;       /* over the legs both reached */
	uint32_t contacts;                /* of the whole chain */
};

/* Goals in the world's frame. False with the reason: no memory, no start. */
bool cairn_safety_cost_measure(const struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_vec2 *goals, uint32_t count, struct cairn_safety_cost *ret, struct cairn_error *err);

void cairn_safety_cost_add(struct cairn_safety_cost *sum, const struct cairn_safety_cost *more);
/* What the chain took longer than the follower, as a share of the follower's time; 0 when there was none. */
double cairn_safety_cost_lost_share(const struct cairn_safety_cost *p);
/* Goals that the chain did not reach, as a share of all. Their time is in neither sum, so this is judged
 * apart. */
double cairn_safety_cost_missed_share(const struct cairn_safety_cost *p);

/* Up to max places in different rooms where the robot can stand, in the rooms' order. */
uint32_t cairn_safety_cost_goals(const struct cairn_world *world, struct cairn_vec2 *ret, uint32_t max);

#endif
