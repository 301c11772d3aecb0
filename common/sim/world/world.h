/* world.h - a house as vectors: what is solid, what it looks like, what people call it.
 *
 * Everything solid is a vertical prism: a polygon on the floor plan with a bottom and a top height. Its sides
 * are edges, with the free side on the right of a -> b; single edges without a prism (the outline of a floor
 * plan) are walls that can be seen and touched from their free side. World frame: metres, x right, y up on
 * the plan, z up, 0 is the floor. A world does not change once it is loaded: people who walk are kept by the
 * simulator. Readers share it; cairn_world_destroy ends it. */
#ifndef CAIRN_COMMON_SIM_WORLD_WORLD_H
#define CAIRN_COMMON_SIM_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"
#include "common/scan/scan.h"

#define CAIRN_WORLD_NAME_CAP 48
#define CAIRN_WORLD_PEOPLE_MAX 16
#define CAIRN_WORLD_PATH_MAX 16
#define CAIRN_WORLD_PROPS_MAX 32
#define CAIRN_WORLD_PROP_PLACES 4
#define CAIRN_WORLD_DROPS_MAX 16
/* Lower than this a thing is part of the floor: it neither touches nor stops the robot. */
#define CAIRN_WORLD_STEP_M 0.01

/* What a surface looks like; the renderer has a picture of each. */
enum cairn_texture {
	CAIRN_TEXTURE_PLAIN,
	CAIRN_TEXTURE_PLASTER,
	CAIRN_TEXTURE_WOOD,
	CAIRN_TEXTURE_PLANKS,
	CAIRN_TEXTURE_TILES,
	CAIRN_TEXTURE_CARPET,
	CAIRN_TEXTURE_STONE,
	CAIRN_TEXTURE_FABRIC,
	CAIRN_TEXTURE_BRICK,
	CAIRN_TEXTURE_LEAVES,
	CAIRN_TEXTURE_DOOR, /* from here on stretched over the face instead of repeated */
	CAIRN_TEXTURE_BOOKS,
	CAIRN_TEXTURE_DRAWERS,
	CAIRN_TEXTURE_WINDOW,
	CAIRN_TEXTURE_PICTURE,
	CAIRN_TEXTURE_SCREEN,
	CAIRN_TEXTURE_OVEN,
	CAIRN_TEXTURE_CURTAIN,
	CAIRN_TEXTURE_COUNT
};
#define CAIRN_TEXTURE_FIRST_STRETCHED CAIRN_TEXTURE_DOOR

struct cairn_paint {
	uint8_t r, g, b;
	uint8_t texture; /* enum cairn_texture */
};

struct cairn_edge {
	float ax_m, ay_m, bx_m, by_m; /* free side on the right of a -> b */
	float z0_m, z1_m;
	float along_m; /* of a from the start of its outline, so that a texture runs around corners */
	uint32_t solid;
	struct cairn_paint paint;
	uint32_t glass; /* 1: a LiDAR looks through it */
};

/* When a solid is drawn: always; while its prop is open, or closed; while its prop is filled; or never, as the hull of a hollow
 * container, which is there for touch and for rays alone. */
enum cairn_shown {
	CAIRN_SHOWN_ALWAYS,
	CAIRN_SHOWN_OPEN,
	CAIRN_SHOWN_CLOSED,
	CAIRN_SHOWN_FILLED,
	CAIRN_SHOWN_NEVER
};

struct cairn_solid {
	uint32_t thing;
	uint32_t edge_first, edge_count;
	uint32_t tri_first,
	    tri_count; /* of the lid, into tris; none: the edges' start points are a convex lid */
	float z0_m, z1_m;
	float x_min_m, y_min_m, x_max_m, y_max_m;
	struct cairn_paint paint;
	bool lid_top, lid_bottom; /* those faces can be seen */
	bool unfelt;              /* seen, but neither touched nor met by a ray: what can move, and insides */
	uint8_t shown;            /* enum cairn_shown */
	uint8_t prop;             /* 1 + index of the prop it belongs to; 0 = none */
};

struct cairn_thing {
	char name[CAIRN_WORLD_NAME_CAP];
	char kind[16]; /* "wall", "door", "table", ... */
	float x_m, y_m;
};

