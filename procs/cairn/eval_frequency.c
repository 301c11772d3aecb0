/* eval_frequency.c - the bundled homes explored with calls when there is something to decide, and at fixed rates: how many
 * calls the same floor takes. Homes and seeds on all cores; shares with 95 % intervals over the seeds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/eval/frequency.h"
#include "common/eval/interval.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"
#include "procs/cairn/shards.h"

#define LIMIT_S 900.0
#define JUDGED 1       /* the rate that the pass mark is about */
#define SAVED_MIN 0.5
#define COVERAGE_MIN 0.5 /* to see nothing with few calls is no way to pass */
#define SEEDS_MAX 200

static const double periods_s[] = {5.0, 2.0, 1.0};
static const char *const homes[] = {"studio", "home", "loop"};
enum { RATES = sizeof(periods_s) / sizeof(periods_s[0]), HOMES = sizeof(homes) / sizeof(homes[0]) };

struct piece {
	struct cairn_frequency_report rates[RATES];
};

struct plan {
	struct cairn_config cfg;
	uint32_t seeds, first_seed;
	struct piece *pieces;
	bool *done;
};

static const struct cairn_frequency_report *report_of(const struct plan *p, uint32_t home, uint32_t seed, uint32_t rate)
{
	return &p->pieces[home * p->seeds + seed].rates[rate];
}

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	const struct plan *p = ctx;
	struct piece *piece = result;
	struct cairn_config cfg = p->cfg;
	char path[512];
	snprintf(path, sizeof(path), "%s/config/worlds/%s.yaml", CAIRN_SOURCE_DIR, homes[number / p->seeds]);
	struct cairn_world *world = cairn_world_load(path, err);
	cfg.pilot.seed = cfg.sim.seed = (int)(p->first_seed + number % p->seeds);
	bool ok = world != NULL && cairn_frequency_compare(&cfg, world, periods_s, RATES, LIMIT_S, piece->rates, err);
	cairn_world_destroy(&world);
	return ok;
}

/* ---- figures ---- */

static json_t *interval(const double *values, uint32_t count)
{
	struct cairn_interval i = cairn_interval_of_mean(values, count);
	return json_pack("{s:f,s:f,s:f,s:i}", "mean", i.mean, "low", i.low, "high", i.high, "seeds", (int)i.count);
}

typedef double value_fn(const struct cairn_frequency_report *r);

static double saved(const struct cairn_frequency_report *r)
{
	return r->saved;
}
static double calls_by_need(const struct cairn_frequency_report *r)
{
	return (double)r->adaptive.same_calls;
}
static double calls_fixed(const struct cairn_frequency_report *r)
{
	return (double)r->fixed.same_calls;
}
static double seconds_by_need(const struct cairn_frequency_report *r)
{
	return r->adaptive.same_seconds;
}
static double seconds_fixed(const struct cairn_frequency_report *r)
{
	return r->fixed.same_seconds;
}
static double same_coverage(const struct cairn_frequency_report *r)
{
	return r->adaptive.same_coverage;
}

static const struct {
	const char *name;
	value_fn *of;
} values[] = {{"saved", saved}, {"calls_by_need", calls_by_need}, {"calls_fixed", calls_fixed},
    {"seconds_by_need", seconds_by_need}, {"seconds_fixed", seconds_fixed}, {"same_coverage", same_coverage}};

static json_t *home_figures(const struct plan *p, uint32_t home, uint32_t rate)
{
	json_t *o = json_object();
	double list[SEEDS_MAX];
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		for (uint32_t s = 0; s < p->seeds; s++)
			list[s] = values[v].of(report_of(p, home, s, rate));
		json_object_set_new(o, values[v].name, interval(list, p->seeds));
	}
	return o;
}

/* Of a seed: the calls of all homes together. */
static void saved_in_all(const struct plan *p, uint32_t rate, double *ret)
{
	for (uint32_t s = 0; s < p->seeds; s++) {
		uint64_t by_need = 0, fixed = 0;
		for (uint32_t h = 0; h < HOMES; h++) {
			by_need += report_of(p, h, s, rate)->adaptive.same_calls;
			fixed += report_of(p, h, s, rate)->fixed.same_calls;
		}
		ret[s] = fixed > 0 ? 1.0 - (double)by_need / (double)fixed : 0.0;
	}
}

