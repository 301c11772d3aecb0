/* agent_rows.h - what the rows of the agent's evaluations have in common, in figures and on pages: questions (eqa_rows.h) and routes in
 * words (instruction_rows.h). */
#ifndef CAIRN_PROCS_LAB_AGENT_ROWS_H
#define CAIRN_PROCS_LAB_AGENT_ROWS_H

#include <jansson.h>

#include "common/eval/episode.h"
#include "common/eval/interval.h"
#include "common/eval/report.h"

#define AGENT_CELL_CAP 320

struct agent_row_name {
	const char *name, *about;
};

/* Of the names from first to count - 1 the one that has this many letters of name; count: none. */
int agent_row_find(const struct agent_row_name *names, int first, int count, const char *name, size_t length);
/* Of n; 0 where there is none. */
double agent_mean(double sum, double n);
/* Success weighted by path length (Anderson et al. 2018): the shortest way over the one driven, 0 without success. A robot's length is
 * added to both: where a thing shows from the start any way would be infinitely longer than the shortest one. */
double agent_spl(bool success, double shortest_m, double path_m);

/* {"mean":, "low":, "high":}, null where there is nothing to take it of; how many episodes each limit has ended. */
json_t *agent_interval_json(struct cairn_interval v);
json_t *agent_limits_json(const uint32_t limits[CAIRN_AGENT_LIMIT_COUNT]);

/* Members of figures: 0 and "" where they are missing. */
double agent_number(const json_t *at, const char *name);
const char *agent_text(const json_t *at, const char *name);
/* Cells of a row's table: an interval (- without one), and way_m over shortest_m. */
void agent_interval_cell(char cell[AGENT_CELL_CAP], const json_t *row, const char *name, int digits);
void agent_times_cell(char cell[AGENT_CELL_CAP], const json_t *row);
/* A page begun with title and summary, the version, and what the figures are about. NULL: no memory, told in err. */
struct cairn_report *agent_page_new(const char *title, const char *summary, const json_t *figures,
    const char *command, bool passed, struct cairn_error *err);
/* Under the heading "Episodes" each of the figures' episodes; then it is written to dir, and gone. False with the reason. */
typedef void agent_episode_fn(struct cairn_report *page, const json_t *episode);
bool agent_page_end(struct cairn_report *page, const char *order, const json_t *figures,
    agent_episode_fn *episode, const char *dir, struct cairn_error *err);

#endif
