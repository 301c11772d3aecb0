#include "common/vlm/json_call.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/vlm/tool_place.h"

/* ---- looking things up ---- */

static const json_t *look(const struct cairn_json_place *place, enum cairn_json_key key)
{
	for (int i = 0; i < place->count; i++) {
		const json_t *v = cairn_json_get(place->at[i], key);
		if (v != NULL)
			return v;
	}
	return NULL;
}

bool cairn_json_number(const json_t *v, double *ret)
{
	if (json_is_number(v)) {
		*ret = json_number_value(v);
		return true;
	}
	if (!json_is_string(v) || json_string_length(v) == 0 || isspace((unsigned char)*json_string_value(v)))
		return false;
	char *end;
	double x = strtod(json_string_value(v), &end);
	if (*end != '\0' || !isfinite(x))
		return false;
	*ret = x;
	return true;
}

/* An id, and what it is one of where its text says so: 12, "12", "C12", "candidate 12", "frontier_3", "#4".
 */
static bool id_of(const json_t *v, double *ret_id, int *kind)
{
	if (cairn_json_number(v, ret_id))
		return true;
	if (!json_is_string(v))
		return false;
	char word[32], *end;
	cairn_json_plain(json_string_value(v), word, sizeof(word));
	const char *digits = word + strcspn(word, "0123456789");
	size_t n = (size_t)(digits - word);
	if (*digits == '\0')
		return false;
	static const struct {
		const char *lead;
		int kind;
	} leads[] = {{"c", CAIRN_GOAL_KIND_CANDIDATE}, {"candidate", CAIRN_GOAL_KIND_CANDIDATE},
	    {"candidate_", CAIRN_GOAL_KIND_CANDIDATE}, {"f", CAIRN_GOAL_KIND_FRONTIER},
	    {"frontier", CAIRN_GOAL_KIND_FRONTIER}, {"frontier_", CAIRN_GOAL_KIND_FRONTIER},
	    {"r", CAIRN_GOAL_KIND_CANDIDATE}, {"recovery", CAIRN_GOAL_KIND_CANDIDATE},
	    {"recovery_", CAIRN_GOAL_KIND_CANDIDATE}, {"w", CAIRN_GOAL_KIND_CANDIDATE},
	    {"waypoint", CAIRN_GOAL_KIND_CANDIDATE}, {"waypoint_", CAIRN_GOAL_KIND_CANDIDATE},
	    {"#", CAIRN_JSON_ANY}, {"", CAIRN_JSON_ANY}};
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (strlen(leads[i].lead) != n || memcmp(word, leads[i].lead, n) != 0)
			continue;
		double id = strtod(digits, &end);
		if (*end != '\0')
			return false;
		*ret_id = id;
		*kind = leads[i].kind != CAIRN_JSON_ANY ? leads[i].kind : *kind;
		return true;
	}
	return false;
}

/* ---- one call ---- */

static void put_word(json_t *args, const char *name, const json_t *v)
{
	if (!json_is_string(v)) {
		if (v != NULL)
			json_object_set(args, name, (json_t *)v); /* the check says what is wrong with it */
		return;
	}
	char word[64];
	cairn_json_plain(json_string_value(v), word, sizeof(word));
	json_object_set_new(args, name, json_string(cairn_json_proper(word)));
}

/* "object" is a word of its own here; elsewhere it means the objects to look for. */
static void put_significance(json_t *args, const json_t *v)
{
	char word[64] = "";
	if (json_is_string(v))
		cairn_json_plain(json_string_value(v), word, sizeof(word));
	if (cairn_significance_parse(word) >= 0)
		json_object_set_new(args, "significance", json_string(word));
	else
		put_word(args, "significance", v);
}

static void put_number(json_t *args, const char *name, const json_t *v)
{
	double x;
	if (cairn_json_number(v, &x))
		json_object_set_new(args, name, json_real(x));
	else if (v != NULL)
		json_object_set(args, name, (json_t *)v);
}

static void put_text(json_t *args, const char *name, const json_t *v)
{
	if (v != NULL)
		json_object_set(args, name, (json_t *)v);
}

static void put_enum(json_t *args, const char *name, const struct cairn_enum_desc *desc, int index)
{
	json_object_set_new(args, name, json_string(cairn_enum_text(desc, index)));
}

