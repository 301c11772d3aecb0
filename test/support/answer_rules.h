/* answer_rules.h - what holds for every answer, whatever came in: for the tests and the fuzzers. */
#ifndef CAIRN_TEST_SUPPORT_ANSWER_RULES_H
#define CAIRN_TEST_SUPPORT_ANSWER_RULES_H

#include <math.h>
#include <string.h>

#include "common/vlm/json_answer.h"

#define ANSWER_WAYS 6 /* three formats, each with tools and with JSON */

/* Reads a body as one of the ways a response may come. */
static inline void answer_read(
    unsigned way, const char *body, size_t count, bool actions_only, struct cairn_answer *ret)
{
	static const struct cairn_provider *const formats[] = {
	    &cairn_provider_openai, &cairn_provider_anthropic, &cairn_provider_gemini};
	const struct cairn_provider *format = formats[way % 3];
	if (way % ANSWER_WAYS < 3)
		cairn_answer_parse(format, body, count, actions_only, ret);
	else
		cairn_answer_parse_text(format, body, count, actions_only, (count & 1) != 0, ret);
}

/* A call that came out must pass the check it went through, written the way a model would. */
static inline bool answer_call_is_sound(const struct cairn_tool_call *call)
{
	struct cairn_text text = {0};
	struct cairn_tool_call again;
	cairn_tool_arguments(&text, call);
	json_t *arguments = json_loads(text.data != NULL ? text.data : "", JSON_REJECT_DUPLICATES, NULL);
	bool ok = arguments != NULL && cairn_tool_check(call->tool, arguments, &again, NULL);
	json_decref(arguments);
	cairn_text_free(&text);
	return ok;
}

/* NULL, or the rule that is broken. */
static inline const char *answer_broken_rule(const struct cairn_answer *a, bool actions_only)
{
	struct cairn_msg_decision d;
	if (a->kind == CAIRN_ANSWER_STOP) {
		cairn_decision_from_answer(a, &d);
		if (a->problem[0] == '\0')
			return "a STOP says why";
		if (d.tool != CAIRN_TOOL_STOP_ROBOT || strcmp(d.reason, a->problem) != 0)
			return "a bad answer becomes stop_robot";
		return a->reports_count > 0 || a->has_fallback || a->update.items_count > 0
			   ? "nothing of a bad answer is used"
			   : NULL;
	}
	if (actions_only && a->kind != CAIRN_ANSWER_ACTION)
		return "a follow-up acts";
	if ((a->kind == CAIRN_ANSWER_ACTION) != cairn_tools[a->main.tool].action &&
	    a->kind != CAIRN_ANSWER_REPORT)
		return "an action acts, a question does not";
	if (a->kind != CAIRN_ANSWER_REPORT && !answer_call_is_sound(&a->main))
		return "a call passes its own check";
	for (uint32_t i = 0; i < a->reports_count; i++) {
		if (!answer_call_is_sound(&a->reports[i]))
			return "a report passes its own check";
	}
	if (a->reports_count > CAIRN_ANSWER_REPORTS_MAX)
		return "reports are bounded";
	if (a->has_fallback && (!answer_call_is_sound(&a->fallback) || !cairn_tools[a->fallback.tool].action))
		return "a fallback acts and passes its own check";
	for (uint32_t i = 0; i < a->update.items_count; i++) {
		const struct cairn_msg_cell_claim *c = &a->update.items[i];
		if (!isfinite(c->x_m) || !isfinite(c->y_m) || !(c->confidence >= 0.0 && c->confidence <= 1.0))
			return "claims are numbers";
	}
	if (a->kind == CAIRN_ANSWER_ACTION)
		cairn_decision_from_answer(a, &d);
	return NULL;
}

#endif
