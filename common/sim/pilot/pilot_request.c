#include "common/sim/pilot/pilot_request.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/sim/pilot/pilot_api.h"
#include "common/vlm/provider.h"
#include "common/vlm/tokens.h"

struct parse {
	struct cairn_pilot_request *req;
	char *param;
	struct cairn_error *err;
};

__attribute__((format(printf, 3, 4))) static bool refuse(
    struct parse *p, const char *param, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(p->err->text, sizeof(p->err->text), fmt, ap);
	va_end(ap);
	snprintf(p->param, 64, "%s", param);
	return false;
}

static bool is(const json_t *object, const char *key, const char *word)
{
	const json_t *value = json_object_get(object, key);
	return json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static bool read_image(struct parse *p, const json_t *part)
{
	static const char lead[] = "data:image/jpeg;base64,";
	const json_t *image = json_object_get(part, "image_url"), *url = json_object_get(image, "url");
	const json_t *detail = json_object_get(image, "detail");
	if (!json_is_object(image) || !json_is_string(url))
		return refuse(p, "messages", "image_url must be an object with a url");
	if (detail != NULL && !is(image, "detail", "low") && !is(image, "detail", "high") &&
	    !is(image, "detail", "auto"))
		return refuse(p, "messages", "image_url.detail must be one of low, high, auto");
	const char *text = json_string_value(url);
	size_t count = json_string_length(url), lead_bytes = sizeof(lead) - 1;
	uint8_t *picture = malloc(count + 1);
	if (picture == NULL)
		return refuse(p, "messages", "out of memory");
	int n = count > lead_bytes && memcmp(text, lead, lead_bytes) == 0
		    ? cairn_base64_decode(text + lead_bytes, count - lead_bytes, picture, count)
		    : -1;
	bool ok = n >= 4 && picture[0] == 0xFF && picture[1] == 0xD8 && picture[2] == 0xFF;
	uint32_t width_px = 640, height_px = 480;
	if (ok)
		(void)cairn_jpeg_size(picture, (size_t)n, &width_px, &height_px);
	free(picture);
	if (!ok)
		return refuse(p, "messages", "the image is not a base64 data URI of a JPEG");
	uint64_t tokens = cairn_tokens_picture(width_px, height_px, !is(image, "detail", "low"));
	p->req->tokens += tokens;
	p->req->context_tokens += tokens;
	p->req->picture_tokens += tokens;
	p->req->pictures++;
	p->req->context_hash = cairn_hash_bytes(p->req->context_hash, text, count);
	return true;
}

static void note_said(struct parse *p, const json_t *text)
{
	if (json_is_string(text)) {
		cairn_text_bytes(&p->req->said, json_string_value(text), json_string_length(text));
		cairn_text_add(&p->req->said, "\n");
	}
}

static bool read_user(struct parse *p, const json_t *content)
{
	note_said(p, content);
	cairn_text_clear(&p->req->prompt);
	if (json_is_string(content)) {
		cairn_text_bytes(&p->req->prompt, json_string_value(content), json_string_length(content));
		return true;
	}
	size_t i;
	json_t *part;
	json_array_foreach(content, i, part)
	{
		const json_t *text = json_object_get(part, "text");
		if (is(part, "type", "text") && json_is_string(text)) {
			cairn_text_bytes(&p->req->prompt, json_string_value(text), json_string_length(text));
			cairn_text_add(&p->req->prompt, "\n");
			note_said(p, text);
		} else if (!is(part, "type", "image_url")) {
			return refuse(p, "messages", "content part %zu must be of type text or image_url", i);
		} else if (!read_image(p, part)) {
			return false;
		}
	}
	if (!json_is_array(content) || json_array_size(content) == 0)
		return refuse(p, "messages", "content must be a text or a list of parts");
	return true;
}

/* An assistant message with tool_calls must be followed by one tool message for each. Returns how many
 * follow, or -1. */
static int answered_calls(struct parse *p, const json_t *messages, size_t at)
{
	const json_t *calls = json_object_get(json_array_get(messages, at), "tool_calls");
	size_t count = json_array_size(calls);
	for (size_t i = 0; i < count; i++) {
		const json_t *id = json_object_get(json_array_get(calls, i), "id");
		bool found = false;
		for (size_t k = at + 1; k <= at + count && json_is_string(id); k++) {
			const json_t *m = json_array_get(messages, k);
			bool this = is(m, "role", "tool") && is(m, "tool_call_id", json_string_value(id)) &&
				    json_is_string(json_object_get(m, "content"));
			if (this && !found)
				note_said(p, json_object_get(m, "content"));
			found |= this;
		}
		if (!found) {
			(void)refuse(p, "messages",
			    "tool call %zu of message %zu has no tool message that answers it", i, at);
			return -1;
		}
	}
	return (int)count;
}

static bool read_messages(struct parse *p, const json_t *messages)
{
	if (!json_is_array(messages) || json_array_size(messages) == 0)
		return refuse(p, "messages", "messages must be a list that is not empty");
	bool user = false;
	for (size_t i = 0; i < json_array_size(messages); i++) {
		const json_t *m = json_array_get(messages, i), *content = json_object_get(m, "content");
		if (is(m, "role", "system") || is(m, "role", "developer")) {
			if (!json_is_string(content))
				return refuse(
				    p, "messages", "the content of a system message must be a text");
			p->req->prefix_tokens +=
			    CAIRN_TOKENS_MESSAGE + 1 +
			    cairn_tokens_text(json_string_value(content), json_string_length(content));
			p->req->prefix_hash = cairn_hash_bytes(
			    p->req->prefix_hash, json_string_value(content), json_string_length(content));
		} else if (is(m, "role", "user")) {
			if (!read_user(p, content))
				return false;
			size_t n = p->req->prompt.len;
			const char *said = n > 0 ? p->req->prompt.data : "";
			p->req->context_tokens += CAIRN_TOKENS_MESSAGE + 1 + cairn_tokens_text(said, n);
			p->req->context_hash = cairn_hash_bytes(p->req->context_hash, said, n);
			user = true;
		} else if (is(m, "role", "assistant")) {
			int skip = answered_calls(p, messages, i);
			if (skip < 0)
				return false;
			i += (size_t)skip;
		} else {
			return refuse(p, "messages", "message %zu has an unknown or misplaced role", i);
		}
	}
	return user || refuse(p, "messages", "there is no user message");
}

/* Strict mode: every object forbids other properties and requires all it has; no range keywords. */
static bool strict_schema(struct parse *p, const char *tool, const json_t *schema)
{
	static const char *const never[] = {
	    "allOf", "not", "oneOf", "default", "uniqueItems", "patternProperties"};
	const json_t *properties = json_object_get(schema, "properties"),
		     *required = json_object_get(schema, "required");
	if (!is(schema, "type", "object") || !json_is_object(properties) ||
	    !json_is_false(json_object_get(schema, "additionalProperties")))
		return refuse(
		    p, "tools", "%.40s: parameters must be an object with additionalProperties false", tool);
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		if (json_object_get(schema, never[i]) != NULL)
			return refuse(p, "tools", "%.40s: '%s' is not permitted", tool, never[i]);
	}
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)properties, key, value)
	{
		bool named = false;
		for (size_t i = 0; i < json_array_size(required); i++) {
			const json_t *r = json_array_get(required, i);
			named |= json_is_string(r) && strcmp(json_string_value(r), key) == 0;
		}
		if (!named)
			return refuse(p, "tools",
			    "%.40s: 'required' must name every property; '%.40s' is missing", tool, key);
		if (json_object_get(value, "type") == NULL && json_object_get(value, "anyOf") == NULL)
			return refuse(p, "tools", "%.40s: property '%.40s' has no type", tool, key);
	}
	return true;
}

