/* service_check.c - the rules of the two formats, as documented. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "test/support/service_server.h"

struct check {
	char *why;
	size_t cap;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct check *c, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (c->why[0] == '\0')
		vsnprintf(c->why, c->cap, fmt, ap);
	va_end(ap);
	return false;
}

static bool is(const json_t *object, const char *key, const char *word)
{
	const json_t *value = json_object_get(object, key);
	return json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static bool keys_in(struct check *c, const json_t *object, const char *where, const char *allowed)
{
	const char *key;
	json_t *value;
	char word[80];
	json_object_foreach((json_t *)object, key, value)
	{
		snprintf(word, sizeof(word), " %.70s ", key);
		if (strstr(allowed, word) == NULL)
			return wrong(c, "%s: unknown name \"%s\"", where, key);
	}
	return json_is_object(object) || wrong(c, "%s: not an object", where);
}

static bool jpeg_ok(const json_t *data)
{
	uint8_t head[3];
	return json_is_string(data) && json_string_length(data) >= 12 && json_string_length(data) % 4 == 0 &&
	       cairn_base64_decode(json_string_value(data), 4, head, sizeof(head)) == 3 && head[0] == 0xFF &&
	       head[1] == 0xD8;
}

static bool name_ok(const json_t *name)
{
	const char *s = json_is_string(name) ? json_string_value(name) : "";
	size_t n = strlen(s);
	return n > 0 && n <= 64 &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == n;
}

/* ---- Anthropic ---- */

static bool anthropic_tool(struct check *c, const json_t *tool)
{
	const json_t *schema = json_object_get(tool, "input_schema");
	if (!keys_in(c, tool, "tools", " name description input_schema strict cache_control ") ||
	    !name_ok(json_object_get(tool, "name")))
		return wrong(c, "tools: name: String should match pattern");
	if (!is(schema, "type", "object") || !json_is_object(json_object_get(schema, "properties")))
		return wrong(c, "tools.input_schema.type: Input should be 'object'");
	if (json_is_true(json_object_get(tool, "strict")) &&
	    !json_is_false(json_object_get(schema, "additionalProperties")))
		return wrong(c, "tools.input_schema: strict needs additionalProperties false");
	return true;
}

static bool anthropic_block(struct check *c, const json_t *block, const char *role)
{
	bool user = strcmp(role, "user") == 0;
	if (is(block, "type", "text"))
		return (json_string_length(json_object_get(block, "text")) > 0 ||
			   wrong(c, "messages: text content blocks must be non-empty")) &&
		       keys_in(c, block, "text", " type text cache_control ");
	if (user && is(block, "type", "image")) {
		const json_t *source = json_object_get(block, "source");
		return (is(source, "type", "base64") && is(source, "media_type", "image/jpeg") &&
			   jpeg_ok(json_object_get(source, "data"))) ||
		       wrong(c, "messages: image.source.base64: invalid base64 data");
	}
	if (!user && is(block, "type", "tool_use"))
		return (json_is_object(json_object_get(block, "input")) &&
			   json_is_string(json_object_get(block, "id")) &&
			   name_ok(json_object_get(block, "name"))) ||
		       wrong(c, "messages: tool_use needs id, name and input");
	if (user && is(block, "type", "tool_result"))
		return json_is_string(json_object_get(block, "tool_use_id")) ||
		       wrong(c, "messages: tool_result.tool_use_id: Field required");
	return wrong(c, "messages: content block does not match any of the expected tags");
}

/* Every tool_use is answered by the message that follows. */
static bool anthropic_answered(struct check *c, const json_t *message, const json_t *next)
{
	const json_t *content = json_object_get(message, "content");
	for (size_t i = 0; i < json_array_size(content); i++) {
		const json_t *block = json_array_get(content, i), *answers = json_object_get(next, "content");
		bool found = !is(block, "type", "tool_use");
		for (size_t k = 0; !found && k < json_array_size(answers); k++)
			found = is(json_array_get(answers, k), "tool_use_id",
			    json_string_value(json_object_get(block, "id")));
		if (!found)
			return wrong(c, "messages: `tool_use` ids were found without `tool_result` blocks");
	}
	return true;
}

static bool anthropic_messages(struct check *c, const json_t *messages)
{
	if (json_array_size(messages) == 0)
		return wrong(c, "messages: at least one message is required");
	for (size_t i = 0; i < json_array_size(messages); i++) {
		const json_t *m = json_array_get(messages, i), *content = json_object_get(m, "content");
		const char *role = i % 2 == 0 ? "user" : "assistant";
		if (!is(m, "role", role))
			return wrong(c, "messages: roles must alternate, the first is user");
		if (json_array_size(content) == 0)
			return wrong(c, "messages: content: a list of blocks is expected");
		for (size_t k = 0; k < json_array_size(content); k++) {
			if (!anthropic_block(c, json_array_get(content, k), role))
				return false;
		}
		if (!anthropic_answered(c, m, json_array_get(messages, i + 1)))
			return false;
	}
	return true;
}

static bool anthropic_body(struct check *c, const json_t *root)
{
	const json_t *tools = json_object_get(root, "tools"), *system = json_object_get(root, "system");
	const json_t *choice = json_object_get(root, "tool_choice");
	if (!keys_in(c, root, "request", " model max_tokens system tools tool_choice messages "))
		return false;
	if (!json_is_string(json_object_get(root, "model")) ||
	    json_integer_value(json_object_get(root, "max_tokens")) <= 0)
		return wrong(c, "model, max_tokens: Field required");
	for (size_t i = 0; i < json_array_size(tools); i++) {
		if (!anthropic_tool(c, json_array_get(tools, i)))
			return false;
	}
	bool words = tools == NULL && choice == NULL; /* a picture is to be described */
	if (!words && (!is(choice, "type", "any") || json_array_size(tools) == 0))
		return wrong(c, "tool_choice: this server wants any, with tools");
	const json_t *block = json_array_get(system, 0);
	if (!is(block, "type", "text") || !is(json_object_get(block, "cache_control"), "type", "ephemeral"))
		return wrong(c, "system: one text block with cache_control is expected");
	return anthropic_messages(c, json_object_get(root, "messages"));
}

