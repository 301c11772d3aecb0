/* eval_explore.c - the same house, the same start, explored in different ways: trials on all cores, told with intervals. */
#include "procs/lab/eval_explore.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/duration.h"
#include "common/base/hash.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/explore_model.h"
#include "procs/lab/provenance.h"
#include "procs/lab/jobs.h"

#define DURATION_S 600.0
#define DURATION_MAX_S 14400.0

static bool complain(const char *what, const char *value)
{
	fprintf(stderr, "cairn eval explore: %s '%s'\n", what, value);
	return false;
}

static bool say(const char *what)
{
	fprintf(stderr, "cairn eval explore: %s\n", what);
	return false;
}

/* Of what is named in a table, all the names. */
static bool complain_of(const char *option, const char *value, int count, const char *(*name_of)(int))
{
	fprintf(stderr, "cairn eval explore: %s takes %s", option, name_of(0));
	for (int i = 1; i < count; i++)
		fprintf(stderr, "%s%s", i + 1 < count ? ", " : " or ", name_of(i));
	fprintf(stderr, ", not '%s'\n", value);
	return false;
}

static const char *mode_name(int mode)
{
	return cairn_trial_mode_name((enum cairn_trial_mode)mode);
}

static const char *profile_name(int profile)
{
	return cairn_choice_pilot_words[profile];
}

/* ---- the plan ---- */

static bool read_modes(const struct cli *cli, struct explore_plan *p)
{
	static const enum cairn_trial_mode all[] = {CAIRN_TRIAL_FRONTIER, CAIRN_TRIAL_NEAREST,
	    CAIRN_TRIAL_GREEDY, CAIRN_TRIAL_HYBRID, CAIRN_TRIAL_VLM};
	int count;
	const char *const *words = cli_values(cli, "mode", &count);
	for (int i = 0; i < count; i++) {
		int mode = cairn_trial_mode_parse(words[i]);
		if (mode < 0)
			return complain_of("--mode", words[i], CAIRN_TRIAL_MODE_COUNT, mode_name);
		if (explore_mode(p, (enum cairn_trial_mode)mode) < 0)
			p->modes[p->mode_count++] = (enum cairn_trial_mode)mode;
	}
	if (count > 0)
		return true;
	p->mode_count = sizeof(all) / sizeof(all[0]);
	memcpy(p->modes, all, sizeof(all));
	return true;
}

/* A service has its own pace: two questions at once are none the faster, and cost no less. */
static long default_jobs(const struct explore_plan *p)
{
	bool away = p->provider != NULL && !cairn_profile_url_is_pilot(p->lineup.rows[0].base_url);
	return away ? 1 : cairn_jobs_default();
}

static bool read_baseline(const struct cli *cli, struct explore_plan *p)
{
	const char *path = cli_value(cli, "baseline");
	struct cairn_error err = {""};
	if (path == NULL)
		return true;
	p->baseline = calloc(1, sizeof(*p->baseline));
	if (p->baseline == NULL)
		return complain("no memory for", path);
	return explore_baseline_load(path, p->baseline, &err) || say(err.text);
}

