/* camera_link.h - stream of a camera helper: a header, then the payload, over a stream socket.
 *
 * The contract of docs/wire-formats.md 3.2 with format 4 added (RGB, 8 bit). 36 bytes, little-endian: u32
 * magic, u16 version, u16 format, u32 width, height, stride, u64 CLOCK_MONOTONIC ns, u32 sequence, u32
 * payload bytes.
 *
 * Pure: the shell reads the header into the link, asks where the payload goes, and reads it there (into a
 * loaned frame), so that no picture is copied twice. */
#ifndef CAIRN_COMMON_DEVICE_CAMERA_LINK_H
#define CAIRN_COMMON_DEVICE_CAMERA_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_CAMERA_MAGIC UINT32_C(0x4D414343) /* "CCAM" in memory */
#define CAIRN_CAMERA_VERSION 1
#define CAIRN_CAMERA_HEADER_BYTES 36
#define CAIRN_CAMERA_PAYLOAD_MAX (UINT32_C(64) << 20)
#define CAIRN_CAMERA_SIDE_MAX 8192 /* pixels */

enum cairn_camera_format {
	CAIRN_CAMERA_JPEG = 1,
	CAIRN_CAMERA_NV12 = 2,
	CAIRN_CAMERA_DEPTH16 = 3, /* millimetres, 0 = unknown */
	CAIRN_CAMERA_RGB8 = 4,
	CAIRN_CAMERA_YUYV = 5,
	CAIRN_CAMERA_FORMATS /* and 0 is none */
};

struct cairn_camera_header {
	uint16_t version, format;
	uint32_t width, height, stride_bytes;
	int64_t t_ns;
	uint32_t seq;
	uint32_t payload_bytes;
};

void cairn_camera_header_write(uint8_t out[CAIRN_CAMERA_HEADER_BYTES], const struct cairn_camera_header *hdr);

enum cairn_camera_verdict {
	CAIRN_CAMERA_USE, /* its payload is a frame as it is */
	CAIRN_CAMERA_MAKE, /* another size or other pixels: a frame is made of its payload (percept/camera_picture.h) */
	CAIRN_CAMERA_SKIP,  /* read its payload and forget it */
	CAIRN_CAMERA_BROKEN /* not this protocol, or out of step: close the connection */
};

/* What a frame must be to be used. */
struct cairn_camera_want {
	uint32_t width, height;
	int64_t age_max_ns;
};

/* Order of the stream so far, one a format; zeroed at each connection. */
struct cairn_camera_order {
	int64_t t_ns[CAIRN_CAMERA_FORMATS];
	uint32_t seq[CAIRN_CAMERA_FORMATS];
	bool some[CAIRN_CAMERA_FORMATS];
};

/* Reads and judges a header. *hdr is filled unless BROKEN; the reason is in err for SKIP and BROKEN. order is updated
 * by USE and MAKE. USE means: RGB8 or DEPTH16 of the wanted size; MAKE: of another size of at most CAIRN_CAMERA_SIDE_MAX, or
 * NV12, YUYV or JPEG. Both: stride and payload fit, stamp rising, not in the future (50 ms) nor too old. */
enum cairn_camera_verdict cairn_camera_header_read(const uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES],
    const struct cairn_camera_want *want, struct cairn_camera_order *order, int64_t now_ns,
    struct cairn_camera_header *hdr, struct cairn_error *err);

/* The same of a header that a source of another kind has filled in. */
enum cairn_camera_verdict cairn_camera_judge(const struct cairn_camera_header *hdr,
    const struct cairn_camera_want *want, struct cairn_camera_order *order, int64_t now_ns,
    struct cairn_error *err);

/* Of colours, by its format; false: depth. */
bool cairn_camera_is_colour(uint16_t format);
/* Bytes of one pixel of RGB8 and DEPTH16, 0 for others. */
uint32_t cairn_camera_pixel_bytes(uint16_t format);

#endif
