/* world_private.h - a ray against an edge, shared by the ways to cast rays; not for others. */
#ifndef CAIRN_COMMON_SIM_WORLD_WORLD_PRIVATE_H
#define CAIRN_COMMON_SIM_WORLD_WORLD_PRIVATE_H

#include <math.h>
#include <stdbool.h>

/* Length along the ray to the edge from (ax, ay) to (ax + ex, ay + ey) when that is less than max_m, else
 * max_m. One decision at the end, by values and not by branches: which edge of a cell is met is as good as
 * chance, and a branch guessed wrong costs more than the divisions. */
static inline double cairn_ray_edge(
    double ax, double ay, double ex, double ey, double x_m, double y_m, double dx, double dy, double max_m)
{
	double det = ex * dy - ey * dx, ox = x_m - ax, oy = y_m - ay;
	double u = (ox * dy - oy * dx) / det, at = (ey * ox - ex * oy) / det;
	bool met = (fabs(det) >= 1e-12) & (u >= -1e-6) & (u <= 1.0 + 1e-6) & (at >= 0.0) & (at < max_m);
	return met ? at : max_m;
}

#endif
