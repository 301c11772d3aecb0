/* tools.h - the tools a model may call: one row a tool drives the JSON schemas sent, the check of what comes
 * back, the echo in a follow-up, and docs/tools.md.
 *
 * The schemas keep to the strict subset of the providers: every property required, optional ones nullable, no
 * range keywords (ranges stand in the description and are checked here). Reading is as strict, with two
 * kindnesses to servers that do not enforce a schema: an optional argument may be missing, and an argument
 * nobody asked for is ignored. */
#ifndef CAIRN_COMMON_VLM_TOOLS_H
#define CAIRN_COMMON_VLM_TOOLS_H

#include <jansson.h>

#include "common/base/text.h"
#include "ipc/messages.h"

#define CAIRN_TOOL_PARAMS_MAX 6
#define CAIRN_TOOL_LABEL_CAP 48
#define CAIRN_TOOL_NOTES_CAP 160
#define CAIRN_TOOL_REASONING_CAP 320

/* Where in the camera's picture a thing is, in shares of its width and height from the upper left corner. A point: both
 * sides are the same. */
struct cairn_tool_spot {
	double left, top, right, bottom;
};

/* A place as navigate_to_goal names it. */
struct cairn_tool_place {
	int kind;        /* enum cairn_goal_kind */
	double id;       /* FRONTIER, CANDIDATE */
	double x_m, y_m; /* COORDINATES, map frame */
};

/* One call as checked; only the members of its tool mean something. All texts are cleaned (cairn_text_clean).
 */
struct cairn_tool_call {
	enum cairn_tool tool;
	char reasoning[CAIRN_TOOL_REASONING_CAP]; /* of every tool; empty: none was given */
	int direction, speed, goal_kind;          /* enum cairn_direction, cairn_speed, cairn_goal_kind */
	double duration_s, angle_deg, heading_deg, distance_m;
	bool has_angle_deg, has_heading_deg; /* rotate: one of them */
	int side;                            /* follow_wall: 0 left, 1 right */
	double frontier_id, candidate_id, x_m, y_m;
	bool has_frontier_id, has_candidate_id, has_x, has_y;
	struct cairn_tool_place if_failed; /* where to go if no way to the goal is found */
	bool has_if_failed;
	int zone_kind; /* enum cairn_zone_kind */
	int stop_reason, focus,
	    significance;            /* index into the words of the row; significance: the enum above */
	struct cairn_tool_spot spot; /* report_discovery, find_object_distance */
	bool has_spot;
	char label[CAIRN_TOOL_LABEL_CAP];
	char notes[CAIRN_TOOL_NOTES_CAP];
};

enum cairn_param_kind {
	CAIRN_PARAM_WORD,    /* one of words -> int */
	CAIRN_PARAM_STEP,    /* one of steps -> double */
	CAIRN_PARAM_NUMBER,  /* min..max -> double */
	CAIRN_PARAM_INTEGER, /* min..max, whole -> double */
	CAIRN_PARAM_TEXT,    /* -> char[cap] */
	CAIRN_PARAM_PLACE,   /* name or point -> struct cairn_tool_place, or goal_kind and what it needs */
	CAIRN_PARAM_SPOT,    /* point or box of the picture, in thousandths -> struct cairn_tool_spot */
	CAIRN_PARAM_KINDS
};

struct cairn_tool_param {
	const char *name;
	enum cairn_param_kind kind;
	const char *const *words; /* NULL-terminated; WORD */
	const double *steps;      /* STEP */
	int step_count;
	double min, max;   /* NUMBER, INTEGER; TEXT: max bytes asked for */
	size_t offset;     /* into struct cairn_tool_call */
	size_t cap;        /* TEXT */
	bool optional;     /* nullable */
	size_t has_offset; /* of the bool that says it was given, 0 if there is none */
	const char *doc;
};

struct cairn_tool_row {
	enum cairn_tool tool;
	bool action; /* becomes the decision that the sequencer checks: at most one in a response */
	const char *doc;
	int param_count;
	struct cairn_tool_param params[CAIRN_TOOL_PARAMS_MAX];
};

/* The parameter that every tool has first: a forced call comes without words otherwise. */
extern const struct cairn_tool_param cairn_tool_reasoning;

/* Indexed by enum cairn_tool; without the reasoning. */
extern const struct cairn_tool_row cairn_tools[CAIRN_TOOL_COUNT];

const char *cairn_tool_name(enum cairn_tool tool);
/* The word of a significance: "room", "object", "landmark", "hazard". Its index, or -1. */
const char *cairn_significance_word(int significance);
int cairn_significance_parse(const char *word);

/* JSON object of the tool's parameters, in the strict subset. */
void cairn_tool_schema(struct cairn_text *out, const struct cairn_tool_row *row);
/* JSON object of the arguments of a checked call, the way a model would have written them. */
void cairn_tool_arguments(struct cairn_text *out, const struct cairn_tool_call *call);
/* The place that a checked navigate_to_goal names, and the other way round. */
struct cairn_tool_place cairn_tool_goal(const struct cairn_tool_call *call);
void cairn_tool_go(struct cairn_tool_call *call, const struct cairn_tool_place *place);
/* Checks arguments (any JSON value, NULL too) into *ret_call. False with the reason, one line fit for a
 * prompt. */
bool cairn_tool_check(
    enum cairn_tool tool, const json_t *arguments, struct cairn_tool_call *ret_call, struct cairn_error *err);
/* The table for people, as Markdown. */
void cairn_tools_markdown(struct cairn_text *out);

#endif
