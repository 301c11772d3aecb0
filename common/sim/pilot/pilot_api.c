#include "common/sim/pilot/pilot_api.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/sim/pilot/pilot_json.h"
#include "common/sim/pilot/pilot_request.h"
#include "common/sim/pilot/pilot_scholar.h"
#include "common/vlm/tokens.h"

static const char *const fault_words[CAIRN_PILOT_FAULT_COUNT] = {"none", "slow", "hang", "drop", "429", "500",
    "malformed", "types", "unknown", "unsafe", "repeat", "fence", "think", "prose", "sloppy", "synonyms"};

const char *cairn_pilot_fault_word(enum cairn_pilot_fault fault)
{
	return fault_words[fault];
}

static bool parse_faults(struct cairn_pilot_api *api, const char *list, struct cairn_error *err)
{
	for (const char *at = list; *at != '\0';) {
		at += strspn(at, ", ");
		size_t n = strcspn(at, ", ");
		bool found = n == 0;
		for (int f = CAIRN_PILOT_FAULT_NONE + 1; f < CAIRN_PILOT_FAULT_COUNT && n > 0; f++) {
			if (strlen(fault_words[f]) != n || memcmp(fault_words[f], at, n) != 0)
				continue;
			found = true;
			if (api->fault_count < CAIRN_PILOT_FAULT_COUNT)
				api->faults[api->fault_count++] = (enum cairn_pilot_fault)f;
		}
		if (!found) {
			cairn_error_set(err,
			    "pilot.faults: '%.*s' is none of slow hang drop 429 500 malformed types unknown "
			    "unsafe repeat fence think prose sloppy synonyms",
			    (int)n, at);
			return false;
		}
		at += n;
	}
	for (int f = CAIRN_PILOT_FAULT_NONE + 1; f < CAIRN_PILOT_FAULT_COUNT && list[0] == '\0'; f++)
		api->faults[api->fault_count++] = (enum cairn_pilot_fault)f;
	return true;
}

bool cairn_pilot_api_init(
    struct cairn_pilot_api *api, const struct cairn_config_pilot *cfg, struct cairn_error *err)
{
	*api = (struct cairn_pilot_api){.cfg = *cfg};
	cairn_pilot_init(&api->pilot, cfg->profile, (uint64_t)cfg->seed);
	cairn_rng_seed(&api->rng, (uint64_t)cfg->seed, 23);
	return parse_faults(api, cfg->faults, err);
}

/* ---- bodies ---- */

static void write_error(
    struct cairn_text *out, const char *message, const char *type, const char *param, const char *code)
{
	cairn_text_clear(out);
	cairn_text_add(out, "{\"error\":{\"message\":");
	cairn_text_json_string(out, message);
	cairn_text_add(out, ",\"type\":");
	cairn_text_json_string(out, type);
	cairn_text_add(out, ",\"param\":");
	if (param[0] != '\0')
		cairn_text_json_string(out, param);
	else
		cairn_text_add(out, "null");
	cairn_text_add(out, ",\"code\":");
	if (code[0] != '\0')
		cairn_text_json_string(out, code);
	else
		cairn_text_add(out, "null");
	cairn_text_add(out, "}}");
}

/* Returns the tokens of it. */
static uint64_t write_call(
    struct cairn_text *out, uint64_t n, int index, const char *name, const char *arguments)
{
	cairn_text_addf(out,
	    "%s{\"id\":\"call_%" PRIu64
	    "_%d\",\"type\":\"function\",\"function\":{\"name\":\"%s\",\"arguments\":",
	    index > 0 ? "," : "", n, index, name);
	cairn_text_json_string(out, arguments);
	cairn_text_add(out, "}}");
	return CAIRN_TOKENS_MESSAGE + cairn_tokens_text(name, strlen(name)) +
	       cairn_tokens_json(arguments, strlen(arguments));
}

static uint64_t write_calls(struct cairn_text *out, const struct cairn_pilot_api *api,
    const struct cairn_pilot_choice *choice, enum cairn_pilot_fault fault)
{
	struct cairn_text arguments = {0};
	cairn_tool_arguments(&arguments, &choice->call);
	const char *name = cairn_tool_name(choice->call.tool),
		   *text = arguments.data != NULL ? arguments.data : "{}";
	if (fault == CAIRN_PILOT_FAULT_UNKNOWN)
		name = "fly_to";
	else if (fault == CAIRN_PILOT_FAULT_TYPES)
		text = "{\"direction\":7,\"speed\":[\"fast\"],\"duration_s\":\"long\",\"kind\":{},\"angle_"
		       "deg\":null,\"reason\":1e400}";
	uint64_t tokens = write_call(out, api->requests, 0, name, text);
	if (choice->has_report) {
		cairn_text_clear(&arguments);
		cairn_tool_arguments(&arguments, &choice->report);
		tokens += write_call(out, api->requests, 1, cairn_tool_name(choice->report.tool),
		    arguments.data != NULL ? arguments.data : "{}");
	}
	out->failed |= arguments.failed;
	cairn_text_free(&arguments);
	return tokens;
}

