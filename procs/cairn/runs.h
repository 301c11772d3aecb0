/* runs.h - what was decided in earlier runs, by date.
 *
 * A run writes its decisions, commands, refusals, the pictures sent to the model and its summary into the state folder.
 * The next `cairn up` moves them to STATE/runs/TIME, TIME being the start of the run in UTC (20261126T032211Z), and
 * removes the oldest beyond launcher.runs_mb. */
#ifndef CAIRN_PROCS_CAIRN_RUNS_H
#define CAIRN_PROCS_CAIRN_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

#define RUNS_BEGUN_FILE "run.json" /* in the state folder: when the run began */
#define RUNS_PATH_BYTES 640
#define RUNS_NAME_BYTES 32

/* Moves what the run before has left in the state folder, and keeps the folder of runs below quota_bytes. Its mission is
 * removed: the stamps in it are of that run. All else in the folder outlives runs (home.h, the money spent, tokens of the
 * page, an emergency stop, what was damaged and put aside) and is not touched. What cannot be moved stays; false with
 * the reason then. */
bool runs_set_aside(const char *state_dir, double quota_bytes, struct cairn_error *err);

/* A run begins: writes when, by which it will be known. */
bool runs_begin(const char *state_dir, double unix_s, struct cairn_error *err);

/* The folder of the run of this name: "last" (the newest that has ended), a name of `cairn runs`, or the beginning of
 * one. NULL: STATE itself, the run of now. False with the reason. */
bool runs_find(const char *state_dir, const char *name, char path[RUNS_PATH_BYTES], struct cairn_error *err);

struct cli;
/* The folder that a command's --of names, relative to the run directory: "state", "state/runs/NAME". Of a robot elsewhere
 * the whole name is wanted. CLI_OK, or a status after a message. */
int runs_folder(const struct cli *cli, char folder[RUNS_PATH_BYTES]);

struct runs_row {
	char name[RUNS_NAME_BYTES]; /* empty: the run of now, or the one that ended last */
	double started_unix_s;      /* 0 = not known */
	double duration_s;          /* by its summary; negative: it has none */
	bool passed;
	char ended[160]; /* how, by its summary; empty: it has none */
	unsigned long decisions;
	double bytes;
};

/* All runs, oldest first, to be freed; the count, or -1 with the reason. */
int runs_list(const char *state_dir, struct runs_row **ret_rows, struct cairn_error *err);

#endif
