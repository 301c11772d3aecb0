/* gemini.c - Google Gemini generateContent. Its schemas are a subset of OpenAPI 3.0: types in capitals,
 * nullable instead of a type list, no additionalProperties, enum for texts only. */
#include "common/vlm/provider.h"

#include <string.h>

static void write_enum(struct cairn_text *out, const struct cairn_tool_param *p)
{
	cairn_text_add(out, ",\"enum\":[");
	for (int i = 0; p->words[i] != NULL; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, p->words[i]);
	}
	cairn_text_add(out, "]");
}

static void write_param(struct cairn_text *out, const struct cairn_tool_param *p)
{
	static const char *const types[CAIRN_PARAM_KINDS] = {[CAIRN_PARAM_WORD] = "STRING",
	    [CAIRN_PARAM_STEP] = "INTEGER",
	    [CAIRN_PARAM_NUMBER] = "NUMBER",
	    [CAIRN_PARAM_INTEGER] = "INTEGER",
	    [CAIRN_PARAM_TEXT] = "STRING",
	    [CAIRN_PARAM_PLACE] = "STRING",
	    [CAIRN_PARAM_GOAL] = "STRING",
	    [CAIRN_PARAM_SPOT] = "STRING",
	    [CAIRN_PARAM_FLAG] = "BOOLEAN",
	    [CAIRN_PARAM_LIST] = "ARRAY"};
	cairn_text_json_string(out, p->name);
	cairn_text_addf(out, ":{\"type\":\"%s\"%s", types[p->kind], p->optional ? ",\"nullable\":true" : "");
	if (p->kind == CAIRN_PARAM_WORD)
		write_enum(out, p);
	else if (p->kind == CAIRN_PARAM_NUMBER)
		cairn_text_addf(out, ",\"minimum\":%g,\"maximum\":%g", p->min, p->max);
	else if (p->kind == CAIRN_PARAM_LIST)
		cairn_text_add(out, ",\"items\":{\"type\":\"STRING\"}");
	cairn_text_add(out, ",\"description\":\"");
	cairn_text_json(out, p->doc, strlen(p->doc));
	for (int i = 0; i < p->step_count && p->kind == CAIRN_PARAM_STEP; i++)
		cairn_text_addf(out, "%s%g", i > 0 ? ", " : "; one of ", p->steps[i]);
	cairn_text_add(out, "\"}");
}

static void write_tool(struct cairn_text *out, const struct cairn_tool_row *row)
{
	cairn_text_addf(out, "{\"name\":\"%s\",\"description\":", row->name);
	cairn_text_json_string(out, row->doc);
	cairn_text_add(out, ",\"parameters\":{\"type\":\"OBJECT\",\"properties\":{");
	write_param(out, &cairn_tool_reasoning);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		write_param(out, &row->params[i]);
	}
	cairn_text_add(out, "},\"required\":[");
	cairn_text_json_string(out, cairn_tool_reasoning.name);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		cairn_text_json_string(out, row->params[i].name);
	}
	cairn_text_add(out, "]}}");
}

/* The model's name is in the URL. */
static void write_prefix(struct cairn_text *out, const struct cairn_prefix *prefix)
{
	cairn_text_add(out, "{\"systemInstruction\":{\"parts\":[{\"text\":");
	cairn_text_json_string(out, prefix->system);
	cairn_text_add(out, "}]}");
	if (prefix->tools != NULL) {
		cairn_text_add(out, ",\"tools\":[{\"functionDeclarations\":[");
		bool first = true;
		for (int t = 0; t < prefix->tools->count; t++) {
			if ((prefix->never & CAIRN_TOOL_BIT(t)) != 0)
				continue;
			cairn_text_add(out, first ? "" : ",");
			first = false;
			write_tool(out, &prefix->tools->rows[t]);
		}
		cairn_text_add(out, "]}]");
	}
	cairn_text_addf(out, ",\"generationConfig\":{\"maxOutputTokens\":%d", prefix->max_output_tokens);
	if (prefix->has_temperature)
		cairn_text_addf(out, ",\"temperature\":%.3g", prefix->temperature);
	if (prefix->profile->thinking_tokens >= 0)
		cairn_text_addf(out, ",\"thinkingConfig\":{\"thinkingBudget\":%d}",
		    (int)prefix->profile->thinking_tokens);
}

