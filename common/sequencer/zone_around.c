#include "common/sequencer/zone_around.h"

#include <math.h>

#define AROUND 32 /* directions all round */
#define AHEAD 13  /* directions ahead, 7.5 degrees apart */
#define AHEAD_HALF_RAD (M_PI / 4.0)
#define WALL_GAP_M 0.05  /* the outline keeps this away from what was hit */
#define DEPTH_MIN_M 0.30 /* a keep-out zone is at least this deep somewhere */
#define AREA_MIN_M2 0.02

/* Free distance of each direction: the nearest point within half a step of it. */
static void free_rays(const struct cairn_points *points, double first_rad, double step_rad, int count,
    double reach_m, double *ret_m)
{
	for (int i = 0; i < count; i++)
		ret_m[i] = reach_m;
	for (size_t i = 0; i < points->count; i++) {
		double x = (double)points->x_m[i], y = (double)points->y_m[i];
		double turn = cairn_wrap_rad(atan2(y, x) - first_rad);
		if (turn < -0.5 * step_rad)
			turn += 2.0 * M_PI;
		int k = (int)floor(turn / step_rad + 0.5);
		if (k >= 0 && k < count)
			ret_m[k] = fmin(ret_m[k], fmax(hypot(x, y) - WALL_GAP_M, 0.0));
	}
}

static struct cairn_vec2 corner(struct cairn_pose2 pose, double angle_rad, double range_m)
{
	return (struct cairn_vec2){pose.x_m + range_m * cos(pose.yaw_rad + angle_rad),
	    pose.y_m + range_m * sin(pose.yaw_rad + angle_rad)};
}

static size_t all_round(const struct cairn_points *points, const struct cairn_footprint *body,
    struct cairn_pose2 pose, struct cairn_vec2 *ret)
{
	double step = 2.0 * M_PI / AROUND, free_m[AROUND];
	/* The robot stands there: its own length is free in any case. */
	double least_m = fmax(body->front_m, fmax(body->rear_m, body->half_width_m));
	free_rays(points, 0.0, step, AROUND, CAIRN_ZONE_REACH_M, free_m);
	for (int i = 0; i < AROUND; i++)
		ret[i] = corner(pose, i * step, fmax(free_m[i], least_m));
	return AROUND;
}

static size_t ahead(const struct cairn_points *points, const struct cairn_footprint *body,
    struct cairn_pose2 pose, struct cairn_vec2 *ret)
{
	double step = 2.0 * AHEAD_HALF_RAD / (AHEAD - 1), free_m[AHEAD], deepest_m = 0.0;
	double near_m = body->front_m + CAIRN_ZONE_STAND_OFF_M;
	size_t n = 0;
	free_rays(points, -AHEAD_HALF_RAD, step, AHEAD, CAIRN_ZONE_AHEAD_M, free_m);
	/* Far side from right to left, then the near one: a straight line across, where the nose would stop.
	 */
	for (int i = 0; i < AHEAD; i++) {
		double a = -AHEAD_HALF_RAD + i * step, line_m = near_m / cos(a);
		deepest_m = fmax(deepest_m, free_m[i] - line_m);
		ret[n++] = corner(pose, a, fmax(free_m[i], line_m));
	}
	ret[n++] = corner(pose, AHEAD_HALF_RAD, near_m / cos(AHEAD_HALF_RAD));
	ret[n++] = corner(pose, -AHEAD_HALF_RAD, near_m / cos(AHEAD_HALF_RAD));
	return deepest_m >= DEPTH_MIN_M ? n : 0;
}

size_t cairn_zone_around(enum cairn_zone_kind kind, const struct cairn_points *points,
    const struct cairn_footprint *body, struct cairn_pose2 pose,
    struct cairn_vec2 ret_corners[CAIRN_POLYGON_CORNERS_MAX], struct cairn_error *err)
{
	if (!isfinite(pose.x_m) || !isfinite(pose.y_m) || !isfinite(pose.yaw_rad) || points->count == 0) {
		cairn_error_set(
		    err, "%s", points->count == 0 ? "the scan is empty" : "the pose is not known");
		return 0;
	}
	size_t n = kind == CAIRN_ZONE_KIND_KEEPOUT ? ahead(points, body, pose, ret_corners)
						   : all_round(points, body, pose, ret_corners);
	if (n == 0 || !cairn_polygon_valid(ret_corners, n) ||
	    fabs(cairn_polygon_area(ret_corners, n)) < AREA_MIN_M2) {
		cairn_error_set(err, "nothing ahead is free enough to be kept out of");
		return 0;
	}
	return n;
}
