/* eval_explore.h - what the files of `cairn eval explore` share. */
#ifndef CAIRN_PROCS_LAB_EVAL_EXPLORE_H
#define CAIRN_PROCS_LAB_EVAL_EXPLORE_H

#include <jansson.h>

#include "common/eval/interval.h"
#include "common/eval/report.h"
#include "common/eval/trial.h"
#include "procs/cli/cli.h"
#include "procs/gateway/model_call.h"
#include "procs/lab/shared_budget.h"

#define EXPLORE_WORLDS_MAX 512
#define EXPLORE_SEEDS_MAX 1000

struct explore_world {
	char path[512], name[40]; /* of the file without its ending; no two are called the same */
	uint64_t hash;            /* of the file */
};

/* What a house was seen of in a way of choosing when it was good: a file of lines "WORLD MODE SEED PERCENT", one "allowance
 * POINTS" and remarks behind '#'. */
#define EXPLORE_BASELINE_MAX 1024
struct explore_baseline {
	double allowance_points;
	uint32_t count;
	struct explore_baseline_row {
		char world[40];
		enum cairn_trial_mode mode;
		uint32_t seed;
		double seen_percent;
	} rows[EXPLORE_BASELINE_MAX];
};
/* False with what is wrong where. */
bool explore_baseline_load(const char *path, struct explore_baseline *ret, struct cairn_error *err);

/* A file that was named as a house and is none. */
struct explore_bad {
	char path[512], why[200];
};

struct explore_plan {
	struct cairn_config cfg;
	struct explore_world worlds[EXPLORE_WORLDS_MAX];
	uint32_t world_count;
	struct explore_bad *bad;
	uint32_t bad_count;
	struct explore_baseline *baseline; /* NULL: none is asked for */
	enum cairn_trial_mode modes[CAIRN_TRIAL_MODE_COUNT];
	uint32_t mode_count, seeds, first_seed;
	double duration_s;
	long jobs;
	const char *pilot;
	const char *provider; /* NULL: the scripted pilot, asked without a prompt */
	struct cairn_lineup lineup;
	struct cairn_text system;
	struct model_purse *purse; /* of the provider, as is */
	struct explore_stop *stop; /* (explore_model.c) */
	double usd_max;
	enum cairn_run_map map;
	bool scripted; /* the pilot is asked, or nobody */
	const char *report_dir;
	/* results, world after world, of these mode after mode, of these seed after seed */
	struct explore_outcome *results;
	bool *done;
};

/* What a worker hands over: the trial, or why there is none. */
struct explore_outcome {
	bool failed;
	char why[200];
	struct cairn_trial_result trial;
};

/* NULL for a trial that has no result. mode: index into plan->modes. */
const struct cairn_trial_result *explore_result(
    const struct explore_plan *plan, uint32_t world, uint32_t mode, uint32_t seed);

/* What is told of a trial; not a number where it does not apply. */
struct explore_metric {
	const char *name, *title;
	int digits;
	double (*of)(const struct cairn_trial_result *result);
};
extern const struct explore_metric explore_metrics[];
extern const uint32_t explore_metric_count;
/* What is said where no trial has it; NULL: nothing. */
const char *explore_metric_none(const struct explore_metric *metric);

/* Which worlds: all, or every second one in the order of their names, from the first or from the second on. */
enum explore_half { EXPLORE_ALL, EXPLORE_FIRST_HALF, EXPLORE_SECOND_HALF, EXPLORE_HALF_COUNT };

/* Mean over the houses, of each the mean over its seeds; with a single house over its seeds. */
struct cairn_interval explore_mean(
    const struct explore_plan *plan, uint32_t mode, const struct explore_metric *metric);

/* Two modes of the same house and seed. */
struct explore_contrast {
	const char *name, *title;
	double (*of)(const struct cairn_trial_result *mode, const struct cairn_trial_result *against);
	/* What a pair needs to be compared. */
	bool both_end;              /* by themselves, not by time */
	int percent, percent_other; /* to be seen by the one and by the other */
};
extern const struct explore_contrast explore_contrasts[];
extern const uint32_t explore_contrast_count;
struct cairn_interval explore_compare(const struct explore_plan *plan, uint32_t mode, uint32_t against,
    enum explore_half half, const struct explore_contrast *contrast);

/* The same of a single house, over its seeds. */
struct cairn_interval explore_compare_house(const struct explore_plan *plan, uint32_t mode, uint32_t against,
    uint32_t world, const struct explore_contrast *contrast);

