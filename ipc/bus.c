#include "ipc/bus.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/lockfile.h"

#define MESSAGE_MAX (256 * 1024) /* the largest scan is 84 kB */
#define IPC_PATH_MAX 107         /* sockaddr_un */
#define HWM_EVERY 200
#define HWM_LATEST 4
#define RECONNECT_MS 20      /* a reborn publisher is heard again within this */
#define RECONNECT_MAX_MS 100 /* while it is away: ten cheap connects a second */
#define REQUESTS_MAX 32      /* answered in one go: a flood of them must not keep a stage from its work */
#define PARTS_MAX 8          /* of a routed request: addresses, an empty delimiter, the payload */

struct cairn_pub {
	struct cairn_bus *bus;
	struct cairn_pub *next;
	enum cairn_topic topic;
	void *socket;
	int lock_fd;
	uint64_t epoch, seq;
};

struct cairn_sub {
	struct cairn_bus *bus;
	struct cairn_sub *next;
	enum cairn_topic topic;
	void *socket;
	void *scratch; /* one message struct: a broken message must not touch the caller's */
};

struct cairn_server {
	struct cairn_bus *bus;
	struct cairn_server *next;
	void *socket;
	int lock_fd;
	uint64_t epoch, seq;
	cairn_command_fn *fn;
	void *ctx;
};

struct cairn_bus {
	void *zmq;
	char dir[IPC_PATH_MAX + 1];
	uint64_t rejects;
	struct cairn_pub *pubs;
	struct cairn_sub *subs;
	struct cairn_server *servers;
	char buf[MESSAGE_MAX];
};

/* Below 2^53, so that JSON readers take it for the same number. Never 0. */
static uint64_t random_epoch(void)
{
	uint64_t e = 0;
	if (getrandom(&e, sizeof(e), GRND_NONBLOCK) != (ssize_t)sizeof(e)) {
		struct timespec t;
		clock_gettime(CLOCK_MONOTONIC, &t);
		e = ((uint64_t)getpid() << 40) ^ (uint64_t)(t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec) ^ 1u;
	}
	e &= (UINT64_C(1) << 53) - 1;
	return e != 0 ? e : 1;
}

/* "ipc://RUN/bus/NAME[.INSTANCE]"; false when the path does not fit a socket address. */
static bool endpoint(const char *dir, const char *name, const char *instance, char *ret, size_t ret_bytes,
    struct cairn_error *err)
{
	int n = snprintf(ret, ret_bytes, "ipc://%s/%s%s%s", dir, name, instance != NULL ? "." : "",
	    instance != NULL ? instance : "");
	if (n < 0 || (size_t)n >= ret_bytes || n - 6 > IPC_PATH_MAX) {
		cairn_error_set(err,
		    "run directory '%s' is too long for a socket (at most %d bytes with '/%s')", dir,
		    IPC_PATH_MAX, name);
		errno = ENAMETOOLONG;
		return false;
	}
	return true;
}

/* The lock beside the socket: libzmq would let a second publisher bind the same path in silence. */
static int take_lock(const char *ep, struct cairn_error *err)
{
	char path[IPC_PATH_MAX + 16];
	snprintf(path, sizeof(path), "%s.lock", ep + strlen("ipc://"));
	int fd = cairn_lockfile_take(path, err);
	if (fd == -EADDRINUSE)
		cairn_error_set(
		    err, "%s: another process publishes this (pid %d)", path, cairn_lockfile_owner(path));
	if (fd < 0)
		errno = -fd;
	return fd < 0 ? -1 : fd;
}

static void set_int(void *socket, int option, int value)
{
	(void)zmq_setsockopt(socket, option, &value, sizeof(value));
}

static void set_common(void *socket, int hwm)
{
	int64_t max = MESSAGE_MAX;
	set_int(socket, ZMQ_LINGER, 0);
	set_int(socket, ZMQ_SNDHWM, hwm);
	set_int(socket, ZMQ_RCVHWM, hwm);
	set_int(socket, ZMQ_RECONNECT_IVL, RECONNECT_MS);
	set_int(socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_MAX_MS);
	(void)zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &max, sizeof(max));
}

