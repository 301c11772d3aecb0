/* scan.h - footprint and swept-arc geometry that both safety layers and the planner's follower use.
 *
 * Points are in the robot frame (origin below the middle of the rear axle, x forward, y left), metres. */
#ifndef CAIRN_COMMON_SCAN_SCAN_H
#define CAIRN_COMMON_SCAN_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/base/geom.h"
#include "ipc/messages.h"

/* A rectangle around the body in the robot frame. */
struct cairn_footprint {
	double front_m, rear_m, half_width_m; /* all positive, measured from the origin */
};

#define CAIRN_POINTS_MAX 8192

/* What a camera shows of the floor: from near_m on in the direction that it looks in, to tan_half of the
 * distance on both sides. tan_half 0: nothing is known of it. */
struct cairn_sight {
	struct cairn_pose2 at; /* of the camera, robot frame */
	double near_m, tan_half;
};

/* Valid returns of a scan as points in the robot frame. */
struct cairn_points {
	size_t count;
	size_t behind; /* so many more follow of floor never seen, which stand in the way of backward motion,
			  and forward of what sight says */
	struct cairn_sight sight;
	float x_m[CAIRN_POINTS_MAX], y_m[CAIRN_POINTS_MAX];
};

/* Neighbours among points are neighbours in the room: what looks for near ones looks at so many together
 * first. */
#define CAIRN_POINTS_BLOCK 16

/* Eight at a time, whatever the compiler makes of a loop: twice four where the machine has no more. */
typedef float cairn_float8 __attribute__((vector_size(32)));
typedef int32_t cairn_int8
    __attribute__((vector_size(32))); /* what comparing them gives: all bits, or none */

static inline cairn_float8 cairn_load8(const float *from)
{
	cairn_float8 v;
	memcpy(&v, from, sizeof(v));
	return v;
}

static inline bool cairn_some_of8(cairn_int8 v)
{
	int64_t four[4];
	memcpy(four, &v, sizeof(four));
	return (four[0] | four[1] | four[2] | four[3]) != 0;
}

/* Is one of n points, a multiple of eight, nearer to (x_m, y_m) than the root of this? In single precision,
 * without branches. */
static inline bool cairn_some_within(
    const float *points_x_m, const float *points_y_m, size_t n, float x_m, float y_m, float limit_m2)
{
	cairn_int8 some = {0};
	for (size_t i = 0; i < n; i += 8) {
		cairn_float8 dx = cairn_load8(&points_x_m[i]) - x_m, dy = cairn_load8(&points_y_m[i]) - y_m;
		some |= dx * dx + dy * dy < limit_m2;
	}
	return cairn_some_of8(some);
}

/* The same of the block at from, of count points in all; always true of the last one when it is not a whole
 * one. */
static inline bool cairn_block_within(
    const struct cairn_points *points, size_t from, size_t count, float x_m, float y_m, float limit_m2)
{
	return count - from < CAIRN_POINTS_BLOCK || cairn_some_within(&points->x_m[from], &points->y_m[from],
							CAIRN_POINTS_BLOCK, x_m, y_m, limit_m2);
}

/* Directions of a scan's points. Those of the next turn are mostly the same, so whoever takes scans keeps
 * them, all zero at first: each layer its own. They are compared with every scan, and made anew when one
 * differs. */
struct cairn_directions {
	uint32_t count;
	float rad[CAIRN_POINTS_MAX], c[CAIRN_POINTS_MAX], s[CAIRN_POINTS_MAX];
};

static inline bool cairn_directions_are(const struct cairn_directions *d, const float *rad, uint32_t count)
{
	return d->count == count && memcmp(d->rad, rad, count * sizeof(d->rad[0])) == 0;
}

/* The same in double precision, into the caller's own arrays: n angles, and their cosines and sines where they are not
 * those of the last time (*count of them). */
void cairn_directions_keep(
    float *rad, double *c, double *s, uint32_t *count, const float *angle_rad, uint32_t n);

