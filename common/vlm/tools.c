#include "common/vlm/tools.h"

#include <math.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct cairn_tool_call, member)
#define TEXT_AT(member) AT(member), .cap = sizeof(((struct cairn_tool_call *)0)->member)
#define HAS(member) .optional = true, .has_offset = offsetof(struct cairn_tool_call, member)

static const char *const direction_words[] = {
    "forward", "forward_left", "forward_right", "left", "right", "backward", NULL};
static const char *const speed_words[] = {"slow", "medium", "fast", NULL};
static const char *const goal_words[] = {"frontier", "coordinates", "retrace", "candidate", NULL};
static const char *const stop_words[] = {
    "obstacle", "unsafe", "uncertain", "goal_reached", "exploration_complete", NULL};
static const char *const focus_words[] = {"general", "doorways", "obstacles", "objects", "people", NULL};
static const char *const zone_words[] = {"keepout", "slowdown", NULL};
static const char *const significance_words[] = {"room", "object", "landmark", "hazard", NULL};
static const double angle_steps[] = {-180, -135, -90, -45, 45, 90, 135, 180};

const struct cairn_tool_row cairn_tools[CAIRN_TOOL_COUNT] = {
    [CAIRN_TOOL_STOP_ROBOT] = {CAIRN_TOOL_STOP_ROBOT, true,
	"Stand still. Only when no motion is safe or nothing is left to do: a robot that stands explores "
	"nothing.",
	1,
	{{.name = "reason", .kind = CAIRN_PARAM_WORD, .words = stop_words, AT(stop_reason), .doc = "why"}}},
    [CAIRN_TOOL_MOVE_TOWARD] = {CAIRN_TOOL_MOVE_TOWARD, true,
	"Drive one of six directions for a time. left and right are the tightest arcs the steering allows, "
	"not turns on "
	"the spot. Use it for short moves where no frontier fits, or to get out of a tight place.",
	3,
	{[0] = {.name = "direction",
	     .kind = CAIRN_PARAM_WORD,
	     .words = direction_words,
	     AT(direction),
	     .doc = "relative to where the robot faces"},
	    [1] = {.name = "speed",
		.kind = CAIRN_PARAM_WORD,
		.words = speed_words,
		AT(speed),
		.doc = "slow 0.08 m/s, medium 0.12 m/s, fast 0.18 m/s"},
	    [2] = {.name = "duration_s",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 1,
		.max = 8,
		AT(duration_s),
		.doc = "seconds"}}},
    [CAIRN_TOOL_NAVIGATE_TO_GOAL] = {CAIRN_TOOL_NAVIGATE_TO_GOAL, true,
	"Drive a planned, collision-checked path to a frontier of the FRONTIERS list (the usual choice), to "
	"a place of the "
	"CANDIDATES list, to a point of the map, or back along the way the robot came.",
	6,
	{[0] = {.name = "kind",
	     .kind = CAIRN_PARAM_WORD,
	     .words = goal_words,
	     AT(goal_kind),
	     .doc =
		 "frontier needs frontier_id; candidate needs candidate_id; coordinates needs x_m and y_m; "
		 "retrace needs none of them"},
	    [1] = {.name = "frontier_id",
		.kind = CAIRN_PARAM_INTEGER,
		.min = 0,
		.max = 4294967295.0,
		AT(frontier_id),
		HAS(has_frontier_id),
		.doc = "the number after F in the FRONTIERS list, else null"},
	    [2] = {.name = "x_m",
		.kind = CAIRN_PARAM_NUMBER,
		.min = -500,
		.max = 500,
		AT(x_m),
		HAS(has_x),
		.doc = "metres, map frame: +x is the way the robot faced at the start, else null"},
	    [3] = {.name = "y_m",
		.kind = CAIRN_PARAM_NUMBER,
		.min = -500,
		.max = 500,
		AT(y_m),
		HAS(has_y),
		.doc = "metres, map frame: +y is to its left at the start, else null"},
	    [4] = {.name = "candidate_id",
		.kind = CAIRN_PARAM_INTEGER,
		.min = 0,
		.max = 4294967295.0,
		AT(candidate_id),
		HAS(has_candidate_id),
		.doc = "the number after C in the CANDIDATES list, else null"},
	    [5] = {.name = "reason",
		.kind = CAIRN_PARAM_TEXT,
		.max = 120,
		TEXT_AT(reason),
		.optional = true,
		.doc = "a few words, or null"}}},
    [CAIRN_TOOL_ROTATE] = {CAIRN_TOOL_ROTATE, true,
	"Turn by an angle; the car needs room for it and does it as a turn in several moves. Negative is "
	"left.",
	1,
	{{.name = "angle_deg",
	    .kind = CAIRN_PARAM_STEP,
	    .steps = angle_steps,
	    .step_count = 8,
	    AT(angle_deg),
	    .doc = "degrees, negative left, positive right"}}},
    [CAIRN_TOOL_OBSERVE_SCENE] = {CAIRN_TOOL_OBSERVE_SCENE, false,
	"Look once more at the same picture in full detail before you act. You are then asked for the "
	"action.",
	1,
	{{.name = "focus",
	    .kind = CAIRN_PARAM_WORD,
	    .words = focus_words,
	    AT(focus),
	    .doc = "what to look for"}}},
    [CAIRN_TOOL_CHECK_PATH_CLEAR] = {CAIRN_TOOL_CHECK_PATH_CLEAR, false,
	"Ask the LiDAR whether a direction is free for a distance. You are then asked for the action.", 2,
	{[0] = {.name = "direction",
	     .kind = CAIRN_PARAM_WORD,
	     .words = direction_words,
	     AT(direction),
	     .doc = "relative to where the robot faces"},
	    [1] = {.name = "distance_m",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 0.5,
		.max = 5,
		AT(distance_m),
		.doc = "metres"}}},
    [CAIRN_TOOL_REPORT_DISCOVERY] = {CAIRN_TOOL_REPORT_DISCOVERY, false,
	"Remember a room, an object, a landmark or a hazard at this place. May come beside one action tool.",
	3,
	{[0] = {.name = "label",
	     .kind = CAIRN_PARAM_TEXT,
	     .max = 40,
	     TEXT_AT(label),
	     .doc = "one to four words"},
	    [1] = {.name = "notes",
		.kind = CAIRN_PARAM_TEXT,
		.max = 120,
		TEXT_AT(notes),
		.optional = true,
		.doc = "one short sentence, or null"},
	    [2] = {.name = "significance",
		.kind = CAIRN_PARAM_WORD,
		.words = significance_words,
		AT(significance),
		.doc = "room: the robot has just entered it"}}},
    [CAIRN_TOOL_DEFINE_ZONE] = {CAIRN_TOOL_DEFINE_ZONE, true,
	"Mark the floor here for good. The robot's own LiDAR gives the outline: keepout is the free floor "
	"ahead of it (stairs, a wet floor, a play area seen in the picture), slowdown the free floor around "
	"it. You are asked again at once.",
	3,
	{[0] = {.name = "name",
	     .kind = CAIRN_PARAM_TEXT,
	     .max = 40,
	     TEXT_AT(label),
	     .doc = "one to four words"},
	    [1] = {.name = "kind",
		.kind = CAIRN_PARAM_WORD,
		.words = zone_words,
		AT(zone_kind),
		.doc = "keepout: never drive there; slowdown: drive there slowly"},
	    [2] = {.name = "significance",
		.kind = CAIRN_PARAM_WORD,
		.words = significance_words,
		AT(significance),
		.doc = "what makes it one; hazard for anything dangerous"}}},
};

