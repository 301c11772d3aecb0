/* bus_private.h - what bus.c (topics), service.c (commands), intake.c and remote.c share; not for others. */
#ifndef CAIRN_IPC_BUS_PRIVATE_H
#define CAIRN_IPC_BUS_PRIVATE_H

#include <sys/types.h>
#include <time.h>

#include "ipc/bus.h"

#define CAIRN_MESSAGE_MAX (256 * 1024) /* the largest scan is 84 kB */
#define CAIRN_IPC_PATH_MAX 107         /* sockaddr_un */
#define CAIRN_ENDPOINT_MAX (CAIRN_IPC_PATH_MAX + 16)
#define CAIRN_HWM_EVERY 200
#define CAIRN_HWM_LATEST 4

/* The socket file of an endpoint of ours, as it was when we bound it. */
struct cairn_bound {
	char endpoint[CAIRN_ENDPOINT_MAX];
	dev_t dev;
	ino_t ino;
	struct timespec made; /* its inode may be used again for another's */
	int again;            /* times it had to be bound again */
};

struct cairn_server {
	struct cairn_bus *bus;
	struct cairn_bound bound;
	struct cairn_server *next;
	enum cairn_service service;
	void *socket;
	int lock_fd;
	uint64_t epoch, seq, commands;
	cairn_command_fn *fn;
	void *ctx;
	cairn_commanded_fn *done_fn;
	void *done_ctx;
};

struct cairn_client {
	struct cairn_bus *bus;
	struct cairn_client *next;
	enum cairn_service service;
	void *socket;
	uint64_t epoch, seq;
};

struct cairn_intake {
	struct cairn_bound bound;
	struct cairn_intake *next;
	void *socket;
	int lock_fd;
};

struct cairn_bus {
	void *zmq;
	char dir[CAIRN_IPC_PATH_MAX + 1];
	uint64_t rejects;
	struct cairn_pub *pubs;
	struct cairn_sub *subs;
	struct cairn_server *servers;
	struct cairn_client *clients;
	struct cairn_intake *intakes;
	bool patient;
	char buf[CAIRN_MESSAGE_MAX];
};

/* Random, below 2^53, so that JSON readers take it for the same number; never 0. */
uint64_t cairn_bus_epoch(void);
int64_t cairn_bus_now_ns(void);
/* "ipc://DIR/NAME[.INSTANCE]"; false, errno and err when the path does not fit a socket address. */
bool cairn_bus_endpoint(const char *dir, const char *name, const char *instance, char ret[CAIRN_ENDPOINT_MAX],
    struct cairn_error *err);
/* The lock beside the socket: libzmq would let a second publisher bind the same path in silence. Its
 * descriptor, or -1 with errno and err. */
int cairn_bus_lock(const char *endpoint, struct cairn_error *err);
/* Limits that every socket of the bus has: no lingering, high-water marks, size of a message, reconnection. */
void cairn_bus_limit(void *socket, int hwm);
/* Binds and remembers the file. False with err. */
bool cairn_bus_bind(void *socket, const char *endpoint, struct cairn_bound *ret, struct cairn_error *err);
/* Closes what is still open of it; its memory too. */
void cairn_server_free(struct cairn_server *server);
void cairn_intake_free(struct cairn_intake *intake);

#endif
