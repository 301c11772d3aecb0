#include "common/vlm/tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(member) .offset = offsetof(struct cairn_tool_call, member)
#define TEXT_AT(member) AT(member), .cap = sizeof(((struct cairn_tool_call *)0)->member)
#define PLACE_MAX_M 500.0
#define HAS(member) .optional = true, .has_offset = offsetof(struct cairn_tool_call, member)

static const char *const direction_words[] = {
    "forward", "forward_left", "forward_right", "left", "right", "backward", NULL};
static const char *const speed_words[] = {"slow", "medium", "fast", NULL};
static const char *const goal_words[] = {
    "frontier", "coordinates", "retrace", "candidate", "start", "explore", NULL};
static const char *const side_words[] = {"left", "right", NULL};
static const char *const stop_words[] = {
    "obstacle", "unsafe", "uncertain", "goal_reached", "exploration_complete", NULL};
static const char *const focus_words[] = {"general", "doorways", "obstacles", "objects", "people", NULL};
static const char *const zone_words[] = {"keepout", "slowdown", NULL};
static const char *const significance_words[] = {"room", "object", "landmark", "hazard", NULL};
static const double angle_steps[] = {-180, -135, -90, -45, 45, 90, 135, 180};

const struct cairn_tool_param cairn_tool_reasoning = {.name = "reasoning",
    .kind = CAIRN_PARAM_TEXT,
    .max = 200,
    TEXT_AT(reasoning),
    .optional = false,
    .doc = "why, briefly"};

/* Every word here is sent with every call: what the system text says already is not said again. */
const struct cairn_tool_row cairn_tools[CAIRN_TOOL_COUNT] = {
    [CAIRN_TOOL_STOP_ROBOT] = {CAIRN_TOOL_STOP_ROBOT, true,
	"Only when no motion is safe or nothing is left to do", 1,
	{{.name = "reason", .kind = CAIRN_PARAM_WORD, .words = stop_words, AT(stop_reason), .doc = "why"}}},
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
		.doc = "seconds"}}},
    [CAIRN_TOOL_NAVIGATE_TO_GOAL] = {CAIRN_TOOL_NAVIGATE_TO_GOAL, true, "Drive a planned path", 2,
	{[0] = {.name = "to",
	     .kind = CAIRN_PARAM_PLACE,
	     AT(goal_kind),
	     .doc = "F3 a frontier, C7 a candidate, 1.5,-2 a point (m), explore: the best frontier, retrace: "
		    "the way it came, to the last junction, start: the way it came, to the start"},
	    [1] = {.name = "if_failed",
		.kind = CAIRN_PARAM_PLACE,
		AT(if_failed),
		HAS(has_if_failed),
		.doc = "another place if there is no path to it, or null"}}},
    [CAIRN_TOOL_ROTATE] = {CAIRN_TOOL_ROTATE, true, "Turn, in several moves: by an angle or to a heading", 2,
	{[0] = {.name = "angle_deg",
	     .kind = CAIRN_PARAM_STEP,
	     .steps = angle_steps,
	     .step_count = 8,
	     AT(angle_deg),
	     HAS(has_angle_deg),
	     .doc = "negative is left, or null"},
	    [1] = {.name = "heading_deg",
		.kind = CAIRN_PARAM_NUMBER,
		.min = 0,
		.max = 360,
		AT(heading_deg),
		HAS(has_heading_deg),
		.doc = "compass heading (N is 0, E is 90), or null"}}},
    [CAIRN_TOOL_OBSERVE_SCENE] = {CAIRN_TOOL_OBSERVE_SCENE, false,
	"Have the picture described in full detail", 1,
	{{.name = "focus", .kind = CAIRN_PARAM_WORD, .words = focus_words, AT(focus), .doc = "for what"}}},
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
		.doc = "metres"}}},
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
		.doc = "where in the camera picture: x,y or left,top,right,bottom in thousandths of its "
		       "sides, or "
		       "null"}}},
    [CAIRN_TOOL_FIND_OBJECT_DISTANCE] = {CAIRN_TOOL_FIND_OBJECT_DISTANCE, false,
	"Ask how far away a thing is, and where on the map", 2,
	{[0] = {.name = "what", .kind = CAIRN_PARAM_TEXT, .max = 40, TEXT_AT(label), .doc = "few words"},
	    [1] = {.name = "at",
		.kind = CAIRN_PARAM_SPOT,
		AT(spot),
		HAS(has_spot),
		.doc = "where in the camera picture, as in report_discovery; null asks the memory"}}},
    [CAIRN_TOOL_DEFINE_ZONE] = {CAIRN_TOOL_DEFINE_ZONE, true,
	"Mark the floor here for good, as the LiDAR sees it", 3,
	{[0] = {.name = "name", .kind = CAIRN_PARAM_TEXT, .max = 40, TEXT_AT(label), .doc = "few words"},
	    [1] = {.name = "kind",
		.kind = CAIRN_PARAM_WORD,
		.words = zone_words,
		AT(zone_kind),
		.doc = "never drive ahead, or slowly all round"},
	    [2] = {.name = "significance",
		.kind = CAIRN_PARAM_WORD,
		.words = significance_words,
		AT(significance),
		.doc = "hazard for a danger"}}},
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
		.doc = "at most, metres"}}},
    [CAIRN_TOOL_REQUEST_HELP] = {CAIRN_TOOL_REQUEST_HELP, true,
	"Stand, tell people, and wait for them: only when nothing else helps", 1,
	{{.name = "message", .kind = CAIRN_PARAM_TEXT, .max = 120, TEXT_AT(notes), .doc = "what is wrong"}}},
};