/* A pair of numbers: as tools have it, [x, y] with numbers as texts, or {"x": .., "y": ..}. */
static bool pair_of(const json_t *v, double *x, double *y)
{
	if (cairn_tool_point(v, x, y))
		return true;
	if (json_is_array(v))
		return json_array_size(v) == 2 && cairn_json_number(json_array_get(v, 0), x) &&
		       cairn_json_number(json_array_get(v, 1), y);
	return cairn_json_number(cairn_json_get(v, CAIRN_JSON_X), x) &&
	       cairn_json_number(cairn_json_get(v, CAIRN_JSON_Y), y);
}

bool cairn_json_point(const struct cairn_json_place *place, const json_t *target, double *x, double *y)
{
	if (target != NULL && pair_of(target, x, y))
		return true;
	if (json_is_object(target)) {
		const json_t *inside = cairn_json_get(target, CAIRN_JSON_POINT);
		return inside != NULL && pair_of(inside, x, y);
	}
	const json_t *point = look(place, CAIRN_JSON_POINT);
	if (point != NULL && pair_of(point, x, y))
		return true;
	const json_t *vx = look(place, CAIRN_JSON_X), *vy = look(place, CAIRN_JSON_Y);
	return vx != NULL && vy != NULL && cairn_json_number(vx, x) && cairn_json_number(vy, y);
}

static void put_goal(json_t *args, const struct cairn_json_place *place, int kind, bool candidates)
{
	const json_t *word = look(place, CAIRN_JSON_KIND), *target = NULL;
	static const struct {
		enum cairn_json_key key;
		int kind;
	} where[] = {{CAIRN_JSON_CANDIDATE, CAIRN_GOAL_KIND_CANDIDATE},
	    {CAIRN_JSON_FRONTIER, CAIRN_GOAL_KIND_FRONTIER}, {CAIRN_JSON_TARGET, CAIRN_JSON_ANY}};
	int hint = CAIRN_JSON_ANY;
	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]) && target == NULL; i++) {
		target = look(place, where[i].key);
		hint = target != NULL ? where[i].kind : hint;
	}
	json_t *scratch = json_object();
	put_word(scratch, "kind", word);
	int said =
	    json_is_string(json_object_get(scratch, "kind"))
		? cairn_enum_parse(&cairn_enum_goal_kind, json_string_value(json_object_get(scratch, "kind")))
		: -1;
	put_word(scratch, "target", json_is_string(target) ? target : NULL);
	const char *aim = json_string_value(json_object_get(scratch, "target"));
	double id = -1.0, x = 0.0, y = 0.0;
	bool has_id = target != NULL && id_of(target, &id, &hint),
	     has_point = cairn_json_point(place, target, &x, &y);
	if (kind == CAIRN_GOAL_KIND_EXPLORE && (has_id || has_point))
		kind = CAIRN_JSON_ANY; /* where to is said */
	static const enum cairn_goal_kind words[] = {
	    CAIRN_GOAL_KIND_RETRACE, CAIRN_GOAL_KIND_START, CAIRN_GOAL_KIND_EXPLORE};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (kind == CAIRN_JSON_ANY && aim != NULL &&
		    strcmp(aim, cairn_enum_text(&cairn_enum_goal_kind, (int)words[i])) == 0)
			kind = (int)words[i];
	}
	if (kind == CAIRN_JSON_ANY && said >= 0)
		kind = said;
	if (kind == CAIRN_JSON_ANY && has_id)
		kind = hint != CAIRN_JSON_ANY ? hint
		       : candidates           ? CAIRN_GOAL_KIND_CANDIDATE
					      : CAIRN_GOAL_KIND_FRONTIER;
	if (kind == CAIRN_JSON_ANY && has_point)
		kind = CAIRN_GOAL_KIND_COORDINATES;
	if (kind != CAIRN_JSON_ANY)
		put_enum(args, "kind", &cairn_enum_goal_kind, kind);
	/* An id that says it is one thing is not taken for another. */
	if (has_id && (hint == CAIRN_JSON_ANY || hint == kind) && kind == CAIRN_GOAL_KIND_CANDIDATE)
		json_object_set_new(args, "candidate_id", json_real(id));
	if (has_id && (hint == CAIRN_JSON_ANY || hint == kind) && kind == CAIRN_GOAL_KIND_FRONTIER)
		json_object_set_new(args, "frontier_id", json_real(id));
	if (has_point && kind == CAIRN_GOAL_KIND_COORDINATES) {
		json_object_set_new(args, "x_m", json_real(x));
		json_object_set_new(args, "y_m", json_real(y));
	}
	json_decref(scratch);
}

