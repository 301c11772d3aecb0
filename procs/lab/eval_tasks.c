/* eval_tasks.c - tasks with things in the home for tasks: what is brought, what is handed to a person, and what was ever called done that was not. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/task_trial.h"
#include "common/eval/task_trouble.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"
#include "procs/lab/bench.h"

#define ROBOT "config/robots/task-sim.yaml"
#define WORLD "home-tasks"

static const char boundary[] = "scripted calls in the place of a model; simulated detector with 10 % misses; "
			       "simulated arm: tells how reasoner, sequencer and "
			       "gate behave, nothing about a model";

static void tell_trace(const struct cairn_task_trial_result *r)
{
	uint32_t first = r->trace_count > CAIRN_REASONER_TRACE ? r->trace_count - CAIRN_REASONER_TRACE : 0;
	for (uint32_t i = first; i < r->trace_count; i++) {
		const struct cairn_reasoner_event *e = &r->trace[i % CAIRN_REASONER_TRACE];
		fprintf(stderr, "  %7.1f %-10s %-28s %s\n", e->t_s, e->what, e->target, e->outcome);
	}
}

static json_t *figures_of(enum cairn_task_trial_id id, long seed, const struct cairn_task_trial_result *r)
{
	json_t *trace = json_array();
	uint32_t first = r->trace_count > CAIRN_REASONER_TRACE ? r->trace_count - CAIRN_REASONER_TRACE : 0;
	for (uint32_t i = first; i < r->trace_count; i++) {
		const struct cairn_reasoner_event *e = &r->trace[i % CAIRN_REASONER_TRACE];
		json_array_append_new(trace, json_pack("[f,s,s,s]", e->t_s, e->what, e->target, e->outcome));
	}
	json_t *o = json_pack("{s:s,s:I,s:b,s:b,s:b,s:b,s:b,s:s}", "task", cairn_task_trial_name(id), "seed",
	    (json_int_t)seed, "passed", r->passed, "said_done", r->said_done, "is_done", r->is_done,
	    "false_done", r->false_done, "handed_off", r->handed_off, "why", r->why);
	json_object_update_new(
	    o, json_pack("{s:i,s:i,s:i,s:i,s:i,s:i,s:f,s:f,s:o}", "contacts", (int)r->contacts, "calls",
		   (int)r->calls, "skills", (int)r->skills, "refused", (int)r->refused, "opened",
		   (int)r->opened, "places_searched", (int)r->candidates, "seconds", r->seconds, "driven_m",
		   r->driven_m, "trace", trace));
	return o;
}

#define TASK_KILLS (CAIRN_TASK_COUNT + 1) /* T9: of the agent's core, not of the reasoner alone */
#define KILLS_MAX 40

/* -1: no task is called so; CAIRN_TASK_COUNT: all. */
static int task_of(const char *name)
{
	if (name != NULL && strcmp(name, "T9") == 0)
		return TASK_KILLS;
	for (int i = 0; name != NULL && i < CAIRN_TASK_COUNT; i++)
		if (strcmp(cairn_task_trial_name((enum cairn_task_trial_id)i), name) == 0)
			return i;
	return name == NULL ? CAIRN_TASK_COUNT : -1;
}

struct sums {
	uint32_t runs, passed, false_done, contacts;
};

static bool run_one(const struct cairn_config *cfg, const struct cairn_world *world,
    enum cairn_task_trial_id id, bool verbose, struct sums *s, json_t *list, FILE *out)
{
	struct cairn_error err = {""};
	struct cairn_task_trial_result *r = calloc(1, sizeof(*r));
	if (r == NULL || !cairn_task_trial_run(cfg, world, id, r, &err)) {
		fprintf(stderr, "cairn eval tasks: %s\n", r == NULL ? "out of memory" : err.text);
		free(r);
		return false;
	}
	s->runs++;
	s->passed += r->passed;
	s->false_done += r->false_done;
	s->contacts += r->contacts;
	json_array_append_new(list, figures_of(id, cfg->sim.seed, r));
	fprintf(out, "%-10s %4d %-6s %5u %6u %7u %6u %8u %7.0f %6.1f  %s\n", cairn_task_trial_name(id),
	    cfg->sim.seed, r->passed ? "pass" : "FAIL", r->calls, r->skills, r->refused, r->opened,
	    r->candidates, r->seconds, r->driven_m, r->why);
	if (verbose) {
		fprintf(stderr, "%s, seed %d: %s %s\n", cairn_task_trial_name(id), cfg->sim.seed,
		    r->passed ? "pass" : "FAIL", r->why);
		tell_trace(r);
	}
	free(r);
	return true;
}

