/* The rows of `cairn eval eqa`: what is counted, what is computed, and the page. */
#include "test/support/runner.h"

#include <string.h>

#include "procs/lab/eqa_rows.h"

static struct eqa_row rows[EQA_ROWS];

static struct cairn_question question(
    enum cairn_question_kind kind, const char *label, const char *room, uint32_t count, uint32_t options)
{
	struct cairn_question q = {.kind = kind, .count = count, .options = options};
	snprintf(q.label, sizeof(q.label), "%s", label);
	snprintf(q.room, sizeof(q.room), "%s", room);
	return q;
}

static void begin(void)
{
	memset(rows, 0, sizeof(rows));
	for (int i = 0; i < EQA_ROWS; i++)
		eqa_row_group(&rows[i]);
}

static double part(const char *row, const char *name, const char *of)
{
	json_t *list = eqa_rows_json(rows), *at;
	size_t i;
	double value = -1.0;
	json_array_foreach(list, i, at)
	{
		json_t *v = json_object_get(at, name);
		if (strcmp(json_string_value(json_object_get(at, "row")), row) == 0)
			value = json_number_value(of != NULL ? json_object_get(v, of) : v);
	}
	json_decref(list);
	return value;
}

START_TEST(chance_habit_and_knowledge_are_computed_from_the_question)
{
	struct cairn_question q[] = {question(CAIRN_QUESTION_LOCATION, "fridge", "kitchen", 1, 4),
	    question(CAIRN_QUESTION_LOCATION, "sofa", "kitchen", 1, 4),
	    question(CAIRN_QUESTION_EXISTENCE, "piano", "", 0, 2),
	    question(CAIRN_QUESTION_COUNT, "chair", "", 2, 5)};
	begin();
	for (int i = 0; i < 4; i++)
		eqa_row_add_computed(rows, &q[i], i < 2 ? 3.0 : -1.0);
	/* 1/4, 1/4, 1/2 and 1/5 of four. */
	ck_assert_double_eq_tol(
	    part("guess", "right_percent", "mean"), 100.0 * (0.25 + 0.25 + 0.5 + 0.2) / 4.0, 1e-9);
	/* The fridge is where fridges are, the sofa is not; there is no piano; two is the usual number. */
	ck_assert_double_eq_tol(part("prior", "right_percent", "mean"), 50.0, 1e-9);
	ck_assert_double_eq_tol(part("oracle", "right_percent", "mean"), 100.0, 1e-9);
	ck_assert_double_eq_tol(part("oracle", "spl", "mean"), 1.0, 1e-9);
	ck_assert_double_eq_tol(part("oracle", "way_m", NULL), 3.0, 1e-9);
	ck_assert_double_eq(part("agent", "asked", NULL), -1.0); /* what was not run is not told */
}
END_TEST

START_TEST(ways_count_for_right_answers_and_success_is_weighted_by_them)
{
	struct cairn_question q = question(CAIRN_QUESTION_LOCATION, "fridge", "kitchen", 1, 4);
	struct eqa_answer a = {.question = &q,
	    .done = true,
	    .right = true,
	    .shown = true,
	    .path_m = 3.75,
	    .shortest_m = 0.75,
	    .tokens_in = 1000};
	begin();
	eqa_row_add(&rows[EQA_AGENT], &a); /* 1 m of 4 m, a robot's length on both */
	a.right = false;
	eqa_row_add(&rows[EQA_AGENT], &a); /* wrong: weighs nothing, and its way is not among the ways */
	a.done = false;
	a.limit = CAIRN_AGENT_LIMIT_STEPS;
	eqa_row_add(&rows[EQA_AGENT], &a);
	a.shortest_m = -1.0; /* about no one thing */
	a.done = a.right = true;
	a.shown = false;
	eqa_row_add(&rows[EQA_AGENT], &a);
	ck_assert_double_eq_tol(part("agent", "spl", "mean"), 0.25 / 3.0, 1e-9);
	ck_assert_double_eq_tol(part("agent", "right_percent", "mean"), 50.0, 1e-9);
	ck_assert_double_eq(part("agent", "ways", NULL), 1.0);
	ck_assert_double_eq(part("agent", "wrong", NULL), 1.0);
	ck_assert_double_eq(part("agent", "open", NULL), 1.0);
	ck_assert_double_eq(part("agent", "right_unseen", NULL), 1.0);
	ck_assert_double_eq(part("agent", "ended_by", "steps"), 1.0);
}
END_TEST

