#include "ipc/remote.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus_private.h"

#define URL_BYTES 256
#define GREETING_MS 2000
#define WAIT_MS 50 /* while the robot gives no more pieces */

/* A socket and what it tells of refused handshakes. */
struct line {
	void *socket, *monitor;
	bool refused;
};

struct cairn_remote {
	void *zmq;
	char watch_url[URL_BYTES + 8];
	struct cairn_key key;
	struct line command, watch; /* DEALER; SUB, opened when something is watched */
	char buf[CAIRN_MESSAGE_MAX];
};

bool cairn_remote_endpoint(const char *url, char *watch, size_t watch_bytes, struct cairn_error *err)
{
	const char *colon = strrchr(url, ':');
	char *end = NULL;
	long port = colon != NULL ? strtol(colon + 1, &end, 10) : 0;
	if (strncmp(url, "tcp://", 6) != 0 || colon <= url + 6 || end == colon + 1 || *end != '\0' ||
	    port < 1 || port > 65534 || strlen(url) >= URL_BYTES) {
		cairn_error_set(err, "'%.80s' must be tcp://ADDRESS:PORT, PORT from 1 to 65534", url);
		return false;
	}
	return snprintf(watch, watch_bytes, "%.*s:%ld", (int)(colon - url), url, port + 1) < (int)watch_bytes;
}

static void set_int(void *socket, int option, int value)
{
	(void)zmq_setsockopt(socket, option, &value, sizeof(value));
}

static void close_line(struct line *line)
{
	void *sockets[] = {line->socket, line->monitor};
	for (int i = 0; i < 2; i++) {
		if (sockets[i] != NULL) {
			set_int(sockets[i], ZMQ_LINGER, 0);
			zmq_close(sockets[i]);
		}
	}
	*line = (struct line){NULL, NULL, false};
}

static bool open_line(
    struct cairn_remote *remote, struct line *line, int type, const char *url, struct cairn_error *err)
{
	const struct cairn_key *key = &remote->key;
	const char *monitor = type == ZMQ_SUB ? "inproc://monitor-watch" : "inproc://monitor-command";
	void *s = line->socket = zmq_socket(remote->zmq, type);
	line->monitor = zmq_socket(remote->zmq, ZMQ_PAIR);
	if (s != NULL) {
		cairn_bus_limit(s, CAIRN_HWM_EVERY);
		set_int(s, ZMQ_CONNECT_TIMEOUT, 3000);
		set_int(s, ZMQ_HEARTBEAT_IVL, 2000);
		set_int(s, ZMQ_HEARTBEAT_TIMEOUT, 6000);
	}
	if (s != NULL && line->monitor != NULL &&
	    zmq_setsockopt(s, ZMQ_CURVE_SERVERKEY, key->robot_key, CAIRN_KEY_TEXT) == 0 &&
	    zmq_setsockopt(s, ZMQ_CURVE_PUBLICKEY, key->public_key, CAIRN_KEY_TEXT) == 0 &&
	    zmq_setsockopt(s, ZMQ_CURVE_SECRETKEY, key->secret_key, CAIRN_KEY_TEXT) == 0 &&
	    zmq_socket_monitor(
		s, monitor, ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) == 0 &&
	    zmq_connect(line->monitor, monitor) == 0 && zmq_connect(s, url) == 0)
		return true;
	cairn_error_set(err, "%s: %s", url, zmq_strerror(zmq_errno()));
	close_line(line);
	return false;
}

struct cairn_remote *cairn_remote_open(const char *url, const struct cairn_key *key, struct cairn_error *err)
{
	char watch_url[URL_BYTES + 8];
	if (!cairn_remote_endpoint(url, watch_url, sizeof(watch_url), err))
		return NULL;
	if (key->secret_key[0] == '\0' || key->robot_key[0] == '\0') {
		cairn_error_set(
		    err, "the key must hold its secret and the robot's public key (keygen --robot)");
		return NULL;
	}
	struct cairn_remote *remote = calloc(1, sizeof(*remote));
	if (remote == NULL || (remote->zmq = zmq_ctx_new()) == NULL) {
		cairn_error_set(err, "out of memory");
		free(remote);
		return NULL;
	}
	remote->key = *key;
	memcpy(remote->watch_url, watch_url, sizeof(watch_url));
	if (!open_line(remote, &remote->command, ZMQ_DEALER, url, err))
		cairn_remote_close(&remote);
	return remote;
}

