/* scan.h - footprint and swept-arc geometry that both safety layers and the planner's follower use.
 *
 * Points are in the robot frame (origin below the middle of the rear axle, x forward, y left), metres. */
#ifndef CAIRN_COMMON_BASE_SCAN_H
#define CAIRN_COMMON_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/geom.h"
#include "ipc/messages.h"

/* A rectangle around the body in the robot frame. */
struct cairn_footprint {
	double front_m, rear_m, half_width_m; /* all positive, measured from the origin */
};

#define CAIRN_POINTS_MAX 8192

/* Valid returns of a scan as points in the robot frame. */
struct cairn_points {
	size_t count;
	float x_m[CAIRN_POINTS_MAX], y_m[CAIRN_POINTS_MAX];
};

/* Invalid returns (0, not finite, outside the scan's range limits) and returns from inside the bare
 * footprint (the robot itself) are left out. lidar: pose of the LiDAR in the robot frame; its yaw is not applied again
 * (angles of the message are already in the robot frame). */
void cairn_points_from_scan(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_vec2 lidar, const struct cairn_footprint *body);

struct cairn_arc_hit {
	double free_m;      /* travel of the origin along the arc before the footprint touches a point; horizon_m if none */
	double bearing_rad; /* of that point from the origin; 0 if none */
	bool hit;
};

/* How far the footprint, widened by margin_m on all sides, can travel along the arc of curvature_1pm (= w / v, left positive for
 * forward motion; 0 = straight), forward or backward, up to horizon_m. Exact for each point against the rectangle swept
 * along the circle.
 *
 * Near points: for a point whose gap to the bare footprint (the larger of the overhangs along x and along y) is below
 * twice the margin, half that gap takes the place of the margin. So a robot that stands too near can still leave
 * or pass alongside, while no motion may more than halve the gap; the rule is continuous and monotone in the gap. A
 * point inside the bare footprint stops (free 0) every motion but one that drives it out through its nearest side.
 *
 * Arguments that are not finite give free 0 and hit (never a licence to drive). Cost: a few ns a point. */
struct cairn_arc_hit cairn_arc_clearance(const struct cairn_points *points, const struct cairn_footprint *body,
    double margin_m, double curvature_1pm, bool forward, double horizon_m);

/* Distance of the nearest point to the bare footprint (0 inside); negative when there are no points. */
double cairn_points_nearest(
    const struct cairn_points *points, const struct cairn_footprint *body, double *ret_bearing_rad);

#endif
