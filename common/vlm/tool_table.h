/* tool_table.h - tables of tools that a model may call, and the one engine over all of them: a row drives the JSON schema
 * that is sent, the check of what comes back, its echo in a later turn, and docs/tools.md.
 *
 * The schemas keep to the strict subset of the providers: every property required, optional ones nullable, no
 * range keywords (ranges stand in the description and are checked here). Reading is as strict, with 
 * kindnesses to servers that do not enforce a schema: an optional argument may be missing, or be a text that stands for null;
 * words may be in capitals; and an argument nobody asked for is ignored.
 *
 * A call is checked into a struct of the table's own, which begins with struct cairn_tool_head. The explorer's table and struct
 * are in tools.h, the agent's in common/agent. */
#ifndef CAIRN_COMMON_VLM_TOOL_TABLE_H
#define CAIRN_COMMON_VLM_TOOL_TABLE_H

#include <jansson.h>

#include "common/base/error.h"
#include "common/base/text.h"

#define CAIRN_TOOL_PARAMS_MAX 9
#define CAIRN_TOOL_ROWS_MAX 64 /* of a table: a set of rows is a word of bits */
#define CAIRN_TOOL_REASONING_CAP 320

/* What every checked call begins with. */
struct cairn_tool_head {
	int tool;          /* the row of its table */
	uint32_t left_out; /* arguments that could not be read and count as null (lenient) */
	char reasoning[CAIRN_TOOL_REASONING_CAP]; /* of every tool; empty: none was given */
};

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

enum cairn_param_kind {
	CAIRN_PARAM_WORD,    /* one of words -> int */
	CAIRN_PARAM_STEP,    /* one of steps -> double */
	CAIRN_PARAM_NUMBER,  /* min..max -> double */
	CAIRN_PARAM_INTEGER, /* min..max, whole -> double */
	CAIRN_PARAM_TEXT,    /* -> char[cap] */
	CAIRN_PARAM_PLACE,   /* name or point -> struct cairn_tool_place */
	CAIRN_PARAM_GOAL, /* the same -> the goal of a struct cairn_tool_call (tools.h), and what it needs */
	CAIRN_PARAM_SPOT, /* point or box of the picture, in thousandths -> struct cairn_tool_spot */
	CAIRN_PARAM_FLAG, /* true or false -> bool */
	CAIRN_PARAM_LIST, /* of texts -> char[max][cap], and how many -> uint32_t at count_offset */
	CAIRN_PARAM_KINDS
};

struct cairn_tool_param {
	const char *name;
	enum cairn_param_kind kind;
	const char *const *words; /* NULL-terminated; WORD */
	const double *steps;      /* STEP */
	int step_count;
	double min,
	    max; /* NUMBER, INTEGER; TEXT: max bytes asked for; LIST: at most so many, others are left out */
	size_t offset;       /* into the table's struct */
	size_t cap;          /* TEXT; LIST: of one of them */
	size_t count_offset; /* LIST */
	bool optional;       /* nullable */
	bool lenient;        /* optional, and of so little weight that what cannot be read counts as null */
	size_t has_offset;   /* of the bool that says it was given, 0 if there is none */
	const char *doc;
};

struct cairn_tool_row {
	int tool;    /* its index in the table */
	bool action; /* moves the robot, or changes something: at most one in a response */
	const char *doc;
	int param_count;
	struct cairn_tool_param params[CAIRN_TOOL_PARAMS_MAX];
	const char *name;
};

struct cairn_tool_table {
	const struct cairn_tool_row *rows;
	int count;         /* at most CAIRN_TOOL_ROWS_MAX */
	size_t call_bytes; /* of the struct */
};

/* The parameter that every tool has first: a forced call comes without words otherwise. */
extern const struct cairn_tool_param cairn_tool_reasoning;

/* A set of rows: zero stands for all of them. */
#define CAIRN_TOOL_BIT(row) (UINT64_C(1) << (row))
static inline bool cairn_tool_in(uint64_t set, int row)
{
	return set == 0 || (set & CAIRN_TOOL_BIT(row)) != 0;
}
/* The rows that act. */
uint64_t cairn_tool_actions(const struct cairn_tool_table *table);
/* The row of a set that has one alone, or -1. */
int cairn_tool_single(uint64_t set);

/* The row of a name, or -1. */
int cairn_tool_find(const struct cairn_tool_table *table, const char *name);
/* JSON object of the tool's parameters, in the strict subset. */
void cairn_tool_schema(struct cairn_text *out, const struct cairn_tool_row *row);
/* JSON object of the arguments of a checked call, the way a model would have written them. */
void cairn_tool_echo(struct cairn_text *out, const struct cairn_tool_table *table, const void *call);
/* Checks arguments (any JSON value, NULL too) into *ret_call, which is the table's struct and is cleared first. False with
 * the reason, one line fit for a prompt. */
bool cairn_tool_take(const struct cairn_tool_table *table, int row, const json_t *arguments, void *ret_call,
    struct cairn_error *err);
/* The same for a row that stands in no table; name: in the reason. */
bool cairn_tool_take_row(
    const struct cairn_tool_row *row, const json_t *arguments, void *call, struct cairn_error *err);
/* null, or a text that stands for it: "", "null" or "none". */
bool cairn_tool_says_none(const json_t *value);
/* The table for people, as Markdown. */
void cairn_tool_table_markdown(struct cairn_text *out, const struct cairn_tool_table *table);

#endif
