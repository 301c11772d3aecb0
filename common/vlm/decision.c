#include "common/vlm/decision.h"

#include <stdarg.h>
#include <string.h>

#include "common/vlm/json_answer.h"

void cairn_answer_stop(struct cairn_answer *ret, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(ret->problem, sizeof(ret->problem), fmt, ap);
	va_end(ap);
	ret->kind = CAIRN_ANSWER_STOP;
	ret->has_report = ret->has_fallback = false;
	ret->update.items_count = 0;
	ret->main = (struct cairn_tool_call){.tool = CAIRN_TOOL_STOP_ROBOT};
}

static bool take_call(const struct cairn_reply_call *in, bool *has_main, struct cairn_answer *ret)
{
	struct cairn_error why = {""};
	if (in->problem[0] != '\0') {
		cairn_answer_stop(ret, "%s", in->problem);
		return false;
	}
	int tool = cairn_enum_parse(&cairn_enum_tool, in->name);
	if (tool < 0) {
		cairn_answer_stop(ret, "unknown tool '%.40s'", in->name);
		return false;
	}
	bool report = tool == CAIRN_TOOL_REPORT_DISCOVERY;
	if (report ? ret->has_report : *has_main) {
		cairn_answer_stop(
		    ret, report ? "more than one report_discovery" : "more than one action in one answer");
		return false;
	}
	struct cairn_tool_call call;
	if (!cairn_tool_check((enum cairn_tool)tool, in->arguments, &call, &why)) {
		cairn_answer_stop(ret, "%.150s", why.text);
		return false;
	}
	*(report ? &ret->report : &ret->main) = call;
	memcpy(report ? ret->report_id : ret->main_id, in->id, sizeof(in->id));
	memcpy(report ? ret->report_signature : ret->main_signature, in->signature, sizeof(in->signature));
	*(report ? &ret->has_report : has_main) = true;
	return true;
}

/* False, with a STOP, for an answer that the service itself calls incomplete. */
static bool is_whole(const struct cairn_reply *reply, struct cairn_answer *ret)
{
	if (reply->refusal[0] != '\0')
		cairn_answer_stop(ret, "the model refused: %.120s", reply->refusal);
	else if (reply->truncated || reply->filtered)
		cairn_answer_stop(ret, "%s",
		    reply->truncated ? "the answer was cut off at the token limit"
				     : "the answer was filtered");
	else
		return true;
	return false;
}

void cairn_answer_from_reply(const struct cairn_reply *reply, bool actions_only, struct cairn_answer *ret)
{
	*ret = (struct cairn_answer){.usage = reply->usage};
	cairn_text_clean(ret->reasoning, sizeof(ret->reasoning), reply->text, strlen(reply->text));
	if (!is_whole(reply, ret))
		return;
	if (reply->calls_total == 0 || reply->calls_total > 2) {
		cairn_answer_stop(ret,
		    reply->calls_total == 0 ? "no tool call in the answer" : "%u tool calls in one answer",
		    reply->calls_total);
		return;
	}
	bool has_main = false;
	for (uint32_t i = 0; i < reply->call_count; i++) {
		if (!take_call(&reply->calls[i], &has_main, ret))
			return;
	}
	if (!has_main)
		ret->kind = CAIRN_ANSWER_REPORT;
	else
		ret->kind = cairn_tools[ret->main.tool].action ? CAIRN_ANSWER_ACTION : CAIRN_ANSWER_PERCEIVE;
	if (actions_only && ret->kind != CAIRN_ANSWER_ACTION)
		cairn_answer_stop(ret, "no action although one was asked for");
}

void cairn_answer_parse(const struct cairn_provider *provider, const char *body, size_t count,
    bool actions_only, struct cairn_answer *ret)
{
	struct cairn_reply reply;
	struct cairn_error why = {""};
	if (provider->read_reply(body, count, &reply, &why)) {
		cairn_answer_from_reply(&reply, actions_only, ret);
	} else {
		*ret = (struct cairn_answer){.usage = reply.usage};
		cairn_answer_stop(ret, "%.150s", why.text);
	}
	cairn_reply_clear(&reply);
}

