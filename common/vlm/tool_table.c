#include "common/vlm/tool_table.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "common/vlm/tool_place.h"
#include "common/vlm/tools.h"

const struct cairn_tool_param cairn_tool_reasoning = {.name = "reasoning",
    .kind = CAIRN_PARAM_TEXT,
    .max = 200,
    .offset = offsetof(struct cairn_tool_head, reasoning),
    .cap = CAIRN_TOOL_REASONING_CAP,
    .optional = false,
    .doc = "why, briefly"};

_Static_assert(offsetof(struct cairn_tool_call, reasoning) == offsetof(struct cairn_tool_head, reasoning),
    "a call of the explorer begins with a head");
_Static_assert(offsetof(struct cairn_tool_call, left_out) == offsetof(struct cairn_tool_head, left_out),
    "a call of the explorer begins with a head");

uint64_t cairn_tool_actions(const struct cairn_tool_table *table)
{
	uint64_t set = 0;
	for (int i = 0; i < table->count; i++)
		set |= table->rows[i].action ? CAIRN_TOOL_BIT(i) : 0;
	return set;
}

int cairn_tool_single(uint64_t set)
{
	return set != 0 && (set & (set - 1)) == 0 ? __builtin_ctzll(set) : -1;
}

int cairn_tool_find(const struct cairn_tool_table *table, const char *name)
{
	for (int i = 0; i < table->count; i++) {
		if (strcmp(table->rows[i].name, name) == 0)
			return i;
	}
	return -1;
}

int cairn_tool_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i] != NULL; i++) {
		if (strcasecmp(words[i], word) == 0)
			return i;
	}
	return -1;
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
	    [CAIRN_PARAM_GOAL] = "string",
	    [CAIRN_PARAM_SPOT] = "string",
	    [CAIRN_PARAM_FLAG] = "boolean",
	    [CAIRN_PARAM_LIST] = "array"};
	cairn_text_json_string(out, p->name);
	if (p->optional)
		cairn_text_addf(out, ":{\"type\":[\"%s\",\"null\"]", types[p->kind]);
	else
		cairn_text_addf(out, ":{\"type\":\"%s\"", types[p->kind]);
	if (p->kind == CAIRN_PARAM_WORD || p->kind == CAIRN_PARAM_STEP)
		schema_enum(out, p);
	if (p->kind == CAIRN_PARAM_LIST)
		cairn_text_add(out, ",\"items\":{\"type\":\"string\"}");
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

static const void *member(const void *call, size_t offset)
{
	return (const char *)call + offset;
}

static void write_list(struct cairn_text *out, const struct cairn_tool_param *p, const void *call)
{
	uint32_t count = *(const uint32_t *)member(call, p->count_offset);
	cairn_text_add(out, "[");
	for (uint32_t i = 0; i < count; i++) {
		cairn_text_add(out, i > 0 ? "," : "");
		cairn_text_json_string(out, (const char *)member(call, p->offset) + i * p->cap);
	}
	cairn_text_add(out, "]");
}

static void write_value(struct cairn_text *out, const struct cairn_tool_param *p, const void *call)
{
	const void *at = member(call, p->offset);
	struct cairn_tool_place goal;
	switch (p->kind) {
	case CAIRN_PARAM_TEXT:
		if (p->optional && *(const char *)at == '\0')
			cairn_text_add(out, "null");
		else
			cairn_text_json_string(out, at);
		break;
	case CAIRN_PARAM_WORD:
		cairn_text_json_string(out, p->words[*(const int *)at]);
		break;
	case CAIRN_PARAM_PLACE:
		cairn_tool_write_place(out, at);
		break;
	case CAIRN_PARAM_GOAL:
		goal = cairn_tool_goal(call);
		cairn_tool_write_place(out, &goal);
		break;
	case CAIRN_PARAM_SPOT:
		cairn_tool_write_spot(out, at);
		break;
	case CAIRN_PARAM_FLAG:
		cairn_text_add(out, *(const bool *)at ? "true" : "false");
		break;
	case CAIRN_PARAM_LIST:
		write_list(out, p, call);
		break;
	case CAIRN_PARAM_STEP:
	case CAIRN_PARAM_NUMBER:
	case CAIRN_PARAM_INTEGER:
	case CAIRN_PARAM_KINDS:
		cairn_text_addf(out, "%.10g", *(const double *)at);
		break;
	}
}

