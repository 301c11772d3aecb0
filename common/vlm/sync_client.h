/* sync_client.h - a dialog driven to its next decision by somebody who waits for each answer: evaluations, not the robot. */
#ifndef CAIRN_COMMON_VLM_SYNC_CLIENT_H
#define CAIRN_COMMON_VLM_SYNC_CLIENT_H

#include "common/vlm/dialog.h"

/* Sends body to the provider and waits. What *ret points to stays valid until the next call. False with the reason: it
 * cannot be sent at all, and the asking ends. */
typedef bool cairn_sync_client_fn(void *ctx, const struct cairn_profile *profile, const char *body,
    size_t bytes, struct cairn_dialog_outcome *ret, struct cairn_error *err);

/* Polls the dialog at now_ns and sends what it wants sent, follow-ups included, until there is a decision. False with the
 * reason: nothing is asked, the service failed, or the answer was of no use and another one is not asked for. */
bool cairn_dialog_sync(struct cairn_dialog *dialog, int64_t now_ns, cairn_sync_client_fn *send, void *ctx,
    struct cairn_msg_decision *ret, struct cairn_error *err);

#endif
