#include "ipc/bus.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus_private.h"
#include "ipc/lockfile.h"

/* A reader that is sent more than its socket takes never connects again (libzmq 4.3.4 takes it for an error
 * of the protocol): so the socket takes more than any message has, and what is too large for one is refused
 * and counted like other rubbish. */
#define FOREIGN_MAX (16 * 1024 * 1024)
/* What a publisher takes: handshakes (some 40 bytes) and subscriptions, which are empty here. libzmq walks
 * all that its readers have asked for whenever one of them goes, a step a byte. */
#define SUBSCRIPTION_MAX 256
#define RECONNECT_MS 20      /* a reborn publisher is heard again within this */
#define RECONNECT_MAX_MS 100 /* while it is away: ten cheap connects a second */
#define RECONNECT_PATIENT_MS 1000

#define AGAIN_MAX 64 /* each leaves a listener behind: then somebody means it */

struct cairn_pub {
	struct cairn_bus *bus;
	struct cairn_bound bound;
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

uint64_t cairn_bus_epoch(void)
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

int64_t cairn_bus_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

bool cairn_bus_endpoint(const char *dir, const char *name, const char *instance, char ret[CAIRN_ENDPOINT_MAX],
    struct cairn_error *err)
{
	int n = snprintf(ret, CAIRN_ENDPOINT_MAX, "ipc://%s/%s%s%s", dir, name, instance != NULL ? "." : "",
	    instance != NULL ? instance : "");
	if (n < 0 || (size_t)n >= CAIRN_ENDPOINT_MAX || n - 6 > CAIRN_IPC_PATH_MAX) {
		cairn_error_set(err,
		    "run directory '%s' is too long for a socket (at most %d bytes with '/%s')", dir,
		    CAIRN_IPC_PATH_MAX, name);
		errno = ENAMETOOLONG;
		return false;
	}
	return true;
}

int cairn_bus_lock(const char *endpoint, struct cairn_error *err)
{
	char path[CAIRN_IPC_PATH_MAX + 16];
	snprintf(path, sizeof(path), "%s.lock", endpoint + strlen("ipc://"));
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

void cairn_bus_limit(void *socket, int hwm)
{
	int64_t max = CAIRN_MESSAGE_MAX;
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

void cairn_bus_be_patient(struct cairn_bus *bus)
{
	bus->patient = true;
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

/* libzmq closes in a thread of its own and may unlink the socket's file then. A lock that was free before that
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
	for (struct cairn_client *c = bus->clients; c != NULL; c = c->next)
		zmq_close(c->socket);
	for (struct cairn_intake *i = bus->intakes; i != NULL; i = i->next) {
		zmq_close(i->socket);
		i->socket = NULL;
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
		cairn_server_free(s);
	}
	for (struct cairn_client *c = bus->clients, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	for (struct cairn_intake *i = bus->intakes, *next; i != NULL; i = next) {
		next = i->next;
		cairn_intake_free(i);
	}
	free(bus);
	*bus_p = NULL;
}

/* ---- the folder ---- */

bool cairn_bus_fits(const char *run_dir, struct cairn_error *err)
{
	static const char longest[] = "/bus/heartbeat.0123456789abcdef"; /* no stage has a longer name */
	size_t room = CAIRN_IPC_PATH_MAX - (sizeof(longest) - 1);
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
	int dir_fd =
	    open(dir_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* a link could lead anywhere */
	DIR *dir = dir_fd >= 0 ? fdopendir(dir_fd) : NULL;
	if (dir == NULL) {
		if (dir_fd >= 0)
			close(dir_fd);
		return;
	}
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

/* ---- endpoints ---- */

static const char *path_of(const char *endpoint)
{
	return endpoint + strlen("ipc://");
}

bool cairn_bus_bind(void *socket, const char *endpoint, struct cairn_bound *ret, struct cairn_error *err)
{
	struct stat st;
	if (zmq_bind(socket, endpoint) != 0) {
		cairn_error_set(err, "%s: %s", endpoint, zmq_strerror(zmq_errno()));
		return false;
	}
	snprintf(ret->endpoint, sizeof(ret->endpoint), "%s", endpoint);
	bool there = stat(path_of(endpoint), &st) == 0;
	ret->dev = there ? st.st_dev : 0;
	ret->ino = there ? st.st_ino : 0;
	ret->made = there ? st.st_ctim : (struct timespec){0};
	return true;
}

static bool is_ours(const struct cairn_bound *b)
{
	struct stat st;
	return stat(path_of(b->endpoint), &st) == 0 && st.st_dev == b->dev && st.st_ino == b->ino &&
	       st.st_ctim.tv_sec == b->made.tv_sec && st.st_ctim.tv_nsec == b->made.tv_nsec;
}

/* libzmq takes a path from whoever has it, and what is left of it when its taker ends is nobody's. Bound once more on the
 * same socket: readers that are connected stay so. */
static bool hold(void *socket, struct cairn_bound *b, const char **ret_first)
{
	struct cairn_error ignored;
	char endpoint[CAIRN_ENDPOINT_MAX];
	if (is_ours(b))
		return false;
	if (*ret_first == NULL)
		*ret_first = strrchr(b->endpoint, '/') + 1;
	memcpy(endpoint, b->endpoint, sizeof(endpoint));
	if (b->again < AGAIN_MAX && cairn_bus_bind(socket, endpoint, b, &ignored))
		b->again++;
	return true;
}

int cairn_bus_hold(struct cairn_bus *bus, const char **ret_first)
{
	int taken = 0;
	*ret_first = NULL;
	for (struct cairn_pub *p = bus->pubs; p != NULL; p = p->next)
		taken += hold(p->socket, &p->bound, ret_first);
	for (struct cairn_server *s = bus->servers; s != NULL; s = s->next)
		taken += hold(s->socket, &s->bound, ret_first);
	for (struct cairn_intake *i = bus->intakes; i != NULL; i = i->next)
		taken += hold(i->socket, &i->bound, ret_first);
	return taken;
}

/* ---- publishing ---- */

struct cairn_pub *cairn_pub_new(
    struct cairn_bus *bus, enum cairn_topic topic, const char *instance, struct cairn_error *err)
{
	char ep[CAIRN_ENDPOINT_MAX];
	const struct cairn_topic_row *row = &cairn_topics[topic];
	if (!cairn_bus_endpoint(bus->dir, row->name, instance, ep, err))
		return NULL;
	struct cairn_pub *pub = calloc(1, sizeof(*pub));
	if (pub == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	pub->bus = bus;
	pub->topic = topic;
	pub->epoch = cairn_bus_epoch();
	pub->lock_fd = cairn_bus_lock(ep, err);
	if (pub->lock_fd < 0) {
		int saved = errno;
		pub_free(pub);
		errno = saved;
		return NULL;
	}
	pub->socket = zmq_socket(bus->zmq, ZMQ_PUB);
	if (pub->socket != NULL) {
		int64_t max = SUBSCRIPTION_MAX;
		cairn_bus_limit(
		    pub->socket, row->mode == CAIRN_MODE_EVERY ? CAIRN_HWM_EVERY : CAIRN_HWM_LATEST);
		(void)zmq_setsockopt(pub->socket, ZMQ_MAXMSGSIZE, &max, sizeof(max));
		/* On this side too: a full pipe would drop the newest message, not the oldest. */
		set_int(pub->socket, ZMQ_CONFLATE, row->mode == CAIRN_MODE_LATEST);
	}
	if (pub->socket == NULL || !cairn_bus_bind(pub->socket, ep, &pub->bound, err)) {
		pub_free(pub);
		return NULL;
	}
	pub->next = bus->pubs;
	bus->pubs = pub;
	return pub;
}

/* Readers give room back as they read, but a sending libzmq looks for it once in a millisecond or so: without
 * this a reader that keeps up loses what a quick publisher sends between two looks beyond the mark. */
static void take_room_given_back(struct cairn_pub *pub)
{
	int events;
	size_t size = sizeof(events);
	(void)zmq_getsockopt(pub->socket, ZMQ_EVENTS, &events, &size);
}

int cairn_pub_send(struct cairn_pub *pub, const void *msg, int64_t t_ns, bool valid)
{
	struct cairn_bus *bus = pub->bus;
	const struct cairn_topic_row *row = &cairn_topics[pub->topic];
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, ++pub->seq, pub->epoch, t_ns, valid};
	int n = cairn_msg_encode(row->desc, row->name, &hdr, msg, bus->buf, sizeof(bus->buf));
	if (n < 0)
		return n;
	if (row->mode == CAIRN_MODE_EVERY)
		take_room_given_back(pub);
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
	char ep[CAIRN_ENDPOINT_MAX];
	const struct cairn_topic_row *row = &cairn_topics[topic];
	if (!cairn_bus_endpoint(bus->dir, row->name, instance, ep, err))
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
		int64_t max = FOREIGN_MAX;
		cairn_bus_limit(
		    sub->socket, row->mode == CAIRN_MODE_EVERY ? CAIRN_HWM_EVERY : CAIRN_HWM_LATEST);
		(void)zmq_setsockopt(sub->socket, ZMQ_MAXMSGSIZE, &max, sizeof(max));
		if (bus->patient)
			set_int(sub->socket, ZMQ_RECONNECT_IVL_MAX, RECONNECT_PATIENT_MS);
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

void cairn_sub_destroy(struct cairn_sub **sub_p)
{
	struct cairn_sub *sub = *sub_p;
	if (sub == NULL)
		return;
	struct cairn_sub **place = &sub->bus->subs;
	while (*place != sub)
		place = &(*place)->next;
	*place = sub->next;
	sub_free(sub);
	*sub_p = NULL;
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
