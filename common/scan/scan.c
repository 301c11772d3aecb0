#include "common/scan/scan.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Points of one block share a correction: 16 of 720 points last 2 ms, a fraction of a millimetre. */
#define BLOCK CAIRN_POINTS_BLOCK
#define NEAREST_SPARE_M 1e-3 /* more than single precision loses at any reach that counts */

/* Pose, in the frame at the end of the turn, of the robot left_s before it. */
static struct cairn_pose2 pose_before_end(struct cairn_twist twist, double left_s)
{
	return cairn_pose_advance((struct cairn_pose2){0}, twist, -left_s);
}

static void take_directions(struct cairn_directions *d, const struct cairn_msg_scan *scan, uint32_t n)
{
	if (cairn_directions_are(d, scan->angle_rad, n))
		return;
	d->count = n;
	memcpy(d->rad, scan->angle_rad, n * sizeof(d->rad[0]));
	for (uint32_t i = 0; i < n; i++) {
		d->c[i] = cosf(d->rad[i]);
		d->s[i] = sinf(d->rad[i]);
	}
}

void cairn_directions_keep(
    float *rad, double *c, double *s, uint32_t *count, const float *angle_rad, uint32_t n)
{
	if (*count == n && memcmp(rad, angle_rad, n * sizeof(rad[0])) == 0)
		return;
	*count = n;
	memcpy(rad, angle_rad, n * sizeof(rad[0]));
	for (uint32_t i = 0; i < n; i++) {
		c[i] = cos((double)rad[i]);
		s[i] = sin((double)rad[i]);
	}
}

