#include "common/vlm/tools.h"

#include <math.h>
#include <string.h>

#include "common/vlm/json_names.h"
#include "common/vlm/tool_place.h"

#define AT(member) .offset = offsetof(struct cairn_tool_call, member)
#define TEXT_AT(member) AT(member), .cap = sizeof(((struct cairn_tool_call *)0)->member)
#define HAS(member) .optional = true, .has_offset = offsetof(struct cairn_tool_call, member)

static const char *const direction_words[] = {
    "forward", "forward_left", "forward_right", "left", "right", "backward", NULL};
static const char *const speed_words[] = {"slow", "medium", "fast", NULL};
static const char *const side_words[] = {"left", "right", NULL};
static const char *const stop_words[] = {
    "obstacle", "unsafe", "uncertain", "goal_reached", "exploration_complete", NULL};
static const char *const focus_words[] = {"general", "doorways", "obstacles", "objects", "people", NULL};
static const char *const zone_words[] = {"keepout", "slowdown", NULL};
static const char *const significance_words[] = {"room", "object", "landmark", "hazard", NULL};
static const double angle_steps[] = {-180, -135, -90, -45, 45, 90, 135, 180};

/* Every word here is sent with every call: what the system text says already is not said again. */
const struct cairn_tool_row cairn_tools[CAIRN_TOOL_COUNT] = {
    [CAIRN_TOOL_STOP_ROBOT] = {CAIRN_TOOL_STOP_ROBOT, true,
	"Only when no motion is safe or nothing is left to do", 1,
	{{.name = "reason", .kind = CAIRN_PARAM_WORD, .words = stop_words, AT(stop_reason), .doc = "why"}},
	"stop_robot"},
    [CAIRN_TOOL_MOVE_TOWARD] = {CAIRN_TOOL_MOVE_TOWARD, true,
	"Short move; left and right are the tightest arcs", 3,
	{[0] = {.name = "direction",
	     .kind = CAIRN_PARAM_WORD,
	     .words = direction_words,
	     AT(direction),
	     .doc = "from the robot"},
	    [1] = {.name = "speed",
		.kind = CAIRN_PARAM_WORD,
		.words = speed_words,
		AT(speed),
		.doc = "0.08, 0.12, 0.18 m/s"},
	    [2] = {.name = "duration_s",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 1,
		.max = 8,
		AT(duration_s),
		.doc = "seconds"}},
	"move_toward"},
    [CAIRN_TOOL_NAVIGATE_TO_GOAL] = {CAIRN_TOOL_NAVIGATE_TO_GOAL, true, "Drive a planned path", 2,
	{[0] = {.name = "to",
	     .kind = CAIRN_PARAM_GOAL,
	     AT(goal_kind),
	     .doc = "F3 a frontier, C7 a candidate, 1.5,-2 the point x 1.5 y -2, explore: the best frontier, "
		    "retrace: back the way it came, to the last junction, start: the same, to the start"},
	    [1] = {.name = "if_failed",
		.kind = CAIRN_PARAM_PLACE,
		AT(if_failed),
		HAS(has_if_failed),
		.lenient = true,
		.doc = "another place if there is no path to it, or null"}},
	"navigate_to_goal"},
    [CAIRN_TOOL_ROTATE] = {CAIRN_TOOL_ROTATE, true, "Turn by an angle or to a heading; the other is null", 2,
	{[0] = {.name = "angle_deg",
	     .kind = CAIRN_PARAM_STEP,
	     .steps = angle_steps,
	     .step_count = 8,
	     AT(angle_deg),
	     HAS(has_angle_deg),
	     .doc = "negative is left"},
	    [1] = {.name = "heading_deg",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 0,
		.max = 360,
		AT(heading_deg),
		HAS(has_heading_deg),
		.doc = "compass, N is 0, E is 90"}},
	"rotate"},
    [CAIRN_TOOL_OBSERVE_SCENE] = {CAIRN_TOOL_OBSERVE_SCENE, false,
	"Have the picture described in full detail", 1,
	{{.name = "focus", .kind = CAIRN_PARAM_WORD, .words = focus_words, AT(focus), .doc = "for what"}},
	"observe_scene"},
    [CAIRN_TOOL_CHECK_PATH_CLEAR] = {CAIRN_TOOL_CHECK_PATH_CLEAR, false, "Ask the sensors what is in the way",
	2,
	{[0] = {.name = "direction",
	     .kind = CAIRN_PARAM_WORD,
	     .words = direction_words,
	     AT(direction),
	     .doc = "from the robot"},
	    [1] = {.name = "distance_m",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 0.5,
		.max = 5,
		AT(distance_m),
		.doc = "metres"}},
	"check_path_clear"},
    [CAIRN_TOOL_REPORT_DISCOVERY] = {CAIRN_TOOL_REPORT_DISCOVERY, false, "Remember what is here", 4,
	{[0] = {.name = "label", .kind = CAIRN_PARAM_TEXT, .max = 40, TEXT_AT(label), .doc = "few words"},
	    [1] = {.name = "notes",
		.kind = CAIRN_PARAM_TEXT,
		.max = 120,
		TEXT_AT(notes),
		.optional = true,
		.doc = "short, or null"},
	    [2] = {.name = "significance",
		.kind = CAIRN_PARAM_WORD,
		.words = significance_words,
		AT(significance),
		.doc = "room: just entered"},
	    [3] = {.name = "at",
		.kind = CAIRN_PARAM_SPOT,
		AT(spot),
		HAS(has_spot),
		.lenient = true,
		.doc = "where in the camera picture: x,y or left,top,right,bottom in thousandths of its "
		       "sides, or "
		       "null"}},
	"report_discovery"},
    [CAIRN_TOOL_FIND_OBJECT_DISTANCE] = {CAIRN_TOOL_FIND_OBJECT_DISTANCE, false,
	"Ask how far away a thing is, and where on the map", 2,
	{[0] = {.name = "what", .kind = CAIRN_PARAM_TEXT, .max = 40, TEXT_AT(label), .doc = "few words"},
	    [1] = {.name = "at",
		.kind = CAIRN_PARAM_SPOT,
		AT(spot),
		HAS(has_spot),
		.doc = "where in the camera picture, as in report_discovery; null asks the memory"}},
	"find_object_distance"},
    [CAIRN_TOOL_DEFINE_ZONE] = {CAIRN_TOOL_DEFINE_ZONE, true,
	"Mark the free floor here for good; the LiDAR gives its outline", 3,
	{[0] = {.name = "name", .kind = CAIRN_PARAM_TEXT, .max = 40, TEXT_AT(label), .doc = "few words"},
	    [1] = {.name = "kind",
		.kind = CAIRN_PARAM_WORD,
		.words = zone_words,
		AT(zone_kind),
		.doc = "keepout: ahead, never driven again; slowdown: all round, driven slowly"},
	    [2] = {.name = "significance",
		.kind = CAIRN_PARAM_WORD,
		.words = significance_words,
		AT(significance),
		.doc = "hazard for a danger"}},
	"define_zone"},
    [CAIRN_TOOL_FOLLOW_WALL] = {CAIRN_TOOL_FOLLOW_WALL, true,
	"Drive along a wall until it ends, a corner or a doorway comes, or the way is blocked", 2,
	{[0] = {.name = "side",
	     .kind = CAIRN_PARAM_WORD,
	     .words = side_words,
	     AT(side),
	     .doc = "of the wall"},
	    [1] = {.name = "distance_m",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 0.5,
		.max = 10,
		AT(distance_m),
		.doc = "at most, metres"}},
	"follow_wall"},
    [CAIRN_TOOL_REQUEST_HELP] = {CAIRN_TOOL_REQUEST_HELP, true, "Stand, tell people, and wait for them", 1,
	{{.name = "message", .kind = CAIRN_PARAM_TEXT, .max = 120, TEXT_AT(notes), .doc = "what is wrong"}},
	"request_help"},
};

