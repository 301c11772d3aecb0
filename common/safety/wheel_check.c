#include "common/safety/wheel_check.h"

#include <math.h>

#define MOVES_MPS 0.05    /* measured motion below this is none */
#define STANDS_MPS 0.015  /* and this much is not even a beginning */
#define SENT_MIN_MPS 0.05 /* slower commands may be too little to overcome friction */
#define FOLLOW_SHARE 0.5  /* of the deceleration the robot is known to reach */
#define OBEYS_S 1.0
#define STANDS_FACTOR 2.0 /* a start takes longer than a stop */
#define SLACK_SHARE 0.25  /* of the speed sent: the board's controller overshoots */

/* The highest speed that what was sent still explains: rises at once and falls as slowly as the wheels may. */
static double follow(double may_mps, double sent_mps, double step_mps)
{
	double want_mps = fmax(sent_mps, 0.0) * (1.0 + SLACK_SHARE);
	return fmax(want_mps, may_mps - step_mps);
}

static void judge_running(
    struct cairn_wheel_check *c, double limit_s, double sent_mps, double measured_mps, double dt_s)
{
	bool runs = measured_mps > c->forward_mps + MOVES_MPS || measured_mps < -c->backward_mps - MOVES_MPS;
	bool opposes = runs && fabs(sent_mps) >= SENT_MIN_MPS && sent_mps * measured_mps < 0.0;
	c->opposed_m = opposes ? c->opposed_m + fabs(measured_mps) * dt_s : 0.0;
	c->opposed |= c->opposed_m > CAIRN_WHEELS_OPPOSED_M;
	c->runs_s = runs ? c->runs_s + dt_s : 0.0;
	c->obeys_s = runs ? 0.0 : c->obeys_s + dt_s;
	if (c->runs_s > limit_s && c->verdict != CAIRN_WHEELS_RUN) {
		c->verdict = CAIRN_WHEELS_RUN;
		c->sent_mps = sent_mps;
		c->alarms++;
	}
	if (c->verdict == CAIRN_WHEELS_RUN && runs)
		c->measured_mps = measured_mps;
	if (c->verdict == CAIRN_WHEELS_RUN && c->obeys_s > OBEYS_S)
		c->verdict = CAIRN_WHEELS_OBEY;
}

static void judge_standing(
    struct cairn_wheel_check *c, double limit_s, double sent_mps, double measured_mps, double dt_s)
{
	if (fabs(measured_mps) >= MOVES_MPS)
		c->retry_s = 0.0; /* they do move: the next time begins with a short wait again */
	bool stands = fabs(sent_mps) >= SENT_MIN_MPS && fabs(measured_mps) < STANDS_MPS;
	if (c->verdict == CAIRN_WHEELS_STAND) {
		c->stands_s -= dt_s;
		if (c->stands_s <= 0.0) {
			c->verdict = CAIRN_WHEELS_OBEY;
			c->stands_s = 0.0;
		}
		return;
	}
	c->stands_s = stands ? c->stands_s + dt_s : 0.0;
	if (c->stands_s <= STANDS_FACTOR * limit_s || c->verdict != CAIRN_WHEELS_OBEY)
		return;
	c->retry_s =
	    fmin(c->retry_s > 0.0 ? 2.0 * c->retry_s : CAIRN_WHEELS_RETRY_S, CAIRN_WHEELS_RETRY_MAX_S);
	c->verdict = CAIRN_WHEELS_STAND;
	c->stands_s = c->retry_s; /* from now on: what is left to wait */
	c->sent_mps = sent_mps;
	c->measured_mps = measured_mps;
	c->alarms++;
}

enum cairn_wheels cairn_wheel_check_step(struct cairn_wheel_check *c, const struct cairn_wheel_params *p,
    double sent_mps, bool measured, double measured_mps, double dt_s)
{
	double step_mps = FOLLOW_SHARE * p->decel_mps2 * dt_s;
	c->forward_mps = follow(c->forward_mps, sent_mps, step_mps);
	c->backward_mps = follow(c->backward_mps, -sent_mps, step_mps);
	if (!(p->limit_s > 0.0) || !measured) {
		/* Without a report nothing can be said: the board is out of service then, and the robot stands. */
		c->verdict = CAIRN_WHEELS_OBEY;
		c->runs_s = c->stands_s = c->obeys_s = 0.0;
		return c->verdict;
	}
	judge_running(c, p->limit_s, sent_mps, measured_mps, dt_s);
	judge_standing(c, p->limit_s, sent_mps, measured_mps, dt_s);
	return c->verdict;
}
