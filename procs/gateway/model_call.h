/* model_call.h - asks a provider and waits: for evaluations that put questions to a real model.
 *
 * The same HTTP client as the gateway's, with its keys, its limits and its care for what is echoed (procs/gateway/http.h).
 * A provider that asks for a pause gets it; the scripted pilot answers in this process. */
#ifndef CAIRN_PROCS_GATEWAY_MODEL_CALL_H
#define CAIRN_PROCS_GATEWAY_MODEL_CALL_H

#include "common/vlm/sync_client.h"

struct model_call;

/* Asks the first of the line-up. Both are borrowed. interrupted: true when the waiting is to end; may be NULL. NULL with
 * err set: no key in the environment, say. */
struct model_call *model_call_new(const struct cairn_config *cfg, const struct cairn_lineup *lineup,
    bool (*interrupted)(void), struct cairn_error *err);
void model_call_destroy(struct model_call **call_p);

/* A cairn_sync_client_fn; ctx is the model_call. */
bool model_call_send(void *ctx, const struct cairn_profile *profile, const char *body, size_t bytes,
    struct cairn_dialog_outcome *ret, struct cairn_error *err);
/* Seconds the last call took. */
double model_call_took_s(const struct model_call *call);

#endif
