/* eval_arenas.c - the arenas of config/arenas, in both modes and with many seeds, judged by their criteria.
 */
#include "procs/lab/eval_arenas.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/hash.h"

#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/provenance.h"
#include "procs/cli/rundir.h"
#include "procs/lab/jobs.h"

#define SEEDS_MAX 10000

/* ---- what is asked for ---- */

static int is_arena(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);
	return n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

static bool load_arenas(struct arenas_plan *p, const char *name)
{
	struct dirent **list = NULL;
	char folder[4400];
	struct cairn_error where = {""};
	if (!cairn_share_file("config/arenas", folder, sizeof(folder), &where)) {
		fprintf(stderr, "cairn eval arenas: %s\n", where.text);
		return false;
	}
	int count = scandir(folder, &list, is_arena, alphasort);
	bool ok = count > 0;
	if (!ok)
		fprintf(stderr, "cairn eval arenas: %s: %s\n", folder,
		    count < 0 ? strerror(errno) : "holds no arena");
	for (int i = 0; i < count; i++) {
		char path[4700];
		struct cairn_error err = {""};
		size_t stem = strlen(list[i]->d_name) - 5;
		bool wanted =
		    name == NULL || (strlen(name) == stem && strncmp(name, list[i]->d_name, stem) == 0);
		snprintf(path, sizeof(path), "%s/%.255s", folder, list[i]->d_name);
		free(list[i]);
		if (!ok || !wanted)
			continue;
		if (p->arena_count == ARENAS_MAX) {
			fprintf(stderr, "cairn eval arenas: %s: more than %d arenas; name one with --name\n",
			    folder, ARENAS_MAX);
			ok = false;
			continue;
		}
		p->arenas[p->arena_count] = cairn_arena_load(path, &err);
		ok = p->arenas[p->arena_count] != NULL;
		p->arena_count += ok;
		if (!ok)
			fprintf(stderr, "cairn eval arenas: %s\n", err.text);
	}
	free(list);
	if (ok && p->arena_count == 0)
		fprintf(stderr, "cairn eval arenas: there is no arena '%s' in %s\n", name, folder);
	return ok && p->arena_count > 0;
}

static bool read_plan(const struct cli *cli, struct arenas_plan *p)
{
	const char *mode = cli_value(cli, "mode"), *name = cli_value(cli, "name");
	long seed = cli_count(cli, "seed", 1), seeds = cli_count_max(cli, "seeds", 1, SEEDS_MAX);
	p->jobs = cli_count(cli, "jobs", cairn_jobs_default());
	p->report = cli_value(cli, "report");
	if (seed < 0 || seeds < 0 || p->jobs < 0)
		return false;
	int one = mode != NULL ? cairn_arena_mode_parse(mode) : -1;
	if (mode != NULL && one < 0) {
		fprintf(stderr, "cairn eval arenas: --mode takes gt or vision, not '%s'\n", mode);
		return false;
	}
	for (int i = 0; i < CAIRN_ARENA_MODE_COUNT; i++)
		p->mode_count += p->modes[i] = one < 0 || one == i;
	p->first_seed = (uint32_t)seed;
	p->seeds = (uint32_t)seeds;
	p->command = cairn_provenance_command(cli);
	return arenas_read_model(cli, p) && load_arenas(p, name);
}

const struct cairn_arena *arenas_piece(
    const struct arenas_plan *p, uint64_t number, enum cairn_arena_mode *ret_mode, uint32_t *ret_seed)
{
	uint64_t nth = number / p->seeds % p->mode_count;
	*ret_seed = p->first_seed + (uint32_t)(number % p->seeds);
	*ret_mode = p->mode_count == CAIRN_ARENA_MODE_COUNT ? (enum cairn_arena_mode)nth
		    : p->modes[CAIRN_ARENA_GT]              ? CAIRN_ARENA_GT
							    : CAIRN_ARENA_VISION;
	return p->arenas[number / p->seeds / p->mode_count];
}

