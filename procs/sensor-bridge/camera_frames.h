/* camera_frames.h - pictures of a camera, from whatever source, into frames for everybody else and depth for the depth layer. */
#ifndef CAIRN_PROCS_SENSOR_BRIDGE_CAMERA_FRAMES_H
#define CAIRN_PROCS_SENSOR_BRIDGE_CAMERA_FRAMES_H

#include "common/base/repeats.h"
#include "common/percept/camera_picture.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct camera_frames {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_frames *frames;
	struct cairn_frame_pub *rgb_pub, *depth_pub;
	struct cairn_pub *scan_pub; /* what the depth picture says of the floor: not by shared memory */
	struct cairn_msg_depth_scan scan;
	struct cairn_camera_want want;
	/* the picture in hand */
	struct cairn_camera_header hdr;
	struct cairn_frame_pub *pub; /* where a loan is held; NULL = nobody gets to see the picture */
	uint8_t *payload;            /* in the loan, spare or raw; NULL = skipped */
	bool make;                   /* a frame is still to be made of it */
	struct cairn_picture_maker *maker;
	uint8_t *raw;
	size_t raw_bytes;
	uint32_t told_width, told_height; /* whose shape was told */
	uint64_t pictures;                /* since camera_frames_restart */
	struct cairn_error told[2]; /* the problem that was told last; of the camera, of the depth camera */
	struct cairn_repeats rgb_repeats, depth_repeats;
	/* A depth picture for which no shared memory is left, as when a consumer keeps all it is given: what
	 * it says of the floor must not depend on that. */
	uint8_t *spare;
	uint64_t frame_rejects;
	int64_t full_since_ns; /* no loan has succeeded since; 0 = the last one did */
};

/* False: the reason is logged. */
bool camera_frames_open(struct camera_frames *f, struct cairn_stage *stage);
void camera_frames_close(struct camera_frames *f);
/* The source was opened anew. */
void camera_frames_restart(struct camera_frames *f);
/* depth: of the depth camera beside the other. Why its source gives no pictures and what to do; empty: it does. Logged when it is something else, in health while it lasts. */
void camera_frames_problem(struct camera_frames *f, const struct cairn_error *problem, bool depth);
/* To be called every 100 ms; negative: end the loop with that. */
int camera_frames_tick(struct camera_frames *f);

/* A picture that comes byte by byte: where hdr->payload_bytes bytes belong (NULL: nobody wants them); then _end, or _drop. */
uint8_t *camera_frames_begin(
    struct camera_frames *f, const struct cairn_camera_header *hdr, enum cairn_camera_verdict verdict);
/* All of it is there. NULL: published, or nobody had room; else why it is of no use. */
const char *camera_frames_end(struct camera_frames *f);
void camera_frames_drop(struct camera_frames *f);
/* A picture that is there already, judged here too (camera_link.h). As _end. */
const char *camera_frames_whole(struct camera_frames *f, const struct cairn_camera_header *hdr,
    struct cairn_camera_order *order, const uint8_t *payload);

#endif
