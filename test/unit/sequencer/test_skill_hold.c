/* Skills in the sequencer: an order leaves once the gate has let it pass, and the wheels stand until the arm has said its end. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

static struct cairn_msg_skill_request order;
static struct cairn_msg_skill_result result;
static uint64_t next_id;

static void see_cup(struct rig *r)
{
	struct cairn_msg_detections m = {.items_count = 1, .items = {{.label = "cup", .box_m_count = 6}}};
	struct cairn_vec2 at = cairn_pose_apply(r->pose, (struct cairn_vec2){0.8, 0.0});
	const double middle[3] = {at.x_m, at.y_m, 0.6};
	for (int k = 0; k < 3; k++) {
		m.items[0].box_m[k] = (float)(middle[k] - 0.05);
		m.items[0].box_m[k + 3] = (float)(middle[k] + 0.05);
	}
	cairn_sequencer_on_detections(r->seq, &m, r->now_ns);
}

static void offer(struct rig *r, uint64_t busy_id)
{
	struct cairn_msg_skills m = {
	    .items_count = 1, .items = {{CAIRN_SKILL_VERB_GRASP, 4.0}}, .busy_id = busy_id};
	cairn_sequencer_on_skills(r->seq, &m, r->now_ns);
}

static struct rig *rig_with_arm(void)
{
	struct rig *r = rig_exploring_furnished();
	r->cfg.robot.arm_reach_m = 0.8;
	r->cfg.agent.enabled = true;
	struct cairn_msg_command task = {.verb = "task", .arg = "bring me the cup"};
	struct cairn_msg_reply reply;
	cairn_sequencer_on_command(r->seq, &task, r->now_ns, &reply);
	ck_assert_msg(reply.ok, "%s", reply.text);
	rig_run(r, 1.0);
	next_id = 1;
	offer(r, 0);
	see_cup(r);
	return r;
}

static void move(struct rig *r)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_MOVE_TOWARD);
	d.source = CAIRN_SOURCE_AGENT;
	d.speed = CAIRN_SPEED_SLOW;
	cairn_sequencer_on_agent_decision(r->seq, &d, 77, r->now_ns);
	rig_collect(r);
}

/* True: an order has left. */
static bool wish(struct rig *r)
{
	struct cairn_vec2 at = cairn_pose_apply(r->pose, (struct cairn_vec2){0.8, 0.0});
	struct cairn_msg_skill_request q = {.id = next_id++,
	    .verb = CAIRN_SKILL_VERB_GRASP,
	    .target = "cup",
	    .x_m = at.x_m,
	    .y_m = at.y_m,
	    .z_m = 0.6,
	    .deadline_s = 8.0};
	cairn_sequencer_on_skill_wish(r->seq, &q, 5, r->now_ns);
	return cairn_sequencer_next_skill_order(r->seq, &order);
}

static void done(struct rig *r, uint64_t id)
{
	struct cairn_msg_skill_result m = {
	    .id = id, .verb = CAIRN_SKILL_VERB_GRASP, .outcome = CAIRN_OUTCOME_SUCCESS, .held = "cup"};
	cairn_sequencer_on_skill_done(r->seq, &m, r->now_ns);
}

START_TEST(an_order_leaves_and_the_wheels_stand_until_the_arm_has_ended_it)
{
	struct rig *r = rig_with_arm();
	ck_assert(wish(r));
	ck_assert_uint_eq(order.id, 1);
	ck_assert(!order.abort);
	move(r);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_result.reason, "the arm moves"));
	double path_m = r->path_m;
	for (int i = 0; i < 100; i++) {
		rig_step(r);
		ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
		ck_assert_double_eq(r->out.cmd_vel.w_radps, 0.0);
	}
	ck_assert_double_eq(r->path_m, path_m);
	ck_assert_ptr_nonnull(strstr(r->out.mission.activity, "arm: grasp cup"));
	done(r, 1);
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_int_eq(result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_eq_tol(result.duration_s, 5.0, 0.06);
	ck_assert_str_eq(result.held, "cup");
	ck_assert(!cairn_sequencer_next_skill_result(r->seq, &result));
	move(r);
	rig_run(r, 1.0);
	ck_assert_double_gt(r->path_m, path_m);
	rig_free(r);
}
END_TEST

