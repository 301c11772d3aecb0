/* polygon.h - plane polygons: area, inside, cutting into triangles. Corners in order, not closed. */
#ifndef CAIRN_COMMON_WORLD_POLYGON_H
#define CAIRN_COMMON_WORLD_POLYGON_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/geom.h"

/* Signed area in m2 (shoelace formula): positive when the corners run counter-clockwise. */
double cairn_polygon_area(const struct cairn_vec2 *corners, size_t count);

/* Even-odd rule. */
bool cairn_polygon_contains(const struct cairn_vec2 *corners, size_t count, double x_m, double y_m);

/* True when no corner turns the other way; corners counter-clockwise. */
bool cairn_polygon_convex(const struct cairn_vec2 *corners, size_t count);

/* Cuts a simple counter-clockwise polygon into count - 2 triangles by clipping ears; ret_index holds 3 *
 * (count - 2) values. Number of triangles made; fewer when the outline crosses itself. scratch holds count
 * values. */
size_t cairn_polygon_triangulate(
    const struct cairn_vec2 *corners, size_t count, size_t *scratch, size_t *ret_index);

#endif
