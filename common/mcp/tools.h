/* tools.h - the tables of common/mcp/tools.def, and a call checked against them. Pure; trusts nothing. */
#ifndef CAIRN_COMMON_MCP_TOOLS_H
#define CAIRN_COMMON_MCP_TOOLS_H

#include <jansson.h>

#include "ipc/commands.h"

enum cairn_mcp_tool {
#define TOOL(id, name, title, right, effect, doc) CAIRN_MCP_##id,
#include "common/mcp/tools.def"
	CAIRN_MCP_TOOL_COUNT
};

enum cairn_mcp_arg {
#define ARG(tool, id, name, kind, lower, upper, doc) CAIRN_MCP_##id,
#include "common/mcp/tools.def"
	CAIRN_MCP_ARG_COUNT
};

enum cairn_mcp_resource {
#define RESOURCE(id, uri, name, type, doc) CAIRN_MCP_##id,
#include "common/mcp/tools.def"
	CAIRN_MCP_RESOURCE_COUNT
};

enum cairn_mcp_effect { CAIRN_MCP_READS, CAIRN_MCP_DRIVES, CAIRN_MCP_STOPS };

struct cairn_mcp_tool_row {
	const char *name, *title, *doc;
	enum cairn_right right;
	enum cairn_mcp_effect effect;
};

struct cairn_mcp_resource_row {
	const char *uri, *name, *type, *doc;
};

extern const struct cairn_mcp_tool_row cairn_mcp_tools[CAIRN_MCP_TOOL_COUNT];
extern const struct cairn_mcp_resource_row cairn_mcp_resources[CAIRN_MCP_RESOURCE_COUNT];

#define CAIRN_MCP_TEXT_MAX 160

/* A call whose arguments are within their bounds; texts are plain. */
struct cairn_mcp_call {
	enum cairn_mcp_tool tool;
	struct {
		bool given;
		double number; /* finite; a flag: 0 or 1 */
		char text[CAIRN_MCP_TEXT_MAX];
	} args[CAIRN_MCP_ARG_COUNT];
};

/* -1: none of this name. */
int cairn_mcp_tool_find(const char *name);
int cairn_mcp_resource_find(const char *uri);
/* arguments: an object, or NULL for none. False with the reason in err, *ret untouched. */
bool cairn_mcp_call_check(
    enum cairn_mcp_tool tool, const json_t *arguments, struct cairn_mcp_call *ret, struct cairn_error *err);
/* The number of an argument, or dflt where it was not given. */
double cairn_mcp_number(const struct cairn_mcp_call *call, enum cairn_mcp_arg arg, double dflt);
/* The command that the call means, who and key left to the caller; NULL: it is none. */
const struct cairn_command_row *cairn_mcp_order(
    const struct cairn_mcp_call *call, struct cairn_msg_command *ret);

/* The lists of tools/list (JSON Schema 2020-12) and resources/list, in the order of the table. */
json_t *cairn_mcp_tool_list(void);
json_t *cairn_mcp_resource_list(void);

#endif
