/* eval_cost_need.c - two bundled homes explored in simulated time by the scripted pilot in place of each provider's model,
 * asked by need (events included), with prompt and pictures as the gateway sends them. Text is counted by OpenAI's
 * vocabulary, pictures as the provider's image_tokens_low says, money by its prices. vlm.pace_usd_per_hour leaves out pictures
 * as ever; the limits are off, so that the whole hour is known. Pass mark: with the model that the README begins with, under
 * 0.30 USD an hour at that rate, and a picture with 90 % of the calls that are not text-only by rule. */
#include "procs/lab/eval_cost_need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/trial.h"
#include "common/vlm/prompt.h"
#include "procs/gateway/model_call.h"
#include "procs/cli/rundir.h"

#define FIRST "gemini" /* of the README */
#define USD_PER_HOUR_MAX 0.30
#define PICTURES_MIN 0.9
#define LIMIT_S 600.0
#define NO_LIMIT_USD 1000.0
#define PILOT_CACHES_FROM 1024 /* tokens: a provider that caches longer prompts alone does not cache ours */

static const char *const homes[] = {"home", "loop"};

struct sum {
	double seconds, usd;
	uint32_t calls, pictures, by_rule, for_money;
};

/* The pilot answers, and counts as the provider does. */
static void stand_in(
    const struct cairn_profile *pilot, const struct cairn_profile *as, struct cairn_profile *ret)
{
	*ret = *pilot;
	ret->price_in_usd_per_mtok = as->price_in_usd_per_mtok;
	ret->price_cached_usd_per_mtok = as->cache_min_tokens > PILOT_CACHES_FROM
					     ? as->price_in_usd_per_mtok
					     : as->price_cached_usd_per_mtok;
	ret->price_cache_write_usd_per_mtok = as->price_cache_write_usd_per_mtok;
	ret->price_out_usd_per_mtok = as->price_out_usd_per_mtok;
	ret->image_tokens_low = as->image_tokens_low;
	ret->image_tokens_high = as->image_tokens_high;
}

static bool keep_on(void *ctx)
{
	(void)ctx;
	return !cli_interrupted();
}

static bool explore(const struct cairn_config *base, const struct cairn_lineup *lineup, const char *system,
    const char *home, struct sum *sum, struct cairn_error *err)
{
	struct cairn_config cfg = *base;
	cfg.vlm.limit_usd_per_hour = cfg.vlm.limit_usd_per_day = cfg.vlm.limit_usd_per_session = NO_LIMIT_USD;
	cfg.pilot.picture_tokens = lineup->rows[0].image_tokens_low;
	struct cairn_trial_result *r = calloc(1, sizeof(*r));
	struct cairn_world *world = cairn_share_world(home, err);
	struct model_call *call = world != NULL ? model_call_new(&cfg, lineup, NULL, err) : NULL;
	const struct cairn_model_client_model model = {
	    .system = system, .lineup = lineup, .send = model_call_send, .ctx = call};
	const struct cairn_trial_options o = {.cfg = &cfg,
	    .world = world,
	    .mode = CAIRN_TRIAL_VLM,
	    .map = CAIRN_RUN_MAP_TRUE_POSES,
	    .model = &model,
	    .seed = 1,
	    .duration_s = LIMIT_S,
	    .keep_on = keep_on};
	bool ok = r != NULL && call != NULL && cairn_trial_run(&o, r, err);
	if (ok && cli_interrupted()) {
		cairn_error_set(err, "interrupted");
		ok = false;
	}
	if (ok) {
		sum->seconds += r->seconds;
		sum->usd += r->usd;
		sum->calls += r->calls;
		sum->pictures += r->pictures;
		sum->by_rule += r->pictures_by_rule;
		sum->for_money += r->pictures_for_money;
	}
	model_call_destroy(&call);
	cairn_world_destroy(&world);
	free(r);
	return ok;
}

static double share(const struct sum *s)
{
	uint32_t due = s->pictures + s->for_money;
	return due > 0 ? (double)s->pictures / due : 0.0;
}

static void tell(const struct cairn_profile *p, const struct sum *s, FILE *out, json_t *list)
{
	double hours = s->seconds / 3600.0;
	fprintf(out, "%-16s %-28s %4.0f calls, %4.0f pictures (%3.0f %% of those due), %.3f USD an hour\n",
	    p->name, p->model, s->calls / hours, s->pictures / hours, 100.0 * share(s), s->usd / hours);
	json_array_append_new(
	    list, json_pack("{s:s,s:s,s:s,s:f,s:f,s:f,s:f}", "provider", p->name, "model", p->model, "priced",
		      p->priced, "calls_per_hour", s->calls / hours, "pictures_per_hour", s->pictures / hours,
		      "pictures_of_due", share(s), "usd_per_hour", s->usd / hours));
}

static const struct cairn_profile *find(const struct cairn_profiles *profiles, const char *name)
{
	for (uint32_t i = 0; i < profiles->count; i++) {
		if (strcmp(profiles->rows[i].name, name) == 0)
			return &profiles->rows[i];
	}
	return NULL;
}

static bool configure(const struct cli *cli, struct cairn_config *cfg, struct cairn_profiles *profiles,
    struct cairn_text *system, struct cairn_error *err)
{
	char share_dir[4096];
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share_dir;
	if (!cairn_share_dir(share_dir, sizeof(share_dir), err) || !cairn_config_merge(cfg, &layers, err) ||
	    !cairn_share_find_model(&cfg->vlm, err) ||
	    !cairn_profiles_load(profiles, cfg->vlm.providers, err))
		return false;
	if (find(profiles, "pilot") == NULL) {
		cairn_error_set(
		    err, "%s: has no provider 'pilot' to stand in for the others", cfg->vlm.providers);
		return false;
	}
	return cairn_prompt_load(cfg, system, err);
}

enum cairn_eval_end cost_by_need(const struct cli *cli, json_t *figures)
{
	struct cairn_config *cfg = calloc(1, sizeof(*cfg));
	struct cairn_profiles *profiles = calloc(1, sizeof(*profiles));
	struct cairn_text system = {0};
	struct cairn_error err = {"out of memory"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	json_t *list = json_array();
	bool ok =
	    cfg != NULL && profiles != NULL && out != NULL && configure(cli, cfg, profiles, &system, &err);
	bool passed = false;
	for (uint32_t i = 0; ok && i < profiles->count; i++) {
		const struct cairn_profile *p = &profiles->rows[i];
		struct cairn_lineup lineup = {.count = 1};
		struct sum sum = {0};
		stand_in(find(profiles, "pilot"), p, &lineup.rows[0]);
		for (size_t h = 0; ok && h < sizeof(homes) / sizeof(homes[0]); h++)
			ok = explore(cfg, &lineup, system.data, homes[h], &sum, &err);
		if (ok)
			tell(p, &sum, out, list);
		if (ok && strcmp(p->name, FIRST) == 0)
			passed = share(&sum) >= PICTURES_MIN &&
				 sum.usd / (sum.seconds / 3600.0) < USD_PER_HOUR_MAX;
	}
	if (out != NULL)
		fclose(out);
	if (!ok)
		fprintf(stderr, "cairn eval cost: %s\n", err.text);
	json_object_set_new(figures, "providers", list);
	if (text != NULL)
		json_object_set_new(figures, "text", json_string(text));
	free(text);
	cairn_text_free(&system);
	free(profiles);
	free(cfg);
	return passed ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
