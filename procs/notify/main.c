/* notify - tells a web address what happens: that the robot is done, is stuck, waits for a person. Nothing waits for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/secret.h"
#include "common/notify/notify_ports.h"
#include "procs/notify/webhook.h"
#include "procs/shell/stage.h"

#define STEP_MS 100

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_notify core;
	struct webhook *webhook;
	char body[CAIRN_NOTIFY_BODY_MAX];
};

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_notify *c = &app->core;
	struct cairn_error why = {""};
	int status;
	if (webhook_turn(app->webhook, &status, &why))
		cairn_notify_ended(c, status, why.text, cairn_now_ns());
	size_t n = cairn_notify_begin(c, cairn_now_ns(), cairn_unix_ns() - cairn_now_ns(), app->body);
	if (n > 0 && !webhook_post(app->webhook, app->body, n))
		cairn_notify_ended(c, 0, "no memory", cairn_now_ns());
	cairn_stage_tried(app->stage, "tell the web address what happens", c->told.trouble);
	cairn_stage_notef(app->stage, "%llu told, %u waiting, %llu lost", (unsigned long long)c->told.told,
	    c->told.waiting, (unsigned long long)c->told.lost);
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_NOTIFY, &c->told, false, cairn_now_ns());
	return 0;
}

/* To be freed by cairn_secret_free; NULL with the reason. */
static char *address(const struct cairn_config_notify *cfg, struct cairn_error *err)
{
	char *url = cfg->url_env[0] != '\0' ? cairn_secret_take(cfg->url_env) : strdup(cfg->url);
	if (url == NULL || url[0] == '\0')
		cairn_error_set(err, "notify.url_env: the environment has no %s", cfg->url_env);
	else if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
		cairn_error_set(err, "%s: it is no address that begins with https:// or http://",
		    cfg->url_env[0] != '\0' ? cfg->url_env : "notify.url");
	else
		return url;
	cairn_secret_free(&url);
	return NULL;
}

static bool open_webhook(struct app *app, const struct cairn_config_notify *cfg, struct cairn_error *err)
{
	const char *type =
	    cfg->format == CAIRN_CHOICE_NOTIFY_FORMAT_TEXT ? "text/plain; charset=utf-8" : "application/json";
	struct cairn_error why = {""};
	char *url = address(cfg, err), *auth = NULL;
	bool wants_auth = url != NULL && cfg->auth_env[0] != '\0';
	if (wants_auth)
		auth = cairn_secret_take(cfg->auth_env);
	if (wants_auth && auth == NULL)
		cairn_error_set(err, "notify.auth_env: the environment has no %s", cfg->auth_env);
	else if (url != NULL)
		app->webhook = webhook_new(url, type, auth, &why);
	if (why.text[0] != '\0')
		cairn_error_set(err, "notify.auth_env: %.100s: %.80s", cfg->auth_env, why.text);
	if (app->webhook != NULL && auth != NULL && strncmp(url, "https://", 8) != 0)
		cairn_log_warn(
		    "notify.auth_env: the address is http: what is secret goes over the network in clear");
	cairn_secret_free(&url); /* libcurl has copies of its own */
	cairn_secret_free(&auth);
	return app->webhook != NULL;
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	(void)stage;
	cairn_notify_init(&app->core, app->cfg);
	return open_webhook(app, &app->cfg->notify, err);
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	webhook_destroy(&app->webhook);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_notify_out)},
    {CAIRN_PORT_IN_PART(cairn_news_in, struct app, core.news)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-notify", "tells a web address what happens", struct app, .open = open_core,
    .ports = ports, .close = close_all)
