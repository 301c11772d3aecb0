/* openai.c - OpenAI chat completions, and the servers that are compatible with them. */
#include "common/vlm/provider.h"

#include <string.h>

/* How a server reads this format. Unknown keys are dropped by some and refused by others, so each gets only
 * what it knows. */
struct dialect {
	bool strict;      /* schema-exact arguments on request */
	bool tool_choice; /* a call can be forced */
	bool allowed;  /* and restricted to some of the tools, which leaves the list (and the cache) alone */
	bool named;    /* or to one, by its name */
	bool parallel; /* parallel_tool_calls */
	bool detail;   /* of a picture */
	bool stream;   /* wants to be told not to stream */
	const char *limit; /* name of the token limit */
};

static const struct dialect dialects[CAIRN_CHOICE_DIALECT_COUNT] = {
    [CAIRN_CHOICE_DIALECT_OPENAI] = {true, true, true, true, true, true, false, "max_completion_tokens"},
    [CAIRN_CHOICE_DIALECT_OLLAMA] = {false, false, false, false, false, false, true, "max_tokens"},
    [CAIRN_CHOICE_DIALECT_LLAMACPP] = {false, true, false, false, false, false, true, "max_tokens"},
    [CAIRN_CHOICE_DIALECT_VLLM] = {false, true, false, true, false, true, true, "max_tokens"},
    [CAIRN_CHOICE_DIALECT_OTHER] = {false, true, false, false, false, true, false, "max_tokens"},
};

static const struct dialect *dialect_of(const struct cairn_profile *profile)
{
	return &dialects[profile->dialect];
}

/* What cannot be forced by a word of the request is all that is offered. */
static bool offers_less(const struct dialect *dialect, uint64_t only)
{
	return !(dialect->allowed || (dialect->named && cairn_tool_single(only) >= 0));
}

static void write_tools(
    struct cairn_text *out, const struct cairn_prefix *prefix, const struct dialect *dialect)
{
	bool strict = dialect->strict && prefix->profile->strict, first = true;
	uint64_t offered = offers_less(dialect, prefix->only) ? prefix->only : 0;
	cairn_text_add(out, "\"tools\":[");
	for (int t = 0; t < prefix->tools->count; t++) {
		const struct cairn_tool_row *row = &prefix->tools->rows[t];
		if (!cairn_tool_in(offered, t) || (prefix->never & CAIRN_TOOL_BIT(t)) != 0)
			continue;
		cairn_text_addf(out,
		    "%s{\"type\":\"function\",\"function\":{\"name\":\"%s\",\"description\":",
		    first ? "" : ",", row->name);
		cairn_text_json_string(out, row->doc);
		cairn_text_addf(out, "%s,\"parameters\":", strict ? ",\"strict\":true" : "");
		cairn_tool_schema(out, row);
		cairn_text_add(out, "}}");
		first = false;
	}
	cairn_text_add(out, "],");
}

static void write_prefix(struct cairn_text *out, const struct cairn_prefix *prefix)
{
	const struct dialect *dialect = dialect_of(prefix->profile);
	cairn_text_add(out, "{\"model\":");
	cairn_text_json_string(out, prefix->profile->model);
	cairn_text_addf(out, ",\"%s\":%d,%s", dialect->limit, prefix->max_output_tokens,
	    dialect->stream ? "\"stream\":false," : "");
	if (prefix->has_temperature)
		cairn_text_addf(out, "\"temperature\":%.3g,", prefix->temperature);
	if (prefix->tools != NULL)
		write_tools(out, prefix, dialect);
	cairn_text_add(out, "\"messages\":[{\"role\":\"system\",\"content\":");
	cairn_text_json_string(out, prefix->system);
	cairn_text_add(out, "}");
}

