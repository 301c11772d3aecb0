/* `cairn eval arenas` as people and scripts use it: exit status, text, JSON, the page, and taking up what is
 * done. */
#include <jansson.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "test/support/runner.h"

static char dir[64], out[262144];

static int run(const char *args)
{
	char command[512];
	snprintf(command, sizeof(command), "'%s' eval arenas %s 2>/dev/null", CAIRN_PROGRAM, args);
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	size_t n = fread(out, 1, sizeof(out) - 1, pipe);
	out[n] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

static bool there(const char *name)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/report/%s", dir, name);
	return access(path, R_OK) == 0;
}

static json_t *arenas_of_report(void)
{
	char args[256];
	snprintf(args, sizeof(args), "--name 1-simple --seeds 2 --jobs 2 --json --report %s/report", dir);
	ck_assert_int_eq(run(args), 0);
	json_t *all = json_loads(out, 0, NULL);
	ck_assert_msg(all != NULL, "%s", out);
	ck_assert(json_is_true(json_object_get(all, "passed")));
	ck_assert_int_eq(json_integer_value(json_object_get(all, "runs_passed")), 4);
	ck_assert_ptr_null(json_object_get(all, "text"));
	json_t *arenas = json_incref(json_object_get(all, "arenas"));
	json_decref(all);
	return arenas;
}

START_TEST(a_report_has_a_page_and_pictures_and_the_same_command_again_takes_what_is_done)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-arenas-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	json_t *first = arenas_of_report();
	ck_assert(there("index.html") && there("finished.bin"));
	ck_assert(there("1-simple-gt-1.svg") && there("1-simple-vision-2.png"));
	json_t *again = arenas_of_report();
	ck_assert(json_equal(first, again));
	json_decref(again);
	char command[128], picture[128];
	snprintf(picture, sizeof(picture), "%s/report/1-simple-gt-2.svg", dir);
	ck_assert_int_eq(unlink(picture), 0);
	again = arenas_of_report(); /* the run whose picture is gone is done anew */
	ck_assert(there("1-simple-gt-2.svg"));
	ck_assert(json_equal(first, again));
	json_decref(first);
	json_decref(again);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Lines of JSON of a run's log; the last one has "end". */
static void check_log(const char *path, bool asked)
{
	FILE *log = fopen(path, "r");
	static char line[16384];
	int cycles = 0, decisions = 0, ends = 0;
	ck_assert_msg(log != NULL, "%s is not there", path);
	while (fgets(line, sizeof(line), log) != NULL) {
		json_t *o = json_loads(line, 0, NULL);
		ck_assert_msg(o != NULL && ends == 0, "%s", line);
		ends += json_object_get(o, "end") != NULL;
		if (ends > 0) {
			ck_assert(json_is_true(json_object_get(o, "reached")));
			ck_assert_int_ge(json_integer_value(json_object_get(o, "cycles")), cycles);
		} else {
			ck_assert_int_eq(json_integer_value(json_object_get(o, "cycle")), ++cycles);
			ck_assert_double_gt(json_number_value(json_object_get(o, "goal_m")), 0.0);
			ck_assert(json_is_string(json_object_get(o, "activity")));
		}
		const json_t *d = json_object_get(o, "decision");
		decisions += d != NULL;
		if (d != NULL && asked)
			ck_assert(json_number_value(json_object_get(d, "latency_s")) >= 0.0);
		json_decref(o);
	}
	fclose(log);
	ck_assert_int_eq(ends, 1);
	ck_assert_int_ge(cycles, 3);
	ck_assert_msg(!asked || decisions > 0, "%s", path);
}

