#include "procs/cairn/explore_model.h"

#include <stdlib.h>
#include <string.h>

#include "common/vlm/prompt.h"

static bool complain(const char *what)
{
	fprintf(stderr, "cairn eval explore: %s\n", what);
	return false;
}

static void resolve(char path[CAIRN_CONFIG_TEXT_CAP])
{
	char whole[2 * CAIRN_CONFIG_TEXT_CAP];
	if (path[0] == '/')
		return;
	snprintf(whole, sizeof(whole), "%s/%.250s", CAIRN_SOURCE_DIR, path);
	snprintf(path, CAIRN_CONFIG_TEXT_CAP, "%.*s", CAIRN_CONFIG_TEXT_CAP - 1, whole);
}

static bool read_config(const struct cli *cli, struct cairn_config *cfg, struct cairn_error *err)
{
	int count;
	const char *file = cli_value(cli, "config"), *const *sets = cli_values(cli, "set", &count);
	bool ok = file == NULL || cairn_config_load(cfg, file, err);
	for (int i = 0; ok && i < count; i++)
		ok = cairn_config_set(cfg, sets[i], "--set", err);
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
	if (usd != NULL && (end == usd || *end != '\0' || !(p->usd_max > 0.0)))
		return complain("--usd takes a sum of US dollars above 0");
	if (p->provider == NULL)
		return true;
	resolve(p->cfg.vlm.prompts);
	resolve(p->cfg.vlm.providers);
	snprintf(p->cfg.vlm.provider, sizeof(p->cfg.vlm.provider), "%s", p->provider);
	p->cfg.vlm.fallbacks[0] = '\0'; /* one model is measured */
	p->purse = model_purse_new(p->usd_max, &err);
	bool ok = p->purse != NULL && cairn_lineup_load(&p->lineup, &p->cfg.vlm, &err) &&
		  cairn_prompt_load(&p->cfg.vlm, &p->cfg.percept, &p->system, &err) && can_be_asked(p, &err);
	return ok || complain(err.text);
}

void explore_close_model(struct explore_plan *p)
{
	model_purse_destroy(&p->purse);
	cairn_text_free(&p->system);
}

/* ---- in a worker ---- */

struct worker {
	struct model_call *call;
	struct model_purse *purse;
};

static bool send_it(void *ctx, const struct cairn_profile *profile, const char *body, size_t bytes,
    struct cairn_dialog_outcome *ret, struct cairn_error *err)
{
	struct worker *w = ctx;
	return model_call_send(w->call, profile, body, bytes, ret, err);
}

static double took_s(void *ctx)
{
	return model_call_took_s(((struct worker *)ctx)->call);
}

static double left_usd(void *ctx)
{
	return model_purse_left_usd(((struct worker *)ctx)->purse);
}

static void spent(void *ctx, double usd)
{
	model_purse_spend(((struct worker *)ctx)->purse, usd);
}

bool explore_trial(const struct explore_plan *p, struct cairn_trial_options *o, struct cairn_trial_result *ret,
    struct cairn_error *err)
{
	if (p->provider == NULL)
		return cairn_trial_run(o, ret, err);
	/* The pilot that answers through the prompt has the profile and the chance of the trial. */
	struct cairn_config cfg = p->cfg;
	cfg.pilot.seed = (int)o->seed;
	snprintf(cfg.pilot.profile, sizeof(cfg.pilot.profile), "%s",
	    o->pilot != NULL ? o->pilot : o->mode == CAIRN_TRIAL_HYBRID ? "hybrid" : "sensible");
	struct worker w = {.call = model_call_new(&cfg, &p->lineup, NULL, err), .purse = p->purse};
	const struct cairn_asker_model model = {.system = p->system.data,
	    .lineup = &p->lineup,
	    .send = send_it,
	    .ctx = &w,
	    .took_s = took_s,
	    .left_usd = left_usd,
	    .spent = spent};
	o->model = &model;
	bool ok = w.call != NULL && cairn_trial_run(o, ret, err);
	if (ok && ret->interrupted) {
		cairn_error_set(err, "the model is not asked any more: %.4f of %.4f USD are left; the same command with "
				     "more --usd goes on from the report's folder",
		    model_purse_left_usd(p->purse), p->usd_max);
		ok = false;
	}
	model_call_destroy(&w.call);
	return ok;
}