void cairn_remote_close(struct cairn_remote **remote_p)
{
	struct cairn_remote *remote = *remote_p;
	if (remote == NULL)
		return;
	close_line(&remote->command);
	close_line(&remote->watch);
	zmq_ctx_term(remote->zmq);
	explicit_bzero(&remote->key, sizeof(remote->key));
	free(remote);
	*remote_p = NULL;
}

/* Waits until the socket is readable. 1, 0 at the end of the time, -EACCES. */
static int wait_for(struct line *line, int64_t end_ns)
{
	zmq_pollitem_t items[] = {
	    {.socket = line->socket, .events = ZMQ_POLLIN}, {.socket = line->monitor, .events = ZMQ_POLLIN}};
	for (;;) {
		int64_t left_ns = end_ns - cairn_bus_now_ns();
		int r = zmq_poll(items, 2, left_ns > 0 ? (long)(left_ns / CAIRN_NS_PER_MS) + 1 : 0);
		char event[512];
		while (zmq_recv(line->monitor, event, sizeof(event), ZMQ_DONTWAIT) >= 0)
			line->refused = true; /* whatever the event */
		if (r > 0 && items[0].revents != 0)
			return 1;
		if (line->refused)
			return -EACCES;
		if (r < 0 || left_ns <= 0)
			return 0;
	}
}

/* What is behind the answer, into buf; the bytes of it. */
static int take_rest(struct cairn_remote *remote, char *buf, size_t bytes)
{
	int more = 0, n = 0;
	size_t size = sizeof(more);
	while (zmq_getsockopt(remote->command.socket, ZMQ_RCVMORE, &more, &size) == 0 && more != 0) {
		int m = zmq_recv(remote->command.socket, buf, bytes, ZMQ_DONTWAIT);
		n = m >= 0 && (size_t)m <= bytes ? m : -1;
	}
	return n;
}

/* One request and its answer; *ret_hdr is that of the answer. */
static int exchange(struct cairn_remote *remote, const char *name, const struct cairn_msg_command *cmd,
    struct cairn_header *ret_hdr, struct cairn_msg_reply *reply, int64_t end_ns, struct cairn_error *err)
{
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, cairn_bus_epoch(), cairn_bus_now_ns(), true};
	int n = cairn_msg_encode(&cairn_desc_command, name, &hdr, cmd, remote->buf, sizeof(remote->buf));
	if (n < 0)
		return n;
	int r = -ETIMEDOUT;
	if (zmq_send(remote->command.socket, name, strlen(name), ZMQ_SNDMORE) >= 0 &&
	    zmq_send(remote->command.socket, remote->buf, (size_t)n, 0) >= 0)
		r = wait_for(&remote->command, end_ns);
	if (r == -EACCES)
		cairn_error_set(err, "the robot refuses the key: it is not on its list");
	else if (r != 1)
		cairn_error_set(err, "the robot does not answer, or has another key than the file says");
	if (r != 1)
		return r == 0 ? -ETIMEDOUT : r;
	n = zmq_recv(remote->command.socket, remote->buf, sizeof(remote->buf), ZMQ_DONTWAIT);
	if (n < 0 || (size_t)n > sizeof(remote->buf)) {
		cairn_error_set(err, "an answer that is no answer");
		return -EBADMSG;
	}
	return cairn_msg_decode(&cairn_desc_reply, remote->buf, (size_t)n, ret_hdr, reply, err);
}

/* Its errno goes with a refusal: the text alone would be no reason that a program can act on. */
static int refusal(const struct cairn_msg_reply *reply, struct cairn_error *err)
{
	int why = 0, skip = 0;
	(void)sscanf(reply->text, "%d %n", &why, &skip);
	cairn_error_set(err, "%s", reply->text + skip);
	return why > 0 && why < 4096 ? -why : -EACCES;
}

