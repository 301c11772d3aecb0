#include "common/vlm/json_names.h"

#include <ctype.h>
#include <string.h>

#define NAMES_MAX 10
static const char *const names[CAIRN_JSON_COUNT][NAMES_MAX] = {
    [CAIRN_JSON_ACTION] = {"action", "tool", "tool_name", "command", "next_action", "decision", "function",
	"name"},
    [CAIRN_JSON_ARGUMENTS] = {"arguments", "args", "parameters", "params", "input", "action_input"},
    [CAIRN_JSON_FALLBACK] = {"fallback", "fallback_action", "alternative", "backup", "plan_b", "otherwise",
	"if_failed", "on_failure", "if_blocked"},
    [CAIRN_JSON_UPDATE] = {"world_model_update", "world_update", "map_update", "map_updates", "world_model",
	"updates"},
    [CAIRN_JSON_EXPLANATION] = {"explanation", "reasoning", "rationale", "reason", "thought", "justification",
	"why"},
    [CAIRN_JSON_DISCOVERY] = {"discovery", "report_discovery", "report", "discovered"},
    [CAIRN_JSON_TARGET] = {"target", "target_id", "subgoal", "subgoal_id", "goal", "goal_id", "destination",
	"id", "to"},
    [CAIRN_JSON_CANDIDATE] = {"candidate", "candidate_id"},
    [CAIRN_JSON_FRONTIER] = {"frontier", "frontier_id"},
    [CAIRN_JSON_KIND] = {"kind", "goal_kind", "goal_type", "target_type", "zone_kind", "type"},
    [CAIRN_JSON_X] = {"x_m", "x"},
    [CAIRN_JSON_Y] = {"y_m", "y"},
    [CAIRN_JSON_POINT] = {"pos_m", "position_m", "position", "pos", "point", "coordinates", "xy", "at"},
    [CAIRN_JSON_SPOT] = {"at", "box", "point"},
    [CAIRN_JSON_SIDE] = {"side", "wall", "wall_side", "direction"},
    [CAIRN_JSON_DIRECTION] = {"direction", "dir", "heading", "way"},
    [CAIRN_JSON_SPEED] = {"speed", "pace"},
    [CAIRN_JSON_DURATION] = {"duration_s", "duration", "seconds", "time_s"},
    [CAIRN_JSON_ANGLE] = {"angle_deg", "angle", "degrees", "deg", "rotation"},
    [CAIRN_JSON_HEADING] = {"heading_deg", "compass_deg", "target_heading_deg", "to_deg"},
    [CAIRN_JSON_YAW] = {"yaw_deg", "yaw", "target_yaw_deg"},
    [CAIRN_JSON_DISTANCE] = {"distance_m", "distance", "range_m", "meters", "metres"},
    [CAIRN_JSON_REASON] = {"reason", "rationale", "reasoning", "why"},
    [CAIRN_JSON_FOCUS] = {"focus", "look_for"},
    [CAIRN_JSON_LABEL] = {"label", "what", "name", "zone_name", "title"},
    [CAIRN_JSON_NOTES] = {"notes", "note", "description", "comment", "message"},
    [CAIRN_JSON_SIGNIFICANCE] = {"significance", "category", "importance"},
    [CAIRN_JSON_STATE] = {"observed_state", "state", "status", "value", "occupancy"},
    [CAIRN_JSON_CONFIDENCE] = {"confidence", "certainty", "probability"},
    [CAIRN_JSON_ITEMS] = {"items", "cells", "claims", "places", "corrections"},
};