/* Tasks of the agent's core in trouble: one line, and its figures. */
static bool tell_trouble(
    const char *name, const struct cairn_task_trouble *t, bool ok, json_t *figures, FILE *out)
{
	fprintf(out,
	    "%-10s %s: %u episodes, %.2f simulated hours, %u kills, %u queries (%llu answers spoilt of "
	    "%llu), %u "
	    "orders to the arm (%u "
	    "wishes refused); done %u, handed off %u, failed %u; called done and not so %u, contacts %u, "
	    "orders "
	    "that should not have been %u, over a limit %u, driving at the end %u, without an end %u%s%s\n",
	    name, ok ? "pass" : "FAIL", t->runs, t->seconds / 3600.0, t->kills, t->queries,
	    (unsigned long long)t->spoilt, (unsigned long long)t->answers, t->orders, t->refusals, t->done,
	    t->handed_off, t->failed, t->false_done, t->contacts, t->wrong_orders, t->over_limits, t->moving,
	    t->no_end, t->why[0] != '\0' ? ": " : "", t->why);
	json_object_set_new(figures, name,
	    json_pack("{s:b,s:i,s:f,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:s}", "passed", ok,
		"episodes", (int)t->runs, "hours", t->seconds / 3600.0, "kills", (int)t->kills, "queries",
		(int)t->queries, "orders", (int)t->orders, "refused", (int)t->refusals, "done", (int)t->done,
		"false_done", (int)t->false_done, "contacts", (int)t->contacts, "wrong_orders",
		(int)t->wrong_orders, "over_limits", (int)t->over_limits, "moving", (int)t->moving, "no_end",
		(int)t->no_end, "why", t->why));
	return ok;
}

static bool run_kills(struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_profile *profile, long seed, long seeds, json_t *figures, FILE *out)
{
	struct cairn_task_trouble t = {0};
	struct cairn_error err = {""};
	for (long k = 0; k < seeds && !cli_interrupted(); k++) {
		cfg->sim.seed = cfg->pilot.seed = (int)(seed + k);
		if (!cairn_task_kills(cfg, world, profile, KILLS_MAX, &t, &err)) {
			fprintf(stderr, "cairn eval tasks: %s\n", err.text);
			return false;
		}
	}
	bool ok = cairn_task_trouble_ok(&t) && t.false_done == 0 && !cli_interrupted();
	return tell_trouble("T9", &t, ok, figures, out);
}

static bool run_hostile(struct cairn_config *cfg, const struct cairn_world *world,
    const struct cairn_profile *profile, long seed, double hours, bool verbose, json_t *figures, FILE *out)
{
	struct cairn_task_trouble t = {0};
	struct cairn_error err = {""};
	for (long k = 0; t.seconds < 3600.0 * hours && !cli_interrupted(); k++) {
		cfg->sim.seed = cfg->pilot.seed = (int)(seed + k);
		if (!cairn_task_hostile(cfg, world, profile, &t, &err)) {
			fprintf(stderr, "cairn eval tasks: %s\n", err.text);
			return false;
		}
		if (verbose)
			fprintf(stderr,
			    "hostile, seed %ld: %.2f h, %u contacts, %u wrong orders, %u orders; %s\n",
			    seed + k, t.seconds / 3600.0, t.contacts, t.wrong_orders, t.orders, t.why);
	}
	/* What a model says that lies is believed where a skill has succeeded: no rule can tell; it is counted. */
	return tell_trouble("hostile", &t, cairn_task_trouble_ok(&t) && !cli_interrupted(), figures, out);
}

