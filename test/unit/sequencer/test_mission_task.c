/* Tasks in words: who may decide while one lasts, what beats it, and what ends it. */
#include "test/support/robot_rig.h"
#include "test/support/runner.h"

#define AGENT_EPOCH 5

static struct cairn_msg_reply give(struct rig *r, const char *words)
{
	struct cairn_msg_command cmd = {.verb = "task"};
	struct cairn_msg_reply reply;
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", words);
	cairn_sequencer_on_command(r->seq, &cmd, r->now_ns, &reply);
	rig_collect(r);
	return reply;
}

/* At a task, from exploring. */
static struct rig *at_task(void)
{
	struct rig *r = rig_exploring();
	r->cfg.agent.enabled = true;
	ck_assert(give(r, "where is the sofa?").ok);
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	return r;
}

static void tell(struct rig *r, enum cairn_agent_state state, const char *answer)
{
	struct cairn_msg_agent a = {.task_id = r->out.mission.task_id, .state = state};
	snprintf(a.answer, sizeof(a.answer), "%s", answer);
	cairn_sequencer_on_agent(r->seq, &a, r->now_ns);
}

/* With an agent that tells of itself twice a second. */
static void run(struct rig *r, double seconds)
{
	for (int i = 0; i < (int)(seconds * 2.0); i++) {
		tell(r, CAIRN_AGENT_STATE_THINKING, "");
		rig_run(r, 0.5);
	}
}

static uint64_t drive(struct rig *r, enum cairn_source source, bool own_topic)
{
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_NAVIGATE_TO_GOAL);
	d.source = source;
	d.t_snapshot_ns = r->now_ns;
	d.goal_kind = CAIRN_GOAL_KIND_COORDINATES;
	d.x_m = 1.5;
	d.y_m = 0.5;
	if (own_topic)
		cairn_sequencer_on_agent_decision(r->seq, &d, AGENT_EPOCH, r->now_ns);
	else
		cairn_sequencer_on_decision(r->seq, &d, 77, r->now_ns);
	rig_collect(r);
	return d.id;
}

START_TEST(the_agent_drives_at_a_task_and_the_model_is_neither_asked_nor_heard)
{
	struct rig *r = at_task();
	ck_assert_str_eq(r->out.mission.task, "where is the sofa?");
	ck_assert_uint_eq(r->out.mission.task_id, 1);
	ck_assert(!r->out.mission.wants_decision);
	rig_move(r, CAIRN_DIRECTION_FORWARD, CAIRN_SPEED_SLOW, 2.0);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "not exploring: task"));
	uint64_t id = drive(r, CAIRN_SOURCE_AGENT, true);
	for (int i = 0; i < 40 && r->seen[id] == 0; i++)
		run(r, 1.0);
	ck_assert_int_eq(r->last_model_result.source, CAIRN_SOURCE_AGENT);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_SUCCESS);
	ck_assert_double_gt(r->path_m, 1.0);
	ck_assert_uint_eq(r->contacts, 0);
	rig_free(r);
}
END_TEST

START_TEST(without_a_task_the_agent_is_not_heard)
{
	struct rig *r = rig_exploring();
	drive(r, CAIRN_SOURCE_AGENT, true);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "at no task"));
	rig_free(r);
}
END_TEST

START_TEST(nobody_speaks_by_the_topic_of_another)
{
	struct rig *r = at_task();
	drive(r, CAIRN_SOURCE_AGENT, false);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "came by the model's topic"));
	drive(r, CAIRN_SOURCE_MODEL, true);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "only the agent speaks"));
	ck_assert_uint_eq(r->outcomes[CAIRN_OUTCOME_REFUSED], 2);
	run(r, 2.0);
	ck_assert_double_eq(r->path_m, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(a_motion_of_the_agent_needs_a_fresh_look)
{
	struct rig *r = at_task();
	struct cairn_msg_decision d = rig_decision(r, CAIRN_TOOL_ROTATE);
	d.source = CAIRN_SOURCE_AGENT;
	d.angle_deg = 90.0;
	d.t_snapshot_ns = 0;
	cairn_sequencer_on_agent_decision(r->seq, &d, AGENT_EPOCH, r->now_ns);
	rig_collect(r);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REFUSED);
	ck_assert_ptr_nonnull(strstr(r->last_model_result.reason, "old"));
	rig_free(r);
}
END_TEST

