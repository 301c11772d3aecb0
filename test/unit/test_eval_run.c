/* The runner: the real cores in simulated time. */
#include <stdlib.h>
#include <string.h>

#include "common/eval/progress.h"
#include "common/eval/run.h"
#include "common/world/generate.h"
#include "test/support/runner.h"

struct fixture {
	struct cairn_config cfg;
	struct cairn_world *world;
	struct cairn_run_options o;
};

static struct fixture *prepare(const char *file, enum cairn_run_map map, double duration_s)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cairn_error err = {""};
	char path[512];
	cairn_config_defaults(&f->cfg);
	f->cfg.map.extent_max_m = 20.0;
	snprintf(path, sizeof(path), "%s/config/worlds/%s", CAIRN_SOURCE_ROOT, file);
	f->world = cairn_world_load(path, &err);
	ck_assert_msg(f->world != NULL, "%s", err.text);
	f->o = (struct cairn_run_options){
	    .cfg = &f->cfg, .world = f->world, .map = map, .duration_s = duration_s, .coverage = true};
	return f;
}

static struct cairn_run *start(struct fixture *f)
{
	struct cairn_error err = {""};
	struct cairn_run *r = cairn_run_new(&f->o, &err);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

static void finish(struct fixture *f)
{
	cairn_world_destroy(&f->world);
	free(f);
}

START_TEST(a_sensible_pilot_explores_with_the_mapper_and_with_true_poses)
{
	static const enum cairn_run_map maps[] = {CAIRN_RUN_MAP_MAPPER, CAIRN_RUN_MAP_TRUE_POSES};
	for (int i = 0; i < 2; i++) {
		struct fixture *f = prepare("studio.yaml", maps[i], 120.0);
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		struct cairn_run_totals t = cairn_run_totals(r);
		ck_assert_uint_eq(t.contacts, 0);
		ck_assert_double_gt(cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(r))), 0.9);
		ck_assert_double_gt(t.odometry_m, 3.0);
		ck_assert_uint_gt(t.outcomes[CAIRN_OUTCOME_SUCCESS], 0);
		cairn_run_destroy(&r);
		finish(f);
	}
}
END_TEST

START_TEST(the_same_options_give_the_same_run_and_another_seed_another)
{
	struct cairn_pose2 at[3];
	for (int i = 0; i < 3; i++) {
		struct fixture *f = prepare("home.yaml", CAIRN_RUN_MAP_MAPPER, 20.0);
		f->cfg.sim.seed = i == 2 ? 7 : 1;
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		at[i] = cairn_run_truth(r)->body.pose;
		cairn_run_destroy(&r);
		finish(f);
	}
	ck_assert_int_eq(memcmp(&at[0], &at[1], sizeof(at[0])), 0);
	ck_assert_int_ne(memcmp(&at[0], &at[2], sizeof(at[0])), 0);
}
END_TEST

static bool forward(void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view,
    struct cairn_msg_decision *ret)
{
	(void)ctx, (void)run, (void)view;
	ret->tool = CAIRN_TOOL_MOVE_TOWARD;
	ret->direction = CAIRN_DIRECTION_FORWARD;
	ret->speed = CAIRN_SPEED_FAST;
	ret->duration_s = 8.0;
	return true;
}

START_TEST(a_blind_drive_hits_a_wall_unless_one_of_the_two_layers_is_on)
{
	for (int off = 0; off < 4; off++) {
		struct fixture *f = prepare("studio.yaml", CAIRN_RUN_MAP_NONE, 60.0);
		f->o.decide = forward;
		f->o.without_sequencer = (off & 1) != 0;
		f->o.without_motor = (off & 2) != 0;
		struct cairn_run *r = start(f);
		cairn_run_all(r);
		uint32_t contacts = cairn_run_totals(r).contacts;
		if (off == 3)
			ck_assert_uint_gt(contacts, 0);
		else
			ck_assert_uint_eq(contacts, 0);
		cairn_run_destroy(&r);
		finish(f);
	}
}
END_TEST

START_TEST(scans_come_as_late_as_was_said)
{
	struct fixture *f = prepare("studio.yaml", CAIRN_RUN_MAP_NONE, 1.0);
	f->o.delay_s = 0.2;
	struct cairn_run *r = start(f);
	int64_t t_ns = 0, first_ns = 0;
	while (cairn_run_step(r)) {
		if (first_ns == 0 && cairn_run_scan(r, &t_ns) != NULL)
			first_ns = cairn_run_now_ns(r);
	}
	cairn_run_destroy(&r);
	r = start(f);
	while (cairn_run_scan(r, &t_ns) == NULL)
		(void)cairn_run_step(r);
	ck_assert_int_eq(cairn_run_now_ns(r), first_ns);
	ck_assert_int_eq(cairn_run_now_ns(r) - t_ns, 200 * CAIRN_NS_PER_MS);
	cairn_run_destroy(&r);
	finish(f);
}
END_TEST

START_TEST(doors_of_seventy_centimetres_are_passed_at_little_cost)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_error err = {""};
	struct cairn_progress sum = {0};
	cairn_config_defaults(cfg);
	cfg->map.extent_max_m = 30.0;
	for (uint64_t seed = 101; seed <= 103; seed++) {
		struct cairn_house_params house = {
		    .seed = seed, .door_min_m = 0.70, .door_max_m = 0.7001, .furniture = 0.06};
		struct cairn_world *w = cairn_house_generate(&house, &err);
		struct cairn_vec2 goals[6];
		struct cairn_progress p;
		ck_assert_msg(w != NULL, "%s", err.text);
		uint32_t n = cairn_progress_goals(w, goals, 6);
		ck_assert_uint_ge(n, 3);
		ck_assert_msg(cairn_progress_measure(cfg, w, goals, n, &p, &err), "%s", err.text);
		sum.legs += p.legs;
		sum.missed += p.missed;
		sum.contacts += p.contacts;
		sum.chain_s += p.chain_s;
		sum.follower_s += p.follower_s;
		cairn_world_destroy(&w);
	}
	ck_assert_uint_eq(sum.missed, 0);
	ck_assert_uint_eq(sum.contacts, 0);
	ck_assert_double_lt(sum.chain_s, 1.12 * sum.follower_s);
	free(cfg);
}
END_TEST

CAIRN_TEST_MAIN("eval_run", doors_of_seventy_centimetres_are_passed_at_little_cost,
    a_sensible_pilot_explores_with_the_mapper_and_with_true_poses,
    the_same_options_give_the_same_run_and_another_seed_another,
    a_blind_drive_hits_a_wall_unless_one_of_the_two_layers_is_on, scans_come_as_late_as_was_said)
