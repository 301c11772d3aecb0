/* outline.h - polygons of a world: convexity, cutting into triangles. The rest is in common/base/polygon.h.
 */
#ifndef CAIRN_COMMON_SIM_WORLD_OUTLINE_H
#define CAIRN_COMMON_SIM_WORLD_OUTLINE_H

#include "common/base/polygon.h"

/* True when no corner turns the other way; corners counter-clockwise. */
bool cairn_polygon_convex(const struct cairn_vec2 *corners, size_t count);

/* Cuts a simple counter-clockwise polygon into count - 2 triangles by clipping ears; ret_index holds 3 *
 * (count - 2) values. Number of triangles made; fewer when the outline crosses itself. scratch holds count
 * values. */
size_t cairn_polygon_triangulate(
    const struct cairn_vec2 *corners, size_t count, size_t *scratch, size_t *ret_index);

#endif
