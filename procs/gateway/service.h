/* service.h - everything that leaves the gateway towards a model: addresses, keys, calls, probes, recording,
 * replay.
 *
 * The dialog says which provider is asked; this finds its address and key, sends, and tells what became of
 * it. The connection to the provider in use is kept warm while decisions are wanted, and providers that
 * failed are probed when the dialog's route says so. */
#ifndef CAIRN_PROCS_GATEWAY_SERVICE_H
#define CAIRN_PROCS_GATEWAY_SERVICE_H

#include "common/vlm/dialog.h"
#include "procs/shell/stage.h"

struct service;
struct recorder;

typedef void service_done_fn(void *ctx, const struct cairn_dialog_outcome *outcome);

/* lineup and dialog are borrowed. Providers without their key are given up in the dialog. dialog NULL: the first of the line-up
 * alone is asked, nobody is probed (service_tick is not called), and a missing key is told in err while the service is made all
 * the same. NULL with err set. */
struct service *service_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg,
    const struct cairn_lineup *lineup, struct cairn_dialog *dialog, service_done_fn *done, void *ctx,
    struct cairn_error *err);
void service_destroy(struct service **service_p);

/* Where exchanges are recorded, or NULL; borrowed. */
struct recorder *service_recorder(struct service *service);

/* body stays valid until done. done is always called, also at once, unless service_cancel comes first. */
void service_send(struct service *service, const char *body, size_t bytes);
void service_cancel(struct service *service);
/* Once a second: probes that are due, and the connection that is to be warm. wanted: decisions are being
 * asked for. */
void service_tick(struct service *service, bool wanted);

#endif