static bool read_tools(struct parse *p, const json_t *tools)
{
	for (size_t i = 0; i < json_array_size(tools); i++) {
		const json_t *tool = json_array_get(tools, i), *f = json_object_get(tool, "function");
		const json_t *name = json_object_get(f, "name");
		const char *word = json_is_string(name) ? json_string_value(name) : "";
		size_t ok = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
		if (!is(tool, "type", "function") || ok == 0 || ok > 64 || word[ok] != '\0')
			return refuse(p, "tools",
			    "tool %zu must be a function with a name of 1 to 64 letters, digits, _ or -", i);
		if (json_is_true(json_object_get(f, "strict")) &&
		    !strict_schema(p, word, json_object_get(f, "parameters")))
			return false;
		int t = cairn_enum_parse(&cairn_enum_tool, word);
		if (t >= 0)
			p->req->offered[t] = true;
		cairn_text_addf(&p->req->names, "%s%s", i > 0 ? " " : "", word);
	}
	char *text = json_dumps(tools, JSON_COMPACT);
	if (text == NULL)
		return refuse(p, "tools", "out of memory");
	p->req->prefix_tokens += cairn_tokens_tools(tools);
	p->req->tokens += cairn_tokens_tools(tools);
	p->req->prefix_hash = cairn_hash_bytes(p->req->prefix_hash, text, strlen(text));
	free(text);
	p->req->tools_given = true;
	return true;
}

static bool is_offered(const struct parse *p, const json_t *name)
{
	return json_is_string(name) && p->req->names.data != NULL &&
	       cairn_has_word(p->req->names.data, json_string_value(name));
}

