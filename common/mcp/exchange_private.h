/* exchange_private.h - what exchange.c (frame, versions, headers) and methods.c (what is asked) share. */
#ifndef CAIRN_COMMON_MCP_EXCHANGE_PRIVATE_H
#define CAIRN_COMMON_MCP_EXCHANGE_PRIVATE_H

#include "common/mcp/exchange.h"

#define MCP_META "io.modelcontextprotocol/"

/* Newest first. modern: a request tells its version itself; batch: messages may come as a list. */
struct mcp_version {
	const char *name;
	bool modern, batch;
};
#define MCP_VERSIONS 5
extern const struct mcp_version mcp_versions[MCP_VERSIONS];
#define MCP_NEWEST (&mcp_versions[0])
#define MCP_NEWEST_LEGACY (&mcp_versions[1])
#define MCP_HTTP_WITHOUT_HEADER (&mcp_versions[3]) /* as 2025-06-18 asks for */

struct mcp_item {
	json_t *message; /* borrowed of root */
	json_t *id;      /* borrowed; NULL: a notification, or not understood */
	const struct mcp_version *version;
	bool agrees;    /* an initialize that was answered with this version */
	bool malformed; /* HTTP: not even a request of its version */
	enum cairn_mcp_need need;
	struct cairn_mcp_call call;
	enum cairn_mcp_resource resource;
	json_t *reply;
};

struct cairn_mcp {
	struct cairn_mcp_link link;
	json_t *root;
	bool batch;
	int count;
	json_t *cancelled;
	struct mcp_item items[CAIRN_MCP_BATCH_MAX];
};

struct mcp_method {
	const char *name;
	bool legacy, modern;
	const char *named; /* the field of params that the header Mcp-Name repeats; NULL: none */
	void (*handle)(struct mcp_item *it, const json_t *params);
};

/* NULL: not offered by any version. */
const struct mcp_method *mcp_method_find(const char *name);
const struct mcp_version *mcp_version_find(const char *name);
/* The answer to an item. data may be NULL and is taken over, as is result; result NULL: no memory. */
void mcp_put_error(struct mcp_item *it, int code, const char *text, json_t *data);
void mcp_put_result(struct mcp_item *it, json_t *result);
/* The same, with how long it is good and for whom where the version wants that. */
void mcp_put_cacheable(struct mcp_item *it, json_t *result, int ttl_ms, const char *scope);
void mcp_put_unsupported(struct mcp_item *it, const char *requested);

#endif
