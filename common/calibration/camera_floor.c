#include "common/calibration/camera_floor.h"

#include <math.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/rng.h"

#define POINTS_MAX 4096
#define DEPTH_MIN_M 0.1
#define DEPTH_MAX_M 6.0
#define TRIES 400
#define NEAR_M 0.01      /* a point of the floor is so near to it */
#define NEAR_SHARE 0.015 /* and so much of its depth */
#define BELOW 3.0        /* a point this many times as far below is below */
#define BELOW_COST 3     /* points near the plane that one below weighs */
#define ROLL_MAX_RAD 0.4
#define PITCH_MAX_RAD 1.4
#define HEIGHT_MIN_M 0.03
#define HEIGHT_MAX_M 2.0
#define REFINED 4
#define SHARE_MIN 0.15
#define ALIKE 4.0 /* square root of how many neighbours err together */
#define FLAT_RAD 0.004
#define FLAT_M 0.004 /* floors, and what is not known of the lens */

struct point {
	double p[3], tol_m;
};

struct plane {
	double n[3], height_m;
};

/* As a camera without that roll would see them. */
static uint32_t take_points(
    struct point *pts, const uint16_t *depth_mm, uint32_t w, uint32_t h, double hfov_rad, double roll_rad)
{
	double f = 0.5 * w / tan(0.5 * hfov_rad), c = cos(roll_rad), s = sin(roll_rad);
	uint32_t step = 1, count = 0;
	while ((uint64_t)(w / step + 1) * (h / step + 1) > POINTS_MAX)
		step++;
	for (uint32_t v = step / 2; v < h; v += step) {
		for (uint32_t u = step / 2; u < w && count < POINTS_MAX; u += step) {
			double d = depth_mm[(size_t)v * w + u] * 1e-3;
			if (d < DEPTH_MIN_M || d > DEPTH_MAX_M)
				continue;
			double right = (u + 0.5 - 0.5 * w) * d / f, down = (v + 0.5 - 0.5 * h) * d / f;
			pts[count++] = (struct point){
			    {c * right - s * down, s * right + c * down, d}, NEAR_M + NEAR_SHARE * d};
		}
	}
	return count;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The plane a.P = 1; false when it cannot be a floor. */
static bool plane_from(const double a[3], struct plane *ret)
{
	double height_m = 1.0 / sqrt(dot(a, a));
	if (!(height_m > HEIGHT_MIN_M && height_m < HEIGHT_MAX_M))
		return false;
	for (int i = 0; i < 3; i++)
		ret->n[i] = a[i] * height_m;
	ret->height_m = height_m;
	return ret->n[1] > 0.0 && fabs(ret->n[0]) < sin(ROLL_MAX_RAD) && fabs(ret->n[2]) < sin(PITCH_MAX_RAD);
}

/* Inverse by cofactors; false: there is none. */
static bool invert(double m[3][3], double ret[3][3])
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			int r1 = (k + 1) % 3, r2 = (k + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
			ret[i][k] = m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1];
		}
	double det = m[0][0] * ret[0][0] + m[0][1] * ret[1][0] + m[0][2] * ret[2][0];
	for (int i = 0; i < 9; i++)
		ret[i / 3][i % 3] /= det;
	return isfinite(1.0 / det);
}

static bool through_three(const struct point *pts, uint32_t count, struct cairn_rng *rng, struct plane *ret)
{
	double m[3][3], inverse[3][3], a[3];
	for (int i = 0; i < 3; i++)
		memcpy(m[i], pts[cairn_rng_u32(rng) % count].p, sizeof(m[i]));
	if (!invert(m, inverse))
		return false;
	for (int i = 0; i < 3; i++)
		a[i] = inverse[i][0] + inverse[i][1] + inverse[i][2];
	return plane_from(a, ret);
}

