/* eval_mounting.c - robots with one thing mounted or wired the wrong way round set off through houses: are all of them
 * stopped, how far did they get, and is a robot with everything right left alone? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/mounting_trial.h"
#include "procs/cli/cli.h"
#include "procs/lab/bench.h"
#include "common/rules/config_check.h"
#include "procs/lab/jobs.h"

#define RUNS_DEFAULT 200
#define RUNS_MAX 100000
#define WRONG_S 60.0
#define RIGHT_S 300.0
#define SHOWN_MAX_M 0.30

struct plan {
	uint64_t runs, seed;
	long jobs;
	struct cairn_config cfg;
	struct cairn_mounting_result *results; /* by fault, then by run */
	bool *done;
};

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	const struct plan *p = ctx;
	enum cairn_mounting_fault fault = (enum cairn_mounting_fault)(number / p->runs);
	return cairn_mounting_trial(&p->cfg, fault, p->seed * UINT64_C(100003) + number % p->runs,
	    fault == CAIRN_MOUNTING_RIGHT ? RIGHT_S : WRONG_S, result, err);
}

struct tally {
	uint64_t runs, stopped, contacts, heard;
	double driven_max_m, shown_max_m, shown_m, driven_m;
};

static void add(struct tally *t, const struct cairn_mounting_result *r)
{
	if (r->skipped)
		return;
	t->runs++;
	t->stopped += r->stopped;
	t->contacts += r->contacts;
	t->heard += r->heard;
	t->driven_m += r->driven_m;
	t->shown_m += r->shown_m;
	t->driven_max_m = r->driven_m > t->driven_max_m ? r->driven_m : t->driven_max_m;
	t->shown_max_m = r->shown_m > t->shown_max_m ? r->shown_m : t->shown_max_m;
}

static json_t *tally_json(const struct tally *t)
{
	double n = t->runs > 0 ? (double)t->runs : 1.0;
	return json_pack("{s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:I}", "runs", (json_int_t)t->runs, "stopped",
	    (json_int_t)t->stopped, "contacts", (json_int_t)t->contacts, "shown_m_mean", t->shown_m / n,
	    "shown_m_max", t->shown_max_m, "driven_m_mean", t->driven_m / n, "driven_m_max", t->driven_max_m,
	    "motions_compared", (json_int_t)t->heard);
}

static void tally_text(FILE *out, const char *name, const struct tally *t)
{
	double n = t->runs > 0 ? (double)t->runs : 1.0;
	fprintf(out, "%-20s %5llu %8llu %9llu %11.2f %10.2f %10.2f\n", name, (unsigned long long)t->runs,
	    (unsigned long long)t->stopped, (unsigned long long)t->contacts, t->shown_m / n, t->shown_max_m,
	    t->driven_m / n);
}

/* Of a wrong one each run is stopped in time, of a right one none. */
static bool good(enum cairn_mounting_fault fault, const struct tally *t)
{
	if (fault == CAIRN_MOUNTING_RIGHT)
		return t->runs > 0 && t->stopped == 0 && t->contacts == 0;
	return t->runs > 0 && t->stopped == t->runs && t->contacts == 0 && t->shown_max_m <= SHOWN_MAX_M;
}

static bool judge(const struct plan *p, json_t *figures, bool finished)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *list = json_object();
	bool all_good = finished;
	if (out == NULL)
		return false;
	fprintf(out, "%-20s %5s %8s %9s %11s %10s %10s\n", "fault", "runs", "stopped", "contacts", "shown, m",
	    "most, m", "driven, m");
	for (int fault = 0; fault < CAIRN_MOUNTING_COUNT; fault++) {
		const char *name = cairn_mounting_fault_name((enum cairn_mounting_fault)fault);
		struct tally t = {0};
		for (uint64_t i = 0; i < p->runs; i++)
			if (p->done[(uint64_t)fault * p->runs + i])
				add(&t, &p->results[(uint64_t)fault * p->runs + i]);
		tally_text(out, name, &t);
		json_object_set_new(list, name, tally_json(&t));
		all_good = good((enum cairn_mounting_fault)fault, &t) && all_good;
	}
	fclose(out);
	json_object_set_new(figures, "text", json_string(text));
	free(text);
	json_object_set_new(figures, "finished", json_boolean(finished));
	json_object_set_new(figures, "mark_shown_m", json_real(SHOWN_MAX_M));
	json_object_set_new(figures, "faults", list);
	return all_good;
}

enum cairn_eval_end cairn_eval_mounting(const struct cli *cli, json_t *figures)
{
	struct cairn_error err = {""};
	long seed = cli_count(cli, "seed", 1), runs = cli_count_max(cli, "runs", RUNS_DEFAULT, RUNS_MAX),
	     jobs = cli_count(cli, "jobs", cairn_jobs_default());
	struct plan *p = calloc(1, sizeof(*p));
	if (p == NULL || seed < 0 || runs < 1 || jobs < 1) {
		free(p);
		return CAIRN_EVAL_USAGE;
	}
	const char *file = cli_value(cli, "config");
	cairn_config_defaults(&p->cfg);
	if (file != NULL && (!cairn_config_load(&p->cfg, file, &err) || !cairn_config_check(&p->cfg, &err))) {
		fprintf(stderr, "cairn eval mounting: %s\n", err.text);
		free(p);
		return CAIRN_EVAL_USAGE;
	}
	p->runs = (uint64_t)runs;
	p->seed = (uint64_t)seed;
	cli_catch_signals();
	struct cairn_jobs shards = {.count = p->runs * CAIRN_MOUNTING_COUNT,
	    .bytes = sizeof(*p->results),
	    .jobs = jobs,
	    .work = work,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .title = "cairn eval mounting"};
	void *results;
	enum cairn_jobs_end end = cairn_jobs_do(&shards, &results, &p->done);
	p->results = results;
	bool passed = end != CAIRN_JOBS_FAILED && judge(p, figures, end == CAIRN_JOBS_DONE);
	free(p->results);
	free(p->done);
	free(p);
	return passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