/* A compass heading as "rotate_to 90" has it, under its own name, or as a yaw of the map. False: none is given. */
static bool put_heading(json_t *args, const struct cairn_json_place *place, bool to)
{
	const json_t *heading = look(place, CAIRN_JSON_HEADING), *yaw = look(place, CAIRN_JSON_YAW);
	double deg;
	if (heading == NULL && yaw == NULL && to) {
		heading = look(place, CAIRN_JSON_ANGLE);
		if (heading == NULL)
			heading = look(place, CAIRN_JSON_TARGET);
		if (heading == NULL)
			heading = look(place, CAIRN_JSON_DIRECTION);
	}
	if (heading == NULL && yaw == NULL)
		return false;
	if (!cairn_json_number(heading != NULL ? heading : yaw, &deg)) {
		put_text(
		    args, "heading_deg", heading != NULL ? heading : yaw); /* the check says what is wrong */
		return true;
	}
	deg = fmod(heading != NULL ? deg : -deg, 360.0);
	json_object_set_new(args, "heading_deg", json_real(deg < 0.0 ? deg + 360.0 : deg));
	return true;
}

/* "turn left by 90" is -90; an angle with a sign of its own must not contradict. */
static void put_turn(json_t *args, const struct cairn_json_place *place, int side, bool to)
{
	const json_t *v = look(place, CAIRN_JSON_ANGLE), *way = look(place, CAIRN_JSON_DIRECTION);
	double angle;
	if (put_heading(args, place, to))
		return;
	if (side == CAIRN_JSON_ANY && json_is_string(way)) {
		char word[16];
		cairn_json_plain(json_string_value(way), word, sizeof(word));
		side = strcmp(word, "left") == 0    ? CAIRN_DIRECTION_LEFT
		       : strcmp(word, "right") == 0 ? CAIRN_DIRECTION_RIGHT
						    : CAIRN_JSON_ANY;
	}
	if (!cairn_json_number(v, &angle)) {
		put_text(args, "angle_deg", v);
		return;
	}
	if (side == CAIRN_DIRECTION_LEFT && angle > 0.0)
		angle = -angle;
	else if (side == CAIRN_DIRECTION_RIGHT && angle < 0.0)
		angle = 0.0; /* no step of the table: refused */
	json_object_set_new(args, "angle_deg", json_real(angle));
}

/* A wall needs a side; how far goes without saying. */
static void put_wall(json_t *args, const struct cairn_json_place *place, int side)
{
	if (side != CAIRN_JSON_ANY)
		put_enum(args, "side", &cairn_enum_direction, side);
	else
		put_word(args, "side", look(place, CAIRN_JSON_SIDE));
	const json_t *far = look(place, CAIRN_JSON_DISTANCE);
	if (far != NULL)
		put_number(args, "distance_m", far);
	else
		json_object_set_new(
		    args, "distance_m", json_real(cairn_tools[CAIRN_TOOL_FOLLOW_WALL].params[1].max));
}

/* Standing still needs no reason of the table; looking needs no focus. */
static void put_word_or(
    json_t *args, const char *name, const json_t *v, enum cairn_tool tool, const char *other)
{
	put_word(args, name, v);
	const char *word = json_string_value(json_object_get(args, name));
	const char *const *words = cairn_tools[tool].params[0].words;
	for (int i = 0; word != NULL && words[i] != NULL; i++) {
		if (strcmp(words[i], word) == 0)
			return;
	}
	json_object_set_new(args, name, json_string(other));
}

