/* webhook.h - one POST at a time to one address, without waiting for it. Certificates are checked, redirects are not followed. */
#ifndef CAIRN_PROCS_NOTIFY_WEBHOOK_H
#define CAIRN_PROCS_NOTIFY_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/error.h"

struct webhook;

/* url is copied; it may be a secret and is told to nobody, nor is auth, the value of the header Authorization (NULL: none). type: of
 * the body. NULL with the reason. */
struct webhook *webhook_new(const char *url, const char *type, const char *auth, struct cairn_error *err);
void webhook_destroy(struct webhook **w_p);
/* body must stay until it has ended. False: one is under way, or there is no memory. */
bool webhook_post(struct webhook *w, const char *body, size_t bytes);
/* To be called some times a second. True once when the POST has ended: status of HTTP, 0 for none, and why in words. */
bool webhook_turn(struct webhook *w, int *ret_status, struct cairn_error *ret_why);

#endif
