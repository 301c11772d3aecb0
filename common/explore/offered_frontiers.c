#include "common/explore/offered_frontiers.h"

#include <math.h>

static bool given_up(const struct cairn_msg_mission *mission, const struct cairn_msg_frontier *f)
{
	for (uint32_t i = 0; mission != NULL && i < mission->given_up_count; i++) {
		const struct cairn_msg_given_up *g = &mission->given_up[i];
		if (hypot(g->x_m - f->x_m, g->y_m - f->y_m) <= CAIRN_OFFER_GIVEN_UP_M ||
		    hypot(g->x_m - f->goal_x_m, g->y_m - f->goal_y_m) <= CAIRN_OFFER_GIVEN_UP_M)
			return true;
	}
	return false;
}

bool cairn_frontier_offered(
    const struct cairn_msg_frontier *frontier, const struct cairn_msg_mission *mission)
{
	return frontier->distance_m >= 0.0 && isfinite(frontier->x_m) && isfinite(frontier->y_m) &&
	       !given_up(mission, frontier);
}

bool cairn_frontier_next(const struct cairn_msg_frontiers *frontiers, uint32_t id)
{
	for (uint32_t i = 0; i < frontiers->items_count; i++) {
		if (frontiers->items[i].id == id)
			return frontiers->items[i].detour_m == 0.0;
	}
	return false;
}

uint32_t cairn_frontiers_offered(const struct cairn_msg_frontiers *frontiers,
    const struct cairn_msg_mission *mission, struct cairn_msg_frontier ret[CAIRN_OFFER_MAX])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < frontiers->items_count && count < CAIRN_OFFER_MAX; i++) {
		if (cairn_frontier_offered(&frontiers->items[i], mission))
			ret[count++] = frontiers->items[i];
	}
	return count;
}