static bool read_plan(const struct cli *cli, struct explore_plan *p)
{
	const char *time = cli_value(cli, "for"), *poses = cli_value(cli, "poses");
	struct cairn_error err = {""};
	cairn_config_defaults(&p->cfg);
	p->duration_s = DURATION_S;
	if (time != NULL && (!cairn_duration_parse(time, &p->duration_s, &err) || p->duration_s < 1.0 ||
				p->duration_s > DURATION_MAX_S))
		return complain("not a time of a trial, 1s to 4h:", time);
	if (poses != NULL && strcmp(poses, "mapper") != 0 && strcmp(poses, "truth") != 0)
		return complain("--poses takes mapper or truth, not", poses);
	p->map =
	    poses != NULL && strcmp(poses, "truth") == 0 ? CAIRN_RUN_MAP_TRUE_POSES : CAIRN_RUN_MAP_MAPPER;
	if (!explore_read_model(cli, p))
		return false;
	p->pilot = cli_value(cli, "pilot");
	if (p->pilot != NULL && cairn_choice_find(cairn_choice_pilot_words, p->pilot) < 0)
		return complain_of("--pilot", p->pilot, CAIRN_CHOICE_PILOT_COUNT, profile_name);
	p->scripted = p->provider == NULL || cairn_profile_url_is_pilot(p->lineup.rows[0].base_url);
	long seeds = cli_count_max(cli, "seeds", 1, EXPLORE_SEEDS_MAX), first = cli_count(cli, "seed", 1);
	p->jobs = cli_count(cli, "jobs", default_jobs(p));
	if (seeds < 1 || first < 1 || p->jobs < 1)
		return false;
	p->seeds = (uint32_t)seeds;
	p->first_seed = (uint32_t)first;
	p->report_dir = cli_value(cli, "report");
	return read_modes(cli, p) && read_baseline(cli, p) && explore_read_worlds(cli, p);
}

/* ---- the trials ---- */

struct place {
	uint32_t world, mode, seed;
};

static struct place place_of(const struct explore_plan *p, uint32_t job)
{
	return (struct place){job / p->seeds / p->mode_count, job / p->seeds % p->mode_count, job % p->seeds};
}

/* A house in which nothing can be driven is told of, and does not end the others; a model that is not asked any more ends
 * all. */
static bool run_trial(void *ctx, uint64_t job, void *result, struct cairn_error *err)
{
	const struct explore_plan *p = ctx;
	struct explore_outcome *out = result;
	struct place at = place_of(p, (uint32_t)job);
	struct cairn_error why = {""};
	struct cairn_world *world = explore_load_world(&p->worlds[at.world], &why);
	struct cairn_trial_options o = {.cfg = &p->cfg,
	    .world = world,
	    .mode = p->modes[at.mode],
	    .map = p->map,
	    .pilot = p->pilot,
	    .seed = p->first_seed + at.seed,
	    .duration_s = p->duration_s};
	bool ok = world != NULL && explore_trial(p, &o, &out->trial, &why);
	cairn_world_destroy(&world);
	if (!ok && out->trial.interrupted) {
		*err = why;
		return false;
	}
	out->failed = !ok;
	if (!ok) {
		snprintf(out->why, sizeof(out->why), "%.190s", why.text);
		fprintf(stderr, "cairn eval explore: %s, seed %u: %s; the others go on\n",
		    p->worlds[at.world].path, o.seed, out->why);
	}
	return true;
}

/* Of all that decides the results. */
static uint64_t key_of(const struct explore_plan *p)
{
	const double numbers[] = {
	    p->duration_s, p->map, p->mode_count, p->seeds, p->first_seed, p->world_count};
	uint64_t key = cairn_hash_bytes(CAIRN_HASH_START, numbers, sizeof(numbers));
	key = cairn_hash_bytes(key, &p->cfg, sizeof(p->cfg));
	for (uint32_t i = 0; i < p->world_count; i++)
		key = cairn_hash_bytes(key, &p->worlds[i].hash, sizeof(p->worlds[i].hash));
	key = cairn_hash_bytes(key, p->modes, p->mode_count * sizeof(p->modes[0]));
	if (p->provider != NULL) {
		key = cairn_hash_bytes(key, &p->lineup.rows[0], sizeof(p->lineup.rows[0]));
		key = cairn_hash_bytes(key, p->system.data, p->system.len);
	}
	return p->pilot != NULL ? cairn_hash_bytes(key, p->pilot, strlen(p->pilot)) : key;
}

/* What went wrong may be mended until the same command comes again; so may a service that answered nothing and was paid for
 * nothing. */