/* The whole answer of a model that has no tools; the tokens of it. Beside a call that was asked for a model says nothing: its reasons
 * are an argument of the call. */
static uint64_t write_content(struct cairn_text *out, const struct cairn_pilot_request *req,
    const struct cairn_pilot_choice *choice, enum cairn_pilot_fault fault)
{
	struct cairn_text json = {0};
	if (req->tools_given) {
		cairn_text_add(out, "null");
		return 0;
	}
	bool describe =
	    req->prompt.data != NULL && strncmp(req->prompt.data, "Look for:", 9) == 0; /* observe_scene */
	if (!describe)
		cairn_pilot_json(&json, choice, fault);
	const char *text = describe            ? "I am a script and see no pictures."
			   : json.data != NULL ? json.data
					       : choice->text;
	uint64_t tokens = cairn_tokens_text(text, strlen(text));
	cairn_text_json_string(out, text);
	out->failed |= json.failed;
	cairn_text_free(&json);
	return tokens;
}

static void write_head(struct cairn_pilot_api *api, const struct cairn_pilot_request *req, int64_t t_unix_s,
    struct cairn_text *out)
{
	cairn_text_clear(out);
	cairn_text_addf(out,
	    "{\"id\":\"chatcmpl-pilot-%" PRIu64 "\",\"object\":\"chat.completion\",\"created\":%" PRId64
	    ",\"model\":",
	    api->requests, t_unix_s);
	cairn_text_json_string(out, req->model);
	cairn_text_addf(out,
	    ",\"choices\":[{\"index\":0,\"finish_reason\":\"%s\",\"logprobs\":null,\"message\":{\"role\":"
	    "\"assistant\",\"content\":",
	    req->tools_given ? "tool_calls" : "stop");
}

/* The end of the body: made, the tokens of the answer. */
static void write_usage(
    struct cairn_pilot_api *api, const struct cairn_pilot_request *req, uint64_t made, struct cairn_text *out)
{
	uint64_t in = req->tokens, cached = 0;
	/* The longest beginning that is equal: a follow-up repeats the question before it. */
	if (api->prefix_hash == req->prefix_hash)
		cached = cairn_tokens_cached(
		    req->prefix_tokens + (api->context_hash == req->context_hash ? req->context_tokens : 0));
	cached = cached < in ? cached : in;
	api->prefix_hash = req->prefix_hash;
	api->context_hash = req->context_hash;
	cairn_text_addf(out,
	    "}}],\"usage\":{\"prompt_tokens\":%" PRIu64 ",\"completion_tokens\":%" PRIu64
	    ",\"total_tokens\":%" PRIu64 ",\"prompt_tokens_details\":{\"cached_tokens\":%" PRIu64
	    ",\"audio_tokens\":0},\"completion_tokens_details\":{\"reasoning_tokens\":0}}}",
	    in, made, in + made, cached);
}

static void write_completion(struct cairn_pilot_api *api, const struct cairn_pilot_request *req,
    const struct cairn_pilot_choice *choice, int64_t t_unix_s, struct cairn_pilot_answer *ret)
{
	struct cairn_text *out = &ret->body;
	write_head(api, req, t_unix_s, out);
	uint64_t made = write_content(out, req, choice, ret->fault);
	cairn_text_add(out, ",\"refusal\":null");
	if (req->tools_given) {
		cairn_text_add(out, ",\"tool_calls\":[");
		made += write_calls(out, api, choice, ret->fault);
		cairn_text_add(out, "]");
	}
	write_usage(api, req, made, out);
}

/* ---- behaviour ---- */

static double latency_s(struct cairn_pilot_api *api)
{
	double mean = api->cfg.latency_mean_s, sigma = api->cfg.latency_sigma;
	if (mean <= 0.0)
		return 0.0;
	return exp(log(mean) - 0.5 * sigma * sigma + sigma * cairn_rng_normal(&api->rng));
}

