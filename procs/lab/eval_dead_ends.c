/* eval_dead_ends.c - worlds with corridors that end, explored: does the robot come out of all of them, and gives it up nothing
 * for standing in one? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/eval/dead_end.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/jobs.h"

#define RUNS_DEFAULT 500
#define RUNS_MAX 100000
_Static_assert(sizeof(struct cairn_dead_end_result) <= CAIRN_JOB_BYTES_MAX, "a result fits");

static const char *const behind_names[] = {"nobody", "person", "box"};
_Static_assert(sizeof(behind_names) / sizeof(behind_names[0]) == CAIRN_BEHIND_COUNT, "one name for each");

struct plan {
	uint64_t count, first;
	long jobs;
	bool verbose;
	const char *state;
	struct cairn_config cfg;
	struct cairn_dead_end_options options;
	struct cairn_dead_end_result *results;
	bool *done;
	uint64_t bad; /* for the line of progress */
};

static bool read_plan(const struct cli *cli, struct plan *p)
{
	const char *poses = cli_value(cli, "poses");
	long seed = cli_count(cli, "seed", 1), runs = cli_count_max(cli, "runs", RUNS_DEFAULT, RUNS_MAX),
	     first = cli_count_within(cli, "first", 0, 0, RUNS_MAX);
	p->jobs = cli_count(cli, "jobs", cairn_jobs_default());
	if (seed < 0 || runs < 0 || first < 0 || p->jobs < 1)
		return false;
	if (poses != NULL && strcmp(poses, "truth") != 0 && strcmp(poses, "mapper") != 0) {
		fprintf(stderr, "cairn eval dead-ends: --poses takes mapper or truth, not '%s'\n", poses);
		return false;
	}
	cairn_config_defaults(&p->cfg);
	p->count = (uint64_t)runs;
	p->first = (uint64_t)first;
	p->verbose = cli_value(cli, "verbose") != NULL;
	p->state = cli_value(cli, "state");
	p->options = (struct cairn_dead_end_options){.cfg = &p->cfg,
	    .seed = (uint64_t)seed,
	    .map = poses != NULL && strcmp(poses, "truth") == 0 ? CAIRN_RUN_MAP_TRUE_POSES
								: CAIRN_RUN_MAP_MAPPER};
	return true;
}

/* ---- running ---- */

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	struct plan *p = ctx;
	return cairn_dead_end_run(&p->options, p->first + number, result, err);
}

static void tell_bad(FILE *out, const struct cairn_dead_end_result *r)
{
	fprintf(out,
	    "world %llu: %.2f m wide, %.1f m deep, %s, %s behind%s; was %.1f m deep; %s, %s, %u contacts, "
	    "%.1f m2 left, "
	    "%.0f s; stands at (%.2f, %.2f); %s\n",
	    (unsigned long long)r->number, r->width_m, r->depth_m, r->bend ? "bend" : "straight",
	    behind_names[r->behind], r->behind != CAIRN_BEHIND_NOBODY && !r->appeared ? " never" : "",
	    r->deepest_m, r->home ? "home" : "NOT HOME", r->explored ? "explored" : "NOT EXPLORED",
	    r->contacts, r->left_m2, r->seconds, r->end.x_m, r->end.y_m, r->reason);
	for (uint32_t i = 0; i < r->given_up_free && i < CAIRN_DEAD_END_KEPT; i++)
		fprintf(out,
		    "  given up with the way back free: (%.2f, %.2f) after %.0f s from %.1f m deep: %s\n",
		    r->kept[i].x_m, r->kept[i].y_m, r->kept[i].t_s, r->kept[i].depth_m, r->kept[i].reason);
}

static void take(void *ctx, uint64_t number, const void *result)
{
	struct plan *p = ctx;
	(void)number;
	bool good = cairn_dead_end_good(result);
	p->bad += !good;
	if (!good && p->verbose)
		tell_bad(stderr, result);
}

static void note(void *ctx, char *text, size_t bytes)
{
	const struct plan *p = ctx;
	snprintf(text, bytes, "%llu not good", (unsigned long long)p->bad);
}

static enum cairn_jobs_end run(struct plan *p)
{
	const uint64_t what[] = {p->options.seed, p->options.map, p->first};
	struct cairn_jobs shards = {.count = p->count,
	    .bytes = sizeof(*p->results),
	    .jobs = p->jobs,
	    .work = work,
	    .take = take,
	    .note = note,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .title = "cairn eval dead-ends",
	    .state_path = p->state,
	    .key = cairn_hash_bytes(
		cairn_hash_bytes(CAIRN_HASH_START, what, sizeof(what)), &p->cfg, sizeof(p->cfg))};
	void *results;
	enum cairn_jobs_end end = cairn_jobs_do(&shards, &results, &p->done);
	p->results = results;
	return end;
}

/* ---- figures ---- */

struct tally {
	uint64_t runs, entered, home, explored, both, contacts, given_up, with_given_up;
	double seconds, path_m, coverage;
};

static void add(struct tally *t, const struct cairn_dead_end_result *r)
{
	t->runs++;
	t->entered += r->deepest_m >= 0.5;
	t->home += r->home;
	t->explored += r->explored;
	t->both += r->home && r->explored;
	t->contacts += r->contacts;
	t->given_up += r->given_up_free;
	t->with_given_up += r->given_up_free > 0;
	t->seconds += r->seconds;
	t->path_m += r->path_m;
	t->coverage += r->coverage;
}