/* Where a prop can be at the start. */
struct cairn_prop_place {
	int32_t thing; /* that it is on or in; -1: it stands where it was built, on nothing that is known */
	int32_t container; /* prop that it is in; -1: on, not in */
	struct cairn_vec2 at;
	double z_m; /* of its foot */
};

/* What the light word, the lid or the door of a prop is called when it is open and when it is closed. */
enum cairn_prop_word { CAIRN_PROP_STILL, CAIRN_PROP_DOOR, CAIRN_PROP_LID, CAIRN_PROP_LIGHT };

/* A thing with a state (props.h has what changes): a container, a thing to grasp, a vessel, a lid, a lamp. */
struct cairn_prop {
	uint32_t thing;
	uint8_t word; /* enum cairn_prop_word: what opens and closes, or is switched; STILL: nothing */
	bool container, occludes, graspable, open;               /* open: at the start */
	struct cairn_prop_place places[CAIRN_WORLD_PROP_PLACES]; /* the seed chooses one; built at [0] */
	uint32_t place_count;
	double tall_m, wide_m;    /* largest level side */
	double shelf_z_m;         /* of a container: where things stand in it */
	struct cairn_vec2 middle; /* of a container's inside */
	double holds_l;           /* of a vessel; 0 = none */
	char liquid[24];          /* that it is full of at the start; "" = empty */
	struct {
		struct cairn_vec2 hinge, shut, wide; /* leaf: from its hinge to its tip, closed and open */
		double z0_m, z1_m;
	} leaves[4];
	uint32_t leaf_count;
};

struct cairn_room {
	char name[CAIRN_WORLD_NAME_CAP];
	struct cairn_vec2 *corners;
	uint32_t corner_count;
	uint32_t tri_first, tri_count; /* into tris */
	double area_m2;
	struct cairn_paint floor, wall;
	bool floor_painted, wall_painted; /* differ from the world's */
};

/* A person: a cylinder that stands, or walks to and fro along its waypoints. */
struct cairn_person {
	char name[CAIRN_WORLD_NAME_CAP];
	struct cairn_vec2 path[CAIRN_WORLD_PATH_MAX];
	uint32_t path_count; /* 1: stands */
	double speed_mps, radius_m, height_m;
	double heedless_m; /* comes this much nearer to the robot than others would */
	double pause_s;    /* at each end of its path */
	/* Some turn with one that walks, about a hinge: the leaf of a door. They are the `carried` that
	 * follow it, each `share` of its distance from the hinge away; none of them moves unless all can. */
	uint32_t carried;
	struct cairn_vec2 hinge;
	double share;
	struct cairn_paint paint;
	bool requester; /* gives the robot its tasks */
};

/* One corner triple of a lid or a floor. */
struct cairn_tri {
	float x_m[3], y_m[3];
};

/* A flat piece of another floor: seen, not felt. */
struct cairn_rug {
	uint32_t tri_first, tri_count;
	struct cairn_paint paint;
};

/* A piece without floor: the head of a stair. Cliff sensors and wheels find it, rays do not. */
struct cairn_drop {
	struct cairn_vec2 corners[4];
	uint32_t thing;
};

/* An edge as a ray meets it, beside its neighbours in a cell of the grid: half a cache line. */
struct cairn_cell_edge {
	float ax_m, ay_m, dx_m, dy_m; /* d: from a to b */
	float z0_m, z1_m;
	uint32_t glass, edge;
};

/* Where a moving person is now; the caller keeps them. */
struct cairn_disc {
	double x_m, y_m, radius_m, z0_m, z1_m;
};

struct cairn_world {
	char name[CAIRN_WORLD_NAME_CAP];
	struct cairn_edge *edges;
	struct cairn_solid *solids;
	struct cairn_thing *things;
	struct cairn_room *rooms;
	struct cairn_rug *rugs;
	struct cairn_tri *tris;
	struct cairn_person people[CAIRN_WORLD_PEOPLE_MAX];
	struct cairn_prop props[CAIRN_WORLD_PROPS_MAX];
	struct cairn_drop drops[CAIRN_WORLD_DROPS_MAX];
	uint32_t edge_count, solid_count, thing_count, room_count, rug_count, tri_count, people_count,
	    prop_count, drop_count;
	struct cairn_paint floor;
	double ceiling_m;
	double x_min_m, y_min_m, x_max_m, y_max_m;
	bool has_start;
	struct cairn_pose2 start;
	uint64_t hash; /* of all that is solid; the same file gives the same hash */
	/* Uniform grid over the plan: cell k holds cell_edges[cell_first[k] .. cell_first[k + 1]). */
	double grid_x_m, grid_y_m, grid_cell_m;
	int32_t grid_cols, grid_rows;
	uint32_t *cell_first;
	struct cairn_cell_edge *cell_edges;
};