uint64_t arenas_digest(const struct cairn_arena *arena)
{
	struct cairn_arena plain = *arena;
	uint64_t world = plain.world->hash;
	plain.world = NULL;
	return cairn_hash_bytes(
	    cairn_hash_bytes(CAIRN_HASH_START, &world, sizeof(world)), &plain, sizeof(plain));
}

/* ---- running ---- */

static bool work(void *ctx, uint64_t number, void *result, struct cairn_error *err)
{
	const struct arenas_plan *p = ctx;
	struct arenas_picture picture = {.plan = p, .number = number, .ok = true};
	if (!arenas_drive(p, number, result, p->report != NULL ? arenas_draw : NULL, &picture, err))
		return false;
	if (!picture.ok)
		*err = picture.err;
	return picture.ok;
}

/* Its picture; without a page there is none. */
static bool still_there(void *ctx, uint64_t number)
{
	const struct arenas_plan *p = ctx;
	char file[64], path[1100];
	arenas_file(p, number, file, sizeof(file));
	snprintf(path, sizeof(path), "%s/%s.svg", p->report, file);
	return access(path, R_OK) == 0;
}

static void take(void *ctx, uint64_t number, const void *result)
{
	struct arenas_plan *p = ctx;
	struct cairn_arena_verdict verdicts[CAIRN_ARENA_CRITERIA];
	enum cairn_arena_mode mode;
	uint32_t seed;
	p->failed += !cairn_arena_judge(arenas_piece(p, number, &mode, &seed), result, verdicts);
}

static void note(void *ctx, char *text, size_t size)
{
	const struct arenas_plan *p = ctx;
	snprintf(text, size, "%u failed", p->failed);
}

static enum cairn_jobs_end run(struct arenas_plan *p, struct cairn_error *err)
{
	char state[1024];
	p->count = (uint64_t)p->arena_count * p->mode_count * p->seeds;
	p->results = calloc(p->count, sizeof(*p->results));
	p->done = calloc(p->count, sizeof(*p->done));
	if (p->results == NULL || p->done == NULL) {
		cairn_error_set(err, "out of memory");
		return CAIRN_JOBS_FAILED;
	}
	if (p->report != NULL)
		(void)mkdir(p->report, 0777); /* what writes there tells */
	snprintf(state, sizeof(state), "%s/finished.bin", p->report != NULL ? p->report : "");
	uint64_t key = cairn_hash_bytes(CAIRN_HASH_START, p->modes, sizeof(p->modes));
	const uint64_t what[] = {p->first_seed, p->seeds};
	key = cairn_hash_bytes(key, what, sizeof(what));
	for (uint32_t i = 0; i < p->arena_count; i++) {
		uint64_t digest = arenas_digest(p->arenas[i]);
		key = cairn_hash_bytes(key, &digest, sizeof(digest));
	}
	if (p->provider != NULL)
		key = cairn_hash_bytes(key, p->provider, strlen(p->provider));
	if (!arenas_open_model(p, key)) {
		cairn_error_set(err, "it could not begin");
		return CAIRN_JOBS_FAILED;
	}
	struct cairn_jobs shards = {.count = p->count,
	    .bytes = sizeof(*p->results),
	    .jobs = p->jobs,
	    .work = work,
	    .take = take,
	    .still_there = p->report != NULL ? still_there : NULL,
	    .note = note,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .title = "cairn eval arenas",
	    .state_path = p->report != NULL ? state : NULL,
	    .key = key};
	return cairn_jobs_run(&shards, p->results, p->done, err);
}

/* ---- what came of it ---- */

