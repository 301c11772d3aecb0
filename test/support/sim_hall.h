/* sim_hall.h - an empty hall with a robot in it, for tests of the simulated robot. */
#ifndef CAIRN_TEST_SUPPORT_SIM_HALL_H
#define CAIRN_TEST_SUPPORT_SIM_HALL_H

#include "test/support/runner.h"

#include "common/sim/robot/sim.h"
#include "common/sim/world/build.h"

#define NEAR(a, b, tol) ck_assert_double_eq_tol(a, b, tol)

static inline struct cairn_world *hall(double width_m, double depth_m)
{
	struct cairn_builder b;
	struct cairn_vec2 c[4] = {{0, 0}, {width_m, 0}, {width_m, depth_m}, {0, depth_m}};
	ck_assert(cairn_build_init(&b, "hall", NULL));
	(void)cairn_build_thing(&b, "wall", "wall", 0, 0);
	cairn_build_outline(&b, c, 4, true, 0.0, 2.5, CAIRN_PAINT(200, 200, 200, PLASTER));
	b.world->has_start = true;
	b.world->start = (struct cairn_pose2){1.0, 0.5 * depth_m, 0.0};
	return cairn_build_finish(&b, NULL);
}

static inline struct cairn_config quiet(void)
{
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	cfg.sim.noise = false;
	return cfg;
}

static inline const struct cairn_body *body_of(const struct cairn_sim *sim)
{
	return &cairn_sim_state(sim)->body;
}

static inline void drive(struct cairn_sim *sim, struct cairn_drive d, double seconds)
{
	for (int i = 0; i < (int)(seconds / CAIRN_SIM_STEP_S + 0.5); i++)
		(void)cairn_sim_step(sim, d, false);
}

#endif
