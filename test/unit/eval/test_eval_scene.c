#include "common/eval/scene_trial.h"

#include "test/support/runner.h"

/* A whole exploration of the default home, with misses, wrong names and slipping wheels. */
START_TEST(an_exploration_finds_the_things_and_rooms_of_a_home)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	static struct cairn_scene_trial_result r;
	cairn_config_defaults(&cfg);
	cfg.sim.yaw_drift_deg_per_m = 1.0;
	struct cairn_world *world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	struct cairn_scene_trial_options o = {
	    .cfg = &cfg, .world = world, .map = CAIRN_RUN_MAP_TRUE_POSES, .limit_s = 300.0};
	ck_assert_msg(cairn_scene_trial_run(&o, &r, &err), "%s", err.text);
	ck_assert_uint_gt(r.shown, 40);
	ck_assert_msg(r.found >= 0.90 * r.shown, "%u of %u found", r.found, r.shown);
	ck_assert_msg(r.right >= 0.90 * r.nodes, "%u of %u right", r.right, r.nodes);
	ck_assert_msg(r.room_iou >= 0.85, "rooms %.2f", r.room_iou);
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN("eval-scene", an_exploration_finds_the_things_and_rooms_of_a_home)