START_TEST(a_provider_drives_through_the_prompt_and_each_cycle_is_logged)
{
	char args[256], path[160], command[128];
	snprintf(dir, sizeof(dir), "/tmp/cairn-arenas-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(args, sizeof(args), "--name 1-simple --mode gt --provider pilot --json --log %s/log", dir);
	ck_assert_int_eq(run(args), 0);
	json_t *all = json_loads(out, 0, NULL);
	ck_assert_str_eq(json_string_value(json_object_get(all, "provider")), "pilot");
	ck_assert(json_is_number(json_object_get(all, "usd")));
	json_decref(all);
	snprintf(path, sizeof(path), "%s/log/1-simple-gt-1.jsonl", dir);
	check_log(path, true);
	ck_assert_int_eq(run("--name 1-simple --mode gt --provider nobody"), 2);
	ck_assert_int_eq(run("--name 1-simple --mode gt --usd 1"), 2); /* nothing would be paid for */
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(people_get_a_line_for_each_arena_and_the_verdict)
{
	ck_assert_int_eq(run("--name 3-dead-end --mode gt --seed 5"), 0);
	ck_assert_msg(strstr(out, "1 of 1") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "goal unreachable: no way") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "\npassed\n") != NULL, "%s", out);
}
END_TEST

START_TEST(the_page_of_a_goal_that_cannot_be_reached_tells_that_it_was_reported)
{
	snprintf(dir, sizeof(dir), "/tmp/cairn-arenas-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	char args[256], path[128], command[128];
	static char page[1 << 20];
	snprintf(args, sizeof(args), "--name 3-dead-end --mode gt --json --report %s/report", dir);
	ck_assert_int_eq(run(args), 0);
	json_t *all = json_loads(out, 0, NULL);
	const json_t *run =
	    json_array_get(json_object_get(json_array_get(json_object_get(all, "arenas"), 0), "seeds"), 0);
	ck_assert(
	    json_is_true(json_object_get(run, "given_up")) && json_is_false(json_object_get(run, "reached")));
	ck_assert_double_gt(json_real_value(json_object_get(run, "goal_m")), 0.3);
	json_decref(all);
	snprintf(path, sizeof(path), "%s/report/index.html", dir);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	ck_assert_ptr_nonnull(strstr(page, ">reported unreachable, "));
	ck_assert_ptr_null(strstr(page, "0.00 m (&lt;= 0.00)"));
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

START_TEST(exploration_and_corridor_are_passed_in_both_modes)
{
	static const char *const names[] = {"2-exploration", "4-corridor"};
	for (int i = 0; i < 2; i++) {
		char args[64];
		snprintf(args, sizeof(args), "--name %s --json", names[i]);
		ck_assert_msg(run(args) == 0, "%s", out);
		json_t *all = json_loads(out, 0, NULL);
		ck_assert_msg(all != NULL, "%s", out);
		json_t *groups = json_object_get(all, "arenas");
		ck_assert_uint_eq(json_array_size(groups), 2);
		for (size_t k = 0; k < 2; k++) {
			const json_t *group = json_array_get(groups, k);
			ck_assert_str_eq(json_string_value(json_object_get(group, "arena")), names[i]);
			ck_assert_str_eq(
			    json_string_value(json_object_get(group, "mode")), k == 0 ? "gt" : "vision");
			ck_assert_int_eq(json_integer_value(json_object_get(group, "passed")), 1);
			ck_assert_int_eq(json_integer_value(json_object_get(group, "contacts")), 0);
		}
		json_decref(all);
	}
}
END_TEST

START_TEST(what_does_not_exist_is_no_success)
{
	ck_assert_int_ne(run("--name moon"), 0);
	ck_assert_int_ne(run("--mode dream"), 0);
	ck_assert_int_ne(run("--seeds 0"), 0);
}
END_TEST

START_TEST(where_no_report_can_be_written_nothing_is_run)
{
	static const char *const forms[] = {"", " --json"};
	for (size_t i = 0; i < 2; i++) {
		char args[400];
		snprintf(args, sizeof(args), "--name 1-simple --report %s/README.md%s", CAIRN_SOURCE_ROOT,
		    forms[i]);
		ck_assert_int_eq(run(args), 2);
		ck_assert_str_eq(out, "");
	}
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("eval-arenas", 110.0, a_provider_drives_through_the_prompt_and_each_cycle_is_logged,
    a_report_has_a_page_and_pictures_and_the_same_command_again_takes_what_is_done,
    the_page_of_a_goal_that_cannot_be_reached_tells_that_it_was_reported,
    people_get_a_line_for_each_arena_and_the_verdict, exploration_and_corridor_are_passed_in_both_modes,
    what_does_not_exist_is_no_success, where_no_report_can_be_written_nothing_is_run)
