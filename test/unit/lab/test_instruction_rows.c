/* The rows of `cairn eval instructions`: what is counted, and the page. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "procs/lab/instruction_rows.h"
#include "test/support/runner.h"

static struct instruction_row rows[INSTRUCTION_ROWS];

static struct instruction_outcome outcome(uint32_t house, bool end, bool followed, double path_m)
{
	struct instruction_outcome o = {.run = true,
	    .walked = {.parts = followed ? 3 : 1, .fit = 3, .end = end, .followed = followed},
	    .state = CAIRN_AGENT_STATE_DONE,
	    .path_m = path_m,
	    .shortest_m = 4.75,
	    .house = house,
	    .queries = 2,
	    .tokens_in = 1000,
	    .usd = 0.25};
	o.costs[CAIRN_AGENT_QUERY_VERIFY] = (struct cairn_agent_cost){600, 1, 0.2};
	snprintf(o.text, sizeof(o.text), "Route %.2f <there>", path_m);
	return o;
}

static double number(const json_t *row, const char *name, const char *of)
{
	const json_t *at = json_object_get(row, name);
	return json_number_value(of != NULL ? json_object_get(at, of) : at);
}

START_TEST(followed_ways_false_claims_and_cost_are_counted)
{
	struct instruction_outcome all[] = {outcome(0, true, true, 9.75), outcome(0, true, false, 2.0),
	    outcome(1, false, false, 8.0), outcome(1, true, true, 4.75)};
	struct instruction_outcome not_run = outcome(1, true, true, 1.0);
	memset(rows, 0, sizeof(rows));
	all[2].contacts = 1;
	all[3].unfit = true;
	all[3].walked.strays = 2;
	for (size_t i = 0; i < 4; i++)
		instruction_row_add(&rows[INSTRUCTION_AGENT], &all[i]);
	not_run.run = false; /* nobody has answered: it says nothing */
	instruction_row_add(&rows[INSTRUCTION_AGENT], &not_run);
	json_t *list = instruction_rows_json(rows), *row = json_array_get(list, 0);
	ck_assert_uint_eq(json_array_size(list), 1); /* what was not run is not told */
	ck_assert_double_eq(number(row, "told", NULL), 4.0);
	ck_assert_double_eq(number(row, "followed", NULL), 2.0);
	ck_assert_double_eq(number(row, "at_end", NULL), 3.0);
	ck_assert_double_eq(number(row, "false_done", NULL), 1.0); /* said so, and stood elsewhere */
	ck_assert_double_eq(number(row, "contacts", NULL), 1.0);
	ck_assert_double_eq(number(row, "unfit_followed", NULL), 1.0);
	ck_assert_double_eq(number(row, "other_doors", NULL), 2.0);
	ck_assert_double_eq(number(row, "followed_straight", NULL), 1.0);
	ck_assert_double_eq_tol(number(row, "parts_percent", NULL), 100.0 * 8.0 / 12.0, 1e-9);
	ck_assert_double_eq_tol(
	    number(row, "way_m", NULL), 7.25, 1e-9); /* of those followed: 9.75 and 4.75 */
	ck_assert_double_eq_tol(number(row, "followed_percent", "mean"), 50.0, 1e-9);
	/* A robot's length on both: 5 of 10 in the first house, 5 of 5 in the second, each with one that was not followed. */
	ck_assert_double_eq_tol(number(row, "spl", "mean"), 0.5 * (0.25 + 0.5), 1e-9);
	const json_t *verify = json_object_get(json_object_get(row, "by_query"), "verify");
	ck_assert_double_eq_tol(number(verify, "tokens_in", NULL), 600.0, 1e-9);
	ck_assert_double_eq_tol(number(verify, "calls", NULL), 1.0, 1e-9);
	ck_assert_double_eq_tol(number(verify, "usd", NULL), 0.2, 1e-9);
	json_decref(list);
}
END_TEST

START_TEST(rows_are_found_by_name_and_only_those_that_can_be_run)
{
	ck_assert_int_eq(instruction_row_find("no-scene,agent", 8), INSTRUCTION_NO_SCENE);
	ck_assert_int_eq(instruction_row_find("agent", 5), INSTRUCTION_AGENT);
	ck_assert_int_eq(instruction_row_find("agen", 4), INSTRUCTION_ROWS);
	ck_assert_int_eq(instruction_row_find("oracle", 6), INSTRUCTION_ROWS);
}
END_TEST

START_TEST(the_page_has_the_rows_and_the_worst_episodes_first)
{
	static char page[1 << 20];
	char dir[] = "/tmp/cairn-routes-XXXXXX", path[128];
	struct cairn_error err = {""};
	struct instruction_outcome all[] = {outcome(0, true, true, 5.01), outcome(0, true, true, 9.02),
	    outcome(0, true, false, 5.03), outcome(0, false, false, 5.04), outcome(0, false, false, 5.05),
	    outcome(0, true, true, 5.06)};
	json_t *list = json_array();
	memset(rows, 0, sizeof(rows));
	all[3].state = CAIRN_AGENT_STATE_HANDOFF; /* it knows that it is not there */
	all[5].contacts = 1;
	for (size_t i = 0; i < 6; i++) {
		instruction_row_add(&rows[INSTRUCTION_AGENT], &all[i]);
		json_array_append_new(list, instruction_json(INSTRUCTION_AGENT, "<home>", &all[i]));
	}
	json_t *figures = json_pack("{s:s,s:o,s:o}", "boundary", "scripted pilot", "rows",
	    instruction_rows_json(rows), "episodes", list);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_msg(instruction_write_page(figures, "cairn eval instructions --count 6", true, dir, &err),
	    "%s", err.text);
	snprintf(path, sizeof(path), "%s/index.html", dir);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	const char *order[] = {"Route 5.06", "Route 5.05", "Route 5.04", "Route 5.03", "Route 9.02",
	    "Route 5.01"},
		   *at = page;
	for (size_t i = 0; i < 6; i++)
		ck_assert_msg((at = strstr(at, order[i])) != NULL, "%s is not where it should be", order[i]);
	static const char *const needed[] = {"cairn eval instructions --count 6", "&lt;home&gt;",
	    "&lt;there&gt;", "scripted pilot", "verify", "right end by another way"};
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		ck_assert_msg(strstr(page, needed[i]) != NULL, "%s is not there", needed[i]);
	ck_assert(!instruction_write_page(figures, NULL, true, "/proc/nowhere", &err));
	json_decref(figures);
	snprintf(path, sizeof(path), "rm -r '%s'", dir);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

CAIRN_TEST_MAIN("instruction rows", followed_ways_false_claims_and_cost_are_counted,
    rows_are_found_by_name_and_only_those_that_can_be_run, the_page_has_the_rows_and_the_worst_episodes_first)