void cairn_answer_parse_text(const struct cairn_provider *provider, const char *body, size_t count,
    bool actions_only, bool candidates, struct cairn_answer *ret)
{
	struct cairn_reply reply;
	struct cairn_error why = {""};
	bool read = provider->read_reply(body, count, &reply, &why);
	*ret = (struct cairn_answer){.usage = reply.usage};
	if (!read)
		cairn_answer_stop(ret, "%.150s", why.text);
	else if (is_whole(&reply, ret) && reply.raw.failed)
		cairn_answer_stop(ret, "out of memory");
	else if (is_whole(&reply, ret))
		cairn_answer_from_text(reply.raw.data != NULL ? reply.raw.data : "", reply.raw.len,
		    actions_only, candidates, ret);
	cairn_reply_clear(&reply);
}

void cairn_decision_from_answer(const struct cairn_answer *answer, struct cairn_msg_decision *ret)
{
	const struct cairn_tool_call *c = &answer->main;
	*ret = (struct cairn_msg_decision){.source = CAIRN_SOURCE_MODEL, .tool = c->tool};
	snprintf(ret->reasoning, sizeof(ret->reasoning), "%s", answer->reasoning);
	switch (c->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		ret->direction = (enum cairn_direction)c->direction;
		ret->speed = (enum cairn_speed)c->speed;
		ret->duration_s = c->duration_s;
		break;
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		ret->goal_kind = (enum cairn_goal_kind)c->goal_kind;
		ret->frontier_id = c->has_frontier_id ? (uint32_t)c->frontier_id : 0;
		ret->candidate_id = c->has_candidate_id ? (uint32_t)c->candidate_id : 0;
		ret->x_m = c->x_m;
		ret->y_m = c->y_m;
		snprintf(ret->reason, sizeof(ret->reason), "%s", c->reason);
		break;
	case CAIRN_TOOL_ROTATE:
		ret->angle_deg = c->angle_deg;
		break;
	case CAIRN_TOOL_STOP_ROBOT:
		if (answer->kind == CAIRN_ANSWER_STOP)
			snprintf(ret->reason, sizeof(ret->reason), "%s", answer->problem);
		else
			snprintf(ret->reason, sizeof(ret->reason), "%s",
			    cairn_tools[CAIRN_TOOL_STOP_ROBOT].params[0].words[c->stop_reason]);
		break;
	case CAIRN_TOOL_DEFINE_ZONE:
		ret->zone_kind = (enum cairn_zone_kind)c->zone_kind;
		ret->zone_significance = (uint32_t)c->significance;
		memcpy(ret->zone_name, c->label, sizeof(ret->zone_name));
		break;
	case CAIRN_TOOL_OBSERVE_SCENE:
	case CAIRN_TOOL_CHECK_PATH_CLEAR:
	case CAIRN_TOOL_REPORT_DISCOVERY:
	case CAIRN_TOOL_COUNT:
		break;
	}
}

void cairn_decision_words(const struct cairn_msg_decision *d, char *dst, size_t cap)
{
	const char *name = cairn_tool_name(d->tool);
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD)
		snprintf(dst, cap, "%s %s %s %.1f s", name,
		    cairn_enum_text(&cairn_enum_direction, (int)d->direction),
		    cairn_enum_text(&cairn_enum_speed, (int)d->speed), d->duration_s);
	else if (d->tool == CAIRN_TOOL_ROTATE)
		snprintf(dst, cap, "%s %+.0f deg", name, d->angle_deg);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		snprintf(dst, cap, "%s F%u", name, d->frontier_id);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE)
		snprintf(dst, cap, "%s C%u", name, d->candidate_id);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_COORDINATES)
		snprintf(dst, cap, "%s x %.2f y %.2f", name, d->x_m, d->y_m);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL)
		snprintf(dst, cap, "%s retrace", name);
	else if (d->tool == CAIRN_TOOL_DEFINE_ZONE)
		snprintf(dst, cap, "%s %s '%.48s'", name,
		    cairn_enum_text(&cairn_enum_zone_kind, (int)d->zone_kind), d->zone_name);
	else
		snprintf(dst, cap, "%s%s%.100s", name, d->reason[0] != '\0' ? ": " : "", d->reason);
}
