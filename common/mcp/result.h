/* result.h - what tools/call and resources/read are answered with, as JSON. NULL where there is no memory; every function takes NULL. */
#ifndef CAIRN_COMMON_MCP_RESULT_H
#define CAIRN_COMMON_MCP_RESULT_H

#include "common/mcp/tools.h"

/* A text as JSON. Bytes that are no UTF-8 become U+FFFD, and so does NUL, which many readers refuse (jansson, C strings). */
json_t *cairn_mcp_text(const char *text, size_t bytes);

/* A tool's result with one text. failed: the tool could not do it, and the text tells the model why. */
json_t *cairn_mcp_result(const char *text, size_t bytes, bool failed);
/* One more content of it: a picture. Returns result. */
json_t *cairn_mcp_result_picture(json_t *result, const void *data, size_t bytes, const char *type);

/* The result of resources/read. */
json_t *cairn_mcp_contents_text(enum cairn_mcp_resource resource, const char *text, size_t bytes);
json_t *cairn_mcp_contents_blob(enum cairn_mcp_resource resource, const void *data, size_t bytes);

#endif
