#include "common/safety/lean_check.h"

#include <math.h>
#include <string.h>

#define LEARN_S 1.0
#define MEAN_S 0.25
#define GAP_MAX_S 0.5 /* after a longer silence the mean begins anew */
#define AGAIN_SHARE 0.8
#define UPRIGHT_S 1.0
#define REST_MIN_MPS2                                                                                        \
	7.0 /* a sensor at rest shows gravity; one that does not is not there, or has other units */
#define REST_MAX_MPS2 13.0

static double length_of(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void learn(struct cairn_lean_check *c, const double a[3], bool stands, double dt_s)
{
	double size = length_of(a);
	if (!stands || size < REST_MIN_MPS2 || size > REST_MAX_MPS2) {
		memset(c->level, 0, sizeof(c->level));
		c->level_s = 0.0;
		return;
	}
	for (int i = 0; i < 3; i++)
		c->level[i] += a[i] * dt_s;
	c->level_s += dt_s;
	if (c->level_s < LEARN_S)
		return;
	double all = length_of(c->level);
	for (int i = 0; i < 3; i++) {
		c->level[i] /= all;
		c->mean[i] = a[i];
	}
	c->known = true;
}

bool cairn_lean_check_step(
    struct cairn_lean_check *c, double limit_rad, const double a[3], bool stands, int64_t now_ns)
{
	double since_s = c->t_ns != 0 ? (double)(now_ns - c->t_ns) * 1e-9 : 0.0;
	c->t_ns = now_ns;
	if (!isfinite(a[0] + a[1] + a[2]) || since_s < 0.0)
		return c->leans;
	if (!c->known) {
		learn(c, a, stands, fmin(since_s, GAP_MAX_S));
		return false;
	}
	double share = since_s > GAP_MAX_S ? 1.0 : fmin(since_s / MEAN_S, 1.0), dot = 0.0;
	for (int i = 0; i < 3; i++) {
		c->mean[i] += share * (a[i] - c->mean[i]);
		dot += c->mean[i] * c->level[i];
	}
	c->lean_rad = acos(fmax(-1.0, fmin(1.0, dot / fmax(length_of(c->mean), 1e-6))));
	if (!(limit_rad > 0.0))
		return c->leans = false;
	c->upright_s = c->lean_rad < AGAIN_SHARE * limit_rad ? c->upright_s + since_s : 0.0;
	if (c->lean_rad > limit_rad)
		c->leans = true;
	else if (c->upright_s > UPRIGHT_S)
		c->leans = false;
	return c->leans;
}
