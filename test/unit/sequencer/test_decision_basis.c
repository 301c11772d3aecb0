/* What an answer rests on: the age that its provider may have, the pose, and the corridor that it wants to use. */
#include "common/sequencer/sequencer_private.h"
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

#define OLD_S 12.0
#define SLOW_S 40.0

/* A hall in which the robot stands for long enough that the scene of OLD_S ago is known. */
static struct rig *hall(void)
{
	struct rig *r = rig_new(3);
	rig_box(r, -1.5, -2.5, 12.0, 2.5);
	rig_frontier(r, 1, 8.0, 0.0, 1.0);
	r->cfg.safety.silent_wait_s = 100.0;
	r->cfg.safety.silent_local_s = 200.0;
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, OLD_S + 1.0);
	return r;
}

static struct cairn_msg_decision old(struct rig *r, enum cairn_tool tool)
{
	struct cairn_msg_decision d = rig_decision(r, tool);
	d.t_snapshot_ns = r->now_ns - (int64_t)(OLD_S * 1e9);
	d.max_age_s = SLOW_S;
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = 1;
	d.direction = CAIRN_DIRECTION_FORWARD;
	d.speed = CAIRN_SPEED_SLOW;
	d.duration_s = 8.0;
	return d;
}

static void refused(struct rig *r, const char *why)
{
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_msg(strstr(r->last_model_result.reason, why) != NULL, "%s", r->last_model_result.reason);
}

START_TEST(an_old_answer_counts_while_the_world_is_as_it_was)
{
	static const enum cairn_tool tools[] = {CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_TOOL_MOVE_TOWARD};
	for (size_t i = 0; i < 2; i++) {
		struct rig *r = hall();
		struct cairn_msg_decision d = old(r, tools[i]);
		rig_decide(r, &d);
		rig_run(r, 0.5);
		ck_assert_uint_eq(r->out.mission.decision_id, d.id);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
		rig_free(r);
	}
}
END_TEST

START_TEST(the_hard_limits_hold_all_the_same)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.max_age_s = OLD_S - 1.0; /* of its provider */
	rig_decide(r, &d);
	refused(r, "s old, more than 11.0 s");
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.max_age_s = 0.0; /* nobody has said */
	rig_decide(r, &d);
	refused(r, "s old, more than 5.0 s");
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.max_age_s = (double)NAN;
	rig_decide(r, &d);
	refused(r, "s old, more than 5.0 s");
	r->cfg.safety.decision_max_age_s = OLD_S - 2.0; /* whatever the provider may have */
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	refused(r, "s old, more than 10.0 s");
	rig_free(r);
}
END_TEST

START_TEST(what_has_come_into_the_corridor_beyond_the_near_circle_is_found)
{
	static const enum cairn_tool tools[] = {CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_TOOL_MOVE_TOWARD};
	for (size_t i = 0; i < 2; i++) {
		struct rig *r = hall();
		double x_m = i == 0 ? 2.5 : 1.3;
		r->cfg.safety.decision_near_m = 1.0;
		rig_box(r, x_m, -0.3, x_m + 0.2, 0.3);
		rig_run(r, 0.3);
		struct cairn_msg_decision d = old(r, tools[i]);
		d.speed = CAIRN_SPEED_FAST;
		double from_m = r->path_m;
		rig_decide(r, &d);
		rig_run(r, 0.3); /* the path of a way comes from the planner */
		refused(r, "has come nearer");
		ck_assert_double_eq_tol(r->path_m, from_m, 1e-6); /* before a wheel has turned */
		struct cairn_msg_decision now = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
		now.t_snapshot_ns = r->now_ns; /* who has seen it may decide to drive there */
		rig_decide(r, &now);
		rig_step(r);
		ck_assert_uint_eq(r->out.mission.decision_id, now.id);
		rig_free(r);
	}
}
END_TEST

START_TEST(what_has_come_beside_the_corridor_does_not_matter)
{
	struct rig *r = hall();
	rig_box(r, 2.3, 1.5, 2.6, 2.0);
	rig_run(r, 0.3);
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	rig_free(r);
}
END_TEST