/* A pair that is not part of a difference, and why. */
struct explore_gap {
	uint32_t world, seed;
	char why[160];
};
/* How many pairs are left out; the first of them into ret, which may be NULL. *ret_pairs: how many are not. */
uint32_t explore_left_out(const struct explore_plan *plan, uint32_t mode, uint32_t against,
    enum explore_half half, const struct explore_contrast *contrast, struct explore_gap *ret, uint32_t cap,
    uint32_t *ret_pairs);

/* ---- the verdict: of the exit status, the text and the page ---- */

enum explore_fault_kind {
	EXPLORE_FAULT_WORLD,   /* a file that is no house */
	EXPLORE_FAULT_MISSING, /* a trial without result */
	EXPLORE_FAULT_CONTACT,
	EXPLORE_FAULT_EARLY,
	EXPLORE_FAULT_UNEXPLAINED,  /* frontiers left without a reason */
	EXPLORE_FAULT_HOUSE_SEEN,   /* too little seen in one trial */
	EXPLORE_FAULT_MODE_SEEN,    /* ... on average */
	EXPLORE_FAULT_HYBRID_SEEN,  /* hybrid saw less of a house than frontier did */
	EXPLORE_FAULT_HYBRID_TIME,  /* hybrid took longer on average */
	EXPLORE_FAULT_HYBRID_HOUSE, /* ... in one house, by many seeds */
	EXPLORE_FAULT_BASELINE,     /* less than was seen when it was good */
	EXPLORE_FAULT_NO_BASELINE,  /* a trial that the baseline does not know */
	EXPLORE_FAULT_NOT_DRIVEN,   /* a line of the baseline that there was no trial of */
	EXPLORE_FAULT_MODEL_SILENT, /* hardly an answer, or none that was driven: local exploration is what was measured */
	EXPLORE_FAULT_KIND_COUNT
};

#define EXPLORE_ANY UINT32_MAX /* of no single world, mode or seed */
#define EXPLORE_FAULTS_MAX 64
struct explore_verdict {
	bool passed;
	enum {
		EXPLORE_NOT_ASKED,
		EXPLORE_TOO_FEW,
		EXPLORE_JUDGED
	} hybrid_time;          /* whether hybrid takes longer than frontier */
	uint32_t hybrid_houses; /* in which both can be compared; with one house its seeds */
	uint32_t count;         /* of these the first EXPLORE_FAULTS_MAX are kept */
	struct explore_fault {
		enum explore_fault_kind kind;
		uint32_t world, mode,
		    seed; /* of the plan (NOT_DRIVEN: world is a row of the baseline; WORLD: one of bad) */
		double value, limit;
	} faults[EXPLORE_FAULTS_MAX];
};
void explore_judge(const struct explore_plan *plan, struct explore_verdict *ret);
const char *explore_fault_name(enum explore_fault_kind kind);
/* What the verdict does not cover, in a sentence; empty: nothing is left out. */
void explore_unjudged_words(const struct explore_verdict *verdict, char *ret, size_t cap);
/* One line for people. */
void explore_fault_words(
    const struct explore_plan *plan, const struct explore_fault *fault, char *ret, size_t cap);

/* ---- the parts of the evaluation ---- */

/* Loads every house that is named and leaves out those that are none (plan->bad). False after a message: there is none. */
bool explore_read_worlds(const struct cli *cli, struct explore_plan *plan);
/* NULL with the reason: it cannot be loaded, or is no longer the file that it was then. */
struct cairn_world *explore_load_world(const struct explore_world *world, struct cairn_error *err);
/* One line of how many trials started where another start was asked for; empty: none. */
void explore_starts_words(const struct explore_plan *plan, char *ret, size_t cap);
/* What the means are of. */
const char *explore_mean_words(const struct explore_plan *plan);
char *explore_text(const struct explore_plan *plan, const struct explore_verdict *verdict);
void explore_interval_text(char *buf, size_t cap, struct cairn_interval interval, int digits);

/* Index of a mode in the plan, or -1. */
int explore_mode(const struct explore_plan *plan, enum cairn_trial_mode mode);
void explore_figures(const struct explore_plan *plan, const struct explore_verdict *verdict, json_t *figures);
/* Onto the page: the worst houses first, with their maps and paths. */
void explore_report_worst(
    struct cairn_report *report, const struct explore_plan *plan, const struct explore_verdict *verdict);
bool explore_report(const struct explore_plan *plan, const struct explore_verdict *verdict,
    const char *command, struct cairn_error *err);

#endif
