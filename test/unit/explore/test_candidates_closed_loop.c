/* Candidates with the real cores: a stuck robot gets out through one, and choosing among them explores. */
#include <stdlib.h>
#include <string.h>

#include "common/eval/run.h"
#include "test/support/runner.h"

struct fixture {
	struct cairn_config cfg;
	struct cairn_world *world;
	struct cairn_run_options o;
	struct cairn_run *run;
	uint32_t asked, chosen,
	    wrong; /* decisions; of them about candidates; candidates that break the rules */
	uint32_t asked_before_stuck, recovery_id, recoveries;
	struct cairn_vec2 recovery;
	bool was_stuck;
};

static bool judge_offers(void *ctx, struct cairn_run *run)
{
	struct fixture *f = ctx;
	const struct cairn_msg_candidates *set = cairn_run_candidates(run);
	f->was_stuck |= set->stuck;
	for (uint32_t i = 0; i < set->items_count; i++) {
		const struct cairn_msg_candidate *c = &set->items[i];
		f->wrong += !(c->clearance_m > 0.0 && c->path_m >= 0.0 && c->score >= 0.0 && c->score <= 1.0);
		for (uint32_t k = 0; k < i; k++)
			f->wrong += hypot(set->items[k].x_m - c->x_m, set->items[k].y_m - c->y_m) < 0.5;
	}
	return true;
}

static struct fixture *prepare(const char *file, double duration_s)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct cairn_error err = {""};
	char path[512];
	cairn_config_defaults(&f->cfg);
	f->cfg.map.extent_max_m = 20.0;
	snprintf(path, sizeof(path), "%s/config/worlds/%s", CAIRN_SOURCE_ROOT, file);
	f->world = cairn_world_load(path, &err);
	ck_assert_msg(f->world != NULL, "%s", err.text);
	f->o = (struct cairn_run_options){.cfg = &f->cfg,
	    .world = f->world,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .duration_s = duration_s,
	    .coverage = true,
	    .observe = judge_offers,
	    .observe_ctx = f};
	return f;
}

static void start(struct fixture *f)
{
	struct cairn_error err = {""};
	f->run = cairn_run_new(&f->o, &err);
	ck_assert_msg(f->run != NULL, "%s", err.text);
}

static void finish(struct fixture *f)
{
	cairn_run_destroy(&f->run);
	cairn_world_destroy(&f->world);
	free(f);
}

/* Insists on a frontier that does not exist, until it is told that the robot is stuck; then takes the way
 * out. */
static bool insist(
    void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view, struct cairn_msg_decision *d)
{
	struct fixture *f = ctx;
	const struct cairn_msg_candidates *set = cairn_run_candidates(run);
	(void)view;
	f->asked++;
	d->tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
	d->goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d->frontier_id = 4000;
	if (!set->stuck) {
		f->asked_before_stuck += !f->was_stuck;
		return true;
	}
	for (uint32_t i = 0; i < set->items_count; i++) {
		if (set->items[i].kind != CAIRN_CANDIDATE_KIND_RECOVERY)
			continue;
		d->goal_kind = CAIRN_GOAL_KIND_CANDIDATE;
		d->candidate_id = set->items[i].id;
		if (f->recoveries++ == 0)
			f->recovery = (struct cairn_vec2){set->items[i].x_m, set->items[i].y_m};
		return true;
	}
	return true;
}

START_TEST(a_stuck_robot_gets_out_through_a_recovery_candidate)
{
	struct fixture *f = prepare("home.yaml", 60.0);
	/* In the hall, its nose at the wall. */
	f->cfg.sim.start = CAIRN_CHOICE_START_GIVEN;
	f->cfg.sim.start_x_m = 6.0;
	f->cfg.sim.start_y_m = 4.26;
	f->cfg.sim.start_yaw_deg = 90.0;
	f->cfg.pilot.latency_mean_s = 0.1;
	f->o.decide = insist;
	f->o.decide_ctx = f;
	start(f);
	while (cairn_run_totals(f->run).outcomes[CAIRN_OUTCOME_SUCCESS] == 0 && cairn_run_step(f->run)) {
	}
	const struct cairn_pose2 at = cairn_run_true_pose(f->run);
	ck_assert(f->was_stuck);
	ck_assert_uint_ge(f->asked_before_stuck, 5);
	ck_assert_uint_ge(f->recoveries, 1);
	ck_assert_uint_eq(cairn_run_totals(f->run).outcomes[CAIRN_OUTCOME_SUCCESS], 1);
	ck_assert_double_gt(hypot(at.x_m, at.y_m), 0.3);
	ck_assert_double_lt(hypot(at.x_m - f->recovery.x_m, at.y_m - f->recovery.y_m), 0.45);
	ck_assert_double_gt(cairn_run_clearance_m(f->run, 2.0), 0.1);
	for (int i = 0; i < 100; i++)
		cairn_run_step(f->run);
	ck_assert(!cairn_run_candidates(f->run)->stuck);
	ck_assert_uint_eq(cairn_run_totals(f->run).contacts, 0);
	ck_assert_uint_eq(f->wrong, 0);
	finish(f);
}
END_TEST

START_TEST(a_pilot_that_chooses_among_candidates_explores_without_contact)
{
	uint32_t ended = 0, done = 0, refused = 0; /* of both: the studio takes a handful of decisions */
	for (int seed = 1; seed <= CAIRN_ROUNDS(2); seed++) {
		struct fixture *f = prepare("studio.yaml", 150.0);
		f->cfg.pilot.profile = CAIRN_CHOICE_PILOT_HYBRID;
		f->cfg.sim.seed = f->cfg.pilot.seed = seed;
		start(f);
		cairn_run_all(f->run);
		struct cairn_run_totals t = cairn_run_totals(f->run);
		ck_assert_uint_eq(t.contacts, 0);
		ck_assert_double_gt(cairn_truth_coverage(cairn_sim_truth(cairn_run_sim(f->run))), 0.9);
		for (int i = 0; i < CAIRN_OUTCOME_COUNT; i++)
			ended += t.outcomes[i];
		done += t.outcomes[CAIRN_OUTCOME_SUCCESS] + t.outcomes[CAIRN_OUTCOME_PARTIAL];
		refused += t.outcomes[CAIRN_OUTCOME_REFUSED];
		ck_assert_uint_eq(f->wrong, 0);
		finish(f);
	}
	ck_assert_uint_gt(2 * done, ended);
	ck_assert_uint_gt(ended, 4 * refused);
}
END_TEST

CAIRN_TEST_MAIN("choice_closed_loop", a_stuck_robot_gets_out_through_a_recovery_candidate,
    a_pilot_that_chooses_among_candidates_explores_without_contact)
