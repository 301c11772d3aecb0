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
	    .cfg = &cfg, .world = world, .map = CAIRN_RUN_MAP_TRUE_POSES, .limit_s = 900.0};
	ck_assert_msg(cairn_scene_trial_run(&o, &r, &err), "%s", err.text);
	ck_assert_uint_ge(
	    r.end.visible, 60); /* of 63 things: all but what other things hide from everywhere */
	ck_assert_msg(r.end.found > r.explored.found, "looking has found nothing: %u", r.end.found);
	ck_assert_msg(r.end.found >= 0.90 * r.end.visible, "%u of %u found", r.end.found, r.end.visible);
	ck_assert_msg(r.end.right >= 0.95 * r.end.nodes, "%u of %u right", r.end.right, r.end.nodes);
	ck_assert_msg(r.room_iou >= 0.95, "rooms %.2f", r.room_iou);
	cairn_world_destroy(&world);
}
END_TEST

CAIRN_TEST_MAIN("eval-scene", an_exploration_finds_the_things_and_rooms_of_a_home)