/* All trials of the reasoner, or of one task. */
static bool run_trials(struct cairn_config *cfg, const struct cairn_world *world, int only, long seed,
    long seeds, bool verbose, json_t *figures, FILE *out)
{
	struct sums s = {0};
	json_t *list = json_array();
	bool ok = true;
	fprintf(out, "%s\ntask       seed        calls skills refused opened searched       s      m\n",
	    boundary);
	for (int id = 0; ok && id < CAIRN_TASK_COUNT; id++)
		for (long k = 0;
		     ok && k < seeds && (only == CAIRN_TASK_COUNT || only == id) && !cli_interrupted(); k++) {
			cfg->sim.seed = cfg->pilot.seed = (int)(seed + k);
			ok = run_one(cfg, world, (enum cairn_task_trial_id)id, verbose, &s, list, out);
		}
	fprintf(out, "%u of %u passed, %u times called done and not so, %u contacts\n", s.passed, s.runs,
	    s.false_done, s.contacts);
	json_object_set_new(figures, "trials", list);
	json_object_set_new(figures, "passed", json_integer(s.passed));
	json_object_set_new(figures, "false_done", json_integer(s.false_done));
	json_object_set_new(figures, "contacts", json_integer(s.contacts));
	return ok && s.runs > 0 && s.passed == s.runs && s.false_done == 0 && s.contacts == 0;
}

static bool load(struct cairn_config *cfg, struct cairn_world **ret_world, struct cairn_error *err)
{
	char robot[PATH_MAX] = ROBOT;
	cairn_config_defaults(cfg);
	*ret_world = cairn_share_world(WORLD, err);
	return *ret_world != NULL && cairn_share_find(robot, sizeof(robot), err) &&
	       cairn_config_load(cfg, robot, err);
}

enum cairn_eval_end cairn_eval_tasks(const struct cli *cli, json_t *figures)
{
	struct cairn_config cfg;
	struct cairn_profile profile;
	struct cairn_error err = {""};
	struct cairn_world *world = NULL;
	char *text = NULL;
	size_t bytes = 0;
	const char *hostile = cli_value(cli, "hostile-hours");
	double hours = hostile != NULL ? strtod(hostile, NULL) : 0.0;
	bool verbose = cli_value(cli, "verbose") != NULL;
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - 1000000),
	     seeds = cli_count_max(cli, "seeds", 1, 1000);
	int only = task_of(cli_value(cli, "task"));
	if (seed < 0 || seeds < 0)
		return CAIRN_EVAL_USAGE;
	if (only < 0 || (hostile != NULL && !(hours > 0.0))) {
		fprintf(stderr, "cairn eval tasks: %s '%s' %s\n",
		    only < 0 ? "--task: no task is called" : "--hostile-hours:",
		    only < 0 ? cli_value(cli, "task") : hostile,
		    only < 0 ? "(T1 ... T12)" : "is not above 0");
		return CAIRN_EVAL_USAGE;
	}
	if (!load(&cfg, &world, &err)) {
		fprintf(stderr, "cairn eval tasks: %s\n", err.text);
		cairn_world_destroy(&world);
		return CAIRN_EVAL_FAILED;
	}
	cairn_profile_defaults(&profile);
	cli_catch_signals();
	FILE *out = open_memstream(&text, &bytes);
	bool ok = out != NULL;
	if (ok && hours > 0.0)
		ok = run_hostile(&cfg, world, &profile, seed, hours, verbose, figures, out);
	if (ok && hours == 0.0 && only != TASK_KILLS)
		ok = run_trials(&cfg, world, only, seed, seeds, verbose, figures, out);
	if (out != NULL && hours == 0.0 && (only == TASK_KILLS || only == CAIRN_TASK_COUNT))
		ok = run_kills(&cfg, world, &profile, seed, seeds, figures, out) && ok;
	/* The rest of it is not known: what was broken off has not passed. */
	bool whole = !cli_interrupted();
	if (out != NULL && !whole)
		fputs("interrupted: not finished\n", out);
	if (out != NULL)
		fclose(out);
	json_object_set_new(figures, "finished", json_boolean(whole));
	json_object_set_new(figures, "boundary", json_string(boundary));
	json_object_set_new(figures, "text", json_string(text != NULL ? text : ""));
	free(text);
	cairn_world_destroy(&world);
	return ok && whole ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
