#include <math.h>
#include <string.h>

#include "common/plan/planner_private.h"

static struct cairn_plan_zone from_message(const struct cairn_planner *p, const struct cairn_msg_zone *msg)
{
	double speed = msg->speed_max_mps;
	struct cairn_plan_zone z = {.keepout = msg->kind == CAIRN_ZONE_KIND_KEEPOUT,
	    .speed_max_mps = speed > 0.0 && isfinite(speed) ? speed : p->cfg.nav.slow_zone_mps,
	    .count = msg->corners_count};
	for (size_t i = 0; i < z.count && i < CAIRN_POLYGON_CORNERS_MAX; i++)
		z.corners[i] = (struct cairn_vec2){(double)msg->corners[i].x_m, (double)msg->corners[i].y_m};
	return z;
}

static bool same_zone(const struct cairn_plan_zone *a, const struct cairn_plan_zone *b)
{
	return a->keepout == b->keepout && a->speed_max_mps == b->speed_max_mps && a->count == b->count &&
	       memcmp(a->corners, b->corners, a->count * sizeof(a->corners[0])) == 0;
}

bool cairn_planner_zones(struct cairn_planner *p, const struct cairn_msg_zones *zones)
{
	struct cairn_plan_zone wanted[CAIRN_PLAN_ZONES_MAX];
	int count = 0;
	for (uint32_t i = 0; i < zones->items_count && count < CAIRN_PLAN_ZONES_MAX; i++) {
		wanted[count] = from_message(p, &zones->items[i]);
		if (cairn_polygon_valid(wanted[count].corners, wanted[count].count))
			count++;
		else
			p->rejects++;
	}
	const struct cairn_costmap *cm = &p->costmap;
	bool same = count == cm->zone_count;
	for (int i = 0; i < count && same; i++)
		same = same_zone(&wanted[i], &cm->zones[i]);
	if (same)
		return true; /* repeated once a second: nothing to lay anew */
	struct cairn_pose2 pose = {p->pose.x_m, p->pose.y_m, p->pose.yaw_rad};
	cairn_costmap_set_zones(&p->costmap, wanted, count, p->trace_count > 0 ? &pose : NULL);
	cairn_costmap_set_claimed(&p->costmap, p->claimed, p->claimed_count);
	p->grid_fresh = true; /* the path in use is looked at again */
	return true;
}
