/* json_call.h - one action of an answer that is JSON, in whatever words a model puts it, as a call of a tool. */
#ifndef CAIRN_COMMON_VLM_JSON_CALL_H
#define CAIRN_COMMON_VLM_JSON_CALL_H

#include "common/vlm/json_names.h"
#include "common/vlm/tools.h"

/* The objects that may hold a call's arguments, the nearest first. */
struct cairn_json_place {
	const json_t *at[4];
	int count;
};

/* A number, or a text that is one. */
bool cairn_json_number(const json_t *v, double *ret);
/* A point given as the target, under a name of its own, or beside the action. */
bool cairn_json_point(const struct cairn_json_place *place, const json_t *target, double *x, double *y);
/* What the action's tool takes, from where it may stand, under the tool's own names in args. */
void cairn_json_arguments(
    json_t *args, const struct cairn_json_place *p, const struct cairn_json_action *a, bool candidates);

/* An action as it may stand in the answer: a word, an object, or a list of one. beside: where its arguments
 * may stand as well, or NULL. False with the reason. */
bool cairn_json_call(const json_t *spec, const json_t *beside, bool candidates, struct cairn_tool_call *ret,
    struct cairn_error *err);

#endif