const char *cairn_tool_name(enum cairn_tool tool)
{
	return cairn_enum_text(&cairn_enum_tool, (int)tool);
}

static int word_index(const char *const *words, const char *word)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	return -1;
}

const char *cairn_significance_word(int significance)
{
	return significance >= 0 && significance < CAIRN_SIGNIFICANCE_COUNT ? significance_words[significance]
									    : "?";
}

int cairn_significance_parse(const char *word)
{
	return word_index(significance_words, word);
}

/* ---- schemas ---- */

static void describe_range(struct cairn_text *out, const struct cairn_tool_param *p)
{
	if (p->kind == CAIRN_PARAM_NUMBER)
		cairn_text_addf(out, ", %g to %g", p->min, p->max);
	else if (p->kind == CAIRN_PARAM_TEXT)
		cairn_text_addf(out, ", at most %g characters", p->max);
}

static void schema_enum(struct cairn_text *out, const struct cairn_tool_param *p)
{
	cairn_text_add(out, ",\"enum\":[");
	if (p->kind == CAIRN_PARAM_STEP) {
		for (int i = 0; i < p->step_count; i++)
			cairn_text_addf(out, "%s%g", i > 0 ? "," : "", p->steps[i]);
	} else {
		for (int i = 0; p->words[i] != NULL; i++) {
			cairn_text_add(out, i > 0 ? "," : "");
			cairn_text_json_string(out, p->words[i]);
		}
	}
	cairn_text_add(out, "]");
}

