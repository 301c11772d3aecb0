/* Consumers that die at any moment: the page's stage, a recorder and a client of Foxglove's protocol are killed again and again while the
 * robot explores. Nothing is touched, and what was decided is what the same questions decide without any of them: the run's recording
 * is replayed alone.
 *
 * CAIRN_CONSUMER_KILLS: how often (default 12; 100 take about three minutes). The launcher would hold a stage that dies so often for a
 * minute; here it is not to. */
#include <dirent.h>

#include <jansson.h>

#include "procs/lab/consumers.h"
#include "test/e2e/stack.h"

#define KILLS 12

static struct consumers consumers;

/* Messages that the client has got, more than these. */
static bool hears_more(const struct up_run *run, void *ctx)
{
	(void)run;
	return consumers.tally->messages > *(const uint64_t *)ctx;
}

static void must_hear(struct drill *drill)
{
	uint64_t before = consumers.tally->messages;
	stack_must(drill, hears_more, &before, "the client hears nothing");
}

static bool has_decided(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.decisions >= 4;
}

static void kill_one(struct drill *drill, int turn)
{
	struct stack_stage web = {"web", fixture_pid(drill, "web")};
	if (turn % 3 == 0) {
		ck_assert_int_gt(web.not_pid, 0);
		kill(web.not_pid, SIGKILL);
		stack_must(drill, stack_is_up, &web, "web does not come back");
	} else {
		enum consumer which = turn % 3 == 1 ? CONSUMER_RECORDER : CONSUMER_FOXGLOVE;
		consumers_kill(&consumers, which);
		consumers_start(&consumers, which);
	}
	must_hear(drill);
}

static void find_recording(const struct drill *drill, char *ret, size_t bytes)
{
	char folder[400];
	snprintf(folder, sizeof(folder), "%s/rec", fixture_run_dir(drill));
	DIR *dir = opendir(folder);
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		if (e->d_name[0] != '.')
			snprintf(ret, bytes, "%.300s/%.120s", folder, e->d_name);
	closedir(dir);
}

static void must_decide_the_same(struct drill *drill)
{
	static const char *const changes[] = {"accepted", "refused", "reason", "target"};
	static char out[1 << 20];
	char file[500] = "", words[700];
	find_recording(drill, file, sizeof(file));
	snprintf(words, sizeof(words), "eval replay %s --json", file);
	int status = stack_cairn(drill, words, out, sizeof(out));
	const char *object = strstr(out, "{\"name\"");
	json_t *root = object != NULL ? json_loads(object, 0, NULL) : NULL;
	ck_assert_msg(root != NULL, "%d: %.500s", status, out);
	json_int_t questions = json_integer_value(json_object_get(root, "questions"));
	ck_assert_int_ge(questions, 4);
	ck_assert_int_eq(json_integer_value(json_object_get(root, "same_prompts")), questions);
	const json_t *changed = json_object_get(root, "changes");
	ck_assert_int_eq(json_integer_value(json_object_get(changed, "answer")), 0);
	/* Of a long run a replay misjudges one in twenty by itself, as it does not have all that the sequencer and the depth layer
	 * remembered (docs/replay.md): consumers must not make that many more. */
	json_int_t judged = 0;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		judged += json_integer_value(json_object_get(changed, changes[i]));
	ck_assert_int_le(judged, questions / 10);
	json_decref(root);
}

START_TEST(consumers_that_are_killed_change_no_decision_and_nothing_is_touched)
{
	static const char *const args[] = {"--set", "vlm.record=rec", "--set", "web.endpoint=127.0.0.1:0",
	    "--set", "launcher.deaths_max=1000", "--stay", NULL};
	const char *count = getenv("CAIRN_CONSUMER_KILLS");
	int kills = count != NULL ? atoi(count) : KILLS;
	struct cairn_error err = {""};
	char recording[300];
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "it does not drive");
	snprintf(recording, sizeof(recording), "%s/consumed.mcap", fixture_run_dir(drill));
	ck_assert_msg(consumers_begin(&consumers, CAIRN_PROGRAM, fixture_run_dir(drill), recording, &err),
	    "%s", err.text);
	consumers_start(&consumers, CONSUMER_RECORDER);
	consumers_start(&consumers, CONSUMER_FOXGLOVE);
	must_hear(drill);
	for (int i = 0; i < kills; i++)
		kill_one(drill, i);
	stack_must(drill, has_decided, NULL, "no four decisions");
	ck_assert_uint_gt(consumers.tally->connections, (uint64_t)(kills / 3));
	consumers_end(&consumers);
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	stack_interrupt(drill, 0);
	must_decide_the_same(drill);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "consumer-deaths", 560.0, consumers_that_are_killed_change_no_decision_and_nothing_is_touched)