START_TEST(rows_are_found_by_name_and_only_those_that_can_be_run)
{
	ck_assert_int_eq(eqa_row_find("no-map,cot", 6), EQA_NO_MAP);
	ck_assert_int_eq(eqa_row_find("agent", 5), EQA_AGENT);
	ck_assert_int_eq(eqa_row_find("agent-known", 11), EQA_KNOWN);
	ck_assert_int_eq(eqa_row_find("agents", 6), EQA_ROWS);
	ck_assert_int_eq(eqa_row_find("oracle", 6), EQA_ROWS);
	ck_assert_int_eq(eqa_row_find("graph", 5), EQA_ROWS);
}
END_TEST

static json_t *an_episode(const char *name, const char *judged, double path_m)
{
	return json_pack("{s:s,s:s,s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:i,s:i,s:f,s:i}", "row", "agent",
	    "home", "<home>", "seed", 1, "kind", "location", "question", name, "judged", judged, "answer",
	    "A & B", "evidence", "x_1", "limit", "none", "path_m", path_m, "shortest_m", 1.0, "queries", 9,
	    "tokens_in", 1234, "usd", 0.0, "contacts", 0);
}

START_TEST(the_page_has_the_rows_and_the_worst_episodes_first)
{
	static char page[1 << 20];
	char dir[] = "/tmp/cairn-eqa-XXXXXX", path[128];
	struct cairn_error err = {""};
	struct cairn_question q = question(CAIRN_QUESTION_LOCATION, "fridge", "kitchen", 1, 4);
	struct eqa_answer a = {
	    .question = &q, .done = true, .right = true, .shown = true, .path_m = 2.0, .shortest_m = 1.0};
	begin();
	eqa_row_add_computed(rows, &q, 1.0);
	eqa_row_add(&rows[EQA_AGENT], &a);
	json_t *list = json_array();
	json_array_append_new(list, an_episode("short one", "right", 1.5));
	json_array_append_new(list, an_episode("long one", "right", 9.5));
	json_array_append_new(list, an_episode("wrong one", "wrong", 1.0));
	json_array_append_new(list, an_episode("open one", "open", 1.0));
	json_t *figures = json_pack(
	    "{s:s,s:o,s:o}", "boundary", "scripted pilot", "rows", eqa_rows_json(rows), "episodes", list);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_msg(eqa_write_page(figures, "cairn eval eqa --seeds 2", true, dir, &err), "%s", err.text);
	snprintf(path, sizeof(path), "%s/index.html", dir);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	page[fread(page, 1, sizeof(page) - 1, file)] = '\0';
	fclose(file);
	const char *order[] = {"wrong one", "open one", "long one", "short one"}, *at = page;
	for (size_t i = 0; i < 4; i++)
		ck_assert_msg((at = strstr(at, order[i])) != NULL, "%s is not where it should be", order[i]);
	static const char *const needed[] = {"cairn eval eqa --seeds 2", "&lt;home&gt;", "oracle", "guess",
	    "2.00", "A &amp; B", "scripted pilot", "prepare"};
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		ck_assert_msg(strstr(page, needed[i]) != NULL, "%s is not there", needed[i]);
	ck_assert_ptr_null(strstr(page, "<script"));
	ck_assert(!eqa_write_page(figures, NULL, true, "/proc/nowhere", &err));
	json_decref(figures);
	snprintf(path, sizeof(path), "rm -r '%s'", dir);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

CAIRN_TEST_MAIN("eqa rows", chance_habit_and_knowledge_are_computed_from_the_question,
    ways_count_for_right_answers_and_success_is_weighted_by_them,
    rows_are_found_by_name_and_only_those_that_can_be_run, the_page_has_the_rows_and_the_worst_episodes_first)