static void schema_param(struct cairn_text *out, const struct cairn_tool_param *p)
{
	static const char *const types[] = {[CAIRN_PARAM_WORD] = "string",
	    [CAIRN_PARAM_STEP] = "integer",
	    [CAIRN_PARAM_NUMBER] = "number",
	    [CAIRN_PARAM_INTEGER] = "integer",
	    [CAIRN_PARAM_TEXT] = "string"};
	cairn_text_json_string(out, p->name);
	if (p->optional)
		cairn_text_addf(out, ":{\"type\":[\"%s\",\"null\"]", types[p->kind]);
	else
		cairn_text_addf(out, ":{\"type\":\"%s\"", types[p->kind]);
	if (p->kind == CAIRN_PARAM_WORD || p->kind == CAIRN_PARAM_STEP)
		schema_enum(out, p);
	cairn_text_add(out, ",\"description\":\"");
	cairn_text_json(out, p->doc, strlen(p->doc));
	describe_range(out, p);
	cairn_text_add(out, "\"}");
}

void cairn_tool_schema(struct cairn_text *out, const struct cairn_tool_row *row)
{
	cairn_text_add(out, "{\"type\":\"object\",\"properties\":{");
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		schema_param(out, &row->params[i]);
	}
	cairn_text_add(out, "},\"required\":[");
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, row->params[i].name);
	}
	cairn_text_add(out, "],\"additionalProperties\":false}");
}

/* ---- arguments ---- */

static const void *member(const struct cairn_tool_call *call, size_t offset)
{
	return (const char *)call + offset;
}

void cairn_tool_arguments(struct cairn_text *out, const struct cairn_tool_call *call)
{
	const struct cairn_tool_row *row = &cairn_tools[call->tool];
	cairn_text_add(out, "{");
	for (int i = 0; i < row->param_count; i++) {
		const struct cairn_tool_param *p = &row->params[i];
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, p->name);
		cairn_text_add(out, ":");
		const void *at = member(call, p->offset);
		if (p->has_offset != 0 && !*(const bool *)member(call, p->has_offset))
			cairn_text_add(out, "null");
		else if (p->kind == CAIRN_PARAM_TEXT && p->optional && *(const char *)at == '\0')
			cairn_text_add(out, "null");
		else if (p->kind == CAIRN_PARAM_TEXT)
			cairn_text_json_string(out, at);
		else if (p->kind == CAIRN_PARAM_WORD)
			cairn_text_json_string(out, p->words[*(const int *)at]);
		else
			cairn_text_addf(out, "%.10g", *(const double *)at);
	}
	cairn_text_add(out, "}");
}

static bool check_number(
    const struct cairn_tool_param *p, const json_t *value, double *ret, struct cairn_error *err)
{
	if (!json_is_number(value)) {
		cairn_error_set(err, "%s must be a number", p->name);
		return false;
	}
	double x = json_number_value(value);
	if (!isfinite(x) || (p->kind == CAIRN_PARAM_INTEGER && x != floor(x))) {
		cairn_error_set(err, "%s must be a %s number", p->name, isfinite(x) ? "whole" : "finite");
		return false;
	}
	if (p->kind == CAIRN_PARAM_STEP) {
		for (int i = 0; i < p->step_count; i++) {
			if (x == p->steps[i]) {
				*ret = x;
				return true;
			}
		}
		cairn_error_set(err, "%s %.6g is not one of the steps", p->name, x);
		return false;
	}
	if (x < p->min || x > p->max) {
		cairn_error_set(err, "%s %.6g is not in %g to %g", p->name, x, p->min, p->max);
		return false;
	}
	*ret = x;
	return true;
}

