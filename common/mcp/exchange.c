#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/mcp/exchange_private.h"

/* ---- which version, and do the headers say the same? ---- */

/* A header value as it was meant: plain, or =?base64?...?=. */
static bool header_is(const char *header, const char *wanted)
{
	static const char prefix[] = "=?base64?", suffix[] = "?=";
	size_t n = strlen(header), head = sizeof(prefix) - 1, tail = sizeof(suffix) - 1;
	if (n < head + tail || strncmp(header, prefix, head) != 0 || strcmp(header + n - tail, suffix) != 0)
		return strcmp(header, wanted) == 0;
	uint8_t plain[1024];
	int got = cairn_base64_decode(header + head, n - head - tail, plain, sizeof(plain));
	return got >= 0 && (size_t)got == strlen(wanted) && memcmp(plain, wanted, (size_t)got) == 0;
}

static bool headers_agree(
    const struct cairn_mcp_link *link, struct mcp_item *it, const char *method, const json_t *params)
{
	const struct mcp_method *row = mcp_method_find(method);
	const char *name =
	    row != NULL && row->named != NULL ? json_string_value(json_object_get(params, row->named)) : NULL;
	const char *why = NULL;
	if (link->method == NULL || !header_is(link->method, method))
		why = "the header Mcp-Method is not the method of the body";
	else if (name != NULL && (link->name == NULL || !header_is(link->name, name)))
		why = "the header Mcp-Name is not the name or uri of the body";
	if (why != NULL)
		mcp_put_error(it, CAIRN_MCP_HEADER_MISMATCH, why, NULL);
	return why == NULL;
}

/* A request that says of itself by which version it goes. False when it is answered. */
static bool judge_modern(const struct cairn_mcp_link *link, struct mcp_item *it, const char *method,
    const json_t *params, const char *claimed)
{
	const json_t *meta = json_object_get(params, "_meta");
	it->version = MCP_NEWEST;
	if (link->http && claimed != NULL && (link->version == NULL || strcmp(link->version, claimed) != 0)) {
		mcp_put_error(it, CAIRN_MCP_HEADER_MISMATCH,
		    "the header MCP-Protocol-Version is not the version in _meta", NULL);
		return false;
	}
	const char *asked = claimed != NULL ? claimed : link->http ? link->version : NULL;
	const struct mcp_version *v = mcp_version_find(asked);
	if (asked != NULL && (v == NULL || !v->modern)) {
		mcp_put_unsupported(it, asked);
		return false;
	}
	if (link->http && !headers_agree(link, it, method, params))
		return false;
	if (claimed == NULL || !json_is_object(json_object_get(meta, MCP_META "clientCapabilities"))) {
		it->malformed = true;
		mcp_put_error(it, CAIRN_MCP_INVALID_PARAMS,
		    "params._meta needs " MCP_META "protocolVersion and " MCP_META "clientCapabilities",
		    NULL);
		return false;
	}
	return true;
}

static bool judge_version(
    const struct cairn_mcp_link *link, struct mcp_item *it, const char *method, const json_t *params)
{
	const json_t *meta = json_object_get(params, "_meta");
	const char *claimed = json_string_value(json_object_get(meta, MCP_META "protocolVersion"));
	const struct mcp_version *told = mcp_version_find(link->version);
	bool unknown = link->version != NULL && told == NULL, first = strcmp(method, "initialize") == 0;
	bool modern = claimed != NULL || strcmp(method, "server/discover") == 0 ||
		      (link->http && !first && (unknown || (told != NULL && told->modern)));
	if (modern)
		return judge_modern(link, it, method, params, claimed);
	it->version = told != NULL && !told->modern ? told
		      : link->http                  ? MCP_HTTP_WITHOUT_HEADER
						    : MCP_NEWEST_LEGACY;
	return true;
}

/* ---- one message ---- */

static void on_notification(struct cairn_mcp *x, const char *method, const json_t *params)
{
	const json_t *id = json_object_get(params, "requestId");
	if (strcmp(method, "notifications/cancelled") == 0 && (json_is_string(id) || json_is_integer(id)))
		json_array_append(x->cancelled, (json_t *)(uintptr_t)id);
}

