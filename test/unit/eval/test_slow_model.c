/* A model that takes 12 s for an answer explores a home: its answers count by what has changed since, and not by the clock.
 * In simulated time. */
#include "common/eval/run.h"
#include "test/support/runner.h"

#define LATENCY_S 12.0
#define LIMIT_S 1800.0

struct tally {
	uint32_t results, refused, for_age;
};

static void count(void *ctx, const struct cairn_run *run, const struct cairn_msg_result *r)
{
	struct tally *t = ctx;
	(void)run;
	if (r->source != CAIRN_SOURCE_MODEL)
		return;
	t->results++;
	t->refused += r->outcome == CAIRN_OUTCOME_REFUSED;
	t->for_age += r->outcome == CAIRN_OUTCOME_REFUSED && strstr(r->reason, "s old") != NULL;
}

static bool go_on(void *ctx, struct cairn_run *run)
{
	(void)ctx;
	enum cairn_mission_state state = cairn_run_output(run)->mission.state;
	return state == CAIRN_MISSION_STATE_IDLE || state == CAIRN_MISSION_STATE_EXPLORING;
}

static bool explore(
    double max_age_s, struct tally *ret, struct cairn_run_totals *ret_totals, double *ret_seen)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	struct cairn_world *world = cairn_world_load(CAIRN_SOURCE_ROOT "/config/worlds/home.yaml", &err);
	ck_assert_msg(world != NULL, "%s", err.text);
	cfg.pilot.latency_mean_s = LATENCY_S;
	cfg.pilot.latency_sigma = 0.05;
	cfg.vlm.max_age_s = max_age_s;
	cfg.mission.limit_s = 0.0;
	*ret = (struct tally){0};
	struct cairn_run_options o = {.cfg = &cfg,
	    .world = world,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .duration_s = LIMIT_S,
	    .coverage = true,
	    .on_result = count,
	    .decide_ctx = ret,
	    .observe = go_on};
	struct cairn_run *run = cairn_run_new(&o, &err);
	ck_assert_msg(run != NULL, "%s", err.text);
	cairn_run_all(run);
	bool explored = !go_on(NULL, run);
	*ret_totals = cairn_run_totals(run);
	*ret_seen = cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(run)));
	cairn_run_destroy(&run);
	cairn_world_destroy(&world);
	return explored;
}

START_TEST(a_model_of_12_s_explores_the_home_and_no_answer_is_refused_for_its_age)
{
	struct tally t;
	struct cairn_run_totals totals;
	double seen;
	ck_assert(explore(40.0, &t, &totals, &seen));
	printf("# %u results, %u refused\n", t.results, t.refused);
	ck_assert_uint_eq(t.for_age, 0);
	ck_assert_uint_gt(t.results, 5);
	/* These were asked for on the way, and name a place that has been seen into, or the robot has gone too far. */
	ck_assert_uint_lt(5 * t.refused, 2 * t.results);
	ck_assert_double_gt(seen, 0.95);
	ck_assert_uint_eq(totals.contacts, 0);
}
END_TEST

START_TEST(with_the_limit_of_a_quick_provider_every_answer_that_moves_is_refused_for_its_age)
{
	struct tally t;
	struct cairn_run_totals totals;
	double seen;
	(void)explore(0.0, &t, &totals, &seen);
	ck_assert_uint_gt(t.results, 0);
	ck_assert_uint_eq(t.for_age, t.results);
	ck_assert_uint_eq(totals.contacts, 0);
}
END_TEST

CAIRN_TEST_MAIN("slow-model", a_model_of_12_s_explores_the_home_and_no_answer_is_refused_for_its_age,
    with_the_limit_of_a_quick_provider_every_answer_that_moves_is_refused_for_its_age)