void arenas_value(const struct cairn_arena *a, const struct cairn_arena_result *r,
    enum cairn_arena_criterion which, const struct cairn_arena_verdict *v, char *ret, size_t size)
{
	const struct cairn_arena_rule *rule = &cairn_arena_rules[which];
	if (which == CAIRN_ARENA_GOAL && !a->reachable) {
		snprintf(
		    ret, size, "%sreported unreachable, %.2f m away", v->passed ? "" : "not ", r->goal_m);
		return;
	}
	int places = rule->unit[0] == 'm' ? 2 : rule->unit[0] == '%' ? 1 : 0;
	snprintf(ret, size, "%.*f%s%s (%s %.*f)", places, v->value * rule->scale,
	    rule->unit[0] != '\0' ? " " : "", rule->unit, rule->sign, places, v->threshold * rule->scale);
}

static json_t *run_figures(
    const struct cairn_arena_result *r, const struct cairn_arena_verdict *v, bool passed)
{
	char trace[20];
	snprintf(trace, sizeof(trace), "%016llx", (unsigned long long)r->trace);
	json_t *o = json_pack("{s:i,s:b,s:s,s:b,s:b,s:f,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:s}",
	    "seed", (int)r->seed, "passed", passed, "end", r->end, "reached", r->reached, "given_up",
	    r->given_up, "goal_m", r->goal_m, "cycles", (int)r->cycles, "contacts", (int)r->contacts,
	    "decisions", (int)r->decisions, "refused", (int)r->refused, "refused_gone", (int)r->gone,
	    "taken_up_again", (int)r->dithers, "times_stuck", (int)r->stuck, "path_m", r->path_m, "seconds",
	    r->seconds, "known_share", r->known_share, "clearance_min_m", r->clearance_min_m, "trace", trace);
	json_t *criteria = json_object();
	for (int i = 0; i < CAIRN_ARENA_CRITERIA; i++)
		if (v[i].asked)
			json_object_set_new(criteria, cairn_arena_rules[i].name,
			    json_pack("{s:b,s:f,s:f}", "passed", v[i].passed, "value", v[i].value,
				"threshold", v[i].threshold));
	json_object_set_new(o, "criteria", criteria);
	return o;
}

/* One arena in one mode: its line for people, its figures for programs. */
static void add_group(const struct arenas_plan *p, uint64_t first, FILE *text, json_t *groups,
    uint32_t *ret_passed, uint32_t *ret_runs)
{
	enum cairn_arena_mode mode;
	uint32_t seed, passed = 0, contacts = 0, worst_cycles = 0, runs = 0;
	const struct cairn_arena *a = arenas_piece(p, first, &mode, &seed);
	const struct cairn_arena_result *bad = NULL, *one = NULL;
	double cycles = 0.0, path_m = 0.0, clearance_m = 1.0;
	json_t *list = json_array();
	for (uint64_t i = first; i < first + p->seeds; i++) {
		const struct cairn_arena_result *r = &p->results[i];
		struct cairn_arena_verdict v[CAIRN_ARENA_CRITERIA];
		if (!p->done[i])
			continue;
		bool ok = cairn_arena_judge(a, r, v);
		json_array_append_new(list, run_figures(r, v, ok));
		runs++;
		passed += ok;
		one = one != NULL ? one : r;
		bad = ok || bad != NULL ? bad : r;
		contacts += r->contacts;
		cycles += r->cycles;
		path_m += r->path_m;
		worst_cycles = r->cycles > worst_cycles ? r->cycles : worst_cycles;
		clearance_m = r->clearance_min_m < clearance_m ? r->clearance_min_m : clearance_m;
	}
	*ret_passed += passed;
	*ret_runs += runs;
	if (runs == 0) { /* interrupted before */
		fprintf(text, "%-17s %-6s not driven\n", a->name, cairn_arena_mode_name(mode));
		json_decref(list);
		return;
	}
	double n = runs;
	const struct cairn_arena_result *told = bad != NULL ? bad : one;
	fprintf(text,
	    "%-17s %-6s %3u of %-3u passed  cycles %5.1f (at most %u of %u)  collisions %u  path %4.1f m  "
	    "nearest %.2f m  %s%u: %s\n",
	    a->name, cairn_arena_mode_name(mode), passed, runs, cycles / n, worst_cycles, a->cycles_max,
	    contacts, path_m / n, clearance_m, bad != NULL ? "FAILED seed " : "seed ", told->seed, told->end);
	char digest[20];
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)arenas_digest(a));
	json_array_append_new(groups,
	    json_pack("{s:s,s:s,s:s,s:i,s:i,s:f,s:i,s:i,s:o}", "arena", a->name, "digest", digest, "mode",
		cairn_arena_mode_name(mode), "runs", (int)runs, "passed", (int)passed, "cycles_mean",
		cycles / n, "cycles_worst", (int)worst_cycles, "contacts", (int)contacts, "seeds", list));
}

