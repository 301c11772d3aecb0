/* v4l2_link.h - brings a V4L2 camera to stream, notices when it stops, and brings it back.
 *
 * The order of calls is that of the kernel's "Video for Linux API", Streaming I/O by memory mapping: QUERYCAP, ENUM_FMT and the sizes
 * and intervals of each, S_FMT (which changes what it cannot give, so that its answer counts), S_PARM, controls, REQBUFS, QUERYBUF,
 * QBUF, STREAMON; then DQBUF and QBUF in turns. A camera that was unplugged, that is stuck (no picture of use for 3 s, whatever comes),
 * or that answers with errors is closed, and opened again, less and less often (base/retry.h); its name may be one of /dev/v4l/by-id,
 * which the same camera gets again in whatever port.
 *
 * Pure: what talks to the kernel is a table of the caller's, the time is passed in. Nothing blocks but what the table does. */
#ifndef CAIRN_COMMON_DEVICE_V4L2_LINK_H
#define CAIRN_COMMON_DEVICE_V4L2_LINK_H

#include <stddef.h>

#include "common/base/retry.h"
#include "common/device/camera_link.h"
#include "common/device/v4l2_mode.h"

#define CAIRN_V4L2_BUFFERS_MAX 8
#define CAIRN_V4L2_STUCK_NS INT64_C(3000000000)

/* What the kernel does. Results below 0 are errno, negated. */
struct cairn_v4l2_ops {
	int (*open)(void *ctx, const char *path); /* for reading and writing, not blocking: the descriptor */
	void (*close)(void *ctx, int fd);
	int (*control)(void *ctx, int fd, unsigned long request, void *arg); /* ioctl, again on EINTR */
	void *(*map)(void *ctx, int fd, size_t bytes, int64_t offset);       /* shared; NULL: not to be had */
	void (*unmap)(void *ctx, void *at, size_t bytes);
};

struct cairn_v4l2_want {
	const char *path; /* borrowed */
	const char
	    *controls; /* borrowed: "name=value, ...", names as v4l2-ctl has them; "": none is changed */
	struct cairn_v4l2_mode mode;
	bool depth; /* of depth (Z16 or Y16, in the camera's own unit), not of colours */
};

struct cairn_v4l2_buffer {
	uint8_t *at;
	size_t bytes;
};

/* Caller-owned; zeroed and filled by _init. */
struct cairn_v4l2_link {
	const struct cairn_v4l2_ops *ops;
	void *ctx;
	struct cairn_v4l2_want want;
	int fd;                      /* -1: closed. Readable (or in error) when _take has something to do */
	struct cairn_v4l2_mode mode; /* as the driver gives it */
	uint32_t stride_bytes;
	struct cairn_v4l2_buffer buffers[CAIRN_V4L2_BUFFERS_MAX];
	uint32_t buffer_count;
	int held;        /* the buffer that _take has handed out; -1: none */
	uint32_t errors; /* in a row */
	int64_t good_ns; /* the newest picture of use, or when the stream began */
	int64_t due_ns;  /* earlier pictures are too many */
	struct cairn_retry retry;
	uint32_t next_seq;
	uint64_t pictures, damaged, missed, losses;
	struct cairn_error
	    problem; /* why there are no pictures, and what to do; empty: there are, or it was not tried yet */
	struct cairn_error refusal;  /* why the newest picture was of no use; empty: it was */
	struct cairn_error controls; /* what could not be set; empty: all was */
};

void cairn_v4l2_init(struct cairn_v4l2_link *l, const struct cairn_v4l2_ops *ops, void *ctx,
    const struct cairn_v4l2_want *want);
/* To be called at least every 0.2 s: opens it when that is due, closes it when it is stuck. */
void cairn_v4l2_tick(struct cairn_v4l2_link *l, int64_t now_ns);
/* True: a picture, in *ret_hdr and *ret_payload, valid until _give_back, which must follow. At most want.mode.rate_hz a second. */
bool cairn_v4l2_take(struct cairn_v4l2_link *l, int64_t now_ns, struct cairn_camera_header *ret_hdr,
    const uint8_t **ret_payload);
/* why_not: what was wrong with it; NULL: it was of use. */
void cairn_v4l2_give_back(struct cairn_v4l2_link *l, int64_t now_ns, const char *why_not);
void cairn_v4l2_close(struct cairn_v4l2_link *l);

#endif
