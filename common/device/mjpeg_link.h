/* mjpeg_link.h - keeps a stream of pictures over HTTP going: when to ask for it, whether it is one, when it is stuck.
 *
 * A server that refuses, ends, sends no picture of use for 5 s or what is no stream is asked again, less and less often
 * (base/retry.h). Pictures bear the time at which their last byte came: the delay of the network is not known.
 *
 * Pure: the shell owns the connection; it reports what comes and the time. */
#ifndef CAIRN_COMMON_DEVICE_MJPEG_LINK_H
#define CAIRN_COMMON_DEVICE_MJPEG_LINK_H

#include "common/base/retry.h"
#include "common/device/camera_link.h"
#include "common/device/mjpeg_stream.h"

#define CAIRN_MJPEG_STUCK_NS INT64_C(5000000000)

struct cairn_mjpeg_want {
	const char *url; /* borrowed */
	uint32_t width, height;
	double rate_hz;
};

/* Caller-owned; zeroed and filled by _init; _free in the end. */
struct cairn_mjpeg_link {
	struct cairn_mjpeg_want want;
	struct cairn_mjpeg_stream stream;
	bool open;     /* asked for */
	bool answered; /* with what is a stream */
	int64_t good_ns, due_ns;
	struct cairn_retry retry;
	uint32_t seq;
	uint64_t pictures, losses;
	struct cairn_error
	    problem; /* why there are no pictures, and what to do; empty: there are, or it was not tried yet */
	struct cairn_error refusal; /* why the newest picture was of no use; empty: it was */
};

void cairn_mjpeg_link_init(struct cairn_mjpeg_link *l, const struct cairn_mjpeg_want *want);
void cairn_mjpeg_link_free(struct cairn_mjpeg_link *l);
/* True: the shell should ask for the URL now; then it reports. */
bool cairn_mjpeg_link_wants_open(const struct cairn_mjpeg_link *l, int64_t now_ns);
void cairn_mjpeg_link_opened(struct cairn_mjpeg_link *l, int64_t now_ns);
/* The server has answered with this status and Content-Type (NULL: none). False: of no use, the shell closes. */
bool cairn_mjpeg_link_answered(
    struct cairn_mjpeg_link *l, long status, const char *content_type, int64_t now_ns);
/* Bytes of its body, up to the first picture, which is then in *ret_hdr and *ret_payload until the next call. Returns how many were
 * consumed. After the call `open` may be false: the shell closes. */
size_t cairn_mjpeg_link_feed(struct cairn_mjpeg_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_camera_header *ret_hdr, const uint8_t **ret_payload);
/* What became of the picture; why_not NULL: it was of use. */
void cairn_mjpeg_link_used(struct cairn_mjpeg_link *l, const char *why_not, int64_t now_ns);
/* The connection has ended or was never to be had. */
void cairn_mjpeg_link_lost(struct cairn_mjpeg_link *l, const char *why, int64_t now_ns);
/* To be called at least every 0.2 s. False: stuck, the shell closes. */
bool cairn_mjpeg_link_tick(struct cairn_mjpeg_link *l, int64_t now_ns);

#endif