/* With no restriction several calls may come side by side. Arguments are checked here in any case. */
static void write_choice(
    struct cairn_text *out, const struct dialect *dialect, const struct cairn_request *request)
{
	int single = cairn_tool_single(request->only);
	if (dialect->named && single >= 0) {
		cairn_text_addf(out,
		    ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"%s\"}}",
		    request->tools->rows[single].name);
	} else if (dialect->allowed && request->only != 0) {
		cairn_text_add(out,
		    ",\"tool_choice\":{\"type\":\"allowed_tools\",\"allowed_tools\":{\"mode\":"
		    "\"required\",\"tools\":[");
		for (int t = 0, n = 0; t < request->tools->count; t++) {
			if (!cairn_tool_in(request->only, t))
				continue;
			cairn_text_addf(out, "%s{\"type\":\"function\",\"function\":{\"name\":\"%s\"}}",
			    n++ > 0 ? "," : "", request->tools->rows[t].name);
		}
		cairn_text_add(out, "]}}");
	} else if (dialect->tool_choice) {
		cairn_text_add(out, ",\"tool_choice\":\"required\"");
	}
	if (dialect->parallel)
		cairn_text_addf(out, ",\"parallel_tool_calls\":%s", request->only != 0 ? "false" : "true");
}

static void write_model_turn(struct cairn_text *out, const struct cairn_turn *turn)
{
	cairn_text_add(out, ",{\"role\":\"assistant\",\"content\":");
	if (turn->text != NULL)
		cairn_text_json_string(out, turn->text);
	else
		cairn_text_add(out, "null");
	cairn_text_add(out, turn->call_count > 0 ? ",\"tool_calls\":[" : "");
	for (int i = 0; i < turn->call_count; i++) {
		const struct cairn_turn_call *call = &turn->calls[i];
		cairn_text_add(out, i > 0 ? ",{\"id\":" : "{\"id\":");
		cairn_text_json_string(out, call->id);
		cairn_text_addf(
		    out, ",\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":", call->name);
		cairn_text_json_string(out, call->arguments);
		cairn_text_add(out, "}}");
	}
	cairn_text_add(out, turn->call_count > 0 ? "]}" : "}");
}

static void write_image(
    struct cairn_text *out, const struct cairn_request_image *image, const struct dialect *dialect)
{
	if (image->caption != NULL) {
		cairn_text_add(out, ",{\"type\":\"text\",\"text\":");
		cairn_text_json_string(out, image->caption);
		cairn_text_add(out, "}");
	}
	cairn_text_add(out, ",{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/jpeg;base64,");
	cairn_text_base64(out, image->jpeg, image->bytes);
	cairn_text_add(out, "\"");
	if (dialect->detail)
		cairn_text_addf(out, ",\"detail\":\"%s\"", image->detail_high ? "high" : "low");
	cairn_text_add(out, "}}");
}

/* A message that answers a call holds text alone: pictures follow as a message of the user. */
static void write_user_turn(
    struct cairn_text *out, const struct cairn_turn *turn, const struct dialect *dialect)
{
	for (int i = 0; i < turn->answer_count; i++) {
		cairn_text_add(out, ",{\"role\":\"tool\",\"tool_call_id\":");
		cairn_text_json_string(out, turn->answers[i].id);
		cairn_text_add(out, ",\"content\":");
		cairn_text_json_string(out, turn->answers[i].text);
		cairn_text_add(out, "}");
	}
	if (turn->text == NULL && turn->image_count == 0)
		return;
	cairn_text_add(out, ",{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":");
	cairn_text_json_string(out, turn->text != NULL ? turn->text : "The pictures:");
	cairn_text_add(out, "}");
	for (int i = 0; i < turn->image_count; i++)
		write_image(out, &turn->images[i], dialect);
	cairn_text_add(out, "]}");
}

static void write_body(struct cairn_text *out, const struct cairn_text *prefix,
    const struct cairn_profile *profile, const struct cairn_request *request)
{
	const struct dialect *dialect = dialect_of(profile);
	cairn_text_clear(out);
	cairn_text_bytes(out, prefix->data, prefix->len);
	for (int i = 0; i < request->turn_count; i++) {
		if (request->turns[i].role == CAIRN_TURN_MODEL)
			write_model_turn(out, &request->turns[i]);
		else
			write_user_turn(out, &request->turns[i], dialect);
	}
	cairn_text_add(out, "]");
	if (request->tools != NULL)
		write_choice(out, dialect, request);
	cairn_text_add(out, "}");
}

/* ---- reading ---- */

static void read_usage(const json_t *root, struct cairn_usage *usage)
{
	const json_t *u = json_object_get(root, "usage");
	usage->tokens_in = cairn_json_count(u, "prompt_tokens");
	usage->tokens_out = cairn_json_count(u, "completion_tokens");
	usage->tokens_cached = cairn_json_count(json_object_get(u, "prompt_tokens_details"), "cached_tokens");
	if (usage->tokens_cached > usage->tokens_in)
		usage->tokens_cached = usage->tokens_in;
}

static void read_call(const json_t *value, struct cairn_reply *ret)
{
	const json_t *function = json_object_get(value, "function");
	struct cairn_reply_call *call = cairn_reply_keep(ret, json_object_get(function, "name"));
	if (call == NULL)
		return;
	const json_t *type = json_object_get(value, "type"),
		     *arguments = json_object_get(function, "arguments");
	cairn_json_line(call->id, sizeof(call->id), json_object_get(value, "id"));
	if (json_is_string(type) && strcmp(json_string_value(type), "function") != 0) {
		snprintf(call->problem, sizeof(call->problem), "a tool call that is not a function");
	} else if (!json_is_object(function) || call->name[0] == '\0') {
		snprintf(call->problem, sizeof(call->problem), "a tool call without a name");
	} else if (json_is_object(arguments)) {
		call->arguments = json_incref((json_t *)arguments); /* some local servers skip the string */
	} else if (!json_is_string(arguments)) {
		snprintf(call->problem, sizeof(call->problem), "arguments are not a text");
	} else {
		struct cairn_error why = {""};
		call->arguments = cairn_json_parse(json_string_value(arguments),
		    json_string_length(arguments), CAIRN_RESPONSE_BYTES_MAX, &why);
		if (call->arguments == NULL)
			snprintf(call->problem, sizeof(call->problem), "arguments: %.80s", why.text);
	}
}

static bool read_choice(const json_t *root, struct cairn_reply *ret, struct cairn_error *err)
{
	const json_t *choice = json_array_get(json_object_get(root, "choices"), 0);
	const json_t *message = json_object_get(choice, "message");
	if (!json_is_object(message)) {
		cairn_error_set(err, "no choices[0].message in the response");
		return false;
	}
	const json_t *finish = json_object_get(choice, "finish_reason");
	if (json_is_string(finish)) {
		ret->truncated = strcmp(json_string_value(finish), "length") == 0;
		ret->filtered = strcmp(json_string_value(finish), "content_filter") == 0;
	}
	cairn_reply_say(ret, json_object_get(message, "content"));
	cairn_json_line(ret->refusal, sizeof(ret->refusal), json_object_get(message, "refusal"));
	const json_t *calls = json_object_get(message, "tool_calls");
	if (calls != NULL && !json_is_array(calls) && !json_is_null(calls)) {
		cairn_error_set(err, "tool_calls is not a list");
		return false;
	}
	for (size_t i = 0; i < json_array_size(calls); i++)
		read_call(json_array_get(calls, i), ret);
	return true;
}

static bool read_reply(const char *body, size_t count, struct cairn_reply *ret, struct cairn_error *err)
{
	*ret = (struct cairn_reply){0};
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	read_usage(root, &ret->usage);
	bool ok = json_is_object(root) && read_choice(root, ret, err);
	if (!json_is_object(root))
		cairn_error_set(err, "the response is not an object");
	json_decref(root);
	return ok;
}

const struct cairn_provider cairn_provider_openai = {
    .name = "openai",
    .path = "/chat/completions",
    .probe_path = "/models",
    .key_header = "Authorization: Bearer ",
    .write_prefix = write_prefix,
    .write_body = write_body,
    .read_reply = read_reply,
};