static void on_request(struct cairn_mcp *x, struct mcp_item *it, const char *method, const json_t *params)
{
	const struct mcp_method *row = mcp_method_find(method);
	if (!judge_version(&x->link, it, method, params))
		return;
	if (row == NULL || !(it->version->modern ? row->modern : row->legacy))
		mcp_put_error(it, CAIRN_MCP_METHOD_NOT_FOUND, "this method is not offered", NULL);
	else if (x->batch && strcmp(method, "initialize") == 0)
		mcp_put_error(it, CAIRN_MCP_INVALID_REQUEST, "initialize stands alone", NULL);
	else
		row->handle(it, params);
}

static void take_message(struct cairn_mcp *x, json_t *message)
{
	struct mcp_item *it = &x->items[x->count++];
	json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
	const char *method = json_string_value(json_object_get(message, "method"));
	const char *jsonrpc = json_string_value(json_object_get(message, "jsonrpc"));
	*it = (struct mcp_item){.message = message, .version = MCP_NEWEST_LEGACY};
	bool named = json_is_string(id) || json_is_integer(id);
	it->id = named ? id : NULL;
	if (!json_is_object(message) || jsonrpc == NULL || strcmp(jsonrpc, "2.0") != 0)
		mcp_put_error(it, CAIRN_MCP_INVALID_REQUEST, "not a message of JSON-RPC 2.0", NULL);
	else if (method == NULL && (json_object_get(message, "result") || json_object_get(message, "error")))
		it->id = NULL; /* a response: nothing was asked here */
	else if (method == NULL || (id != NULL && !named))
		mcp_put_error(it, CAIRN_MCP_INVALID_REQUEST,
		    "a request has a method and an id (text or integer)", NULL);
	else if (params != NULL && !json_is_object(params))
		mcp_put_error(it, CAIRN_MCP_INVALID_PARAMS, "params must be an object", NULL);
	else if (id == NULL)
		on_notification(x, method, params);
	else
		on_request(x, it, method, params);
}

static void refuse_whole(struct cairn_mcp *x, int code, const char *text)
{
	x->batch = false;
	x->count = 1;
	x->items[0] = (struct mcp_item){.version = MCP_NEWEST_LEGACY};
	mcp_put_error(&x->items[0], code, text, NULL);
}

static bool takes_batches(const struct cairn_mcp_link *link)
{
	const struct mcp_version *told = mcp_version_find(link->version);
	return told != NULL ? told->batch : link->http && link->version == NULL;
}

static void take_batch(struct cairn_mcp *x)
{
	size_t i;
	json_t *message;
	x->batch = true;
	if (!takes_batches(&x->link)) {
		refuse_whole(x, CAIRN_MCP_INVALID_REQUEST, "lists are part of version 2025-03-26 only");
		return;
	}
	if (json_array_size(x->root) < 1 || json_array_size(x->root) > CAIRN_MCP_BATCH_MAX) {
		refuse_whole(x, CAIRN_MCP_INVALID_REQUEST, "a list has 1 to 16 messages");
		return;
	}
	json_array_foreach(x->root, i, message)
	{
		take_message(x, message);
	}
}

/* ---- the exchange ---- */

struct cairn_mcp *cairn_mcp_open(const char *text, size_t bytes, const struct cairn_mcp_link *link)
{
	struct cairn_mcp *x = calloc(1, sizeof(*x));
	json_error_t why;
	if (x == NULL || (x->cancelled = json_array()) == NULL) {
		free(x);
		return NULL;
	}
	x->link = *link;
	x->root =
	    bytes <= CAIRN_MCP_MESSAGE_MAX ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why) : NULL;
	if (bytes > CAIRN_MCP_MESSAGE_MAX)
		refuse_whole(x, CAIRN_MCP_INVALID_REQUEST, "the message is too long");
	else if (x->root == NULL)
		refuse_whole(x, CAIRN_MCP_PARSE_ERROR, why.text);
	else if (json_is_array(x->root))
		take_batch(x);
	else
		take_message(x, x->root);
	x->link = (struct cairn_mcp_link){.http = link->http}; /* the texts were borrowed */
	return x;
}

