/* rgbd_frames.h - a folder of frames as of 7-Scenes: frame-NNNNNN.color.jpg, frame-NNNNNN.depth.png (16 bit, mm, 65535 = unknown),
 * frame-NNNNNN.pose.txt (4x4, camera to world, m). Nothing in them is believed. */
#ifndef CAIRN_COMMON_RECORD_RGBD_FRAMES_H
#define CAIRN_COMMON_RECORD_RGBD_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/error.h"

struct cairn_rgbd_frame {
	uint32_t width_px, height_px, depth_width_px, depth_height_px;
	uint8_t *rgb;       /* tightly packed */
	uint16_t *depth_mm; /* 0 = unknown */
	double pose[4][4];  /* camera (right, down, ahead) to world */
};

/* Numbers of the frames, ascending, to be freed; how many there are. 0 or negative with the reason. */
int cairn_rgbd_list(const char *folder, unsigned **ret_numbers, struct cairn_error *err);
/* One frame, to be given to _free. False with the reason. */
bool cairn_rgbd_read(
    const char *folder, unsigned number, struct cairn_rgbd_frame *ret, struct cairn_error *err);
void cairn_rgbd_free(struct cairn_rgbd_frame *frame);

#endif
