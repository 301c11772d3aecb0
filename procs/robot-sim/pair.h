/* pair.h - a colour picture and the depth that belongs to it, as the camera helper's contract has them. */
#ifndef CAIRN_PROCS_ROBOT_SIM_PAIR_H
#define CAIRN_PROCS_ROBOT_SIM_PAIR_H

#include "procs/shell/camera_server.h"

struct picture_pair {
	struct camera_server *server; /* borrowed */
	uint32_t width_px, height_px, seq;
	uint16_t *depth_mm; /* of the picture being made */
	uint8_t *room;
};

/* False: no memory. */
bool picture_pair_init(
    struct picture_pair *pair, struct camera_server *server, uint32_t width_px, uint32_t height_px);
/* True when somebody waits for a pair: then where its pixels go; the depth is in pair->depth_mm. */
bool picture_pair_begin(struct picture_pair *pair, uint8_t **ret_rgb);
/* Sends the pair begun last, seen at t_ns. */
void picture_pair_send(struct picture_pair *pair, int64_t t_ns);
void picture_pair_free(struct picture_pair *pair);

#endif
