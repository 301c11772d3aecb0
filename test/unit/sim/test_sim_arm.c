/* The simulated arm: what it does to the house, and why it fails. */
#include <math.h>

#include "common/sim/skills/skills.h"
#include "test/support/runner.h"

static struct cairn_config cfg;
static struct cairn_world *world;
static struct cairn_sim *sim;
static struct cairn_sim_arm arm;
static struct cairn_msg_skill_result told;

static void start(double x_m, double y_m, double yaw_deg)
{
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	ck_assert_msg(
	    cairn_config_load(&cfg, CAIRN_SOURCE_ROOT "/config/robots/task-sim.yaml", &err), "%s", err.text);
	cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	cfg.sim.start_x_m = x_m;
	cfg.sim.start_y_m = y_m;
	cfg.sim.start_yaw_deg = yaw_deg;
	cfg.sim.seed = 2;
	world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home-tasks.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	sim = cairn_sim_new(&cfg, world, &err);
	ck_assert_msg(sim != NULL, "%s", err.text);
	cairn_sim_arm_init(&arm, &cfg, world, sim);
}

static void tear_down(void)
{
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&world);
}

static struct cairn_prop_state *state(const char *name)
{
	return &cairn_sim_props(sim)->items[cairn_prop_by_name(world, name)];
}

/* Orders something at a place of the world and waits for the end; the map's frame begins where the robot has started. */
static enum cairn_outcome do_it(enum cairn_skill_verb verb, const char *target, double x, double y, double z)
{
	static uint64_t id;
	struct cairn_vec2 at =
	    cairn_pose_apply(cairn_pose_between(cairn_sim_state(sim)->start, (struct cairn_pose2){0}),
		(struct cairn_vec2){x, y});
	struct cairn_msg_skill_request q = {
	    .id = ++id, .verb = verb, .x_m = at.x_m, .y_m = at.y_m, .z_m = z, .deadline_s = 20.0};
	snprintf(q.target, sizeof(q.target), "%s", target);
	if (cairn_sim_arm_take(&arm, &q, &told))
		return told.outcome;
	for (int i = 0; i < 3000; i++)
		if (cairn_sim_arm_step(&arm, 0.01, &told))
			return told.outcome;
	ck_abort_msg("no end");
}

START_TEST(wine_leaves_an_open_fridge_only)
{
	start(7.2, 2.86, 0.0);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_GRASP, "wine bottle", 8.45, 2.88, 1.0), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "away"));
	tear_down();
	start(7.72, 2.86, 0.0);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_GRASP, "wine bottle", 8.45, 2.88, 1.0), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "closed"));
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_OPEN, "fridge", 8.57, 2.86, 0.9), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "in the way of the door"));
	state("fridge")->open = true;
	ck_assert_int_eq(
	    do_it(CAIRN_SKILL_VERB_GRASP, "wine bottle", 8.45, 2.88, 1.0), CAIRN_OUTCOME_SUCCESS);
	ck_assert(state("wine bottle")->held);
	ck_assert_str_eq(told.held, "wine bottle");
	ck_assert_double_eq_tol(told.duration_s, 4.0, 0.02);
	tear_down();
}
END_TEST

START_TEST(a_fridge_is_opened_from_out_of_its_doors_way)
{
	start(7.25, 2.86, 0.0);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_OPEN, "fridge", 8.57, 2.86, 0.9), CAIRN_OUTCOME_SUCCESS);
	ck_assert(state("fridge")->open);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_OPEN, "fridge", 8.57, 2.86, 0.9), CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(told.reason, "already"));
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_CLOSE, "fridge", 8.57, 2.86, 0.9), CAIRN_OUTCOME_SUCCESS);
	ck_assert(!state("fridge")->open);
	tear_down();
}
END_TEST

