/* snapshot_view.h - what the model would be shown of a run in simulated time: the camera's picture is drawn, annotated and made a
 * snapshot, as the annotator stage does it, when somebody asks for it. */
#ifndef CAIRN_COMMON_EVAL_SNAPSHOT_VIEW_H
#define CAIRN_COMMON_EVAL_SNAPSHOT_VIEW_H

#include "common/eval/run.h"

struct cairn_snapshot_view;

/* All borrowed. NULL with err set: no font, or no memory. */
struct cairn_snapshot_view *cairn_snapshot_view_new(
    const struct cairn_config *cfg, const struct cairn_world *world, struct cairn_error *err);
void cairn_snapshot_view_destroy(struct cairn_snapshot_view **eye_p);

/* Every step of the run: takes each new scan. */
void cairn_snapshot_view_watch(struct cairn_snapshot_view *eye, const struct cairn_run *run);
void cairn_snapshot_view_result(
    struct cairn_snapshot_view *eye, const struct cairn_run *run, const struct cairn_msg_result *result);
void cairn_snapshot_view_decision(struct cairn_snapshot_view *eye, const struct cairn_msg_decision *decision);

/* A snapshot of now; its bytes are borrowed until the next one. 0: it cannot be made. */
size_t cairn_snapshot_view_look(struct cairn_snapshot_view *eye, const struct cairn_run *run,
    enum cairn_trigger trigger, const uint8_t **ret_bytes);

#endif
