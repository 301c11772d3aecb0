/* eval_explore.c - the same house, the same start, explored in different ways: trials on all cores, told with intervals. */
#include "procs/cairn/eval_explore.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/duration.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"
#include "procs/cairn/explore_model.h"
#include "procs/cairn/shards.h"

#define DURATION_S 600.0
#define DURATION_MAX_S 14400.0
#define FRONTIER_SEEN_MIN 90.0 /* percent at the end, mean; a robot that sees little does not pass */

static bool complain(const char *what, const char *value)
{
	fprintf(stderr, "cairn eval explore: %s '%s'\n", what, value);
	return false;
}

/* ---- the plan ---- */

static bool looks_like_world(const char *name)
{
	static const char *const endings[] = {".yaml", ".json", ".pgm", ".pgm.gz"};
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t n = strlen(name), e = strlen(endings[i]);
		if (n > e && strcmp(name + n - e, endings[i]) == 0)
			return true;
	}
	return false;
}

static uint64_t hash_file(const char *path)
{
	uint8_t part[65536];
	uint64_t hash = 0;
	FILE *f = fopen(path, "rb");
	for (size_t n = 1; f != NULL && n > 0;) {
		n = fread(part, 1, sizeof(part), f);
		hash = cairn_shards_hash(hash, part, n);
	}
	if (f != NULL)
		fclose(f);
	return hash;
}

static bool add_world(struct explore_plan *p, const char *path)
{
	if (p->world_count == EXPLORE_WORLDS_MAX)
		return complain("too many worlds, no room for", path);
	struct explore_world *w = &p->worlds[p->world_count++];
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	size_t length = strnlen(path, sizeof(w->path) - 1);
	memcpy(w->path, path, length);
	w->path[length] = '\0';
	snprintf(w->name, sizeof(w->name), "%.*s", (int)strcspn(name, "."), name);
	w->hash = hash_file(path);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct explore_world *)a)->name, ((const struct explore_world *)b)->name);
}

static bool add_folder(struct explore_plan *p, const char *path)
{
	DIR *dir = opendir(path);
	char file[512];
	bool ok = dir != NULL || complain("cannot read", path);
	for (struct dirent *e; ok && (e = readdir(dir)) != NULL;)
		if (looks_like_world(e->d_name)) {
			snprintf(file, sizeof(file), "%s/%s", path, e->d_name);
			ok = add_world(p, file);
		}
	if (dir != NULL)
		closedir(dir);
	return ok;
}

static bool add_path(struct explore_plan *p, const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return complain(strerror(errno), path);
	return S_ISDIR(st.st_mode) ? add_folder(p, path) : add_world(p, path);
}

static bool read_worlds(const struct cli *cli, struct explore_plan *p)
{
	int count;
	const char *const *paths = cli_values(cli, "worlds", &count);
	bool ok = count > 0 || add_path(p, CAIRN_SOURCE_DIR "/config/worlds");
	for (int i = 0; ok && i < count; i++)
		ok = add_path(p, paths[i]);
	qsort(p->worlds, p->world_count, sizeof(p->worlds[0]), by_name); /* not by the order of the file system */
	return ok && (p->world_count > 0 || complain("no world in", paths[0]));
}

