/* The next decision is asked for while the last way is driven: when, what the answer must keep to, that
 * the robot does not stand for it, and that none is asked for while the way goes on by itself. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

#define STRETCH_S 4.0

/* A hall with one frontier 8 m ahead. */
static struct rig *hall(void)
{
	struct rig *r = rig_new(3);
	rig_box(r, -1.5, -2.5, 12.0, 2.5);
	rig_frontier(r, 1, 8.0, 0.0, 1.0);
	r->cfg.safety.decision_stretch_s = STRETCH_S;
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.6); /* the frontier is known */
	return r;
}

static struct cairn_msg_decision there(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = 1;
	return d;
}

static uint64_t set_off(struct rig *r)
{
	struct cairn_msg_decision d = there(r);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert(!r->out.mission.wants_decision);
	return d.id;
}

/* Steps until a decision is wanted; the seconds it took. */
static double until_wanted(struct rig *r)
{
	int steps = 0;
	for (; steps < 400 && !r->out.mission.wants_decision; steps++)
		rig_step(r);
	ck_assert(r->out.mission.wants_decision);
	return steps * 0.05;
}

START_TEST(the_next_decision_is_wanted_before_the_stretch_ends_and_the_robot_drives_on_with_it)
{
	struct rig *r = hall();
	uint64_t first = set_off(r), goal = r->out.nav_goal.id;
	double wanted_s = until_wanted(r);
	ck_assert_double_lt(wanted_s, STRETCH_S - 0.5);
	ck_assert_double_gt(wanted_s, STRETCH_S - 2.0);
	ck_assert_uint_eq(r->out.mission.decision_id, first); /* still driven */
	struct cairn_msg_decision d = there(r);
	rig_run(r, 0.4);
	rig_decide(r, &d);
	ck_assert_uint_eq(r->last_model_result.decision_id, first);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_PARTIAL);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "took over"));
	ck_assert_str_eq(r->last_model_result.suggestion, ""); /* nothing went wrong */
	for (int i = 0; i < 20; i++) {
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
	}
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_uint_eq(r->out.nav_goal.id, goal); /* the planner keeps its path */
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	ck_assert_uint_eq(r->result_errors, 0);
	rig_free(r);
}
END_TEST

START_TEST(before_it_is_asked_for_a_decision_does_not_take_over)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	rig_run(r, 1.0);
	struct cairn_msg_decision d = there(r);
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "still being executed"));
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, first);
	rig_free(r);
}
END_TEST

START_TEST(an_answer_from_too_far_back_is_refused_and_the_way_goes_on)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	(void)until_wanted(r);
	struct cairn_msg_decision d = there(r);
	d.snapshot_x_m -= r->cfg.safety.decision_checked_moved_m + 0.01;
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "has moved"));
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, first);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
	ck_assert(rig_until_result(r, first, STRETCH_S)); /* and ends as one does that is not asked ahead */
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "decide whether to go on"));
	rig_free(r);
}
END_TEST

START_TEST(a_slow_model_is_asked_no_farther_ahead_than_its_answer_may_be_acted_on)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = there(r);
	d.t_snapshot_ns = r->now_ns - 4 * CAIRN_NS_PER_S; /* it has taken four seconds */
	rig_decide(r, &d);
	rig_step(r);
	(void)until_wanted(r);
	double x_m = r->pose.x_m;
	ck_assert(rig_until_result(r, d.id, STRETCH_S));
	rig_run(r, 4.0); /* stands, and waits for the answer */
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_double_gt(r->pose.x_m - x_m, 0.1);
	ck_assert_double_lt(r->pose.x_m - x_m, r->cfg.safety.decision_max_moved_m);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}
END_TEST

START_TEST(a_model_is_not_silent_while_the_robot_drives_for_it)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	while (r->seen[first % sizeof(r->seen)] == 0) {
		rig_step(r);
		ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_NORMAL);
	}
	rig_run(r, r->cfg.safety.silent_coast_s + 0.5); /* it counts from here */
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_WAITING);
	rig_free(r);
}
END_TEST

