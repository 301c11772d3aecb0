/* intake.c - where programs outside hand in what they would publish. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>

#include "ipc/bus_private.h"

#define WAITING 64 /* messages of each sender that wait here; the next ones wait with it */

void cairn_intake_free(struct cairn_intake *intake)
{
	if (intake->socket != NULL)
		zmq_close(intake->socket);
	if (intake->lock_fd >= 0)
		close(intake->lock_fd);
	free(intake);
}

struct cairn_intake *cairn_intake_new(struct cairn_bus *bus, const char *name, struct cairn_error *err)
{
	char endpoint[CAIRN_ENDPOINT_MAX];
	if (!cairn_bus_endpoint(bus->dir, "in", name, endpoint, err))
		return NULL;
	struct cairn_intake *intake = calloc(1, sizeof(*intake));
	if (intake == NULL) {
		cairn_error_set(err, "bus: out of memory");
		return NULL;
	}
	intake->lock_fd = cairn_bus_lock(endpoint, err);
	intake->socket = intake->lock_fd >= 0 ? zmq_socket(bus->zmq, ZMQ_PULL) : NULL;
	if (intake->socket != NULL)
		cairn_bus_limit(intake->socket, WAITING);
	if (intake->socket == NULL || !cairn_bus_bind(intake->socket, endpoint, &intake->bound, err)) {
		if (intake->lock_fd >= 0 && intake->socket == NULL)
			cairn_error_set(err, "%s: %s", endpoint, zmq_strerror(zmq_errno()));
		cairn_intake_free(intake);
		return NULL;
	}
	intake->next = bus->intakes;
	bus->intakes = intake;
	return intake;
}

long cairn_intake_recv(struct cairn_intake *intake, void *buf, size_t bytes)
{
	int n = zmq_recv(intake->socket, buf, bytes, ZMQ_DONTWAIT);
	return n >= 0 ? n : -EAGAIN;
}
