#include "procs/lab/explore_model.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/vlm/prompt.h"
#include "procs/lab/model_worker.h"
#include "procs/cli/rundir.h"
#include "procs/lab/jobs.h"
#include "common/rules/config_check.h"

static bool complain(const char *what)
{
	fprintf(stderr, "cairn eval explore: %s\n", what);
	return false;
}

/* What each trial sets by itself (common/eval/trial.c), and who decides it. */
static const struct {
	const char *key, *by;
} decided[] = {
    {"mission.order", "--mode"},
    {"mission.recheck", "--mode"},
    {"mission.return_home", "the evaluation: a trial ends where the robot is"},
    {"mission.limit_s", "--for"},
    {"pilot.profile", "--pilot"},
    {"pilot.seed", "--seed"},
    {"sim.seed", "--seed"},
    {"sim.world", "--worlds"},
    {"sim.start", "--seed"},
    {"sim.start_x_m", "--seed"},
    {"sim.start_y_m", "--seed"},
    {"sim.start_yaw_deg", "--seed"},
    {"vlm.provider", "--provider"},
    {"vlm.fallbacks", "the evaluation: one model is measured"},
    {"vlm.shadow", "--mode"},
};

/* A key that would be set and then overwritten is an experiment that never was. */
static bool may_be_set(const char *assignment, struct cairn_error *err)
{
	size_t n = strcspn(assignment, "=");
	for (size_t i = 0; i < sizeof(decided) / sizeof(decided[0]); i++)
		if (strlen(decided[i].key) == n && strncmp(decided[i].key, assignment, n) == 0) {
			cairn_error_set(
			    err, "--set %s: that is decided by %s here", decided[i].key, decided[i].by);
			return false;
		}
	return true;
}

static bool read_config(const struct cli *cli, struct cairn_config *cfg, struct cairn_error *err)
{
	int count;
	const char *file = cli_value(cli, "config"), *const *sets = cli_values(cli, "set", &count);
	bool ok = file == NULL || cairn_config_load(cfg, file, err);
	for (int i = 0; ok && i < count; i++)
		ok = may_be_set(sets[i], err) && cairn_config_set(cfg, sets[i], "--set", err);
	return ok && cairn_config_check(cfg, err);
}

/* A key that is missing is said before anything is run. */
static bool can_be_asked(struct explore_plan *p, struct cairn_error *err)
{
	struct model_call *call = model_call_new(&p->cfg, &p->lineup, NULL, err);
	bool ok = call != NULL;
	model_call_destroy(&call);
	return ok;
}

bool explore_read_model(const struct cli *cli, struct explore_plan *p)
{
	const char *usd = cli_value(cli, "usd");
	struct cairn_error err = {""};
	char *end = NULL;
	p->provider = cli_value(cli, "provider");
	if (!read_config(cli, &p->cfg, &err))
		return complain(err.text);
	p->usd_max = usd != NULL ? strtod(usd, &end) : p->cfg.vlm.limit_usd_per_session;
	if (usd != NULL && (end == usd || *end != '\0' || !(p->usd_max > 0.0) || !isfinite(p->usd_max)))
		return complain("--usd takes a sum of US dollars above 0");
	if (p->provider == NULL)
		return usd == NULL || complain("--usd is for a --provider; nothing is paid for without one");
	snprintf(p->cfg.vlm.provider, sizeof(p->cfg.vlm.provider), "%s", p->provider);
	p->cfg.vlm.observe_provider[0] = '\0';
	p->cfg.vlm.fallbacks[0] = '\0'; /* one model is measured */
	bool ok = cairn_share_find_model(&p->cfg.vlm, &err) &&
		  cairn_lineup_load(&p->lineup, &p->cfg.vlm, &err) &&
		  cairn_prompt_load(&p->cfg, &p->system, &err) && can_be_asked(p, &err);
	return ok || complain(err.text);
}

/* Why the model is not asked any more: said by the first worker that finds it, to the others and to who started them. */
struct explore_stop {
	_Atomic bool taken, said;
	char why[400];
};

bool explore_open_model(struct explore_plan *p, uint64_t key)
{
	char path[512];
	struct cairn_error err = {""};
	if (p->provider == NULL)
		return true;
	snprintf(path, sizeof(path), "%s/spent.state", p->report_dir != NULL ? p->report_dir : "");
	p->purse =
	    model_purse_new(p->usd_max, p->report_dir != NULL ? path : NULL, cairn_program_hash(key), &err);
	if (p->purse == NULL)
		return complain(err.text);
	void *shared =
	    mmap(NULL, sizeof(*p->stop), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return complain("out of memory");
	p->stop = shared;
	if (model_purse_spent_usd(p->purse) > 0.0)
		fprintf(stderr, "cairn eval explore: %.4f USD were spent before, %.4f of %.4f are left\n",
		    model_purse_spent_usd(p->purse), model_purse_left_usd(p->purse), p->usd_max);
	return true;
}

const char *explore_model_stopped(const struct explore_plan *p)
{
	return p->stop != NULL && p->stop->said ? p->stop->why : NULL;
}

void explore_close_model(struct explore_plan *p)
{
	model_purse_destroy(&p->purse);
	if (p->stop != NULL)
		munmap(p->stop, sizeof(*p->stop));
	p->stop = NULL;
	cairn_text_free(&p->system);
}

/* ---- in a worker ---- */

static void stop(const struct explore_plan *p, const struct model_worker *w, const struct cairn_error *why)
{
	if (atomic_exchange(&p->stop->taken, true))
		return;
	const char *hint = w->poor ? "; the same command with more --usd goes on from here"
				   : "; the same command goes on from here";
	snprintf(p->stop->why, sizeof(p->stop->why), "the model is not asked any more: %.200s%s", why->text,
	    p->report_dir != NULL ? hint : "");
	p->stop->said = true;
}

/* Others have been told already: it is not asked once more for each trial that is left. */
static bool given_up(const struct explore_plan *p, struct cairn_trial_result *ret, struct cairn_error *err)
{
	const char *why = explore_model_stopped(p);
	ret->interrupted = why != NULL;
	if (why != NULL)
		cairn_error_set(err, "%s", why);
	return why != NULL;
}

bool explore_trial(const struct explore_plan *p, struct cairn_trial_options *o,
    struct cairn_trial_result *ret, struct cairn_error *err)
{
	if (p->provider == NULL)
		return cairn_trial_run(o, ret, err);
	if (cairn_trial_asks(o->mode) && given_up(p, ret, err))
		return false;
	/* The pilot that answers through the prompt has the profile and the chance of the trial. */
	struct cairn_config cfg = p->cfg;
	cfg.pilot.seed = (int)o->seed;
	if (!cairn_trial_pilot(o, &cfg.pilot.profile, err))
		return false;
	struct model_worker w = {.call = model_call_new(&cfg, &p->lineup, NULL, err), .purse = p->purse};
	const struct cairn_model_client_model model = model_worker_model(&w, p->system.data, &p->lineup);
	o->model = &model;
	bool ok = w.call != NULL && cairn_trial_run(o, ret, err);
	if (ok && ret->interrupted) {
		stop(p, &w, err);
		ok = false;
	}
	model_call_destroy(&w.call);
	return ok;
}
