/* cmd_doctor.c - `cairn doctor`: the checks of `cairn up` alone, all of them, and a call that costs nothing to each provider. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vlm/profile.h"
#include "common/vlm/provider.h"
#include "ipc/lockfile.h"
#include "procs/cairn/checks.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/up.h"
#include "procs/gateway/http.h"

struct doctor {
	const struct cli *cli;
	struct check_context ctx;
	bool failed;
	int count;
};

static void tell(struct doctor *d, const char *name, struct check_result *result)
{
	static const char *const words[] = {"ok", "skipped", "warning", "FAILED"};
	static const char *const json_words[] = {"ok", "skipped", "warning", "failed"};
	d->failed |= result->level == CHECK_FAILS;
	if (d->cli->json) {
		printf("%s{\"check\":\"%s\",\"level\":\"%s\",\"text\":", d->count > 0 ? "," : "", name,
		    json_words[result->level]);
		cli_print_json_string(stdout, result->text);
		printf("}");
	} else {
		printf("%-8s %-12s %s\n", words[result->level], name, cli_printable(result->text));
		fflush(stdout);
	}
	d->count++;
}

/* ---- providers ---- */

/* What a service answers, as HTTP status: 0 = no answer, or not asked. */
struct answers {
	int list;  /* GET of all models */
	int model; /* GET of the one, asked where the list is there */
	int question; /* POST of a question without content, asked where the list is not: every service refuses that unpaid */
};

static void on_probed(void *ctx, uint32_t index, int status)
{
	(void)index;
	*(int *)ctx = status;
}

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	*(int *)ctx = outcome->status;
}

static int ask(struct http *http, const struct cairn_profile *p, const char *path, bool question)
{
	char url[CAIRN_CONFIG_TEXT_CAP * 2];
	struct cairn_error ignored;
	int status = 0;
	http_listen(http, on_done, on_probed, &status);
	if (cairn_provider_url(url, sizeof(url), p, path, 0) &&
	    (question ? http_post(http, 0, url, "{}", 2, &ignored) : http_probe(http, 0, url)))
		http_wait(http);
	return status;
}

static bool nothing_there(int status)
{
	return status == 404 || status == 405 || status == 410;
}

/* Gemini says of a wrong key that the request is invalid, and there is nothing else in these requests to be invalid. */
static bool refuses_key(const struct cairn_profile *p, int status)
{
	return status == 401 || status == 403 ||
	       (status == 400 && p->format == CAIRN_CHOICE_FORMAT_GEMINI && p->api_key_env[0] != '\0');
}

static void judge(
    const struct cairn_profile *p, const char *path, const struct answers *a, struct check_result *ret)
{
	bool asked = a->question != 0, keyed = p->api_key_env[0] != '\0';
	int worst = asked ? a->question : a->list;
	if (a->list == 0)
		check_says(ret, CHECK_FAILS,
		    "%s: %s does not answer within 5 s; is the address right (vlm.base_url), and the network "
		    "up?",
		    p->name, p->base_url);
	else if (refuses_key(p, a->list) || (asked && (a->question == 401 || a->question == 403)))
		check_says(ret, CHECK_FAILS,
		    "%s: %s refuses the key (HTTP %d); correct the key in %s, not address or model", p->name,
		    p->base_url, worst, keyed ? p->api_key_env : "vlm.api_key_env");
	else if (asked && nothing_there(a->question))
		check_says(ret, CHECK_FAILS,
		    "%s: there is nothing at %s%.*s (HTTP %d); correct the address, not key or model "
		    "(vlm.base_url; most end in /v1)",
		    p->name, p->base_url, (int)strcspn(path, "%"), path, a->question);
	else if (a->list == 429)
		check_says(ret, CHECK_WARNS,
		    "%s: %s takes no more requests for now, or the account has no credit (HTTP 429)", p->name,
		    p->base_url);
	else if (a->list >= 500)
		check_says(ret, CHECK_WARNS, "%s: %s has trouble of its own (HTTP %d)", p->name, p->base_url,
		    a->list);
	else if (asked)
		check_says(ret, CHECK_WARNS,
		    "%s: %s answers, but has no list of models (HTTP %d): whether it knows '%s' is not "
		    "checked ('cairn ask --yes' asks it for real)",
		    p->name, p->base_url, a->list, p->model);
	else if (a->list >= 400)
		check_says(ret, CHECK_WARNS, "%s: %s answers with HTTP %d", p->name, p->base_url, a->list);
	else if (nothing_there(a->model))
		check_says(ret, CHECK_WARNS,
		    "%s: %s answers%s, but has no page about the model '%s' (HTTP %d); correct vlm.model, "
		    "not "
		    "key or address, unless this service has no such pages ('cairn ask --yes' asks it for "
		    "real)",
		    p->name, p->base_url, keyed ? " and takes the key" : "", p->model, a->model);
	else
		check_says(ret, CHECK_OK, "%s answers at %s%s", p->name, p->base_url,
		    keyed ? " and takes the key" : "");
}

