/* eval_frequency.h - what the parts of `cairn eval frequency` share. */
#ifndef CAIRN_PROCS_LAB_EVAL_FREQUENCY_H
#define CAIRN_PROCS_LAB_EVAL_FREQUENCY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/eval/frequency.h"

/* Writes the page into dir, which is made when it is not there. figures: as the command prints them with --json; command:
 * that makes the page again, may be NULL. False with the reason. */
bool frequency_write_page(
    const json_t *figures, const char *command, bool passed, const char *dir, struct cairn_error *err);

#define FREQUENCY_SEEDS_MAX 200

/* The reports of all runs: home by home, the seeds of each; borrowed. */
struct frequency_runs {
	const struct cairn_frequency_report *first;
	size_t stride_bytes; /* from one to the next */
	const char *const *homes;
	uint32_t home_count, seeds;
};

/* Text and figures ("novelty") of what the score of the stage local saves. */
void frequency_tell_novelty(const struct frequency_runs *runs, FILE *out, json_t *figures);
/* The share of calls that it has to save is saved, as much of the floor is seen, and nothing was touched. */
bool frequency_novelty_ok(const struct frequency_runs *runs, double less_seen_max);

#endif
