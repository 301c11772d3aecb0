/* eval_explore_worst.c - the page about trials: the worst houses, with their maps and paths. */
#include <math.h>
#include <stdlib.h>

#include "procs/lab/eval_explore.h"

#define RUNS_MAX 24 /* drawn, the worst first */
#define CUT_M 0.15  /* height of the cut through a world */

struct worst {
	uint32_t world, seed;
	double badness;
};

/* How the first mode did there, beside the best of the others. */
static double badness_of(const struct explore_plan *p, uint32_t world, uint32_t seed)
{
	const struct cairn_trial_result *a = explore_result(p, world, 0, seed);
	double best_m = INFINITY, bad = 0.0;
	for (uint32_t m = 0; m < p->mode_count; m++) {
		const struct cairn_trial_result *r = explore_result(p, world, m, seed);
		if (r == NULL) {
			bad += 50.0;
			continue;
		}
		bad += 100.0 * r->contacts + (r->early ? 50.0 : 0.0);
		if (r->explored)
			best_m = fmin(best_m, r->path_m);
	}
	if (a == NULL)
		return bad;
	return bad + 5.0 * (1.0 - a->coverage) +
	       (isfinite(best_m) && best_m > 0.0 ? a->path_m / best_m : 1.0);
}

static int worst_first(const void *a, const void *b)
{
	double x = ((const struct worst *)a)->badness, y = ((const struct worst *)b)->badness;
	return (x < y) - (x > y);
}

/* Of this house and seed the first fault, in any way of choosing; NULL: none is known. */
static const struct explore_fault *fault_of(const struct explore_verdict *v, const struct worst *at)
{
	for (uint32_t i = 0; i < v->count && i < EXPLORE_FAULTS_MAX; i++)
		if (v->faults[i].kind != EXPLORE_FAULT_WORLD &&
		    v->faults[i].kind != EXPLORE_FAULT_NOT_DRIVEN && v->faults[i].world == at->world &&
		    v->faults[i].seed == at->seed)
			return &v->faults[i];
	return NULL;
}

static void add_run(struct cairn_report *report, const struct explore_plan *p,
    const struct explore_verdict *v, const struct worst *at, uint32_t number)
{
	const struct explore_fault *fault = fault_of(v, at);
	struct cairn_error err = {""};
	struct cairn_world *world = explore_load_world(&p->worlds[at->world], &err);
	struct cairn_report_path paths[CAIRN_TRIAL_MODE_COUNT];
	struct cairn_report_spot spots[CAIRN_TRIAL_MODE_COUNT + 1];
	struct cairn_report_fact facts[CAIRN_TRIAL_MODE_COUNT];
	char texts[CAIRN_TRIAL_MODE_COUNT][96], file[40], name[80], verdict[400];
	uint32_t n = 0, spot_count = 0;
	bool bad = false;
	for (uint32_t m = 0; m < p->mode_count; m++) {
		const struct cairn_trial_result *r = explore_result(p, at->world, m, at->seed);
		if (r == NULL)
			continue;
		paths[n] = (struct cairn_report_path){.name = cairn_trial_mode_name(p->modes[m]),
		    .points_m = &r->path_xy_m[0][0],
		    .point_count = r->path_count,
		    .colour = m};
		snprintf(texts[n], sizeof(texts[n]), "%s, %.0f s, %.1f m, %.1f %% seen",
		    r->early      ? "early"
		    : r->explored ? "explored"
				  : "time up",
		    r->seconds, r->path_m, 100.0 * r->coverage);
		facts[n] = (struct cairn_report_fact){cairn_trial_mode_name(p->modes[m]), texts[n]};
		bad |= r->contacts > 0 || r->early;
		if (n == 0 && r->path_count > 0)
			spots[spot_count++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_START,
			    .x_m = r->start.x_m,
			    .y_m = r->start.y_m,
			    .heading_rad = r->start.yaw_rad};
		if (r->left_m2 >= CAIRN_TRIAL_LEFT_M2)
			spots[spot_count++] = (struct cairn_report_spot){.kind = CAIRN_REPORT_PLACE,
			    .name = "unseen",
			    .x_m = r->left_x_m,
			    .y_m = r->left_y_m};
		n++;
	}
	snprintf(file, sizeof(file), "house-%02u", number);
	snprintf(name, sizeof(name), "%.40s, seed %u", p->worlds[at->world].name, p->first_seed + at->seed);
	if (fault != NULL)
		explore_fault_words(p, fault, verdict, sizeof(verdict));
	else
		snprintf(verdict, sizeof(verdict),
		    bad ? "touched something, or ended early" : "no contact, nothing left without a reason");
	struct cairn_report_map map = {.file = file,
	    .world = world,
	    .height_m = CUT_M,
	    .paths = paths,
	    .spots = spots,
	    .path_count = n,
	    .spot_count = spot_count};
	cairn_report_run(report, &(struct cairn_report_run){.name = name,
				     .badness = at->badness,
				     .mark = bad || fault != NULL ? CAIRN_REPORT_BAD : CAIRN_REPORT_PLAIN,
				     .verdict = verdict,
				     .facts = facts,
				     .fact_count = n,
				     .map = world != NULL ? &map : NULL});
	cairn_world_destroy(&world);
}

void explore_report_worst(
    struct cairn_report *report, const struct explore_plan *p, const struct explore_verdict *v)
{
	uint32_t count = p->world_count * p->seeds;
	char text[160];
	snprintf(text, sizeof(text),
	    "%u of %u pairs of house and seed are drawn, the worst first; the table above has all trials.",
	    count < RUNS_MAX ? count : RUNS_MAX, count);
	cairn_report_heading(report, "The worst", text);
	struct worst *list = calloc(count, sizeof(*list));
	for (uint32_t i = 0; list != NULL && i < count; i++)
		list[i] =
		    (struct worst){i / p->seeds, i % p->seeds, badness_of(p, i / p->seeds, i % p->seeds)};
	if (list != NULL)
		qsort(list, count, sizeof(*list), worst_first);
	for (uint32_t i = 0; list != NULL && i < count && i < RUNS_MAX; i++)
		add_run(report, p, v, &list[i], i + 1);
	free(list);
}
