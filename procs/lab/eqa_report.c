/* eqa_report.c - the page of `cairn eval eqa`, made of its figures. */
#include <stdio.h>
#include <string.h>

#include "procs/lab/agent_rows.h"
#include "procs/lab/eqa_rows.h"

#define QUERIES_MAX 32

static void fill_row(char cells[9][AGENT_CELL_CAP], const json_t *row)
{
	double shortest_m = agent_number(row, "shortest_m");
	snprintf(cells[0], AGENT_CELL_CAP, "%s", agent_text(row, "row"));
	snprintf(cells[1], AGENT_CELL_CAP, "%s", agent_text(row, "about"));
	snprintf(cells[2], AGENT_CELL_CAP, "%d", (int)json_integer_value(json_object_get(row, "asked")));
	agent_interval_cell(cells[3], row, "right_percent", 0);
	agent_interval_cell(cells[4], row, "path_m", 1);
	agent_times_cell(cells[5], row);
	agent_interval_cell(cells[6], row, "spl", 2);
	agent_interval_cell(cells[7], row, "tokens_in", 0);
	snprintf(cells[8], AGENT_CELL_CAP, "%d", (int)json_integer_value(json_object_get(row, "contacts")));
	for (int k = 4; k < 7 && shortest_m <= 0.0 && json_is_true(json_object_get(row, "computed")); k++)
		snprintf(cells[k], AGENT_CELL_CAP, "-");
}

static void rows_table(struct cairn_report *page, const json_t *rows)
{
	static const struct cairn_report_column columns[] = {{"row", false}, {"what it is", false},
	    {"asked", true}, {"right (%)", true}, {"path (m)", true}, {"times the shortest", true},
	    {"SPL", true}, {"tokens", true}, {"contacts", true}};
	static char cells[EQA_ROWS][9][AGENT_CELL_CAP];
	const char *at[EQA_ROWS * 9];
	size_t i, n = json_array_size(rows) < EQA_ROWS ? json_array_size(rows) : EQA_ROWS;
	for (i = 0; i < n; i++) {
		fill_row(cells[i], json_array_get(rows, i));
		for (int k = 0; k < 9; k++)
			at[i * 9 + k] = cells[i][k];
	}
	cairn_report_table(
	    page, &(struct cairn_report_table){
		      .caption = "Means with 95 % bootstrap intervals over homes and seeds. Times the "
				 "shortest: way driven over the shortest one that shows the thing, of "
				 "right answers about one thing. SPL: success weighted by path.",
		      .columns = columns,
		      .column_count = 9,
		      .row_count = (uint32_t)n,
		      .cells = at});
}

/* Tokens by kind of query: a line each, a column for each row that was run. */
static void queries_table(struct cairn_report *page, const json_t *rows)
{
	struct cairn_report_column columns[EQA_ROWS + 1] = {{"query", false}};
	static char cells[QUERIES_MAX][EQA_ROWS + 1][AGENT_CELL_CAP];
	static const char *at[QUERIES_MAX * (EQA_ROWS + 1)];
	const json_t *run[EQA_ROWS];
	uint32_t n = 0;
	for (size_t i = 0; i < json_array_size(rows) && n < EQA_ROWS; i++) {
		const json_t *row = json_array_get(rows, i);
		if (json_is_true(json_object_get(row, "computed")))
			continue;
		run[n++] = row;
		columns[n] = (struct cairn_report_column){agent_text(row, "row"), true};
	}
	for (int q = 0; q < CAIRN_AGENT_QUERY_COUNT && q < QUERIES_MAX; q++)
		for (uint32_t c = 0; c <= n; c++) {
			if (c == 0)
				snprintf(cells[q][c], AGENT_CELL_CAP, "%s", cairn_agent_queries[q].name);
			else
				snprintf(cells[q][c], AGENT_CELL_CAP, "%.0f",
				    agent_number(json_object_get(run[c - 1], "tokens_by_query"),
					cairn_agent_queries[q].name));
			at[(uint32_t)q * (n + 1) + c] = cells[q][c];
		}
	cairn_report_table(page,
	    &(struct cairn_report_table){.caption = "Input tokens of a question by kind of query, mean.",
		.columns = columns,
		.column_count = n + 1,
		.row_count = CAIRN_AGENT_QUERY_COUNT,
		.cells = at});
}

static void episode(struct cairn_report *page, const json_t *e)
{
	char name[AGENT_CELL_CAP], verdict[AGENT_CELL_CAP], path[64], spent[64];
	const char *judged = agent_text(e, "judged"), *row = agent_text(e, "row");
	double path_m = agent_number(e, "path_m"), shortest_m = agent_number(e, "shortest_m");
	bool right = strcmp(judged, "right") == 0, wrong = strcmp(judged, "wrong") == 0,
	     touched = json_integer_value(json_object_get(e, "contacts")) > 0;
	double over_m = shortest_m >= 0.0 ? path_m - shortest_m : 0.0;
	snprintf(name, sizeof(name), "%s, %s %d: %s", row, agent_text(e, "home"),
	    (int)json_integer_value(json_object_get(e, "seed")), agent_text(e, "question"));
	snprintf(verdict, sizeof(verdict), "%s: %s", judged, agent_text(e, "answer"));
	if (shortest_m >= 0.0)
		snprintf(path, sizeof(path), "%.1f m (shortest %.1f m)", path_m, shortest_m);
	else
		snprintf(path, sizeof(path), "%.1f m", path_m);
	snprintf(spent, sizeof(spent), "%d queries, %d tokens",
	    (int)json_integer_value(json_object_get(e, "queries")),
	    (int)json_integer_value(json_object_get(e, "tokens_in")));
	const struct cairn_report_fact facts[] = {{"evidence", agent_text(e, "evidence")}, {"way", path},
	    {"cost", spent}, {"ended by", agent_text(e, "limit")}};
	cairn_report_run(page, &(struct cairn_report_run){.name = name,
				   .badness = (touched    ? 3e4
						  : wrong ? 2e4
						  : right ? 0.0
							  : 1e4) +
					      over_m,
				   .mark = touched || wrong ? CAIRN_REPORT_BAD
					   : right          ? CAIRN_REPORT_GOOD
							    : CAIRN_REPORT_WEAK,
				   .verdict = verdict,
				   .facts = facts,
				   .fact_count = sizeof(facts) / sizeof(facts[0])});
}

bool eqa_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err)
{
	const json_t *rows = json_object_get(figures, "rows");
	struct cairn_report *page = agent_page_new("Questions about the homes",
	    "Questions made from the world's file, answered by the agent in simulated time. Its figures are "
	    "about this "
	    "simulator, and are not those of any published set.",
	    figures, command, passed, err);
	if (page == NULL)
		return false;
	rows_table(page, rows);
	queries_table(page, rows);
	return agent_page_end(page,
	    "The worst first: contacts, wrong answers, open ones, then by the way too much.", figures,
	    episode, dir, err);
}
