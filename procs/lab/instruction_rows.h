/* instruction_rows.h - what came of route instructions, row by row, and the page made of it. */
#ifndef CAIRN_PROCS_LAB_INSTRUCTION_ROWS_H
#define CAIRN_PROCS_LAB_INSTRUCTION_ROWS_H

#include <jansson.h>
#include <stdio.h>

#include "common/eval/episode.h"
#include "common/eval/interval.h"
#include "common/eval/walked.h"

#define INSTRUCTION_HOUSES_MAX 64

enum instruction_row_id {
	INSTRUCTION_ORACLE,
	INSTRUCTION_AGENT, /* from here on run */
	INSTRUCTION_NO_SCENE,
	INSTRUCTION_NO_MAP,
	INSTRUCTION_ROWS
};

/* One episode as it is kept. */
struct instruction_outcome {
	bool run;   /* false: it could not be, and counts for nothing */
	bool unfit; /* a part does not fit the world */
	struct cairn_walked walked;
	enum cairn_agent_state state;
	enum cairn_agent_limit limit;
	double path_m, shortest_m, usd, seconds;
	uint32_t house, contacts, queries, revisions;
	uint64_t tokens_in;
	struct cairn_agent_cost costs[CAIRN_AGENT_QUERY_COUNT];
	char text[240], answer[256], evidence[160], parts[1024];
};

struct instruction_row {
	uint32_t asked, followed, ended, said,
	    false_said;                 /* said: that it stands at the end; false: and does not */
	uint32_t straight;              /* followed, and no other door passed */
	uint32_t unfit, unfit_followed; /* with a part that does not fit */
	uint32_t parts, fit, strays, contacts, queries, revisions, limits[CAIRN_AGENT_LIMIT_COUNT];
	double path_m, way_m, shortest_m, usd, seconds; /* way_m, shortest_m: of those that were followed */
	uint64_t tokens_in;
	struct cairn_agent_cost costs[CAIRN_AGENT_QUERY_COUNT];
	struct {
		double asked, followed, path_m, tokens_in, spl;
	} houses[INSTRUCTION_HOUSES_MAX];
};

const char *instruction_row_name(enum instruction_row_id id);
/* INSTRUCTION_ROWS: there is none of that name that can be run. */
enum instruction_row_id instruction_row_find(const char *name, size_t length);
void instruction_row_add(struct instruction_row *row, const struct instruction_outcome *o);
void instruction_rows_tell(FILE *out, const struct instruction_row *rows);
json_t *instruction_rows_json(const struct instruction_row *rows);
/* The same for one episode. */
json_t *instruction_json(enum instruction_row_id row, const char *house, const struct instruction_outcome *o);

/* A page: the rows, tokens by query, and every episode of `figures`, the worst first. False with the reason. */
bool instruction_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err);

#endif
