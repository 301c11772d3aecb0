#include "common/safety/motor_spin.h"

#include <math.h>

#include "common/safety/motor_gate.h"

#define HOLD_MPS 0.01 /* of the corner: a lower limit is not worth creeping at */
#define UNHOLD_MPS 0.02
#define STANDS_MPS 0.02 /* slower than this the robot does not drive any more */
#define LAG_S 0.12      /* until the wheels follow */

static double reach_m(const struct cairn_motor *m)
{
	return m->params.monitor.reach_m;
}

static bool can(const struct cairn_motor *m)
{
	return m->params.monitor.turn_rate_max_radps > 0.0;
}

double cairn_motor_spin_radps(const struct cairn_motor *m)
{
	return m->spin.tip.v_mps == 0.0 ? 0.0 : m->spin.tip.v_mps / reach_m(m);
}

void cairn_motor_spin_watch(struct cairn_motor *m, bool measured, double since_s, double dt_s)
{
	struct cairn_motor_spin *s = &m->spin;
	if (!can(m))
		return;
	s->turning_radps += (cairn_motor_spin_radps(m) - s->turning_radps) * fmin(since_s / LAG_S, 1.0);
	s->turned_rad += s->turning_radps * since_s;
	/* What it turns while it drives is a matter of its curvature. */
	bool stands = m->smooth.v_mps == 0.0 && fabs(m->measured.v_mps) < STANDS_MPS;
	cairn_wheel_check_step(&s->wheels, &m->params.wheels, s->tip.v_mps, measured,
	    stands ? m->measured.w_radps * reach_m(m) : 0.0, dt_s);
}

void cairn_motor_spin_stop(struct cairn_motor *m)
{
	cairn_velocity_smoother_force(&m->spin.tip, 0.0);
}

/* What the turn in hand may have, whatever was asked. */
static void cap(struct cairn_motor *m, struct cairn_twist driven)
{
	double tip = m->spin.tip.v_mps;
	if (tip == 0.0)
		return;
	double limit = fmin(cairn_monitor_spin_limit(&m->monitor, tip > 0.0, driven.w_radps).limit_mps,
	    cairn_dynamic_obstacles_spin_limit(&m->monitor.movers, m->pose, m->t_ns).limit_mps);
	if (m->spin.held || cairn_motor_barred(m, false) != CAIRN_ZONE_FREE ||
	    cairn_motor_barred(m, true) != CAIRN_ZONE_FREE)
		limit = 0.0;
	if (fabs(tip) > limit)
		cairn_velocity_smoother_force(&m->spin.tip, copysign(limit, tip));
}

void cairn_motor_spin_brake(struct cairn_motor *m, struct cairn_twist driven, double dt_s)
{
	cairn_velocity_smoother_brake(&m->spin.tip, &m->params.smooth, dt_s);
	m->spin.held = false;
	cap(m, driven);
}

/* What else holds a turn in place. */
static struct cairn_monitor_polygon_limit others(const struct cairn_motor *m)
{
	struct cairn_monitor_polygon_limit z = cairn_monitor_polygons_spin_limit(&m->monitor.zones, m->t_ns);
	struct cairn_dynamic_obstacles_limit l =
	    cairn_dynamic_obstacles_spin_limit(&m->monitor.movers, m->pose, m->t_ns);
	if (l.limit_mps < z.limit_mps)
		z = (struct cairn_monitor_polygon_limit){
		    CAIRN_ZONE_APPROACH, l.limit_mps, l.bearing_rad, l.distance_m, CAIRN_ZONE_NO_POINT};
	for (int forward = 0; forward < 2; forward++) { /* it sweeps both ends */
		enum cairn_monitor_polygon_verdict barred = cairn_motor_barred(m, forward != 0);
		if (barred != CAIRN_ZONE_FREE)
			z = cairn_motor_bar(barred, forward != 0);
	}
	return z;
}

/* The target within what the collision monitor allows. */
static double monitored_target(struct cairn_motor *m, struct cairn_twist driven, unsigned *conditions)
{
	double target = m->command.w_radps * reach_m(m), most = fabs(target);
	m->verdict = cairn_monitor_spin_limit(&m->monitor, target > 0.0, driven.w_radps);
	m->zone = others(m);
	double limit = fmin(m->verdict.limit_mps, m->zone.limit_mps);
	m->spin.held = limit < most && limit < (m->spin.held ? UNHOLD_MPS : HOLD_MPS);
	if (m->spin.held)
		*conditions |= CAIRN_MOTOR_BLOCKED;
	else if (limit < most)
		*conditions |= CAIRN_MOTOR_SLOWED;
	return m->spin.held ? 0.0 : copysign(fmin(most, limit), target);
}

void cairn_motor_spin_step(
    struct cairn_motor *m, struct cairn_twist driven, double dt_s, unsigned *conditions)
{
	double target = 0.0;
	if (!can(m))
		return;
	bool asked = m->command.v_mps == 0.0 && m->command.w_radps != 0.0;
	bool drives = m->smooth.v_mps != 0.0 || fabs(driven.v_mps) >= STANDS_MPS;
	if (!asked)
		m->spin.held = false;
	else if (!drives)
		target = monitored_target(m, driven, conditions);
	cairn_velocity_smoother_step(&m->spin.tip, &m->params.smooth, target, dt_s);
	cap(m, driven);
}
