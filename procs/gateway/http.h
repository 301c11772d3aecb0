/* http.h - one HTTPS POST at a time, inside the stage's event loop, by libcurl's multi interface.
 *
 * Nothing blocks: libcurl tells which sockets and which timer it waits for, the loop wakes it. Connections
 * are reused. The key goes into a header and nowhere else. */
#ifndef CAIRN_PROCS_GATEWAY_HTTP_H
#define CAIRN_PROCS_GATEWAY_HTTP_H

#include "common/vlm/dialog.h"
#include "procs/shell/stage.h"

struct http;

/* Called once a call has ended by itself (never after http_cancel). outcome is valid during the call. */
typedef void http_done_fn(void *ctx, const struct cairn_dialog_outcome *outcome);

/* key: NULL or empty = no Authorization header; it is copied. NULL with err set. */
struct http *http_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg, const char *key,
    http_done_fn *done, void *ctx, struct cairn_error *err);
void http_destroy(struct http **http_p);

/* Sends body (which must stay until the call ends). False with the reason: nothing was sent, done is not
 * called. */
bool http_post(struct http *http, const char *url, const char *body, size_t bytes, struct cairn_error *err);
/* Drops the call in flight, if there is one. */
void http_cancel(struct http *http);

#endif
