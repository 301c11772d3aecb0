/* rule_choice.h - what is driven to when nobody is asked: the frontier that the round through all of them goes on to.
 *
 * For decisions that nothing new in sight makes worth a question (common/percept/call_policy.h). Pure. */
#ifndef CAIRN_COMMON_VLM_RULE_CHOICE_H
#define CAIRN_COMMON_VLM_RULE_CHOICE_H

#include "common/vlm/tools.h"

/* What the last decision drove to stays the choice unless another saves more than this: two who choose by turns, a model and this
 * rule, would else send the robot to and fro. */
#define CAIRN_RULE_KEEP_M 2.0

/* Of the frontiers that may be chosen from (common/explore/offered_frontiers.h) the one with the least detour. last: the decision
 * before, and candidates: what its candidate may be found in; NULL: none. False: there is none that is worth a visit, which is for a
 * model to judge. mission may be NULL. */
bool cairn_rule_choose(const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_mission *mission,
    const struct cairn_msg_decision *last, const struct cairn_msg_candidates *candidates,
    struct cairn_tool_call *ret);

#endif