/* The same goal in parts, as the texts of a model without tools are taken apart (json_answer.c) and as some
 * models write it; read, never sent. */
static const struct cairn_tool_row goal_in_parts = {CAIRN_TOOL_NAVIGATE_TO_GOAL, true, "Drive a planned path",
    6,
    {[0] = {.name = "kind",
	 .kind = CAIRN_PARAM_WORD,
	 .words = cairn_tool_goal_words,
	 AT(goal_kind),
	 .doc = "by id, by x_m and y_m, or back the way it came"},
	[1] = {.name = "frontier_id",
	    .kind = CAIRN_PARAM_INTEGER,
	    .min = 0,
	    .max = 4294967295.0,
	    AT(frontier_id),
	    HAS(has_frontier_id),
	    .doc = "F, or null"},
	[2] = {.name = "x_m",
	    .kind = CAIRN_PARAM_NUMBER,
	    .min = -500,
	    .max = 500,
	    AT(x_m),
	    HAS(has_x),
	    .doc = "or null"},
	[3] = {.name = "y_m",
	    .kind = CAIRN_PARAM_NUMBER,
	    .min = -500,
	    .max = 500,
	    AT(y_m),
	    HAS(has_y),
	    .doc = "or null"},
	[4] = {.name = "candidate_id",
	    .kind = CAIRN_PARAM_INTEGER,
	    .min = 0,
	    .max = 4294967295.0,
	    AT(candidate_id),
	    HAS(has_candidate_id),
	    .doc = "C, or null"},
	[5] = {.name = "if_failed",
	    .kind = CAIRN_PARAM_PLACE,
	    AT(if_failed),
	    HAS(has_if_failed),
	    .lenient = true,
	    .doc = "another place, or null"}},
    "navigate_to_goal"};

