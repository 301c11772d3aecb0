/* offered_frontiers.h - which frontiers the model may choose from: the prompt lists them, the pictures number them. */
#ifndef CAIRN_COMMON_EXPLORE_OFFERED_FRONTIERS_H
#define CAIRN_COMMON_EXPLORE_OFFERED_FRONTIERS_H

#include <stdbool.h>

#include "ipc/messages.h"

#define CAIRN_OFFER_MAX 8          /* the nearest of those offered */
#define CAIRN_OFFER_GIVEN_UP_M 0.5 /* frontiers this near to one given up are not offered */

/* Reachable, and not tried in vain. mission may be NULL. */
bool cairn_frontier_offered(
    const struct cairn_msg_frontier *frontier, const struct cairn_msg_mission *mission);

/* The round through all frontiers goes on best there (common/explore/frontier_route.h). */
bool cairn_frontier_next(const struct cairn_msg_frontiers *frontiers, uint32_t id);

/* The offered ones, nearest first, at most CAIRN_OFFER_MAX; their number. */
uint32_t cairn_frontiers_offered(const struct cairn_msg_frontiers *frontiers,
    const struct cairn_msg_mission *mission, struct cairn_msg_frontier ret[CAIRN_OFFER_MAX]);

#endif
