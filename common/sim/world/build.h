/* build.h - putting a world together; the loaders and tests use it, and the world is finished once.
 *
 * Functions after cairn_build_init may run out of memory: they remember it, and cairn_build_finish says so.
 */
#ifndef CAIRN_COMMON_SIM_WORLD_BUILD_H
#define CAIRN_COMMON_SIM_WORLD_BUILD_H

#include "common/sim/world/world.h"

struct cairn_builder {
	struct cairn_world *world;
	uint32_t edge_cap, solid_cap, thing_cap, room_cap, rug_cap, tri_cap;
	bool glass; /* what is built from now on is glass */
	/* The same: as in cairn_solid. */
	bool unfelt;
	uint8_t shown, prop;
	uint32_t thing; /* 1 + index of the thing that solids go to; 0: the newest */
	bool failed;    /* out of memory, or a limit */
};

struct cairn_box {
	double x_m, y_m;         /* centre */
	double width_m, depth_m; /* along its own x and y */
	double yaw_rad;
	double z0_m, z1_m;
};

#define CAIRN_PAINT(R, G, B, TEXTURE) ((struct cairn_paint){R, G, B, CAIRN_TEXTURE_##TEXTURE})

bool cairn_build_init(struct cairn_builder *b, const char *name, struct cairn_error *err);
/* Index of a new thing; solids are given to the newest one. */
uint32_t cairn_build_thing(
    struct cairn_builder *b, const char *name, const char *kind, double x_m, double y_m);
/* A prism over a simple polygon, whichever way its corners run. */
void cairn_build_prism(struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count, double z0_m,
    double z1_m, struct cairn_paint paint);
void cairn_build_box(struct cairn_builder *b, struct cairn_box box, struct cairn_paint paint);
/* Sixteen sides; the corners lie on the circle. */
void cairn_build_cylinder(struct cairn_builder *b, double x_m, double y_m, double radius_m, double z0_m,
    double z1_m, struct cairn_paint paint);
/* Closed outline of single wall edges around free floor (free inside) or around a pillar (free outside). */
void cairn_build_outline(struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count,
    bool free_inside, double z0_m, double z1_m, struct cairn_paint paint);
/* floor and wall may be NULL: the world's own. */
void cairn_build_room(struct cairn_builder *b, const char *name, const struct cairn_vec2 *corners,
    size_t count, const struct cairn_paint *floor, const struct cairn_paint *wall);
/* Paints the walls from edge first on, each in the colour of the room on its free side. */
void cairn_build_paint_by_room(struct cairn_builder *b, uint32_t edge_first);
void cairn_build_rug(
    struct cairn_builder *b, const struct cairn_vec2 *corners, size_t count, struct cairn_paint paint);
/* No floor within the corners; of the newest thing. */
void cairn_build_drop(struct cairn_builder *b, const struct cairn_vec2 corners[4]);

/* Takes the world over, with bounds, grid and hash; NULL with err set. The builder is empty then. */
struct cairn_world *cairn_build_finish(struct cairn_builder *b, struct cairn_error *err);
void cairn_build_abandon(struct cairn_builder *b);

#endif
