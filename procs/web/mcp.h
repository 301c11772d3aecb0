/* mcp.h - for mcp.c and mcp_results.c. Results are NULL where there is no memory. */
#ifndef CAIRN_PROCS_WEB_MCP_H
#define CAIRN_PROCS_WEB_MCP_H

#include "common/mcp/result.h"
#include "procs/web/http.h"

enum { MCP_MISSION, MCP_MOTION, MCP_POSE, MCP_BATTERY, MCP_TIER, MCP_HEALTH, MCP_FRONTIERS, MCP_TOPICS };
extern const char *const mcp_topic_names[MCP_TOPICS];
#define MCP_BIT(topic) (1u << (topic))
#define MCP_STATUS_BITS                                                                                      \
	(MCP_BIT(MCP_MISSION) | MCP_BIT(MCP_MOTION) | MCP_BIT(MCP_POSE) | MCP_BIT(MCP_BATTERY) |             \
	    MCP_BIT(MCP_TIER) | MCP_BIT(MCP_HEALTH))

/* The newest message of a topic; NULL: none is heard. */
const void *mcp_newest(struct web *web, int topic);
/* A set of topics as an object of JSON. */
void mcp_add_topics(struct web *web, struct cairn_text *text, unsigned topics);
/* Of a text, which is freed. */
json_t *mcp_result_of(struct cairn_text *text);
json_t *mcp_failed(const char *why);
json_t *mcp_map_result(struct web *web, const struct web_picture_now *now);
json_t *mcp_look_result(bool live, const struct web_picture_now *now);
/* last below 1: the default. */
json_t *mcp_decisions_result(struct web *web, double last);
json_t *mcp_discoveries_result(struct web *web);

#endif