static bool tell(const struct arenas_plan *p, double wall_s, json_t *figures)
{
	char *text = NULL;
	size_t size;
	uint32_t passed = 0, runs = 0;
	double simulated_s = 0.0;
	FILE *out = open_memstream(&text, &size);
	if (out == NULL)
		return false;
	json_t *groups = json_array();
	for (uint64_t first = 0; first < p->count; first += p->seeds)
		add_group(p, first, out, groups, &passed, &runs);
	for (uint64_t i = 0; i < p->count; i++)
		simulated_s += p->results[i].seconds;
	fprintf(out, "%u of %u runs passed, %.0f s simulated in %.1f s\n", passed, runs, simulated_s, wall_s);
	if (runs < p->count)
		fprintf(out, "%u of %llu runs were driven\n", runs, (unsigned long long)p->count);
	fclose(out);
	json_object_set_new(figures, "text", json_string(text));
	free(text);
	json_object_set_new(figures, "runs", json_integer((json_int_t)p->count));
	json_object_set_new(figures, "runs_done", json_integer(runs));
	json_object_set_new(figures, "runs_passed", json_integer(passed));
	if (p->provider != NULL) {
		json_object_set_new(figures, "provider", json_string(p->provider));
		json_object_set_new(figures, "usd", json_real(model_purse_spent_usd(p->purse)));
	}
	json_object_set_new(figures, "simulated_s", json_real(simulated_s));
	json_object_set_new(figures, "wall_s", json_real(wall_s));
	json_object_set_new(figures, "arenas", groups);
	return passed == p->count;
}

enum cairn_eval_end cairn_eval_arenas(const struct cli *cli, json_t *figures)
{
	struct arenas_plan *p = calloc(1, sizeof(*p));
	struct cairn_error err = {""};
	bool passed = false, usage = p != NULL && !read_plan(cli, p);
	if (p != NULL && !usage) {
		cli_catch_signals();
		int64_t start_ns = cli_now_ns();
		enum cairn_jobs_end end = run(p, &err);
		double wall_s = (double)(cli_now_ns() - start_ns) * 1e-9;
		if (end == CAIRN_JOBS_INTERRUPTED)
			fprintf(stderr, "cairn eval arenas: interrupted%s\n",
			    p->report != NULL ? "; the same command goes on" : "");
		else if (end == CAIRN_JOBS_FAILED)
			fprintf(stderr, "cairn eval arenas: %s\n", err.text);
		if (end != CAIRN_JOBS_FAILED)
			passed = tell(p, wall_s, figures) && end == CAIRN_JOBS_DONE;
		if (end != CAIRN_JOBS_FAILED)
			json_object_set_new(
			    figures, "interrupted", json_boolean(end == CAIRN_JOBS_INTERRUPTED));
		if (end == CAIRN_JOBS_DONE && p->report != NULL && !arenas_write_report(p, wall_s, &err)) {
			fprintf(stderr, "cairn eval arenas: %s\n", err.text);
			passed = false;
		}
	}
	for (uint32_t i = 0; p != NULL && i < p->arena_count; i++)
		cairn_arena_destroy(&p->arenas[i]);
	if (p != NULL) {
		free(p->results);
		free(p->done);
		free(p->command);
		arenas_close_model(p);
	}
	free(p);
	return usage ? CAIRN_EVAL_USAGE : passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
