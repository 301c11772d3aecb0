/* rle.h - the map as a short text that a language model can read, and that can be read back.
 *
 *   map 0.2 m/cell, 12 x 7, top left x 3.1 y 2.4; x up, y left; # wall, . free, ? unknown, R robot
 *   12?
 *   3?5#4?
 *   3?#3.#4?
 *   ...
 *
 * One row a line, from the top (largest x) to the bottom, each from the left (largest y) to the right: north,
 * the way the robot faced at the start, is up, as on the picture. A run is a count (left out for 1) and a
 * letter. A line that repeats the one before is "="; n such lines are "=n". The place told is the outer
 * corner of the first cell.
 *
 * The cells are those of the grid, or squares of 2, 3, 4 ... of them, the smallest with which the text keeps
 * to its budget. A square is a wall when any of its cells is one (a wall never gets a hole), else unknown
 * when more than half of it is, else free. */
#ifndef CAIRN_COMMON_MAP_RLE_H
#define CAIRN_COMMON_MAP_RLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/base/geom.h"

#define CAIRN_RLE_BYTES_PER_TOKEN                                                                            \
	2.0 /* of such text: tokenizers take a digit or two, or a letter, at a time */

/* As in a map.grid frame: 0..100, 255 unknown; row 0 has the smallest y. */
struct cairn_rle_map {
	const uint8_t *cells;
	uint32_t width, height, stride_bytes;
	double cell_m, origin_x_m, origin_y_m;
	const struct cairn_pose2 *robot; /* NULL: not shown */
};

/* Writes the text of the known part, NUL-terminated, into buf. Its length; 0 when nothing is known or even
 * the coarsest squares (4 m) do not fit into bytes or the budget. Bytes at CAIRN_RLE_BYTES_PER_TOKEN are
 * taken for tokens. */
size_t cairn_rle_write(const struct cairn_rle_map *map, uint32_t tokens_max, char *buf, size_t bytes);

/* A text read back: rows as written, row 0 the top one; one of "#.?R" a square. */
struct cairn_rle_read {
	uint32_t columns, rows;
	double cell_m, top_x_m, left_y_m;
	char *squares; /* columns x rows, to be freed by the caller */
};

bool cairn_rle_read(const char *text, struct cairn_rle_read *ret, struct cairn_error *err);

#endif