static void add_line(char *text, size_t cap, const char *name, const json_t *o)
{
	size_t used = strlen(text);
	const json_t *s = json_object_get(o, "saved");
	snprintf(text + used, cap - used, "  %-8s calls %5.1f by need, %6.1f fixed; saved %3.0f %% (%.0f ... %.0f); time %4.0f s, %4.0f s\n",
	    name, json_number_value(json_object_get(json_object_get(o, "calls_by_need"), "mean")),
	    json_number_value(json_object_get(json_object_get(o, "calls_fixed"), "mean")),
	    100.0 * json_number_value(json_object_get(s, "mean")), 100.0 * json_number_value(json_object_get(s, "low")),
	    100.0 * json_number_value(json_object_get(s, "high")),
	    json_number_value(json_object_get(json_object_get(o, "seconds_by_need"), "mean")),
	    json_number_value(json_object_get(json_object_get(o, "seconds_fixed"), "mean")));
}

static void tell(const struct plan *p, json_t *figures)
{
	char text[8192] = "";
	double all[SEEDS_MAX];
	json_t *rates = json_array();
	for (uint32_t r = 0; r < RATES; r++) {
		json_t *o = json_object(), *list = json_object();
		size_t used = strlen(text);
		saved_in_all(p, r, all);
		struct cairn_interval i = cairn_interval_of_mean(all, p->seeds);
		snprintf(text + used, sizeof(text) - used, "against %.1f Hz: %.0f %% fewer calls (%.0f ... %.0f) for the same floor\n",
		    1.0 / periods_s[r], 100.0 * i.mean, 100.0 * i.low, 100.0 * i.high);
		for (uint32_t h = 0; h < HOMES; h++) {
			json_t *figure = home_figures(p, h, r);
			add_line(text, sizeof(text), homes[h], figure);
			json_object_set_new(list, homes[h], figure);
		}
		json_object_set_new(o, "fixed_hz", json_real(1.0 / periods_s[r]));
		json_object_set_new(o, "saved", interval(all, p->seeds));
		json_object_set_new(o, "homes", list);
		json_array_append_new(rates, o);
	}
	json_object_set_new(figures, "seeds", json_integer((json_int_t)p->seeds));
	json_object_set_new(figures, "rates", rates);
	json_object_set_new(figures, "text", json_string(text));
}

/* In each home, against the middle rate: half of the calls saved on average, and in no run little seen. */
static bool passed(const struct plan *p)
{
	bool ok = true;
	for (uint32_t h = 0; h < HOMES; h++) {
		double sum = 0.0;
		for (uint32_t s = 0; s < p->seeds; s++) {
			sum += report_of(p, h, s, JUDGED)->saved;
			ok = ok && report_of(p, h, s, JUDGED)->adaptive.same_coverage >= COVERAGE_MIN;
		}
		ok = ok && sum / p->seeds >= SAVED_MIN;
	}
	return ok;
}

static bool read_plan(const struct cli *cli, struct plan *p, long *ret_jobs)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	long seeds = cli_count(cli, "seeds", 1), first = cli_count(cli, "seed", 1);
	*ret_jobs = cli_count(cli, "jobs", processors > 0 ? processors : 1);
	cairn_config_defaults(&p->cfg);
	if (seeds < 1 || seeds > SEEDS_MAX || first < 1 || *ret_jobs < 1)
		return false;
	p->seeds = (uint32_t)seeds;
	p->first_seed = (uint32_t)first;
	p->pieces = calloc((size_t)HOMES * p->seeds, sizeof(*p->pieces));
	p->done = calloc((size_t)HOMES * p->seeds, sizeof(*p->done));
	return p->pieces != NULL && p->done != NULL;
}

enum cairn_eval_end cairn_eval_frequency(const struct cli *cli, json_t *figures)
{
	static struct plan p; /* the configuration is large */
	struct cairn_error err = {""};
	long jobs;
	bool ok = read_plan(cli, &p, &jobs);
	if (ok) {
		const double numbers[] = {p.seeds, p.first_seed, LIMIT_S};
		uint64_t key = cairn_shards_hash(0, numbers, sizeof(numbers));
		struct cairn_shards shards = {.title = "homes",
		    .count = (uint64_t)HOMES * p.seeds,
		    .bytes = sizeof(struct piece),
		    .jobs = jobs,
		    .work = work,
		    .ctx = &p,
		    .interrupted = cli_interrupted,
		    .state_path = cli_value(cli, "state"),
		    .key = cairn_shards_hash(key, &p.cfg, sizeof(p.cfg))};
		cli_catch_signals();
		ok = cairn_shards_run(&shards, p.pieces, p.done, &err) == CAIRN_SHARDS_DONE;
		if (!ok)
			fprintf(stderr, "cairn eval frequency: %s\n", err.text[0] != '\0' ? err.text : "interrupted");
	}
	if (ok) {
		tell(&p, figures);
		ok = passed(&p);
	}
	free(p.pieces);
	free(p.done);
	return ok;
}
