/* shortest_view.h - the shortest way in a house after which the robot's camera shows a thing of a name: what a way that was driven to
 * answer a question is measured against. By the truth; nothing of it is known to agent or pilot.
 *
 * The way: from the start over floor that the robot reaches (lattice.h). Its end: the nearest point from which the thing, faced, shows
 * with detect.sim_visible_min. */
#ifndef CAIRN_COMMON_EVAL_SHORTEST_VIEW_H
#define CAIRN_COMMON_EVAL_SHORTEST_VIEW_H

#include "common/config/config.h"
#include "common/sim/world/world.h"

/* Metres; negative: it shows from nowhere. False: out of memory. */
bool cairn_shortest_view(const struct cairn_config *cfg, const struct cairn_world *world,
    struct cairn_pose2 start, const char *label, double *ret_m);

#endif
