/* breadcrumbs.h - the way the robot has come, from its start to where it is, without the detours that led back.
 *
 * A point is kept every CAIRN_BREADCRUMBS_STEP_M. Where the robot comes back to an earlier point, what lies between is
 * dropped: the trail is the shortest driven way back. So driving along it backwards takes it up again, and a dead
 * end that was left is on it no more. A point is a junction when at least three passages led away from there.
 * When it is full, every other point that is no junction is dropped.
 *
 * A plain struct without pointers: it is saved as it lies in memory. Pure. Map frame, metres. */
#ifndef CAIRN_COMMON_SEQUENCER_BREADCRUMBS_H
#define CAIRN_COMMON_SEQUENCER_BREADCRUMBS_H

#include "common/scan/scan.h"

#define CAIRN_BREADCRUMBS_MAX 256
#define CAIRN_BREADCRUMBS_STEP_M 0.3

struct cairn_breadcrumb {
	float x_m, y_m;
	bool junction;
};

struct cairn_breadcrumbs {
	uint32_t count; /* oldest first: the start is at 0 */
	struct cairn_breadcrumb at[CAIRN_BREADCRUMBS_MAX];
};

/* Passages that lead away from the robot by what the LiDAR sees: runs of directions in which nothing of a strip as wide
 * as half_width_m to each side comes nearer than 1.3 m. A robot in the open is in one passage. Points in the robot
 * frame; the first count of them are looked at. */
uint32_t cairn_breadcrumbs_passages(const struct cairn_points *points, size_t count, double half_width_m);

/* The robot is here. True when the trail has changed. */
bool cairn_breadcrumbs_drive(struct cairn_breadcrumbs *trail, double x_m, double y_m, bool junction);

/* Index of the point that is nearest to the place; -1: the trail is empty. */
int cairn_breadcrumbs_nearest(const struct cairn_breadcrumbs *trail, double x_m, double y_m);

/* Index of the junction that was passed last, at least min_m of the trail behind the place; 0, the start, where there was
 * none; -1: the trail is empty. */
int cairn_breadcrumbs_junction(const struct cairn_breadcrumbs *trail, double x_m, double y_m, double min_m);

/* The point of the trail to drive to next on the way from the place back to the point of index to: about step_m on, or
 * that point itself. -1: the trail has no such point. */
int cairn_breadcrumbs_via(
    const struct cairn_breadcrumbs *trail, double x_m, double y_m, uint32_t to, double step_m);

/* The map was drawn anew: what the robot at `was` had within near_m has moved as it has, to `now`. */
void cairn_breadcrumbs_moved(
    struct cairn_breadcrumbs *trail, struct cairn_pose2 was, struct cairn_pose2 now, double near_m);

/* False for data that cannot have come from these functions; a flag is read as a byte. */
bool cairn_breadcrumbs_sane(const struct cairn_breadcrumbs *trail);

#endif
