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
	ret->has_fallback = false;
	ret->reports_count = 0;
	ret->update.items_count = 0;
	ret->main = (struct cairn_tool_call){.tool = CAIRN_TOOL_STOP_ROBOT};
}

static const char two_actions[] = "more than one action in one answer";

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
	if (!report && *has_main) {
		cairn_answer_stop(ret, two_actions);
		return false;
	}
	struct cairn_tool_call *call = report ? &ret->reports[ret->reports_count] : &ret->main;
	struct cairn_answer_handle *handle =
	    report ? &ret->report_handles[ret->reports_count] : &ret->main_handle;
	if (!cairn_tool_check((enum cairn_tool)tool, in->arguments, call, &why)) {
		cairn_answer_stop(ret, "%.150s", why.text);
		return false;
	}
	memcpy(handle->id, in->id, sizeof(handle->id));
	memcpy(handle->signature, in->signature, sizeof(handle->signature));
	ret->calls++;
	ret->left_out += call->left_out;
	ret->calls_without_reasoning += call->reasoning[0] == '\0';
	if (report)
		ret->reports_count++;
	else
		*has_main = true;
	return true;
}

/* What the calls say of themselves, the action first; else the words beside them. */
static void take_reasoning(struct cairn_answer *ret, bool has_main)
{
	const struct cairn_tool_call *c = has_main ? &ret->main : &ret->reports[0];
	if (c->reasoning[0] != '\0')
		snprintf(ret->reasoning, sizeof(ret->reasoning), "%s", c->reasoning);
}

static void take_fallback(struct cairn_answer *ret)
{
	if (ret->kind != CAIRN_ANSWER_ACTION || !ret->main.has_if_failed || ret->has_fallback)
		return;
	ret->has_fallback = true;
	ret->fallback = (struct cairn_tool_call){.tool = CAIRN_TOOL_NAVIGATE_TO_GOAL};
	cairn_tool_go(&ret->fallback, &ret->main.if_failed);
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
	if (reply->calls_total == 0) {
		cairn_answer_stop(ret, "no tool call in the answer");
		return;
	}
	bool has_main = false;
	for (uint32_t i = 0; i < reply->call_count; i++) {
		if (!take_call(&reply->calls[i], &has_main, ret))
			return;
	}
	if (reply->calls_total - reply->reports_total > 1) { /* the second one may not have been kept */
		cairn_answer_stop(ret, two_actions);
		return;
	}
	ret->left_out += reply->reports_total - ret->reports_count;
	if (!has_main)
		ret->kind = CAIRN_ANSWER_REPORT;
	else
		ret->kind = cairn_tools[ret->main.tool].action ? CAIRN_ANSWER_ACTION : CAIRN_ANSWER_PERCEIVE;
	take_reasoning(ret, has_main);
	take_fallback(ret);
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

static uint32_t id_of(double id)
{
	return id > 0.0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

bool cairn_answer_may_fall_back(enum cairn_tool tool)
{
	return tool == CAIRN_TOOL_MOVE_TOWARD || tool == CAIRN_TOOL_NAVIGATE_TO_GOAL ||
	       tool == CAIRN_TOOL_ROTATE || tool == CAIRN_TOOL_STOP_ROBOT;
}

static void put_fallback(const struct cairn_tool_call *c, struct cairn_msg_decision *ret)
{
	ret->has_fallback = true;
	ret->fallback_tool = c->tool;
	ret->fallback_direction = (enum cairn_direction)c->direction;
	ret->fallback_speed = (enum cairn_speed)c->speed;
	ret->fallback_duration_s = c->duration_s;
	ret->fallback_absolute = c->has_heading_deg;
	ret->fallback_angle_deg = c->has_heading_deg ? c->heading_deg : c->angle_deg;
	ret->fallback_goal_kind = (enum cairn_goal_kind)c->goal_kind;
	ret->fallback_frontier_id = c->has_frontier_id ? id_of(c->frontier_id) : 0;
	ret->fallback_candidate_id = c->has_candidate_id ? id_of(c->candidate_id) : 0;
	ret->fallback_x_m = c->x_m;
	ret->fallback_y_m = c->y_m;
}

void cairn_decision_from_answer(const struct cairn_answer *answer, struct cairn_msg_decision *ret)
{
	const struct cairn_tool_call *c = &answer->main;
	*ret = (struct cairn_msg_decision){.source = CAIRN_SOURCE_MODEL, .tool = c->tool};
	snprintf(ret->reasoning, sizeof(ret->reasoning), "%s", answer->reasoning);
	if (answer->has_fallback && c->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL)
		put_fallback(&answer->fallback, ret);
	switch (c->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		ret->direction = (enum cairn_direction)c->direction;
		ret->speed = (enum cairn_speed)c->speed;
		ret->duration_s = c->duration_s;
		break;
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		ret->goal_kind = (enum cairn_goal_kind)c->goal_kind;
		ret->frontier_id = c->has_frontier_id ? id_of(c->frontier_id) : 0;
		ret->candidate_id = c->has_candidate_id ? id_of(c->candidate_id) : 0;
		ret->x_m = c->x_m;
		ret->y_m = c->y_m;
		break;
	case CAIRN_TOOL_ROTATE:
		ret->absolute = c->has_heading_deg;
		ret->angle_deg = c->has_heading_deg ? c->heading_deg : c->angle_deg;
		break;
	case CAIRN_TOOL_FOLLOW_WALL:
		ret->direction = c->side == 0 ? CAIRN_DIRECTION_LEFT : CAIRN_DIRECTION_RIGHT;
		ret->distance_m = c->distance_m;
		break;
	case CAIRN_TOOL_REQUEST_HELP:
		snprintf(ret->reason, sizeof(ret->reason), "%s", c->notes);
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
	case CAIRN_TOOL_FIND_OBJECT_DISTANCE:
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
		snprintf(dst, cap, d->absolute ? "%s to %.0f deg" : "%s %+.0f deg", name, d->angle_deg);
	else if (d->tool == CAIRN_TOOL_FOLLOW_WALL)
		snprintf(dst, cap, "%s %s for %.1f m", name,
		    cairn_enum_text(&cairn_enum_direction, (int)d->direction), d->distance_m);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		snprintf(dst, cap, "%s F%u", name, d->frontier_id);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE)
		snprintf(dst, cap, "%s C%u", name, d->candidate_id);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && d->goal_kind == CAIRN_GOAL_KIND_COORDINATES)
		snprintf(dst, cap, "%s x %.2f y %.2f", name, d->x_m, d->y_m);
	else if (d->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL)
		snprintf(dst, cap, "%s %s", name, cairn_enum_text(&cairn_enum_goal_kind, (int)d->goal_kind));
	else if (d->tool == CAIRN_TOOL_DEFINE_ZONE)
		snprintf(dst, cap, "%s %s '%.48s'", name,
		    cairn_enum_text(&cairn_enum_zone_kind, (int)d->zone_kind), d->zone_name);
	else
		snprintf(dst, cap, "%s%s%.100s", name, d->reason[0] != '\0' ? ": " : "", d->reason);
}