START_TEST(the_corridor_of_a_way_is_the_path_that_is_planned_and_not_the_straight_line)
{
	struct rig *r = hall();
	rig_box(r, 2.3, -0.3, 2.6, 0.3); /* on the straight line to the frontier */
	rig_run(r, 0.3);
	r->detours = true;
	r->by_way = (struct cairn_vec2){1.5, 1.8}; /* the path goes round it */
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	rig_run(r, 0.5);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);

	r = hall(); /* and what stands beside the straight line stands on that path */
	rig_box(r, 1.3, 1.2, 1.7, 1.6);
	rig_run(r, 0.3);
	r->detours = true;
	r->by_way = (struct cairn_vec2){1.6, 1.8};
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	rig_run(r, 0.5);
	refused(r, "on its path an obstacle");
	rig_free(r);
}
END_TEST

START_TEST(a_way_is_not_followed_before_its_path_was_compared)
{
	struct rig *r = hall();
	r->tells_no_path = true;
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	rig_run(r, 1.0);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	r->tells_no_path = false;
	rig_run(r, 0.5);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(what_cannot_be_compared_is_not_acted_on)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.t_snapshot_ns = r->now_ns - 20 * CAIRN_NS_PER_S; /* before the first scan */
	rig_decide(r, &d);
	refused(r, "cannot be compared");
	r->cfg.safety.decision_max_shift_m = 0.0; /* not judged: then old answers do not count */
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	rig_decide(r, &d);
	refused(r, "cannot be compared");
	rig_free(r);
}
END_TEST

START_TEST(the_robot_may_have_moved_farther_only_for_a_way_whose_corridor_was_compared)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.t_snapshot_ns = r->now_ns;
	d.snapshot_x_m -= 1.2;
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	rig_free(r);

	r = hall();
	d = old(r, CAIRN_TOOL_MOVE_TOWARD);
	d.t_snapshot_ns = r->now_ns;
	d.snapshot_x_m -= 1.2;
	rig_decide(r, &d);
	refused(r, "has moved 1.20 m");
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.t_snapshot_ns = r->now_ns;
	d.snapshot_x_m -= 1.6;
	rig_decide(r, &d);
	refused(r, "has moved 1.60 m");
	r->cfg.safety.decision_max_shift_m = 0.0;
	d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.t_snapshot_ns = r->now_ns;
	d.snapshot_x_m -= 1.2;
	rig_decide(r, &d);
	refused(r, "has moved 1.20 m");
	rig_free(r);
}
END_TEST

START_TEST(a_place_that_is_not_offered_any_more_is_not_driven_to)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	r->frontiers.items[0].id = 2; /* another one, out of the place of the first */
	r->frontiers.items[0].x_m += 1.1;
	rig_run(r, 0.6);
	rig_decide(r, &d);
	refused(r, "no frontier 1 any more");
	rig_free(r);
}
END_TEST

START_TEST(a_frontier_that_has_another_number_by_now_is_meant_still)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = old(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	r->frontiers.items[0].id = 2;
	r->frontiers.items[0].x_m += 0.9;
	rig_run(r, 0.6);
	rig_decide(r, &d);
	rig_run(r, 0.1);
	ck_assert_int_ne(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert(r->seq->task.kind == SEQ_NAV && r->seq->task.nav.frontier_id == 2);
	/* A word of after it had gone means nothing. */
	struct cairn_msg_decision late = {.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL};
	late.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	late.frontier_id = 1;
	late.t_snapshot_ns = r->now_ns;
	ck_assert_ptr_null(seq_frontier_named(r->seq, &late));
	ck_assert(!seq_named_in_time(r->seq, &late) && seq_named_in_time(r->seq, &d));
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("decision-basis", an_old_answer_counts_while_the_world_is_as_it_was,
    the_hard_limits_hold_all_the_same, what_has_come_into_the_corridor_beyond_the_near_circle_is_found,
    what_has_come_beside_the_corridor_does_not_matter,
    the_corridor_of_a_way_is_the_path_that_is_planned_and_not_the_straight_line,
    a_way_is_not_followed_before_its_path_was_compared, what_cannot_be_compared_is_not_acted_on,
    the_robot_may_have_moved_farther_only_for_a_way_whose_corridor_was_compared,
    a_place_that_is_not_offered_any_more_is_not_driven_to,
    a_frontier_that_has_another_number_by_now_is_meant_still)
