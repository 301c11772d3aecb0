/* remote - operators on other machines: commands and topics over TCP, encrypted, for the keys of a list.
 *
 * Off unless remote.endpoint is set. Whatever happens here (floods, lost connections, the death of this process), the stages on
 * the way to the wheels do not notice: they talk to each other over their own sockets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/remote/remote.h"

#define TICK_MS 100
#define LIST_MS 1000
#define NICE 10
#define HANDSHAKE_MS 3000 /* who has not shown a key by then is cut off */
#define BACKLOG 16
#define WATCHER_HWM 64
#define REFUSED_LOG_NS CAIRN_NS_PER_S

static void set_int(void *socket, int option, int value)
{
	(void)zmq_setsockopt(socket, option, &value, sizeof(value));
}

void *remote_bind(struct remote *r, int type, const char *domain, const char *url, int64_t message_max,
    struct cairn_error *err)
{
	void *s = zmq_socket(r->zmq, type);
	if (s != NULL) {
		set_int(s, ZMQ_LINGER, 0);
		set_int(s, ZMQ_SNDHWM, WATCHER_HWM);
		set_int(s, ZMQ_RCVHWM, WATCHER_HWM);
		set_int(s, ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS);
		set_int(s, ZMQ_BACKLOG, BACKLOG);
		set_int(s, ZMQ_HEARTBEAT_IVL, 2000);
		set_int(s, ZMQ_HEARTBEAT_TIMEOUT, 6000);
		set_int(s, ZMQ_IPV6, 1);
		if (type == ZMQ_XPUB)
			set_int(s, ZMQ_XPUB_MANUAL, 1);
		(void)zmq_setsockopt(s, ZMQ_MAXMSGSIZE, &message_max, sizeof(message_max));
	}
	int server = 1;
	if (s != NULL && zmq_setsockopt(s, ZMQ_ZAP_DOMAIN, domain, strlen(domain)) == 0 &&
	    zmq_setsockopt(s, ZMQ_CURVE_SERVER, &server, sizeof(server)) == 0 &&
	    zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, r->key.secret_key, CAIRN_KEY_TEXT) == 0 &&
	    zmq_bind(s, url) == 0)
		return s;
	cairn_error_set(err, "remote.endpoint: %s: %s", url, zmq_strerror(zmq_errno()));
	if (s != NULL)
		zmq_close(s);
	return NULL;
}

void remote_refused(struct remote *r, const char *who, const char *why)
{
	int64_t now_ns = cairn_now_ns();
	cairn_stage_count_reject(r->stage);
	r->refused_logged++;
	if (r->refused_log_ns != 0 && now_ns - r->refused_log_ns < REFUSED_LOG_NS)
		return;
	r->refused_log_ns = now_ns;
	cairn_log_warn(
	    "refused (%llu so far), the last: %s: %s", (unsigned long long)r->refused_logged, who, why);
}

static void on_connection(void *ctx, const char *address, const char *name, const char *reason)
{
	struct remote *r = ctx;
	if (reason != NULL)
		remote_refused(r, address, reason);
	else
		cairn_log_info("key %s is connected from %s", name, address);
}

static int on_zap(void *ctx)
{
	struct remote *r = ctx;
	cairn_zap_serve(r->zap);
	return 0;
}

/* ---- the list ---- */

/* Read anew once a second whatever its stamps say: it is small, and a change within the grain of the clock counts too. */
static bool read_list(struct remote *r)
{
	struct cairn_error err = {""};
	struct cairn_allow list = {0};
	enum cairn_allow_state state = cairn_allow_read(r->cfg->allow_file, &list, &err);
	cairn_stage_tried(r->stage, "let operators in", state == CAIRN_ALLOW_NOBODY ? err.text : NULL);
	cairn_stage_tried(
	    r->stage, "take more than stops", state == CAIRN_ALLOW_UNREADABLE ? err.text : NULL);
	return cairn_allow_take(&r->allow, state, &list);
}

static int on_list(void *ctx)
{
	struct remote *r = ctx;
	if (!read_list(r))
		return 0;
	cairn_remote_gate_init(&r->gate, &r->allow, r->cfg->commands_per_s,
	    r->cfg->files_kb_per_s * 1e3 / CAIRN_REMOTE_PIECE_BYTES);
	watchers_reset(r);
	cairn_log_info("the list of keys has changed: %d are let in%s", r->allow.count,
	    r->allow.stops_only ? ", for stops only" : "");
	return 0;
}

/* ---- the whole ---- */

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct remote *r = ctx;
	r->stage = stage;
	r->cfg = &cairn_stage_config(stage)->remote;
	(void)setpriority(
	    PRIO_PROCESS, 0, NICE); /* whatever comes from outside must not take time from the others */
	const char *declared = cairn_stage_config(r->stage)->external.topics;
	if (!cairn_key_load(r->cfg->key_file, true, &r->key, err) ||
	    !cairn_external_load(&r->declared, declared, err))
		return false;
	(void)read_list(r); /* without one nobody is let in, until there is one */
	cairn_remote_gate_init(&r->gate, &r->allow, r->cfg->commands_per_s,
	    r->cfg->files_kb_per_s * 1e3 / CAIRN_REMOTE_PIECE_BYTES);
	r->zmq = zmq_ctx_new();
	if (r->zmq == NULL) {
		cairn_error_set(err, "ZeroMQ: %s", zmq_strerror(zmq_errno()));
		return false;
	}
	r->zap =
	    cairn_zap_new(r->zmq, &r->allow, on_connection, r, err); /* before the first socket is bound */
	if (r->zap == NULL)
		return false;
	cairn_stage_watch_socket(r->stage, cairn_zap_socket(r->zap), on_zap, r);
	cairn_stage_tell_commands(r->stage);
	if (!relay_open(r, err) || !watchers_open(r, err))
		return false;
	cairn_stage_every(stage, TICK_MS, relay_on_tick, r);
	cairn_stage_every(stage, TICK_MS, watchers_on_tick, r);
	cairn_stage_every(stage, LIST_MS, on_list, r);
	cairn_log_info("%d keys are let in", r->allow.count);
	return true;
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

CAIRN_STAGE_MAIN(
    "cairn-remote", "operators on other machines", struct remote, .open = open_all, .close = close_all)