START_TEST(a_robot_that_drives_or_has_just_driven_gets_no_order)
{
	struct rig *r = rig_with_arm();
	move(r);
	rig_run(r, 0.5);
	see_cup(r);
	ck_assert(!wish(r));
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_str_eq(result.reason, "the robot is driving");
	rig_free(r);
}
END_TEST

START_TEST(a_robot_whose_arm_is_silent_has_none)
{
	struct rig *r = rig_exploring_furnished();
	next_id = 1;
	see_cup(r);
	ck_assert(!wish(r));
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_ptr_nonnull(strstr(result.reason, "has no arm"));
	offer(r, 0); /* and who explores has no task */
	ck_assert(!wish(r));
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_str_eq(result.reason, "the robot has no task");
	rig_free(r);
	r = rig_with_arm();
	r->now_ns += 4 * CAIRN_NS_PER_S;
	ck_assert(!wish(r));
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_ptr_nonnull(strstr(result.reason, "has no arm"));
	rig_free(r);
}
END_TEST

START_TEST(an_operators_stop_and_an_emergency_stop_stop_the_arm_too)
{
	for (int by = 0; by < 2; by++) {
		struct rig *r = rig_with_arm();
		ck_assert(wish(r));
		if (by == 0)
			(void)rig_command(r, "stop", 0, 0, 0);
		else
			r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
		rig_step(r);
		ck_assert(cairn_sequencer_next_skill_order(r->seq, &order));
		ck_assert(order.abort);
		ck_assert_uint_eq(order.id, 1);
		done(r, 1); /* too late to be a success */
		ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
		ck_assert_int_eq(result.outcome, CAIRN_OUTCOME_FAILED);
		ck_assert_str_eq(result.reason, by == 0 ? "the robot has no task" : "emergency stop");
		rig_free(r);
	}
}
END_TEST

START_TEST(an_arm_that_never_answers_is_told_to_stop_and_given_up)
{
	struct rig *r = rig_with_arm();
	ck_assert(wish(r));
	for (int i = 0; i < 8 * 20; i++) {
		rig_step(r);
		ck_assert(!cairn_sequencer_next_skill_order(r->seq, &order));
	}
	rig_run(r, 1.2);
	ck_assert(cairn_sequencer_next_skill_order(r->seq, &order));
	ck_assert(order.abort);
	ck_assert(!cairn_sequencer_next_skill_result(r->seq, &result));
	rig_run(r, 2.2);
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_int_eq(result.outcome, CAIRN_OUTCOME_FAILED);
	ck_assert_ptr_nonnull(strstr(result.reason, "deadline"));
	rig_free(r);
}
END_TEST

START_TEST(wishes_end_once_and_strange_ends_are_passed_over)
{
	struct rig *r = rig_with_arm();
	ck_assert(wish(r));
	next_id = 1;
	ck_assert(!wish(r)); /* the same again */
	ck_assert(!cairn_sequencer_next_skill_result(r->seq, &result));
	done(r, 99);
	ck_assert(!cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert(!wish(r)); /* another one while this is under way */
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_ptr_nonnull(strstr(result.reason, "under way"));
	done(r, 1);
	ck_assert(cairn_sequencer_next_skill_result(r->seq, &result));
	ck_assert_uint_eq(result.id, 1);
	rig_free(r);
}
END_TEST

/* The process that has given the order has died; the arm says that it is still at it. */
START_TEST(a_robot_is_not_driven_away_under_an_arm_that_moves_for_a_dead_process)
{
	struct rig *r = rig_with_arm();
	offer(r, 41);
	rig_step(r);
	move(r);
	ck_assert_int_eq(r->last_result.outcome, CAIRN_OUTCOME_REFUSED);
	offer(r, 0);
	rig_step(r);
	move(r);
	rig_step(r);
	ck_assert_double_gt(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("skill-hold", an_order_leaves_and_the_wheels_stand_until_the_arm_has_ended_it,
    a_robot_that_drives_or_has_just_driven_gets_no_order, a_robot_whose_arm_is_silent_has_none,
    an_operators_stop_and_an_emergency_stop_stop_the_arm_too,
    an_arm_that_never_answers_is_told_to_stop_and_given_up, wishes_end_once_and_strange_ends_are_passed_over,
    a_robot_is_not_driven_away_under_an_arm_that_moves_for_a_dead_process)
