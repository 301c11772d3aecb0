/* web - the page, WebSocket and HTTP for browsers and programs (docs/web.md).
 *
 * Nothing depends on it: it may be killed, flooded or hang, and the others do not notice. They talk to each other over sockets of
 * their own. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "procs/web/web.h"

#define NICE 10 /* whatever comes from outside must not take time from the others */
#define TICK_MS 50

void web_replied(struct web *web, const struct web_asker *asker, enum web_verdict verdict, const char *text)
{
	if (asker->http) {
		http_replied(web, asker, verdict, text);
	} else {
		viewer_replied(web, asker, verdict == WEB_DONE, text);
		foxglove_replied(web, asker, verdict == WEB_DONE, text);
	}
}

static void name_token_file(struct web *web)
{
	const struct cairn_config *cfg = cairn_stage_config(web->stage);
	if (cfg->web.token_file[0] != '\0')
		snprintf(web->token_file, sizeof(web->token_file), "%s", cfg->web.token_file);
	else
		snprintf(web->token_file, sizeof(web->token_file), "%s/state/web.tokens",
		    cairn_stage_run_dir(web->stage));
}

static int run(void *ctx)
{
	struct web *web = ctx;
	int r = cairn_stage_turn(web->stage);
	while (r >= 0 && !cairn_stage_ending(web->stage)) {
		if (lws_service(web->lws, 0) < 0)
			return -1;
		if (!web->stage_due)
			continue;
		web->stage_due = false;
		r = cairn_stage_turn(web->stage);
	}
	return r;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct web *web = ctx;
	web->stage = stage;
	web->cfg = &cairn_stage_config(stage)->web;
	web->frames_fd = web->listen_fd = web->subs_timer_fd = web->subs.epoll_fd = -1;
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	name_token_file(web);
	cairn_bus_be_patient(cairn_stage_bus(stage));
	web->teleop = cairn_stage_publish(stage, CAIRN_TOPIC_TELEOP);
	if (!hub_open(web, err) || !orders_open(web, err) || !web_open(web, err))
		return false;
	past_open(web);
	replay_open(web);
	cairn_stage_every(stage, TICK_MS, viewers_on_tick, web);
	cairn_stage_every(stage, TICK_MS, foxglove_on_tick, web);
	cairn_stage_every(stage, TICK_MS, http_on_tick, web);
	cairn_stage_every(stage, TICK_MS, orders_on_tick, web);
	cairn_stage_every(stage, TICK_MS, pictures_on_tick, web);
	cairn_stage_every(stage, 5 * TICK_MS, hub_on_tick, web);
	cairn_stage_every(stage, 5 * TICK_MS, logs_on_tick, web);
	return true;
}

static void close_all(void *ctx)
{
	struct web *web = ctx;
	web_close(web);
	web_blob_drop(&web->channels);
	pictures_close(web);
	past_close(web);
	hub_close(web);
}

CAIRN_STAGE_MAIN(
    "cairn-web", "page, WebSocket and HTTP", struct web, .open = open_all, .run = run, .close = close_all)
