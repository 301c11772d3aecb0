/* geom.h - planar poses and angles.
 *
 * REP-103 axes: x forward, y left, yaw counter-clockwise from +x. SI units. Everything is a value; nothing
 * allocates or fails. Not-a-number in gives not-a-number out: callers check their inputs where they arrive. */
#ifndef CAIRN_COMMON_BASE_GEOM_H
#define CAIRN_COMMON_BASE_GEOM_H

#include <math.h>
#include <stdint.h>

#define CAIRN_NS_PER_S INT64_C(1000000000)
#define CAIRN_NS_PER_MS INT64_C(1000000)

struct cairn_vec2 {
	double x_m, y_m;
};

struct cairn_pose2 {
	double x_m, y_m, yaw_rad;
};

/* Body velocity of an Ackermann base at the middle of its rear axle: forward speed and yaw rate. */
struct cairn_twist {
	double v_mps, w_radps;
};

static inline double cairn_deg_to_rad(double deg)
{
	return deg * (M_PI / 180.0);
}

static inline double cairn_rad_to_deg(double rad)
{
	return rad * (180.0 / M_PI);
}

/* To one decimal, as it is printed by %.1f, but never "-0.0". */
static inline double cairn_tenth(double x)
{
	return round(10.0 * x) / 10.0 + 0.0;
}

static inline double cairn_clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* fmin() and fmax() of numbers, without their calls. Not a number in a gives b. */
static inline double cairn_smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double cairn_larger(double a, double b)
{
	return a > b ? a : b;
}

/* Whether hypot(x_m, y_m) is less (-1), the same (0) or more (1) than a limit that is not negative; nearly
 * always without its call. Not a number is none of them: 0. */
static inline int cairn_compare_distance(double x_m, double y_m, double limit_m)
{
	double d2 = x_m * x_m + y_m * y_m, limit2 = limit_m * limit_m;
	if (fabs(d2 - limit2) > 1e-9 * limit2)
		return d2 < limit2 ? -1 : 1;
	double d = hypot(x_m, y_m);
	return (d > limit_m) - (d < limit_m);
}

/* The same angle in (-pi, pi]. */
static inline double cairn_wrap_rad(double rad)
{
	if (fabs(rad) < M_PI)
		return rad; /* what remainder() would say, without the call */
	double r = remainder(rad, 2.0 * M_PI);
	return r <= -M_PI ? r + 2.0 * M_PI : r;
}

/* cairn_pose_compose() for who keeps the cosine and sine of a's yaw. */
static inline struct cairn_pose2 cairn_pose_compose_turned(
    struct cairn_pose2 a, double c, double s, struct cairn_pose2 b)
{
	return (struct cairn_pose2){a.x_m + c * b.x_m - s * b.y_m, a.y_m + s * b.x_m + c * b.y_m,
	    cairn_wrap_rad(a.yaw_rad + b.yaw_rad)};
}

/* a (+) b: the pose b, given in the frame of a, in a's parent frame. */
static inline struct cairn_pose2 cairn_pose_compose(struct cairn_pose2 a, struct cairn_pose2 b)
{
	return cairn_pose_compose_turned(a, cos(a.yaw_rad), sin(a.yaw_rad), b);
}

static inline struct cairn_pose2 cairn_pose_inverse(struct cairn_pose2 a)
{
	double c = cos(a.yaw_rad), s = sin(a.yaw_rad);
	return (struct cairn_pose2){
	    -c * a.x_m - s * a.y_m, s * a.x_m - c * a.y_m, cairn_wrap_rad(-a.yaw_rad)};
}

/* inverse(a) (+) b: the pose b as seen from a. */
static inline struct cairn_pose2 cairn_pose_between(struct cairn_pose2 a, struct cairn_pose2 b)
{
	return cairn_pose_compose(cairn_pose_inverse(a), b);
}

/* A point given in the frame of a, in a's parent frame. */
static inline struct cairn_vec2 cairn_pose_apply(struct cairn_pose2 a, struct cairn_vec2 p)
{
	double c = cos(a.yaw_rad), s = sin(a.yaw_rad);
	return (struct cairn_vec2){a.x_m + c * p.x_m - s * p.y_m, a.y_m + s * p.x_m + c * p.y_m};
}

/* Compass degrees 0..360 for people and models: clockwise, 0 ("N") is the way the robot faced when it
 * started (yaw 0 of the map frame). */
static inline double cairn_compass_deg(double yaw_rad)
{
	double d = fmod(-cairn_rad_to_deg(yaw_rad), 360.0);
	return d < 0.0 ? d + 360.0 : d + 0.0; /* no zero with a sign */
}

/* The same as a whole number, 0 to 359; 0 of what is no number. */
static inline int cairn_compass_whole_deg(double yaw_rad)
{
	double d = cairn_compass_deg(yaw_rad);
	return isfinite(d) ? (int)lround(d) % 360 : 0;
}

/* "N", "NE", ... of compass degrees; eight points, each 45 degrees wide. */
static inline const char *cairn_compass_point(double compass_deg)
{
	static const char *const points[8] = {"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
	return points[(unsigned)(int)floor(fmod(compass_deg + 22.5, 360.0) / 45.0) & 7u];
}

/* Where motion along an arc of constant twist leads in dt_s seconds, seen from where it begins. Exact
 * integration. The yaw is not wrapped. */
static inline struct cairn_pose2 cairn_twist_step(struct cairn_twist t, double dt_s)
{
	double dth = t.w_radps * dt_s, d = t.v_mps * dt_s;
	double half = 0.5 * dth, c = cos(half), s = sin(half);
	double chord = fabs(half) < 1e-6 ? d : d * s / half;
	return (struct cairn_pose2){chord * c, chord * s, dth};
}

/* The same from pose. */
static inline struct cairn_pose2 cairn_pose_advance(
    struct cairn_pose2 pose, struct cairn_twist t, double dt_s)
{
	return cairn_pose_compose(pose, cairn_twist_step(t, dt_s));
}

#endif
