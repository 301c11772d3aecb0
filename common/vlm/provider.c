#include "common/vlm/provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cairn_reply_clear(struct cairn_reply *reply)
{
	for (uint32_t i = 0; i < reply->call_count; i++)
		json_decref(reply->calls[i].arguments);
	cairn_text_free(&reply->raw);
	*reply = (struct cairn_reply){0};
}

void cairn_reply_say(struct cairn_reply *reply, const json_t *value)
{
	if (reply->text[0] == '\0')
		cairn_json_line(reply->text, sizeof(reply->text), value);
	if (json_is_string(value))
		cairn_text_bytes(&reply->raw, json_string_value(value), json_string_length(value));
}

const char *const cairn_provider_common_headers[] = {
    "Content-Type: application/json", "Accept: application/json", NULL};

const struct cairn_provider *cairn_provider_find(enum cairn_choice_format format)
{
	static const struct cairn_provider *const all[CAIRN_CHOICE_FORMAT_COUNT] = {
	    [CAIRN_CHOICE_FORMAT_OPENAI] = &cairn_provider_openai,
	    [CAIRN_CHOICE_FORMAT_ANTHROPIC] = &cairn_provider_anthropic,
	    [CAIRN_CHOICE_FORMAT_GEMINI] = &cairn_provider_gemini};
	return all[format];
}

bool cairn_provider_url(
    char *dst, size_t cap, const struct cairn_profile *profile, const char *path, int port_or_0)
{
	const char *base = profile->base_url, *zero = NULL, *model = strstr(path, "%s");
	char port[16] = "";
	size_t n = strlen(base), head = n, tail = n;
	while (n > 0 && base[n - 1] == '/')
		n--;
	if (cairn_profile_url_is_pilot(base)) {
		zero = strchr(strstr(base, "://") + 3, ':');
		head = (size_t)(zero - base);
		tail = head + 2;
		snprintf(port, sizeof(port), ":%d", port_or_0);
	} else {
		head = tail = n;
	}
	size_t before = model != NULL ? (size_t)(model - path) : strlen(path);
	int want = snprintf(dst, cap, "%.*s%s%.*s%.*s%s%s", (int)head, base, port,
	    (int)(n > tail ? n - tail : 0), base + tail, (int)before, path,
	    model != NULL ? profile->model : "", model != NULL ? model + 2 : "");
	return want > 0 && (size_t)want < cap;
}

/* ---- writing ---- */

void cairn_tool_restriction(struct cairn_text *out, const struct cairn_tool_table *tools, uint64_t only)
{
	cairn_text_add(out, "Now only one of these tools may be called:");
	for (int t = 0, n = 0; t < tools->count; t++) {
		if (cairn_tool_in(only, t))
			cairn_text_addf(out, "%s %s", n++ > 0 ? "," : "", tools->rows[t].name);
	}
	cairn_text_add(out, ".");
}

/* ---- reading ---- */

uint64_t cairn_json_count(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	json_int_t n = json_is_integer(value) ? json_integer_value(value) : 0;
	/* A service that claims more than this is broken, and the ledger must not overflow because of it. */
	return n < 0 ? 0 : n > 100000000 ? 100000000 : (uint64_t)n;
}

struct cairn_reply_call *cairn_reply_keep(struct cairn_reply *reply, const json_t *name)
{
	const char *word = json_is_string(name) ? json_string_value(name) : "";
	bool report = strcmp(word, cairn_tool_name(CAIRN_TOOL_REPORT_DISCOVERY)) == 0;
	reply->calls_total++;
	reply->reports_total += report;
	if (reply->call_count == CAIRN_REPLY_CALLS_MAX ||
	    (report && reply->reports_total > CAIRN_REPLY_REPORTS_MAX))
		return NULL;
	struct cairn_reply_call *call = &reply->calls[reply->call_count++];
	cairn_json_line(call->name, sizeof(call->name), name);
	return call;
}

void cairn_json_line(char *dst, size_t cap, const json_t *value)
{
	if (json_is_string(value))
		cairn_text_clean(dst, cap, json_string_value(value), json_string_length(value));
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

/* The error object of a body; some of Google's come in a list of one. */
static const json_t *error_of(const json_t *root)
{
	return json_object_get(json_is_array(root) ? json_array_get(root, 0) : root, "error");
}

void cairn_json_error_text(const char *body, size_t count, char *dst, size_t cap)
{
	static const char *const kinds[] = {"code", "status", "type"};
	*dst = '\0';
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, NULL);
	const json_t *error = error_of(root), *message = json_object_get(error, "message");
	const char *kind = "";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && kind[0] == '\0'; i++) {
		const json_t *word = json_object_get(error, kinds[i]);
		kind = json_is_string(word) ? json_string_value(word) : "";
	}
	char line[320] = "";
	if (json_is_string(message))
		snprintf(line, sizeof(line), "%.80s%s%.160s", kind, kind[0] != '\0' ? ": " : "",
		    json_string_value(message));
	else if (json_is_string(error)) /* {"error": "text"} of some local servers */
		snprintf(line, sizeof(line), "%.200s", json_string_value(error));
	cairn_text_clean(dst, cap, line, strlen(line));
	json_decref(root);
}

double cairn_json_retry_after_s(const char *body, size_t count)
{
	static const char wanted[] = "google.rpc.RetryInfo";
	double wait_s = -1.0;
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, NULL);
	const json_t *details = json_object_get(error_of(root), "details");
	for (size_t i = 0; i < json_array_size(details); i++) {
		const json_t *one = json_array_get(details, i), *type = json_object_get(one, "@type");
		const json_t *delay = json_object_get(one, "retryDelay");
		if (!json_is_string(type) || !json_is_string(delay) ||
		    strstr(json_string_value(type), wanted) == NULL)
			continue;
		char *end;
		double s = strtod(json_string_value(delay), &end);
		if (end != json_string_value(delay) && strcmp(end, "s") == 0 && s >= 0.0 && s < 1e6)
			wait_s = s;
	}
	json_decref(root);
	return wait_s;
}