struct cairn_bus *cairn_bus_new(const char *run_dir, struct cairn_error *err)
{
	struct cairn_bus *bus = calloc(1, sizeof(*bus));
	if (bus == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	int n = snprintf(bus->dir, sizeof(bus->dir), "%s/bus", run_dir);
	if (n < 0 || (size_t)n >= sizeof(bus->dir)) {
		cairn_error_set(err, "run directory '%s' is too long for sockets", run_dir);
		free(bus);
		return NULL;
	}
	bus->zmq = zmq_ctx_new();
	if (bus->zmq == NULL) {
		cairn_error_set(err, "ZeroMQ: %s", zmq_strerror(zmq_errno()));
		free(bus);
		return NULL;
	}
	return bus;
}

static void pub_free(struct cairn_pub *pub)
{
	if (pub->socket != NULL)
		zmq_close(pub->socket);
	if (pub->lock_fd >= 0)
		close(pub->lock_fd);
	free(pub);
}

static void sub_free(struct cairn_sub *sub)
{
	if (sub->socket != NULL)
		zmq_close(sub->socket);
	free(sub->scratch);
	free(sub);
}

static void server_free(struct cairn_server *server)
{
	if (server->socket != NULL)
		zmq_close(server->socket);
	if (server->lock_fd >= 0)
		close(server->lock_fd);
	free(server);
}

/* libzmq closes in a thread of its own and unlinks the socket's file then. A lock that was free before that
 * would let a successor bind in between and lose its file to us; so they are released last. */
static void close_sockets(struct cairn_bus *bus)
{
	for (struct cairn_pub *p = bus->pubs; p != NULL; p = p->next) {
		zmq_close(p->socket);
		p->socket = NULL;
	}
	for (struct cairn_sub *s = bus->subs; s != NULL; s = s->next) {
		zmq_close(s->socket);
		s->socket = NULL;
	}
	for (struct cairn_server *s = bus->servers; s != NULL; s = s->next) {
		zmq_close(s->socket);
		s->socket = NULL;
	}
	zmq_ctx_term(bus->zmq);
}

void cairn_bus_destroy(struct cairn_bus **bus_p)
{
	struct cairn_bus *bus = *bus_p;
	if (bus == NULL)
		return;
	close_sockets(bus);
	for (struct cairn_pub *p = bus->pubs, *next; p != NULL; p = next) {
		next = p->next;
		pub_free(p);
	}
	for (struct cairn_sub *s = bus->subs, *next; s != NULL; s = next) {
		next = s->next;
		sub_free(s);
	}
	for (struct cairn_server *s = bus->servers, *next; s != NULL; s = next) {
		next = s->next;
		server_free(s);
	}
	free(bus);
	*bus_p = NULL;
}

/* ---- the folder ---- */

bool cairn_bus_fits(const char *run_dir, struct cairn_error *err)
{
	static const char longest[] = "/bus/heartbeat.0123456789abcdef"; /* no stage has a longer name */
	size_t room = IPC_PATH_MAX - (sizeof(longest) - 1);
	if (strlen(run_dir) <= room)
		return true;
	cairn_error_set(err, "the run directory is too long for sockets (%zu bytes, at most %zu): %s",
	    strlen(run_dir), room, run_dir);
	return false;
}

static bool is_lock(const char *name)
{
	size_t len = strlen(name);
	return len > 5 && strcmp(name + len - 5, ".lock") == 0;
}

void cairn_bus_clean(const char *run_dir)
{
	char dir_path[512], path[1024];
	snprintf(dir_path, sizeof(dir_path), "%s/bus", run_dir);
	DIR *dir = opendir(dir_path);
	if (dir == NULL)
		return;
	struct dirent *entry;
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || is_lock(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s.lock", dir_path, entry->d_name);
		struct cairn_error ignored;
		int fd = cairn_lockfile_take(path, &ignored);
		if (fd < 0)
			continue; /* somebody lives there */
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
		(void)unlink(path);
		close(fd);
	}
	rewinddir(dir);
	while ((entry = readdir(dir)) != NULL) { /* locks whose socket is gone already */
		snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
		if (is_lock(entry->d_name))
			(void)cairn_lockfile_remove(path);
	}
	closedir(dir);
}

uint64_t cairn_bus_rejects(const struct cairn_bus *bus)
{
	return bus->rejects;
}

/* ---- publishing ---- */

struct cairn_pub *cairn_pub_new(
    struct cairn_bus *bus, enum cairn_topic topic, const char *instance, struct cairn_error *err)
{
	char ep[IPC_PATH_MAX + 16];
	const struct cairn_topic_row *row = &cairn_topics[topic];
	if (!endpoint(bus->dir, row->name, instance, ep, sizeof(ep), err))
		return NULL;
	struct cairn_pub *pub = calloc(1, sizeof(*pub));
	if (pub == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	pub->bus = bus;
	pub->topic = topic;
	pub->epoch = random_epoch();
	pub->lock_fd = take_lock(ep, err);
	if (pub->lock_fd < 0) {
		int saved = errno;
		pub_free(pub);
		errno = saved;
		return NULL;
	}
	pub->socket = zmq_socket(bus->zmq, ZMQ_PUB);
	if (pub->socket != NULL) {
		set_common(pub->socket, row->mode == CAIRN_MODE_EVERY ? HWM_EVERY : HWM_LATEST);
		/* On this side too: a full pipe would drop the newest message, not the oldest. */
		set_int(pub->socket, ZMQ_CONFLATE, row->mode == CAIRN_MODE_LATEST);
	}
	if (pub->socket == NULL || zmq_bind(pub->socket, ep) != 0) {
		cairn_error_set(err, "%s: %s", ep, zmq_strerror(zmq_errno()));
		pub_free(pub);
		return NULL;
	}
	pub->next = bus->pubs;
	bus->pubs = pub;
	return pub;
}

int cairn_pub_send(struct cairn_pub *pub, const void *msg, int64_t t_ns, bool valid)
{
	struct cairn_bus *bus = pub->bus;
	const struct cairn_topic_row *row = &cairn_topics[pub->topic];
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, ++pub->seq, pub->epoch, t_ns, valid};
	int n = cairn_msg_encode(row->desc, row->name, &hdr, msg, bus->buf, sizeof(bus->buf));
	if (n < 0)
		return n;
	if (zmq_send(pub->socket, bus->buf, (size_t)n, ZMQ_DONTWAIT) < 0)
		return -zmq_errno();
	return 0;
}

uint64_t cairn_pub_epoch(const struct cairn_pub *pub)
{
	return pub->epoch;
}

/* ---- subscribing ---- */

struct cairn_sub *cairn_sub_new(
    struct cairn_bus *bus, enum cairn_topic topic, const char *instance, struct cairn_error *err)
{
	char ep[IPC_PATH_MAX + 16];
	const struct cairn_topic_row *row = &cairn_topics[topic];
	if (!endpoint(bus->dir, row->name, instance, ep, sizeof(ep), err))
		return NULL;
	struct cairn_sub *sub = calloc(1, sizeof(*sub));
	if (sub != NULL)
		sub->scratch = calloc(1, row->desc->size);
	if (sub == NULL || sub->scratch == NULL) {
		cairn_error_set(err, "bus: out of memory");
		free(sub);
		return NULL;
	}
	sub->bus = bus;
	sub->topic = topic;
	sub->socket = zmq_socket(bus->zmq, ZMQ_SUB);
	if (sub->socket != NULL) {
		set_common(sub->socket, row->mode == CAIRN_MODE_EVERY ? HWM_EVERY : HWM_LATEST);
		set_int(sub->socket, ZMQ_CONFLATE, row->mode == CAIRN_MODE_LATEST);
		(void)zmq_setsockopt(sub->socket, ZMQ_SUBSCRIBE, "", 0);
	}
	if (sub->socket == NULL || zmq_connect(sub->socket, ep) != 0) {
		cairn_error_set(err, "%s: %s", ep, zmq_strerror(zmq_errno()));
		sub_free(sub);
		return NULL;
	}
	sub->next = bus->subs;
	bus->subs = sub;
	return sub;
}

int cairn_sub_recv(struct cairn_sub *sub, void *msg, struct cairn_header *hdr)
{
	const struct cairn_topic_row *row = &cairn_topics[sub->topic];
	for (;;) {
		int n = zmq_recv(sub->socket, sub->bus->buf, sizeof(sub->bus->buf), ZMQ_DONTWAIT);
		if (n < 0)
			return 0;
		struct cairn_header h;
		if ((size_t)n <= sizeof(sub->bus->buf) &&
		    cairn_msg_decode(row->desc, sub->bus->buf, (size_t)n, &h, sub->scratch, NULL) == 0) {
			memcpy(msg, sub->scratch, row->desc->size);
			if (hdr != NULL)
				*hdr = h;
			return 1;
		}
		sub->bus->rejects++;
	}
}

void *cairn_sub_socket(struct cairn_sub *sub)
{
	return sub->socket;
}

enum cairn_topic cairn_sub_topic(const struct cairn_sub *sub)
{
	return sub->topic;
}

/* ---- asking ---- */

struct cairn_server *cairn_server_new(struct cairn_bus *bus, enum cairn_service service, cairn_command_fn *fn,
    void *ctx, struct cairn_error *err)
{
	char ep[IPC_PATH_MAX + 16];
	if (!endpoint(bus->dir, cairn_services[service].name, NULL, ep, sizeof(ep), err))
		return NULL;
	struct cairn_server *server = calloc(1, sizeof(*server));
	if (server == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	*server = (struct cairn_server){.bus = bus, .fn = fn, .ctx = ctx, .epoch = random_epoch()};
	server->lock_fd = take_lock(ep, err);
	if (server->lock_fd < 0) {
		server_free(server);
		return NULL;
	}
	server->socket = zmq_socket(bus->zmq, ZMQ_ROUTER);
	if (server->socket != NULL)
		set_common(server->socket, HWM_EVERY);
	if (server->socket == NULL || zmq_bind(server->socket, ep) != 0) {
		cairn_error_set(err, "%s: %s", ep, zmq_strerror(zmq_errno()));
		server_free(server);
		return NULL;
	}
	server->next = bus->servers;
	bus->servers = server;
	return server;
}

void *cairn_server_socket(struct cairn_server *server)
{
	return server->socket;
}

/* Receives all parts of one request; their number, 0 when none waits. Too many parts are drained and dropped.
 */
static int recv_parts(void *socket, zmq_msg_t *parts)
{
	int n = 0;
	bool more = true;
	while (more) {
		zmq_msg_t part;
		zmq_msg_init(&part);
		if (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) < 0) {
			zmq_msg_close(&part);
			break;
		}
		more = zmq_msg_more(&part) != 0;
		if (n == PARTS_MAX) {
			zmq_msg_close(&part);
			continue;
		}
		zmq_msg_init(&parts[n]);
		zmq_msg_move(&parts[n++], &part);
		zmq_msg_close(&part);
	}
	return n;
}

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* Its sender was told that nobody answers and may have gone near the robot since: nothing may begin to move
 * on its behalf now. A stop is never too late. */
static bool too_late(const struct cairn_msg_command *cmd)
{
	return cmd->expires_ns != 0 && monotonic_ns() > cmd->expires_ns && strcmp(cmd->verb, "stop") != 0;
}

static void serve_one(struct cairn_server *server, zmq_msg_t *parts, int n)
{
	struct cairn_bus *bus = server->bus;
	struct cairn_msg_command cmd;
	struct cairn_msg_reply reply = {0};
	struct cairn_header hdr;
	struct cairn_error err = {""};
	zmq_msg_t *payload = &parts[n - 1];
	if (cairn_msg_decode(
		&cairn_desc_command, zmq_msg_data(payload), zmq_msg_size(payload), &hdr, &cmd, &err) != 0) {
		bus->rejects++;
		snprintf(reply.text, sizeof(reply.text), "not understood: %.200s", err.text);
	} else if (too_late(&cmd)) {
		bus->rejects++;
		snprintf(reply.text, sizeof(reply.text), "came too late to be done");
	} else {
		server->fn(server->ctx, &cmd, &reply);
	}
	hdr = (struct cairn_header){CAIRN_SCHEMA_VERSION, ++server->seq, server->epoch, monotonic_ns(), true};
	int len = cairn_msg_encode(&cairn_desc_reply, "reply", &hdr, &reply, bus->buf, sizeof(bus->buf));
	for (int i = 0; i < n - 1; i++) /* the way back: addresses and a REQ socket's delimiter */
		(void)zmq_msg_send(&parts[i], server->socket, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	(void)zmq_send(server->socket, bus->buf, len > 0 ? (size_t)len : 0, ZMQ_DONTWAIT);
}

void cairn_server_serve(struct cairn_server *server)
{
	zmq_msg_t parts[PARTS_MAX];
	int n;
	for (int k = 0; k < REQUESTS_MAX && (n = recv_parts(server->socket, parts)) > 0; k++) {
		if (n >= 2 && n < PARTS_MAX)
			serve_one(server, parts, n);
		else
			server->bus->rejects++;
		for (int i = 0; i < n; i++)
			zmq_msg_close(&parts[i]);
	}
}

static int ask_on(void *socket, const char *name, const struct cairn_msg_command *cmd,
    struct cairn_msg_reply *reply, int timeout_ms, struct cairn_error *err)
{
	char buf[4096];
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, random_epoch(), monotonic_ns(), true};
	struct cairn_msg_command timed = *cmd;
	timed.expires_ns = hdr.t_ns + timeout_ms * CAIRN_NS_PER_MS;
	int n = cairn_msg_encode(&cairn_desc_command, name, &hdr, &timed, buf, sizeof(buf));
	zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
	if (n < 0 || zmq_send(socket, buf, (size_t)n, ZMQ_DONTWAIT) < 0 ||
	    zmq_poll(&item, 1, timeout_ms) <= 0) {
		cairn_error_set(err, "%s: no answer within %d ms", name, timeout_ms);
		return -ETIMEDOUT;
	}
	n = zmq_recv(socket, buf, sizeof(buf), 0);
	if (n < 0 || (size_t)n > sizeof(buf)) {
		cairn_error_set(err, "%s: an answer that is no answer", name);
		return -EBADMSG;
	}
	return cairn_msg_decode(&cairn_desc_reply, buf, (size_t)n, &hdr, reply, err);
}

int cairn_ask(const char *run_dir, enum cairn_service service, const struct cairn_msg_command *cmd,
    struct cairn_msg_reply *reply, int timeout_ms, struct cairn_error *err)
{
	char dir[IPC_PATH_MAX + 1], ep[IPC_PATH_MAX + 16];
	const char *name = cairn_services[service].name;
	int n = snprintf(dir, sizeof(dir), "%s/bus", run_dir);
	if (n < 0 || (size_t)n >= sizeof(dir)) {
		cairn_error_set(err, "run directory '%s' is too long for sockets", run_dir);
		return -ENAMETOOLONG;
	}
	if (!endpoint(dir, name, NULL, ep, sizeof(ep), err))
		return -ENAMETOOLONG;
	void *ctx = zmq_ctx_new();
	void *socket = ctx != NULL ? zmq_socket(ctx, ZMQ_DEALER) : NULL;
	int r = -ENOMEM;
	if (socket == NULL)
		cairn_error_set(err, "ZeroMQ: %s", zmq_strerror(zmq_errno()));
	if (socket != NULL) {
		set_common(socket, HWM_EVERY);
		r = zmq_connect(socket, ep) == 0 ? ask_on(socket, name, cmd, reply, timeout_ms, err)
						 : -zmq_errno();
		zmq_close(socket);
	}
	if (ctx != NULL)
		zmq_ctx_term(ctx);
	return r;
}
