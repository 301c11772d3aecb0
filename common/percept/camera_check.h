/* camera_check.h - does a camera, or a helper by the contract of camera_link.h, send what can be used? What came of it, and what is wrong.
 *
 * Pure: fed with headers and payloads as they arrive, with the time of their arrival. */
#ifndef CAIRN_COMMON_PERCEPT_CAMERA_CHECK_H
#define CAIRN_COMMON_PERCEPT_CAMERA_CHECK_H

#include "common/base/repeats.h"
#include "common/base/text.h"
#include "common/percept/camera_picture.h"

enum cairn_camera_stream { CAIRN_CAMERA_COLOUR, CAIRN_CAMERA_DEPTH, CAIRN_CAMERA_STREAMS };

struct cairn_camera_check_stream {
	uint64_t pictures; /* that can be used */
	uint64_t refused, repeated;
	uint16_t format; /* of the newest */
	uint32_t width, height;
	int64_t first_ns, last_ns, gap_max_ns; /* by arrival */
	int64_t age_sum_ns, age_max_ns;        /* stamp to arrival */
	char why[128];                         /* the newest refusal */
	struct cairn_repeats repeats;
};

struct cairn_camera_check {
	struct cairn_camera_want want;
	double rate_hz;
	struct cairn_picture_maker *maker; /* borrowed */
	uint8_t *made;                     /* borrowed: room for a picture of the wanted size in colour */
	struct cairn_camera_order order;
	struct cairn_camera_check_stream streams[CAIRN_CAMERA_STREAMS];
	char broken[128]; /* why the connection is of no use; empty: it is */
};

/* A header has come. False: the stream is broken, nothing can be read from it any more. */
bool cairn_camera_check_header(struct cairn_camera_check *c, const uint8_t bytes[CAIRN_CAMERA_HEADER_BYTES],
    int64_t now_ns, struct cairn_camera_header *ret, enum cairn_camera_verdict *ret_verdict);
/* Its payload has come. */
void cairn_camera_check_payload(struct cairn_camera_check *c, const struct cairn_camera_header *hdr,
    enum cairn_camera_verdict verdict, const uint8_t *payload, int64_t now_ns);
/* A picture of a source of another kind, header and payload at once. NULL: it can be used; else why not. */
const char *cairn_camera_check_picture(struct cairn_camera_check *c, const struct cairn_camera_header *hdr,
    const uint8_t *payload, int64_t now_ns);
/* Lines for a person. True: the helper can be used. */
bool cairn_camera_check_report(const struct cairn_camera_check *c, struct cairn_text *ret);

#endif
