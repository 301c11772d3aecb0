/* A recording made by a real run of the stack: what is replayed is what was done, a stricter rule shows,
 * damage is found. */
#include <dirent.h>
#include <jansson.h>

#include "test/e2e/stack.h"

static char file[500];

static bool some_ended(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.decisions >= 4 && run->mission.decision_id != 0;
}

static void find_recording(const struct drill *drill)
{
	char folder[400];
	snprintf(folder, sizeof(folder), "%s/rec", fixture_run_dir(drill));
	DIR *dir = opendir(folder);
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		if (e->d_name[0] != '.')
			snprintf(file, sizeof(file), "%.300s/%.120s", folder, e->d_name);
	closedir(dir);
}

static char *replay(struct drill *drill, const char *options, int *ret_status)
{
	static char out[2][1 << 20];
	static int turn;
	char words[900];
	turn = 1 - turn;
	snprintf(words, sizeof(words), "eval replay %.380s %.480s", file, options);
	*ret_status = stack_cairn(drill, words, out[turn], sizeof(out[turn]));
	return out[turn];
}

static json_t *replay_json(struct drill *drill, const char *options, int *ret_status)
{
	char words[600];
	snprintf(words, sizeof(words), "%.580s --json", options);
	const char *out = replay(drill, words, ret_status);
	const char *object = strstr(out, "{\"name\""); /* behind what was told on the way */
	json_t *root = object != NULL ? json_loads(object, 0, NULL) : NULL;
	ck_assert_msg(root != NULL, "%s", out);
	return root;
}

static int change(const json_t *root, const char *name)
{
	return (int)json_integer_value(json_object_get(json_object_get(root, "changes"), name));
}

static json_int_t of_ask(const json_t *root, const char *name)
{
	return json_integer_value(json_object_get(json_object_get(root, "ask"), name));
}

/* Ended by its money, gone on with, and once more: no question is asked twice, and what each cost is counted once. */
static void go_on_asking(struct drill *drill)
{
	char cut_off[500], whole[500];
	int status;
	json_t *all = replay_json(drill, "--ask pilot", &status);
	/* The first question is the dearest, as nothing of it is cached yet: less would not do for its follow-up. */
	double enough_usd = 0.95 * json_number_value(json_object_get(json_object_get(all, "ask"), "usd"));
	snprintf(whole, sizeof(whole), "--ask pilot --state %.400s/answers", fixture_run_dir(drill));
	snprintf(cut_off, sizeof(cut_off), "%.450s --usd %.6f", whole, enough_usd);
	json_t *root = replay_json(drill, cut_off, &status);
	json_int_t first = of_ask(root, "asked");
	ck_assert_int_eq(status, 1);
	ck_assert_int_ge(first, 1);
	ck_assert_int_lt(first, of_ask(all, "asked"));
	const json_t *ask = json_object_get(root, "ask");
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(ask, "stopped")), "more with --usd"));
	ck_assert_double_le(json_number_value(json_object_get(ask, "usd")), enough_usd);
	json_decref(root);
	json_t *second = replay_json(drill, whole, &status), *third = replay_json(drill, whole, &status);
	ck_assert_int_eq(of_ask(second, "kept"), first);
	ck_assert_int_eq(of_ask(second, "asked"), of_ask(all, "asked"));
	ck_assert_int_eq(of_ask(third, "kept"), of_ask(all, "asked"));
	static const char *const names[] = {"asked", "agrees", "calls", "tokens_in", "tokens_out"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(of_ask(third, names[i]), of_ask(second, names[i]));
	json_decref(all);
	json_decref(second);
	json_decref(third);
}

/* Nothing listens there: that is no answer of a model, and asked again when something does. */
static void ask_nobody(struct drill *drill)
{
	char dead[500];
	int status;
	snprintf(dead, sizeof(dead),
	    "--ask ollama --set vlm.base_url=http://127.0.0.1:9/v1 --state %.300s/nobody",
	    fixture_run_dir(drill));
	for (int again = 0; again < 2; again++) {
		json_t *root = replay_json(drill, dead, &status);
		ck_assert_int_eq(status, 1);
		ck_assert_int_eq(of_ask(root, "asked"), 0);
		ck_assert_int_eq(of_ask(root, "kept"), 0);
		ck_assert_int_eq(of_ask(root, "failed"), 3);
		const char *why = json_string_value(json_object_get(json_object_get(root, "ask"), "stopped"));
		ck_assert_msg(why != NULL && strstr(why, "did not answer") != NULL, "%s",
		    why != NULL ? why : "nothing");
		json_decref(root);
	}
}

static void damage(void)
{
	FILE *f = fopen(file, "r+");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, -20000, SEEK_END), 0);
	int c = fgetc(f);
	ck_assert_int_eq(fseek(f, -20000, SEEK_END), 0);
	fputc(c == 'A' ? 'B' : 'A', f);
	fclose(f);
}

START_TEST(what_a_real_run_recorded_is_replayed_as_it_was)
{
	/* Answers older than the age that is asked for below. */
	static const char *const args[] = {
	    "--set", "vlm.record=rec", "--set", "pilot.latency_mean_s=1.2", NULL};
	struct drill *drill = stack_start(args);
	int status;
	stack_must(drill, some_ended, NULL, "no four decisions");
	stack_interrupt(drill, 0);
	find_recording(drill);

	json_t *root = replay_json(drill, "", &status);
	int questions = (int)json_integer_value(json_object_get(root, "questions"));
	ck_assert_int_ge(questions, 4);
	ck_assert_int_eq((int)json_integer_value(json_object_get(root, "same_prompts")), questions);
	ck_assert_int_eq(change(root, "answer") + change(root, "accepted") + change(root, "refused") +
			     change(root, "reason") + change(root, "target"),
	    0);
	/* The first velocity of one that took over from another may differ, but most can be judged. */
	ck_assert_int_ge(change(root, "same"), 1);
	ck_assert_int_le(2 * change(root, "not_judged"), questions);
	json_decref(root);

	char *first = strdup(replay(drill, "", &status));
	ck_assert_str_eq(first, replay(drill, "", &status));
	free(first);

	root = replay_json(drill, "--set safety.decision_max_age_s=0.5", &status);
	ck_assert_int_eq(status, 1);
	/* At least one: of the others some may have been refused then as well, or cannot be judged. */
	ck_assert_int_ge(change(root, "refused"), 1);
	json_decref(root);

	root = replay_json(drill, "--ask pilot", &status);
	const json_t *ask = json_object_get(root, "ask");
	ck_assert_int_ge((int)json_integer_value(json_object_get(ask, "agrees")), 3);
	ck_assert_double_gt(json_number_value(json_object_get(ask, "usd")), 0.0);
	json_decref(root);

	go_on_asking(drill);
	ask_nobody(drill);

	damage();
	const char *out = replay(drill, "", &status);
	ck_assert_int_eq(status, 1);
	ck_assert_msg(strstr(out, "damaged") != NULL, "%s", out);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("replay-run", 280.0, what_a_real_run_recorded_is_replayed_as_it_was)
