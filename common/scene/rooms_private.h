/* rooms_private.h - the turned sheet on which the floor is cut; shared by rooms.c and rooms_cut.c. */
#ifndef CAIRN_COMMON_SCENE_ROOMS_PRIVATE_H
#define CAIRN_COMMON_SCENE_ROOMS_PRIVATE_H

#include "common/map/edt.h"
#include "common/scene/rooms.h"

/* Bits, as masks for distances. */
enum rooms_kind {
	ROOMS_UNKNOWN = 1,
	ROOMS_FLOOR = 2,
	ROOMS_WALL = 4,
	ROOMS_DOORWAY = 8,
	ROOMS_OPENING = 16 /* floor that is cut in a wider gap */
};

struct rooms_sheet {
	int32_t width, height;
	double cell_m, cos_a, sin_a, u0, v0; /* of the map cell (x, y): turned, less (u0, v0) */
	uint8_t *kind;
	uint16_t *piece; /* 1 + number of the piece of floor; 0 none */
	int32_t *queue;  /* scratch, one a cell */
	float *dist;     /* cells to the nearest that is no floor */
	uint32_t pieces;
	double door[CAIRN_ROOMS_DOORS_MAX][2]; /* of the mapper, in cells of the sheet */
	uint32_t doors;
	struct cairn_edt edt;
};

/* Divides the floor of the sheet into pieces, largest first, at most CAIRN_ROOMS_MAX. False without memory. */
bool rooms_cut(struct rooms_sheet *sheet);

#endif