static bool read_modes(const struct cli *cli, struct explore_plan *p)
{
	static const enum cairn_trial_mode all[] = {CAIRN_TRIAL_FRONTIER, CAIRN_TRIAL_NEAREST, CAIRN_TRIAL_GREEDY,
	    CAIRN_TRIAL_HYBRID, CAIRN_TRIAL_VLM};
	int count;
	const char *const *words = cli_values(cli, "mode", &count);
	for (int i = 0; i < count; i++) {
		int mode = cairn_trial_mode_parse(words[i]);
		if (mode < 0)
			return complain("there is no mode", words[i]);
		if (explore_mode(p, (enum cairn_trial_mode)mode) < 0)
			p->modes[p->mode_count++] = (enum cairn_trial_mode)mode;
	}
	if (count > 0)
		return true;
	p->mode_count = sizeof(all) / sizeof(all[0]);
	memcpy(p->modes, all, sizeof(all));
	return true;
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
	p->map = poses != NULL && strcmp(poses, "truth") == 0 ? CAIRN_RUN_MAP_TRUE_POSES : CAIRN_RUN_MAP_MAPPER;
	if (!explore_read_model(cli, p))
		return false;
	p->pilot = cli_value(cli, "pilot");
	if (p->pilot != NULL && cairn_pilot_profile_parse(p->pilot) < 0)
		return complain("there is no profile", p->pilot);
	long seeds = cli_count(cli, "seeds", 1), first = cli_count(cli, "seed", 1);
	if (seeds < 1 || seeds > EXPLORE_SEEDS_MAX || first < 1)
		return false;
	p->seeds = (uint32_t)seeds;
	p->first_seed = (uint32_t)first;
	p->report_dir = cli_value(cli, "report");
	return read_worlds(cli, p) && read_modes(cli, p);
}

/* ---- the trials ---- */

struct place {
	uint32_t world, mode, seed;
};

static struct place place_of(const struct explore_plan *p, uint32_t job)
{
	return (struct place){job / p->seeds / p->mode_count, job / p->seeds % p->mode_count, job % p->seeds};
}

static bool run_trial(void *ctx, uint64_t job, void *result, struct cairn_error *err)
{
	const struct explore_plan *p = ctx;
	struct place at = place_of(p, (uint32_t)job);
	struct cairn_world *world = cairn_world_load(p->worlds[at.world].path, err);
	if (world == NULL)
		return false;
	struct cairn_trial_options o = {.cfg = &p->cfg,
	    .world = world,
	    .mode = p->modes[at.mode],
	    .map = p->map,
	    .pilot = p->pilot,
	    .seed = p->first_seed + at.seed,
	    .duration_s = p->duration_s};
	bool ok = explore_trial(p, &o, result, err);
	cairn_world_destroy(&world);
	if (!ok && strncmp(err->text, p->worlds[at.world].name, 8) != 0) {
		struct cairn_error why = *err;
		cairn_error_set(err, "%s: %.200s", p->worlds[at.world].name, why.text);
	}
	return ok;
}

/* Of all that decides the results. */
static uint64_t key_of(const struct explore_plan *p)
{
	const double numbers[] = {p->duration_s, p->map, p->mode_count, p->seeds, p->first_seed, p->world_count};
	uint64_t key = cairn_shards_hash(0, numbers, sizeof(numbers));
	key = cairn_shards_hash(key, &p->cfg, sizeof(p->cfg));
	for (uint32_t i = 0; i < p->world_count; i++)
		key = cairn_shards_hash(key, &p->worlds[i].hash, sizeof(p->worlds[i].hash));
	key = cairn_shards_hash(key, p->modes, p->mode_count * sizeof(p->modes[0]));
	if (p->provider != NULL) {
		key = cairn_shards_hash(key, &p->lineup.rows[0], sizeof(p->lineup.rows[0]));
		key = cairn_shards_hash(key, p->system.data, p->system.len);
	}
	return p->pilot != NULL ? cairn_shards_hash(key, p->pilot, strlen(p->pilot)) : key;
}

/* What an earlier run has spent counts. */
static void kept(void *ctx, uint64_t job, const void *result)
{
	struct explore_plan *p = ctx;
	(void)job;
	if (p->purse != NULL)
		model_purse_spend(p->purse, ((const struct cairn_trial_result *)result)->usd);
}

/* A service has its own pace: two questions at once are none the faster, and cost no less. */
static long default_jobs(const struct explore_plan *p)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	bool away = p->provider != NULL && !cairn_profile_url_is_pilot(p->lineup.rows[0].base_url);
	return away || processors < 1 ? 1 : processors;
}

