/* tool_place.h - places ("F3", "1.5,-2", "explore") and spots of the picture ("500,420") in the arguments of tools: what
 * tool_table.c knows of them. */
#ifndef CAIRN_COMMON_VLM_TOOL_PLACE_H
#define CAIRN_COMMON_VLM_TOOL_PLACE_H

#include "common/vlm/tool_table.h"

/* By enum cairn_goal_kind; NULL ends them. */
extern const char *const cairn_tool_goal_words[];

void cairn_tool_write_place(struct cairn_text *out, const struct cairn_tool_place *place);
void cairn_tool_write_spot(struct cairn_text *out, const struct cairn_tool_spot *spot);
/* False with the reason, which begins with the parameter's name. */
bool cairn_tool_read_place(const struct cairn_tool_param *p, const json_t *value,
    struct cairn_tool_place *ret, struct cairn_error *err);
bool cairn_tool_read_spot(const struct cairn_tool_param *p, const json_t *value, struct cairn_tool_spot *ret,
    struct cairn_error *err);
/* A point as a text or a list; not checked for its range. */
bool cairn_tool_point(const json_t *value, double *x_m, double *y_m);
/* Index of a word, in capitals or not; or -1. */
int cairn_tool_word(const char *const *words, const char *word);

#endif