static void write_head(struct cairn_text *out, const char *kind, const char *id, const char *name)
{
	cairn_text_addf(out, "{\"%s\":{", kind);
	if (id[0] != '\0') {
		cairn_text_add(out, "\"id\":");
		cairn_text_json_string(out, id);
		cairn_text_add(out, ",");
	}
	cairn_text_addf(out, "\"name\":\"%s\",", name);
}

static const char *write_text(struct cairn_text *out, const char *comma, const char *text)
{
	if (text == NULL)
		return comma;
	cairn_text_addf(out, "%s{\"text\":", comma);
	cairn_text_json_string(out, text);
	cairn_text_add(out, "}");
	return ",";
}

static void write_model_turn(struct cairn_text *out, const struct cairn_turn *turn)
{
	cairn_text_add(out, "{\"role\":\"model\",\"parts\":[");
	const char *comma = write_text(out, "", turn->text);
	for (int i = 0; i < turn->call_count; i++, comma = ",") {
		const struct cairn_turn_call *call = &turn->calls[i];
		cairn_text_add(out, comma);
		write_head(out, "functionCall", call->id, call->name);
		cairn_text_addf(out, "\"args\":%s}", call->arguments);
		if (call->signature != NULL && call->signature[0] != '\0') {
			cairn_text_add(out, ",\"thoughtSignature\":");
			cairn_text_json_string(out, call->signature);
		}
		cairn_text_add(out, "}");
	}
	cairn_text_add(out, "]}");
}

static void write_user_turn(struct cairn_text *out, const struct cairn_turn *turn)
{
	const char *comma = "";
	cairn_text_add(out, "{\"role\":\"user\",\"parts\":[");
	for (int i = 0; i < turn->answer_count; i++, comma = ",") {
		cairn_text_add(out, comma);
		write_head(out, "functionResponse", turn->answers[i].id, turn->answers[i].name);
		cairn_text_add(out, "\"response\":{\"result\":");
		cairn_text_json_string(out, turn->answers[i].text);
		cairn_text_add(out, "}}}");
	}
	comma = write_text(out, comma, turn->text);
	for (int i = 0; i < turn->image_count; i++, comma = ",") {
		const struct cairn_request_image *image = &turn->images[i];
		comma = write_text(out, comma, image->caption);
		cairn_text_addf(out, "%s{\"inlineData\":{\"mimeType\":\"image/jpeg\",\"data\":\"", comma);
		cairn_text_base64(out, image->jpeg, image->bytes);
		cairn_text_add(out, "\"}}");
	}
	cairn_text_add(out, "]}");
}

static void write_tool_config(struct cairn_text *out, const struct cairn_request *request)
{
	cairn_text_add(out, ",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"ANY\"");
	if (request->only != 0) {
		cairn_text_add(out, ",\"allowedFunctionNames\":[");
		for (int t = 0, n = 0; t < request->tools->count; t++) {
			if (cairn_tool_in(request->only, t))
				cairn_text_addf(
				    out, "%s\"%s\"", n++ > 0 ? "," : "", request->tools->rows[t].name);
		}
		cairn_text_add(out, "]");
	}
	cairn_text_add(out, "}}");
}

/* One word for all pictures of a request. */
static const char *resolution(const struct cairn_request *request)
{
	bool any = false, high = false;
	for (int t = 0; t < request->turn_count; t++) {
		any |= request->turns[t].image_count > 0;
		for (int i = 0; i < request->turns[t].image_count; i++)
			high |= request->turns[t].images[i].detail_high;
	}
	return !any   ? ""
	       : high ? ",\"mediaResolution\":\"MEDIA_RESOLUTION_HIGH\""
		      : ",\"mediaResolution\":\"MEDIA_RESOLUTION_LOW\"";
}

static void write_body(struct cairn_text *out, const struct cairn_text *prefix,
    const struct cairn_profile *profile, const struct cairn_request *request)
{
	(void)profile;
	cairn_text_clear(out);
	cairn_text_bytes(out, prefix->data, prefix->len);
	cairn_text_addf(out, "%s},\"contents\":[", resolution(request));
	for (int i = 0; i < request->turn_count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		if (request->turns[i].role == CAIRN_TURN_MODEL)
			write_model_turn(out, &request->turns[i]);
		else
			write_user_turn(out, &request->turns[i]);
	}
	cairn_text_add(out, "]");
	if (request->tools != NULL)
		write_tool_config(out, request);
	cairn_text_add(out, "}");
}

