/* memory.h - what the agent keeps of its task: texts that the model writes, and logs that the agent writes itself. Bounded: in
 * entries here, and in tokens where it is told (the oldest entries of the logs go first). Pure.
 *
 * What the model writes is not taken on trust: a finding that names an id which the scene graph does not have is marked so. */
#ifndef CAIRN_COMMON_AGENT_MEMORY_H
#define CAIRN_COMMON_AGENT_MEMORY_H

#include <jansson.h>

#include "common/agent/world_view.h"

#define CAIRN_AGENT_LOG_MAX 48

/* A ring of lines, oldest first. */
struct cairn_agent_log {
	uint32_t first, count;
	uint64_t total; /* the dropped ones included */
	char items[CAIRN_AGENT_LOG_MAX][CAIRN_AGENT_LINE_CAP];
};

struct cairn_agent_memory {
	struct cairn_agent_ids labels;       /* of the task */
	struct cairn_agent_lines conditions; /* when it counts as accomplished */
	char heuristic[320];
	struct cairn_agent_lines plan;
	char description[480]; /* from here on by UPDATE_MEMORY */
	struct cairn_agent_ids spaces, pictures;
	struct cairn_agent_lines entrances, findings;
	struct cairn_agent_log progress; /* what the steps have found out */
	struct cairn_agent_log actions;  /* what was done, and what came of it */
};

/* One that is equal to the newest adds nothing: what is asked in the same situation stays the same. */
__attribute__((format(printf, 2, 3))) void cairn_agent_log_add(
    struct cairn_agent_log *log, const char *fmt, ...);
const char *cairn_agent_log_at(const struct cairn_agent_log *log, uint32_t i);

/* Takes an UPDATE_MEMORY, marking what disagrees with the graph; how many lines were marked. */
uint32_t cairn_agent_memory_take(
    struct cairn_agent_memory *m, const struct cairn_agent_call *update, const struct cairn_agent_world *w);

/* <plan> and <memory> for a query, of about tokens_max tokens at most. */
void cairn_agent_memory_text(struct cairn_text *out, const struct cairn_agent_memory *m, uint32_t tokens_max);

/* As JSON, for the file; NULL without memory. Reading leaves *m as it was and returns false where it is none. */
json_t *cairn_agent_memory_json(const struct cairn_agent_memory *m);
bool cairn_agent_memory_read(struct cairn_agent_memory *m, const json_t *root);

#endif
