/* pixels.h - the pixels of a recorded frame: out of the messages of ROS 2 that frame_recorder.c wrote. Every length is checked. */
#ifndef CAIRN_COMMON_RECORD_PIXELS_H
#define CAIRN_COMMON_RECORD_PIXELS_H

#include "common/base/error.h"
#include "common/mcap/mcap_record.h"
#include "ipc/frame_layout.h"

/* The bytes of a sensor_msgs/msg/CompressedImage's picture, within cdr. */
bool record_compressed_image(struct cairn_mcap_bytes cdr, struct cairn_mcap_bytes *ret);
/* The rows of an Image (16UC1) or an OccupancyGrid, within cdr, and their size: width and height in pixels, bytes of a row. */
bool record_image(struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, uint32_t *ret_step,
    struct cairn_mcap_bytes *ret);
bool record_grid(
    struct cairn_mcap_bytes cdr, uint32_t *ret_width, uint32_t *ret_height, struct cairn_mcap_bytes *ret);

#endif
