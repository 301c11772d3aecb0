/* web - the page, WebSocket and HTTP for browsers and programs (docs/web.md).
 *
 * Nothing depends on it: it may be killed, flooded or hang, and the others do not notice. They talk to each other over sockets of
 * their own. */
#include "procs/web/web.h"

#define TICK_MS 50

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
	web->frames_fd = web->listen_fd = web->subs_timer_fd = web->subs.epoll_fd = -1;
	cairn_bus_be_patient(cairn_stage_bus(stage));
	web->teleop = cairn_stage_publish(stage, CAIRN_TOPIC_TELEOP);
	if (!hub_open(web, err) || !orders_open(web, err) || !web_open(web, err))
		return false;
	past_open(web);
	replay_open(web);
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

static const struct cairn_port ports[] = {
    {CAIRN_PORT_EVERY(TICK_MS, viewers_on_tick)},
    {CAIRN_PORT_EVERY(TICK_MS, foxglove_on_tick)},
    {CAIRN_PORT_EVERY(TICK_MS, http_on_tick)},
    {CAIRN_PORT_EVERY(TICK_MS, orders_on_tick)},
    {CAIRN_PORT_EVERY(TICK_MS, pictures_on_tick)},
    {CAIRN_PORT_EVERY(5 * TICK_MS, hub_on_tick)},
    {CAIRN_PORT_EVERY(5 * TICK_MS, logs_on_tick)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-web", "page, WebSocket and HTTP", struct web, .open = open_all, .ports = ports,
    .run = run, .close = close_all, .nice = 10)