static void write_argument(struct cairn_text *out, const struct cairn_tool_param *p, const void *call)
{
	cairn_text_json_string(out, p->name);
	cairn_text_add(out, ":");
	if (p->has_offset != 0 && !*(const bool *)member(call, p->has_offset))
		cairn_text_add(out, "null");
	else
		write_value(out, p, call);
}

void cairn_tool_echo(struct cairn_text *out, const struct cairn_tool_table *table, const void *call)
{
	const struct cairn_tool_row *row = &table->rows[((const struct cairn_tool_head *)call)->tool];
	cairn_text_add(out, "{");
	write_argument(out, &cairn_tool_reasoning, call);
	for (int i = 0; i < row->param_count; i++) {
		cairn_text_add(out, ",");
		write_argument(out, &row->params[i], call);
	}
	cairn_text_add(out, "}");
}

/* ---- checking ---- */

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
	int index = cairn_tool_word(p->words, json_string_value(value));
	if (index < 0) {
		cairn_text_clean(clean, 40, json_string_value(value), json_string_length(value));
		cairn_error_set(err, "%s '%s' is not one of the words", p->name, clean);
		return false;
	}
	*(int *)at = index;
	return true;
}

/* Empty ones are left out, and those beyond the bound. */
static bool check_list(
    const struct cairn_tool_param *p, const json_t *value, void *call, struct cairn_error *err)
{
	uint32_t *count = (uint32_t *)((char *)call + p->count_offset);
	if (!json_is_array(value)) {
		cairn_error_set(err, "%s must be a list of texts", p->name);
		return false;
	}
	for (size_t i = 0; i < json_array_size(value) && *count < (uint32_t)p->max; i++) {
		const json_t *one = json_array_get(value, i);
		char *at = (char *)call + p->offset + *count * p->cap;
		if (!json_is_string(one)) {
			cairn_error_set(err, "%s must be a list of texts", p->name);
			return false;
		}
		cairn_text_clean(at, p->cap, json_string_value(one), json_string_length(one));
		*count += *at != '\0';
	}
	return true;
}

static bool check_flag(
    const struct cairn_tool_param *p, const json_t *value, void *at, struct cairn_error *err)
{
	if (!json_is_boolean(value)) {
		cairn_error_set(err, "%s must be true or false", p->name);
		return false;
	}
	*(bool *)at = json_is_true(value);
	return true;
}

static bool check_value(
    const struct cairn_tool_param *p, const json_t *value, void *call, struct cairn_error *err)
{
	void *at = (char *)call + p->offset;
	struct cairn_tool_place goal;
	switch (p->kind) {
	case CAIRN_PARAM_GOAL:
		if (!cairn_tool_read_place(p, value, &goal, err))
			return false;
		cairn_tool_go(call, &goal);
		return true;
	case CAIRN_PARAM_PLACE:
		return cairn_tool_read_place(p, value, at, err);
	case CAIRN_PARAM_SPOT:
		return cairn_tool_read_spot(p, value, at, err);
	case CAIRN_PARAM_WORD:
	case CAIRN_PARAM_TEXT:
		return check_text(p, value, at, err);
	case CAIRN_PARAM_FLAG:
		return check_flag(p, value, at, err);
	case CAIRN_PARAM_LIST:
		return check_list(p, value, call, err);
	case CAIRN_PARAM_STEP:
	case CAIRN_PARAM_NUMBER:
	case CAIRN_PARAM_INTEGER:
	case CAIRN_PARAM_KINDS:
		break;
	}
	return check_number(p, value, at, err);
}

bool cairn_tool_says_none(const json_t *value)
{
	const char *text = json_string_value(value);
	return value == NULL || json_is_null(value) ||
	       (text != NULL &&
		   (text[0] == '\0' || strcasecmp(text, "null") == 0 || strcasecmp(text, "none") == 0));
}