/* With tools there is no text to spoil. */
static enum cairn_pilot_fault pick_fault(struct cairn_pilot_api *api, bool tools)
{
	if (api->fault_count == 0 || cairn_rng_uniform(&api->rng) >= api->cfg.fault_share)
		return CAIRN_PILOT_FAULT_NONE;
	enum cairn_pilot_fault fault = api->faults[cairn_rng_u32(&api->rng) % (uint32_t)api->fault_count];
	if (tools && fault >= CAIRN_PILOT_FAULT_FENCE)
		return CAIRN_PILOT_FAULT_NONE;
	api->faulty++;
	return fault;
}

/* A tool the request does not offer cannot be called; standing still is offered by every request that offers
 * actions. */
static void keep_to_offer(const struct cairn_pilot_request *req, struct cairn_pilot_choice *choice)
{
	choice->has_report = choice->has_report && req->offered[CAIRN_TOOL_REPORT_DISCOVERY];
	if (choice->has_report && req->one_call) { /* the report now, the action when asked again */
		choice->call = choice->report;
		choice->has_report = false;
	}
	if (req->tools_given && !req->offered[choice->call.tool]) {
		choice->call = (struct cairn_tool_call){.tool = CAIRN_TOOL_STOP_ROBOT, .stop_reason = 2};
		snprintf(
		    choice->text, sizeof(choice->text), "None of the tools offered fits. I stand still.");
	}
}

static void spoil(struct cairn_pilot_api *api, struct cairn_pilot_answer *ret)
{
	switch (ret->fault) {
	case CAIRN_PILOT_FAULT_SLOW:
		ret->delay_s += 3.0 + 9.0 * cairn_rng_uniform(&api->rng);
		break;
	case CAIRN_PILOT_FAULT_HANG:
		ret->delay_s = CAIRN_PILOT_HANG_S;
		ret->drop = true;
		break;
	case CAIRN_PILOT_FAULT_DROP:
		ret->drop = true;
		break;
	case CAIRN_PILOT_FAULT_429:
		ret->status = 429;
		ret->retry_after_s = 1.0;
		write_error(&ret->body, "Rate limit reached, as configured by pilot.faults.", "requests", "",
		    "rate_limit_exceeded");
		break;
	case CAIRN_PILOT_FAULT_500:
		ret->status = 500;
		write_error(&ret->body, "The server had an error, as configured by pilot.faults.",
		    "server_error", "", "");
		break;
	case CAIRN_PILOT_FAULT_MALFORMED:
		cairn_text_truncate(
		    &ret->body, (size_t)(cairn_rng_uniform(&api->rng) * (double)ret->body.len));
		break;
	case CAIRN_PILOT_FAULT_NONE:
	case CAIRN_PILOT_FAULT_TYPES:
	case CAIRN_PILOT_FAULT_UNKNOWN:
	case CAIRN_PILOT_FAULT_UNSAFE:
	case CAIRN_PILOT_FAULT_REPEAT:
	case CAIRN_PILOT_FAULT_FENCE:
	case CAIRN_PILOT_FAULT_THINK:
	case CAIRN_PILOT_FAULT_PROSE:
	case CAIRN_PILOT_FAULT_SLOPPY:
	case CAIRN_PILOT_FAULT_SYNONYMS:
	case CAIRN_PILOT_FAULT_COUNT:
		break;
	}
}

/* A query of the agent's, for the profile that knows how to answer one. False: it is none. */
static bool ask_scholar(struct cairn_pilot_api *api, const struct cairn_pilot_request *req, int64_t t_unix_s,
    struct cairn_pilot_answer *ret)
{
	struct cairn_text arguments = {0};
	char tool[64] = "";
	bool ok = api->pilot.profile == CAIRN_CHOICE_PILOT_SCHOLAR && req->tools_given &&
		  req->said.data != NULL && req->names.data != NULL &&
		  cairn_scholar_answer(req->said.data, req->names.data, tool, &arguments);
	if (ok) {
		struct cairn_text *out = &ret->body;
		bool unknown = ret->fault == CAIRN_PILOT_FAULT_UNKNOWN,
		     types = ret->fault == CAIRN_PILOT_FAULT_TYPES;
		write_head(api, req, t_unix_s, out);
		cairn_text_add(out, "null,\"refusal\":null,\"tool_calls\":[");
		uint64_t made = write_call(out, api->requests, 0, unknown ? "fly_to" : tool,
		    types ? "{\"kind\":7}" : arguments.data);
		cairn_text_add(out, "]");
		write_usage(api, req, made, out);
		out->failed |= arguments.failed;
		ret->status = 200;
		ret->delay_s = latency_s(api);
		spoil(api, ret);
		snprintf(ret->summary, sizeof(ret->summary), "%s%s%s", tool,
		    ret->fault != CAIRN_PILOT_FAULT_NONE ? ", fault " : "",
		    ret->fault != CAIRN_PILOT_FAULT_NONE ? cairn_pilot_fault_word(ret->fault) : "");
	}
	cairn_text_free(&arguments);
	return ok;
}