static json_t *tally_json(const struct tally *t)
{
	double n = t->runs > 0 ? (double)t->runs : 1.0;
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f}", "runs", (json_int_t)t->runs,
	    "entered", (json_int_t)t->entered, "home", (json_int_t)t->home, "explored",
	    (json_int_t)t->explored, "home_and_explored", (json_int_t)t->both, "contacts",
	    (json_int_t)t->contacts, "given_up_free", (json_int_t)t->given_up, "runs_given_up_free",
	    (json_int_t)t->with_given_up, "seconds_mean", t->seconds / n, "path_m_mean", t->path_m / n,
	    "seen_mean", t->coverage / n);
}

static void tally_text(FILE *out, const char *name, const struct tally *t)
{
	double n = t->runs > 0 ? (double)t->runs : 1.0;
	fprintf(out, "%-18s %5llu %8llu %6llu %9llu %13.1f %9llu %14llu %7.0f %7.1f\n", name,
	    (unsigned long long)t->runs, (unsigned long long)t->entered, (unsigned long long)t->home,
	    (unsigned long long)t->explored, 100.0 * (double)t->both / n, (unsigned long long)t->contacts,
	    (unsigned long long)t->given_up, t->seconds / n, t->path_m / n);
}

static json_t *result_json(const struct cairn_dead_end_result *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->given_up_free && i < CAIRN_DEAD_END_KEPT; i++)
		json_array_append_new(list,
		    json_pack("{s:f,s:f,s:f,s:f,s:s}", "x_m", r->kept[i].x_m, "y_m", r->kept[i].y_m, "t_s",
			r->kept[i].t_s, "depth_m", r->kept[i].depth_m, "reason", r->kept[i].reason));
	return json_pack("{s:I,s:f,s:f,s:b,s:s,s:b,s:f,s:b,s:b,s:i,s:f,s:f,s:f,s:f,s:o,s:s}", "world",
	    (json_int_t)r->number, "width_m", r->width_m, "depth_m", r->depth_m, "bend", (int)r->bend,
	    "behind", behind_names[r->behind], "appeared", (int)r->appeared, "deepest_m", r->deepest_m,
	    "home", (int)r->home, "explored", (int)r->explored, "contacts", (int)r->contacts, "left_m2",
	    r->left_m2, "seen", r->coverage, "seconds", r->seconds, "path_m", r->path_m, "given_up_free",
	    list, "end", r->reason);
}

/* All, straight and bent, and by what appears behind. */
static bool judge(const struct plan *p, json_t *figures, bool finished)
{
	struct tally all = {0}, groups[2][CAIRN_BEHIND_COUNT] = {0};
	char *text = NULL, name[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *bad = json_array(), *list = json_object();
	if (out == NULL)
		return false;
	for (uint64_t i = 0; i < p->count; i++) {
		const struct cairn_dead_end_result *r = &p->results[i];
		if (!p->done[i])
			continue;
		add(&all, r);
		add(&groups[r->bend][r->behind], r);
		if (cairn_dead_end_good(r))
			continue;
		json_array_append_new(bad, result_json(r));
		if (!p->verbose)
			tell_bad(out, r);
	}
	fprintf(out, "%-18s %5s %8s %6s %9s %13s %9s %14s %7s %7s\n", "corridors", "runs", "entered", "home",
	    "explored", "both, percent", "contacts", "given up free", "s", "m");
	for (int bend = 0; bend < 2; bend++)
		for (int k = 0; k < CAIRN_BEHIND_COUNT; k++) {
			snprintf(name, sizeof(name), "%s, %s", bend ? "bend" : "straight", behind_names[k]);
			tally_text(out, name, &groups[bend][k]);
			json_object_set_new(list, name, tally_json(&groups[bend][k]));
		}
	tally_text(out, "all", &all);
	fclose(out);
	json_object_set_new(figures, "text", json_string(text));
	free(text);
	json_t *o = tally_json(&all);
	json_object_update(figures, o);
	json_decref(o);
	json_object_set_new(figures, "finished", json_boolean(finished));
	json_object_set_new(figures, "mark_home_and_explored", json_real(CAIRN_DEAD_END_GOOD_SHARE));
	json_object_set_new(figures, "groups", list);
	json_object_set_new(figures, "not_good", bad);
	return finished && all.runs > 0 && all.contacts == 0 && all.given_up == 0 &&
	       (double)all.both >= CAIRN_DEAD_END_GOOD_SHARE * (double)all.runs;
}

enum cairn_eval_end cairn_eval_dead_ends(const struct cli *cli, json_t *figures)
{
	struct plan *p = calloc(1, sizeof(*p));
	if (p == NULL || !read_plan(cli, p)) {
		free(p);
		return CAIRN_EVAL_USAGE;
	}
	cli_catch_signals();
	enum cairn_jobs_end end = run(p);
	bool passed = end != CAIRN_JOBS_FAILED && judge(p, figures, end == CAIRN_JOBS_DONE);
	free(p->results);
	free(p->done);
	free(p);
	return passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
