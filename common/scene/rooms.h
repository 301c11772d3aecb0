/* rooms.h - the free floor of a map divided into rooms.
 *
 * The grid is turned so that the walls run along its axes. Small things that stand free (legs of chairs and tables) are
 * taken for floor. Doorways and openings are gaps of CAIRN_ROOMS_GAP_MIN_M to _MAX_M in a line of wall that is free on both of
 * its sides; the floor is cut there. One side may be hidden where it is another one on either side of the gap, or where the
 * mapper has found a doorway, too. Within a part that is still in one piece a watershed of the distance to the nearest
 * obstacle (Vincent and Soille 1991) cuts at necks that are much narrower than what lies on either side of them. Pieces too
 * small for a room go to the neighbour they touch most. A room keeps its number from one map to the next by the floor
 * that both share.
 *
 * Memory is taken as the map grows. Pure. */
#ifndef CAIRN_COMMON_SCENE_ROOMS_H
#define CAIRN_COMMON_SCENE_ROOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/geom.h"

#define CAIRN_ROOMS_MAX 64
#define CAIRN_ROOMS_GAP_MIN_M 0.48 /* half a metre, by cells of 0.05 m */
#define CAIRN_ROOMS_GAP_MAX_M 2.00
#define CAIRN_ROOMS_AREA_MIN_M2 1.2
#define CAIRN_ROOMS_SIDE_MAX 4096
#define CAIRN_ROOMS_DOORS_MAX 64

/* Row-major, row 0 has the smallest y; cell (c, r) is map cell (cx0 + c, cy0 + r). */
struct cairn_rooms {
	int32_t cx0, cy0, width, height;
	double cell_m;
	uint8_t *label; /* 1 + index of the room, 0 none */
	float
	    *clear_m; /* distance to the nearest obstacle or unknown cell, small things included; 0 on them */
	uint8_t *cells; /* as given */
	size_t room;    /* cells that the arrays have room for */
	struct {
		uint32_t number;
		uint32_t cells;
		int32_t at_cx, at_cy; /* its cell that is farthest from obstacles */
	} items[CAIRN_ROOMS_MAX];
	uint32_t count;
};

struct cairn_rooms_grid {
	const uint8_t *cells; /* 0 free .. 100 occupied, 255 unknown */
	int32_t width, height, cx0, cy0;
	double cell_m;
	const struct cairn_vec2
	    *doors; /* middles of doorways that the mapper has found, map frame; may be NULL */
	uint32_t door_count;
};

void cairn_rooms_free(struct cairn_rooms *rooms);
/* Divides the floor anew. *next_number: numbers that were never given begin here; rises. False without memory or with a map that is
 * too large: rooms are as before. */
bool cairn_rooms_find(struct cairn_rooms *rooms, const struct cairn_rooms_grid *grid, uint32_t *next_number);
/* Index of the room at a point, or -1. */
int32_t cairn_rooms_at(const struct cairn_rooms *rooms, double x_m, double y_m);
/* Index of the room of the nearest cell that has one within so many metres, or -1. */
int32_t cairn_rooms_near(const struct cairn_rooms *rooms, double x_m, double y_m, double within_m);
/* Distance to the nearest obstacle; 0 outside of the map. */
double cairn_rooms_clear_m(const struct cairn_rooms *rooms, double x_m, double y_m);
/* True where an obstacle is; unknown cells are none. */
bool cairn_rooms_occupied(const struct cairn_rooms *rooms, double x_m, double y_m);

#endif
