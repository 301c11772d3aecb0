/* camera_server.h - the camera helper's end of its socket: pictures to whoever is connected.
 *
 * What is sent at once are one or more pictures, each behind the header of common/device/camera_link.h. A client that has not taken the last
 * ones yet misses the next; nothing waits for it. */
#ifndef CAIRN_PROCS_SHELL_CAMERA_SERVER_H
#define CAIRN_PROCS_SHELL_CAMERA_SERVER_H

#include "procs/shell/stage.h"

#define CAMERA_CLIENTS_MAX 4

struct camera_server;

/* Listens at path (below the run directory unless absolute). NULL with err set. */
struct camera_server *camera_server_new(struct cairn_stage *stage, const char *path, struct cairn_error *err);
/* A place for the next pictures, headers and all, when somebody waits for some. NULL: nobody does, or there is no memory. */
uint8_t *camera_server_room(struct camera_server *server, size_t bytes);
/* Sends what was put there to all that wait. */
void camera_server_send(struct camera_server *server);
uint64_t camera_server_missed(const struct camera_server *server);
void camera_server_destroy(struct camera_server **server_p);

#endif