/* Loads a YAML world, a HouseExpo JSON polygon or a PGM raster (gzipped or not), told apart by their content.
 * NULL with "FILE: key: reason" in err. */
struct cairn_world *cairn_world_load(const char *path, struct cairn_error *err);
struct cairn_world *cairn_world_load_yaml(const char *path, struct cairn_error *err);
struct cairn_world *cairn_world_load_houseexpo(const char *path, struct cairn_error *err);
struct cairn_world *cairn_world_load_raster(const char *path, struct cairn_error *err);
void cairn_world_destroy(struct cairn_world **world_p);

struct cairn_ray_hit {
	double range_m; /* max_m when nothing is hit */
	int32_t edge;   /* -1: nothing */
};

/* First edge crossing height z_m that a ray from (x, y) along the unit vector (dx, dy) meets within max_m,
 * from either side. */
struct cairn_ray_hit cairn_world_cast(
    const struct cairn_world *world, double x_m, double y_m, double dx, double dy, double z_m, double max_m);
/* The same for a LiDAR's ray, which passes through glass. */
struct cairn_ray_hit cairn_world_cast_lidar(
    const struct cairn_world *world, double x_m, double y_m, double dx, double dy, double z_m, double max_m);

/* Distance at which the ray meets the disc, or max_m. */
double cairn_disc_cast(
    const struct cairn_disc *disc, double x_m, double y_m, double dx, double dy, double z_m, double max_m);

/* The thing that the footprint overlaps at heights between CAIRN_WORLD_STEP_M and height_m, or -1. */
int32_t cairn_world_touch(const struct cairn_world *world, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m);
/* The thing that holds the point at height z_m, or the outline (of a floor plan) that it lies outside of, or -1: the first
 * edge that a ray from there meets turns its back. cairn_world_touch sees edges alone, and none from the middle of a
 * cupboard. Outside of walls that have a thickness nothing tells that it is outside. */
int32_t cairn_world_inside(const struct cairn_world *world, double x_m, double y_m, double z_m);
/* Distance from the footprint to the nearest thing as for cairn_world_touch, at most max_m; 0 when it overlaps. */
double cairn_world_clearance(const struct cairn_world *world, struct cairn_pose2 pose,
    const struct cairn_footprint *body, double height_m, double max_m);
/* Distance from the footprint to the disc; 0 when it overlaps. */
double cairn_disc_clearance(
    const struct cairn_disc *disc, struct cairn_pose2 pose, const struct cairn_footprint *body);

/* The drop that lies at the point, as a thing; -1: there is floor. */
int32_t cairn_world_drop_at(const struct cairn_world *world, struct cairn_vec2 at);

/* Extent of a thing as it was built: its lowest and its highest corner, without what is drawn only at times. False: it has no
 * solids. */
bool cairn_world_extent(
    const struct cairn_world *world, uint32_t thing, double ret_min[3], double ret_max[3]);

/* The smallest room that holds the point, or NULL. */
const struct cairn_room *cairn_world_room_at(const struct cairn_world *world, double x_m, double y_m);

/* A start pose that is free for a disc of radius_m (heights as in cairn_world_touch), far from walls, in the
 * largest room where rooms are known, facing the longest view. False when the world has no such place. */
bool cairn_world_choose_start(
    const struct cairn_world *world, double radius_m, double height_m, struct cairn_pose2 *ret_pose);

/* Distance of every grid point to the nearest edge between CAIRN_WORLD_STEP_M and height_m, up to max_m.
 * Point (c, r) is the centre of a cell at origin + (c + 0.5, r + 0.5) * cell. out holds cols * rows values.
 */
void cairn_world_distances(const struct cairn_world *world, double x_m, double y_m, double cell_m,
    int32_t cols, int32_t rows, double height_m, float max_m, float *out);

#endif