/* Invalid returns (0, not finite, outside the scan's range limits) and returns from inside the bare
 * footprint (the robot itself) are left out. lidar: pose of the LiDAR in the robot frame; its yaw is not
 * applied again (angles of the message are already in the robot frame). */
void cairn_points_from_scan(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_directions *directions, struct cairn_vec2 lidar, const struct cairn_footprint *body);

/* The same for a robot that moved with a constant twist during the turn: each point is carried to where it is
 * in the robot frame at the end of the turn (the stamp, t_end_ns), points being evenly spaced in time from
 * scan->t_start_ns on. A start that is not before the end, or more than a second before it, is taken for "all
 * at the end". */
void cairn_points_from_scan_moving(struct cairn_points *out, const struct cairn_msg_scan *scan,
    struct cairn_directions *directions, int64_t t_end_ns, struct cairn_twist twist, struct cairn_vec2 lidar,
    const struct cairn_footprint *body);

/* Points of an earlier robot frame in a later one; moved is the later frame seen from the earlier. out may be
 * in. */
void cairn_points_move(struct cairn_points *out, const struct cairn_points *in, struct cairn_pose2 moved);

/* True when sight shows the place at (x_m, y_m), robot frame, at some point of the next way_m along the arc.
 */
bool cairn_sight_shows(
    const struct cairn_sight *sight, double x_m, double y_m, double curvature_1pm, double way_m);

struct cairn_arc_hit {
	double free_m; /* travel of the origin along the arc before the footprint touches a point; horizon_m
			  if none */
	double bearing_rad; /* of that point from the origin; 0 if none */
	bool hit;
	size_t point; /* index of that point */
};

/* How far the footprint, widened by margin_m on all sides, can travel along the arc of curvature_1pm (= w /
 * v, left positive for forward motion; 0 = straight), forward or backward, up to horizon_m. Exact for each
 * point against the rectangle swept along the circle.
 *
 * Floor never seen counts backward. With a sight it counts forward as well, on arcs of 1 m or tighter, on the
 * side that the robot turns to: from there on the body's inner corner goes where no picture shows the floor
 * first.
 *
 * Near points: a side of the rectangle (front, rear, left, right) that has a point beside it nearer than
 * twice the margin is widened by half the smallest such gap instead. So a robot that stands too near can
 * still leave or go on alongside a wall, while no motion may more than halve a gap. (A point off a corner
 * belongs to the side it is farther from.) A point inside the bare footprint stops (free 0) every motion but
 * one that drives it out through its nearest side.
 *
 * Arguments that are not finite give free 0 and hit (never a licence to drive). Cost: a few ns a point. */
struct cairn_arc_hit cairn_arc_clearance(const struct cairn_points *points,
    const struct cairn_footprint *body, double margin_m, double curvature_1pm, bool forward,
    double horizon_m);

/* No more than one turn: what is not met by then never is. */
#define CAIRN_SPIN_FREE_RAD (2.0 * M_PI)

struct cairn_spin_hit {
	double free_rad; /* turned until the footprint touches a point; CAIRN_SPIN_FREE_RAD if none */
	double bearing_rad;
	bool hit;
	size_t point; /* index of that point */
};

/* How far the footprint, widened as for an arc, can turn in place about the origin to that side. Floor never seen counts on
 * all sides: corners go where no picture showed it. Not a finite margin: free 0 and hit. */
struct cairn_spin_hit cairn_spin_clearance(
    const struct cairn_points *points, const struct cairn_footprint *body, double margin_m, bool left);

/* Distance of the footprint's farthest corner from the origin: radius of the circle that a turn in place sweeps. */
static inline double cairn_footprint_reach_m(const struct cairn_footprint *body)
{
	return hypot(cairn_larger(body->front_m, body->rear_m), body->half_width_m);
}

/* Distance of the nearest point to the bare footprint (0 inside); negative when there are no points. */
double cairn_points_nearest(
    const struct cairn_points *points, const struct cairn_footprint *body, double *ret_bearing_rad);

#endif