/* The same goal in parts, as the texts of a model without tools are taken apart (json_answer.c) and as some
 * models write it; read, never sent. */
static const struct cairn_tool_row goal_in_parts = {CAIRN_TOOL_NAVIGATE_TO_GOAL, true, "Drive a planned path",
    6,
    {[0] = {.name = "kind",
	 .kind = CAIRN_PARAM_WORD,
	 .words = goal_words,
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
	    .doc = "another place, or null"}}};

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
	bool told = p->kind == CAIRN_PARAM_NUMBER && !p->optional;
	if (told)
		cairn_text_addf(out, ", %g to %g", p->min, p->max);
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
	cairn_text_add(out, p->optional ? ",null]" : "]");
}

static void schema_param(struct cairn_text *out, const struct cairn_tool_param *p)
{
	static const char *const types[CAIRN_PARAM_KINDS] = {[CAIRN_PARAM_WORD] = "string",
	    [CAIRN_PARAM_STEP] = "integer",
	    [CAIRN_PARAM_NUMBER] = "number",
	    [CAIRN_PARAM_INTEGER] = "integer",
	    [CAIRN_PARAM_TEXT] = "string",
	    [CAIRN_PARAM_PLACE] = "string",
	    [CAIRN_PARAM_SPOT] = "string"};
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
	schema_param(out, &cairn_tool_reasoning);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		schema_param(out, &row->params[i]);
	}
	cairn_text_add(out, "},\"required\":[");
	cairn_text_json_string(out, cairn_tool_reasoning.name);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		cairn_text_json_string(out, row->params[i].name);
	}
	cairn_text_add(out, "],\"additionalProperties\":false}");
}

/* ---- arguments ---- */

static const void *member(const struct cairn_tool_call *call, size_t offset)
{
	return (const char *)call + offset;
}

