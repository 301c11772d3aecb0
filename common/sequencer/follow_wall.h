/* follow_wall.h - driving along a wall by what the LiDAR sees of it: the steering and the ends, one step at a time.
 *
 * Of the points beside the robot, the nearest in each strip of 0.1 m is taken for the wall, and a line laid through them
 * (least squares): its distance from the body and its angle. Steering (curvature, left positive, s = 1 for a wall on
 * the left, d the distance of the line from the robot's axis where the body's middle is, a its angle):
 *
 *     k = s (k_d (d - wanted) + k_a s a),   k_d 1.5 per m2, k_a 2 per m, |k| <= the tightest arc
 *
 * It proposes; what is driven is held by the safety function as any motion is. Pure. */
#ifndef CAIRN_COMMON_SEQUENCER_FOLLOW_WALL_H
#define CAIRN_COMMON_SEQUENCER_FOLLOW_WALL_H

#include "common/scan/scan.h"

#define CAIRN_WALL_GAP_M 0.30   /* kept between the body and the wall */
#define CAIRN_WALL_REACH_M 1.2  /* a wall farther from the body than this is none */
#define CAIRN_WALL_CORNER_M 0.5 /* so near ahead something ends the way */
#define CAIRN_WALL_LOST_M 0.35  /* driven without a wall: it has ended, or has an opening */

enum cairn_wall_end {
	CAIRN_WALL_GOES_ON,
	CAIRN_WALL_NONE,   /* there was none at the start */
	CAIRN_WALL_ENDED,  /* it ends, or a doorway is in it */
	CAIRN_WALL_CORNER, /* something stands across the way */
	CAIRN_WALL_ROUND,  /* back at the place where it began */
	CAIRN_WALL_DONE    /* as far as was asked */
};

struct cairn_wall_line {
	bool there;
	double gap_m;     /* from the body's side */
	double angle_rad; /* of the line, left positive */
};

struct cairn_wall {
	int side; /* 1 left, -1 right */
	double asked_m;
	struct cairn_vec2 from;
	double driven_m, seen_at_m; /* the wall was seen last after so much of it */
	bool begun;
};

/* The wall on one side, by the first count points (robot frame). */
struct cairn_wall_line cairn_wall_line(
    const struct cairn_points *points, size_t count, const struct cairn_footprint *body, int side);

/* One step: driven_m since the beginning, where the robot is on the map, how much is free straight ahead of the body.
 * *ret_curvature for CAIRN_WALL_GOES_ON, at most limit_1pm. */
enum cairn_wall_end cairn_wall_step(struct cairn_wall *wall, const struct cairn_points *points, size_t count,
    const struct cairn_footprint *body, double limit_1pm, double driven_m, struct cairn_vec2 at,
    double ahead_m, double *ret_curvature);

#endif
