/* anthropic.c - Anthropic messages. The system text closes the cached prefix; pictures stand before the text.
 */
#include "common/vlm/provider.h"

#include <string.h>

static void write_tools(struct cairn_text *out, const struct cairn_prefix *prefix)
{
	bool strict = prefix->profile->strict, first = true;
	cairn_text_add(out, ",\"tools\":[");
	for (int t = 0; t < prefix->tools->count; t++) {
		const struct cairn_tool_row *row = &prefix->tools->rows[t];
		if ((prefix->never & CAIRN_TOOL_BIT(t)) != 0)
			continue;
		cairn_text_addf(out, "%s{\"name\":\"%s\",\"description\":", first ? "" : ",", row->name);
		first = false;
		cairn_text_json_string(out, row->doc);
		cairn_text_addf(out, "%s,\"input_schema\":", strict ? ",\"strict\":true" : "");
		cairn_tool_schema(out, row);
		cairn_text_add(out, "}");
	}
	cairn_text_add(out, "]");
}

/* vlm.temperature is left out: the vendor's present types have no such member any more (test sdk-types). */
static void write_prefix(struct cairn_text *out, const struct cairn_prefix *prefix)
{
	cairn_text_add(out, "{\"model\":");
	cairn_text_json_string(out, prefix->profile->model);
	cairn_text_addf(out, ",\"max_tokens\":%d", prefix->max_output_tokens);
	if (prefix->tools != NULL)
		write_tools(out, prefix);
	cairn_text_add(out, ",\"system\":[{\"type\":\"text\",\"text\":");
	cairn_text_json_string(out, prefix->system);
	cairn_text_add(out, ",\"cache_control\":{\"type\":\"ephemeral\"}}]");
}

static void write_text(struct cairn_text *out, const char *text)
{
	cairn_text_add(out, "{\"type\":\"text\",\"text\":");
	cairn_text_json_string(out, text);
	cairn_text_add(out, "}");
}

static void write_image(struct cairn_text *out, const struct cairn_request_image *image)
{
	if (image->caption != NULL) {
		write_text(out, image->caption);
		cairn_text_add(out, ",");
	}
	cairn_text_add(out, "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
			    "\"image/jpeg\",\"data\":\"");
	cairn_text_base64(out, image->jpeg, image->bytes);
	cairn_text_add(out, "\"}}");
}

static void write_model_turn(struct cairn_text *out, const struct cairn_turn *turn)
{
	const char *comma = "";
	cairn_text_add(out, "{\"role\":\"assistant\",\"content\":[");
	if (turn->text != NULL) {
		write_text(out, turn->text);
		comma = ",";
	}
	for (int i = 0; i < turn->call_count; i++, comma = ",") {
		const struct cairn_turn_call *call = &turn->calls[i];
		cairn_text_addf(out, "%s{\"type\":\"tool_use\",\"id\":", comma);
		cairn_text_json_string(out, call->id);
		cairn_text_addf(out, ",\"name\":\"%s\",\"input\":%s}", call->name, call->arguments);
	}
	cairn_text_add(out, "]}");
}

/* Answers first, as the service wants them; pictures before the text. more: stands behind it, or NULL. */
static void write_user_turn(struct cairn_text *out, const struct cairn_turn *turn, const char *more)
{
	const char *comma = "";
	cairn_text_add(out, "{\"role\":\"user\",\"content\":[");
	for (int i = 0; i < turn->answer_count; i++, comma = ",") {
		cairn_text_addf(out, "%s{\"type\":\"tool_result\",\"tool_use_id\":", comma);
		cairn_text_json_string(out, turn->answers[i].id);
		cairn_text_add(out, ",\"content\":");
		cairn_text_json_string(out, turn->answers[i].text);
		cairn_text_add(out, "}");
	}
	for (int i = 0; i < turn->image_count; i++, comma = ",") {
		cairn_text_add(out, comma);
		write_image(out, &turn->images[i]);
	}
	if (turn->text != NULL) {
		cairn_text_add(out, comma);
		write_text(out, turn->text);
		comma = ",";
	}
	if (more != NULL) {
		cairn_text_add(out, comma);
		write_text(out, more);
	}
	cairn_text_add(out, "]}");
}