void cairn_mcp_close(struct cairn_mcp **exchange_p)
{
	struct cairn_mcp *x = *exchange_p;
	if (x == NULL)
		return;
	for (int i = 0; i < x->count; i++)
		json_decref(x->items[i].reply);
	json_decref(x->root);
	json_decref(x->cancelled);
	free(x);
	*exchange_p = NULL;
}

int cairn_mcp_count(const struct cairn_mcp *x)
{
	return x->count;
}

enum cairn_mcp_need cairn_mcp_need(const struct cairn_mcp *x, int item)
{
	return x->items[item].need;
}

const struct cairn_mcp_call *cairn_mcp_call_of(const struct cairn_mcp *x, int item)
{
	return &x->items[item].call;
}

enum cairn_mcp_resource cairn_mcp_resource_of(const struct cairn_mcp *x, int item)
{
	return x->items[item].resource;
}

const json_t *cairn_mcp_id(const struct cairn_mcp *x, int item)
{
	return x->items[item].id;
}

void cairn_mcp_finish(struct cairn_mcp *x, int item, json_t *result)
{
	struct mcp_item *it = &x->items[item];
	if (it->need == CAIRN_MCP_NEED_RESOURCE && result != NULL)
		mcp_put_cacheable(it, result, 0, "private");
	else
		mcp_put_result(it, result);
}

void cairn_mcp_fail(struct cairn_mcp *x, int item, enum cairn_mcp_code code, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	mcp_put_error(&x->items[item], code, text, NULL);
}

bool cairn_mcp_done(const struct cairn_mcp *x)
{
	for (int i = 0; i < x->count; i++)
		if (x->items[i].need != CAIRN_MCP_NEED_NOTHING)
			return false;
	return true;
}

/* Errors of a request are answers like others, but for what the protocol gives a status of its own. */
static int status_of(const struct mcp_item *it)
{
	const json_t *error = json_object_get(it->reply, "error");
	if (error == NULL)
		return 200;
	switch (json_integer_value(json_object_get(error, "code"))) {
	case CAIRN_MCP_PARSE_ERROR:
	case CAIRN_MCP_INVALID_REQUEST:
	case CAIRN_MCP_HEADER_MISMATCH:
	case CAIRN_MCP_UNSUPPORTED_VERSION:
		return 400;
	case CAIRN_MCP_METHOD_NOT_FOUND:
		return it->version->modern ? 404 : 200;
	case CAIRN_MCP_TOO_MANY:
		return 429;
	default:
		return it->malformed ? 400 : 200;
	}
}

char *cairn_mcp_answer(struct cairn_mcp *x, size_t *ret_bytes, int *ret_status)
{
	json_t *all = json_array();
	for (int i = 0; i < x->count; i++)
		if (x->items[i].reply != NULL)
			json_array_append(all, x->items[i].reply);
	json_t *one = json_array_get(all, 0);
	char *text = NULL;
	*ret_status = one == NULL ? 202 : x->batch ? 200 : status_of(&x->items[0]);
	if (one != NULL) {
		text = json_dumps(x->batch ? all : one, JSON_COMPACT);
		*ret_status = text != NULL ? *ret_status : 500;
	}
	*ret_bytes = text != NULL ? strlen(text) : 0;
	json_decref(all);
	return text;
}

const char *cairn_mcp_agreed(const struct cairn_mcp *x)
{
	for (int i = 0; i < x->count; i++)
		if (x->items[i].agrees)
			return x->items[i].version->name;
	return NULL;
}

const json_t *cairn_mcp_cancelled(const struct cairn_mcp *x, int i)
{
	return json_array_get(x->cancelled, (size_t)i);
}

struct cairn_mcp_link cairn_mcp_headers(const struct cairn_mcp *x, int item)
{
	const struct mcp_item *it = &x->items[item];
	struct cairn_mcp_link link = {.http = true, .version = it->version->name};
	if (!it->version->modern)
		return link;
	link.method = json_string_value(json_object_get(it->message, "method"));
	const struct mcp_method *row = link.method != NULL ? mcp_method_find(link.method) : NULL;
	if (row != NULL && row->named != NULL)
		link.name =
		    json_string_value(json_object_get(json_object_get(it->message, "params"), row->named));
	return link;
}
