/* exchange.h - one message of an agent and the answer to it: JSON-RPC 2.0 and the Model Context Protocol. Pure; trusts nothing.
 *
 * Both eras of the protocol are spoken (modelcontextprotocol.io/specification). From 2026-07-28 on every request tells its version
 * in params._meta, over HTTP in headers, too, and server/discover tells what there is. Before, initialize agreed on one of 2024-11-05
 * to 2025-11-25. Nothing is kept between two messages but, on stdio, the version agreed on: over HTTP there are no sessions.
 *
 * A message is one request, notification or response, or (2025-03-26 only) a list of them. What needs the robot is left to
 * the caller as items: he gives a result or an error for each, and then asks for the text of the answer. */
#ifndef CAIRN_COMMON_MCP_EXCHANGE_H
#define CAIRN_COMMON_MCP_EXCHANGE_H

#include "common/mcp/tools.h"

#define CAIRN_MCP_MESSAGE_MAX (64 * 1024) /* bytes */
#define CAIRN_MCP_BATCH_MAX 16            /* messages in a list */
#define CAIRN_MCP_VERSION_MAX 16

enum cairn_mcp_code {
	CAIRN_MCP_PARSE_ERROR = -32700,
	CAIRN_MCP_INVALID_REQUEST = -32600,
	CAIRN_MCP_METHOD_NOT_FOUND = -32601,
	CAIRN_MCP_INVALID_PARAMS = -32602,
	CAIRN_MCP_INTERNAL_ERROR = -32603,
	CAIRN_MCP_TOO_MANY = -32000,
	CAIRN_MCP_RESOURCE_NOT_FOUND = -32002, /* until 2025-11-25 */
	CAIRN_MCP_HEADER_MISMATCH = -32020,
	CAIRN_MCP_UNSUPPORTED_VERSION = -32022
};

/* How it came. */
struct cairn_mcp_link {
	bool http;
	const char
	    *version; /* HTTP: header MCP-Protocol-Version; stdio: what initialize agreed on; NULL: none */
	const char *method, *name; /* HTTP: headers Mcp-Method and Mcp-Name; NULL: none */
};

struct cairn_mcp; /* an exchange */

enum cairn_mcp_need { CAIRN_MCP_NEED_NOTHING, CAIRN_MCP_NEED_TOOL, CAIRN_MCP_NEED_RESOURCE };

/* NULL only when there is no memory. What cannot be understood is answered with an error. */
struct cairn_mcp *cairn_mcp_open(const char *text, size_t bytes, const struct cairn_mcp_link *link);
void cairn_mcp_close(struct cairn_mcp **exchange_p);

int cairn_mcp_count(const struct cairn_mcp *exchange);
enum cairn_mcp_need cairn_mcp_need(const struct cairn_mcp *exchange, int item);
const struct cairn_mcp_call *cairn_mcp_call_of(const struct cairn_mcp *exchange, int item);
enum cairn_mcp_resource cairn_mcp_resource_of(const struct cairn_mcp *exchange, int item);
/* The id of a request, borrowed; NULL: it has none. */
const json_t *cairn_mcp_id(const struct cairn_mcp *exchange, int item);
/* What an item needed is there (result is taken over; NULL counts as no memory), or cannot be had. */
void cairn_mcp_finish(struct cairn_mcp *exchange, int item, json_t *result);
__attribute__((format(printf, 4, 5))) void cairn_mcp_fail(
    struct cairn_mcp *exchange, int item, enum cairn_mcp_code code, const char *fmt, ...);

/* No item needs anything any more. */
bool cairn_mcp_done(const struct cairn_mcp *exchange);
/* The answer, to be freed by the caller; NULL when there is none to give (and *ret_status is 202), or no memory (500).
 * *ret_status: of HTTP. */
char *cairn_mcp_answer(struct cairn_mcp *exchange, size_t *ret_bytes, int *ret_status);

/* The version that initialize has agreed on; NULL: no initialize. */
const char *cairn_mcp_agreed(const struct cairn_mcp *exchange);
/* The i-th request that is cancelled, by its id, borrowed; NULL: no more. */
const json_t *cairn_mcp_cancelled(const struct cairn_mcp *exchange, int i);
/* Headers for passing an item's message on over HTTP: version, and where the version wants them method and name (else
 * NULL). Borrowed. */
struct cairn_mcp_link cairn_mcp_headers(const struct cairn_mcp *exchange, int item);

#endif
