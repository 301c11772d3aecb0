/* eval_frequency.c - the bundled homes explored with calls when there is something to decide, and at fixed rates: how many
 * calls the same floor takes. Homes and seeds on all cores; shares with 95 % intervals over the seeds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/frequency.h"
#include "common/eval/interval.h"
#include "common/eval/trial.h"
#include "common/percept/call_policy.h"
#include "common/vlm/prompt.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/eval_frequency.h"
#include "procs/gateway/model_call.h"
#include "procs/lab/provenance.h"
#include "procs/cli/rundir.h"
#include "procs/lab/jobs.h"

#define LIMIT_S 900.0
#define JUDGED 1         /* the rate that the pass mark is about */
#define SAVED_MIN 0.45   /* of all homes together; without the calls that events start it was half in each */
#define COVERAGE_MIN 0.5 /* to see nothing with few calls is no way to pass */
#define LESS_SEEN_MAX 0.02 /* of the floor, at the end, on average */
#define SEEDS_MAX FREQUENCY_SEEDS_MAX
#define REACTION_P95_S 0.3 /* from an event to the request */
#define PRICE_S 60.0       /* of asking, to know what a call costs */

static const double periods_s[] = {5.0, 2.0, 1.0};
static const char *const homes[] = {"studio", "home", "loop"};
enum { RATES = sizeof(periods_s) / sizeof(periods_s[0]), HOMES = sizeof(homes) / sizeof(homes[0]) };

struct piece {
	struct cairn_frequency_report rates[RATES];
	double call_usd; /* mean of the questions of a minute in this home, by the ledger */
};

struct plan {
	struct cairn_config cfg;
	struct cairn_lineup
	    lineup; /* the scripted pilot, at the prices that config/providers.yaml counts it at */
	struct cairn_text system;
	uint32_t seeds, first_seed;
	struct piece *pieces;
	bool *done;
};

static const struct cairn_frequency_report *report_of(
    const struct plan *p, uint32_t home, uint32_t seed, uint32_t rate)
{
	return &p->pieces[home * p->seeds + seed].rates[rate];
}

static struct frequency_runs runs_of(const struct plan *p)
{
	return (struct frequency_runs){.first = &p->pieces[0].rates[0],
	    .stride_bytes = sizeof(p->pieces[0]),
	    .homes = homes,
	    .home_count = HOMES,
	    .seeds = p->seeds};
}

/* What a question costs here: the first minute of an exploration, asked with prompt and pictures as a service would be. */
static bool price(const struct plan *p, const struct cairn_world *world, uint32_t seed, double *ret_usd,
    struct cairn_error *err)
{
	struct cairn_config cfg = p->cfg;
	struct cairn_trial_result *r = calloc(1, sizeof(*r));
	cfg.pilot.seed = (int)seed;
	struct model_call *call = model_call_new(&cfg, &p->lineup, NULL, err);
	const struct cairn_model_client_model model = {
	    .system = p->system.data, .lineup = &p->lineup, .send = model_call_send, .ctx = call};
	const struct cairn_trial_options o = {.cfg = &cfg,
	    .world = world,
	    .mode = CAIRN_TRIAL_VLM,
	    .map = CAIRN_RUN_MAP_MAPPER,
	    .model = &model,
	    .seed = seed,
	    .duration_s = PRICE_S};
	bool ok = r != NULL && call != NULL && cairn_trial_run(&o, r, err);
	*ret_usd = ok && r->calls > 0 ? r->usd / r->calls : 0.0;
	model_call_destroy(&call);
	free(r);
	return ok;
}

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	const struct plan *p = ctx;
	struct piece *piece = result;
	struct cairn_config cfg = p->cfg;
	struct cairn_world *world = cairn_share_world(homes[number / p->seeds], err);
	cfg.pilot.seed = cfg.sim.seed = (int)(p->first_seed + number % p->seeds);
	bool ok = world != NULL &&
		  cairn_frequency_compare(&cfg, world, periods_s, RATES, LIMIT_S, piece->rates, err) &&
		  price(p, world, p->first_seed + (uint32_t)(number % p->seeds), &piece->call_usd, err);
	cairn_world_destroy(&world);
	return ok;
}

