/* mjpeg_stream.h - pictures out of a body of HTTP with the type multipart/x-mixed-replace, as network cameras, phones and ESP32
 * boards send them: for each a line with the boundary (RFC 2046, section 5.1), header lines, an empty line, the JPEG.
 *
 * With Content-Length that many bytes are the picture, otherwise all up to the next boundary. Some servers have the two dashes of a
 * boundary's line in its name already, and some quote it: each is understood. Bytes in, pictures out; any pieces, any bytes. */
#ifndef CAIRN_COMMON_DEVICE_MJPEG_STREAM_H
#define CAIRN_COMMON_DEVICE_MJPEG_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_MJPEG_PICTURE_MAX ((size_t)8 << 20)
#define CAIRN_MJPEG_BOUNDARY_MAX 72 /* RFC 2046: 70 */
#define CAIRN_MJPEG_LINE_MAX 1024
#define CAIRN_MJPEG_BETWEEN_MAX 8192 /* bytes between two pictures: boundary and headers */

enum cairn_mjpeg_event {
	CAIRN_MJPEG_NONE,    /* all is consumed */
	CAIRN_MJPEG_PICTURE, /* in picture, picture_bytes; valid until the next call */
	CAIRN_MJPEG_BROKEN   /* problem says why; begin anew */
};

enum cairn_mjpeg_phase {
	CAIRN_MJPEG_BOUNDARY,
	CAIRN_MJPEG_HEADERS,
	CAIRN_MJPEG_SIZED,
	CAIRN_MJPEG_UNSIZED,
	CAIRN_MJPEG_ENDED
};

/* Zeroed before the first _begin; _free in the end. */
struct cairn_mjpeg_stream {
	enum cairn_mjpeg_phase phase;
	char boundary[CAIRN_MJPEG_BOUNDARY_MAX + 4]; /* "--" and its name */
	size_t boundary_bytes;
	char line[CAIRN_MJPEG_LINE_MAX];
	size_t line_bytes;
	size_t between; /* bytes since the last picture */
	size_t length;  /* Content-Length of the part; 0: not told */
	uint8_t *picture;
	size_t picture_bytes, room;
	bool taken; /* the picture in hand was reported */
	struct cairn_error problem;
};

/* The answer's Content-Type (may be NULL). False: no such stream, problem says why. */
bool cairn_mjpeg_begin(struct cairn_mjpeg_stream *s, const char *content_type);
/* Consumes up to the first event; how many. */
size_t cairn_mjpeg_feed(
    struct cairn_mjpeg_stream *s, const uint8_t *data, size_t len, enum cairn_mjpeg_event *ret_event);
void cairn_mjpeg_free(struct cairn_mjpeg_stream *s);

#endif