/* What an action is called. */
static const struct cairn_json_action action_names[] = {
    {"go", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"go_to", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"goto", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"navigate", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"navigate_to", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"moveto", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"move_to", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"drive_to", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"head_to", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"select", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"explore", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_EXPLORE},
    {"continue_exploring", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_EXPLORE},
    {"retrace", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_RETRACE},
    {"go_back", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_RETRACE},
    {"go_home", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_START},
    {"return_home", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_START},
    {"backtrack", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_RETRACE},
    {"return", CAIRN_TOOL_NAVIGATE_TO_GOAL, CAIRN_JSON_ANY, CAIRN_GOAL_KIND_START},
    {"move", CAIRN_TOOL_MOVE_TOWARD, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"drive", CAIRN_TOOL_MOVE_TOWARD, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"forward", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_FORWARD, CAIRN_JSON_ANY},
    {"move_forward", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_FORWARD, CAIRN_JSON_ANY},
    {"go_forward", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_FORWARD, CAIRN_JSON_ANY},
    {"backward", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_BACKWARD, CAIRN_JSON_ANY},
    {"move_backward", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_BACKWARD, CAIRN_JSON_ANY},
    {"reverse", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_BACKWARD, CAIRN_JSON_ANY},
    {"back_up", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_BACKWARD, CAIRN_JSON_ANY},
    {"move_left", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_LEFT, CAIRN_JSON_ANY},
    {"move_right", CAIRN_TOOL_MOVE_TOWARD, CAIRN_DIRECTION_RIGHT, CAIRN_JSON_ANY},
    {"rotate_to", CAIRN_TOOL_ROTATE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"turn_to", CAIRN_TOOL_ROTATE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"face_to", CAIRN_TOOL_ROTATE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"turn", CAIRN_TOOL_ROTATE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"spin", CAIRN_TOOL_ROTATE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"turn_left", CAIRN_TOOL_ROTATE, CAIRN_DIRECTION_LEFT, CAIRN_JSON_ANY},
    {"rotate_left", CAIRN_TOOL_ROTATE, CAIRN_DIRECTION_LEFT, CAIRN_JSON_ANY},
    {"turn_right", CAIRN_TOOL_ROTATE, CAIRN_DIRECTION_RIGHT, CAIRN_JSON_ANY},
    {"rotate_right", CAIRN_TOOL_ROTATE, CAIRN_DIRECTION_RIGHT, CAIRN_JSON_ANY},
    {"wall_follow", CAIRN_TOOL_FOLLOW_WALL, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"follow_left_wall", CAIRN_TOOL_FOLLOW_WALL, CAIRN_DIRECTION_LEFT, CAIRN_JSON_ANY},
    {"follow_right_wall", CAIRN_TOOL_FOLLOW_WALL, CAIRN_DIRECTION_RIGHT, CAIRN_JSON_ANY},
    {"help", CAIRN_TOOL_REQUEST_HELP, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"ask_for_help", CAIRN_TOOL_REQUEST_HELP, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"call_for_help", CAIRN_TOOL_REQUEST_HELP, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"scan", CAIRN_TOOL_OBSERVE_SCENE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"look", CAIRN_TOOL_OBSERVE_SCENE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"look_around", CAIRN_TOOL_OBSERVE_SCENE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"observe", CAIRN_TOOL_OBSERVE_SCENE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"inspect", CAIRN_TOOL_OBSERVE_SCENE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"locate", CAIRN_TOOL_FIND_OBJECT_DISTANCE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"find_object", CAIRN_TOOL_FIND_OBJECT_DISTANCE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"find", CAIRN_TOOL_FIND_OBJECT_DISTANCE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"check_path", CAIRN_TOOL_CHECK_PATH_CLEAR, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"check", CAIRN_TOOL_CHECK_PATH_CLEAR, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"report", CAIRN_TOOL_REPORT_DISCOVERY, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"remember", CAIRN_TOOL_REPORT_DISCOVERY, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"keepout", CAIRN_TOOL_DEFINE_ZONE, CAIRN_JSON_ANY, CAIRN_ZONE_KIND_KEEPOUT},
    {"mark_zone", CAIRN_TOOL_DEFINE_ZONE, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"halt", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"wait", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"stop", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"stay", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"hold", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"pause", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"idle", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"none", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
    {"done", CAIRN_TOOL_STOP_ROBOT, CAIRN_JSON_ANY, CAIRN_JSON_ANY},
};

/* Words for values, as the tool table has them. */
static const struct {
	const char *word, *proper;
} value_names[] = {{"ahead", "forward"}, {"straight", "forward"}, {"straight_ahead", "forward"},
    {"front", "forward"}, {"back", "backward"}, {"backwards", "backward"}, {"reverse", "backward"},
    {"rear", "backward"}, {"left_forward", "forward_left"}, {"front_left", "forward_left"},
    {"ahead_left", "forward_left"}, {"right_forward", "forward_right"}, {"front_right", "forward_right"},
    {"ahead_right", "forward_right"}, {"normal", "medium"}, {"moderate", "medium"}, {"slowly", "slow"},
    {"careful", "slow"}, {"quick", "fast"}, {"point", "coordinates"}, {"position", "coordinates"},
    {"coordinate", "coordinates"}, {"home", "start"}, {"keep_out", "keepout"}, {"no_go", "keepout"},
    {"slow_down", "slowdown"}, {"doors", "doorways"}, {"doorway", "doorways"}, {"obstacle", "obstacles"},
    {"object", "objects"}, {"person", "people"}, {"all", "general"}, {"danger", "hazard"},
    {"finished", "exploration_complete"}, {"complete", "exploration_complete"}, {"unsure", "uncertain"},
    {"blocked", "obstacle"}};

void cairn_json_plain(const char *text, char *dst, size_t cap)
{
	size_t n = 0;
	while (isspace((unsigned char)*text))
		text++;
	for (; *text != '\0' && n + 1 < cap; text++) {
		unsigned char c = (unsigned char)*text;
		dst[n++] = c == ' ' || c == '-' || c == '.' ? '_' : (char)tolower(c);
	}
	while (n > 0 && (dst[n - 1] == '_' || dst[n - 1] == '(' || dst[n - 1] == ')'))
		n--;
	dst[n] = '\0';
}

struct cairn_json_action cairn_json_action_named(const char *text)
{
	char word[48];
	cairn_json_plain(text, word, sizeof(word));
	int tool = cairn_enum_parse(&cairn_enum_tool, word);
	if (tool >= 0)
		return (struct cairn_json_action){cairn_tool_name((enum cairn_tool)tool),
		    (enum cairn_tool)tool, CAIRN_JSON_ANY, CAIRN_JSON_ANY};
	for (size_t i = 0; i < sizeof(action_names) / sizeof(action_names[0]); i++) {
		if (strcmp(action_names[i].word, word) == 0)
			return action_names[i];
	}
	return (struct cairn_json_action){NULL, CAIRN_TOOL_COUNT, CAIRN_JSON_ANY, CAIRN_JSON_ANY};
}

const char *cairn_json_proper(const char *word)
{
	for (size_t i = 0; i < sizeof(value_names) / sizeof(value_names[0]); i++) {
		if (strcmp(value_names[i].word, word) == 0)
			return value_names[i].proper;
	}
	return word;
}

const json_t *cairn_json_get(const json_t *object, enum cairn_json_key key)
{
	for (int i = 0; i < NAMES_MAX && names[key][i] != NULL; i++) {
		const json_t *v = json_object_get(object, names[key][i]);
		if (v != NULL && !json_is_null(v))
			return v;
	}
	return NULL;
}
