/* eval_explore.h - what the files of `cairn eval explore` share. */
#ifndef CAIRN_PROCS_CAIRN_EVAL_EXPLORE_H
#define CAIRN_PROCS_CAIRN_EVAL_EXPLORE_H

#include <jansson.h>

#include "common/eval/interval.h"
#include "common/eval/trial.h"
#include "procs/cairn/model_call.h"

#define EXPLORE_WORLDS_MAX 512
#define EXPLORE_SEEDS_MAX 1000

struct explore_world {
	char path[512], name[40];
	uint64_t hash; /* of the file */
};

struct explore_plan {
	struct cairn_config cfg;
	struct explore_world worlds[EXPLORE_WORLDS_MAX];
	uint32_t world_count;
	enum cairn_trial_mode modes[CAIRN_TRIAL_MODE_COUNT];
	uint32_t mode_count, seeds, first_seed;
	double duration_s;
	const char *pilot;
	const char *provider; /* NULL: the scripted pilot, asked without a prompt */
	struct cairn_lineup lineup;
	struct cairn_text system;
	struct model_purse *purse;
	double usd_max;
	enum cairn_run_map map;
	const char *report_dir;
	/* results, world after world, of these mode after mode, of these seed after seed */
	struct cairn_trial_result *results;
	bool *done;
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

/* Which worlds: all, or every second one in the order of their names, from the first or from the second on. */
enum explore_half { EXPLORE_ALL, EXPLORE_FIRST_HALF, EXPLORE_SECOND_HALF, EXPLORE_HALF_COUNT };

/* Mean over the houses, of each the mean over its seeds; with a single house over its seeds. */
struct cairn_interval explore_mean(
    const struct explore_plan *plan, uint32_t mode, const struct explore_metric *metric);

/* Two modes of the same house and seed. */
struct explore_contrast {
	const char *name, *title;
	double (*of)(const struct cairn_trial_result *mode, const struct cairn_trial_result *against);
};
extern const struct explore_contrast explore_contrasts[];
extern const uint32_t explore_contrast_count;
struct cairn_interval explore_compare(const struct explore_plan *plan, uint32_t mode, uint32_t against,
    enum explore_half half, const struct explore_contrast *contrast);

/* Index of a mode in the plan, or -1. */
int explore_mode(const struct explore_plan *plan, enum cairn_trial_mode mode);
void explore_figures(const struct explore_plan *plan, json_t *figures);
bool explore_report(const struct explore_plan *plan, const char *command, struct cairn_error *err);

#endif
