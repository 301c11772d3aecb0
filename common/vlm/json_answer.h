/* json_answer.h - the answer of a model that speaks JSON instead of calling tools, made into the same checked
 * answer.
 *
 * What is asked for (config/prompts/json.txt): {"action": {"tool": ..., its arguments}, "fallback": the same
 * or null, "world_model_update": [{"x_m", "y_m", "state", "confidence"}], "explanation": text}, a discovery
 * as "discovery": {"label", "notes", "significance"}. What is understood besides: other names for keys,
 * actions, directions and so on, by the tables of json_names.c; ids as 12, "12", "C12", "candidate 12",
 * "F3". After the names are sorted out, the arguments pass the same strict check as those of a tool call
 * (cairn_tool_check): nothing that moves the robot is ever guessed. */
#ifndef CAIRN_COMMON_VLM_JSON_ANSWER_H
#define CAIRN_COMMON_VLM_JSON_ANSWER_H

#include "common/vlm/decision.h"

/* candidates: a list of candidates was shown, so a bare id means one of them and not a frontier.
 * actions_only: as in cairn_answer_from_reply. Keeps ret->usage. */
void cairn_answer_from_text(
    const char *text, size_t count, bool actions_only, bool candidates, struct cairn_answer *ret);

/* The tools for the system text, one a line; behind each its arguments, one a line: "- "speed": "slow" | ... (...)". */
void cairn_json_tools_text(struct cairn_text *out);

#endif