static bool check_text(
    const struct cairn_tool_param *p, const json_t *value, void *at, struct cairn_error *err)
{
	char clean[64];
	if (!json_is_string(value)) {
		cairn_error_set(err, "%s must be a text", p->name);
		return false;
	}
	if (p->kind == CAIRN_PARAM_TEXT) {
		cairn_text_clean(at, p->cap, json_string_value(value), json_string_length(value));
		if (*(char *)at == '\0' && !p->optional) {
			cairn_error_set(err, "%s is empty", p->name);
			return false;
		}
		return true;
	}
	int index = word_index(p->words, json_string_value(value));
	if (index < 0) {
		cairn_text_clean(clean, 40, json_string_value(value), json_string_length(value));
		cairn_error_set(err, "%s '%s' is not one of the words", p->name, clean);
		return false;
	}
	*(int *)at = index;
	return true;
}

static bool check_param(const struct cairn_tool_param *p, const json_t *arguments,
    struct cairn_tool_call *call, struct cairn_error *err)
{
	const json_t *value = json_object_get(arguments, p->name);
	if (value == NULL || json_is_null(value)) {
		if (!p->optional)
			cairn_error_set(err, "%s is missing", p->name);
		return p->optional;
	}
	void *at = (char *)call + p->offset;
	bool ok = p->kind == CAIRN_PARAM_WORD || p->kind == CAIRN_PARAM_TEXT
		      ? check_text(p, value, at, err)
		      : check_number(p, value, at, err);
	if (ok && p->has_offset != 0)
		*(bool *)((char *)call + p->has_offset) = true;
	return ok;
}

bool cairn_tool_check(
    enum cairn_tool tool, const json_t *arguments, struct cairn_tool_call *ret_call, struct cairn_error *err)
{
	const struct cairn_tool_row *row = &cairn_tools[tool];
	struct cairn_error why = {""};
	*ret_call = (struct cairn_tool_call){.tool = tool};
	if (!json_is_object(arguments)) {
		cairn_error_set(err, "%s: the arguments are not an object", cairn_tool_name(tool));
		return false;
	}
	for (int i = 0; i < row->param_count; i++) {
		if (!check_param(&row->params[i], arguments, ret_call, &why)) {
			cairn_error_set(err, "%s: %.120s", cairn_tool_name(tool), why.text);
			return false;
		}
	}
	if (tool == CAIRN_TOOL_NAVIGATE_TO_GOAL) {
		if (ret_call->goal_kind == CAIRN_GOAL_KIND_FRONTIER && !ret_call->has_frontier_id) {
			cairn_error_set(err, "navigate_to_goal: kind frontier needs frontier_id");
			return false;
		}
		if (ret_call->goal_kind == CAIRN_GOAL_KIND_CANDIDATE && !ret_call->has_candidate_id) {
			cairn_error_set(err, "navigate_to_goal: kind candidate needs candidate_id");
			return false;
		}
		if (ret_call->goal_kind == CAIRN_GOAL_KIND_COORDINATES &&
		    !(ret_call->has_x && ret_call->has_y)) {
			cairn_error_set(err, "navigate_to_goal: kind coordinates needs x_m and y_m");
			return false;
		}
	}
	return true;
}

/* ---- docs ---- */

void cairn_tools_markdown(struct cairn_text *out)
{
	cairn_text_add(out, "| tool | argument | values | meaning |\n|---|---|---|---|\n");
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++) {
		const struct cairn_tool_row *row = &cairn_tools[t];
		cairn_text_addf(out, "| **%s** | | %s | %s |\n", cairn_tool_name(row->tool),
		    row->action ? "action" : "no action", row->doc);
		for (int i = 0; i < row->param_count; i++) {
			const struct cairn_tool_param *p = &row->params[i];
			cairn_text_addf(out, "| | %s | ", p->name);
			for (int k = 0; p->words != NULL && p->words[k] != NULL; k++)
				cairn_text_addf(out, "%s%s", k > 0 ? ", " : "", p->words[k]);
			for (int k = 0; k < p->step_count; k++)
				cairn_text_addf(out, "%s%g", k > 0 ? ", " : "", p->steps[k]);
			if (p->kind == CAIRN_PARAM_NUMBER || p->kind == CAIRN_PARAM_INTEGER)
				cairn_text_addf(out, "%.10g to %.10g", p->min, p->max);
			else if (p->kind == CAIRN_PARAM_TEXT)
				cairn_text_addf(out, "text, %g characters", p->max);
			cairn_text_addf(out, "%s | %s |\n", p->optional ? ", or null" : "", p->doc);
		}
	}
}
