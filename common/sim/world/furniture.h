/* furniture.h - pieces of furniture and other things of a home as prisms.
 *
 * A piece stands at (x, y), turned by yaw; at yaw 0 its back looks to +y (up on the plan) and its front to
 * -y. Sizes that are 0 take the kind's usual ones. What reaches below LiDAR height does so down to the floor
 * or close to it, so that a robot sees with its LiDAR whatever it could run into. */
#ifndef CAIRN_COMMON_SIM_WORLD_FURNITURE_H
#define CAIRN_COMMON_SIM_WORLD_FURNITURE_H

#include "common/sim/world/build.h"

struct cairn_item {
	const char *name;
	double x_m, y_m, yaw_rad;
	double width_m, depth_m; /* 0: usual; a cylinder's width is its diameter */
	double bottom_m;         /* box, cylinder, polygon, and things on walls */
	double height_m;         /* of the top above the floor; 0: usual */
	bool painted;            /* paint is given; otherwise the usual colours */
	struct cairn_paint paint;
	const struct cairn_vec2 *corners; /* polygon: world frame, x_m and y_m are ignored */
	size_t corner_count;
};

/* Number of kinds, and the name of each: "box", "table", ... */
int cairn_furniture_kinds(void);
const char *cairn_furniture_kind_name(int kind);
/* False with err set (without file name) when the sizes make no sense. */
bool cairn_furniture_build(
    struct cairn_builder *b, int kind, const struct cairn_item *item, struct cairn_error *err);

#endif