START_TEST(what_is_in_the_hand_is_put_poured_and_given)
{
	start(7.65, 1.75, 180.0); /* at the kitchen table */
	state("wine glass")->container = -1;
	state("wine glass")->x_m = 6.95;
	state("wine glass")->y_m = 1.75;
	state("wine glass")->z_m = 0.74;
	ck_assert_int_eq(
	    do_it(CAIRN_SKILL_VERB_PLACE, "kitchen table", 6.8, 1.75, 0.4), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "hand is empty"));
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_POUR, "wine glass", 6.95, 1.75, 0.8), CAIRN_OUTCOME_FAILED);
	state("wine bottle")->held = true;
	state("wine bottle")->container = -1;
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_POUR, "wine glass", 6.95, 1.75, 0.8), CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_eq_tol(state("wine glass")->filled_l, 0.2, 1e-9);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_POUR, "wine glass", 6.95, 1.75, 0.8), CAIRN_OUTCOME_FAILED);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_GRASP, "wine glass", 6.95, 1.75, 0.8), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "already"));
	ck_assert_int_eq(
	    do_it(CAIRN_SKILL_VERB_PLACE, "kitchen table", 6.8, 1.75, 0.4), CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_eq_tol(state("wine bottle")->z_m, 0.74, 1e-6);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_GRASP, "wine glass", 6.95, 1.75, 0.8), CAIRN_OUTCOME_SUCCESS);
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_HAND_OVER, "Anna", 3.0, 1.1, 0.8), CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(told.reason, "away"));
	ck_assert(cairn_sim_put_person(sim, 0, (struct cairn_vec2){6.9, 2.6}));
	ck_assert_int_eq(do_it(CAIRN_SKILL_VERB_HAND_OVER, "Anna", 6.9, 2.6, 0.8), CAIRN_OUTCOME_SUCCESS);
	ck_assert(state("wine glass")->given);
	tear_down();
}
END_TEST

START_TEST(an_order_is_stopped_and_a_second_one_is_not_taken)
{
	start(7.25, 2.86, 0.0);
	struct cairn_msg_skill_request q = {.id = 500,
	    .verb = CAIRN_SKILL_VERB_OPEN,
	    .target = "fridge",
	    .x_m = 1.3,
	    .z_m = 0.9,
	    .deadline_s = 9.0};
	struct cairn_msg_skills offer;
	ck_assert(!cairn_sim_arm_take(&arm, &q, &told));
	ck_assert(cairn_sim_arm_offer(&arm, &offer));
	ck_assert_uint_eq(offer.busy_id, 500);
	q.id = 501;
	ck_assert(cairn_sim_arm_take(&arm, &q, &told));
	ck_assert_ptr_nonnull(strstr(told.reason, "busy"));
	q.id = 500;
	q.abort = true;
	ck_assert(cairn_sim_arm_take(&arm, &q, &told));
	ck_assert_int_eq(told.outcome, CAIRN_OUTCOME_FAILED);
	for (int i = 0; i < 1000; i++)
		ck_assert(!cairn_sim_arm_step(&arm, 0.01, &told));
	ck_assert(!state("fridge")->open);
	q.abort = false;
	q.deadline_s = 1.0;
	ck_assert(!cairn_sim_arm_take(&arm, &q, &told));
	bool ended = false;
	for (int i = 0; i < 120 && !ended; i++)
		ended = cairn_sim_arm_step(&arm, 0.01, &told);
	ck_assert(ended);
	ck_assert_ptr_nonnull(strstr(told.reason, "deadline"));
	ck_assert(!state("fridge")->open);
	tear_down();
}
END_TEST

START_TEST(failures_come_by_the_seed_and_a_robot_without_an_arm_offers_nothing)
{
	uint32_t failed[2] = {0};
	struct cairn_msg_skills offer;
	for (int round = 0; round < 2; round++) {
		start(7.25, 2.86, 0.0);
		cfg.sim.skill_fail = 0.3;
		for (int i = 0; i < 100; i++)
			failed[round] = 2 * failed[round] % 1000003u +
					(do_it(i % 2 ? CAIRN_SKILL_VERB_CLOSE : CAIRN_SKILL_VERB_OPEN,
					     "fridge", 8.57, 2.86, 0.9) != CAIRN_OUTCOME_SUCCESS);
		cfg.robot.arm_reach_m = 0.0;
		ck_assert(!cairn_sim_arm_offer(&arm, &offer));
		ck_assert_uint_eq(offer.items_count, 0);
		tear_down();
	}
	ck_assert_uint_gt(failed[0], 0);
	ck_assert_uint_eq(failed[0], failed[1]);
}
END_TEST

CAIRN_TEST_MAIN("sim-arm", wine_leaves_an_open_fridge_only, a_fridge_is_opened_from_out_of_its_doors_way,
    what_is_in_the_hand_is_put_poured_and_given, an_order_is_stopped_and_a_second_one_is_not_taken,
    failures_come_by_the_seed_and_a_robot_without_an_arm_offers_nothing)
