/* json_names.h - what models call things: other names of keys, actions and values, one table each. */
#ifndef CAIRN_COMMON_VLM_JSON_NAMES_H
#define CAIRN_COMMON_VLM_JSON_NAMES_H

#include <jansson.h>

#include "common/vlm/tools.h"

enum cairn_json_key {
	CAIRN_JSON_ACTION,
	CAIRN_JSON_ARGUMENTS,
	CAIRN_JSON_FALLBACK,
	CAIRN_JSON_UPDATE,
	CAIRN_JSON_EXPLANATION,
	CAIRN_JSON_DISCOVERY,
	CAIRN_JSON_TARGET,
	CAIRN_JSON_CANDIDATE,
	CAIRN_JSON_FRONTIER,
	CAIRN_JSON_KIND,
	CAIRN_JSON_X,
	CAIRN_JSON_Y,
	CAIRN_JSON_POINT, /* both, as a list, an object or a text */
	CAIRN_JSON_SPOT,  /* of the picture */
	CAIRN_JSON_SIDE,
	CAIRN_JSON_DIRECTION,
	CAIRN_JSON_SPEED,
	CAIRN_JSON_DURATION,
	CAIRN_JSON_ANGLE,
	CAIRN_JSON_HEADING, /* compass */
	CAIRN_JSON_YAW,     /* of the map: counter-clockwise (REP-103) */
	CAIRN_JSON_DISTANCE,
	CAIRN_JSON_REASON,
	CAIRN_JSON_FOCUS,
	CAIRN_JSON_LABEL,
	CAIRN_JSON_NOTES,
	CAIRN_JSON_SIGNIFICANCE,
	CAIRN_JSON_STATE,
	CAIRN_JSON_CONFIDENCE,
	CAIRN_JSON_ITEMS,
	CAIRN_JSON_COUNT
};

#define CAIRN_JSON_ANY (-1)

/* An action by one of its names; direction and kind where the word says them already. */
struct cairn_json_action {
	const char *word;
	enum cairn_tool tool; /* CAIRN_TOOL_COUNT: no such action */
	int direction; /* enum cairn_direction, or CAIRN_JSON_ANY; for rotate and follow_wall only left or
			       * right */
	int kind;      /* enum cairn_goal_kind or cairn_zone_kind, or CAIRN_JSON_ANY */
};
struct cairn_json_action cairn_json_action_named(const char *text);

/* The value of a key under any of its names, the first one that is there and not null; NULL if none is. */
const json_t *cairn_json_get(const json_t *object, enum cairn_json_key key);
/* "Move-Forward " -> "move_forward". */
void cairn_json_plain(const char *text, char *dst, size_t cap);
/* The tool table's word for a plain word: "ahead" -> "forward"; the word itself where there is no other. */
const char *cairn_json_proper(const char *word);

#endif