/* tool_choice with allowed_tools: only these of the list may be called. */
static bool read_allowed(struct parse *p, const json_t *choice)
{
	const json_t *allowed = json_object_get(choice, "allowed_tools");
	const json_t *tools = json_object_get(allowed, "tools");
	bool may[CAIRN_TOOL_COUNT] = {false};
	struct cairn_text names = {0};
	if (!is(allowed, "mode", "auto") && !is(allowed, "mode", "required"))
		return refuse(p, "tool_choice", "allowed_tools.mode must be auto or required");
	if (!json_is_array(tools) || json_array_size(tools) == 0)
		return refuse(p, "tool_choice", "allowed_tools.tools must be a list that is not empty");
	for (size_t i = 0; i < json_array_size(tools); i++) {
		const json_t *tool = json_array_get(tools, i);
		const json_t *name = json_object_get(json_object_get(tool, "function"), "name");
		int t =
		    json_is_string(name) ? cairn_enum_parse(&cairn_enum_tool, json_string_value(name)) : -1;
		if (!is(tool, "type", "function") || !is_offered(p, name)) {
			cairn_text_free(&names);
			return refuse(
			    p, "tool_choice", "allowed_tools.tools[%zu] is not one of the tools", i);
		}
		if (t >= 0)
			may[t] = true;
		cairn_text_addf(&names, "%s%s", i > 0 ? " " : "", json_string_value(name));
	}
	memcpy(p->req->offered, may, sizeof(may));
	cairn_text_free(&p->req->names);
	p->req->names = names;
	return true;
}

/* tool_choice that names one function. */
static bool read_named(struct parse *p, const json_t *choice)
{
	const json_t *name = json_object_get(json_object_get(choice, "function"), "name");
	if (!is_offered(p, name))
		return refuse(p, "tool_choice", "function.name is not one of the tools");
	int t = cairn_enum_parse(&cairn_enum_tool, json_string_value(name));
	memset(p->req->offered, 0, sizeof(p->req->offered));
	if (t >= 0)
		p->req->offered[t] = true;
	cairn_text_clear(&p->req->names);
	cairn_text_add(&p->req->names, json_string_value(name));
	return true;
}

static bool read_all(struct parse *p, const json_t *root)
{
	const json_t *model = json_object_get(root, "model"), *tools = json_object_get(root, "tools");
	const json_t *choice = json_object_get(root, "tool_choice");
	if (!json_is_object(root))
		return refuse(p, "", "the request must be a JSON object");
	if (!json_is_string(model) || json_string_length(model) == 0)
		return refuse(p, "model", "you must provide a model parameter");
	cairn_text_clean(
	    p->req->model, sizeof(p->req->model), json_string_value(model), json_string_length(model));
	if (!read_messages(p, json_object_get(root, "messages")))
		return false;
	p->req->tokens += cairn_tokens_messages(json_object_get(root, "messages"));
	if (tools != NULL && !json_is_array(tools))
		return refuse(p, "tools", "tools must be a list");
	if (tools != NULL && !read_tools(p, tools))
		return false;
	if (choice != NULL && !json_is_object(choice) && !is(root, "tool_choice", "none") &&
	    !is(root, "tool_choice", "auto") && !is(root, "tool_choice", "required"))
		return refuse(
		    p, "tool_choice", "tool_choice must be none, auto, required or a named function");
	if (choice != NULL && tools == NULL)
		return refuse(p, "tool_choice", "tool_choice is only allowed when tools are given");
	if (is(choice, "type", "allowed_tools") && !read_allowed(p, choice))
		return false;
	if (is(choice, "type", "function") && !read_named(p, choice))
		return false;
	p->req->one_call = json_is_false(json_object_get(root, "parallel_tool_calls"));
	p->req->tools_given &= !is(root, "tool_choice", "none");
	if (json_object_get(root, "max_tokens") != NULL &&
	    json_object_get(root, "max_completion_tokens") != NULL)
		return refuse(p, "max_tokens", "max_tokens and max_completion_tokens exclude each other");
	return true;
}

bool cairn_pilot_request_parse(
    const char *body, size_t count, struct cairn_pilot_request *ret, char param[64], struct cairn_error *err)
{
	*ret = (struct cairn_pilot_request){.prefix_hash = CAIRN_HASH_START};
	struct parse p = {ret, param, err};
	param[0] = '\0';
	json_t *root = cairn_json_parse(body, count, CAIRN_PILOT_REQUEST_BYTES_MAX, err);
	if (root == NULL)
		return false;
	bool ok = read_all(&p, root);
	json_decref(root);
	if (ret->prompt.failed || ret->said.failed || ret->names.failed)
		return refuse(&p, "", "out of memory");
	return ok;
}
