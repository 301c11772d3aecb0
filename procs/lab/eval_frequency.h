/* eval_frequency.h - what the parts of `cairn eval frequency` share. */
#ifndef CAIRN_PROCS_LAB_EVAL_FREQUENCY_H
#define CAIRN_PROCS_LAB_EVAL_FREQUENCY_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/error.h"

/* Writes the page into dir, which is made when it is not there. figures: as the command prints them with --json; command:
 * that makes the page again, may be NULL. False with the reason. */
bool frequency_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err);

#endif
