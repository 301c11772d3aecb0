/* Tasks in words, from the command line to the answer: real processes, the simulated house with its detector, the scripted scholar in
 * the model's place. It is a script: what it answers says how the stack behaves, and nothing about a model. */
#include "test/e2e/stack.h"

static const char *const args[] = {"--stay", "--set", "agent.enabled=true", "--set", "pilot.profile=scholar",
    "--set", "mission.autostart=false", "--set", "agent.limit_wall_s=600", NULL};

static bool with_a_pose(const struct up_run *run, void *ctx)
{
	return run->have_mission && run->have_pose && run->pose.tracking == CAIRN_TRACKING_GOOD &&
	       run->have_frontiers && stack_is_up(run, ctx);
}

static struct drill *start(const char *const *words)
{
	struct stack_stage agent = {"agent", 0};
	struct drill *drill = stack_start(words);
	ck_assert_msg(
	    fixture_wait(drill, with_a_pose, &agent, STACK_UP_S), "no agent; see %s", fixture_run_dir(drill));
	return drill;
}

static bool at_rest(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_IDLE && run->have_motion && run->motion.v_mps == 0.0;
}

/* Behind a word at the beginning of a line; empty: there is no such line. */
static const char *told(const char *out, const char *word, char *dst, size_t cap)
{
	const char *at = strstr(out, word);
	snprintf(dst, cap, "%.*s", at != NULL ? (int)strcspn(at + strlen(word), "\n") : 0,
	    at != NULL ? at + strlen(word) : "");
	return dst;
}

START_TEST(a_question_is_answered_with_evidence_and_asked_again_without_a_step)
{
	struct drill *drill = start(args);
	char out[8192], answer[300], evidence[300], scene[65536];
	int status = stack_cairn(drill, "task --wait 'Where is the sofa?'", out, sizeof(out));
	ck_assert_msg(status == 0, "status %d: %s; see %s", status, out, fixture_run_dir(drill));
	told(out, "answer    ", answer, sizeof(answer));
	told(out, "evidence  ", evidence, sizeof(evidence));
	ck_assert_msg(strstr(answer, "The sofa is in") != NULL, "%s", out);
	ck_assert_msg(strncmp(evidence, "sofa_", 5) == 0, "%s", out);
	evidence[strcspn(evidence, " ")] = '\0';
	ck_assert_int_eq(stack_cairn(drill, "scene", scene, sizeof(scene)), 0);
	ck_assert_msg(strstr(scene, evidence) != NULL, "%s is not in the scene: %s", evidence, scene);
	stack_must(drill, at_rest, NULL, "the robot did not come to rest where it answered");
	/* What is known is answered from what is known: nothing moves. */
	const struct up_run *run = fixture_run(drill);
	double x_m = run->truth.x_m, y_m = run->truth.y_m;
	status = stack_cairn(drill, "task --wait 'Is there a sofa?'", out, sizeof(out));
	ck_assert_msg(status == 0 && strstr(out, "Yes: a sofa is") != NULL, "status %d: %s", status, out);
	stack_must(drill, at_rest, NULL, "the robot did not stay at rest");
	ck_assert_double_lt(hypot(run->truth.x_m - x_m, run->truth.y_m - y_m), 0.02);
	/* What nobody understands is handed back. */
	status = stack_cairn(drill, "task --wait 'Sing me a song'", out, sizeof(out));
	ck_assert_msg(status == 1 && strstr(out, "I do not know") != NULL, "status %d: %s", status, out);
	ck_assert_uint_eq(run->truth.contacts, 0);
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "Sing me a song") != NULL && strstr(out, "1. Finish") != NULL, "%s", out);
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
}
END_TEST

static bool agent_drives(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_TASK && run->mission.decision_id != 0 &&
	       run->mission.decision_source == CAIRN_SOURCE_AGENT && run->motion.v_mps != 0.0;
}

