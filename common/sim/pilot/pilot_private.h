/* pilot_private.h - what the files of the scripted pilot share; nobody else includes it. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_PRIVATE_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_PRIVATE_H

#include "common/sim/pilot/pilot_policy.h"

#define CAIRN_PILOT_STOP_GOAL_REACHED 3 /* of the words of stop_robot's reason (common/vlm/tools.c) */

void pilot_read_goal(struct cairn_pilot_view *view, const char *line);
void pilot_read_position(struct cairn_pilot_view *view, const char *line);
void pilot_read_things(struct cairn_pilot_view *view, const char *line);
/* False: the prompt says nothing that helps; explore. */
bool pilot_pursue_goal(const struct cairn_pilot_view *view, struct cairn_pilot_choice *ret);

#endif
