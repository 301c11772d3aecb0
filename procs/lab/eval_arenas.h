/* eval_arenas.h - what the files of `cairn eval arenas` share. */
#ifndef CAIRN_PROCS_LAB_EVAL_ARENAS_H
#define CAIRN_PROCS_LAB_EVAL_ARENAS_H

#include <jansson.h>

#include "common/eval/arena.h"
#include "procs/lab/shared_budget.h"

#define ARENAS_MAX 16

struct cli;

struct arenas_plan {
	struct cairn_arena *arenas[ARENAS_MAX];
	uint32_t arena_count;
	bool modes[CAIRN_ARENA_MODE_COUNT];
	uint32_t first_seed, seeds, mode_count;
	long jobs;
	const char *report; /* folder, or NULL */
	char *command;      /* that makes the same again */
	/* Pieces of work, by number: arena, then mode, then seed, the last the fastest. */
	uint64_t count;
	struct cairn_arena_result *results;
	bool *done;
	uint32_t failed;
	/* Who drives: a provider in the scripted pilot's place. */
	const char *provider; /* NULL: the pilot by itself */
	const char *log;      /* folder for a line of JSON a cycle, or NULL */
	double usd_max;
	struct cairn_config cfg;
	struct cairn_lineup lineup;
	struct cairn_text system;
	struct model_purse *purse;
};

/* Reads --provider, --usd and --log. False after a message. */
bool arenas_read_model(const struct cli *cli, struct arenas_plan *plan);
/* Before the workers are started. False after a message. */
bool arenas_open_model(struct arenas_plan *plan, uint64_t key);
void arenas_close_model(struct arenas_plan *plan);
/* One run of the plan, in a process of its own. */
bool arenas_drive(const struct arenas_plan *plan, uint64_t number, struct cairn_arena_result *ret,
    cairn_arena_end_fn *at_end, void *ctx, struct cairn_error *err);

/* Whose piece a number is. */
const struct cairn_arena *arenas_piece(
    const struct arenas_plan *plan, uint64_t number, enum cairn_arena_mode *ret_mode, uint32_t *ret_seed);
/* A number that differs when the arena or its world does. */
uint64_t arenas_digest(const struct cairn_arena *arena);
/* Name of the picture of a piece, without ending. */
void arenas_file(const struct arenas_plan *plan, uint64_t number, char *ret, size_t size);
/* "3 (<= 2)", and of a goal that cannot be reached whether that was reported. */
void arenas_value(const struct cairn_arena *arena, const struct cairn_arena_result *result,
    enum cairn_arena_criterion which, const struct cairn_arena_verdict *verdict, char *ret, size_t size);
/* A cairn_arena_end_fn; ctx is a struct arenas_picture. */
struct arenas_picture {
	const struct arenas_plan *plan;
	uint64_t number;
	struct cairn_error err;
	bool ok;
};
void arenas_draw(void *ctx, struct cairn_run *run, const struct cairn_arena_result *result);
bool arenas_write_report(const struct arenas_plan *plan, double wall_s, struct cairn_error *err);

#endif
