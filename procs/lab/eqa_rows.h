/* eqa_rows.h - what came of questions to the agent, row by row: the agent as it is, the agent without something, and what it is compared with.
 * Of a row: sums, by kind of question, and means of each home and seed, which the intervals are over. */
#ifndef CAIRN_PROCS_LAB_EQA_ROWS_H
#define CAIRN_PROCS_LAB_EQA_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "common/eval/episode.h"
#include "common/eval/interval.h"
#include "common/eval/questions.h"

#define EQA_GROUPS_MAX 256

/* A home with a seed. */
struct eqa_group {
	uint32_t asked, asked_one;
	double right, path_m, tokens_in, spl;
};

struct eqa_sums {
	uint32_t asked, right, wrong, open, limits[CAIRN_AGENT_LIMIT_COUNT], named, unseen, bare, contacts,
	    queries, errors;
	uint32_t asked_one, ways; /* about one thing; right answers to them: path and shortest way of these */
	double path_m, usd, seconds, way_m, shortest_m, spl;
	uint64_t tokens_in, by_query[CAIRN_AGENT_QUERY_COUNT];
};

enum eqa_row_id {
	EQA_GUESS,
	EQA_PRIOR,
	EQA_ORACLE,
	EQA_BLIND, /* from here on run */
	EQA_EXPLORED,
	EQA_GRAPH, /* told from the same episodes as the one before */
	EQA_AGENT,
	EQA_KNOWN,
	EQA_NO_SCENE,
	EQA_NO_MAP,
	EQA_COT,
	EQA_ROWS
};

struct eqa_row {
	bool on;
	struct eqa_sums all, kinds[CAIRN_QUESTION_KINDS];
	struct eqa_group groups[EQA_GROUPS_MAX];
	uint32_t group_count;
};

const char *eqa_row_name(enum eqa_row_id id);
/* EQA_ROWS: there is none of that name that can be asked for. */
enum eqa_row_id eqa_row_find(const char *name, size_t length);

/* One answer. right: by the world; shown: a picture has shown the thing before; shortest_m: negative: it is about no one thing. */
struct eqa_answer {
	const struct cairn_question *question;
	bool done, right, shown, bare, named;
	enum cairn_agent_limit limit;
	double path_m, shortest_m, usd, seconds;
	uint32_t contacts, queries, errors;
	uint64_t tokens_in;
	const uint64_t *by_query; /* NULL: nobody was asked */
};
void eqa_row_group(struct eqa_row *row);
void eqa_row_add(struct eqa_row *row, const struct eqa_answer *answer);
/* What would come of it by chance, by what is usual, and by who knows the house: computed, nothing is driven. */
void eqa_row_add_computed(struct eqa_row *rows, const struct cairn_question *question, double shortest_m);

/* The table of rows, then of kinds of question and of queries for those that were run. */
void eqa_rows_tell(FILE *out, const struct eqa_row *rows);
json_t *eqa_rows_json(const struct eqa_row *rows);

/* A page: the rows, tokens by query, and every episode of `figures`, the worst first. False with the reason. */
bool eqa_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err);

#endif
