/* One exploration of one house. */
#include <stdlib.h>
#include <string.h>

#include "common/eval/trial_private.h"
#include "test/support/runner.h"

static struct cairn_trial_result *explore_in(
    const char *path, enum cairn_trial_mode mode, uint32_t seed, double duration_s)
{
	struct cairn_trial_result *r = calloc(1, sizeof(*r));
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_error err = {""};
	cairn_config_defaults(cfg);
	struct cairn_world *w = cairn_world_load(path, &err);
	ck_assert_msg(w != NULL, "%s", err.text);
	struct cairn_trial_options o = {.cfg = cfg,
	    .world = w,
	    .mode = mode,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .seed = seed,
	    .duration_s = duration_s};
	ck_assert_msg(cairn_trial_run(&o, r, &err), "%s", err.text);
	cairn_world_destroy(&w);
	free(cfg);
	return r;
}

static struct cairn_trial_result *explore(enum cairn_trial_mode mode, uint32_t seed, double duration_s)
{
	return explore_in(CAIRN_SOURCE_ROOT "/config/worlds/studio.yaml", mode, seed, duration_s);
}

START_TEST(a_trial_ends_explored_without_contact_and_leaves_nothing_without_a_reason)
{
	struct cairn_trial_result *r = explore(CAIRN_TRIAL_FRONTIER, 1, 120.0);
	ck_assert(r->explored);
	ck_assert(!r->early);
	ck_assert_uint_eq(r->unexplained, 0);
	ck_assert_double_eq(r->early_m2, 0.0);
	ck_assert_uint_eq(r->contacts, 0);
	ck_assert_double_gt(r->coverage, 0.95);
	ck_assert_double_lt(r->seconds, 120.0);
	double at_90_s = cairn_trial_reach_s(r, 90);
	ck_assert(at_90_s >= 0.0 && at_90_s <= r->seconds);
	/* To a part of the floor, and those that were seen in one step as one. */
	ck_assert_double_ge(cairn_trial_seen(r, at_90_s), 0.9);
	ck_assert_double_lt(cairn_trial_seen(r, at_90_s - 0.2), 0.9);
	ck_assert_double_eq(cairn_trial_seen(r, r->seconds), r->coverage);
	ck_assert_double_eq(cairn_trial_seen(r, 600.0), r->coverage);
	for (double s = 0.0; s < r->seconds; s += 0.05)
		ck_assert_double_le(cairn_trial_seen(r, s), cairn_trial_seen(r, s + 0.05));
	ck_assert_uint_gt(r->path_count, 1);
	free(r);
}
END_TEST

START_TEST(a_trial_whose_time_is_up_is_neither_explored_nor_early)
{
	struct cairn_trial_result *r = explore(CAIRN_TRIAL_FRONTIER, 1, 3.0);
	ck_assert(!r->explored);
	ck_assert(!r->early);
	free(r);
}
END_TEST

START_TEST(modes_of_one_seed_start_alike_and_another_seed_starts_elsewhere)
{
	struct cairn_trial_result *a = explore(CAIRN_TRIAL_FRONTIER, 2, 1.0),
				  *b = explore(CAIRN_TRIAL_NEAREST, 2, 1.0),
				  *c = explore(CAIRN_TRIAL_FRONTIER, 3, 1.0);
	ck_assert_int_eq(memcmp(a->path_xy_m[0], b->path_xy_m[0], sizeof(a->path_xy_m[0])), 0);
	ck_assert_int_ne(memcmp(a->path_xy_m[0], c->path_xy_m[0], sizeof(a->path_xy_m[0])), 0);
	ck_assert_double_eq_tol(a->start.x_m, (double)a->path_xy_m[0][0], 0.05);
	ck_assert_double_eq_tol(a->start.y_m, (double)a->path_xy_m[0][1], 0.05);
	ck_assert(!a->no_other_start && !b->no_other_start && !c->no_other_start);
	free(a);
	free(b);
	free(c);
}
END_TEST

/* A shaft in which the robot stands, and can be put down nowhere else with the room it asks for. */
START_TEST(a_start_that_had_to_be_the_worlds_own_is_told_of)
{
	char path[] = "/tmp/cairn-shaft-XXXXXX";
	int fd = mkstemp(path);
	static const char world[] =
	    "name: shaft\nstart: {x_m: 0.3, y_m: 0.3, yaw_deg: 90}\n"
	    "rooms:\n  - {name: shaft, polygon: [[0, 0], [0.65, 0], [0.65, 3], [0, 3]]}\n"
	    "walls:\n  - {path: [[0, 0], [0.65, 0], [0.65, 3], [0, 3]], closed: true}\n";
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, world, sizeof(world) - 1), sizeof(world) - 1);
	close(fd);
	for (uint32_t seed = 1; seed <= 3; seed++) {
		struct cairn_trial_result *r = explore_in(path, CAIRN_TRIAL_FRONTIER, seed, 1.0);
		ck_assert(r->no_other_start == (seed > 1));
		ck_assert_double_eq(r->start.x_m, 0.3);
		ck_assert_double_eq(r->start.y_m, 0.3);
		ck_assert_double_eq_tol(r->start.yaw_rad, 0.5 * M_PI, 1e-9);
		free(r);
	}
	unlink(path);
}
END_TEST

START_TEST(the_same_trial_gives_the_same_bytes)
{
	struct cairn_trial_result *a = explore(CAIRN_TRIAL_HYBRID, 1, 15.0),
				  *b = explore(CAIRN_TRIAL_HYBRID, 1, 15.0);
	ck_assert_int_eq(memcmp(a, b, sizeof(*a)), 0);
	free(a);
	free(b);
}
END_TEST

START_TEST(a_reason_given_nearby_excuses_a_corner_and_not_a_room)
{
	ck_assert(cairn_trial_patch_excused(&(struct cairn_trial_patch){1.9, 1.4, INFINITY}));
	ck_assert(!cairn_trial_patch_excused(&(struct cairn_trial_patch){1.9, 1.6, INFINITY}));
	ck_assert(!cairn_trial_patch_excused(&(struct cairn_trial_patch){2.1, 0.1, INFINITY}));
	ck_assert(cairn_trial_patch_excused(
	    &(struct cairn_trial_patch){40.0, 0.1, 0.1})); /* behind a fence, or the time was up */
	ck_assert(!cairn_trial_patch_excused(&(struct cairn_trial_patch){0.4, INFINITY, INFINITY}));
}
END_TEST

CAIRN_TEST_MAIN("eval_trial", a_trial_ends_explored_without_contact_and_leaves_nothing_without_a_reason,
    a_trial_whose_time_is_up_is_neither_explored_nor_early,
    modes_of_one_seed_start_alike_and_another_seed_starts_elsewhere,
    a_start_that_had_to_be_the_worlds_own_is_told_of, the_same_trial_gives_the_same_bytes,
    a_reason_given_nearby_excuses_a_corner_and_not_a_room)