/* ---- reading ---- */

static void read_usage(const json_t *root, struct cairn_usage *usage)
{
	const json_t *u = json_object_get(root, "usageMetadata");
	usage->tokens_in = cairn_json_count(u, "promptTokenCount");
	usage->tokens_cached = cairn_json_count(u, "cachedContentTokenCount");
	usage->tokens_out =
	    cairn_json_count(u, "candidatesTokenCount") + cairn_json_count(u, "thoughtsTokenCount");
	if (usage->tokens_cached > usage->tokens_in)
		usage->tokens_cached = usage->tokens_in;
}

static void read_call(const json_t *part, const json_t *function, struct cairn_reply *ret)
{
	struct cairn_reply_call *call = cairn_reply_keep(ret, json_object_get(function, "name"));
	if (call == NULL)
		return;
	json_t *args = json_object_get(function, "args");
	const json_t *signature = json_object_get(part, "thoughtSignature");
	cairn_json_line(call->id, sizeof(call->id), json_object_get(function, "id"));
	if (json_is_string(signature) && json_string_length(signature) < sizeof(call->signature))
		snprintf(call->signature, sizeof(call->signature), "%s", json_string_value(signature));
	if (call->name[0] == '\0')
		snprintf(call->problem, sizeof(call->problem), "a function call without a name");
	else if (args == NULL || json_is_null(args))
		call->arguments = json_object(); /* left out when empty */
	else if (!json_is_object(args))
		snprintf(call->problem, sizeof(call->problem), "args is not an object");
	else
		call->arguments = json_incref(args);
}

static void read_finish(const json_t *candidate, struct cairn_reply *ret)
{
	static const char *const filters[] = {
	    "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"};
	char word[64] = "";
	cairn_json_line(word, sizeof(word), json_object_get(candidate, "finishReason"));
	ret->truncated = strcmp(word, "MAX_TOKENS") == 0;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		ret->filtered |= strcmp(word, filters[i]) == 0;
	if (ret->calls_total == 0 && !ret->truncated && !ret->filtered && word[0] != '\0' &&
	    strcmp(word, "STOP") != 0)
		snprintf(ret->refusal, sizeof(ret->refusal), "finishReason %.60s", word);
}

static bool read_candidate(const json_t *root, struct cairn_reply *ret, struct cairn_error *err)
{
	const json_t *candidate = json_array_get(json_object_get(root, "candidates"), 0);
	const json_t *parts = json_object_get(json_object_get(candidate, "content"), "parts");
	char blocked[80] = "";
	cairn_json_line(blocked, sizeof(blocked),
	    json_object_get(json_object_get(root, "promptFeedback"), "blockReason"));
	if (!json_is_object(candidate)) {
		cairn_error_set(err,
		    blocked[0] != '\0' ? "the request was blocked: %s" : "no candidates[0] in the response%s",
		    blocked);
		return false;
	}
	for (size_t i = 0; i < json_array_size(parts); i++) {
		const json_t *part = json_array_get(parts, i);
		const json_t *function = json_object_get(part, "functionCall");
		if (json_is_true(json_object_get(part, "thought")))
			continue;
		if (json_is_object(function))
			read_call(part, function, ret);
		else
			cairn_reply_say(ret, json_object_get(part, "text"));
	}
	read_finish(candidate, ret);
	return true;
}

static bool read_reply(const char *body, size_t count, struct cairn_reply *ret, struct cairn_error *err)
{
	*ret = (struct cairn_reply){0};
	json_t *root = cairn_json_parse(body, count, CAIRN_RESPONSE_BYTES_MAX, err);
	if (root == NULL)
		return false;
	read_usage(root, &ret->usage);
	bool ok = read_candidate(root, ret, err);
	json_decref(root);
	return ok;
}

const struct cairn_provider cairn_provider_gemini = {
    .name = "gemini",
    .path = "/models/%s:generateContent",
    .probe_path = "/models/%s",
    .key_header = "x-goog-api-key: ",
    .write_prefix = write_prefix,
    .write_body = write_body,
    .read_reply = read_reply,
};
