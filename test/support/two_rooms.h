/* two_rooms.h - a house of two rooms with a door between them, as a map, and pictures taken in it. */
#ifndef CAIRN_TEST_SUPPORT_TWO_ROOMS_H
#define CAIRN_TEST_SUPPORT_TWO_ROOMS_H

#include <string.h>

#include "common/agent/coverage.h"

#define TWO_ROOMS_W 160 /* cells of 0.05 m: 8 x 4 m, from (-2, -2) */
#define TWO_ROOMS_H 80
#define TWO_ROOMS_MAP 7
#define TWO_ROOMS_HFOV_RAD 1.2

/* A wall at x = 2 that is open from row `from` of the map to `to`. Valid until the next call. */
static inline struct cairn_scene_grid two_rooms_door(int from, int to)
{
	static uint8_t cells[TWO_ROOMS_W * TWO_ROOMS_H];
	memset(cells, 0, sizeof(cells));
	for (int y = 0; y < TWO_ROOMS_H; y++)
		for (int x = 0; x < TWO_ROOMS_W; x++)
			if (x < 2 || y < 2 || x >= TWO_ROOMS_W - 2 || y >= TWO_ROOMS_H - 2 ||
			    (x >= 80 && x < 83 && (y < from || y >= to)))
				cells[y * TWO_ROOMS_W + x] = 100;
	return (struct cairn_scene_grid){cells, TWO_ROOMS_W, TWO_ROOMS_H, -2.0, -2.0, 0.05};
}

/* With a door from y = -0.4 to 0.4. */
static inline struct cairn_scene_grid two_rooms(void)
{
	return two_rooms_door(32, 48);
}

static inline struct cairn_msg_detections two_rooms_picture(double x_m, double y_m, double yaw_rad)
{
	return (struct cairn_msg_detections){.x_m = x_m,
	    .y_m = y_m,
	    .yaw_rad = yaw_rad,
	    .hfov_rad = TWO_ROOMS_HFOV_RAD,
	    .map_id = TWO_ROOMS_MAP};
}

#endif