static bool finished(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_FINISHED && run->motion.v_mps == 0.0;
}

START_TEST(an_agent_that_is_killed_goes_on_and_a_stop_ends_its_task)
{
	struct drill *drill = start(args);
	char out[8192];
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "task", "How many chairs are there?");
	stack_must(drill, agent_drives, NULL, "the agent drives nothing");
	/* Where to go was asked with the map as a picture. */
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "agent-map.jpg") != NULL, "%s", out);
	struct stack_stage again = {"agent", fixture_pid(drill, "agent")};
	kill(again.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &again, "the agent was not started again");
	stack_must(drill, agent_drives, NULL, "the agent that was killed does not go on");
	ck_assert_uint_eq(fixture_run(drill)->mission.task_id, 1);
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "How many chairs are there?") != NULL, "%s", out);
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "stop", "");
	stack_must(drill, finished, NULL, "a stop did not end the task");
	ck_assert_str_eq(fixture_run(drill)->mission.reason, "stopped");
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
}
END_TEST

static const char *const arm_args[] = {"--stay", "--world",
    CAIRN_SOURCE_ROOT "/config/worlds/home-tasks.yaml", "--config",
    CAIRN_SOURCE_ROOT "/config/robots/task-sim.yaml", "--set", "agent.enabled=true", "--set",
    "pilot.profile=scholar", "--set", "mission.autostart=false", "--set", "agent.limit_wall_s=600", "--set",
    "detect.still_period_s=1.0", NULL};

#define TASK_S (180.0 * STACK_SLOWER) /* a limit for an agent that hangs */
#define TASKS 3

/* ctx: the task's number. */
static bool over(const struct up_run *run, void *ctx)
{
	return run->mission.task_id == *(const uint64_t *)ctx &&
	       run->mission.state != CAIRN_MISSION_STATE_TASK && run->motion.v_mps == 0.0;
}

/* Waits for its end. True: it is called done, and is; false: it was handed back. Nothing else may be. */
static bool is_done(struct drill *drill, uint64_t task)
{
	char out[8192];
	ck_assert_msg(fixture_wait(drill, over, &task, TASK_S), "task %d has no end; see %s", (int)task,
	    fixture_run_dir(drill));
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	bool open = stack_file_tells(drill, "logs/robot-sim.log", "success: the shoe cabinet is open");
	bool done = strstr(out, "Done: open shoe cabinet.") != NULL;
	ck_assert_msg(open || !done, "it is called done, and in the house it is not open: %s; see %s", out,
	    fixture_run_dir(drill));
	ck_assert_msg(done || strstr(out, "handoff") != NULL, "%s; see %s", out, fixture_run_dir(drill));
	return done;
}

/* In the narrow hall the robot may have no room for it where it was led to: then it says so, and a person asks again. */
START_TEST(an_arm_opens_what_it_is_told_to_though_its_agent_is_killed_under_way)
{
	struct drill *drill = start(arm_args);
	char out[8192];
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "task", "Open the shoe cabinet");
	stack_must(drill, agent_drives, NULL, "the agent drives nothing");
	struct stack_stage again = {"agent", fixture_pid(drill, "agent")};
	kill(again.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &again, "the agent was not started again");
	uint64_t task = 1;
	while (!is_done(drill, task) && task < TASKS) {
		stack_ask(drill, CAIRN_SERVICE_OPERATOR, "task", "Open the shoe cabinet");
		task++;
	}
	ck_assert_msg(stack_file_tells(drill, "logs/robot-sim.log", "success: the shoe cabinet is open"),
	    "it was handed back %d times; see %s", TASKS, fixture_run_dir(drill));
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("agent in a stack", 700.0 * STACK_SLOWER,
    an_arm_opens_what_it_is_told_to_though_its_agent_is_killed_under_way,
    a_question_is_answered_with_evidence_and_asked_again_without_a_step,
    an_agent_that_is_killed_goes_on_and_a_stop_ends_its_task)
