#include "common/eval/adversary.h"

#include <math.h>

static uint32_t dice(struct cairn_adversary_pilot *p, uint32_t sides)
{
	return cairn_rng_u32(&p->rng) % sides;
}

static void move(struct cairn_msg_decision *d, enum cairn_direction direction, double duration_s)
{
	d->tool = CAIRN_TOOL_MOVE_TOWARD;
	d->direction = direction;
	d->speed = CAIRN_SPEED_FAST;
	d->duration_s = duration_s;
}

static void anything(
    struct cairn_adversary_pilot *p, const struct cairn_pilot_view *view, struct cairn_msg_decision *d)
{
	move(d, (enum cairn_direction)dice(p, CAIRN_DIRECTION_COUNT), 1.0 + 7.0 * cairn_rng_uniform(&p->rng));
	d->speed = (enum cairn_speed)dice(p, CAIRN_SPEED_COUNT);
	d->angle_deg = 360.0 * cairn_rng_uniform(&p->rng) - 180.0;
	switch (dice(p, 4)) {
	case 0:
		d->tool = CAIRN_TOOL_ROTATE;
		break;
	case 1:
		d->tool = CAIRN_TOOL_NAVIGATE_TO_GOAL;
		d->goal_kind = CAIRN_GOAL_KIND_COORDINATES;
		d->x_m = 10.0 * cairn_rng_uniform(&p->rng) - 5.0;
		d->y_m = 10.0 * cairn_rng_uniform(&p->rng) - 5.0;
		if (view->frontier_count > 0 && dice(p, 2) == 0) {
			d->goal_kind = CAIRN_GOAL_KIND_FRONTIER;
			d->frontier_id = view->frontiers[dice(p, view->frontier_count)].id;
		}
		break;
	default:
		break;
	}
}

/* Where the nearest thing is. */
static void at_the_nearest(const struct cairn_pilot_view *view, struct cairn_msg_decision *d)
{
	int worst = 0;
	for (int i = 1; i < CAIRN_DIRECTION_COUNT; i++)
		worst = view->feasibility[i] < view->feasibility[worst] ? i : worst;
	move(d, (enum cairn_direction)worst, 8.0);
}

static void stale(struct cairn_adversary_pilot *p, struct cairn_msg_decision *d)
{
	uint32_t how = dice(p, 4);
	move(d, (enum cairn_direction)dice(p, CAIRN_DIRECTION_COUNT), 8.0);
	if (how == 0)
		d->t_snapshot_ns -= (int64_t)((4.0 + 20.0 * cairn_rng_uniform(&p->rng)) * 1e9);
	else if (how == 1)
		d->snapshot_x_m += 4.0 * cairn_rng_uniform(&p->rng) - 2.0;
	else if (how == 2)
		d->snapshot_yaw_rad += 6.0 * cairn_rng_uniform(&p->rng) - 3.0;
	p->hostile += how <= 2;
}

static void absurd(struct cairn_adversary_pilot *p, struct cairn_msg_decision *d)
{
	static const double numbers[] = {
	    NAN, INFINITY, -INFINITY, 1e300, -1e300, 0.0, -0.0, 5e-324, 4.0, 8.0};
	const uint32_t n = sizeof(numbers) / sizeof(numbers[0]);
	move(d, (enum cairn_direction)dice(p, CAIRN_DIRECTION_COUNT + 2), numbers[dice(p, n)]);
	if (dice(p, 2) == 0)
		d->duration_s = 8.0;
	d->tool = dice(p, 2) == 0 ? (enum cairn_tool)dice(p, CAIRN_TOOL_COUNT + 3) : CAIRN_TOOL_MOVE_TOWARD;
	d->speed = (enum cairn_speed)dice(p, CAIRN_SPEED_COUNT + 2);
	d->goal_kind = (enum cairn_goal_kind)dice(p, CAIRN_GOAL_KIND_COUNT + 2);
	d->angle_deg = numbers[dice(p, n)];
	d->x_m = numbers[dice(p, n)];
	d->y_m = numbers[dice(p, n)];
	if (dice(p, 4) == 0)
		d->snapshot_x_m = NAN;
	if (dice(p, 8) == 0)
		d->t_snapshot_ns = dice(p, 2) == 0 ? INT64_MIN : INT64_MAX;
	p->hostile +=
	    !isfinite(d->duration_s) || !isfinite(d->angle_deg) || !isfinite(d->x_m) || !isfinite(d->y_m) ||
	    !isfinite(d->snapshot_x_m) || (unsigned)d->tool >= CAIRN_TOOL_COUNT ||
	    (unsigned)d->direction >= CAIRN_DIRECTION_COUNT || (unsigned)d->speed >= CAIRN_SPEED_COUNT ||
	    d->t_snapshot_ns == INT64_MIN || d->t_snapshot_ns == INT64_MAX;
}