START_TEST(another_decision_may_be_asked_for_when_another_frontier_has_become_better)
{
	struct rig *r = hall();
	(void)set_off(r);
	rig_run(r, 1.5);
	ck_assert(!r->out.mission.wants_decision);
	r->frontiers.items[0].detour_m = r->cfg.safety.ask_worse_m + 0.1;
	ck_assert_double_lt(until_wanted(r), 1.1);
	rig_free(r);
}
END_TEST

/* The frontier it drives to has been seen into; another one, 2 m to the left of it, is left. */
static void see_into_it(struct rig *r)
{
	rig_frontier(r, 2, 8.0, 2.0, 1.0);
	memmove(&r->frontiers.items[0], &r->frontiers.items[1], sizeof(r->frontiers.items[0]));
	r->frontiers.items_count = 1;
}

START_TEST(
    what_has_been_seen_into_is_not_driven_to_the_round_goes_on_and_nothing_is_asked_before_its_stretch_ends)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	rig_run(r, 1.5);
	see_into_it(r);
	rig_run(r, 0.6);
	for (int i = 0; i < 10; i++) {
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
		ck_assert(!r->out.mission.wants_decision);
	}
	ck_assert_double_eq(r->out.nav_goal.y_m, 2.0);
	ck_assert_str_eq(r->out.mission.activity, "navigate_to_goal frontier 2, as frontier 1 has been seen "
						  "into"); /* where it goes, not where it was sent */
	(void)until_wanted(r);
	struct cairn_msg_decision gone = there(r); /* of a frontier that is gone */
	ck_assert_uint_eq(r->out.mission.decision_id, first);
	rig_decide(r, &gone);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	rig_step(r);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
	ck_assert(r->out.mission.wants_decision);
	struct cairn_msg_decision d = there(r);
	d.frontier_id = 2;
	rig_decide(r, &d);
	ck_assert_uint_eq(r->last_model_result.decision_id, first);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.asked, "frontier 1"));
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "frontier 1 has been seen into"));
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	ck_assert_uint_eq(r->result_errors, 0);
	rig_free(r);
}
END_TEST

START_TEST(a_model_that_says_nothing_then_is_driven_for_no_longer_than_a_stretch)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	rig_run(r, 1.5);
	see_into_it(r);
	ck_assert(rig_until_result(r, first, STRETCH_S));
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "frontier 1 has been seen into"));
	rig_run(r, r->cfg.safety.silent_coast_s + 0.5);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	ck_assert_int_eq(r->out.tier.tier, CAIRN_TIER_WAITING);
	rig_free(r);
}
END_TEST

START_TEST(nothing_is_asked_ahead_when_it_is_switched_off)
{
	struct rig *r = hall();
	r->cfg.safety.ask_ahead_s = 0.0;
	uint64_t first = set_off(r);
	while (r->seen[first % sizeof(r->seen)] == 0) {
		ck_assert(!r->out.mission.wants_decision);
		rig_step(r);
	}
	rig_step(r);
	ck_assert(r->out.mission.wants_decision);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("sequencer_ahead",
    the_next_decision_is_wanted_before_the_stretch_ends_and_the_robot_drives_on_with_it,
    before_it_is_asked_for_a_decision_does_not_take_over,
    an_answer_from_too_far_back_is_refused_and_the_way_goes_on,
    a_slow_model_is_asked_no_farther_ahead_than_its_answer_may_be_acted_on,
    a_model_is_not_silent_while_the_robot_drives_for_it,
    another_decision_may_be_asked_for_when_another_frontier_has_become_better,
    what_has_been_seen_into_is_not_driven_to_the_round_goes_on_and_nothing_is_asked_before_its_stretch_ends,
    a_model_that_says_nothing_then_is_driven_for_no_longer_than_a_stretch,
    nothing_is_asked_ahead_when_it_is_switched_off)
