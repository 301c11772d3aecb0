#include "common/vlm/json_answer.h"

#include <math.h>
#include <string.h>

#include "common/vlm/json_call.h"
#include "common/vlm/loose_json.h"

static bool has_action(const json_t *object)
{
	return cairn_json_get(object, CAIRN_JSON_ACTION) != NULL;
}

static void read_claim(const json_t *item, struct cairn_msg_world_update *update)
{
	static const struct {
		const char *word;
		enum cairn_cell_state state;
	} states[] = {{"free", CAIRN_CELL_STATE_FREE}, {"clear", CAIRN_CELL_STATE_FREE},
	    {"empty", CAIRN_CELL_STATE_FREE}, {"open", CAIRN_CELL_STATE_FREE},
	    {"floor", CAIRN_CELL_STATE_FREE}, {"occupied", CAIRN_CELL_STATE_OCCUPIED},
	    {"blocked", CAIRN_CELL_STATE_OCCUPIED}, {"obstacle", CAIRN_CELL_STATE_OCCUPIED},
	    {"wall", CAIRN_CELL_STATE_OCCUPIED}, {"unknown", CAIRN_CELL_STATE_NONE},
	    {"unsure", CAIRN_CELL_STATE_NONE}};
	bool said = false;
	double x_m, y_m;
	struct cairn_msg_cell_claim claim = {.state = CAIRN_CELL_STATE_NONE};
	const json_t *state = cairn_json_get(item, CAIRN_JSON_STATE);
	char word[24] = "";
	if (json_is_string(state))
		cairn_json_plain(json_string_value(state), word, sizeof(word));
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strcmp(states[i].word, word) == 0) {
			claim.state = states[i].state;
			said = true;
		}
	}
	struct cairn_json_place place = {.at = {item}, .count = 1};
	if (!said || !cairn_json_point(&place, NULL, &x_m, &y_m))
		return;
	claim.x_m = x_m;
	claim.y_m = y_m;
	if (!cairn_json_number(cairn_json_get(item, CAIRN_JSON_CONFIDENCE), &claim.confidence) ||
	    !(claim.confidence >= 0.0 && claim.confidence <= 1.0) || !isfinite(claim.x_m) ||
	    !isfinite(claim.y_m))
		return; /* a claim is only a proposal: without all of this it is none */
	if (update->items_count < sizeof(update->items) / sizeof(update->items[0]))
		update->items[update->items_count++] = claim;
}

static void read_update(const json_t *root, struct cairn_msg_world_update *update)
{
	const json_t *list = cairn_json_get(root, CAIRN_JSON_UPDATE),
		     *items = cairn_json_get(list, CAIRN_JSON_ITEMS);
	list = json_is_array(items) ? items : list;
	if (json_is_object(list))
		read_claim(list, update);
	for (size_t i = 0; i < json_array_size(list); i++)
		read_claim(json_array_get(list, i), update);
}

static void read_words(const json_t *root, struct cairn_answer *ret)
{
	const json_t *words = cairn_json_get(root, CAIRN_JSON_EXPLANATION),
		     *action = cairn_json_get(root, CAIRN_JSON_ACTION);
	if (words == NULL && json_is_object(action))
		words = cairn_json_get(action, CAIRN_JSON_EXPLANATION);
	if (json_is_string(words))
		cairn_text_clean(ret->reasoning, sizeof(ret->reasoning), json_string_value(words),
		    json_string_length(words));
}

static bool read_report(
    const json_t *report, bool candidates, struct cairn_answer *ret, struct cairn_error *err)
{
	struct cairn_json_place place = {.at = {report}, .count = 1};
	struct cairn_json_action remember = {
	    NULL, CAIRN_TOOL_REPORT_DISCOVERY, CAIRN_JSON_ANY, CAIRN_JSON_ANY};
	if (ret->reports_count == CAIRN_ANSWER_REPORTS_MAX) {
		ret->left_out++;
		return true;
	}
	json_t *args = json_object();
	cairn_json_arguments(args, &place, &remember, candidates);
	bool ok = cairn_tool_check(CAIRN_TOOL_REPORT_DISCOVERY, args, &ret->reports[ret->reports_count], err);
	json_decref(args);
	if (ok)
		ret->left_out += ret->reports[ret->reports_count++].left_out;
	return ok;
}

/* "if_failed": "C3" beside the tool, or an action of its own; NULL: none is given. */
static const json_t *find_fallback(const json_t *root)
{
	const json_t *action = cairn_json_get(root, CAIRN_JSON_ACTION),
		     *v = cairn_json_get(root, CAIRN_JSON_FALLBACK);
	if (v == NULL && json_is_object(action))
		v = cairn_json_get(action, CAIRN_JSON_FALLBACK);
	if (v == NULL && json_is_object(action))
		v = cairn_json_get(cairn_json_get(action, CAIRN_JSON_ARGUMENTS), CAIRN_JSON_FALLBACK);
	return v == NULL || cairn_tool_says_none(v) ? NULL : v;
}

