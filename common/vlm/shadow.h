/* shadow.h - does the model agree with local exploration? For vlm.shadow, where the model decides and local
 * exploration drives. Pure.
 *
 * They agree when both mean the same place (within CAIRN_SHADOW_SAME_M), or when the directions to what they
 * mean, seen from where the model looked, differ by at most CAIRN_SHADOW_SAME_RAD. Standing still while local
 * exploration drives is no agreement. A report, a zone, or a place that is not known any more cannot be
 * compared. */
#ifndef CAIRN_COMMON_VLM_SHADOW_H
#define CAIRN_COMMON_VLM_SHADOW_H

#include "common/base/geom.h"
#include "ipc/messages.h"

#define CAIRN_SHADOW_SAME_M 0.5
#define CAIRN_SHADOW_SAME_RAD (30.0 * M_PI / 180.0)

enum cairn_shadow { CAIRN_SHADOW_UNKNOWN, CAIRN_SHADOW_AGREES, CAIRN_SHADOW_DIFFERS };

/* Where a decision leads: true with the point, for navigate_to_goal with an id that is in the lists. */
bool cairn_decision_place(const struct cairn_msg_decision *decision,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_candidates *candidates,
    struct cairn_vec2 *ret);

/* local: the goal of local exploration, map frame. candidates may be NULL. */
enum cairn_shadow cairn_shadow_judge(const struct cairn_msg_decision *decision,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_candidates *candidates,
    struct cairn_vec2 local);

#endif
