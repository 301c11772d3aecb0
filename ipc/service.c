/* service.c - commands: a service answers them, cairn_ask gives one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "ipc/bus_private.h"
#include "ipc/commands.h"
#include "ipc/trust.h"

#define COMMAND_BYTES 8192 /* the largest command has a twentieth of it: who sends more is cut off */
#define REQUESTS_MAX 32    /* answered in one go: a flood of them must not keep a stage from its work */
#define PARTS_MAX 8        /* of a routed request: addresses, an empty delimiter, the payload */

void cairn_server_free(struct cairn_server *server)
{
	if (server->socket != NULL)
		zmq_close(server->socket);
	if (server->lock_fd >= 0)
		close(server->lock_fd);
	free(server);
}

struct cairn_server *cairn_server_new(struct cairn_bus *bus, enum cairn_service service, cairn_command_fn *fn,
    void *ctx, struct cairn_error *err)
{
	char ep[CAIRN_ENDPOINT_MAX];
	if (!cairn_bus_endpoint(bus->dir, cairn_services[service].name, NULL, ep, err))
		return NULL;
	struct cairn_server *server = calloc(1, sizeof(*server));
	if (server == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	*server = (struct cairn_server){
	    .bus = bus, .service = service, .fn = fn, .ctx = ctx, .epoch = cairn_bus_epoch()};
	server->lock_fd = cairn_bus_lock(ep, err);
	if (server->lock_fd < 0) {
		cairn_server_free(server);
		return NULL;
	}
	server->socket = zmq_socket(bus->zmq, ZMQ_ROUTER);
	if (server->socket != NULL) {
		int64_t max = COMMAND_BYTES;
		cairn_bus_limit(server->socket, CAIRN_HWM_EVERY);
		(void)zmq_setsockopt(server->socket, ZMQ_MAXMSGSIZE, &max, sizeof(max));
	}
	if (server->socket == NULL || !cairn_bus_bind(server->socket, ep, &server->bound, err)) {
		cairn_server_free(server);
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

/* Its sender was told that nobody answers and may have gone near the robot since: nothing may begin to move
 * on its behalf now. A stop is never too late. */
static bool too_late(const struct cairn_msg_command *cmd)
{
	return cmd->expires_ns != 0 && cairn_bus_now_ns() > cmd->expires_ns && strcmp(cmd->verb, "stop") != 0;
}

/* Puts in front of what the sender says of itself what the kernel says of it: libzmq gives the credentials of
 * the other end of a local socket as "localhost:UID:GID:PID". A key is named by the remote stage, which has
 * checked it; any local process may name one, so its own credentials stand beside it. */
static void sign(struct cairn_msg_command *cmd, const char *peer)
{
	char claim[sizeof(cmd->who)], by[40] = "unknown";
	unsigned uid = 0, pid = 0;
	memcpy(claim, cmd->who, sizeof(claim));
	if (peer != NULL && sscanf(peer, "%*[^:]:%u:%*u:%u", &uid, &pid) == 2)
		snprintf(by, sizeof(by), "uid %u, pid %u", uid, pid);
	if (cmd->key[0] != '\0')
		snprintf(cmd->who, sizeof(cmd->who), "key %.31s by %.31s: %.20s", cmd->key, by, claim);
	else
		snprintf(cmd->who, sizeof(cmd->who), "%.31s: %.60s", by, claim);
}

static void tell_done(
    struct cairn_server *server, const struct cairn_msg_command *cmd, const struct cairn_msg_reply *reply)
{
	struct cairn_msg_commanded done = {.id = ++server->commands, .ok = reply->ok};
	if (server->done_fn == NULL)
		return;
	snprintf(done.service, sizeof(done.service), "%s", cairn_services[server->service].name);
	snprintf(done.verb, sizeof(done.verb), "%s", cmd->verb);
	snprintf(done.arg, sizeof(done.arg), "%.95s", cmd->arg);
	if (strcmp(cmd->verb, "goto") == 0 && cmd->arg[0] == '\0') /* a place by name is told by its name */
		snprintf(done.arg, sizeof(done.arg), "%.2f %.2f", cmd->x_m, cmd->y_m);
	snprintf(done.who, sizeof(done.who), "%s", cmd->who);
	snprintf(done.text, sizeof(done.text), "%.159s", reply->text);
	server->done_fn(server->done_ctx, &done);
}

/* The folder of the sockets keeps other users out; where somebody has opened it, they still may stop the robot and nothing
 * else. */
static void decide(struct cairn_server *server, struct cairn_msg_command *cmd, const char *peer,
    struct cairn_msg_reply *reply)
{
	uid_t me = geteuid();
	long uid = -1;
	if (strcmp(cmd->verb, "stop") != 0 && !cairn_peer_trusted(peer, me, me, &uid)) {
		server->bus->rejects++;
		snprintf(reply->text, sizeof(reply->text),
		    "user %ld is neither the stack's own (uid %u) nor root: only stops are taken", uid,
		    (unsigned)me);
		return;
	}
	if (cairn_command_find(server->service, cmd->verb) == NULL) {
		server->bus->rejects++;
		snprintf(reply->text, sizeof(reply->text), "there is no command '%s' of %s", cmd->verb,
		    cairn_services[server->service].name);
	} else if (too_late(cmd)) {
		server->bus->rejects++;
		snprintf(reply->text, sizeof(reply->text), "came too late to be done");
	} else {
		server->fn(server->ctx, cmd, reply);
	}
}

static void serve_one(struct cairn_server *server, zmq_msg_t *parts, int n)
{
	struct cairn_bus *bus = server->bus;
	struct cairn_msg_command cmd;
	struct cairn_msg_reply reply = {0};
	struct cairn_header hdr;
	struct cairn_error err = {""};
	zmq_msg_t *payload = &parts[n - 1];
	bool understood = cairn_msg_decode(&cairn_desc_command, zmq_msg_data(payload), zmq_msg_size(payload),
			      &hdr, &cmd, &err) == 0;
	const char *peer = zmq_msg_gets(payload, "Peer-Address");
	if (understood) {
		sign(&cmd, peer);
		decide(server, &cmd, peer, &reply);
	} else {
		bus->rejects++;
		snprintf(reply.text, sizeof(reply.text), "not understood: %.200s", err.text);
	}
	hdr = (struct cairn_header){
	    CAIRN_SCHEMA_VERSION, ++server->seq, server->epoch, cairn_bus_now_ns(), true};
	int len = cairn_msg_encode(&cairn_desc_reply, "reply", &hdr, &reply, bus->buf, sizeof(bus->buf));
	for (int i = 0; i < n - 1; i++) /* the way back: addresses and a REQ socket's delimiter */
		(void)zmq_msg_send(&parts[i], server->socket, ZMQ_SNDMORE | ZMQ_DONTWAIT);
	(void)zmq_send(server->socket, bus->buf, len > 0 ? (size_t)len : 0, ZMQ_DONTWAIT);
	if (understood)
		tell_done(server, &cmd, &reply);
}

void cairn_server_on_done(struct cairn_server *server, cairn_commanded_fn *fn, void *ctx)
{
	server->done_fn = fn;
	server->done_ctx = ctx;
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

/* ---- asking ---- */

struct cairn_client *cairn_client_new(
    struct cairn_bus *bus, enum cairn_service service, struct cairn_error *err)
{
	char ep[CAIRN_ENDPOINT_MAX];
	int immediate = 1; /* nothing waits for a stage that is not there */
	if (!cairn_bus_endpoint(bus->dir, cairn_services[service].name, NULL, ep, err))
		return NULL;
	struct cairn_client *client = calloc(1, sizeof(*client));
	if (client == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	*client = (struct cairn_client){.bus = bus, .service = service, .epoch = cairn_bus_epoch()};
	client->socket = zmq_socket(bus->zmq, ZMQ_DEALER);
	if (client->socket != NULL) {
		cairn_bus_limit(client->socket, CAIRN_HWM_EVERY);
		(void)zmq_setsockopt(client->socket, ZMQ_IMMEDIATE, &immediate, sizeof(immediate));
	}
	if (client->socket == NULL || zmq_connect(client->socket, ep) != 0) {
		cairn_error_set(err, "%s: %s", ep, zmq_strerror(zmq_errno()));
		if (client->socket != NULL)
			zmq_close(client->socket);
		free(client);
		return NULL;
	}
	client->next = bus->clients;
	bus->clients = client;
	return client;
}

void *cairn_client_socket(struct cairn_client *client)
{
	return client->socket;
}

int cairn_client_send(struct cairn_client *client, uint64_t tag, const struct cairn_msg_command *cmd)
{
	struct cairn_bus *bus = client->bus;
	struct cairn_header hdr = {
	    CAIRN_SCHEMA_VERSION, ++client->seq, client->epoch, cairn_bus_now_ns(), true};
	int n = cairn_msg_encode(
	    &cairn_desc_command, cairn_services[client->service].name, &hdr, cmd, bus->buf, sizeof(bus->buf));
	if (n < 0)
		return n;
	if (zmq_send(client->socket, &tag, sizeof(tag), ZMQ_SNDMORE | ZMQ_DONTWAIT) < 0 ||
	    zmq_send(client->socket, bus->buf, (size_t)n, ZMQ_DONTWAIT) < 0)
		return -zmq_errno();
	return 0;
}

int cairn_client_recv(struct cairn_client *client, uint64_t *ret_tag, struct cairn_msg_reply *reply)
{
	zmq_msg_t parts[PARTS_MAX];
	uid_t me = geteuid();
	int n, taken = 0;
	while (taken == 0 && (n = recv_parts(client->socket, parts)) > 0) {
		struct cairn_header hdr;
		struct cairn_msg_reply r;
		if (n == 2 && zmq_msg_size(&parts[0]) == sizeof(*ret_tag) &&
		    cairn_peer_trusted(zmq_msg_gets(&parts[1], "Peer-Address"), me, me, NULL) &&
		    cairn_msg_decode(&cairn_desc_reply, zmq_msg_data(&parts[1]), zmq_msg_size(&parts[1]),
			&hdr, &r, NULL) == 0) {
			memcpy(ret_tag, zmq_msg_data(&parts[0]), sizeof(*ret_tag));
			*reply = r;
			taken = 1;
		} else {
			client->bus->rejects++;
		}
		for (int i = 0; i < n; i++)
			zmq_msg_close(&parts[i]);
	}
	return taken;
}

/* An answer counts only if whoever has bound the socket is who should have: anybody can say "stopped". */
static int take_answer(
    void *socket, const char *name, uid_t owner, struct cairn_msg_reply *reply, struct cairn_error *err)
{
	zmq_msg_t msg;
	struct cairn_header hdr;
	long uid = -1;
	int r = -EBADMSG;
	zmq_msg_init(&msg);
	if (zmq_msg_recv(&msg, socket, ZMQ_DONTWAIT) < 0) {
		cairn_error_set(err, "%s: an answer that is no answer", name);
	} else if (!cairn_peer_trusted(zmq_msg_gets(&msg, "Peer-Address"), geteuid(), owner, &uid)) {
		r = -EACCES;
		cairn_error_set(err,
		    "%s: answered by user %ld, which is not the robot's: nothing was done there. "
		    "If it drives, cut its power",
		    name, uid);
	} else {
		r = cairn_msg_decode(
		    &cairn_desc_reply, zmq_msg_data(&msg), zmq_msg_size(&msg), &hdr, reply, err);
	}
	zmq_msg_close(&msg);
	return r;
}

static int ask_on(void *socket, const char *name, uid_t owner, const struct cairn_msg_command *cmd,
    struct cairn_msg_reply *reply, int timeout_ms, struct cairn_error *err)
{
	char buf[4096];
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, cairn_bus_epoch(), cairn_bus_now_ns(), true};
	struct cairn_msg_command timed = *cmd;
	timed.expires_ns = hdr.t_ns + timeout_ms * CAIRN_NS_PER_MS;
	int n = cairn_msg_encode(&cairn_desc_command, name, &hdr, &timed, buf, sizeof(buf));
	zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
	if (n < 0 || zmq_send(socket, buf, (size_t)n, ZMQ_DONTWAIT) < 0 ||
	    zmq_poll(&item, 1, timeout_ms) <= 0) {
		cairn_error_set(err, "%s: no answer within %d ms", name, timeout_ms);
		return -ETIMEDOUT;
	}
	return take_answer(socket, name, owner, reply, err);
}

int cairn_ask(const char *run_dir, enum cairn_service service, const struct cairn_msg_command *cmd,
    struct cairn_msg_reply *reply, int timeout_ms, struct cairn_error *err)
{
	char dir[CAIRN_IPC_PATH_MAX + 1], ep[CAIRN_ENDPOINT_MAX];
	const char *name = cairn_services[service].name;
	int n = snprintf(dir, sizeof(dir), "%s/bus", run_dir);
	if (n < 0 || (size_t)n >= sizeof(dir)) {
		cairn_error_set(err, "run directory '%s' is too long for sockets", run_dir);
		return -ENAMETOOLONG;
	}
	if (!cairn_bus_endpoint(dir, name, NULL, ep, err))
		return -ENAMETOOLONG;
	void *ctx = zmq_ctx_new();
	void *socket = ctx != NULL ? zmq_socket(ctx, ZMQ_DEALER) : NULL;
	int r = -ENOMEM;
	if (socket == NULL)
		cairn_error_set(err, "ZeroMQ: %s", zmq_strerror(zmq_errno()));
	if (socket != NULL) {
		cairn_bus_limit(socket, CAIRN_HWM_EVERY);
		r = zmq_connect(socket, ep) == 0 ? ask_on(socket, name, cairn_dir_owner(run_dir, geteuid()),
						       cmd, reply, timeout_ms, err)
						 : -zmq_errno();
		zmq_close(socket);
	}
	if (ctx != NULL)
		zmq_ctx_term(ctx);
	return r;
}
