/* assign.h - the cheapest one-to-one assignment of rows to columns (Kuhn 1955, Munkres 1957; shortest augmenting paths as in
 * Jonker and Volgenant 1987). */
#ifndef CAIRN_COMMON_SCENE_ASSIGN_H
#define CAIRN_COMMON_SCENE_ASSIGN_H

#include <stdint.h>

#define CAIRN_ASSIGN_ROWS 32
#define CAIRN_ASSIGN_COLUMNS 256
#define CAIRN_ASSIGN_NEVER 1e6f /* a pair that must not be */

/* cost[r * columns + c] >= 0. ret[r]: its column, or -1 where only pairs that must not be are left. rows and columns up to the
 * limits above; O(rows^2 * (rows + columns)). */
void cairn_assign(const float *cost, uint32_t rows, uint32_t columns, int32_t *ret);

#endif
