/* camera_picture.h - pictures of cameras in the size and the pixels that the stack is configured for.
 *
 * Of a picture with another shape than the wanted one the largest part in the middle that has it is used, and scaled: colours are
 * averaged over what a pixel covers, a depth is that of the middle, as between two things there is none. The field of view becomes
 * that of the part (cairn_picture_hfov_rad); colour and depth of one camera must have the same shape, so that they stay aligned.
 *
 * YUYV: Y U Y V for two pixels side by side. NV12: a plane of Y, then U and V in turns at half the width and height; rows of both planes are as long. Both: Y'CbCr of ITU-R BT.601 in
 * limited range (Y 16..235, U and V 16..240 about 128), as UVC cameras send it. JPEG: by the library, full range (JFIF). */
#ifndef CAIRN_COMMON_PERCEPT_CAMERA_PICTURE_H
#define CAIRN_COMMON_PERCEPT_CAMERA_PICTURE_H

#include "common/device/camera_link.h"

struct cairn_picture_part {
	uint32_t x, y, width, height; /* pixels of the source */
};

/* All sizes above 0. */
struct cairn_picture_part cairn_picture_part(
    uint32_t width, uint32_t height, uint32_t want_width, uint32_t want_height);
/* Of a part so wide of pictures of this width, taken through a pinhole: tan(h/2) goes with the width. */
double cairn_picture_hfov_rad(double hfov_rad, uint32_t width, uint32_t part_width);

struct cairn_picture_maker;

/* For pictures of this size. NULL with err set: no memory. */
struct cairn_picture_maker *cairn_picture_maker_new(uint32_t width, uint32_t height, struct cairn_error *err);
void cairn_picture_maker_destroy(struct cairn_picture_maker **maker);

/* A picture that camera_link.h let pass: hdr->payload_bytes bytes as they came, into out, rows tightly packed: RGB8, or 16 bit depth
 * of DEPTH16. ret_width, ret_height: its size before (a JPEG's own). False with err set: not what its header says, out undefined. */
bool cairn_picture_make(struct cairn_picture_maker *maker, const struct cairn_camera_header *hdr,
    const uint8_t *payload, uint8_t *out, uint32_t *ret_width, uint32_t *ret_height, struct cairn_error *err);

#endif
