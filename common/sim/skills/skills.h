/* skills.h - the simulated arm: carries out orders by the state of the simulated house (sim/world/props.h).
 *
 * What is checked, by the house as it is: that something is at the place that the order names, reach on the floor plan, open doors, the
 * hand, room where a thing is put down, litres. An order takes its usual time and then changes the state at once, or fails with the
 * reason. Not simulated: joints, how high an arm reaches, collisions of the arm, grips that slip, spilling. sim.skill_fail makes a share of orders fail without a cause in the
 * house, by the seed. No clock: time is the simulation's. */
#ifndef CAIRN_COMMON_SIM_SKILLS_SKILLS_H
#define CAIRN_COMMON_SIM_SKILLS_SKILLS_H

#include "common/sim/robot/sim.h"

struct cairn_sim_arm {
	const struct cairn_config *cfg;
	struct cairn_sim *sim;
	const struct cairn_world *world;
	struct cairn_rng rng;
	struct cairn_msg_skill_request order; /* id 0: none */
	double left_s, took_s;
	uint32_t fail_next; /* so many orders fail, whatever they are: for tests of who asks */
	bool lies;          /* tells success and does nothing: likewise */
};

/* cfg, world and sim are borrowed. */
void cairn_sim_arm_init(struct cairn_sim_arm *arm, const struct cairn_config *cfg,
    const struct cairn_world *world, struct cairn_sim *sim);
/* What it offers: nothing on a robot without an arm (robot.arm_reach_m 0); false then. */
bool cairn_sim_arm_offer(const struct cairn_sim_arm *arm, struct cairn_msg_skills *ret);
/* An order; a second one fails at once, and one with abort ends that of its id. True: *ret is to be told. */
bool cairn_sim_arm_take(struct cairn_sim_arm *arm, const struct cairn_msg_skill_request *order,
    struct cairn_msg_skill_result *ret);
/* Time goes on. True: the order has ended, as *ret says. */
bool cairn_sim_arm_step(struct cairn_sim_arm *arm, double dt_s, struct cairn_msg_skill_result *ret);

#endif