/* A shorter list of tools would cost the cache, and there is no word for "any of these". */
static void write_turns(struct cairn_text *out, const struct cairn_request *request)
{
	bool some = request->tools != NULL && request->only != 0 && cairn_tool_single(request->only) < 0;
	struct cairn_text words = {0};
	if (some)
		cairn_tool_restriction(&words, request->tools, request->only);
	for (int i = 0; i < request->turn_count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		if (request->turns[i].role == CAIRN_TURN_MODEL)
			write_model_turn(out, &request->turns[i]);
		else
			write_user_turn(
			    out, &request->turns[i], i + 1 == request->turn_count ? words.data : NULL);
	}
	out->failed |= words.failed;
	cairn_text_free(&words);
}

static void write_body(struct cairn_text *out, const struct cairn_text *prefix,
    const struct cairn_profile *profile, const struct cairn_request *request)
{
	(void)profile;
	cairn_text_clear(out);
	cairn_text_bytes(out, prefix->data, prefix->len);
	cairn_text_add(out, ",\"messages\":[");
	write_turns(out, request);
	cairn_text_add(out, "]");
	int single = cairn_tool_single(request->only);
	const char *one = request->only != 0 ? "true" : "false";
	if (request->tools != NULL && single >= 0)
		cairn_text_addf(out,
		    ",\"tool_choice\":{\"type\":\"tool\",\"name\":\"%s\",\"disable_parallel_tool_use\":%s}",
		    request->tools->rows[single].name, one);
	else if (request->tools != NULL)
		cairn_text_addf(
		    out, ",\"tool_choice\":{\"type\":\"any\",\"disable_parallel_tool_use\":%s}", one);
	cairn_text_add(out, "}");
}

/* ---- reading ---- */

/* input_tokens leaves out what was read from the cache or written to it. */
static void read_usage(const json_t *root, struct cairn_usage *usage)
{
	const json_t *u = json_object_get(root, "usage");
	usage->tokens_cached = cairn_json_count(u, "cache_read_input_tokens");
	usage->tokens_cache_written = cairn_json_count(u, "cache_creation_input_tokens");
	usage->tokens_in =
	    cairn_json_count(u, "input_tokens") + usage->tokens_cached + usage->tokens_cache_written;
	usage->tokens_out = cairn_json_count(u, "output_tokens");
}

static bool is(const json_t *object, const char *key, const char *word)
{
	const json_t *value = json_object_get(object, key);
	return json_is_string(value) && strcmp(json_string_value(value), word) == 0;
}

static void read_call(const json_t *block, struct cairn_reply *ret)
{
	struct cairn_reply_call *call = cairn_reply_keep(ret, json_object_get(block, "name"));
	if (call == NULL)
		return;
	json_t *input = json_object_get(block, "input");
	cairn_json_line(call->id, sizeof(call->id), json_object_get(block, "id"));
	if (call->name[0] == '\0')
		snprintf(call->problem, sizeof(call->problem), "a tool call without a name");
	else if (!json_is_object(input))
		snprintf(call->problem, sizeof(call->problem), "input is not an object");
	else
		call->arguments = json_incref(input);
}

static void read_block(const json_t *block, struct cairn_reply *ret)
{
	if (is(block, "type", "tool_use"))
		read_call(block, ret);
	else if (is(block, "type", "text"))
		cairn_reply_say(ret, json_object_get(block, "text"));
}

static bool read_reply(const char *body, size_t count, struct cairn_reply *ret, struct cairn_error *err)
{
	*ret = (struct cairn_reply){0};
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	read_usage(root, &ret->usage);
	const json_t *content = json_object_get(root, "content");
	bool ok = json_is_array(content);
	if (!ok)
		cairn_error_set(err, "no content in the response");
	for (size_t i = 0; ok && i < json_array_size(content); i++)
		read_block(json_array_get(content, i), ret);
	ret->truncated =
	    is(root, "stop_reason", "max_tokens") || is(root, "stop_reason", "model_context_window_exceeded");
	if (is(root, "stop_reason", "refusal"))
		snprintf(ret->refusal, sizeof(ret->refusal), "%.150s",
		    ret->text[0] != '\0' ? ret->text : "without a word");
	json_decref(root);
	return ok;
}

const struct cairn_provider cairn_provider_anthropic = {
    .name = "anthropic",
    .path = "/messages",
    .probe_path = "/models",
    .key_header = "x-api-key: ",
    .headers = {"anthropic-version: 2023-06-01"},
    .write_prefix = write_prefix,
    .write_body = write_body,
    .read_reply = read_reply,
};
