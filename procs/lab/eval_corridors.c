/* eval_corridors.c - long corridors driven out and back with odometry that slips: are they closed, and nothing wrongly? */
#include <stdio.h>
#include <stdlib.h>

#include "common/base/hash.h"
#include "common/eval/corridor.h"
#include "procs/cli/cli.h"
#include "procs/lab/bench.h"
#include "procs/lab/jobs.h"

#define RUNS_DEFAULT 100
#define RUNS_MAX 100000
_Static_assert(sizeof(struct cairn_corridor_result) <= CAIRN_JOB_BYTES_MAX, "a result fits");

static const char *const kind_names[] = {"bare", "doors", "rooms", "twins", "ring"};
_Static_assert(sizeof(kind_names) / sizeof(kind_names[0]) == CAIRN_CORRIDOR_KINDS, "one name for each");

struct plan {
	uint64_t count, first;
	struct cairn_config cfg;
	struct cairn_corridor_options options;
	struct cairn_corridor_result *results;
	bool *done, verbose;
	uint64_t bad; /* for the line of progress */
};

static bool good(const struct cairn_corridor_result *r)
{
	return cairn_corridor_closed(r) && r->wrong == 0;
}

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	struct plan *p = ctx;
	return cairn_corridor_run(&p->options, p->first + number, result, err);
}

static void tell_bad(FILE *out, const struct cairn_corridor_result *r)
{
	fprintf(out,
	    "log %llu: %s, %.1f m long, %.2f m wide, %.2f m apart: %s; end off by %.2f m %.1f deg, places "
	    "passed again by %.2f m (worst %.2f m); %u ties, %u loops, %u wrong (%.2f m); %u weak, %u lost "
	    "of "
	    "%u scans\n",
	    (unsigned long long)r->number, kind_names[r->kind], r->length_m, r->width_m, r->apart_m,
	    !r->arrived                 ? "NOT DRIVEN TO THE END"
	    : !cairn_corridor_closed(r) ? "NOT CLOSED"
					: "closed",
	    r->end_m, cairn_rad_to_deg(r->end_rad), r->revisit_mean_m, r->revisit_worst_m, r->ties, r->loops,
	    r->wrong, r->wrong_m, r->weak, r->lost, r->scans);
}

static void take(void *ctx, uint64_t number, const void *result)
{
	struct plan *p = ctx;
	(void)number;
	p->bad += !good(result);
	if (p->verbose)
		tell_bad(stderr, result);
}

static void note(void *ctx, char *text, size_t bytes)
{
	const struct plan *p = ctx;
	snprintf(text, bytes, "%llu not good", (unsigned long long)p->bad);
}

/* ---- figures ---- */

struct tally {
	uint64_t logs, closed, wrong, revisits;
	double end_m, end_worst_m, odometry_m, revisit_m;
};

static void add(struct tally *t, const struct cairn_corridor_result *r)
{
	t->logs++;
	t->closed += cairn_corridor_closed(r);
	t->wrong += r->wrong > 0;
	t->end_m += r->end_m;
	t->end_worst_m = fmax(t->end_worst_m, r->end_m);
	t->odometry_m += r->odometry_m;
	t->revisit_m += r->revisit_mean_m * r->revisits;
	t->revisits += r->revisits;
}

static double mean(double sum, uint64_t n)
{
	return n > 0 ? sum / (double)n : 0.0;
}

static json_t *tally_json(const struct tally *t)
{
	return json_pack("{s:I,s:I,s:I,s:f,s:f,s:f,s:f}", "logs", (json_int_t)t->logs, "closed",
	    (json_int_t)t->closed, "closed_wrongly", (json_int_t)t->wrong, "end_mean_m",
	    mean(t->end_m, t->logs), "end_worst_m", t->end_worst_m, "revisit_mean_m",
	    mean(t->revisit_m, t->revisits), "odometry_end_mean_m", mean(t->odometry_m, t->logs));
}

static void tally_text(FILE *out, const char *name, const struct tally *t)
{
	fprintf(out, "%-10s %5llu %7llu %7llu %10.3f %11.3f %14.3f %12.2f\n", name,
	    (unsigned long long)t->logs, (unsigned long long)t->closed, (unsigned long long)t->wrong,
	    mean(t->end_m, t->logs), t->end_worst_m, mean(t->revisit_m, t->revisits),
	    mean(t->odometry_m, t->logs));
}

