/* instruction_report.c - the page of `cairn eval instructions`, made of its figures. */
#include <stdio.h>
#include <string.h>

#include "procs/lab/agent_rows.h"
#include "procs/lab/instruction_rows.h"

#define COLUMNS 10

static void rows_table(struct cairn_report *page, const json_t *rows)
{
	static const struct cairn_report_column columns[COLUMNS] = {{"row", false}, {"what it is", false},
	    {"told", true}, {"followed (%)", true}, {"parts (%)", true}, {"path (m)", true},
	    {"times the shortest", true}, {"SPL", true}, {"tokens", true}, {"contacts", true}};
	static char cells[INSTRUCTION_ROWS][COLUMNS][AGENT_CELL_CAP];
	const char *at[INSTRUCTION_ROWS * COLUMNS];
	size_t n = json_array_size(rows) < INSTRUCTION_ROWS ? json_array_size(rows) : INSTRUCTION_ROWS;
	for (size_t i = 0; i < n; i++) {
		const json_t *row = json_array_get(rows, i);
		snprintf(cells[i][0], AGENT_CELL_CAP, "%s", agent_text(row, "row"));
		snprintf(cells[i][1], AGENT_CELL_CAP, "%s", agent_text(row, "about"));
		snprintf(cells[i][2], AGENT_CELL_CAP, "%.0f", agent_number(row, "told"));
		agent_interval_cell(cells[i][3], row, "followed_percent", 0);
		snprintf(cells[i][4], AGENT_CELL_CAP, "%.0f", agent_number(row, "parts_percent"));
		agent_interval_cell(cells[i][5], row, "path_m", 1);
		agent_times_cell(cells[i][6], row);
		agent_interval_cell(cells[i][7], row, "spl", 2);
		agent_interval_cell(cells[i][8], row, "tokens_in", 0);
		snprintf(cells[i][9], AGENT_CELL_CAP, "%.0f", agent_number(row, "contacts"));
		for (int k = 0; k < COLUMNS; k++)
			at[i * COLUMNS + (size_t)k] = cells[i][k];
	}
	cairn_report_table(
	    page, &(struct cairn_report_table){
		      .caption =
			  "Means with 95 % bootstrap intervals over houses. Followed: all parts that fit the "
			  "world, in their order, and at the right end. Times the shortest: way driven over "
			  "the shortest one that follows the instruction, of those followed.",
		      .columns = columns,
		      .column_count = COLUMNS,
		      .row_count = (uint32_t)n,
		      .cells = at});
}

static void queries_table(struct cairn_report *page, const json_t *rows)
{
	static const struct cairn_report_column columns[] = {
	    {"row", false}, {"query", false}, {"calls", true}, {"tokens", true}, {"USD", true}};
	static char cells[INSTRUCTION_ROWS * CAIRN_AGENT_QUERY_COUNT][3][32];
	const char *at[INSTRUCTION_ROWS * CAIRN_AGENT_QUERY_COUNT * 5];
	uint32_t n = 0;
	for (size_t i = 0; i < json_array_size(rows) && i < INSTRUCTION_ROWS; i++)
		for (int q = 0; q < CAIRN_AGENT_QUERY_COUNT; q++) {
			const json_t *row = json_array_get(rows, i),
				     *cost = json_object_get(
					 json_object_get(row, "by_query"), cairn_agent_queries[q].name);
			if (agent_number(cost, "calls") <= 0.0)
				continue;
			snprintf(cells[n][0], sizeof(cells[n][0]), "%.1f", agent_number(cost, "calls"));
			snprintf(cells[n][1], sizeof(cells[n][1]), "%.0f", agent_number(cost, "tokens_in"));
			snprintf(cells[n][2], sizeof(cells[n][2]), "%.5f", agent_number(cost, "usd"));
			at[n * 5] = agent_text(row, "row");
			at[n * 5 + 1] = cairn_agent_queries[q].name;
			for (uint32_t k = 0; k < 3; k++)
				at[n * 5 + 2 + k] = cells[n][k];
			n++;
		}
	cairn_report_table(
	    page, &(struct cairn_report_table){.caption = "Cost of an instruction by kind of query, mean.",
		      .columns = columns,
		      .column_count = 5,
		      .row_count = n,
		      .cells = at});
}

static void episode(struct cairn_report *page, const json_t *e)
{
	char name[AGENT_CELL_CAP + 80], verdict[AGENT_CELL_CAP], path[64], spent[96];
	bool followed = json_is_true(json_object_get(e, "followed")),
	     end = json_is_true(json_object_get(e, "at_end")),
	     said = strcmp(agent_text(e, "state"), "done") == 0;
	double contacts = agent_number(e, "contacts"),
	       over_m = agent_number(e, "path_m") - agent_number(e, "shortest_m");
	snprintf(name, sizeof(name), "%s, %s: %s", agent_text(e, "row"), agent_text(e, "house"),
	    agent_text(e, "instruction"));
	snprintf(verdict, sizeof(verdict), "%s (%.0f of %.0f parts): %.200s",
	    followed ? "followed"
	    : end    ? "right end by another way"
		     : "not followed",
	    agent_number(e, "parts"), agent_number(e, "parts_that_fit"), agent_text(e, "answer"));
	snprintf(path, sizeof(path), "%.1f m (shortest %.1f m)", agent_number(e, "path_m"),
	    agent_number(e, "shortest_m"));
	snprintf(spent, sizeof(spent), "%.0f queries, %.0f tokens, %.4f USD, %.0f revisions",
	    agent_number(e, "queries"), agent_number(e, "tokens_in"), agent_number(e, "usd"),
	    agent_number(e, "revisions"));
	const struct cairn_report_fact facts[] = {{"parts", agent_text(e, "plan")},
	    {"evidence", agent_text(e, "evidence")}, {"way", path}, {"cost", spent},
	    {"ended by", agent_text(e, "limit")}};
	double badness = contacts > 0.0 ? 4e4 : said && !end ? 3e4 : !end ? 2e4 : followed ? 0.0 : 1e4;
	cairn_report_run(page, &(struct cairn_report_run){.name = name,
				   .badness = badness + over_m,
				   .mark = contacts > 0.0 || (said && !end) ? CAIRN_REPORT_BAD
					   : followed                       ? CAIRN_REPORT_GOOD
									    : CAIRN_REPORT_WEAK,
				   .verdict = verdict,
				   .facts = facts,
				   .fact_count = sizeof(facts) / sizeof(facts[0])});
}

bool instruction_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err)
{
	const json_t *rows = json_object_get(figures, "rows");
	struct cairn_report *page = agent_page_new("Routes told in words",
	    "Routes made from the world's file, told to the agent in simulated time. The figures are about "
	    "this simulator.",
	    figures, command, passed, err);
	if (page == NULL)
		return false;
	rows_table(page, rows);
	queries_table(page, rows);
	return agent_page_end(page,
	    "The worst first: contacts, done where it was not, wrong ends, right ends by another way, then "
	    "by the way "
	    "too much.",
	    figures, episode, dir, err);
}
