/* What the sequencer makes of frontiers and candidates by id: an id stands for its place, or is refused. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static struct rig *exploring(void)
{
	struct rig *r = rig_room(2);
	rig_frontier(r, 1, 0.5, 1.8, 1.0);
	rig_frontier(r, 2, -1.0, -2.0, 0.9);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	return r;
}

static void offer(struct rig *r, const struct cairn_msg_candidates *set)
{
	cairn_sequencer_on_candidates(r->seq, set, r->now_ns);
}

/* Candidate 7: 1.0 m ahead, offered since set 12 of a mapper that began with set 10. */
static struct cairn_msg_candidates one(void)
{
	struct cairn_msg_candidates set = {.set = 14, .first_set = 10, .items_count = 1};
	set.items[0] = (struct cairn_msg_candidate){.id = 7,
	    .kind = CAIRN_CANDIDATE_KIND_RECOVERY,
	    .x_m = 1.0,
	    .y_m = 0.0,
	    .path_m = 1.0,
	    .since = 12};
	return set;
}

static struct cairn_msg_decision choice(struct rig *r, uint32_t id, uint64_t set)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_CANDIDATE;
	d.candidate_id = id;
	d.candidate_set = set;
	return d;
}

static void expect_refused(struct rig *r, uint32_t id, uint64_t set, const char *why)
{
	struct cairn_msg_decision d = choice(r, id, set);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_msg(strstr(r->last_model_result.reason, why) != NULL, "'%s' does not say '%s'",
	    r->last_model_result.reason, why);
}

START_TEST(a_candidate_is_driven_to_its_place)
{
	struct rig *r = exploring();
	struct cairn_msg_candidates set = one();
	offer(r, &set);
	struct cairn_msg_decision d = choice(r, 7, 12);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert(r->out.nav_goal.active);
	ck_assert_double_eq(r->out.nav_goal.x_m, 1.0);
	ck_assert_double_eq(r->out.nav_goal.y_m, 0.0);
	ck_assert(rig_until_result(r, d.id, 20.0));
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_str_eq(r->last_model_result.asked, "navigate_to_goal candidate 7");
	ck_assert_double_le(hypot(r->pose.x_m - 1.0, r->pose.y_m), r->cfg.nav.goal_tolerance_m + 0.05);
	rig_free(r);
}
END_TEST

START_TEST(ids_that_are_not_offered_are_refused_with_the_reason)
{
	struct rig *r = exploring();
	struct cairn_msg_candidates set = one();
	expect_refused(r, 7, 12, "no candidates are offered now");
	offer(r, &set);
	expect_refused(r, 8, 14, "there is no candidate 8 any more; offered are 7");
	expect_refused(r, 7, 0, "no list of candidates was shown");
	expect_refused(r, 7, 9, "before the mapper was restarted");
	expect_refused(r, 7, 11, "was not in the list that was shown");
	set.items_count = 0;
	r->now_ns += RIG_STEP_NS;
	offer(r, &set);
	expect_refused(r, 7, 14, "there is no candidate 7 any more; offered are none");
	set = one();
	set.items[0].x_m = NAN;
	r->now_ns += RIG_STEP_NS;
	offer(r, &set);
	expect_refused(r, 7, 14, "cannot be reached");
	rig_free(r);
}
END_TEST

/* Candidate 7 looks into frontier 1 in set 14; after it the list has candidate `id` in its place, beside it
 * by off_m. */
static void move_on(struct rig *r, uint32_t id, uint32_t frontier_id, double off_m, double wait_s)
{
	struct cairn_msg_candidates set = one();
	set.items[0].kind = CAIRN_CANDIDATE_KIND_FRONTIER;
	set.items[0].frontier_id = 1;
	offer(r, &set);
	set.set = set.items[0].since = 15;
	set.items[0].id = id;
	set.items[0].frontier_id = frontier_id;
	set.items[0].y_m += off_m;
	rig_run(r, 0.5);
	offer(r, &set);
	for (double s = 0.0; s < wait_s; s += 0.5) {
		rig_run(r, 0.5);
		offer(r, &set);
	}
}

START_TEST(a_frontiers_candidate_that_has_got_another_id_since_the_list_was_shown_is_meant_still)
{
	struct rig *r = exploring();
	move_on(r, 9, 2, 0.8, 0.0); /* beside it */
	struct cairn_msg_decision d = choice(r, 7, 14);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->outcomes[CAIRN_OUTCOME_REFUSED], 0);
	ck_assert_double_eq(r->out.nav_goal.x_m, 1.0);
	ck_assert_double_eq(r->out.nav_goal.y_m, 0.8);
	rig_free(r);
	r = exploring();
	move_on(r, 9, 1, 1.5, 0.0); /* farther away, but the same frontier */
	d = choice(r, 7, 14);
	rig_decide(r, &d);
	ck_assert_uint_eq(r->outcomes[CAIRN_OUTCOME_REFUSED], 0);
	rig_free(r);
}
END_TEST

