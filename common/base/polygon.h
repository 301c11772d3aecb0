/* polygon.h - plane polygons: area, inside, distance, crossings, cells.
 *
 * Corners in order, not closed. Outlines that cross themselves follow the even-odd rule. Nothing allocates.
 */
#ifndef CAIRN_COMMON_BASE_POLYGON_H
#define CAIRN_COMMON_BASE_POLYGON_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/geom.h"

/* What cairn_polygon_valid accepts, so that callers need no allocation of their own. */
#define CAIRN_POLYGON_CORNERS_MAX 64

/* Between 3 and CAIRN_POLYGON_CORNERS_MAX corners, all finite and within 100 km, enclosing at least 1 cm2. */
bool cairn_polygon_valid(const struct cairn_vec2 *corners, size_t count);

/* Signed area in m2 (shoelace formula): positive when the corners run counter-clockwise. */
double cairn_polygon_area(const struct cairn_vec2 *corners, size_t count);

/* Even-odd rule. */
bool cairn_polygon_contains(const struct cairn_vec2 *corners, size_t count, double x_m, double y_m);

/* Distance to the outline, negative inside. Infinity without corners. */
double cairn_polygon_distance_m(const struct cairn_vec2 *corners, size_t count, double x_m, double y_m);

/* Does the segment a-b meet the outline? Touching counts; a segment that lies inside does not meet it. */
bool cairn_polygon_crosses(
    const struct cairn_vec2 *corners, size_t count, struct cairn_vec2 a, struct cairn_vec2 b);

/* Cells of a grid whose cell (0, 0) has its lower-left corner at (origin_x_m, origin_y_m). */
struct cairn_polygon_grid {
	double origin_x_m, origin_y_m, cell_m;
	int width, height;
};

/* Calls span(ctx, y, x0, x1) for runs of cells x0 <= x < x1 of row y until every cell that the polygon
 * touches was told: those whose centre is inside and those that the outline passes through. A cell may be
 * told more than once. The polygon must be valid. */
void cairn_polygon_cells(const struct cairn_vec2 *corners, size_t count,
    const struct cairn_polygon_grid *grid, void (*span)(void *ctx, int y, int x0, int x1), void *ctx);

#endif
