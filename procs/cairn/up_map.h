/* up_map.h - the map in characters for the live table. A child draws it from the mapper's checkpoint now and then, so that
 * a large map holds up neither the keys nor the launcher. */
#ifndef CAIRN_PROCS_CAIRN_UP_MAP_H
#define CAIRN_PROCS_CAIRN_UP_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/config/config.h"

#define UP_MAP_COLS 200
#define UP_MAP_ROWS 80

/* Row 0 is the top, the largest y; '#' something stands there, '.' free floor, ' ' unknown. A character is twice as tall as
 * wide. */
struct up_map_picture {
	int cols, rows; /* 0: there is none */
	double left_m, top_m, col_m;
	char cells[UP_MAP_ROWS][UP_MAP_COLS];
};

struct up_map {
	struct up_map_picture shown, coming;
	size_t came; /* bytes of coming */
	int fd;      /* of the child; -1 = none */
	int64_t due_ns;
};

void up_map_init(struct up_map *map);
/* Takes what the child has drawn, and starts one when it is time; never waits. */
void up_map_tick(struct up_map *map, const struct cairn_config *cfg, const char *run_dir, int cols, int rows,
    int64_t now_ns);
void up_map_close(struct up_map *map);

/* Draws cells (0..100, 255 unknown; row 0 has the smallest y) into at most cols x rows characters. Pure. */
void up_map_draw(const uint8_t *cells, int width, int height, double cell_m, double origin_x_m,
    double origin_y_m, int cols, int rows, struct up_map_picture *ret);
/* The character of a place; false when it is outside. */
bool up_map_place(const struct up_map_picture *p, double x_m, double y_m, int *ret_col, int *ret_row);

#endif