static bool run_trials(const struct cli *cli, struct explore_plan *p, bool *ret_interrupted)
{
	char state[512];
	struct cairn_error err = {""};
	uint32_t count = p->world_count * p->mode_count * p->seeds;
	snprintf(state, sizeof(state), "%s/trials.state", p->report_dir != NULL ? p->report_dir : "");
	p->results = calloc(count, sizeof(*p->results));
	p->done = calloc(count, sizeof(*p->done));
	if (p->results == NULL || p->done == NULL)
		return complain("no memory for so many trials", "");
	if (p->report_dir != NULL && mkdir(p->report_dir, 0777) != 0 && errno != EEXIST)
		return complain(strerror(errno), p->report_dir);
	struct cairn_shards shards = {.title = "trials",
	    .count = count,
	    .bytes = sizeof(*p->results),
	    .jobs = cli_count(cli, "jobs", default_jobs(p)),
	    .work = run_trial,
	    .kept = kept,
	    .ctx = p,
	    .interrupted = cli_interrupted,
	    .state_path = p->report_dir != NULL ? state : NULL,
	    .key = key_of(p)};
	if (shards.jobs < 1)
		return false;
	cli_catch_signals();
	enum cairn_shards_end end = cairn_shards_run(&shards, p->results, p->done, &err);
	*ret_interrupted = end == CAIRN_SHARDS_INTERRUPTED;
	return end != CAIRN_SHARDS_FAILED || complain(err.text, "");
}

/* Nothing was touched, nothing ended early, no trial is missing, and local exploration has seen what there is. */
static bool passed(const struct explore_plan *p)
{
	uint32_t count = p->world_count * p->mode_count * p->seeds;
	for (uint32_t i = 0; i < count; i++)
		if (!p->done[i] || p->results[i].contacts > 0 || p->results[i].early ||
		    p->results[i].unexplained > 0)
			return false;
	int frontier = explore_mode(p, CAIRN_TRIAL_FRONTIER);
	for (uint32_t i = 0; frontier >= 0 && i < explore_metric_count; i++)
		if (strcmp(explore_metrics[i].name, "seen_percent") == 0)
			return explore_mean(p, (uint32_t)frontier, &explore_metrics[i]).mean >= FRONTIER_SEEN_MIN;
	return true;
}

static void command_line(const struct cli *cli, char *buf, size_t bytes)
{
	size_t used = (size_t)snprintf(buf, bytes, "cairn eval explore");
	for (int i = 0; cli->command->options[i].name != NULL; i++)
		for (int k = 0; k < cli->counts[i] && used < bytes; k++)
			used += (size_t)snprintf(
			    buf + used, bytes - used, " --%s %s", cli->command->options[i].name, cli->values[i][k]);
}

enum cairn_eval_end cairn_eval_explore(const struct cli *cli, json_t *figures)
{
	struct explore_plan *p = calloc(1, sizeof(*p));
	char command[1024];
	struct cairn_error err = {""};
	bool interrupted = false, ok = p != NULL && read_plan(cli, p) && run_trials(cli, p, &interrupted);
	if (ok && interrupted)
		fprintf(stderr, "cairn eval explore: interrupted%s\n",
		    p->report_dir != NULL ? "; the same command goes on from here" : "");
	if (ok) {
		explore_figures(p, figures);
		command_line(cli, command, sizeof(command));
		json_object_set_new(figures, "command", json_string(command));
		json_object_set_new(figures, "interrupted", json_boolean(interrupted));
		ok = passed(p) && !interrupted;
		if (p->report_dir != NULL && !interrupted && !explore_report(p, command, &err))
			ok = complain(err.text, p->report_dir);
	}
	if (p != NULL) {
		explore_close_model(p);
		free(p->results);
		free(p->done);
	}
	free(p);
	return ok;
}
