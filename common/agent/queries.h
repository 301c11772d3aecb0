/* queries.h - the kinds of queries of queries.def as a table, and the static text that stands in front of all of them. */
#ifndef CAIRN_COMMON_AGENT_QUERIES_H
#define CAIRN_COMMON_AGENT_QUERIES_H

#include "common/agent/agent_tools.h"

enum cairn_agent_query {
#define QUERY(ID, ...) CAIRN_AGENT_QUERY_##ID,
#include "common/agent/queries.def"
	CAIRN_AGENT_QUERY_COUNT
};

struct cairn_agent_query_row {
	const char *name;
	uint64_t only;      /* rows of cairn_agent_tools that may answer it */
	bool history;       /* the calls of the step go with it */
	bool pictures, map; /* kept ones; that of the map */
	int tokens;         /* of the answer at most */
	const char *instruction;
};

extern const struct cairn_agent_query_row cairn_agent_queries[CAIRN_AGENT_QUERY_COUNT];

/* The same for every query of every task, so that services cache it: with the tools it is the whole static prefix. */
extern const char cairn_agent_system[];

#endif