/* ---- figures ---- */

static json_t *interval(const double *values, uint32_t count)
{
	struct cairn_interval i = cairn_interval_of_mean(values, count);
	return json_pack(
	    "{s:f,s:f,s:f,s:i}", "mean", i.mean, "low", i.low, "high", i.high, "seeds", (int)i.count);
}

typedef double value_fn(const struct cairn_frequency_report *r, double call_usd);

static double saved(const struct cairn_frequency_report *r, double call_usd)
{
	(void)call_usd;
	return r->saved;
}
static double same_coverage(const struct cairn_frequency_report *r, double call_usd)
{
	(void)call_usd;
	return r->adaptive.same_coverage;
}

/* Of the run by need and of that at the fixed rate. */
#define BOTH(name, expression)                                                                               \
	static double name##_by_need(const struct cairn_frequency_report *r, double call_usd)                \
	{                                                                                                    \
		const struct cairn_frequency_run *run = &r->adaptive;                                        \
		(void)call_usd;                                                                              \
		return expression;                                                                           \
	}                                                                                                    \
	static double name##_fixed(const struct cairn_frequency_report *r, double call_usd)                  \
	{                                                                                                    \
		const struct cairn_frequency_run *run = &r->fixed;                                           \
		(void)call_usd;                                                                              \
		return expression;                                                                           \
	}
BOTH(calls, (double)run->same_calls)
BOTH(seconds, run->same_seconds)
BOTH(usd, (double)run->same_calls *call_usd)
BOTH(coverage, run->coverage)
BOTH(usd_whole, (double)run->calls *call_usd)
BOTH(seconds_whole, run->seconds)
BOTH(contacts, (double)run->contacts)
BOTH(finished, run->finished ? 1.0 : 0.0)

static const struct {
	const char *name;
	value_fn *of;
} values[] = {{"saved", saved}, {"same_coverage", same_coverage}, {"calls_by_need", calls_by_need},
    {"calls_fixed", calls_fixed}, {"seconds_by_need", seconds_by_need}, {"seconds_fixed", seconds_fixed},
    {"usd_by_need", usd_by_need}, {"usd_fixed", usd_fixed}, {"coverage_by_need", coverage_by_need},
    {"coverage_fixed", coverage_fixed}, {"usd_whole_by_need", usd_whole_by_need},
    {"usd_whole_fixed", usd_whole_fixed}, {"seconds_whole_by_need", seconds_whole_by_need},
    {"seconds_whole_fixed", seconds_whole_fixed}, {"contacts_by_need", contacts_by_need},
    {"contacts_fixed", contacts_fixed}, {"finished_by_need", finished_by_need},
    {"finished_fixed", finished_fixed}};