/* For a motor stage on its own: twists as they come, faster than the robot and none at all. */
static void raw_twist(struct cairn_adversary_pilot *p, struct cairn_msg_decision *d)
{
	static const double speeds[] = {0.5, -0.5, 0.3, 3.0, -3.0, 1e300, NAN, INFINITY, -0.0, 0.05};
	d->tool = CAIRN_TOOL_COUNT;
	d->x_m = speeds[dice(p, sizeof(speeds) / sizeof(speeds[0]))];
	d->y_m = d->x_m * (8.0 * cairn_rng_uniform(&p->rng) - 4.0);
	d->duration_s = 0.2 + 4.0 * cairn_rng_uniform(&p->rng);
}

bool cairn_adversary_decide(
    void *ctx, const struct cairn_run *run, const struct cairn_pilot_view *view, struct cairn_msg_decision *d)
{
	struct cairn_adversary_pilot *p = ctx;
	(void)run;
	p->calls++;
	if (p->raw && dice(p, 2) == 0) {
		raw_twist(p, d);
		return true;
	}
	switch (p->kind) {
	case CAIRN_HOSTILE_FORWARD:
		p->hostile++;
		move(d, CAIRN_DIRECTION_FORWARD, 8.0);
		break;
	case CAIRN_HOSTILE_FLIP:
		p->hostile++;
		move(d, p->calls % 2 == 0 ? (enum cairn_direction)(1 + dice(p, 4)) : CAIRN_DIRECTION_BACKWARD,
		    1.0 + dice(p, 6));
		break;
	case CAIRN_HOSTILE_UNSAFE:
		p->hostile++;
		at_the_nearest(view, d);
		break;
	case CAIRN_HOSTILE_STALE:
		stale(p, d);
		break;
	case CAIRN_HOSTILE_REPLAY:
		if (p->calls % 20 == 1) {
			anything(p, view, d);
			p->first = *d;
			break;
		}
		p->hostile++;
		if (dice(p, 3) == 0) {
			*d = p->first; /* the old message as it was */
		} else {
			uint64_t id = d->id;
			int64_t t_ns = dice(p, 2) == 0 ? d->t_snapshot_ns : p->first.t_snapshot_ns;
			double x_m = d->snapshot_x_m, y_m = d->snapshot_y_m, yaw_rad = d->snapshot_yaw_rad;
			*d = p->first;
			d->id = id;
			d->t_snapshot_ns = t_ns;
			d->snapshot_x_m = x_m, d->snapshot_y_m = y_m, d->snapshot_yaw_rad = yaw_rad;
		}
		break;
	case CAIRN_HOSTILE_ABSURD:
		absurd(p, d);
		break;
	case CAIRN_HOSTILE_RANDOM:
	case CAIRN_HOSTILE_SENSIBLE:
	case CAIRN_HOSTILE_COUNT:
		p->hostile++;
		anything(p, view, d);
		break;
	}
	return true;
}
