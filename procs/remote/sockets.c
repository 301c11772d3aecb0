/* sockets.c - sockets that the network reaches: encrypted, bounded, and what is refused there. */
#include <string.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "procs/remote/remote.h"

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