START_TEST(stop_pause_home_goto_and_the_emergency_stop_beat_a_task)
{
	static const struct {
		const char *verb;
		enum cairn_mission_state state;
	} rows[] = {{"stop", CAIRN_MISSION_STATE_FINISHED}, {"pause", CAIRN_MISSION_STATE_PAUSED},
	    {"home", CAIRN_MISSION_STATE_RETURNING}, {"goto", CAIRN_MISSION_STATE_GOTO}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig *r = at_task();
		uint64_t id = drive(r, CAIRN_SOURCE_AGENT, true);
		run(r, 4.0); /* away from home */
		ck_assert(rig_command(r, rows[i].verb, 0.5, 0.5, 0.0).ok);
		ck_assert_uint_eq(r->last_model_result.decision_id, id);
		ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_REPLACED);
		rig_step(r);
		ck_assert_int_eq(r->out.mission.state, rows[i].state);
		rig_free(r);
	}
	struct rig *r = at_task();
	drive(r, CAIRN_SOURCE_AGENT, true);
	run(r, 1.0);
	r->motor_state = CAIRN_MOTOR_STATE_ESTOP;
	rig_run(r, 1.0);
	ck_assert_int_eq(r->last_model_result.outcome, CAIRN_OUTCOME_BLOCKED);
	ck_assert_double_eq(r->out.cmd_vel.v_mps, 0.0);
	rig_free(r);
}
END_TEST

START_TEST(a_task_goes_on_after_a_pause_and_after_a_goto)
{
	struct rig *r = at_task();
	ck_assert(rig_command(r, "pause", 0, 0, 0).ok);
	run(r, 60.0); /* of a task that has to be heard of within 15 s */
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_PAUSED);
	ck_assert(rig_command(r, "resume", 0, 0, 0).ok);
	run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	ck_assert(rig_command(r, "goto", 0.8, 0.0, 0).ok);
	run(r, 0.5);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_GOTO);
	for (int i = 0; i < 60 && r->out.mission.state != CAIRN_MISSION_STATE_TASK; i++)
		run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	ck_assert_uint_eq(r->out.mission.task_id, 1);
	tell(r, CAIRN_AGENT_STATE_DONE, "in the hall");
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(the_word_of_the_agent_ends_a_task_where_it_was_begun)
{
	static const enum cairn_agent_state ends[] = {
	    CAIRN_AGENT_STATE_DONE, CAIRN_AGENT_STATE_HANDOFF, CAIRN_AGENT_STATE_FAILED};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct rig *r = at_task();
		ck_assert(give(r, "another one").ok); /* takes the place of the first */
		rig_step(r);
		ck_assert_uint_eq(r->out.mission.task_id, 2);
		tell(r, ends[i], "because");
		rig_step(r);
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
		ck_assert_ptr_nonnull(strstr(r->out.mission.reason, ": because"));
		rig_free(r);
	}
}
END_TEST

