#include "common/mcp/tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

enum arg_kind { NUMBER, TEXT, FLAG };

static const struct {
	enum cairn_mcp_tool tool;
	const char *name;
	enum arg_kind kind;
	double lower, upper;
	const char *doc;
} args[CAIRN_MCP_ARG_COUNT] = {
#define ARG(tool, id, name, kind, lower, upper, doc)                                                         \
	[CAIRN_MCP_##id] = {CAIRN_MCP_##tool, name, kind, lower, upper, doc},
#include "common/mcp/tools.def"
};

const struct cairn_mcp_tool_row cairn_mcp_tools[CAIRN_MCP_TOOL_COUNT] = {
#define TOOL(id, name, title, right, effect, doc)                                                            \
	[CAIRN_MCP_##id] = {name, title, doc, CAIRN_RIGHT_##right, CAIRN_MCP_##effect},
#include "common/mcp/tools.def"
};

const struct cairn_mcp_resource_row cairn_mcp_resources[CAIRN_MCP_RESOURCE_COUNT] = {
#define RESOURCE(id, uri, name, type, doc) [CAIRN_MCP_##id] = {uri, name, type, doc},
#include "common/mcp/tools.def"
};

int cairn_mcp_tool_find(const char *name)
{
	for (int i = 0; i < CAIRN_MCP_TOOL_COUNT; i++)
		if (strcmp(cairn_mcp_tools[i].name, name) == 0)
			return i;
	return -1;
}

int cairn_mcp_resource_find(const char *uri)
{
	for (int i = 0; i < CAIRN_MCP_RESOURCE_COUNT; i++)
		if (strcmp(cairn_mcp_resources[i].uri, uri) == 0)
			return i;
	return -1;
}

/* ---- one call ---- */

static int arg_find(enum cairn_mcp_tool tool, const char *name)
{
	for (int i = 0; i < CAIRN_MCP_ARG_COUNT; i++)
		if (args[i].tool == tool && strcmp(args[i].name, name) == 0)
			return i;
	return -1;
}

static bool take_number(int arg, const json_t *value, double *ret, struct cairn_error *err)
{
	double number = json_number_value(value);
	if (!json_is_number(value) || !isfinite(number) || number < args[arg].lower ||
	    number > args[arg].upper) {
		cairn_error_set(err, "%s must be a number from %g to %g: %s", args[arg].name, args[arg].lower,
		    args[arg].upper, args[arg].doc);
		return false;
	}
	*ret = number;
	return true;
}

static bool take_text(int arg, const json_t *value, char *buf, struct cairn_error *err)
{
	size_t n = json_string_length(value);
	if (!json_is_string(value) || (double)n < args[arg].lower || (double)n > args[arg].upper) {
		cairn_error_set(err, "%s must be a text of %g to %g bytes: %s", args[arg].name,
		    args[arg].lower, args[arg].upper, args[arg].doc);
		return false;
	}
	memcpy(buf, json_string_value(value), n);
	buf[n] = '\0';
	cairn_text_plain(buf);
	if (strlen(buf) == n && buf[strspn(buf, " ")] != '\0')
		return true;
	cairn_error_set(err, "%s must be words: %s", args[arg].name, args[arg].doc);
	return false;
}

static bool take_flag(int arg, const json_t *value, double *ret, struct cairn_error *err)
{
	if (!json_is_boolean(value)) {
		cairn_error_set(err, "%s must be true or false: %s", args[arg].name, args[arg].doc);
		return false;
	}
	*ret = json_is_true(value);
	return true;
}

static bool take(int arg, const json_t *value, struct cairn_mcp_call *call, struct cairn_error *err)
{
	call->args[arg].given = true;
	switch (args[arg].kind) {
	case NUMBER:
		return take_number(arg, value, &call->args[arg].number, err);
	case TEXT:
		return take_text(arg, value, call->args[arg].text, err);
	case FLAG:
		break;
	}
	return take_flag(arg, value, &call->args[arg].number, err);
}

/* Rules between the arguments of one tool. */
static bool fit_together(const struct cairn_mcp_call *call, struct cairn_error *err)
{
	bool x = call->args[CAIRN_MCP_GOTO_X_M].given, y = call->args[CAIRN_MCP_GOTO_Y_M].given;
	bool place = call->args[CAIRN_MCP_GOTO_PLACE].given;
	if (call->tool != CAIRN_MCP_GOTO || (x == y && x != place))
		return true;
	cairn_error_set(err, "goto takes either x_m and y_m, or place");
	return false;
}

bool cairn_mcp_call_check(
    enum cairn_mcp_tool tool, const json_t *arguments, struct cairn_mcp_call *ret, struct cairn_error *err)
{
	struct cairn_mcp_call call = {.tool = tool};
	const char *name;
	json_t *value;
	_Static_assert(CAIRN_MCP_TEXT_MAX <= sizeof(((struct cairn_msg_command *)0)->arg),
	    "a text of a call must fit into a command");
	if (arguments != NULL && !json_is_object(arguments)) {
		cairn_error_set(err, "arguments must be an object");
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)arguments, name, value)
	{
		int arg = arg_find(tool, name);
		if (arg < 0) {
			char shown[41];
			snprintf(shown, sizeof(shown), "%.40s", name);
			cairn_text_plain(shown);
			cairn_error_set(err, "%s has no argument '%s'; see tools/list",
			    cairn_mcp_tools[tool].name, shown);
			return false;
		}
		if (!take(arg, value, &call, err))
			return false;
	}
	if (!fit_together(&call, err))
		return false;
	*ret = call;
	return true;
}

double cairn_mcp_number(const struct cairn_mcp_call *call, enum cairn_mcp_arg arg, double dflt)
{
	return call->args[arg].given ? call->args[arg].number : dflt;
}

const struct cairn_command_row *cairn_mcp_order(
    const struct cairn_mcp_call *call, struct cairn_msg_command *ret)
{
	enum cairn_command command;
	*ret = (struct cairn_msg_command){.limit_s = 0.0};
	switch (call->tool) {
	case CAIRN_MCP_GOTO:
		command = CAIRN_COMMAND_GOTO;
		ret->x_m = call->args[CAIRN_MCP_GOTO_X_M].number;
		ret->y_m = call->args[CAIRN_MCP_GOTO_Y_M].number;
		snprintf(ret->arg, sizeof(ret->arg), "%s", call->args[CAIRN_MCP_GOTO_PLACE].text);
		break;
	case CAIRN_MCP_EXPLORE:
		command = CAIRN_COMMAND_EXPLORE;
		ret->limit_s = call->args[CAIRN_MCP_EXPLORE_LIMIT_S].number;
		snprintf(ret->arg, sizeof(ret->arg), "%s", call->args[CAIRN_MCP_EXPLORE_GOAL].text);
		break;
	case CAIRN_MCP_STOP:
		command = CAIRN_COMMAND_STOP;
		break;
	case CAIRN_MCP_ESTOP:
		command = CAIRN_COMMAND_MOTOR_STOP;
		snprintf(ret->arg, sizeof(ret->arg), "an agent asked for it");
		break;
	default:
		return NULL;
	}
	snprintf(ret->verb, sizeof(ret->verb), "%s", cairn_commands[command].verb);
	return &cairn_commands[command];
}

/* ---- the lists ---- */

static json_t *arg_schema(int arg)
{
	switch (args[arg].kind) {
	case NUMBER:
		return json_pack("{s:s,s:f,s:f,s:s}", "type", "number", "minimum", args[arg].lower, "maximum",
		    args[arg].upper, "description", args[arg].doc);
	case TEXT:
		return json_pack("{s:s,s:i,s:i,s:s}", "type", "string", "minLength", (int)args[arg].lower,
		    "maxLength", (int)args[arg].upper, "description", args[arg].doc);
	case FLAG:
		break;
	}
	return json_pack("{s:s,s:s}", "type", "boolean", "description", args[arg].doc);
}

static json_t *tool_schema(int tool)
{
	json_t *properties = json_object();
	for (int i = 0; i < CAIRN_MCP_ARG_COUNT; i++)
		if ((int)args[i].tool == tool)
			json_object_set_new(properties, args[i].name, arg_schema(i));
	/* Nothing like oneOf at the top: services of models refuse tools with it. */
	return json_pack(
	    "{s:s,s:o,s:b}", "type", "object", "properties", properties, "additionalProperties", 0);
}

json_t *cairn_mcp_tool_list(void)
{
	json_t *list = json_array();
	for (int i = 0; i < CAIRN_MCP_TOOL_COUNT; i++) {
		const struct cairn_mcp_tool_row *row = &cairn_mcp_tools[i];
		json_t *hints = json_pack("{s:s,s:b,s:b,s:b,s:b}", "title", row->title, "readOnlyHint",
		    row->effect == CAIRN_MCP_READS, "destructiveHint", row->effect == CAIRN_MCP_DRIVES,
		    "idempotentHint", row->effect != CAIRN_MCP_DRIVES, "openWorldHint", 1);
		json_array_append_new(
		    list, json_pack("{s:s,s:s,s:s,s:o,s:o}", "name", row->name, "title", row->title,
			      "description", row->doc, "inputSchema", tool_schema(i), "annotations", hints));
	}
	return list;
}

json_t *cairn_mcp_resource_list(void)
{
	json_t *list = json_array();
	for (int i = 0; i < CAIRN_MCP_RESOURCE_COUNT; i++) {
		const struct cairn_mcp_resource_row *row = &cairn_mcp_resources[i];
		json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s}", "uri", row->uri, "name", row->name,
						"mimeType", row->type, "description", row->doc));
	}
	return list;
}
