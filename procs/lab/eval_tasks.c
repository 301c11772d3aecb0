/* eval_tasks.c - tasks with things in the home for tasks: what is brought, what is handed to a person, and what was ever called done that was not. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/task_trial.h"
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

/* -1: no task is called so; CAIRN_TASK_COUNT: all. */
static int task_of(const char *name)
{
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

enum cairn_eval_end cairn_eval_tasks(const struct cli *cli, json_t *figures)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct sums s = {0};
	char robot[PATH_MAX] = ROBOT, *text = NULL;
	size_t bytes = 0;
	long seed = cli_count_max(cli, "seed", 1, INT_MAX - 1000),
	     seeds = cli_count_max(cli, "seeds", 1, 1000);
	int only = task_of(cli_value(cli, "task"));
	if (seed < 0 || seeds < 0)
		return CAIRN_EVAL_USAGE;
	if (only < 0) {
		fprintf(stderr, "cairn eval tasks: --task: no task is called '%s' (T1 ... T12)\n",
		    cli_value(cli, "task"));
		return CAIRN_EVAL_USAGE;
	}
	cairn_config_defaults(&cfg);
	struct cairn_world *world = cairn_share_world(WORLD, &err);
	if (world == NULL || !cairn_share_find(robot, sizeof(robot), &err) ||
	    !cairn_config_load(&cfg, robot, &err)) {
		fprintf(stderr, "cairn eval tasks: %s\n", err.text);
		cairn_world_destroy(&world);
		return CAIRN_EVAL_FAILED;
	}
	FILE *out = open_memstream(&text, &bytes);
	json_t *list = json_array();
	bool ok = out != NULL;
	if (ok)
		fprintf(out,
		    "%s\ntask       seed        calls skills refused opened searched       s      m\n",
		    boundary);
	for (int id = 0; ok && id < CAIRN_TASK_COUNT; id++)
		for (long k = 0; ok && k < seeds && (only == CAIRN_TASK_COUNT || only == id); k++) {
			cfg.sim.seed = cfg.pilot.seed = (int)(seed + k);
			ok = run_one(&cfg, world, (enum cairn_task_trial_id)id,
			    cli_value(cli, "verbose") != NULL, &s, list, out);
		}
	if (ok)
		fprintf(out,
		    "%u of %u passed, %u times called done and not so, %u contacts. T9 (agent killed at each "
		    "step) is not built\n",
		    s.passed, s.runs, s.false_done, s.contacts);
	if (out != NULL)
		fclose(out);
	json_object_set_new(figures, "boundary", json_string(boundary));
	json_object_set_new(figures, "trials", list);
	json_object_set_new(figures, "passed", json_integer(s.passed));
	json_object_set_new(figures, "false_done", json_integer(s.false_done));
	json_object_set_new(figures, "contacts", json_integer(s.contacts));
	json_object_set_new(figures, "text", json_string(text != NULL ? text : ""));
	free(text);
	cairn_world_destroy(&world);
	return ok && s.runs > 0 && s.passed == s.runs && s.false_done == 0 && s.contacts == 0
		   ? CAIRN_EVAL_PASSED
		   : CAIRN_EVAL_FAILED;
}