void cairn_json_arguments(
    json_t *args, const struct cairn_json_place *p, const struct cairn_json_action *a, bool candidates)
{
	switch (a->tool) {
	case CAIRN_TOOL_MOVE_TOWARD:
		if (a->direction != CAIRN_JSON_ANY)
			put_enum(args, "direction", &cairn_enum_direction, a->direction);
		else
			put_word(args, "direction", look(p, CAIRN_JSON_DIRECTION));
		put_word(args, "speed", look(p, CAIRN_JSON_SPEED));
		put_number(args, "duration_s", look(p, CAIRN_JSON_DURATION));
		break;
	case CAIRN_TOOL_NAVIGATE_TO_GOAL:
		put_goal(args, p, a->kind, candidates);
		break;
	case CAIRN_TOOL_ROTATE:
		put_turn(args, p, a->direction, a->word != NULL && strstr(a->word, "_to") != NULL);
		break;
	case CAIRN_TOOL_STOP_ROBOT:
		put_word_or(args, "reason", look(p, CAIRN_JSON_REASON), a->tool, "uncertain");
		break;
	case CAIRN_TOOL_OBSERVE_SCENE:
		put_word_or(args, "focus", look(p, CAIRN_JSON_FOCUS), a->tool, "general");
		break;
	case CAIRN_TOOL_CHECK_PATH_CLEAR:
		put_word(args, "direction", look(p, CAIRN_JSON_DIRECTION));
		put_number(args, "distance_m", look(p, CAIRN_JSON_DISTANCE));
		break;
	case CAIRN_TOOL_REPORT_DISCOVERY:
		put_text(args, "label", look(p, CAIRN_JSON_LABEL));
		put_text(args, "notes", look(p, CAIRN_JSON_NOTES));
		put_significance(args, look(p, CAIRN_JSON_SIGNIFICANCE));
		put_text(args, "at", look(p, CAIRN_JSON_SPOT));
		break;
	case CAIRN_TOOL_FIND_OBJECT_DISTANCE:
		put_text(args, "what", look(p, CAIRN_JSON_LABEL));
		put_text(args, "at", look(p, CAIRN_JSON_SPOT));
		break;
	case CAIRN_TOOL_FOLLOW_WALL:
		put_wall(args, p, a->direction);
		break;
	case CAIRN_TOOL_REQUEST_HELP:
		put_text(args, "message",
		    look(p, CAIRN_JSON_NOTES) != NULL ? look(p, CAIRN_JSON_NOTES)
						      : look(p, CAIRN_JSON_REASON));
		break;
	case CAIRN_TOOL_DEFINE_ZONE:
		put_text(args, "name", look(p, CAIRN_JSON_LABEL));
		if (a->kind != CAIRN_JSON_ANY)
			put_enum(args, "kind", &cairn_enum_zone_kind, a->kind);
		else
			put_word(args, "kind", look(p, CAIRN_JSON_KIND));
		put_significance(args, look(p, CAIRN_JSON_SIGNIFICANCE));
		break;
	case CAIRN_TOOL_COUNT:
		break;
	}
}

static void add_place(struct cairn_json_place *place, const json_t *object)
{
	if (!json_is_object(object))
		return;
	const json_t *inside = cairn_json_get(object, CAIRN_JSON_ARGUMENTS);
	if (json_is_object(inside))
		place->at[place->count++] = inside;
	place->at[place->count++] = object;
}

bool cairn_json_call(const json_t *spec, const json_t *beside, bool candidates, struct cairn_tool_call *ret,
    struct cairn_error *err)
{
	if (json_is_array(spec) && json_array_size(spec) != 1) {
		cairn_error_set(err, "%zu actions in one answer", json_array_size(spec));
		return false;
	}
	if (json_is_array(spec))
		spec = json_array_get(spec, 0);
	struct cairn_json_place place = {.count = 0};
	const json_t *name = spec;
	if (json_is_object(spec)) {
		name = cairn_json_get(spec, CAIRN_JSON_ACTION);
		if (name == NULL)
			name = json_object_get(spec, "type");
		add_place(&place, spec);
	}
	add_place(&place, beside);
	if (!json_is_string(name)) {
		cairn_error_set(err, "the action has no name");
		return false;
	}
	struct cairn_json_action action = cairn_json_action_named(json_string_value(name));
	if (action.tool == CAIRN_TOOL_COUNT) {
		char clean[41];
		cairn_text_clean(clean, sizeof(clean), json_string_value(name), json_string_length(name));
		cairn_error_set(err, "unknown action '%s'", clean);
		return false;
	}
	json_t *args = json_object();
	cairn_json_arguments(args, &place, &action, candidates);
	bool ok = cairn_tool_check(action.tool, args, ret, err);
	json_decref(args);
	return ok;
}
