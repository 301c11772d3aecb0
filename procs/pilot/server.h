/* server.h - the pilot's HTTP: requests, and answers that wait for their delay. libmicrohttpd is driven from the stage's loop by its epoll
 * descriptor; a connection that waits is suspended. */
#ifndef CAIRN_PROCS_PILOT_SERVER_H
#define CAIRN_PROCS_PILOT_SERVER_H

#include "common/sim/pilot/pilot_api.h"
#include "procs/shell/stage.h"

struct MHD_Daemon;
struct request;

struct pilot {
	CAIRN_STAGE_STATE;
	struct cairn_pilot_api api;
	struct MHD_Daemon *daemon;
	int timer_fd;
	struct request *waiting;
};

/* At pilot.port of 127.0.0.1. False with the reason; *ret_port: the one that was bound. */
bool server_open(struct pilot *pilot, unsigned *ret_port, struct cairn_error *err);
void server_close(struct pilot *pilot);

#endif
