#include "common/mcp/result.h"

#include <string.h>

#include "common/base/text.h"

json_t *cairn_mcp_text(const char *text, size_t bytes)
{
	struct cairn_text t = {0};
	const char *nul = memchr(text, '\0', bytes);
	json_t *json = nul == NULL ? json_stringn(text, bytes) : NULL;
	if (json != NULL)
		return json;
	cairn_text_add(&t, "\"");
	for (; nul != NULL; nul = memchr(text, '\0', bytes)) {
		size_t piece = (size_t)(nul - text);
		cairn_text_json(&t, text, piece);
		cairn_text_add(&t, "\\ufffd");
		text = nul + 1;
		bytes -= piece + 1;
	}
	cairn_text_json(&t, text, bytes);
	cairn_text_add(&t, "\"");
	json = t.failed ? NULL : json_loadb(t.data, t.len, JSON_DECODE_ANY, NULL);
	cairn_text_free(&t);
	return json;
}

static json_t *base64(const void *data, size_t bytes)
{
	struct cairn_text t = {0};
	cairn_text_base64(&t, data, bytes);
	json_t *json = t.failed ? NULL : json_stringn_nocheck(t.data != NULL ? t.data : "", t.len);
	cairn_text_free(&t);
	return json;
}

json_t *cairn_mcp_result(const char *text, size_t bytes, bool failed)
{
	return json_pack("{s:[{s:s,s:o}],s:b}", "content", "type", "text", "text",
	    cairn_mcp_text(text, bytes), "isError", failed);
}

json_t *cairn_mcp_result_picture(json_t *result, const void *data, size_t bytes, const char *type)
{
	json_array_append_new(json_object_get(result, "content"),
	    json_pack("{s:s,s:o,s:s}", "type", "image", "data", base64(data, bytes), "mimeType", type));
	return result;
}

static json_t *contents(enum cairn_mcp_resource resource, const char *field, json_t *value)
{
	const struct cairn_mcp_resource_row *row = &cairn_mcp_resources[resource];
	return json_pack(
	    "{s:[{s:s,s:s,s:o}]}", "contents", "uri", row->uri, "mimeType", row->type, field, value);
}

json_t *cairn_mcp_contents_text(enum cairn_mcp_resource resource, const char *text, size_t bytes)
{
	return contents(resource, "text", cairn_mcp_text(text, bytes));
}

json_t *cairn_mcp_contents_blob(enum cairn_mcp_resource resource, const void *data, size_t bytes)
{
	return contents(resource, "blob", base64(data, bytes));
}
