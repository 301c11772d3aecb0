/* container.c - things with parts that open: a cupboard with its leaves, a laptop with its lid.
 *
 * What is felt of a cupboard is its hull, open or not, and that of an open leaf is the simulator's (props.h). What is seen are its
 * walls, a shelf and the leaves, of which those that are shut and those that stand open are both built, and one of the two drawn. */
#include <math.h>

#include "common/sim/world/furniture.h"

#define WALL_M 0.02
#define LEAF_MAX_M 0.35 /* broad cupboards have two leaves and more: a door needs little room in front */

struct cairn_box cairn_item_box(const struct cairn_item *it, double x_m, double y_m, double width_m,
    double depth_m, double z0_m, double z1_m)
{
	struct cairn_pose2 at = {it->x_m, it->y_m, it->yaw_rad};
	struct cairn_vec2 p = cairn_pose_apply(at, (struct cairn_vec2){x_m, y_m});
	return (struct cairn_box){p.x_m, p.y_m, width_m, depth_m, it->yaw_rad, z0_m, z1_m};
}

static struct cairn_paint darker(struct cairn_paint p, double factor)
{
	p.r = (uint8_t)(p.r * factor);
	p.g = (uint8_t)(p.g * factor);
	p.b = (uint8_t)(p.b * factor);
	return p;
}

static void walls(struct cairn_builder *b, const struct cairn_item *it)
{
	double w = it->width_m, d = it->depth_m, z0 = it->bottom_m, z1 = it->height_m;
	struct cairn_paint in = it->paint;
	in.texture = CAIRN_TEXTURE_PLAIN;
	cairn_build_box(b, cairn_item_box(it, 0.0, 0.5 * (d - WALL_M), w, WALL_M, z0, z1), in);
	cairn_build_box(b, cairn_item_box(it, 0.5 * (WALL_M - w), 0.0, WALL_M, d, z0, z1), it->paint);
	cairn_build_box(b, cairn_item_box(it, 0.5 * (w - WALL_M), 0.0, WALL_M, d, z0, z1), it->paint);
	cairn_build_box(b, cairn_item_box(it, 0.0, 0.0, w, d, z0, z0 + WALL_M), it->paint);
	cairn_build_box(b, cairn_item_box(it, 0.0, 0.0, w, d, z1 - WALL_M, z1), it->paint);
	double shelf = z0 + it->hollow->shelf_m;
	if (shelf > z0 + 2.0 * WALL_M)
		cairn_build_box(b,
		    cairn_item_box(it, 0.0, 0.02, w - 2.0 * WALL_M, d - 0.06, shelf - WALL_M, shelf),
		    darker(in, 0.9));
}

/* Leaf k of n across the front, hinged on its left or right side as its front is looked at. */
static void leaf(struct cairn_builder *b, const struct cairn_item *it, int k, int n, uint32_t body)
{
	struct cairn_prop *p = &b->world->props[b->prop - 1];
	struct cairn_pose2 at = {it->x_m, it->y_m, it->yaw_rad};
	double each = it->width_m / n, x0 = -0.5 * it->width_m + k * each, y = -0.5 * it->depth_m;
	bool right = n == 1 ? it->hollow->hinge_right : k % 2 == 1;
	double hinge = right ? x0 + each : x0, tip = right ? x0 : x0 + each, in = right ? -0.5 : 0.5;
	double z0 = it->bottom_m + 0.01, z1 = it->height_m - 0.01;
	struct cairn_paint paint = darker(it->paint, 0.97);
	paint.texture = CAIRN_TEXTURE_DOOR;
	p->leaves[p->leaf_count].hinge = cairn_pose_apply(at, (struct cairn_vec2){hinge, y});
	p->leaves[p->leaf_count].shut = cairn_pose_apply(at, (struct cairn_vec2){tip, y});
	p->leaves[p->leaf_count].wide = cairn_pose_apply(at, (struct cairn_vec2){hinge, y - each});
	p->leaves[p->leaf_count].z0_m = z0;
	p->leaves[p->leaf_count++].z1_m = z1;
	if (it->hollow->see_through)
		return;
	b->shown = CAIRN_SHOWN_CLOSED;
	b->thing = body; /* shut it is part of the cupboard */
	cairn_build_box(
	    b, cairn_item_box(it, x0 + 0.5 * each, y - 0.5 * WALL_M, each - 0.01, WALL_M, z0, z1), paint);
	b->thing = 0; /* open it is a thing of its own that has no name */
	b->shown = CAIRN_SHOWN_OPEN;
	cairn_build_box(
	    b, cairn_item_box(it, hinge + in * WALL_M, y - 0.5 * each, WALL_M, each - 0.01, z0, z1), paint);
}

void cairn_build_hollow(struct cairn_builder *b, const struct cairn_item *it)
{
	uint32_t body = b->world->thing_count; /* 1 + index */
	int n = (int)ceil(it->width_m / LEAF_MAX_M);
	char name[CAIRN_WORLD_NAME_CAP];
	n = n > 4 ? 4 : n;
	b->shown = CAIRN_SHOWN_NEVER;
	cairn_build_box(
	    b, cairn_item_box(it, 0.0, 0.0, it->width_m, it->depth_m, it->bottom_m, it->height_m), it->paint);
	b->shown = CAIRN_SHOWN_ALWAYS;
	b->unfelt = true;
	walls(b, it);
	snprintf(name, sizeof(name), "door of the %.32s", it->name);
	(void)cairn_build_thing(b, name, "leaf", it->x_m, it->y_m);
	for (int k = 0; k < n && !b->failed; k++)
		leaf(b, it, k, n, body);
	b->shown = CAIRN_SHOWN_ALWAYS;
	b->unfelt = false;
}

void cairn_build_laptop(struct cairn_builder *b, const struct cairn_item *it)
{
	double w = it->width_m, d = it->depth_m, z0 = it->bottom_m, flat = z0 + 0.02, y = 0.5 * d;
	uint8_t shown = b->shown;
	struct cairn_paint dark = darker(it->paint, 0.5), screen = CAIRN_PAINT(255, 255, 255, SCREEN);
	cairn_build_box(b, cairn_item_box(it, 0.0, 0.0, w, d, z0, flat), dark);
	if (b->prop != 0)
		b->shown = CAIRN_SHOWN_CLOSED;
	if (b->prop != 0)
		cairn_build_box(b, cairn_item_box(it, 0.0, 0.0, w, d, flat, flat + 0.01), it->paint);
	if (b->prop != 0)
		b->shown = CAIRN_SHOWN_OPEN;
	cairn_build_box(b, cairn_item_box(it, 0.0, y, w, 0.01, flat, it->height_m), it->paint);
	cairn_build_box(
	    b, cairn_item_box(it, 0.0, y - 0.008, w - 0.02, 0.006, flat + 0.01, it->height_m - 0.01), screen);
	b->shown = shown;
}