int cairn_remote_fetch(struct cairn_remote *remote, const char *name, uint64_t at, char *buf,
    struct cairn_remote_piece *ret, int timeout_ms, struct cairn_error *err)
{
	struct cairn_header hdr;
	struct cairn_msg_reply reply;
	struct cairn_msg_command cmd = {.x_m = (double)at, .verb = "read"};
	int64_t end_ns = cairn_bus_now_ns() + timeout_ms * CAIRN_NS_PER_MS;
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", name);
	for (;;) {
		int r = exchange(remote, CAIRN_REMOTE_FILES, &cmd, &hdr, &reply, end_ns, err);
		int n = r == 0 ? take_rest(remote, buf, CAIRN_REMOTE_PIECE_BYTES) : 0;
		unsigned long long size, file;
		double written_unix_s;
		if (r != 0)
			return r;
		if (!reply.ok && strcmp(reply.text, "wait") == 0 && cairn_bus_now_ns() < end_ns) {
			(void)poll(NULL, 0, WAIT_MS);
			continue;
		}
		if (!reply.ok)
			return refusal(&reply, err);
		if (n < 0 || sscanf(reply.text, "%llu %llu %lf", &size, &file, &written_unix_s) != 3) {
			cairn_error_set(err, "an answer that is no answer");
			return -EBADMSG;
		}
		*ret = (struct cairn_remote_piece){size, file, written_unix_s, (size_t)n};
		return 0;
	}
}

int cairn_remote_ask(struct cairn_remote *remote, enum cairn_service service,
    const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply, int timeout_ms,
    struct cairn_error *err)
{
	struct cairn_header hdr;
	struct cairn_msg_command timed = *cmd;
	if (strcmp(cmd->verb, "stop") != 0) { /* which does not wait for a clock */
		struct cairn_msg_command greeting = {.limit_s = 0.0};
		int r = exchange(remote, "", &greeting, &hdr, reply,
		    cairn_bus_now_ns() + GREETING_MS * CAIRN_NS_PER_MS, err);
		if (r != 0)
			return r;
		timed.expires_ns = hdr.t_ns + timeout_ms * CAIRN_NS_PER_MS;
	}
	return exchange(remote, cairn_services[service].name, &timed, &hdr, reply,
	    cairn_bus_now_ns() + timeout_ms * CAIRN_NS_PER_MS, err);
}

bool cairn_remote_watch(struct cairn_remote *remote, const char *topic, struct cairn_error *err)
{
	char filter[64];
	if (remote->watch.socket == NULL &&
	    !open_line(remote, &remote->watch, ZMQ_SUB, remote->watch_url, err))
		return false;
	int n = snprintf(filter, sizeof(filter), "%s:", topic);
	if (n < (int)sizeof(filter) &&
	    zmq_setsockopt(remote->watch.socket, ZMQ_SUBSCRIBE, filter, (size_t)n) == 0)
		return true;
	cairn_error_set(err, "%.40s: cannot be watched", topic);
	return false;
}

int cairn_remote_recv(
    struct cairn_remote *remote, char name[CAIRN_KEY_TEXT], const void **ret_bytes, int timeout_ms)
{
	int64_t end_ns = cairn_bus_now_ns() + timeout_ms * CAIRN_NS_PER_MS;
	for (;;) {
		int r = wait_for(&remote->watch, end_ns);
		if (r <= 0)
			return r;
		int n = zmq_recv(remote->watch.socket, name, CAIRN_KEY_TEXT, ZMQ_DONTWAIT), more = 0;
		size_t size = sizeof(more);
		(void)zmq_getsockopt(remote->watch.socket, ZMQ_RCVMORE, &more, &size);
		int m = more != 0
			    ? zmq_recv(remote->watch.socket, remote->buf, sizeof(remote->buf), ZMQ_DONTWAIT)
			    : -1;
		if (n < 1 || n >= CAIRN_KEY_TEXT || m < 1 || (size_t)m > sizeof(remote->buf))
			continue;
		name[n - 1] = '\0'; /* the colon */
		*ret_bytes = remote->buf;
		return m;
	}
}
