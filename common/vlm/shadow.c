#include "common/vlm/shadow.h"

#include <math.h>

#define NEAR_M 0.2 /* nearer than this a place has no direction */

bool cairn_decision_place(const struct cairn_msg_decision *d, const struct cairn_msg_frontiers *frontiers,
    const struct cairn_msg_candidates *candidates, struct cairn_vec2 *ret)
{
	if (d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return false;
	if (d->goal_kind == CAIRN_GOAL_KIND_COORDINATES || d->goal_kind == CAIRN_GOAL_KIND_RETRACE) {
		bool point = d->goal_kind == CAIRN_GOAL_KIND_COORDINATES;
		*ret = (struct cairn_vec2){point ? d->x_m : 0.0, point ? d->y_m : 0.0};
		return true;
	}
	for (uint32_t i = 0; d->goal_kind == CAIRN_GOAL_KIND_FRONTIER && i < frontiers->items_count; i++) {
		const struct cairn_msg_frontier *f = &frontiers->items[i];
		if (f->id == d->frontier_id) {
			*ret = (struct cairn_vec2){f->goal_x_m, f->goal_y_m};
			return true;
		}
	}
	for (uint32_t i = 0;
	     d->goal_kind == CAIRN_GOAL_KIND_CANDIDATE && candidates != NULL && i < candidates->items_count;
	     i++) {
		if (candidates->items[i].id == d->candidate_id) {
			*ret = (struct cairn_vec2){candidates->items[i].x_m, candidates->items[i].y_m};
			return true;
		}
	}
	return false;
}

/* Map direction of a decision that names no place. */
static bool heading_of(const struct cairn_msg_decision *d, double *ret_rad)
{
	static const double turn_deg[CAIRN_DIRECTION_COUNT] = {[CAIRN_DIRECTION_FORWARD_LEFT] = 35.0,
	    [CAIRN_DIRECTION_FORWARD_RIGHT] = -35.0,
	    [CAIRN_DIRECTION_LEFT] = 70.0,
	    [CAIRN_DIRECTION_RIGHT] = -70.0,
	    [CAIRN_DIRECTION_BACKWARD] = 180.0};
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD)
		*ret_rad = d->snapshot_yaw_rad + cairn_deg_to_rad(turn_deg[d->direction]);
	else if (d->tool == CAIRN_TOOL_ROTATE)
		*ret_rad = d->snapshot_yaw_rad - cairn_deg_to_rad(d->angle_deg);
	return d->tool == CAIRN_TOOL_MOVE_TOWARD || d->tool == CAIRN_TOOL_ROTATE;
}

enum cairn_shadow cairn_shadow_judge(const struct cairn_msg_decision *d,
    const struct cairn_msg_frontiers *frontiers, const struct cairn_msg_candidates *candidates,
    struct cairn_vec2 local)
{
	struct cairn_vec2 place;
	double dx = local.x_m - d->snapshot_x_m, dy = local.y_m - d->snapshot_y_m, heading_rad;
	if (d->tool == CAIRN_TOOL_STOP_ROBOT)
		return CAIRN_SHADOW_DIFFERS;
	if (cairn_decision_place(d, frontiers, candidates, &place)) {
		if (hypot(place.x_m - local.x_m, place.y_m - local.y_m) <= CAIRN_SHADOW_SAME_M)
			return CAIRN_SHADOW_AGREES;
		double px = place.x_m - d->snapshot_x_m, py = place.y_m - d->snapshot_y_m;
		if (hypot(px, py) < NEAR_M)
			return CAIRN_SHADOW_UNKNOWN;
		heading_rad = atan2(py, px);
	} else if (!heading_of(d, &heading_rad)) {
		return CAIRN_SHADOW_UNKNOWN;
	}
	if (hypot(dx, dy) < NEAR_M)
		return CAIRN_SHADOW_UNKNOWN;
	return fabs(cairn_wrap_rad(heading_rad - atan2(dy, dx))) <= CAIRN_SHADOW_SAME_RAD
		   ? CAIRN_SHADOW_AGREES
		   : CAIRN_SHADOW_DIFFERS;
}
