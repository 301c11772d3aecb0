/* explorer_ports.h - what the explorer hears of the other stages (ipc/ports.h). Its core is struct cairn_explorer. */
#ifndef CAIRN_COMMON_EXPLORE_EXPLORER_PORTS_H
#define CAIRN_COMMON_EXPLORE_EXPLORER_PORTS_H

#include "common/explore/explorer.h"
#include "ipc/ports.h"

extern const struct cairn_in cairn_explorer_in[];

/* Ranks the frontiers just found, chooses the candidates and puts both into the box (topics FRONTIERS, CANDIDATES). Without
 * a wavefront in ground the frontiers go out as they are, and no candidates. False: no memory to rank; all else is done. */
bool cairn_explorer_report(struct cairn_explorer *explorer, const struct cairn_ground *ground,
    struct cairn_pose2 pose, struct cairn_outbox *box, int64_t now_ns, struct cairn_msg_frontiers *frontiers,
    struct cairn_msg_candidates *ret);

#endif
