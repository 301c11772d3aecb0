#include "common/scan/scan_shift.h"

#include "common/base/symmetric3.h"

#include <math.h>

#define NEIGHBOURS 20 /* to each side, in the order of the revolution */
#define NEAR_M                                                                                               \
	0.15 /* neighbours are of one surface within this, and NEAR_SHARE of the range more. Of fewer the noise */
#define NEAR_SHARE 0.05  /* would tilt the lines, and a corridor would seem to tell the way along it */
#define LINE_POINTS 5    /* at the least */
#define FLATNESS 0.15    /* variance across by variance along, at the most */
#define POINTS_USED 180  /* of a revolution */
#define STEPS 14         /* of the search, at the most */
#define STEPS_FAR 4      /* the first ones */
#define DONE_M 1e-4      /* a smaller step ends it */
#define REACH_M 0.40     /* returns are drawn to lines within this, ... */
#define REACH_END_M 0.10 /* ... in later steps within this */
#define SCALE_M 0.03     /* one that is so far off counts half */
#define ON_LINE_M 0.04
#define NOISE_M 0.012 /* of a return across its line, errors of the line included */
#define CLUSTER 3.0   /* neighbouring returns share their errors: so many count as one */
#define PRIOR_M 0.5   /* along a corridor nothing is known: so much */
#define PRIOR_RAD 0.5
#define DETERMINANT_MIN 1e-12 /* of the normal equations */
#define MATCHED_MIN 40

static int bin_of(float x, float y)
{
	int bin = (int)((atan2f(y, x) + (float)M_PI) * (float)(CAIRN_SHIFT_BINS / (2.0 * M_PI)));
	return bin < 0 ? 0 : bin >= CAIRN_SHIFT_BINS ? CAIRN_SHIFT_BINS - 1 : bin;
}

/* Unit normal of the line through the neighbours of point i; false: they are none. */
static bool normal_at(const struct cairn_points *p, size_t i, float *ret_nx, float *ret_ny)
{
	double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0;
	double xi = (double)p->x_m[i], yi = (double)p->y_m[i], near_m = NEAR_M + NEAR_SHARE * hypot(xi, yi);
	for (int d = -NEIGHBOURS; d <= NEIGHBOURS; d++) {
		size_t k = (i + p->count + (size_t)(d + NEIGHBOURS) - NEIGHBOURS) % p->count;
		double x = (double)p->x_m[k] - xi, y = (double)p->y_m[k] - yi;
		if (x * x + y * y > near_m * near_m)
			continue;
		n += 1.0;
		sx += x, sy += y;
		sxx += x * x, sxy += x * y, syy += y * y;
	}
	if (n < LINE_POINTS)
		return false;
	double a = sxx / n - sx * sx / (n * n), b = sxy / n - sx * sy / (n * n),
	       c = syy / n - sy * sy / (n * n);
	double mean = 0.5 * (a + c), off = hypot(0.5 * (a - c), b);
	if (mean - off > FLATNESS * (mean + off))
		return false;
	double along = 0.5 * atan2(2.0 * b, a - c);
	*ret_nx = (float)-sin(along);
	*ret_ny = (float)cos(along);
	return true;
}

void cairn_shift_lines_from(struct cairn_shift_lines *l, const struct cairn_points *p)
{
	static const size_t room = CAIRN_SHIFT_LINES;
	size_t every = p->count / room + 1, used = 0;
	uint16_t bins[CAIRN_SHIFT_LINES];
	uint16_t of[CAIRN_SHIFT_LINES];
	float nx[CAIRN_SHIFT_LINES], ny[CAIRN_SHIFT_LINES];
	memset(l->first, 0, sizeof(l->first));
	for (size_t i = 0; i < p->count && used < room; i += every) {
		if (!normal_at(p, i, &nx[used], &ny[used]))
			continue;
		of[used] = (uint16_t)i;
		bins[used] = (uint16_t)bin_of(p->x_m[i], p->y_m[i]);
		l->first[bins[used++] + 1]++;
	}
	for (int b = 0; b < CAIRN_SHIFT_BINS; b++)
		l->first[b + 1] += l->first[b];
	uint32_t at[CAIRN_SHIFT_BINS];
	memcpy(at, l->first, sizeof(at));
	for (size_t k = 0; k < used; k++) {
		uint32_t to = at[bins[k]]++;
		l->x_m[to] = p->x_m[of[k]];
		l->y_m[to] = p->y_m[of[k]];
		l->nx[to] = nx[k];
		l->ny[to] = ny[k];
	}
	l->count = (uint32_t)used;
}

/* The line nearest to a place, within reach_m; -1: none. */
static int nearest_line(const struct cairn_shift_lines *l, float x, float y, float reach_m)
{
	float r = fmaxf(hypotf(x, y), 0.1f), best = reach_m * reach_m;
	int half = (int)ceilf(asinf(fminf(reach_m / r, 0.7f)) * (float)(CAIRN_SHIFT_BINS / (2.0 * M_PI))) + 1;
	int at = bin_of(x, y), found = -1;
	for (int d = -half; d <= half; d++) {
		int b = (at + d + CAIRN_SHIFT_BINS) % CAIRN_SHIFT_BINS;
		for (uint32_t i = l->first[b]; i < l->first[b + 1]; i++) {
			float dx = l->x_m[i] - x, dy = l->y_m[i] - y, d2 = dx * dx + dy * dy;
			if (d2 < best) {
				best = d2;
				found = (int)i;
			}
		}
	}
	return found;
}

