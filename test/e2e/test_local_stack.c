/* A stack with the stage local: the model is told its words, a SIGKILL under way stops nothing, and the views outlive it. */
#include "test/e2e/stack.h"

static struct drill *drill;

static bool views_are_saved(const struct up_run *run, void *ctx)
{
	(void)run, (void)ctx;
	return stack_file_tells(drill, "state/local_views.txt", "view ");
}

static bool model_is_told(const struct up_run *run, void *ctx)
{
	(void)run, (void)ctx;
	return stack_file_tells(drill, "state/decisions.jsonl", "SCENE new ");
}

static bool goes_on(const struct up_run *run, void *ctx)
{
	(void)run, (void)ctx;
	return stack_file_tells(drill, "logs/local.log", "goes on with ");
}

START_TEST(a_stack_with_the_stage_local_drives_on_when_that_is_killed_and_it_remembers)
{
	static const char *const args[] = {"--set", "local.enabled=true", "--set", "local.checkpoint_s=1",
	    "--set", "web.endpoint=127.0.0.1:0", NULL};
	static char out[1 << 16];
	struct stack_stage local = {"local", 0};
	struct stack_stretch after = {.s = 5.0};
	drill = stack_start(args);
	stack_must(drill, stack_is_up, &local, "the stage local does not come up");
	stack_must(drill, stack_drives, NULL, "it does not drive");
	stack_must(drill, model_is_told, NULL, "the prompt has no line of the stage local");
	stack_must(drill, views_are_saved, NULL, "no views are saved");
	ck_assert_int_eq(stack_cairn(drill, "status", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "novelty") != NULL, "%s", out);
	local.not_pid = fixture_pid(drill, "local");
	ck_assert_int_gt(local.not_pid, 0);
	ck_assert_int_eq(kill(local.not_pid, SIGKILL), 0);
	stack_must(drill, stack_stretch_over, &after, "the stack stands still in its messages");
	stack_must(drill, stack_is_up, &local, "the stage local does not come back");
	stack_must(drill, goes_on, NULL, "it has forgotten its views");
	stack_must(drill, stack_drives, NULL, "it does not drive on");
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "local-stack", 300.0, a_stack_with_the_stage_local_drives_on_when_that_is_killed_and_it_remembers)