static void complete(struct cairn_pilot_api *api, const struct cairn_pilot_request *req, int64_t t_unix_s,
    struct cairn_pilot_answer *ret)
{
	struct cairn_pilot_view view;
	struct cairn_pilot_choice choice;
	enum cairn_choice_pilot profile = api->pilot.profile;
	ret->fault = pick_fault(api, req->tools_given);
	if (ret->fault == CAIRN_PILOT_FAULT_UNSAFE)
		profile = CAIRN_CHOICE_PILOT_UNSAFE;
	else if (ret->fault == CAIRN_PILOT_FAULT_REPEAT)
		profile = CAIRN_CHOICE_PILOT_REPEAT;
	if (ask_scholar(api, req, t_unix_s, ret))
		return;
	cairn_pilot_read(&view, req->prompt.data != NULL ? req->prompt.data : "", req->prompt.len);
	cairn_pilot_choose_as(&api->pilot, profile, &view, &choice);
	keep_to_offer(req, &choice);
	ret->status = 200;
	write_completion(api, req, &choice, t_unix_s, ret);
	ret->delay_s = latency_s(api);
	spoil(api, ret);
	snprintf(ret->summary, sizeof(ret->summary), "%s%s%s", cairn_tool_name(choice.call.tool),
	    ret->fault != CAIRN_PILOT_FAULT_NONE ? ", fault " : "",
	    ret->fault != CAIRN_PILOT_FAULT_NONE ? cairn_pilot_fault_word(ret->fault) : "");
}

static void answer_chat(struct cairn_pilot_api *api, const char *body, size_t count, int64_t t_unix_s,
    struct cairn_pilot_answer *ret)
{
	struct cairn_pilot_request req;
	struct cairn_error why = {""};
	char param[64];
	if (cairn_pilot_request_parse(body, count, &req, param, &why)) {
		if (api->cfg.picture_tokens > 0) {
			uint64_t tokens = req.pictures * (uint64_t)api->cfg.picture_tokens;
			req.tokens = req.tokens - req.picture_tokens + tokens;
			req.context_tokens = req.context_tokens - req.picture_tokens + tokens;
		}
		complete(api, &req, t_unix_s, ret);
	} else {
		ret->status = 400;
		write_error(&ret->body, why.text, "invalid_request_error", param, "");
		snprintf(ret->summary, sizeof(ret->summary), "refused: %.120s", why.text);
	}
	cairn_text_free(&req.prompt);
	cairn_text_free(&req.said);
	cairn_text_free(&req.names);
}

void cairn_pilot_api_answer(struct cairn_pilot_api *api, const char *method, const char *path,
    const char *body, size_t count, int64_t t_unix_s, struct cairn_pilot_answer *ret)
{
	struct cairn_text keep = ret->body;
	*ret = (struct cairn_pilot_answer){.body = keep, .status = 200, .retry_after_s = -1.0};
	bool chat = strcmp(path, "/v1/chat/completions") == 0, models = strcmp(path, "/v1/models") == 0;
	api->requests++;
	if (chat && strcmp(method, "POST") == 0) {
		answer_chat(api, body, count, t_unix_s, ret);
	} else if (models && strcmp(method, "GET") == 0) {
		cairn_text_clear(&ret->body);
		cairn_text_addf(&ret->body,
		    "{\"object\":\"list\",\"data\":[{\"id\":\"scripted-pilot\",\"object\":\"model\","
		    "\"created\":%" PRId64 ",\"owned_by\":\"cairn\"}]}",
		    t_unix_s);
		snprintf(ret->summary, sizeof(ret->summary), "models");
	} else {
		ret->status = chat || models ? 405 : 404;
		write_error(&ret->body,
		    chat || models ? "Not allowed to use this method here." : "Unknown request URL.",
		    "invalid_request_error", "", "");
		snprintf(ret->summary, sizeof(ret->summary), "status %d", ret->status);
	}
}
