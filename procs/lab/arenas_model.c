/* arenas_model.c - a provider that drives the arenas of `cairn eval arenas`, and the log of each cycle. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/vlm/prompt.h"
#include "procs/cli/cli.h"
#include "procs/lab/eval_arenas.h"
#include "procs/lab/model_worker.h"
#include "procs/cli/rundir.h"
#include "procs/lab/jobs.h"

static bool complain(const char *what)
{
	fprintf(stderr, "cairn eval arenas: %s\n", what);
	return false;
}

bool arenas_read_model(const struct cli *cli, struct arenas_plan *p)
{
	const char *usd = cli_value(cli, "usd");
	struct cairn_error err = {""};
	char *end = NULL;
	p->provider = cli_value(cli, "provider");
	p->log = cli_value(cli, "log");
	cairn_config_defaults(&p->cfg);
	p->usd_max = usd != NULL ? strtod(usd, &end) : p->cfg.vlm.limit_usd_per_session;
	if (usd != NULL && (end == usd || *end != '\0' || !(p->usd_max > 0.0) || !isfinite(p->usd_max)))
		return complain("--usd takes a sum of US dollars above 0");
	if (p->provider == NULL)
		return usd == NULL || complain("--usd is for a --provider; nothing is paid for without one");
	snprintf(p->cfg.vlm.provider, sizeof(p->cfg.vlm.provider), "%s", p->provider);
	p->cfg.vlm.observe_provider[0] = '\0';
	p->cfg.vlm.fallbacks[0] = '\0'; /* one model is measured */
	struct model_call *call = NULL;
	bool ok = cairn_share_find_model(&p->cfg.vlm, &err) &&
		  cairn_lineup_load(&p->lineup, &p->cfg.vlm, &err) &&
		  cairn_prompt_load(&p->cfg, &p->system, &err) &&
		  (call = model_call_new(&p->cfg, &p->lineup, NULL, &err)) != NULL;
	model_call_destroy(&call);
	return ok || complain(err.text);
}

bool arenas_open_model(struct arenas_plan *p, uint64_t key)
{
	char path[512];
	struct cairn_error err = {""};
	if (p->log != NULL && mkdir(p->log, 0777) != 0 && errno != EEXIST) {
		cairn_error_set(&err, "--log: %.200s: %s", p->log, strerror(errno));
		return complain(err.text);
	}
	if (p->provider == NULL)
		return true;
	snprintf(path, sizeof(path), "%s/spent.state", p->report != NULL ? p->report : "");
	p->purse =
	    model_purse_new(p->usd_max, p->report != NULL ? path : NULL, cairn_program_hash(key), &err);
	return p->purse != NULL || complain(err.text);
}

void arenas_close_model(struct arenas_plan *p)
{
	model_purse_destroy(&p->purse);
	cairn_text_free(&p->system);
}

static FILE *open_log(const struct arenas_plan *p, uint64_t number, struct cairn_error *err)
{
	char file[64], path[1100];
	arenas_file(p, number, file, sizeof(file));
	snprintf(path, sizeof(path), "%s/%s.jsonl", p->log, file);
	FILE *log = fopen(path, "we");
	if (log == NULL)
		cairn_error_set(err, "--log: %.200s: %s", path, strerror(errno));
	return log;
}

bool arenas_drive(const struct arenas_plan *p, uint64_t number, struct cairn_arena_result *ret,
    cairn_arena_end_fn *at_end, void *ctx, struct cairn_error *err)
{
	enum cairn_arena_mode mode;
	uint32_t seed;
	const struct cairn_arena *a = arenas_piece(p, number, &mode, &seed);
	struct cairn_config cfg = p->cfg;
	cfg.pilot.seed = (int)seed;
	cfg.pilot.profile = CAIRN_CHOICE_PILOT_HYBRID; /* where the pilot answers the prompt */
	struct model_worker w = {.purse = p->purse};
	struct cairn_arena_driver driver = {.vlm = &cfg.vlm};
	struct cairn_model_client_model model;
	bool ok = true;
	if (p->provider != NULL) {
		w.call = model_call_new(&cfg, &p->lineup, NULL, err);
		model = model_worker_model(&w, p->system.data, &p->lineup);
		driver.model = &model;
		ok = w.call != NULL;
	}
	if (ok && p->log != NULL)
		ok = (driver.log = open_log(p, number, err)) != NULL;
	ok = ok && cairn_arena_drive(a, mode, seed, &driver, ret, at_end, ctx, err);
	if (driver.log != NULL && fclose(driver.log) != 0 && ok) {
		cairn_error_set(err, "--log: %s", strerror(errno));
		ok = false;
	}
	model_call_destroy(&w.call);
	return ok;
}