static json_t *result_json(const struct cairn_corridor_result *r)
{
	return json_pack("{s:I,s:s,s:f,s:f,s:f,s:b,s:f,s:f,s:f,s:f,s:i,s:i,s:i,s:f}", "log",
	    (json_int_t)r->number, "kind", kind_names[r->kind], "length_m", r->length_m, "width_m",
	    r->width_m, "apart_m", r->apart_m, "closed", (int)cairn_corridor_closed(r), "end_m", r->end_m,
	    "end_deg", cairn_rad_to_deg(r->end_rad), "revisit_mean_m", r->revisit_mean_m, "revisit_worst_m",
	    r->revisit_worst_m, "ties", (int)r->ties, "loops", (int)r->loops, "wrong", (int)r->wrong,
	    "wrong_m", r->wrong_m);
}

static bool judge(const struct plan *p, json_t *figures, bool finished)
{
	struct tally all = {0}, kinds[CAIRN_CORRIDOR_KINDS] = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *bad = json_array(), *list = json_object();
	if (out == NULL)
		return false;
	for (uint64_t i = 0; i < p->count; i++) {
		const struct cairn_corridor_result *r = &p->results[i];
		if (!p->done[i])
			continue;
		add(&all, r);
		add(&kinds[r->kind], r);
		if (good(r))
			continue;
		json_array_append_new(bad, result_json(r));
		if (!p->verbose)
			tell_bad(out, r);
	}
	fprintf(out, "%-10s %5s %7s %7s %10s %11s %14s %12s\n", "corridors", "logs", "closed", "wrongly",
	    "end off, m", "at worst, m", "passed again, m", "odometry, m");
	for (int kind = 0; kind < CAIRN_CORRIDOR_KINDS; kind++) {
		tally_text(out, kind_names[kind], &kinds[kind]);
		json_object_set_new(list, kind_names[kind], tally_json(&kinds[kind]));
	}
	tally_text(out, "all", &all);
	fclose(out);
	json_object_set_new(figures, "text", json_string(text));
	free(text);
	json_t *o = tally_json(&all);
	json_object_update(figures, o);
	json_decref(o);
	json_object_set_new(figures, "finished", json_boolean(finished));
	json_object_set_new(figures, "mark_closed", json_real(CAIRN_CORRIDOR_CLOSED_SHARE));
	json_object_set_new(figures, "kinds", list);
	json_object_set_new(figures, "not_good", bad);
	return finished && all.logs > 0 && all.wrong == 0 &&
	       (double)all.closed >= CAIRN_CORRIDOR_CLOSED_SHARE * (double)all.logs;
}

/* ---- the command ---- */

enum cairn_eval_end cairn_eval_corridors(const struct cli *cli, json_t *figures)
{
	long seed = cli_count(cli, "seed", 1), runs = cli_count_max(cli, "runs", RUNS_DEFAULT, RUNS_MAX),
	     first = cli_count_within(cli, "first", 0, 0, RUNS_MAX),
	     jobs = cli_count(cli, "jobs", cairn_jobs_default());
	if (seed < 0 || runs < 0 || first < 0 || jobs < 1)
		return CAIRN_EVAL_USAGE;
	struct plan *p = calloc(1, sizeof(*p));
	if (p == NULL)
		return CAIRN_EVAL_FAILED;
	cairn_config_defaults(&p->cfg);
	p->count = (uint64_t)runs;
	p->first = (uint64_t)first;
	p->verbose = cli_value(cli, "verbose") != NULL;
	p->options = (struct cairn_corridor_options){.cfg = &p->cfg, .seed = (uint64_t)seed};
	cli_catch_signals();
	const uint64_t what[] = {p->options.seed, p->first};
	struct cairn_jobs shards = {.count = p->count,
	    .bytes = sizeof(*p->results),
	    .jobs = jobs,
	    .work = work,
	    .take = take,
	    .note = note,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .title = "cairn eval corridors",
	    .state_path = cli_value(cli, "state"),
	    .key = cairn_hash_bytes(
		cairn_hash_bytes(CAIRN_HASH_START, what, sizeof(what)), &p->cfg, sizeof(p->cfg))};
	void *results;
	enum cairn_jobs_end end = cairn_jobs_do(&shards, &results, &p->done);
	p->results = results;
	bool passed = end != CAIRN_JOBS_FAILED && judge(p, figures, end == CAIRN_JOBS_DONE);
	free(p->results);
	free(p->done);
	free(p);
	return passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
