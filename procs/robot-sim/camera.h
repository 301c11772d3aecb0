/* camera.h - the camera helper's end of its socket: pictures to whoever is connected.
 *
 * Every client gets a colour frame and the depth frame that belongs to it, each behind the header of
 * docs/wire-formats.md 3.2. A client that has not taken the last pair yet misses the next one; nothing waits
 * for it. */
#ifndef CAIRN_PROCS_ROBOT_SIM_CAMERA_H
#define CAIRN_PROCS_ROBOT_SIM_CAMERA_H

#include "procs/shell/stage.h"

#define CAMERA_CLIENTS_MAX 4

struct camera_server;

/* Listens at path (below the run directory unless absolute). NULL with err set. */
struct camera_server *camera_server_new(struct cairn_stage *stage, const char *path, uint32_t width_px,
    uint32_t height_px, struct cairn_error *err);
/* A place for the next pair when somebody waits for one: true, and where its pixels go. */
bool camera_server_begin(struct camera_server *server, uint8_t **ret_rgb, uint16_t **ret_depth_mm);
/* Sends the pair begun last to all that wait. */
void camera_server_send(struct camera_server *server, int64_t t_ns);
uint64_t camera_server_missed(const struct camera_server *server);
void camera_server_destroy(struct camera_server **server_p);

#endif
