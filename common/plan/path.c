#include "common/plan/path.h"

/* Distance of a pose to the segment between two others. */
static double off_line_m(
    const struct cairn_path_pose *a, const struct cairn_path_pose *b, const struct cairn_path_pose *p)
{
	double dx = b->x_m - a->x_m, dy = b->y_m - a->y_m, d2 = dx * dx + dy * dy;
	double t = d2 > 0.0 ? ((p->x_m - a->x_m) * dx + (p->y_m - a->y_m) * dy) / d2 : 0.0;
	t = cairn_clamp(t, 0.0, 1.0);
	return hypot(a->x_m + t * dx - p->x_m, a->y_m + t * dy - p->y_m);
}

static bool line_keeps(const struct cairn_path *path, int from, int to, double tolerance_m)
{
	for (int i = from + 1; i < to; i++)
		if (off_line_m(&path->poses[from], &path->poses[to], &path->poses[i]) > tolerance_m)
			return false;
	return true;
}

/* The farthest pose that one line may lead to. */
static int reach(const struct cairn_path *path, int from, double tolerance_m)
{
	int to = from + 1;
	while (to + 1 < path->count && cairn_path_same_leg(path, to, to + 1) &&
	       hypot(path->poses[to + 1].x_m - path->poses[from].x_m,
		   path->poses[to + 1].y_m - path->poses[from].y_m) <= CAIRN_WAYPOINT_SPACING_M &&
	       line_keeps(path, from, to + 1, tolerance_m))
		to++;
	return to;
}

int cairn_path_waypoints(const struct cairn_path *path, int from, double tolerance_m, int *indices, int max)
{
	if (max < 2 || from < 0 || from >= path->count)
		return 0;
	for (int tries = 0; tries < 16; tries++, tolerance_m *= 2.0) {
		int count = 0, at = from;
		indices[count++] = at;
		while (at + 1 < path->count && count < max) {
			at = reach(path, at, tolerance_m);
			indices[count++] = at;
		}
		if (at + 1 == path->count)
			return count;
	}
	return 0;
}