const char *cairn_tool_name(enum cairn_tool tool)
{
	return cairn_enum_text(&cairn_enum_tool, (int)tool);
}

const struct cairn_tool_table cairn_explorer_tools = {
    cairn_tools, CAIRN_TOOL_COUNT, sizeof(struct cairn_tool_call)};

const char *cairn_significance_word(int significance)
{
	return significance >= 0 && significance < CAIRN_SIGNIFICANCE_COUNT ? significance_words[significance]
									    : "?";
}

int cairn_significance_parse(const char *word)
{
	return cairn_tool_word(significance_words, word);
}

struct cairn_tool_place cairn_tool_goal(const struct cairn_tool_call *call)
{
	return (struct cairn_tool_place){call->goal_kind,
	    call->goal_kind == CAIRN_GOAL_KIND_CANDIDATE ? call->candidate_id : call->frontier_id, call->x_m,
	    call->y_m};
}

void cairn_tool_go(struct cairn_tool_call *call, const struct cairn_tool_place *place)
{
	call->goal_kind = place->kind;
	call->has_frontier_id = place->kind == CAIRN_GOAL_KIND_FRONTIER;
	call->has_candidate_id = place->kind == CAIRN_GOAL_KIND_CANDIDATE;
	call->has_x = call->has_y = place->kind == CAIRN_GOAL_KIND_COORDINATES;
	call->frontier_id = call->has_frontier_id ? place->id : 0.0;
	call->candidate_id = call->has_candidate_id ? place->id : 0.0;
	call->x_m = call->has_x ? place->x_m : 0.0;
	call->y_m = call->has_y ? place->y_m : 0.0;
}

void cairn_tool_arguments(struct cairn_text *out, const struct cairn_tool_call *call)
{
	cairn_tool_echo(out, &cairn_explorer_tools, call);
}

/* What one argument needs of another. */
static bool check_whole(const struct cairn_tool_call *c, struct cairn_error *err)
{
	bool goal = c->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL;
	if (goal && c->goal_kind == CAIRN_GOAL_KIND_FRONTIER && !c->has_frontier_id)
		cairn_error_set(err, "navigate_to_goal: kind frontier needs frontier_id");
	else if (goal && c->goal_kind == CAIRN_GOAL_KIND_CANDIDATE && !c->has_candidate_id)
		cairn_error_set(err, "navigate_to_goal: kind candidate needs candidate_id");
	else if (goal && c->goal_kind == CAIRN_GOAL_KIND_COORDINATES && !(c->has_x && c->has_y))
		cairn_error_set(err, "navigate_to_goal: kind coordinates needs x_m and y_m");
	else if (c->tool == CAIRN_TOOL_ROTATE && !c->has_angle_deg && !c->has_heading_deg)
		cairn_error_set(err, "rotate: angle_deg is missing (or heading_deg)");
	else if (c->tool == CAIRN_TOOL_ROTATE && c->has_angle_deg && c->has_heading_deg)
		cairn_error_set(err, "rotate: give angle_deg or heading_deg, not both");
	else
		return true;
	return false;
}

static bool gives(const json_t *args, const char *name)
{
	const json_t *v = json_object_get(args, name);
	return v != NULL && !json_is_null(v);
}

/* The arguments under the tool's own names, where a model that no server holds to the schema has given a place or a heading by
 * another name (json_names.c). A new reference. */
static json_t *by_own_names(enum cairn_tool tool, const json_t *arguments)
{
	json_t *args = json_is_object(arguments) ? json_copy((json_t *)arguments) : NULL;
	const json_t *to = cairn_json_get(args, CAIRN_JSON_TARGET),
		     *yaw = cairn_json_get(args, CAIRN_JSON_YAW);
	if (to == NULL)
		to = cairn_json_get(args, CAIRN_JSON_POINT);
	if (tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && to != NULL && !gives(args, "to") && !gives(args, "kind"))
		json_object_set(args, "to", (json_t *)to);
	if (tool == CAIRN_TOOL_ROTATE && json_is_number(yaw) && !gives(args, "heading_deg")) {
		double deg = fmod(-json_number_value(yaw), 360.0);
		json_object_set_new(args, "heading_deg", json_real(deg < 0.0 ? deg + 360.0 : deg));
	}
	return args;
}

bool cairn_tool_check(
    enum cairn_tool tool, const json_t *arguments, struct cairn_tool_call *ret_call, struct cairn_error *err)
{
	json_t *args = by_own_names(tool, arguments);
	bool in_parts = tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && json_object_get(args, "to") == NULL;
	*ret_call = (struct cairn_tool_call){.tool = tool};
	bool ok = cairn_tool_take_row(in_parts ? &goal_in_parts : &cairn_tools[tool], args, ret_call, err) &&
		  check_whole(ret_call, err);
	json_decref(args);
	return ok;
}

void cairn_tools_markdown(struct cairn_text *out)
{
	cairn_tool_table_markdown(out, &cairn_explorer_tools);
}