static json_t *home_figures(const struct plan *p, uint32_t home, uint32_t rate)
{
	json_t *o = json_object();
	double list[SEEDS_MAX];
	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
		for (uint32_t s = 0; s < p->seeds; s++)
			list[s] = values[v].of(
			    report_of(p, home, s, rate), p->pieces[home * p->seeds + s].call_usd);
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

static double mean_of(const json_t *o, const char *name)
{
	return json_number_value(json_object_get(json_object_get(o, name), "mean"));
}

static void add_line(FILE *out, const char *name, const json_t *o)
{
	const json_t *s = json_object_get(o, "saved");
	fprintf(out,
	    "  %-8s calls %5.1f by need, %6.1f fixed; saved %3.0f %% (%.0f ... %.0f); time %4.0f s, %4.0f s; "
	    "cost %.4f, %.4f USD\n",
	    name, mean_of(o, "calls_by_need"), mean_of(o, "calls_fixed"), 100.0 * mean_of(o, "saved"),
	    100.0 * json_number_value(json_object_get(s, "low")),
	    100.0 * json_number_value(json_object_get(s, "high")), mean_of(o, "seconds_by_need"),
	    mean_of(o, "seconds_fixed"), mean_of(o, "usd_by_need"), mean_of(o, "usd_fixed"));
	fprintf(out,
	    "  %-8s to the end: reached %.0f %%, %.0f %%; seen %.1f %%, %.1f %%; time %.0f s, %.0f s; cost "
	    "%.4f, %.4f USD; contacts %.2f, %.2f\n",
	    "", 100.0 * mean_of(o, "finished_by_need"), 100.0 * mean_of(o, "finished_fixed"),
	    100.0 * mean_of(o, "coverage_by_need"), 100.0 * mean_of(o, "coverage_fixed"),
	    mean_of(o, "seconds_whole_by_need"), mean_of(o, "seconds_whole_fixed"),
	    mean_of(o, "usd_whole_by_need"), mean_of(o, "usd_whole_fixed"), mean_of(o, "contacts_by_need"),
	    mean_of(o, "contacts_fixed"));
}

/* ---- reaction ---- */

struct reactions {
	double calls, event_calls, events, thinking, known, coverage, seconds; /* means of the runs */
	double asked[CAIRN_TRIGGER_COUNT];
	double p50_s, p95_s, max_s;
	uint32_t count;
};

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* Of the runs by need, with calls at events or without, over all homes and seeds. */
static bool reactions_of(const struct plan *p, bool with, struct reactions *ret)
{
	uint32_t runs = HOMES * p->seeds;
	float *all = calloc((size_t)runs * CAIRN_RUN_REACTIONS, sizeof(*all));
	*ret = (struct reactions){0};
	if (all == NULL)
		return false;
	for (uint32_t i = 0; i < runs; i++) {
		const struct cairn_frequency_run *r =
		    with ? &p->pieces[i].rates[0].adaptive : &p->pieces[i].rates[0].without;
		memcpy(all + ret->count, r->reaction_s, r->reactions * sizeof(*all));
		ret->count += r->reactions;
		ret->calls += (double)r->calls / runs;
		ret->event_calls += (double)r->event_calls / runs;
		for (int t = 0; t < CAIRN_TRIGGER_COUNT; t++)
			ret->asked[t] += (double)r->asked[t] / runs;
		ret->events += (double)r->events / runs;
		ret->thinking += (double)r->events_thinking / runs;
		ret->known += (double)r->events_known / runs;
		ret->coverage += r->coverage / runs;
		ret->seconds += r->seconds / runs;
	}
	qsort(all, ret->count, sizeof(*all), by_size);
	if (ret->count > 0) {
		ret->p50_s = (double)all[(ret->count - 1) / 2];
		ret->p95_s = (double)all[(uint32_t)(0.95 * (ret->count - 1) + 0.5)];
		ret->max_s = (double)all[ret->count - 1];
	}
	free(all);
	return true;
}

/* "doorway 1.9, dead_end 3.2": the calls by the events that started them. */
static json_t *add_kinds(const struct reactions *r, FILE *out)
{
	json_t *kinds = json_object();
	const char *lead = " (";
	for (int t = 0; t < CAIRN_TRIGGER_COUNT; t++) {
		const char *word = cairn_enum_text(&cairn_enum_trigger, t);
		if (!cairn_call_policy_is_event((enum cairn_trigger)t) || r->asked[t] == 0.0)
			continue;
		fprintf(out, "%s%s %.1f", lead, word, r->asked[t]);
		json_object_set_new(kinds, word, json_real(r->asked[t]));
		lead = ", ";
	}
	fprintf(out, "%s", lead[0] == ',' ? ")" : "");
	return kinds;
}

static void add_reactions(const struct plan *p, bool with, FILE *out, json_t *figures)
{
	struct reactions r;
	if (!reactions_of(p, with, &r))
		return;
	fprintf(out, "calls at events %s: %.1f calls a run, %.1f of them started by an event",
	    with ? "on" : "off", r.calls, r.event_calls);
	json_t *kinds = add_kinds(&r, out);
	fprintf(out,
	    "; seen %.1f %%, time %.0f s; %.1f events, %.1f more during a call, %.1f of a scene asked about "
	    "lately; reaction p50 %.2f, p95 %.2f, max %.2f s\n",
	    100.0 * r.coverage, r.seconds, r.events - r.thinking, r.thinking, r.known, r.p50_s, r.p95_s,
	    r.max_s);
	json_object_set_new(figures, with ? "with_events" : "without_events",
	    json_pack("{s:f,s:o,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i}", "calls", r.calls, "event_kinds",
		kinds, "event_calls", r.event_calls, "coverage", r.coverage, "seconds", r.seconds, "events",
		r.events, "events_during_a_call", r.thinking, "events_known", r.known, "reaction_p50_s",
		r.p50_s, "reaction_p95_s", r.p95_s, "reaction_max_s", r.max_s, "reactions", (int)r.count));
}

static double call_usd(const struct plan *p)
{
	double sum = 0.0;
	for (uint32_t i = 0; i < HOMES * p->seeds; i++)
		sum += p->pieces[i].call_usd;
	return sum / (HOMES * p->seeds);
}

static void tell(const struct plan *p, json_t *figures)
{
	char *text = NULL;
	size_t size;
	double all[SEEDS_MAX];
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	json_t *rates = json_array();
	for (uint32_t r = 0; r < RATES; r++) {
		json_t *o = json_object(), *list = json_object();
		saved_in_all(p, r, all);
		struct cairn_interval i = cairn_interval_of_mean(all, p->seeds);
		fprintf(out, "against %.1f Hz: %.0f %% fewer calls (%.0f ... %.0f) for the same floor\n",
		    1.0 / periods_s[r], 100.0 * i.mean, 100.0 * i.low, 100.0 * i.high);
		for (uint32_t h = 0; h < HOMES; h++) {
			json_t *figure = home_figures(p, h, r);
			add_line(out, homes[h], figure);
			json_object_set_new(list, homes[h], figure);
		}
		json_object_set_new(o, "fixed_hz", json_real(1.0 / periods_s[r]));
		json_object_set_new(o, "saved", interval(all, p->seeds));
		json_object_set_new(o, "homes", list);
		json_array_append_new(rates, o);
	}
	add_reactions(p, false, out, figures);
	add_reactions(p, true, out, figures);
	struct frequency_runs runs = runs_of(p);
	frequency_tell_novelty(&runs, out, figures);
	char digest[20];
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)cairn_provenance_config(&p->cfg));
	json_object_set_new(figures, "configuration", json_string(digest));
	json_object_set_new(figures, "seeds", json_integer((json_int_t)p->seeds));
	json_object_set_new(figures, "rates", rates);
	fprintf(out,
	    "a call costs %.6f USD on average, as counted by the ledger in the first %.0f s of each home "
	    "(%s, %s)\n",
	    call_usd(p), PRICE_S, p->lineup.rows[0].name, p->lineup.rows[0].model);
	fclose(out);
	json_object_set_new(figures, "usd_per_call", json_real(call_usd(p)));
	json_object_set_new(figures, "text", json_string(text));
	free(text);
}

