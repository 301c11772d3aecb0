/* shot.h - closed-form paths in free space: turn, straight, turn.
 *
 * Dubins 1957 for a goal with a heading, and the shorter "turn, then straight" when the heading is free.
 * Backward ones are the forward ones of the mirrored problem. */
#ifndef CAIRN_COMMON_PLAN_SHOT_H
#define CAIRN_COMMON_PLAN_SHOT_H

#include <stdbool.h>

#include "common/base/geom.h"

struct cairn_shot_part {
	double curvature_1pm; /* left positive for forward motion */
	double length_m;
};

struct cairn_shot {
	struct cairn_shot_part part[3];
	int parts;
	bool reverse;
	double length_m;
};

/* Shortest of the family to a point, any heading; false when the point lies inside both turning circles. */
bool cairn_shot_to_point(struct cairn_shot *shot, const struct cairn_pose2 *from, double x_m, double y_m,
    double radius_m, bool reverse);
/* Shortest Dubins word to a pose. Always exists. */
bool cairn_shot_to_pose(struct cairn_shot *shot, const struct cairn_pose2 *from, const struct cairn_pose2 *to,
    double radius_m, bool reverse);
/* On the way along a shot; what does not change within a part is worked out once. */
struct cairn_shot_walk {
	const struct cairn_shot *shot;
	struct cairn_pose2 from; /* where the part in hand begins */
	double c, s;             /* cosine and sine of its yaw there */
	double done_m;           /* length of the parts before */
	int part;
};

struct cairn_shot_walk cairn_shot_walk_begin(const struct cairn_shot *shot, const struct cairn_pose2 *from);
/* The pose s_m along the shot, never less than last time, and the cosine and sine of its yaw. */
struct cairn_pose2 cairn_shot_walk_to(struct cairn_shot_walk *w, double s_m, double *ret_c, double *ret_s);
/* Only goes on to the part that s_m along the shot is in; never less than last time. */
void cairn_shot_walk_on(struct cairn_shot_walk *w, double s_m);
/* The place s_m along the shot, in the part in hand. */
struct cairn_vec2 cairn_shot_walk_place(const struct cairn_shot_walk *w, double s_m);
/* The pose s_m along the shot. */
struct cairn_pose2 cairn_shot_at(const struct cairn_shot *shot, const struct cairn_pose2 *from, double s_m);

#endif
