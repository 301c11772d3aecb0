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

static void on_probed(void *ctx, uint32_t index, int status)
{
	(void)index;
	*(int *)ctx = status;
}

/* HTTP status of a GET of path; 0: no answer. */
static int get(struct http *http, const struct cairn_profile *p, const char *path)
{
	char url[CAIRN_CONFIG_TEXT_CAP * 2];
	int status = 0;
	http_listen(http, NULL, on_probed, &status);
	if (cairn_provider_url(url, sizeof(url), p, path, 0) && http_probe(http, 0, url))
		http_wait(http);
	return status;
}

static void judge(const struct cairn_profile *p, int status, int model_status, struct check_result *ret)
{
	if (status == 0)
		check_says(ret, CHECK_FAILS,
		    "%s: %s does not answer within 5 s; is the address right (vlm.base_url), and the network "
		    "up?",
		    p->name, p->base_url);
	else if (status == 401 || status == 403)
		check_says(ret, CHECK_FAILS, "%s: %s refuses the key (HTTP %d); correct %s", p->name,
		    p->base_url, status, p->api_key_env[0] != '\0' ? p->api_key_env : "vlm.api_key_env");
	else if (status >= 400)
		check_says(ret, CHECK_WARNS, "%s: %s answers with HTTP %d", p->name, p->base_url, status);
	else if (model_status == 404)
		check_says(ret, CHECK_WARNS,
		    "%s: %s has no page about the model '%s'; if it does not know it, correct vlm.model "
		    "('cairn ask "
		    "--yes' asks it for real)",
		    p->name, p->base_url, p->model);
	else
		check_says(ret, CHECK_OK, "%s answers at %s%s", p->name, p->base_url,
		    p->api_key_env[0] != '\0' ? " and takes the key" : "");
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
	int status = get(http, p, format->probe_path);
	int model_status = status > 0 && status < 400 ? get(http, p, "/models/%s") : 0;
	judge(p, status, model_status, ret);
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
	if (!up_config(d->ctx.cfg, options, share, bytes, &err))
		check_says(&result, CHECK_FAILS, "%s", err.text);
	else
		check_says(&result, CHECK_OK, "%s",
		    options->config_file != NULL ? options->config_file : "defaults");
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
	struct up_options options = {
	    .config_file = cli_value(cli, "config"), .world = cli_value(cli, "world")};
	struct doctor d = {.cli = cli, .ctx = {.cfg = &cfg, .share = share, .run_dir = cli->run_dir}};
	options.sets = cli_values(cli, "set", &options.set_count);
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
