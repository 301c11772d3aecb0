/* run_naive.c - in the sequencer's place when it is off: whatever is asked for is asked of the motor stage,
 * for as long as was said, with nothing looked at. */
#include <math.h>

#include "common/eval/run_private.h"
#include "common/config/speeds.h"
#include "common/safety/safe_velocity.h"

#define STEP_S 0.05
#define PAUSE_S 0.3
#define TURN_MPS 0.12
#define NAV_S 60.0

bool run_naive_wants(const struct cairn_run *r)
{
	return r->naive.left_s <= 0.0;
}

void run_naive_decision(struct cairn_run *r, const struct cairn_msg_decision *d)
{
	struct run_naive *n = &r->naive;
	n->d = *d;
	n->left_s = PAUSE_S;
	n->active = true;
	n->goal.active = false;
	if (d->tool == CAIRN_TOOL_MOVE_TOWARD || d->tool == CAIRN_TOOL_COUNT)
		n->left_s = fmin(fmax(d->duration_s, 0.0), 8.0);
	else if (d->tool == CAIRN_TOOL_ROTATE)
		n->left_s = fmin(fabs(cairn_deg_to_rad(d->angle_deg)) * 0.32 / TURN_MPS, 60.0);
	if (d->tool != CAIRN_TOOL_NAVIGATE_TO_GOAL)
		return;
	n->left_s = NAV_S;
	n->goal = (struct cairn_msg_nav_goal){.id = n->goal.id + 1,
	    .active = true,
	    .x_m = d->x_m,
	    .y_m = d->y_m,
	    .tolerance_m = r->cfg->nav.goal_tolerance_m,
	    .speed_max_mps = cairn_cruise_mps(r->cfg)};
	for (uint32_t i = 0; d->goal_kind == CAIRN_GOAL_KIND_FRONTIER && i < r->frontiers.items_count; i++) {
		const struct cairn_msg_frontier *f = &r->frontiers.items[i];
		if (f->id == d->frontier_id) {
			n->goal.x_m = f->goal_x_m;
			n->goal.y_m = f->goal_y_m;
		}
	}
}

struct cairn_twist run_naive_step(struct cairn_run *r)
{
	struct run_naive *n = &r->naive;
	struct cairn_twist zero = {0};
	if (!n->active || n->left_s <= 0.0)
		return zero;
	n->left_s -= STEP_S;
	bool forward = true;
	if (n->d.tool == CAIRN_TOOL_COUNT) /* a twist as it is, see adversary.h */
		return (struct cairn_twist){n->d.x_m, n->d.y_m};
	if (n->d.tool == CAIRN_TOOL_MOVE_TOWARD && (unsigned)n->d.direction < CAIRN_DIRECTION_COUNT &&
	    (unsigned)n->d.speed < CAIRN_SPEED_COUNT) {
		double k = cairn_safe_curvature(r->cfg, n->d.direction, &forward);
		double v = (forward ? 1.0 : -1.0) * cairn_speed_mps(n->d.speed);
		return (struct cairn_twist){v, v * k};
	}
	if (n->d.tool == CAIRN_TOOL_ROTATE) {
		double k = cairn_safe_curvature(
		    r->cfg, n->d.angle_deg < 0.0 ? CAIRN_DIRECTION_LEFT : CAIRN_DIRECTION_RIGHT, &forward);
		return (struct cairn_twist){TURN_MPS, TURN_MPS * k};
	}
	if (n->d.tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && r->plan.status.goal_id == n->goal.id &&
	    r->plan.status.state == CAIRN_NAV_STATE_REACHED)
		n->left_s = 0.0;
	if (n->d.tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && r->plan.has_velocity &&
	    r->plan.velocity.goal_id == n->goal.id)
		return (struct cairn_twist){r->plan.velocity.v_mps, r->plan.velocity.w_radps};
	return zero;
}
