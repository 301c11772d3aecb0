/* slice.h - a world at one height, prepared for many rays: what a LiDAR casts.
 *
 * The edges at that height lie in a grid of small cells. Every cell knows how far nothing is around it in
 * each of the four directions a ray may run in, so that a ray crosses a room in a few leaps. The lengths are
 * those of cairn_world_cast and cairn_world_cast_lidar, to the last bit. */
#ifndef CAIRN_COMMON_WORLD_SLICE_H
#define CAIRN_COMMON_WORLD_SLICE_H

#include "common/world/world.h"

struct cairn_slice;

/* world is borrowed and must stay. through_glass: as a LiDAR's ray passes. NULL without memory. */
struct cairn_slice *cairn_slice_new(const struct cairn_world *world, double z_m, bool through_glass);
void cairn_slice_destroy(struct cairn_slice **slice_p);

/* From (x, y) along the unit vector (dx, dy). */
struct cairn_slice_ray {
	double x_m, y_m, dx, dy;
};

/* Length of each ray, max_m where it meets nothing before. One call for many is much faster than many for
 * one. */
void cairn_slice_cast(const struct cairn_slice *slice, size_t count, const struct cairn_slice_ray *rays,
    double max_m, double *ret_range_m);

#endif