static bool check_param(
    const struct cairn_tool_param *p, const json_t *arguments, void *call, struct cairn_error *err)
{
	const json_t *value = json_object_get(arguments, p->name);
	if (p->optional && cairn_tool_says_none(value))
		return true;
	if (value == NULL || json_is_null(value)) {
		cairn_error_set(err, "%s is missing", p->name);
		return false;
	}
	bool ok = check_value(p, value, call, err);
	if (ok && p->has_offset != 0)
		*(bool *)((char *)call + p->has_offset) = true;
	if (!ok && p->lenient)
		((struct cairn_tool_head *)call)->left_out++;
	return ok || p->lenient;
}

bool cairn_tool_take_row(
    const struct cairn_tool_row *row, const json_t *arguments, void *call, struct cairn_error *err)
{
	struct cairn_tool_head *head = call;
	struct cairn_error why = {""};
	head->tool = row->tool;
	if (!json_is_object(arguments)) {
		cairn_error_set(err, "%s: the arguments are not an object", row->name);
		return false;
	}
	const json_t *reasoning = json_object_get(arguments, cairn_tool_reasoning.name);
	if (json_is_string(reasoning)) /* whoever leaves it out is counted, not refused */
		cairn_text_clean(head->reasoning, sizeof(head->reasoning), json_string_value(reasoning),
		    json_string_length(reasoning));
	for (int i = 0; i < row->param_count; i++) {
		if (!check_param(&row->params[i], arguments, call, &why)) {
			cairn_error_set(err, "%s: %.120s", row->name, why.text);
			return false;
		}
	}
	return true;
}

bool cairn_tool_take(const struct cairn_tool_table *table, int row, const json_t *arguments, void *ret_call,
    struct cairn_error *err)
{
	memset(ret_call, 0, table->call_bytes);
	return cairn_tool_take_row(&table->rows[row], arguments, ret_call, err);
}

/* ---- docs ---- */

static void markdown_values(struct cairn_text *out, const struct cairn_tool_param *p)
{
	for (int k = 0; p->words != NULL && p->words[k] != NULL; k++)
		cairn_text_addf(out, "%s%s", k > 0 ? ", " : "", p->words[k]);
	for (int k = 0; k < p->step_count; k++)
		cairn_text_addf(out, "%s%g", k > 0 ? ", " : "", p->steps[k]);
	if (p->kind == CAIRN_PARAM_NUMBER || p->kind == CAIRN_PARAM_INTEGER)
		cairn_text_addf(out, "%.10g to %.10g", p->min, p->max);
	else if (p->kind == CAIRN_PARAM_TEXT)
		cairn_text_addf(out, "text, %g characters", p->max);
	else if (p->kind == CAIRN_PARAM_PLACE || p->kind == CAIRN_PARAM_GOAL || p->kind == CAIRN_PARAM_SPOT)
		cairn_text_add(out, "text");
	else if (p->kind == CAIRN_PARAM_FLAG)
		cairn_text_add(out, "true, false");
	else if (p->kind == CAIRN_PARAM_LIST)
		cairn_text_addf(out, "list of up to %g texts", p->max);
}

void cairn_tool_table_markdown(struct cairn_text *out, const struct cairn_tool_table *table)
{
	cairn_text_add(out, "| tool | argument | values | meaning |\n|---|---|---|---|\n");
	cairn_text_addf(out, "| **every tool** | %s | text, %g characters | %s |\n",
	    cairn_tool_reasoning.name, cairn_tool_reasoning.max, cairn_tool_reasoning.doc);
	for (int t = 0; t < table->count; t++) {
		const struct cairn_tool_row *row = &table->rows[t];
		cairn_text_addf(out, "| **%s** | | %s | %s |\n", row->name,
		    row->action ? "action" : "no action", row->doc);
		for (int i = 0; i < row->param_count; i++) {
			const struct cairn_tool_param *p = &row->params[i];
			cairn_text_addf(out, "| | %s | ", p->name);
			markdown_values(out, p);
			cairn_text_addf(out, "%s | %s |\n", p->optional ? ", or null" : "", p->doc);
		}
	}
}