/* Against the middle rate: SAVED_MIN of the calls of all homes together saved (a small one takes five or six calls in all, and
 * one more or less is a fifth), and in no run little seen; by need nothing touched, and at the end as much seen; an event is
 * asked about at once. */
static bool passed(const struct plan *p)
{
	bool ok = true;
	double more = 0.0, all[SEEDS_MAX];
	for (uint32_t h = 0; h < HOMES; h++) {
		for (uint32_t s = 0; s < p->seeds; s++) {
			const struct cairn_frequency_report *r = report_of(p, h, s, JUDGED);
			more += r->adaptive.coverage - r->fixed.coverage;
			ok = ok && r->adaptive.same_coverage >= COVERAGE_MIN && r->adaptive.contacts == 0;
		}
	}
	struct reactions reactions;
	struct frequency_runs runs = runs_of(p);
	ok = ok && frequency_novelty_ok(&runs, LESS_SEEN_MAX);
	ok = ok && reactions_of(p, true, &reactions) && reactions.p95_s <= REACTION_P95_S;
	saved_in_all(p, JUDGED, all);
	return ok && cairn_interval_of_mean(all, p->seeds).mean >= SAVED_MIN &&
	       more / (HOMES * p->seeds) >= -LESS_SEEN_MAX;
}

/* The default, with what --config and --set lay over it. */
static bool configure(const struct cli *cli, struct cairn_config *ret)
{
	char share[4096];
	struct cairn_error err = {""};
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	bool ok = cairn_share_dir(share, sizeof(share), &err) && cairn_config_merge(ret, &layers, &err);
	if (!ok)
		fprintf(stderr, "cairn eval frequency: %s\n", err.text);
	return ok;
}