static void write_place(struct cairn_text *out, const struct cairn_tool_place *place)
{
	switch ((enum cairn_goal_kind)place->kind) {
	case CAIRN_GOAL_KIND_FRONTIER:
		cairn_text_addf(out, "\"F%.0f\"", place->id);
		break;
	case CAIRN_GOAL_KIND_CANDIDATE:
		cairn_text_addf(out, "\"C%.0f\"", place->id);
		break;
	case CAIRN_GOAL_KIND_COORDINATES:
		cairn_text_addf(out, "\"%.10g,%.10g\"", place->x_m, place->y_m);
		break;
	case CAIRN_GOAL_KIND_RETRACE:
	case CAIRN_GOAL_KIND_START:
	case CAIRN_GOAL_KIND_EXPLORE:
	case CAIRN_GOAL_KIND_COUNT:
		cairn_text_json_string(out, goal_words[place->kind % CAIRN_GOAL_KIND_COUNT]);
		break;
	}
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

static bool is_goal(const struct cairn_tool_param *p)
{
	return p->offset == offsetof(struct cairn_tool_call, goal_kind);
}

static void write_spot(struct cairn_text *out, const struct cairn_tool_spot *s)
{
	cairn_text_addf(out, "\"%.6g,%.6g", 1000.0 * s->left, 1000.0 * s->top);
	if (s->right > s->left || s->bottom > s->top)
		cairn_text_addf(out, ",%.6g,%.6g", 1000.0 * s->right, 1000.0 * s->bottom);
	cairn_text_add(out, "\"");
}

static void write_argument(
    struct cairn_text *out, const struct cairn_tool_param *p, const struct cairn_tool_call *call)
{
	const void *at = member(call, p->offset);
	struct cairn_tool_place goal = cairn_tool_goal(call);
	cairn_text_json_string(out, p->name);
	cairn_text_add(out, ":");
	if (p->has_offset != 0 && !*(const bool *)member(call, p->has_offset))
		cairn_text_add(out, "null");
	else if (p->kind == CAIRN_PARAM_TEXT && p->optional && *(const char *)at == '\0')
		cairn_text_add(out, "null");
	else if (p->kind == CAIRN_PARAM_TEXT)
		cairn_text_json_string(out, at);
	else if (p->kind == CAIRN_PARAM_WORD)
		cairn_text_json_string(out, p->words[*(const int *)at]);
	else if (p->kind == CAIRN_PARAM_PLACE)
		write_place(out, is_goal(p) ? &goal : at);
	else if (p->kind == CAIRN_PARAM_SPOT)
		write_spot(out, at);
	else
		cairn_text_addf(out, "%.10g", *(const double *)at);
}

void cairn_tool_arguments(struct cairn_text *out, const struct cairn_tool_call *call)
{
	const struct cairn_tool_row *row = &cairn_tools[call->tool];
	cairn_text_add(out, "{");
	write_argument(out, &cairn_tool_reasoning, call);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		write_argument(out, &row->params[i], call);
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

/* "F3", "C7", "f3", "frontier 3", and "r1" and "w1" for candidates that are a recovery or a waypoint, as some models
 * write them. False: it is no id. */
static bool read_id(const char *text, struct cairn_tool_place *ret)
{
	static const struct {
		const char *lead;
		enum cairn_goal_kind kind;
	} leads[] = {{"f", CAIRN_GOAL_KIND_FRONTIER}, {"c", CAIRN_GOAL_KIND_CANDIDATE},
	    {"r", CAIRN_GOAL_KIND_CANDIDATE}, {"w", CAIRN_GOAL_KIND_CANDIDATE},
	    {"frontier", CAIRN_GOAL_KIND_FRONTIER}, {"candidate", CAIRN_GOAL_KIND_CANDIDATE},
	    {"recovery", CAIRN_GOAL_KIND_CANDIDATE}, {"waypoint", CAIRN_GOAL_KIND_CANDIDATE}};
	size_t n = strcspn(text, "0123456789"), digits = strspn(text + n, "0123456789"), lead = n;
	while (lead > 0 && strchr(" _#", text[lead - 1]) != NULL)
		lead--;
	if (digits == 0 || digits > 9 || text[n + digits] != '\0')
		return false; /* sscanf would take a sign, and more than fits */
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (strlen(leads[i].lead) != lead || strncasecmp(leads[i].lead, text, lead) != 0)
			continue;
		ret->kind = leads[i].kind;
		ret->id = strtod(text + n, NULL);
		return true;
	}
	return false;
}

/* "F3", "C7", "explore", "retrace", "start", "1.5,-2" and "(1.5, -2)". */
static bool check_place(const struct cairn_tool_param *p, const json_t *value, struct cairn_tool_place *ret,
    struct cairn_error *err)
{
	char text[64] = "", end = '\0';
	double x_m, y_m;
	if (json_is_string(value))
		cairn_text_clean(text, sizeof(text), json_string_value(value), json_string_length(value));
	bool point = sscanf(text, " ( %lf , %lf )%c", &x_m, &y_m, &end) == 2 ||
		     sscanf(text, " %lf , %lf %c", &x_m, &y_m, &end) == 2;
	int word = word_index(goal_words, text);
	*ret = (struct cairn_tool_place){0};
	if (read_id(text, ret))
		return true;
	if (point && fabs(x_m) <= PLACE_MAX_M && fabs(y_m) <= PLACE_MAX_M) {
		*ret = (struct cairn_tool_place){CAIRN_GOAL_KIND_COORDINATES, 0.0, x_m, y_m};
		return true;
	}
	if (word == CAIRN_GOAL_KIND_RETRACE || word == CAIRN_GOAL_KIND_START ||
	    word == CAIRN_GOAL_KIND_EXPLORE) {
		ret->kind = word;
		return true;
	}
	cairn_error_set(err,
	    "%s '%.40s' is no place: F3, C7, 1.5,-2 (within %g m), explore, retrace or start", p->name, text,
	    PLACE_MAX_M);
	return false;
}

/* "500,420", "(500, 420)", "480,300,560,520", and the same as lists of numbers. */
static bool check_spot(const struct cairn_tool_param *p, const json_t *value, struct cairn_tool_spot *ret,
    struct cairn_error *err)
{
	double v[4];
	int n = 0;
	if (json_is_array(value)) {
		for (size_t i = 0; i < json_array_size(value) && n < 4; i++)
			if (json_is_number(json_array_get(value, i)))
				v[n++] = json_number_value(json_array_get(value, i));
		n = json_array_size(value) == (size_t)n ? n : 0;
	} else if (json_is_string(value)) {
		const char *at = json_string_value(value);
		for (at += strspn(at, " (["); n < 4 && *at != '\0'; n++) {
			char *end;
			v[n] = strtod(at, &end);
			if (end == at)
				break;
			at = end + strspn(end, " ,");
		}
		if (at[strspn(at, " )]")] != '\0')
			n = 0;
	}
	bool ok = n == 2 || n == 4;
	for (int i = 0; i < n; i++)
		ok = ok && v[i] >= 0.0 && v[i] <= 1000.0;
	if (!ok || (n == 4 && !(v[2] >= v[0] && v[3] >= v[1]))) {
		cairn_error_set(err, "%s is neither x,y nor left,top,right,bottom, each 0 to 1000", p->name);
		return false;
	}
	*ret = (struct cairn_tool_spot){
	    0.001 * v[0], 0.001 * v[1], 0.001 * v[n == 4 ? 2 : 0], 0.001 * v[n == 4 ? 3 : 1]};
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
	struct cairn_tool_place place;
	if (p->kind == CAIRN_PARAM_PLACE) {
		if (!check_place(p, value, &place, err))
			return false;
		if (is_goal(p))
			cairn_tool_go(call, &place);
		else
			*(struct cairn_tool_place *)at = place;
	}
	bool ok = p->kind == CAIRN_PARAM_PLACE;
	if (p->kind == CAIRN_PARAM_SPOT)
		ok = check_spot(p, value, at, err);
	else if (!ok)
		ok = p->kind == CAIRN_PARAM_WORD || p->kind == CAIRN_PARAM_TEXT
			 ? check_text(p, value, at, err)
			 : check_number(p, value, at, err);
	if (ok && p->has_offset != 0)
		*(bool *)((char *)call + p->has_offset) = true;
	return ok;
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

bool cairn_tool_check(
    enum cairn_tool tool, const json_t *arguments, struct cairn_tool_call *ret_call, struct cairn_error *err)
{
	const struct cairn_tool_row *row = &cairn_tools[tool];
	struct cairn_error why = {""};
	*ret_call = (struct cairn_tool_call){.tool = tool};
	if (tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && json_object_get(arguments, "to") == NULL)
		row = &goal_in_parts;
	if (!json_is_object(arguments)) {
		cairn_error_set(err, "%s: the arguments are not an object", cairn_tool_name(tool));
		return false;
	}
	const json_t *reasoning = json_object_get(arguments, cairn_tool_reasoning.name);
	if (json_is_string(reasoning)) /* whoever leaves it out is counted, not refused */
		cairn_text_clean(ret_call->reasoning, sizeof(ret_call->reasoning),
		    json_string_value(reasoning), json_string_length(reasoning));
	for (int i = 0; i < row->param_count; i++) {
		if (!check_param(&row->params[i], arguments, ret_call, &why)) {
			cairn_error_set(err, "%s: %.120s", cairn_tool_name(tool), why.text);
			return false;
		}
	}
	return check_whole(ret_call, err);
}

/* ---- docs ---- */

void cairn_tools_markdown(struct cairn_text *out)
{
	cairn_text_add(out, "| tool | argument | values | meaning |\n|---|---|---|---|\n");
	cairn_text_addf(out, "| **every tool** | %s | text, %g characters | %s |\n",
	    cairn_tool_reasoning.name, cairn_tool_reasoning.max, cairn_tool_reasoning.doc);
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
			else if (p->kind == CAIRN_PARAM_PLACE || p->kind == CAIRN_PARAM_SPOT)
				cairn_text_add(out, "text");
			cairn_text_addf(out, "%s | %s |\n", p->optional ? ", or null" : "", p->doc);
		}
	}
}
