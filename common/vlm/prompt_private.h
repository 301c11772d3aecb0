/* prompt_private.h - what the files of the prompt share; nobody else includes it. */
#ifndef CAIRN_COMMON_VLM_PROMPT_PRIVATE_H
#define CAIRN_COMMON_VLM_PROMPT_PRIVATE_H

#include "common/vlm/prompt.h"

/* prompt_view.c: the SENSORS and ROBOT lines of a snapshot's text. */
/* 'L' or 'R' of "left" and "right". */
char cairn_prompt_side(const char *word);

#endif
