/* short_ids.h - places and decisions as the prompt names them: one name for a thing in all of it, and none that it does not
 * have. */
#ifndef CAIRN_COMMON_VLM_SHORT_IDS_H
#define CAIRN_COMMON_VLM_SHORT_IDS_H

#include <stdbool.h>

/* "frontier 12" becomes "F12", "candidate 7" "C7", "decision 1815607536" (which took over) "the next", wherever they stand. In
 * place: the text only gets shorter. */
void cairn_short_ids(char *text);

#endif
