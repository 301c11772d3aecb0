/* slice.h - a world at one height, prepared for many rays: what a LiDAR casts.
 *
 * A LiDAR's rays are a fan: they begin near each other and turn. So the question is not what each ray meets,
 * but which rays an edge can meet: of edges in bunches, the nearest first, those in front of the fan are
 * tried on the rays whose slopes lie between those of their ends, four rays at once, and what is farther than
 * all rays of a stretch have come is not tried on it. The lengths are those of cairn_world_cast and
 * cairn_world_cast_lidar, to the last bit. */
#ifndef CAIRN_COMMON_SIM_WORLD_SLICE_H
#define CAIRN_COMMON_SIM_WORLD_SLICE_H

#include "common/sim/world/world.h"

struct cairn_slice;

/* through_glass: as a LiDAR's ray passes. The world is not kept. NULL without memory. */
struct cairn_slice *cairn_slice_new(const struct cairn_world *world, double z_m, bool through_glass);
void cairn_slice_destroy(struct cairn_slice **slice_p);

/* From (x, y) along the unit vector (dx, dy); borrowed. */
struct cairn_slice_rays {
	const double *x_m, *y_m, *dx, *dy;
};

/* Length of each ray, max_m where it meets nothing before. Right for any rays; fast when they turn all the
 * same way, by less than 120 degrees in all, and begin within centimetres. Uses scratch memory of the slice.
 */
void cairn_slice_cast(
    struct cairn_slice *slice, size_t count, struct cairn_slice_rays rays, double max_m, double *ret_range_m);

#endif
