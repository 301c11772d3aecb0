#include "common/vlm/provider.h"

#include <string.h>

void cairn_reply_clear(struct cairn_reply *reply)
{
	for (uint32_t i = 0; i < reply->call_count; i++)
		json_decref(reply->calls[i].arguments);
	*reply = (struct cairn_reply){0};
}

const struct cairn_provider *cairn_provider_find(const char *name)
{
	static const struct {
		const char *name;
		const struct cairn_provider *provider;
	} rows[] = {{"pilot", &cairn_provider_openai}, {"openai", &cairn_provider_openai}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].provider;
	}
	return NULL;
}

/* The parser recurses: what is too deep must not reach it. */
static int depth_of(const char *body, size_t count)
{
	int depth = 0, deepest = 0;
	bool quoted = false;
	for (size_t i = 0; i < count; i++) {
		char c = body[i];
		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			deepest = ++depth > deepest ? depth : deepest;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return deepest;
}

json_t *cairn_json_parse(const char *body, size_t count, size_t count_max, struct cairn_error *err)
{
	if (count > count_max) {
		cairn_error_set(err, "larger than %zu bytes", count_max);
		return NULL;
	}
	if (depth_of(body, count) > CAIRN_RESPONSE_DEPTH_MAX) {
		cairn_error_set(err, "nested deeper than %d", CAIRN_RESPONSE_DEPTH_MAX);
		return NULL;
	}
	json_error_t why;
	json_t *root = json_loadb(body, count, JSON_REJECT_DUPLICATES, &why);
	if (root == NULL) {
		char text[80];
		cairn_text_clean(text, sizeof(text), why.text, strlen(why.text));
		cairn_error_set(err, "not JSON: %s", text);
	}
	return root;
}

void cairn_json_error_text(const char *body, size_t count, char *dst, size_t cap)
{
	*dst = '\0';
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, NULL);
	const json_t *error = json_object_get(root, "error");
	const json_t *message = json_object_get(error, "message"), *code = json_object_get(error, "code");
	char line[256] = "";
	if (json_is_string(message))
		snprintf(line, sizeof(line), "%s%s%.160s",
		    json_is_string(code) ? json_string_value(code) : "", json_is_string(code) ? ": " : "",
		    json_string_value(message));
	cairn_text_clean(dst, cap, line, strlen(line));
	json_decref(root);
}