static void call(const struct doctor *d, const struct cairn_profile *p, struct check_result *ret)
{
	const char *key = p->api_key_env[0] != '\0' ? getenv(p->api_key_env) : "";
	const struct cairn_provider *format = cairn_provider_find(p->format);
	struct cairn_lineup one = {.count = 1, .rows = {*p}};
	struct cairn_error err = {""};
	*ret = (struct check_result){.level = CHECK_OK};
	if (cairn_profile_url_is_pilot(p->base_url)) {
		check_says(ret, CHECK_SKIPPED, "%s: the scripted pilot is started by 'cairn up'", p->name);
		return;
	}
	struct http *http = http_new(NULL, &d->ctx.cfg->vlm, &one, &key, &err);
	if (http == NULL) {
		check_says(ret, CHECK_FAILS, "%s: %s", p->name, err.text);
		return;
	}
	struct answers a = {.list = ask(http, p, "/models", false)};
	if (a.list > 0 && a.list < 400)
		a.model = ask(http, p, "/models/%s", false);
	else if (nothing_there(a.list))
		a.question = ask(http, p, format->path, true);
	judge(p, format->path, &a, ret);
	http_destroy(&http);
}

static void call_all(struct doctor *d)
{
	struct cairn_lineup lineup;
	struct check_result result = {.level = CHECK_OK};
	struct cairn_error err = {""};
	if (cli_value(d->cli, "dry") != NULL || d->failed ||
	    !cairn_lineup_load(&lineup, &d->ctx.cfg->vlm, &err)) {
		check_says(&result, CHECK_SKIPPED, "nobody is called%s",
		    d->failed ? " before the rest is mended" : " (--dry)");
		tell(d, "calls", &result);
		return;
	}
	for (uint32_t i = 0; i < cairn_lineup_rows(&lineup); i++) {
		call(d, &lineup.rows[i], &result);
		tell(d, "calls", &result);
	}
}

/* ---- the whole ---- */

static void check_configuration(struct doctor *d, const struct up_options *options, char *share, size_t bytes)
{
	struct check_result result = {.level = CHECK_OK};
	struct cairn_error err = {""};
	const struct cairn_config_layers *layers = &options->layers;
	if (!up_config(d->ctx.cfg, options, share, bytes, &err))
		check_says(&result, CHECK_FAILS, "%s", err.text);
	else
		check_says(&result, CHECK_OK, "%s",
		    layers->file_count > 0 ? layers->files[layers->file_count - 1] : "defaults");
	tell(d, "config", &result);
}

static void check_run_dir(struct doctor *d)
{
	struct check_result result = {.level = CHECK_OK};
	struct cairn_error err = {""};
	char lock[CLI_RUN_DIR_MAX + 16];
	snprintf(lock, sizeof(lock), "%s/up.lock", d->ctx.run_dir);
	d->ctx.running = cairn_lockfile_held(lock);
	if (!up_run_dir_fits(d->ctx.run_dir, &err))
		check_says(&result, CHECK_FAILS, "%s", err.text);
	else
		check_says(
		    &result, CHECK_OK, "%s%s", d->ctx.run_dir, d->ctx.running ? ", where a stack runs" : "");
	tell(d, "run", &result);
}

int cli_doctor(const struct cli *cli)
{
	static struct cairn_config cfg;
	char share[4096] = "";
	struct up_options options = {.layers = cli_layers(cli), .world = cli_value(cli, "world")};
	struct doctor d = {.cli = cli, .ctx = {.cfg = &cfg, .share = share, .run_dir = cli->run_dir}};
	if (cli->json)
		printf("{\"checks\":[");
	check_configuration(&d, &options, share, sizeof(share));
	if (!d.failed) {
		check_run_dir(&d);
		for (int i = 0; i < check_row_count; i++) {
			struct check_result result;
			check_run(&check_rows[i], &d.ctx, &result);
			tell(&d, check_rows[i].name, &result);
		}
		call_all(&d);
	}
	if (cli->json)
		printf("],\"passed\":%s}\n", d.failed ? "false" : "true");
	return d.failed ? CLI_USAGE : CLI_OK;
}
