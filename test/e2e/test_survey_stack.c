/* Looking round: real processes in the simulated studio, whose exploration by LiDAR ends before the camera has seen most of its things. */
#include "test/e2e/stack.h"

#define STUDIO                                                                                               \
	"--world", CAIRN_SOURCE_ROOT "/config/worlds/studio.yaml", "--stay", "--set", "agent.enabled=true"
#define SURVEY_S (400.0 * STACK_SLOWER) /* a limit for one that hangs */
#define KNOWN_MIN 17                    /* of 21 things; the exploration alone shows 6 */

static bool finished(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.state == CAIRN_MISSION_STATE_FINISHED && run->have_motion &&
	       run->motion.v_mps == 0.0;
}

static bool surveys(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.state == CAIRN_MISSION_STATE_TASK && run->mission.survey &&
	       run->mission.decision_id != 0 && run->mission.decision_source == CAIRN_SOURCE_AGENT;
}

static bool paused(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->mission.state == CAIRN_MISSION_STATE_PAUSED && run->motion.v_mps == 0.0;
}

/* Drives something else than before: ctx, that decision's id. */
static bool surveys_on(const struct up_run *run, void *ctx)
{
	return surveys(run, NULL) && run->mission.decision_id != *(const uint64_t *)ctx;
}

/* "answer    looks 12, things found 14, known now 20": the third number. */
static unsigned known_things(const char *out)
{
	unsigned looks = 0, found = 0, known = 0;
	const char *at = strstr(out, "answer    ");
	if (at == NULL ||
	    sscanf(at, "answer    looks %u, things found %u, known now %u", &looks, &found, &known) != 3)
		ck_abort_msg("no summary: %s", out);
	return known;
}

START_TEST(an_exploration_that_ends_with_a_survey_knows_the_things_of_the_house_and_goes_home)
{
	static const char *const args[] = {STUDIO, "--set", "mission.survey=true", NULL};
	struct drill *drill = stack_start(args);
	char out[8192];
	ck_assert_msg(
	    fixture_wait(drill, surveys, NULL, SURVEY_S), "no survey; see %s", fixture_run_dir(drill));
	ck_assert_msg(fixture_wait(drill, finished, NULL, SURVEY_S), "the survey has no end; see %s",
	    fixture_run_dir(drill));
	const struct up_run *run = fixture_run(drill);
	ck_assert_str_eq(run->mission.reason, "explored");
	ck_assert_uint_eq(run->truth.contacts, 0);
	ck_assert_double_lt(hypot(run->pose.x_m, run->pose.y_m), 0.5);
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	ck_assert_msg(known_things(out) >= KNOWN_MIN, "%s; see %s", out, fixture_run_dir(drill));
	ck_assert_msg(strstr(out, "cost      0 queries") != NULL, "%s", out);
	/* Once more, by command: what is left is looked at from where it stands, and the robot stays there. */
	int status = stack_cairn(drill, "survey --wait", out, sizeof(out));
	ck_assert_msg(status == 0 && known_things(out) >= KNOWN_MIN, "status %d: %s; see %s", status, out,
	    fixture_run_dir(drill));
	stack_must(drill, finished, NULL, "the second survey did not end");
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
}
END_TEST

START_TEST(a_survey_by_command_is_paused_goes_on_after_its_agent_was_killed_and_is_stopped)
{
	static const char *const args[] = {STUDIO, "--set", "mission.autostart=false", NULL};
	struct stack_stage agent = {"agent", 0};
	struct drill *drill = stack_start(args);
	char out[8192];
	ck_assert_msg(
	    fixture_wait(drill, stack_is_up, &agent, STACK_UP_S), "no agent; see %s", fixture_run_dir(drill));
	ck_assert_msg(stack_cairn(drill, "survey", out, sizeof(out)) == 0, "%s", out);
	stack_must(drill, surveys, NULL, "the agent drives nothing");
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "pause", "");
	stack_must(drill, paused, NULL, "a pause did not hold it");
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "resume", "");
	stack_must(drill, surveys, NULL, "it does not go on after a pause");
	struct stack_stage again = {"agent", fixture_pid(drill, "agent")};
	kill(again.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &again, "the agent was not started again");
	uint64_t before = fixture_run(drill)->mission.decision_id;
	stack_must(drill, surveys_on, &before, "the agent that was killed does not go on");
	ck_assert_uint_eq(fixture_run(drill)->mission.task_id, 1);
	ck_assert_int_eq(stack_cairn(drill, "agent", out, sizeof(out)), 0);
	ck_assert_msg(
	    strstr(out, "looks so far") != NULL && strstr(out, "state     acting") != NULL, "%s", out);
	stack_ask(drill, CAIRN_SERVICE_OPERATOR, "stop", "");
	stack_must(drill, finished, NULL, "a stop did not end it");
	ck_assert_str_eq(fixture_run(drill)->mission.reason, "stopped");
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	(void)fixture_end(drill, SIGINT, STACK_PATIENCE_S, out, sizeof(out));
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("survey in a stack", 800.0 * STACK_SLOWER,
    a_survey_by_command_is_paused_goes_on_after_its_agent_was_killed_and_is_stopped,
    an_exploration_that_ends_with_a_survey_knows_the_things_of_the_house_and_goes_home)