static bool read_plan(const struct cli *cli, struct plan *p, long *ret_jobs)
{
	long seeds = cli_count_max(cli, "seeds", 1, SEEDS_MAX), first = cli_count(cli, "seed", 1);
	*ret_jobs = cli_count(cli, "jobs", cairn_jobs_default());
	if (!configure(cli, &p->cfg) || seeds < 1 || first < 1 || *ret_jobs < 1)
		return false;
	p->seeds = (uint32_t)seeds;
	p->first_seed = (uint32_t)first;
	p->pieces = calloc((size_t)HOMES * p->seeds, sizeof(*p->pieces));
	p->done = calloc((size_t)HOMES * p->seeds, sizeof(*p->done));
	return p->pieces != NULL && p->done != NULL;
}

static bool read_pilot(struct plan *p, struct cairn_error *err)
{
	snprintf(p->cfg.vlm.provider, sizeof(p->cfg.vlm.provider), "pilot");
	p->cfg.vlm.observe_provider[0] = '\0';
	p->cfg.vlm.fallbacks[0] = '\0';
	return cairn_share_find_model(&p->cfg.vlm, err) && cairn_lineup_load(&p->lineup, &p->cfg.vlm, err) &&
	       cairn_prompt_load(&p->cfg, &p->system, err);
}

static bool run(const struct cli *cli, struct plan *p, long jobs, struct cairn_error *err)
{
	const double numbers[] = {p->seeds, p->first_seed, LIMIT_S, PRICE_S};
	uint64_t key = cairn_hash_bytes(CAIRN_HASH_START, numbers, sizeof(numbers));
	key = cairn_hash_bytes(key, &p->lineup.rows[0], sizeof(p->lineup.rows[0]));
	key = cairn_hash_bytes(key, p->system.data, p->system.len);
	for (uint32_t h = 0; h < HOMES; h++) {
		struct cairn_world *world = cairn_share_world(homes[h], err);
		if (world == NULL)
			return false;
		key = cairn_hash_bytes(key, &world->hash, sizeof(world->hash));
		cairn_world_destroy(&world);
	}
	struct cairn_jobs shards = {.title = "homes",
	    .count = (uint64_t)HOMES * p->seeds,
	    .bytes = sizeof(struct piece),
	    .jobs = jobs,
	    .work = work,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .state_path = cli_value(cli, "state"),
	    .key = cairn_hash_bytes(key, &p->cfg, sizeof(p->cfg))};
	cli_catch_signals();
	return cairn_jobs_run(&shards, p->pieces, p->done, err) == CAIRN_JOBS_DONE;
}

/* True where no page is wanted. */
static bool write_page(const struct cli *cli, const json_t *figures, bool passed, struct cairn_error *err)
{
	const char *dir = cli_value(cli, "report");
	if (dir == NULL)
		return true;
	char *command = cairn_provenance_command(cli);
	bool ok = frequency_write_page(figures, command, passed, dir, err);
	if (!ok)
		fprintf(stderr, "cairn eval frequency: %s\n", err->text);
	free(command);
	return ok;
}

enum cairn_eval_end cairn_eval_frequency(const struct cli *cli, json_t *figures)
{
	struct plan *p = calloc(1, sizeof(*p));
	struct cairn_error err = {""};
	long jobs = 1;
	bool usage = p != NULL && !read_plan(cli, p, &jobs), ok = false;
	if (p != NULL && !usage) {
		ok = read_pilot(p, &err) && run(cli, p, jobs, &err);
		if (ok) {
			tell(p, figures);
			ok = passed(p);
			ok = write_page(cli, figures, ok, &err) && ok;
		} else {
			fprintf(stderr, "cairn eval frequency: %s\n",
			    err.text[0] != '\0' ? err.text : "interrupted");
		}
	}
	if (p != NULL) {
		cairn_text_free(&p->system);
		free(p->pieces);
		free(p->done);
	}
	free(p);
	return usage ? CAIRN_EVAL_USAGE : ok ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
