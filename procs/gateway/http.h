/* http.h - one HTTPS POST at a time, inside the stage's event loop, by libcurl's multi interface.
 *
 * Nothing blocks: libcurl tells which sockets and which timer it waits for, the loop wakes it. Connections
 * are kept and reused, HTTP/2 is used where a TLS server offers it, certificates and names are always
 * checked. Each provider's key goes into one header of its own calls and nowhere else: what a service echoes
 * of it is blotted out before anybody sees the answer. A probe (GET) may run beside the call: it tells
 * whether a service is there, and leaves an open connection behind for the call that follows. */
#ifndef CAIRN_PROCS_GATEWAY_HTTP_H
#define CAIRN_PROCS_GATEWAY_HTTP_H

#include "common/vlm/dialog.h"
#include "procs/shell/stage.h"

struct http;

/* Called once a call has ended by itself (never after http_cancel). outcome is valid during the call. */
typedef void http_done_fn(void *ctx, const struct cairn_dialog_outcome *outcome);
/* Called once a probe has ended. status: of HTTP, 0 = no answer. */
typedef void http_probed_fn(void *ctx, uint32_t index, int status);

/* stage: NULL for a caller without a loop, who waits for each call (http_wait).
 * keys: one a provider of the line-up, NULL or empty = no key; copied. NULL with err set. */
struct http *http_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg,
    const struct cairn_lineup *lineup, const char *const *keys, struct cairn_error *err);
/* Who is told. */
void http_listen(struct http *http, http_done_fn *done, http_probed_fn *probed, void *ctx);
void http_destroy(struct http **http_p);

/* Sends body (which must stay until the call ends) to the provider of this index. False with the reason:
 * nothing was sent, done is not called. */
bool http_post(struct http *http, uint32_t index, const char *url, const char *body, size_t bytes,
    struct cairn_error *err);
/* Without a stage: until the call and the probe in flight have ended (timeout_s of the provider, or vlm.timeout_s, at most). */
void http_wait(struct http *http);
/* Drops the call in flight, if there is one. */
void http_cancel(struct http *http);

/* Asks for url; false: not now, another probe is under way, or it cannot be sent. */
bool http_probe(struct http *http, uint32_t index, const char *url);
/* Monotonic time of the last use of any connection to this provider; 0 = none yet. */
int64_t http_last_use_ns(const struct http *http, uint32_t index);

/* Seconds of the last call: until its first byte could be sent, and in all. */
double http_first_byte_s(const struct http *http);
double http_total_s(const struct http *http);

#endif
