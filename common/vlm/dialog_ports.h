/* dialog_ports.h - what the dialog with the model hears of the other stages (ipc/ports.h). Core: struct cairn_dialog. */
#ifndef CAIRN_COMMON_VLM_DIALOG_PORTS_H
#define CAIRN_COMMON_VLM_DIALOG_PORTS_H

#include "common/vlm/dialog.h"
#include "ipc/ports.h"

/* A mission's row acts at once: a call may be due. */
extern const struct cairn_in cairn_dialog_in[];
/* Only where candidates are offered to the model (choice.offer). */
extern const struct cairn_in cairn_dialog_candidates_in[];
/* Only where the stage local runs (local.enabled). */
extern const struct cairn_in cairn_dialog_local_in[];
/* Only where the model is watched and local exploration drives (vlm.shadow). */
extern const struct cairn_in cairn_dialog_shadow_in[];

#endif