/* Points near it, less what lies below. */
static int score(const struct point *pts, uint32_t count, const struct plane *plane, uint32_t *ret_near)
{
	int near = 0, below = 0;
	for (uint32_t i = 0; i < count; i++) {
		double down_m = dot(plane->n, pts[i].p) - plane->height_m;
		near += fabs(down_m) < pts[i].tol_m;
		below += down_m > BELOW * pts[i].tol_m;
	}
	*ret_near = (uint32_t)near;
	return near - BELOW_COST * below;
}

/* Least squares of a.P = 1 over what is near; cov is that of a. */
static bool refine(const struct point *pts, uint32_t count, struct plane *plane, double cov[3][3])
{
	double m[3][3] = {{0}}, to[3] = {0}, a[3], sum = 0.0;
	int n = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct point *q = &pts[i];
		double off_m = dot(plane->n, q->p) - plane->height_m, weight = 1.0 / (q->tol_m * q->tol_m);
		if (fabs(off_m) >= q->tol_m)
			continue;
		for (int r = 0; r < 3; r++) {
			to[r] += weight * q->p[r];
			for (int c = 0; c < 3; c++)
				m[r][c] += weight * q->p[r] * q->p[c];
		}
		sum += weight * off_m * off_m / (plane->height_m * plane->height_m);
		n++;
	}
	if (n < 4 || !invert(m, cov))
		return false;
	for (int i = 0; i < 3; i++)
		a[i] = dot(cov[i], to);
	for (int i = 0; i < 9; i++)
		cov[i / 3][i % 3] *= sum / (n - 3);
	return plane_from(a, plane);
}

static void tell(
    const struct plane *plane, double cov[3][3], double near_roll_rad, struct cairn_camera_floor *ret)
{
	double along[3], h = plane->height_m;
	ret->pitch_rad = asin(cairn_clamp(plane->n[2], -1.0, 1.0));
	ret->roll_rad = cairn_wrap_rad(near_roll_rad + atan2(plane->n[0], plane->n[1]));
	ret->height_m = h;
	for (int i = 0; i < 3; i++)
		along[i] = dot(cov[i], plane->n);
	ret->sd_height_m = hypot(ALIKE * h * h * sqrt(fmax(0.0, dot(along, plane->n))), FLAT_M);
	ret->sd_pitch_rad =
	    hypot(ALIKE * h * sqrt(fmax(0.0, cov[2][2])) / fmax(0.2, cos(ret->pitch_rad)), FLAT_RAD);
	ret->sd_roll_rad =
	    hypot(ALIKE * h * sqrt(fmax(0.0, cov[0][0])) / fmax(0.2, cos(ret->pitch_rad)), FLAT_RAD);
}

bool cairn_camera_floor_found(const uint16_t *depth_mm, uint32_t width_px, uint32_t height_px,
    double hfov_rad, double near_roll_rad, uint64_t seed, struct cairn_camera_floor *ret,
    struct cairn_error *err)
{
	struct point pts[POINTS_MAX];
	struct plane best = {{0}, 0.0}, plane;
	struct cairn_rng rng;
	double cov[3][3];
	uint32_t count = take_points(pts, depth_mm, width_px, height_px, hfov_rad, near_roll_rad), near = 0;
	int most = 0;
	cairn_rng_seed(&rng, seed, 1);
	for (int i = 0; i < TRIES && count >= 3; i++) {
		int s = through_three(pts, count, &rng, &plane) ? score(pts, count, &plane, &near) : 0;
		if (s > most) {
			most = s;
			best = plane;
		}
	}
	bool ok = most > 0;
	for (int i = 0; ok && i < REFINED; i++)
		ok = refine(pts, count, &best, cov);
	if (ok)
		(void)score(pts, count, &best, &near);
	if (!ok || near < SHARE_MIN * count) {
		cairn_error_set(
		    err, count < POINTS_MAX / 20
			     ? "the depth picture is nearly empty: is the camera covered, or too near "
			       "to something?"
			     : "no floor to be seen in it: give the robot a metre or two of free, "
			       "level floor ahead");
		return false;
	}
	*ret = (struct cairn_camera_floor){.share = (double)near / count};
	tell(&best, cov, near_roll_rad, ret);
	return true;
}