static bool lasts(const void *result)
{
	const struct explore_outcome *out = result;
	return !out->failed && !(out->trial.calls > 0 && out->trial.failures == out->trial.calls &&
				   out->trial.tokens_in + out->trial.tokens_out == 0);
}

_Static_assert(sizeof(struct explore_outcome) <= CAIRN_JOB_BYTES_MAX, "one piece of work");

static bool run_trials(struct explore_plan *p, bool *ret_interrupted)
{
	char state[512];
	struct cairn_error err = {""};
	uint32_t count = p->world_count * p->mode_count * p->seeds;
	snprintf(state, sizeof(state), "%s/trials.state", p->report_dir != NULL ? p->report_dir : "");
	p->results = calloc(count, sizeof(*p->results));
	p->done = calloc(count, sizeof(*p->done));
	if (p->results == NULL || p->done == NULL)
		return say("no memory for so many trials");
	if (p->report_dir != NULL && mkdir(p->report_dir, 0777) != 0 && errno != EEXIST)
		return complain(strerror(errno), p->report_dir);
	struct cairn_jobs shards = {.title = "trials",
	    .count = count,
	    .bytes = sizeof(*p->results),
	    .jobs = p->jobs,
	    .work = run_trial,
	    .lasts = lasts,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .state_path = p->report_dir != NULL ? state : NULL,
	    .key = key_of(p)};
	if (!explore_open_model(p, shards.key))
		return false;
	cli_catch_signals();
	enum cairn_jobs_end end = cairn_jobs_run(&shards, p->results, p->done, &err);
	*ret_interrupted = end == CAIRN_JOBS_INTERRUPTED || explore_model_stopped(p) != NULL;
	return end != CAIRN_JOBS_FAILED || *ret_interrupted || say(err.text);
}

static void close_plan(struct explore_plan *p)
{
	explore_close_model(p);
	free(p->baseline);
	free(p->bad);
	free(p->results);
	free(p->done);
	free(p);
}

static void say_interrupted(const struct explore_plan *p)
{
	const char *why = explore_model_stopped(p);
	char line[64];
	snprintf(line, sizeof(line), "interrupted%s",
	    p->report_dir != NULL ? "; the same command goes on from here" : "");
	say(why != NULL ? why : line);
}

/* Of an evaluation that was interrupted, or that a model had no more answers for: what is there. */
static bool tell(const struct cli *cli, const struct explore_plan *p, bool interrupted, json_t *figures)
{
	struct explore_verdict verdict;
	struct cairn_error err = {""};
	char *command = cairn_provenance_command(cli);
	explore_judge(p, &verdict);
	char *text = explore_text(p, &verdict);
	explore_figures(p, &verdict, figures);
	json_object_set_new(figures, "interrupted", json_boolean(interrupted));
	if (explore_model_stopped(p) != NULL)
		json_object_set_new(figures, "stopped", json_string(explore_model_stopped(p)));
	if (p->purse != NULL)
		json_object_set_new(figures, "spent_usd", json_real(model_purse_spent_usd(p->purse)));
	if (text != NULL)
		json_object_set_new(figures, "text", json_string(text));
	bool ok = verdict.passed && !interrupted;
	if (p->report_dir != NULL && !interrupted &&
	    !explore_report(p, &verdict, command != NULL ? command : "", &err))
		ok = complain(err.text, p->report_dir);
	free(text);
	free(command);
	return ok;
}

enum cairn_eval_end cairn_eval_explore(const struct cli *cli, json_t *figures)
{
	struct explore_plan *p = calloc(1, sizeof(*p));
	enum cairn_eval_end end = CAIRN_EVAL_FAILED;
	bool interrupted = false;
	if (p == NULL)
		return end;
	if (!read_plan(cli, p)) {
		end = CAIRN_EVAL_USAGE;
	} else if (run_trials(p, &interrupted)) {
		if (interrupted)
			say_interrupted(p);
		end = tell(cli, p, interrupted, figures);
	}
	close_plan(p);
	return end;
}