/* The largest single that is not more: a single is at most the one just when it is at most the other. */
static float at_most(double x)
{
	float f = (float)x;
	return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

/* What all points of a turn share. */
struct sweep {
	const struct cairn_msg_scan *scan;
	const struct cairn_directions *directions;
	float lidar_x_m, lidar_y_m;
	float front_m, back_m, half_width_m; /* of the body: x in back..front */
};

/* From where the robot was to where it is at the end of the turn. */
struct carry {
	float c, s, x, y;
};

/* Adds so many points from first on, a block's at most, to n of them; the new number. No branches but at the
 * end: many at a time. */
static inline size_t add_block(struct cairn_points *out, size_t n, const struct sweep *w,
    const struct carry *k, size_t first, size_t count)
{
	const float *range_m = &w->scan->range_m[first], *rad = &w->directions->rad[first],
		    *dir_c = &w->directions->c[first], *dir_s = &w->directions->s[first];
	const float min_m = w->scan->range_min_m, max_m = w->scan->range_max_m;
	float x_m[BLOCK], y_m[BLOCK];
	uint32_t kept[BLOCK], all = 1;
	for (size_t i = 0; i < count; i++) {
		float r = range_m[i], x = w->lidar_x_m + r * dir_c[i], y = w->lidar_y_m + r * dir_s[i];
		/* Written so that not-a-number anywhere fails. */
		int valid =
		    (r > 0.0f) & (r >= min_m) & (r <= max_m) & (r <= FLT_MAX) & (fabsf(rad[i]) <= FLT_MAX);
		int inside = (x <= w->front_m) & (x >= w->back_m) & (fabsf(y) <= w->half_width_m);
		x_m[i] = k->x + k->c * x - k->s * y;
		y_m[i] = k->y + k->s * x + k->c * y;
		kept[i] = (uint32_t)(valid & !inside);
		all &= kept[i];
	}
	if (all != 0) {
		memcpy(&out->x_m[n], x_m, count * sizeof(x_m[0]));
		memcpy(&out->y_m[n], y_m, count * sizeof(y_m[0]));
		return n + count;
	}
	for (size_t i = 0; i < count; i++) {
		out->x_m[n] = x_m[i];
		out->y_m[n] = y_m[i];
		n += kept[i];
	}
	return n;
}

static void points_from_turn(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_directions *directions, double turn_s, struct cairn_twist twist, struct cairn_vec2 lidar,
    const struct cairn_footprint *body)
{
	size_t n = scan->angle_rad_count < scan->range_m_count ? scan->angle_rad_count : scan->range_m_count;
	if (n > CAIRN_POINTS_MAX)
		n = CAIRN_POINTS_MAX;
	take_directions(directions, scan, (uint32_t)n);
	const struct sweep sweep = {scan, directions, (float)lidar.x_m, (float)lidar.y_m,
	    at_most(body->front_m), -at_most(body->rear_m), at_most(body->half_width_m)};
	struct carry carry = {1.0f, 0.0f, 0.0f, 0.0f};
	size_t count = 0;
	for (size_t i = 0; i < n; i += BLOCK) {
		if (turn_s > 0.0) {
			struct cairn_pose2 at =
			    pose_before_end(twist, turn_s * (1.0 - ((double)i + 0.5 * BLOCK) / (double)n));
			carry = (struct carry){
			    (float)cos(at.yaw_rad), (float)sin(at.yaw_rad), (float)at.x_m, (float)at.y_m};
		}
		count = n - i >= BLOCK ? add_block(out, count, &sweep, &carry, i, BLOCK)
				       : add_block(out, count, &sweep, &carry, i, n - i);
	}
	out->count = count;
	out->behind = 0;
	out->sight = (struct cairn_sight){0};
}

void cairn_points_from_scan(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_directions *directions, struct cairn_vec2 lidar, const struct cairn_footprint *body)
{
	points_from_turn(out, scan, directions, 0.0, (struct cairn_twist){0}, lidar, body);
}

void cairn_points_from_scan_moving(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_directions *directions, int64_t t_end_ns, struct cairn_twist twist, struct cairn_vec2 lidar,
    const struct cairn_footprint *body)
{
	double turn_s = 0.0;
	bool moves =
	    isfinite(twist.v_mps) && isfinite(twist.w_radps) && (twist.v_mps != 0.0 || twist.w_radps != 0.0);
	if (moves && scan->t_start_ns < t_end_ns && scan->t_start_ns >= t_end_ns - CAIRN_NS_PER_S)
		turn_s = (double)(t_end_ns - scan->t_start_ns) * 1e-9;
	points_from_turn(out, scan, directions, turn_s, twist, lidar, body);
}

void cairn_points_move(struct cairn_points *out, const struct cairn_points *in, struct cairn_pose2 moved)
{
	struct cairn_pose2 back = cairn_pose_inverse(moved);
	float c = (float)cos(back.yaw_rad), s = (float)sin(back.yaw_rad);
	float tx = (float)back.x_m, ty = (float)back.y_m;
	for (size_t i = 0; i < in->count; i++) {
		float x = in->x_m[i], y = in->y_m[i];
		out->x_m[i] = tx + c * x - s * y;
		out->y_m[i] = ty + s * x + c * y;
	}
	out->count = in->count;
	out->behind = 0;
	out->sight = (struct cairn_sight){0};
}

/* A point nearer to the rectangle than this is so near to its middle, squared and a little more. */
static float middle_limit(double corner_m, double gap2_m2)
{
	double m = sqrt(gap2_m2) + corner_m + NEAREST_SPARE_M;
	return (float)(m * m * (1.0 + NEAREST_SPARE_M));
}

double cairn_points_nearest(
    const struct cairn_points *points, const struct cairn_footprint *body, double *ret_bearing_rad)
{
	const float middle = (float)(0.5 * (body->front_m - body->rear_m));
	const double corner_m = hypot(0.5 * (body->front_m + body->rear_m), body->half_width_m);
	double best2 = INFINITY;
	float limit_m2 = INFINITY;
	size_t at = 0;
	for (size_t from = 0; from < points->count; from += BLOCK) {
		size_t end = points->count - from < BLOCK ? points->count : from + BLOCK;
		double before2 = best2;
		if (!cairn_block_within(points, from, points->count, middle, 0.0f, limit_m2))
			continue;
		for (size_t i = from; i < end; i++) {
			double x = (double)points->x_m[i], y = fabs((double)points->y_m[i]);
			double dx = cairn_larger(cairn_larger(x - body->front_m, -body->rear_m - x), 0.0);
			double dy = cairn_larger(y - body->half_width_m, 0.0);
			double d2 = dx * dx + dy * dy;
			if (d2 < best2) {
				best2 = d2;
				at = i;
			}
		}
		if (best2 < before2)
			limit_m2 = middle_limit(corner_m, best2);
	}
	bool some = best2 < INFINITY;
	if (ret_bearing_rad != NULL)
		*ret_bearing_rad = some ? atan2((double)points->y_m[at], (double)points->x_m[at]) : 0.0;
	return some ? sqrt(best2) : -1.0;
}
