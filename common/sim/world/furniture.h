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
	double tall_m; /* its own height where height_m is 0: for what stands on other things */
	const struct cairn_hollow *hollow; /* it is built hollow, with leaves that open; NULL: solid */
};

/* A container to look into. */
struct cairn_hollow {
	double shelf_m;   /* where things stand in it, above its bottom */
	bool see_through; /* the leaves are of glass */
	bool hinge_right; /* of a single leaf, for who looks at its front */
};

/* Number of kinds, and the name of each: "box", "table", ... */
int cairn_furniture_kinds(void);
const char *cairn_furniture_kind_name(int kind);
/* The usual sizes of a kind, of which the depth of a round one may be 0; all 0: there is no such kind. */
struct cairn_furniture_size {
	double width_m, depth_m, bottom_m, height_m;
};
struct cairn_furniture_size cairn_furniture_usual(const char *kind);
/* False with err set (without file name) when the sizes make no sense. Solids of a hollow one and of a kind with a lid belong to
 * the prop b->prop, which gets its leaves. */
bool cairn_furniture_build(
    struct cairn_builder *b, int kind, const struct cairn_item *item, struct cairn_error *err);

/* container.c: a box with a front that opens, and a laptop; the item's sizes are set. */
void cairn_build_hollow(struct cairn_builder *b, const struct cairn_item *item);
void cairn_build_laptop(struct cairn_builder *b, const struct cairn_item *item);
/* What an item's own frame calls (x, y), as a box of the world. */
struct cairn_box cairn_item_box(const struct cairn_item *item, double x_m, double y_m, double width_m,
    double depth_m, double z0_m, double z1_m);

#endif
