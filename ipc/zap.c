#include "ipc/zap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#define ENDPOINT "inproc://zeromq.zap.01"
#define PARTS_MAX 8 /* version, request id, domain, address, identity, mechanism, credentials */
#define PART_BYTES 256
#define SERVED_MAX 64

enum { VERSION, REQUEST, DOMAIN, ADDRESS, IDENTITY, MECHANISM, CREDENTIALS, PARTS };

struct cairn_zap {
	void *socket;
	const struct cairn_allow *allow;
	cairn_zap_fn *fn;
	void *ctx;
	char parts[PARTS_MAX][PART_BYTES];
	int lengths[PARTS_MAX];
};

struct cairn_zap *cairn_zap_new(
    void *zmq, const struct cairn_allow *allow, cairn_zap_fn *fn, void *ctx, struct cairn_error *err)
{
	struct cairn_zap *zap = calloc(1, sizeof(*zap));
	int linger = 0;
	if (zap != NULL)
		zap->socket = zmq_socket(zmq, ZMQ_REP);
	if (zap == NULL || zap->socket == NULL ||
	    zmq_setsockopt(zap->socket, ZMQ_LINGER, &linger, sizeof(linger)) != 0 ||
	    zmq_bind(zap->socket, ENDPOINT) != 0) {
		cairn_error_set(err, ENDPOINT ": %s", zmq_strerror(zmq_errno()));
		cairn_zap_destroy(&zap);
		return NULL;
	}
	zap->allow = allow;
	zap->fn = fn;
	zap->ctx = ctx;
	return zap;
}

void cairn_zap_destroy(struct cairn_zap **zap_p)
{
	struct cairn_zap *zap = *zap_p;
	if (zap == NULL)
		return;
	if (zap->socket != NULL)
		zmq_close(zap->socket);
	free(zap);
	*zap_p = NULL;
}

void *cairn_zap_socket(struct cairn_zap *zap)
{
	return zap->socket;
}

const char *cairn_zap_judge(const struct cairn_allow *allow, const char *domain, const char *mechanism,
    const uint8_t *key, size_t key_bytes, const struct cairn_allow_row **ret_row)
{
	char text[CAIRN_KEY_TEXT];
	if (strcmp(mechanism, "CURVE") != 0)
		return "not encrypted";
	if (key_bytes != 32 || zmq_z85_encode(text, key, 32) == NULL)
		return "no key";
	const struct cairn_allow_row *row = cairn_allow_by_key(allow, text);
	if (row == NULL)
		return "its key is not on the list";
	if (allow->stops_only && strcmp(domain, CAIRN_ZAP_COMMAND) != 0)
		return "the list of keys cannot be read: only stops are taken";
	enum cairn_right needed =
	    strcmp(domain, CAIRN_ZAP_COMMAND) == 0 ? CAIRN_RIGHT_ANY : CAIRN_RIGHT_WATCH;
	if (!cairn_rights_allow(row->rights, needed))
		return "its key may not watch";
	*ret_row = row;
	return NULL;
}

/* All parts of one request, each with a NUL behind it; their number, 0 = none waits. */
static int recv_request(struct cairn_zap *zap)
{
	int n = 0, more = 1;
	size_t size = sizeof(more);
	while (more != 0) {
		char spare[PART_BYTES];
		char *part = n < PARTS_MAX ? zap->parts[n] : spare;
		int len = zmq_recv(zap->socket, part, PART_BYTES - 1, ZMQ_DONTWAIT);
		if (len < 0)
			return n;
		len = len < PART_BYTES ? len : PART_BYTES - 1;
		part[len] = '\0';
		if (n < PARTS_MAX)
			zap->lengths[n] = len;
		n++;
		if (zmq_getsockopt(zap->socket, ZMQ_RCVMORE, &more, &size) != 0)
			more = 0;
	}
	return n;
}

static void answer(struct cairn_zap *zap, const char *user, const char *reason)
{
	const char *parts[] = {"1.0", zap->parts[REQUEST], reason == NULL ? "200" : "400",
	    reason == NULL ? "OK" : reason, user, ""};
	int lengths[] = {3, zap->lengths[REQUEST], 3, (int)strlen(parts[3]), (int)strlen(user), 0};
	for (int i = 0; i < 6; i++)
		(void)zmq_send(zap->socket, parts[i], (size_t)lengths[i], i < 5 ? ZMQ_SNDMORE : 0);
}

void cairn_zap_serve(struct cairn_zap *zap)
{
	for (int k = 0; k < SERVED_MAX; k++) {
		int n = recv_request(zap);
		if (n == 0)
			return;
		const struct cairn_allow_row *row = NULL;
		const char *reason = "not a request of version 1.0";
		if (n >= CREDENTIALS && strcmp(zap->parts[VERSION], "1.0") == 0)
			reason = cairn_zap_judge(zap->allow, zap->parts[DOMAIN], zap->parts[MECHANISM],
			    (const uint8_t *)zap->parts[CREDENTIALS],
			    n > CREDENTIALS ? (size_t)zap->lengths[CREDENTIALS] : 0, &row);
		answer(zap, row != NULL ? row->public_key : "", reason);
		if (zap->fn != NULL)
			zap->fn(zap->ctx, n > ADDRESS ? zap->parts[ADDRESS] : "",
			    row != NULL ? row->name : "", reason);
	}
}
