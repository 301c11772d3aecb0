#include "procs/lab/agent_eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/rules/config_check.h"
#include "procs/cli/rundir.h"

#define SLIP 0.05
#define YAW_DRIFT_DEG_PER_M 1.0

bool agent_eval_config(struct agent_eval *e, const struct cli *cli, struct cairn_error *err)
{
	const char *provider = cli_value(cli, "provider"), *usd = cli_value(cli, "usd");
	char share[4096];
	struct cairn_config *cfg = &e->cfg;
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	if (!cairn_share_dir(share, sizeof(share), err) || !cairn_config_merge(cfg, &layers, err) ||
	    !cairn_share_find_model(&cfg->vlm, err))
		return false;
	cfg->sim.slip = SLIP;
	cfg->sim.yaw_drift_deg_per_m = YAW_DRIFT_DEG_PER_M;
	cfg->agent.enabled = true;
	cfg->detect.sim_states = true;
	cfg->agent.use_pictures = false; /* none are drawn for the model here */
	cfg->pilot.profile = CAIRN_CHOICE_PILOT_SCHOLAR;
	e->usd_left = usd != NULL ? strtod(usd, NULL) : cfg->vlm.limit_usd_per_session;
	if (provider != NULL)
		snprintf(cfg->vlm.provider, sizeof(cfg->vlm.provider), "%s", provider);
	if (!(e->usd_left > 0.0)) {
		cairn_error_set(err, "--usd must be a number above 0");
		return false;
	}
	return cairn_config_check(cfg, err);
}

bool agent_eval_open(struct agent_eval *e, struct cairn_error *err)
{
	if (!cairn_lineup_load(&e->lineup, &e->cfg.vlm, err))
		return false;
	cairn_lineup_alone(&e->lineup);
	e->call = model_call_new(&e->cfg, &e->lineup, cli_interrupted, err);
	return e->call != NULL;
}

void agent_eval_close(struct agent_eval *e)
{
	if (e->call != NULL)
		model_call_destroy(&e->call);
}

bool agent_eval_is_script(const struct agent_eval *e)
{
	return cairn_profile_url_is_pilot(e->lineup.rows[0].base_url);
}

void agent_eval_boundary(const struct agent_eval *e, char *ret, size_t bytes)
{
	bool script = agent_eval_is_script(e);
	snprintf(ret, bytes, "%s; simulated detector with %.0f %% misses. %s",
	    script ? "scripted pilot" : e->lineup.rows[0].model, 100.0 * e->cfg.detect.sim_miss,
	    script ? "Tells how the stack behaves, and nothing about a model." : "Of this simulator alone.");
}

void agent_eval_answer(
    void *ctx, const char *body, size_t bytes, struct cairn_dialog_outcome *ret, double *ret_latency_s)
{
	struct agent_eval *e = ctx;
	struct cairn_error err = {""};
	*ret = (struct cairn_dialog_outcome){.retry_after_s = -1.0, .error = "interrupted"};
	(void)model_call_send(e->call, &e->lineup.rows[0], body, bytes, ret, &err);
	ret->sent = true;
	*ret_latency_s = model_call_took_s(e->call);
}

struct cairn_world *agent_eval_house(const char *house, struct cairn_error *err)
{
	return strchr(house, '/') != NULL || strchr(house, '.') != NULL ? cairn_world_load(house, err)
									: cairn_share_world(house, err);
}