/* A bad fallback is none: it is only asked for when the action names something that is gone. */
static void read_fallback(const json_t *root, bool candidates, struct cairn_answer *ret)
{
	struct cairn_error why;
	const json_t *v = find_fallback(root);
	if (v == NULL)
		return;
	json_t *go =
	    json_is_string(v) && cairn_json_action_named(json_string_value(v)).tool == CAIRN_TOOL_COUNT
		? json_pack("{s:s, s:O}", "tool", "navigate_to_goal", "to", v)
		: NULL;
	ret->has_fallback = cairn_json_call(go != NULL ? go : v, NULL, candidates, &ret->fallback, &why) &&
			    cairn_answer_may_fall_back(ret->fallback.tool);
	ret->left_out += !ret->has_fallback;
	json_decref(go);
}

static void read_object(const json_t *root, bool actions_only, bool candidates, struct cairn_answer *ret)
{
	struct cairn_error why = {""};
	const json_t *report = cairn_json_get(root, CAIRN_JSON_DISCOVERY);
	read_words(root, ret);
	ret->calls = 1;
	ret->calls_without_reasoning = ret->reasoning[0] == '\0';
	if (!cairn_json_call(cairn_json_get(root, CAIRN_JSON_ACTION), root, candidates, &ret->main, &why)) {
		cairn_answer_stop(ret, "%.150s", why.text);
		return;
	}
	ret->left_out += ret->main.left_out;
	bool reports = ret->main.tool == CAIRN_TOOL_REPORT_DISCOVERY;
	if (reports)
		ret->reports[ret->reports_count++] = ret->main;
	for (size_t i = 0; i < (json_is_array(report) ? json_array_size(report) : 1); i++) {
		const json_t *one = json_is_array(report) ? json_array_get(report, i) : report;
		if (!json_is_object(one))
			continue;
		if (!read_report(one, candidates, ret, &why)) {
			cairn_answer_stop(ret, "%.150s", why.text);
			return;
		}
	}
	ret->kind = reports                              ? CAIRN_ANSWER_REPORT
		    : cairn_tools[ret->main.tool].action ? CAIRN_ANSWER_ACTION
							 : CAIRN_ANSWER_PERCEIVE;
	read_fallback(root, candidates, ret);
	read_update(root, &ret->update);
	if (actions_only && ret->kind != CAIRN_ANSWER_ACTION)
		cairn_answer_stop(ret, "no action although one was asked for");
}

void cairn_answer_from_text(
    const char *text, size_t count, bool actions_only, bool candidates, struct cairn_answer *ret)
{
	struct cairn_error why = {""};
	*ret = (struct cairn_answer){.usage = ret->usage};
	json_t *root = cairn_loose_json(text, count, has_action, &why);
	if (root == NULL)
		cairn_answer_stop(ret, "%.150s", why.text);
	else
		read_object(root, actions_only, candidates, ret);
	json_decref(root);
}

static void add_values(struct cairn_text *out, const struct cairn_tool_param *p)
{
	for (int k = 0; p->words != NULL && p->words[k] != NULL; k++)
		cairn_text_addf(out, "%s\"%s\"", k > 0 ? " | " : "", p->words[k]);
	for (int k = 0; k < p->step_count; k++)
		cairn_text_addf(out, "%s%g", k > 0 ? " | " : "", p->steps[k]);
	if (p->kind == CAIRN_PARAM_NUMBER)
		cairn_text_addf(out, "%g to %g", p->min, p->max);
	else if (p->kind == CAIRN_PARAM_INTEGER)
		cairn_text_add(out, "whole number");
	else if (p->kind == CAIRN_PARAM_TEXT)
		cairn_text_add(out, "text");
	else if (p->kind == CAIRN_PARAM_PLACE || p->kind == CAIRN_PARAM_GOAL)
		cairn_text_add(out, "\"F3\" | \"C7\" | \"1.5,-2\" | \"explore\" | \"retrace\" | \"start\"");
	else if (p->kind == CAIRN_PARAM_SPOT)
		cairn_text_add(out, "\"480,500\" | \"300,200,420,640\"");
	if (p->optional)
		cairn_text_add(out, " | null");
}

void cairn_json_tools_text(struct cairn_text *out)
{
	for (int t = 0; t < CAIRN_TOOL_COUNT; t++) {
		const struct cairn_tool_row *row = &cairn_tools[t];
		if (row->tool == CAIRN_TOOL_REPORT_DISCOVERY)
			continue; /* its arguments stand under "discovery" */
		cairn_text_addf(out, "%s%s: %s", t > 0 ? "\n" : "", cairn_tool_name(row->tool), row->doc);
		for (int i = 0; i < row->param_count; i++) {
			const struct cairn_tool_param *p = &row->params[i];
			if (p->kind == CAIRN_PARAM_PLACE)
				continue; /* the second choice stands under "fallback" */
			cairn_text_addf(out, "\n- \"%s\": ", p->name);
			add_values(out, p);
			cairn_text_addf(out, " (%s)", p->doc);
		}
	}
}
