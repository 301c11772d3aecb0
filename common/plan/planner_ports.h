/* planner_ports.h - what goes into the planner and comes out of it, as tables (ipc/ports.h). The grid comes as a frame. */
#ifndef CAIRN_COMMON_PLAN_PLANNER_PORTS_H
#define CAIRN_COMMON_PLAN_PLANNER_PORTS_H

#include "common/plan/planner.h"
#include "ipc/frame_layout.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_planner_in[]; /* core: struct cairn_planner */
extern const struct cairn_out cairn_planner_out[];

/* The map's grid; core: struct cairn_planner. False: a frame of another kind. */
bool cairn_planner_frame(void *core, const struct cairn_frame_header *hdr, const void *payload);

/* What a step has brought. */
void cairn_planner_put(const struct cairn_planner *p, const struct cairn_planner_output *out,
    struct cairn_outbox *box, int64_t now_ns);

#endif