/* ---- Gemini ---- */

static bool gemini_schema(struct check *c, const json_t *schema)
{
	static const char types[] = " STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT ";
	const json_t *type = json_object_get(schema, "type"),
		     *properties = json_object_get(schema, "properties");
	char word[32];
	const char *key;
	json_t *value;
	if (!keys_in(c, schema, "schema",
		" type description nullable enum minimum maximum properties required items anyOf minItems "
		"maxItems "
		"minLength maxLength pattern "))
		return false;
	snprintf(word, sizeof(word), " %.20s ", json_is_string(type) ? json_string_value(type) : "?");
	if (strstr(types, word) == NULL)
		return wrong(c, "schema: type: Invalid value");
	if (json_object_get(schema, "enum") != NULL && strcmp(word, " STRING ") != 0)
		return wrong(c, "schema: enum: only allowed for STRING type");
	json_object_foreach((json_t *)properties, key, value)
	{
		if (!gemini_schema(c, value))
			return false;
	}
	return true;
}

static bool declared(const json_t *functions, const char *name)
{
	for (size_t i = 0; i < json_array_size(functions); i++) {
		if (is(json_array_get(functions, i), "name", name))
			return true;
	}
	return false;
}

static bool gemini_part(struct check *c, const json_t *part, bool user, const json_t *functions)
{
	const json_t *image = json_object_get(part, "inlineData");
	const json_t *call = json_object_get(part, "functionCall");
	const json_t *answer = json_object_get(part, "functionResponse");
	const json_t *name = json_object_get(call != NULL ? call : answer, "name");
	if (!keys_in(c, part, "parts", " text inlineData functionCall functionResponse thoughtSignature "))
		return false;
	if (image != NULL)
		return (is(image, "mimeType", "image/jpeg") && jpeg_ok(json_object_get(image, "data"))) ||
		       wrong(c, "inlineData: Base64 decoding failed");
	if (call != NULL || answer != NULL)
		return (json_is_string(name) && declared(functions, json_string_value(name)) &&
			   (call != NULL) == !user &&
			   json_is_object(json_object_get(
			       call != NULL ? call : answer, call != NULL ? "args" : "response"))) ||
		       wrong(c, "a function call or response is misplaced or has no known name");
	return json_is_string(json_object_get(part, "text")) || wrong(c, "parts: one field is expected");
}

static bool gemini_contents(struct check *c, const json_t *contents, const json_t *functions)
{
	if (json_array_size(contents) == 0)
		return wrong(c, "contents is not specified");
	for (size_t i = 0; i < json_array_size(contents); i++) {
		const json_t *one = json_array_get(contents, i), *parts = json_object_get(one, "parts");
		bool user = is(one, "role", "user");
		if (!user && !is(one, "role", "model"))
			return wrong(c, "Please use a valid role: user, model.");
		for (size_t k = 0; k < json_array_size(parts); k++) {
			if (!gemini_part(c, json_array_get(parts, k), user, functions))
				return false;
		}
	}
	return true;
}

static bool gemini_body(struct check *c, const json_t *root)
{
	const json_t *functions =
	    json_object_get(json_array_get(json_object_get(root, "tools"), 0), "functionDeclarations");
	const json_t *calling = json_object_get(json_object_get(root, "toolConfig"), "functionCallingConfig");
	const json_t *only = json_object_get(calling, "allowedFunctionNames");
	if (!keys_in(c, root, "request", " systemInstruction contents tools toolConfig generationConfig ") ||
	    !keys_in(c, json_object_get(root, "generationConfig"), "generationConfig",
		" maxOutputTokens temperature mediaResolution thinkingConfig "))
		return false;
	bool words = json_object_get(root, "tools") == NULL && json_object_get(root, "toolConfig") == NULL;
	if (!words && (json_array_size(functions) == 0 || !is(calling, "mode", "ANY")))
		return wrong(c, "this server wants functions and mode ANY");
	for (size_t i = 0; i < json_array_size(functions); i++) {
		const json_t *f = json_array_get(functions, i);
		if (!name_ok(json_object_get(f, "name")) ||
		    !gemini_schema(c, json_object_get(f, "parameters")))
			return wrong(c, "functionDeclarations: invalid");
	}
	for (size_t i = 0; i < json_array_size(only); i++) {
		if (!declared(functions, json_string_value(json_array_get(only, i))))
			return wrong(c, "allowedFunctionNames should be a subset of the declared ones");
	}
	return gemini_contents(c, json_object_get(root, "contents"), functions);
}

const char *service_check_body(
    enum service_format format, const char *body, size_t count, char *why, size_t cap)
{
	struct check c = {why, cap};
	why[0] = '\0';
	json_t *root = json_loadb(body, count, JSON_REJECT_DUPLICATES, NULL);
	bool ok = root == NULL                  ? wrong(&c, "The request body is not valid JSON")
		  : format == SERVICE_ANTHROPIC ? anthropic_body(&c, root)
						: gemini_body(&c, root);
	json_decref(root);
	return ok ? NULL : why;
}