START_TEST(one_that_has_no_heir_or_was_gone_long_before_or_not_shown_is_refused)
{
	struct rig *r = exploring();
	move_on(r, 9, 2, 1.1, 0.0); /* another place, another frontier */
	expect_refused(r, 7, 14, "there is no candidate 7 any more; offered are 9");
	rig_free(r);
	r = exploring();
	move_on(r, 9, 1, 0.0, 3.5);
	expect_refused(r, 7, 14, "there is no candidate 7 any more; offered are 9");
	rig_free(r);
	r = exploring();
	move_on(r, 9, 1, 0.0, 0.0);
	expect_refused(r, 7, 11, "there is no candidate 7 any more; offered are 9");
	rig_free(r);
}
END_TEST

START_TEST(a_list_that_is_too_old_offers_nothing)
{
	struct rig *r = exploring();
	struct cairn_msg_candidates set = one();
	offer(r, &set);
	rig_run(r, 2.9);
	struct cairn_msg_decision d = choice(r, 7, 14);
	rig_decide(r, &d);
	ck_assert_uint_eq(r->outcomes[CAIRN_OUTCOME_REFUSED], 0);
	rig_free(r);
	r = exploring();
	offer(r, &set);
	rig_run(r, 3.1);
	expect_refused(r, 7, 14, "no candidates are offered now");
	rig_free(r);
}
END_TEST

START_TEST(a_candidate_that_opens_a_frontier_is_judged_as_the_frontier_is)
{
	struct rig *r = exploring();
	struct cairn_msg_candidates set = one();
	set.items[0].kind = CAIRN_CANDIDATE_KIND_FRONTIER;
	set.items[0].frontier_id = 1;
	set.items[0].x_m = 0.5;
	set.items[0].y_m = 1.8;
	rig_run(r, 0.6); /* the frontiers are known */
	offer(r, &set);
	struct cairn_msg_decision d = choice(r, 7, 14);
	rig_decide(r, &d);
	rig_run(r, 0.6);
	r->frontiers.items[0].id = 3; /* what was frontier 1 is another opening elsewhere now */
	r->frontiers.items[0].x_m = -1.2;
	ck_assert(rig_until_result(r, d.id, r->cfg.safety.decision_stretch_s + 1.0));
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "frontier 1 has been seen into"));
	offer(r, &set); /* the mapper has not noticed yet */
	expect_refused(r, 7, 14, "the frontier behind candidate 7 has been seen into");
	rig_free(r);
}
END_TEST

/* Answers at once, whenever it is wanted, for so long. */
static void answer_for(struct rig *r, double seconds, const struct cairn_msg_decision *what)
{
	for (int i = 0; i < (int)(seconds * 20.0); i++) {
		rig_step(r);
		if (i % 10 != 0 || !r->out.mission.wants_decision)
			continue;
		struct cairn_msg_decision d = rig_decision(r, what->tool);
		d.goal_kind = what->goal_kind;
		d.frontier_id = what->frontier_id;
		d.candidate_id = what->candidate_id;
		d.candidate_set = what->candidate_set;
		rig_decide(r, &d);
	}
}

START_TEST(a_model_that_names_what_has_vanished_for_ever_is_a_silent_one)
{
	const struct cairn_msg_decision vanished[] = {
	    {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL, .goal_kind = CAIRN_GOAL_KIND_FRONTIER, .frontier_id = 99},
	    {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		.goal_kind = CAIRN_GOAL_KIND_CANDIDATE,
		.candidate_id = 99,
		.candidate_set = 14}};
	for (size_t i = 0; i < sizeof(vanished) / sizeof(vanished[0]); i++) {
		struct rig *r = exploring();
		answer_for(r, 9.0, &vanished[i]);
		ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_WAITING);
		answer_for(r, 4.0, &vanished[i]);
		ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_LOCAL);
		ck_assert_int_eq(r->out.cmd_vel.source, CAIRN_SOURCE_LOCAL); /* not ended by the refusals */
		answer_for(r, 20.0, &vanished[i]);
		ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_RETURNING);
		ck_assert_uint_eq(r->contacts, 0);
		rig_free(r);
	}
}
END_TEST

START_TEST(one_frontier_that_has_just_vanished_costs_the_model_nothing)
{
	struct rig *r = exploring();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.frontier_id = 99;
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	rig_run(r, 1.0);
	d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.frontier_id = 1;
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_choice", a_candidate_is_driven_to_its_place,
    ids_that_are_not_offered_are_refused_with_the_reason,
    a_frontiers_candidate_that_has_got_another_id_since_the_list_was_shown_is_meant_still,
    one_that_has_no_heir_or_was_gone_long_before_or_not_shown_is_refused,
    a_list_that_is_too_old_offers_nothing, a_candidate_that_opens_a_frontier_is_judged_as_the_frontier_is,
    a_model_that_names_what_has_vanished_for_ever_is_a_silent_one,
    one_frontier_that_has_just_vanished_costs_the_model_nothing)
