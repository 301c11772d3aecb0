/* v4l2_mode.h - which of the pictures that a V4L2 camera offers is asked for.
 *
 * Best first: fast enough; not smaller than what is wanted; of its shape, so that nothing is cut off; the fewest pixels; the least
 * traffic on the USB bus that LiDAR and base share (MJPEG before NV12 before YUYV). Pure. */
#ifndef CAIRN_COMMON_DEVICE_V4L2_MODE_H
#define CAIRN_COMMON_DEVICE_V4L2_MODE_H

#include <stdbool.h>
#include <stdint.h>

struct cairn_v4l2_mode {
	uint32_t fourcc, width, height;
	double rate_hz; /* the highest offered; 0: the camera does not tell */
};

/* The format of camera_link.h that pictures of a V4L2 pixel format have; 0: they cannot be read. */
uint16_t cairn_v4l2_camera_format(uint32_t fourcc);
/* Bytes of a row that is tightly packed; 0: a JPEG has none. */
uint32_t cairn_v4l2_row_bytes(const struct cairn_v4l2_mode *mode);
/* Bytes of a whole picture with rows of so many bytes; 0: it differs (JPEG). */
uint32_t cairn_v4l2_picture_bytes(const struct cairn_v4l2_mode *mode, uint32_t stride_bytes);
/* Is a to be preferred to b where `want` is wanted (its fourcc does not matter)? Both can be read. */
bool cairn_v4l2_mode_better(
    const struct cairn_v4l2_mode *a, const struct cairn_v4l2_mode *b, const struct cairn_v4l2_mode *want);
/* Four letters, or '?' where there is none; without the blanks at its end, as of "Z16 ". */
void cairn_v4l2_fourcc_text(uint32_t fourcc, char ret[5]);

#endif
