/* furnish_private.h - what the parts of furnish.h share: furnish.c (rooms and what is in them), furnish_place.c (where a
 * piece may stand), furnish_floor.c (what of the floor is free and can be reached), furnish_write.c (the file); not for others. */
#ifndef CAIRN_COMMON_SIM_WORLD_FURNISH_PRIVATE_H
#define CAIRN_COMMON_SIM_WORLD_FURNISH_PRIVATE_H

#include "common/base/rng.h"
#include "common/sim/world/floorplan.h"
#include "common/sim/world/furnish.h"
#include "common/sim/world/world.h"

#define FURNISH_PIECES_MAX 1024
#define FURNISH_DOORWAYS_MAX 256

/* ---- furnish_floor.c ---- */

struct furnish_floor {
	const struct cairn_world *world;
	double x_m, y_m;
	int32_t cols, rows;
	uint8_t *open;    /* a disc of CAIRN_FURNISH_PASS_M fits, furniture or not */
	uint8_t *blocked; /* by furniture */
	uint8_t *reach;   /* from the start */
	uint32_t *stack;
	uint32_t start; /* cell */
	uint32_t reached, lost;
	struct cairn_vec2 doorways[FURNISH_DOORWAYS_MAX];
	uint32_t doorway_count;
};

/* Along the axes, as all furniture stands. */
struct furnish_box {
	double x0_m, y0_m, x1_m, y1_m, z0_m, z1_m;
};

bool furnish_floor_init(
    struct furnish_floor *floor, const struct cairn_world *world, struct cairn_vec2 start);
void furnish_floor_finish(struct furnish_floor *floor);
bool furnish_floor_reached(const struct furnish_floor *floor, double x_m, double y_m);
/* Puts boxes on the floor, unless that cuts something off: false then, and nothing has changed. */
bool furnish_floor_put(struct furnish_floor *floor, const struct furnish_box *boxes, uint32_t count);
struct cairn_vec2 furnish_floor_middle(const struct furnish_floor *floor, uint32_t cell);
double furnish_floor_m2(uint32_t cells);

/* ---- the house, and its file ---- */

enum furnish_state { FURNISH_STILL, FURNISH_CONTAINER, FURNISH_LIGHT, FURNISH_LID };

struct furnish_piece {
	const char *name, *kind;
	char colour[12];               /* "" = usual */
	struct furnish_box box, clear; /* clear: stays free in front of it; of no size where nothing has to */
	double x_m, y_m, yaw_rad, width_m, depth_m; /* as in cairn_item, sizes filled in */
	double bottom_m, height_m, tall_m; /* 0: usual; tall_m instead of height_m: it lies on another */
	enum furnish_state state;
	bool open; /* or on */
	bool thing;
	uint32_t room;
};

struct furnish_room {
	char name[48]; /* "bedroom 2" */
	const char *floor, *floor_colour;
	const struct cairn_houseexpo_box *box;
	int kind; /* enum of furnish.c; -1: a label without furniture */
	bool used;
};

struct furnish_house {
	struct cairn_houseexpo plan;
	struct cairn_world *world; /* the plan alone */
	struct furnish_floor floor;
	struct cairn_rng rng;
	struct furnish_room *rooms; /* one a box of the plan */
	struct furnish_piece pieces[FURNISH_PIECES_MAX];
	uint32_t piece_count, state_count;
	struct cairn_pose2 start;
};

/* NULL without memory. */
char *furnish_write(const struct furnish_house *house, uint64_t seed);

#define FURNISH_GAP_M 0.02 /* between a back and its wall, and between two things */

enum furnish_place { WALL, CENTRE, BESIDE, FRONT, AROUND2, AROUND4 };

/* A row PIECE of furnish.def. */
struct furnish_row {
	int room; /* kind of it */
	const char *name, *kind;
	double width_m, depth_m, bottom_m, height_m;
	enum furnish_place place;
	int percent;
	double clear_m;
	enum furnish_state state;
};

/* ---- furnish_place.c ---- */
double furnish_between(struct furnish_house *h, double lo, double hi);
bool furnish_by_chance(struct furnish_house *h, double share);
/* The room of a point: of the only label with a meaning there, or NULL. */
struct furnish_room *furnish_room_at(const struct furnish_house *h, double x_m, double y_m);
bool furnish_meet(const struct furnish_box *a, const struct furnish_box *b);
struct furnish_box furnish_wider(struct furnish_box b, double by_m);
/* A piece with its back to direction `back` (0: +x, 1: +y, 2: -x, 3: -y), and that of one. */
struct furnish_piece furnish_piece_of(
    const struct furnish_row *row, uint32_t room, double x_m, double y_m, int back);
int furnish_back_of(const struct furnish_piece *p);
/* A point of the frame of a piece: to its right, and towards its back. */
struct cairn_vec2 furnish_beside(const struct furnish_piece *p, double right_m, double back_m);
/* Somewhere in the room: with its company (NULL: none) if there is a place for all, else alone. False: there is none. */
bool furnish_put(
    struct furnish_house *h, const struct furnish_row *row, const struct furnish_row *company, uint32_t room);

#endif