START_TEST(an_old_word_of_the_agent_does_not_end_a_new_task)
{
	struct rig *r = at_task();
	struct cairn_msg_agent old = {.task_id = 1, .state = CAIRN_AGENT_STATE_DONE};
	ck_assert(give(r, "another one").ok);
	rig_step(r);
	cairn_sequencer_on_agent(r->seq, &old, r->now_ns);
	run(r, 1.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	rig_free(r);
}
END_TEST

START_TEST(a_silent_agent_and_time_that_is_up_send_the_robot_home)
{
	struct rig *r = at_task();
	run(r, 3.0);
	rig_run(r, 14.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	rig_run(r, 2.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED); /* it is at home already */
	ck_assert_str_eq(r->out.mission.reason, "agent_silent");
	rig_free(r);
	r = at_task();
	r->cfg.agent.limit_wall_s = 20.0;
	r->cfg.mission.return_home = false;
	run(r, 34.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	run(r, 2.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	ck_assert_str_eq(r->out.mission.reason, "time_up");
	rig_free(r);
}
END_TEST

START_TEST(a_task_needs_an_agent_and_words)
{
	struct rig *r = rig_exploring();
	struct cairn_msg_reply reply = give(r, "where is the sofa?");
	ck_assert(!reply.ok);
	ck_assert_ptr_nonnull(strstr(reply.text, "agent.enabled=true"));
	r->cfg.agent.enabled = true;
	reply = give(r, "");
	ck_assert(!reply.ok);
	ck_assert_ptr_nonnull(strstr(reply.text, "task TEXT"));
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING);
	rig_free(r);
}
END_TEST

START_TEST(a_survey_is_a_task_without_words_that_is_told_as_one)
{
	struct rig *r = rig_exploring();
	struct cairn_msg_reply reply = rig_command(r, "survey", 0, 0, 0);
	ck_assert(!reply.ok);
	ck_assert_ptr_nonnull(strstr(reply.text, "agent.enabled=true"));
	r->cfg.agent.enabled = true;
	ck_assert(rig_command(r, "survey", 0, 0, 0).ok);
	rig_step(r);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	ck_assert(r->out.mission.survey);
	ck_assert_str_ne(r->out.mission.task, "");
	ck_assert(!r->out.mission.wants_decision);
	tell(r, CAIRN_AGENT_STATE_DONE, "12 looks");
	rig_step(r);
	ck_assert_int_eq(
	    r->out.mission.state, CAIRN_MISSION_STATE_EXPLORING); /* goes on with what it interrupted */
	ck_assert(give(r, "where is the sofa?").ok);
	rig_step(r);
	ck_assert(!r->out.mission.survey);
	rig_free(r);
}
END_TEST

/* Nothing is left to explore. */
static struct rig *explored(bool return_home, double limit_s)
{
	struct rig *r = rig_exploring();
	r->cfg.agent.enabled = r->cfg.mission.survey = true;
	r->cfg.mission.return_home = return_home;
	ck_assert(rig_command(r, "stop", 0, 0, 0).ok);
	ck_assert(rig_command(r, "explore", 0, 0, limit_s).ok);
	r->frontiers.items_count = 0;
	for (int i = 0; i < 60 && r->out.mission.state == CAIRN_MISSION_STATE_EXPLORING; i++)
		rig_run(r, 0.5);
	return r;
}

START_TEST(an_exploration_ends_with_a_survey_where_that_is_asked_for_and_then_goes_home)
{
	for (int home = 0; home < 2; home++) {
		struct rig *r = explored(home == 1, 0.0);
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
		ck_assert(r->out.mission.survey);
		run(r, 30.0);
		ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
		ck_assert(!r->out.mission.wants_decision);
		tell(r, CAIRN_AGENT_STATE_DONE, "12 looks");
		rig_step(r);
		ck_assert(!r->out.mission.wants_decision); /* nobody is paid for a word more */
		ck_assert_int_eq(r->out.mission.state,
		    home == 1 ? CAIRN_MISSION_STATE_RETURNING : CAIRN_MISSION_STATE_FINISHED);
		rig_run(r, 2.0);
		ck_assert_int_eq(
		    r->out.mission.state, CAIRN_MISSION_STATE_FINISHED); /* it is at home already */
		ck_assert_str_eq(r->out.mission.reason, "explored");
		rig_free(r);
	}
}
END_TEST

START_TEST(the_time_of_an_exploration_holds_for_its_survey_and_not_for_one_by_command)
{
	struct rig *r = explored(false, 40.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	run(r, 45.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_FINISHED);
	ck_assert_str_eq(r->out.mission.reason, "time_up");
	ck_assert(rig_command(r, "survey", 0, 0, 0).ok);
	run(r, 45.0);
	ck_assert_int_eq(r->out.mission.state, CAIRN_MISSION_STATE_TASK);
	rig_free(r);
}
END_TEST

CAIRN_TEST_MAIN("tasks in words", the_agent_drives_at_a_task_and_the_model_is_neither_asked_nor_heard,
    without_a_task_the_agent_is_not_heard, nobody_speaks_by_the_topic_of_another,
    a_motion_of_the_agent_needs_a_fresh_look, stop_pause_home_goto_and_the_emergency_stop_beat_a_task,
    a_task_goes_on_after_a_pause_and_after_a_goto, the_word_of_the_agent_ends_a_task_where_it_was_begun,
    an_old_word_of_the_agent_does_not_end_a_new_task, a_silent_agent_and_time_that_is_up_send_the_robot_home,
    a_task_needs_an_agent_and_words, a_survey_is_a_task_without_words_that_is_told_as_one,
    an_exploration_ends_with_a_survey_where_that_is_asked_for_and_then_goes_home,
    the_time_of_an_exploration_holds_for_its_survey_and_not_for_one_by_command)
