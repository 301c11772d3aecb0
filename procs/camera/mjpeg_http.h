/* mjpeg_http.h - libcurl behind common/device/mjpeg_link.h: one stream, without waiting. */
#ifndef CAIRN_PROCS_CAMERA_MJPEG_HTTP_H
#define CAIRN_PROCS_CAMERA_MJPEG_HTTP_H

#include "common/device/mjpeg_link.h"

struct mjpeg_http;

/* A picture has come: NULL when it was of use, else why not. */
typedef const char *mjpeg_picture_fn(
    void *ctx, const struct cairn_camera_header *hdr, const uint8_t *payload);

/* NULL: no memory. */
struct mjpeg_http *mjpeg_http_new(const struct cairn_mjpeg_want *want, mjpeg_picture_fn *fn, void *ctx);
void mjpeg_http_destroy(struct mjpeg_http **http_p);
/* Asks when that is due, reads what is there, calls fn. To be called at least every 0.2 s, and when the descriptor is readable. */
void mjpeg_http_step(struct mjpeg_http *http);
/* What to wait for beside the time: -1: nothing. */
int mjpeg_http_fd(const struct mjpeg_http *http);
const struct cairn_mjpeg_link *mjpeg_http_link(const struct mjpeg_http *http);

#endif
