/* Messages of agents, by every version: each is answered by one line of JSON or not at all, an answer is a result or an error with the
 * id of the request, and what is left to the robot is a call within its bounds. The first byte chooses how it came. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mcp/exchange.h"
#include "common/mcp/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at_call(const struct cairn_mcp_call *call)
{
	struct cairn_msg_command cmd;
	char plain[sizeof(cmd.arg)];
	if (cairn_mcp_order(call, &cmd) == NULL)
		return;
	must(isfinite(cmd.x_m) && fabs(cmd.x_m) <= 1000.0 && isfinite(cmd.y_m) && fabs(cmd.y_m) <= 1000.0);
	must(isfinite(cmd.limit_s) && cmd.limit_s >= 0.0);
	memcpy(plain, cmd.arg, sizeof(plain));
	cairn_text_plain(plain);
	must(strcmp(plain, cmd.arg) == 0);
}

static void look_at_reply(const json_t *reply)
{
	must(json_is_object(reply) && json_object_get(reply, "id") != NULL);
	must((json_object_get(reply, "result") != NULL) != (json_object_get(reply, "error") != NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static const struct cairn_mcp_link links[] = {{false, NULL, NULL, NULL},
	    {false, "2025-03-26", NULL, NULL}, {true, NULL, NULL, NULL}, {true, "2025-03-26", NULL, NULL},
	    {true, "2025-11-25", NULL, NULL}, {true, "2026-07-28", "tools/call", "goto"},
	    {true, "2026-07-28", "resources/read", "=?base64?Y2Fpcm46Ly9tYXAucG5n?="}};
	size_t bytes, i;
	int status = 0;
	if (count == 0)
		return 0;
	struct cairn_mcp *x = cairn_mcp_open(
	    (const char *)data + 1, count - 1, &links[data[0] % (sizeof(links) / sizeof(links[0]))]);
	if (x == NULL)
		return 0;
	for (int k = 0; k < cairn_mcp_count(x); k++) {
		if (cairn_mcp_need(x, k) == CAIRN_MCP_NEED_TOOL) {
			look_at_call(cairn_mcp_call_of(x, k));
			(void)cairn_mcp_headers(x, k);
			cairn_mcp_finish(x, k,
			    cairn_mcp_result_picture(cairn_mcp_result((const char *)data, count, false), data,
				count, "image/png"));
		} else if (cairn_mcp_need(x, k) == CAIRN_MCP_NEED_RESOURCE) {
			must(cairn_mcp_resource_of(x, k) < CAIRN_MCP_RESOURCE_COUNT);
			cairn_mcp_finish(x, k,
			    cairn_mcp_contents_text(cairn_mcp_resource_of(x, k), (const char *)data, count));
		}
	}
	must(cairn_mcp_done(x));
	char *text = cairn_mcp_answer(x, &bytes, &status);
	must((text == NULL) == (status == 202) && status >= 200 && status < 500);
	json_t *json = text != NULL ? json_loadb(text, bytes, 0, NULL) : NULL, *one;
	must(text == NULL || (json != NULL && memchr(text, '\n', bytes) == NULL));
	json_array_foreach(json, i, one)
	{
		look_at_reply(one);
	}
	if (json_is_object(json))
		look_at_reply(json);
	json_decref(json);
	free(text);
	cairn_mcp_close(&x);
	return 0;
}
