/* remote - operators on other machines: commands and topics over TCP, encrypted, for the keys of a list.
 *
 * Off unless remote.endpoint is set. Whatever happens here (floods, lost connections, the death of this process), the stages on
 * the way to the wheels do not notice: they talk to each other over their own sockets. */
#include <string.h>
#include <zmq.h>

#include "procs/remote/remote.h"

#define TICK_MS 100

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct remote *r = ctx;
	r->zmq = zmq_ctx_new();
	if (r->zmq == NULL) {
		cairn_error_set(err, "ZeroMQ: %s", zmq_strerror(zmq_errno()));
		return false;
	}
	if (!list_open(r, err) || !cairn_external_load(&r->declared, r->cfg->external.topics, err))
		return false;
	cairn_stage_tell_commands(stage);
	return relay_open(r, err) && watchers_open(r, err);
}

static void begin(void *ctx)
{
	const struct remote *r = ctx;
	cairn_log_info("%d keys are let in", r->allow.count);
}

static void close_all(void *ctx)
{
	struct remote *r = ctx;
	if (r->commands != NULL)
		zmq_close(r->commands);
	if (r->topics != NULL)
		zmq_close(r->topics);
	cairn_zap_destroy(&r->zap);
	if (r->zmq != NULL)
		zmq_ctx_term(r->zmq);
	explicit_bzero(&r->key, sizeof(r->key));
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_EVERY(TICK_MS, relay_on_tick)},
    {CAIRN_PORT_EVERY(TICK_MS, watchers_on_tick)},
    {CAIRN_PORT_EVERY(1000, list_on_second)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-remote", "operators on other machines", struct remote, .open = open_all,
    .ports = ports, .begin = begin, .close = close_all, .nice = 10)
