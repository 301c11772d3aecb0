#include "common/safety/velocity_smoother.h"

#include <math.h>

double cairn_velocity_smoother_step(struct cairn_velocity_smoother *s,
    const struct cairn_velocity_smoother_params *p, double target_mps, double dt_s)
{
	if (!(dt_s > 0.0))
		return s->v_mps;
	/* Turning round goes through a standstill: first brake to zero, then speed up the other way. */
	double aim = s->v_mps * target_mps < 0.0 ? 0.0 : target_mps;
	double gap = aim - s->v_mps;
	if (gap == 0.0) {
		s->a_mps2 = 0.0;
		return s->v_mps;
	}
	double limit = fabs(aim) < fabs(s->v_mps) ? p->decel_mps2 : p->accel_mps2;
	/* An acceleration that the jerk limit can still take back to zero when the gap is closed: a^2 / 2j <=
	 * gap. */
	double want = copysign(fmin(limit, sqrt(2.0 * p->jerk_mps3 * fabs(gap))), gap);
	double change = p->jerk_mps3 * dt_s;
	s->a_mps2 += fmax(-change, fmin(change, want - s->a_mps2));
	if (s->a_mps2 * gap < 0.0) /* left over from the other direction */
		s->a_mps2 = 0.0;
	double step = s->a_mps2 * dt_s;
	if (fabs(step) >= fabs(gap)) {
		s->v_mps = aim;
		s->a_mps2 = 0.0;
	} else {
		s->v_mps += step;
	}
	return s->v_mps;
}

double cairn_velocity_smoother_brake(
    struct cairn_velocity_smoother *s, const struct cairn_velocity_smoother_params *p, double dt_s)
{
	double step = dt_s > 0.0 ? p->decel_mps2 * dt_s : 0.0;
	s->a_mps2 = 0.0;
	s->v_mps = fabs(s->v_mps) <= step ? 0.0 : s->v_mps - copysign(step, s->v_mps);
	return s->v_mps;
}

void cairn_velocity_smoother_force(struct cairn_velocity_smoother *s, double v_mps)
{
	s->v_mps = v_mps;
	s->a_mps2 = 0.0;
}