static size_t stride_of(const struct cairn_points *p)
{
	return p->count / POINTS_USED + 1;
}

double cairn_shift_fit(
    const struct cairn_shift_lines *l, const struct cairn_points *p, struct cairn_pose2 moved)
{
	size_t on = 0, all = 0;
	for (size_t i = 0; i < p->count; i += stride_of(p)) {
		struct cairn_vec2 at =
		    cairn_pose_apply(moved, (struct cairn_vec2){(double)p->x_m[i], (double)p->y_m[i]});
		int k = nearest_line(l, (float)at.x_m, (float)at.y_m, (float)REACH_END_M);
		all++;
		if (k < 0)
			continue;
		double off_m = (at.x_m - (double)l->x_m[k]) * (double)l->nx[k] +
			       (at.y_m - (double)l->y_m[k]) * (double)l->ny[k];
		on += fabs(off_m) <= ON_LINE_M;
	}
	return all > 0 ? (double)on / (double)all : 0.0;
}

/* Normal equations of one step: h is symmetric, about x, y and the heading. */
struct equations {
	double h[3][3], g[3];
	int matched;
};

static void add_row(struct equations *e, const double j[3], double off_m)
{
	double w = 1.0 / (1.0 + off_m * off_m / (SCALE_M * SCALE_M));
	for (int r = 0; r < 3; r++) {
		e->g[r] += w * j[r] * off_m;
		for (int c = 0; c < 3; c++)
			e->h[r][c] += w * j[r] * j[c];
	}
	e->matched++;
}

static struct equations lay_over(
    const struct cairn_shift_lines *l, const struct cairn_points *p, struct cairn_pose2 moved, double reach_m)
{
	struct equations e = {.matched = 0};
	double c = cos(moved.yaw_rad), s = sin(moved.yaw_rad);
	for (size_t i = 0; i < p->count; i += stride_of(p)) {
		double px = (double)p->x_m[i], py = (double)p->y_m[i];
		double rx = c * px - s * py, ry = s * px + c * py, x = rx + moved.x_m, y = ry + moved.y_m;
		int k = nearest_line(l, (float)x, (float)y, (float)reach_m);
		if (k < 0)
			continue;
		double nx = (double)l->nx[k], ny = (double)l->ny[k];
		double off_m = (x - (double)l->x_m[k]) * nx + (y - (double)l->y_m[k]) * ny;
		add_row(&e, (const double[3]){nx, ny, -ry * nx + rx * ny}, off_m);
	}
	return e;
}

/* What is known besides: the guess, poorly. It keeps what the returns cannot tell where it was. */
static void add_prior(struct equations *e, struct cairn_pose2 guess, struct cairn_pose2 at)
{
	double noise = CLUSTER * NOISE_M * NOISE_M;
	double by_m = noise / (PRIOR_M * PRIOR_M), by_rad = noise / (PRIOR_RAD * PRIOR_RAD);
	e->h[0][0] += by_m;
	e->h[1][1] += by_m;
	e->h[2][2] += by_rad;
	e->g[0] += by_m * (at.x_m - guess.x_m);
	e->g[1] += by_m * (at.y_m - guess.y_m);
	e->g[2] += by_rad * cairn_wrap_rad(at.yaw_rad - guess.yaw_rad);
}

bool cairn_shift_find(const struct cairn_shift_lines *l, const struct cairn_points *p,
    struct cairn_pose2 guess, struct cairn_shift *ret)
{
	struct cairn_pose2 at = guess;
	double cov[3][3];
	for (int step = 0; step < STEPS; step++) {
		struct equations e = lay_over(l, p, at, step < STEPS_FAR ? REACH_M : REACH_END_M);
		if (e.matched < MATCHED_MIN)
			return false;
		add_prior(&e, guess, at);
		if (!(cairn_symmetric3_invert((const double(*)[3])e.h, cov) > DETERMINANT_MIN))
			return false;
		double by[3];
		for (int r = 0; r < 3; r++)
			by[r] = -(cov[r][0] * e.g[0] + cov[r][1] * e.g[1] + cov[r][2] * e.g[2]);
		at = (struct cairn_pose2){at.x_m + by[0], at.y_m + by[1], cairn_wrap_rad(at.yaw_rad + by[2])};
		if (step > STEPS_FAR && hypot(by[0], by[1]) < DONE_M && fabs(by[2]) < DONE_M)
			break;
	}
	double noise_m = sqrt(CLUSTER) * NOISE_M;
	*ret = (struct cairn_shift){.moved = at,
	    .sd_m = {noise_m * sqrt(cov[0][0]), noise_m * sqrt(cov[1][1])},
	    .sd_rad = noise_m * sqrt(cov[2][2]),
	    .fit = cairn_shift_fit(l, p, at)};
	return true;
}
