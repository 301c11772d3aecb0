/* path.h - a path of poses, some of them driven backward. */
#ifndef CAIRN_COMMON_PLAN_PATH_H
#define CAIRN_COMMON_PLAN_PATH_H

#include <stdbool.h>

#include "common/base/geom.h"

#define CAIRN_PATH_MAX 4096
#define CAIRN_WAYPOINT_SPACING_M 0.5

struct cairn_path_pose {
	double x_m, y_m, yaw_rad;
	bool reverse; /* driven backward to get here; the first pose has that of the second */
	bool turn;    /* turned in place to get here, from a pose at the same place */
};

struct cairn_path {
	int count;
	struct cairn_path_pose poses[CAIRN_PATH_MAX];
	double length_m;
	double cost; /* as the search counted it */
};

/* Waypoints: poses of the path such that every pose left out lies within tolerance_m of the straight line
 * between its neighbours; both ends, every change of direction and every turn in place stay, and no two are farther apart than
 * CAIRN_WAYPOINT_SPACING_M, for those who look at the points alone. Writes up to max indices of poses
 * from `from` on and returns how many; where they would be more, the tolerance is doubled until they are not.
 * A path with more room beside it than the tolerance keeps its lines in free space. 0 when max < 2 or there
 * are more changes of direction than max. */
int cairn_path_waypoints(const struct cairn_path *path, int from, double tolerance_m, int *indices, int max);

static inline struct cairn_pose2 cairn_path_pose2(const struct cairn_path_pose *p)
{
	return (struct cairn_pose2){p->x_m, p->y_m, p->yaw_rad};
}

/* Whether two poses, one after the other, are reached in the same way. */
static inline bool cairn_path_same_leg(const struct cairn_path *path, int i, int next)
{
	return path->poses[next].reverse == path->poses[i].reverse &&
	       path->poses[next].turn == path->poses[i].turn;
}

static inline double cairn_path_step(const struct cairn_path *path, int i)
{
	return hypot(
	    path->poses[i].x_m - path->poses[i - 1].x_m, path->poses[i].y_m - path->poses[i - 1].y_m);
}

#endif
