/* An event is asked about while the model's last decision is driven: which answers may take its place, that the robot does
 * not stand for one that agrees, and when no event is asked about. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

/* A hall with one frontier 8 m ahead and one to the left of it. */
static struct rig *hall(void)
{
	struct rig *r = rig_new(3);
	rig_box(r, -1.5, -2.5, 12.0, 2.5);
	rig_frontier(r, 1, 8.0, 0.0, 1.0);
	rig_frontier(r, 2, 5.0, 2.0, 1.0);
	rig_start(r);
	rig_until(r, CAIRN_MISSION_STATE_EXPLORING, 2.0);
	rig_run(r, 0.6); /* the frontiers are known */
	return r;
}

static struct cairn_msg_decision to(struct rig *r, uint32_t frontier)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.goal_kind = CAIRN_GOAL_KIND_FRONTIER;
	d.frontier_id = frontier;
	return d;
}

static struct cairn_msg_decision forward(struct rig *r, double duration_s)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.direction = CAIRN_DIRECTION_FORWARD;
	d.speed = CAIRN_SPEED_SLOW;
	d.duration_s = duration_s;
	return d;
}

static uint64_t set_off(struct rig *r)
{
	struct cairn_msg_decision d = to(r, 1);
	ck_assert(!r->out.mission.takes_events); /* it stands: a decision is wanted anyway */
	rig_decide(r, &d);
	rig_run(r, 1.0);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert(!r->out.mission.wants_decision);
	ck_assert(r->out.mission.takes_events);
	return d.id;
}

START_TEST(an_answer_that_agrees_is_driven_on_with_without_a_stop)
{
	struct rig *r = hall();
	uint64_t first = set_off(r), goal = r->out.nav_goal.id;
	struct cairn_msg_decision d = to(r, 1);
	d.replaces = first;
	rig_decide(r, &d);
	ck_assert_uint_eq(r->last_model_result.decision_id, first);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REPLACED); /* no way that got nowhere */
	for (int i = 0; i < 20; i++) {
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
	}
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_uint_eq(r->out.nav_goal.id, goal); /* the planner keeps its path */
	rig_free(r);
}
END_TEST

/* The place to look from moves while the map grows: without the event the robot had not turned aside for that either. */
START_TEST(an_answer_that_names_the_same_frontier_agrees_though_its_place_has_moved)
{
	struct rig *r = hall();
	uint64_t first = set_off(r), goal = r->out.nav_goal.id;
	r->frontiers.items[0].goal_y_m = 0.9;
	rig_run(r, 0.6); /* that is known */
	struct cairn_msg_decision d = to(r, 1);
	d.replaces = first;
	rig_decide(r, &d);
	for (int i = 0; i < 20; i++) {
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2);
	}
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_uint_eq(r->out.nav_goal.id, goal);
	ck_assert_double_eq(r->out.nav_goal.y_m, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(an_answer_that_differs_takes_the_place_of_what_is_driven)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	struct cairn_msg_decision d = to(r, 2);
	d.replaces = first;
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id);
	ck_assert_double_eq(r->out.nav_goal.y_m, 2.0);
	ck_assert_uint_eq(r->out.mission.given_up_count, 0);
	rig_free(r);
}
END_TEST

START_TEST(an_answer_to_something_else_takes_the_place_of_nothing)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	const uint64_t others[] = {0, first + 1, first - 1};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct cairn_msg_decision d = to(r, 2);
		d.replaces = others[i];
		rig_decide(r, &d);
		ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
		ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "still being executed"));
		rig_step(r);
		ck_assert_uint_eq(r->out.mission.decision_id, first);
	}
	rig_free(r);
}
END_TEST

START_TEST(one_that_is_not_the_models_replaces_nothing)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	struct cairn_msg_decision d = to(r, 2);
	d.replaces = first;
	d.source = CAIRN_SOURCE_LOCAL;
	rig_decide(r, &d);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, first);
	rig_free(r);
}
END_TEST

START_TEST(an_answer_is_held_against_the_sensors_like_any_other)
{
	struct rig *r = hall();
	uint64_t first = set_off(r);
	struct cairn_msg_decision d = to(r, 2);
	d.replaces = first;
	d.snapshot_x_m -= r->cfg.safety.decision_max_moved_m + 1.0;
	rig_decide(r, &d);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, first);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.2); /* what is driven goes on */
	rig_free(r);
}
END_TEST

START_TEST(a_move_is_replaced_too_and_the_same_move_does_not_stop_the_robot)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = forward(r, 8.0), more;
	rig_decide(r, &d);
	rig_run(r, 1.0);
	ck_assert(r->out.mission.takes_events);
	more = forward(r, 8.0);
	more.replaces = d.id;
	rig_decide(r, &more);
	for (int i = 0; i < 20; i++) {
		rig_step(r);
		ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.05);
	}
	ck_assert_uint_eq(r->out.mission.decision_id, more.id);
	rig_free(r);
}
END_TEST

START_TEST(no_event_is_asked_about_while_the_answer_would_be_of_no_use)
{
	struct rig *r = hall();
	(void)set_off(r);
	r->cfg.vlm.ask_at_events = false;
	rig_step(r);
	ck_assert(!r->out.mission.takes_events);
	r->cfg.vlm.ask_at_events = true;
	rig_step(r);
	ck_assert(r->out.mission.takes_events);
	r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
	rig_run(r, 0.2);
	ck_assert(!r->out.mission.takes_events);
	rig_free(r);

	r = hall(); /* a turn is over soon */
	struct cairn_msg_decision turn = rig_decision(r, CAIRN_TOOL_ROTATE);
	turn.angle_deg = 90.0;
	rig_decide(r, &turn);
	rig_step(r);
	ck_assert_uint_eq(r->out.mission.decision_id, turn.id);
	ck_assert(!r->out.mission.takes_events);
	rig_free(r);

	r = hall(); /* the robot would be too far from the snapshot by the time of the answer */
	struct cairn_msg_decision slow = to(r, 1);
	slow.t_snapshot_ns = r->now_ns - 4 * CAIRN_NS_PER_S;
	rig_decide(r, &slow);
	rig_run(r, 1.0);
	ck_assert_uint_eq(r->out.mission.decision_id, slow.id);
	ck_assert(!r->out.mission.takes_events);
	rig_free(r);
}
END_TEST

START_TEST(what_holds_the_robot_up_is_told)
{
	struct rig *r = hall();
	struct cairn_msg_decision d = to(r, 1);
	rig_decide(r, &d);
	rig_run(r, 1.0);
	ck_assert(!r->out.mission.held_up);
	r->planner = RIG_PLANNER_NO_PATH;
	bool told = false;
	for (int i = 0; i < 40 && !told; i++) {
		rig_step(r);
		told = r->out.mission.held_up;
	}
	ck_assert(told);
	ck_assert_uint_eq(r->out.mission.decision_id, d.id); /* before it is given up */
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("replacing-decisions", an_answer_that_agrees_is_driven_on_with_without_a_stop,
    an_answer_that_names_the_same_frontier_agrees_though_its_place_has_moved,
    an_answer_that_differs_takes_the_place_of_what_is_driven,
    an_answer_to_something_else_takes_the_place_of_nothing, one_that_is_not_the_models_replaces_nothing,
    an_answer_is_held_against_the_sensors_like_any_other,
    a_move_is_replaced_too_and_the_same_move_does_not_stop_the_robot,
    no_event_is_asked_about_while_the_answer_would_be_of_no_use, what_holds_the_robot_up_is_told)
