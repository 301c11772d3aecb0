/* picture_private.h - what the picture's files share; not for others. */
#ifndef CAIRN_COMMON_MAP_PICTURE_PRIVATE_H
#define CAIRN_COMMON_MAP_PICTURE_PRIVATE_H

#include <cairo.h>

#include "common/drawing/lettering.h"
#include "common/map/map_names.h"
#include "common/map/picture.h"

struct cairn_picture_colour {
	double r, g, b;
};

/* Where map coordinates are on the picture. North up means: map x goes up, map y goes left. */
struct cairn_picture_pen {
	const struct cairn_picture *p;
	cairo_t *cr;
	struct cairn_lettering *letters;
	double left, top, scale; /* of the map, pixels; pixels a cell */
	int32_t x1, y1;          /* uppermost and leftmost cell shown, */
	int32_t x0, y0;          /* lowest and rightmost one */
};

static inline void cairn_picture_to_px(
    const struct cairn_picture_pen *pen, double x_m, double y_m, double *px, double *py)
{
	double cx = (x_m - pen->p->origin_x_m) / pen->p->cell_m,
	       cy = (y_m - pen->p->origin_y_m) / pen->p->cell_m;
	*px = pen->left + (pen->y1 + 1 - cy) * pen->scale;
	*py = pen->top + (pen->x1 + 1 - cx) * pen->scale;
}

/* Rooms and things of the scene graph, between what is taken. */
void cairn_picture_scene(
    const struct cairn_picture_pen *pen, const struct cairn_map_rect *taken, uint32_t taken_count);
/* Does the graph have a thing or a room of that name? */
bool cairn_picture_scene_has(const struct cairn_picture *picture, const char *label);
/* The label, cut to what is readable on a map. */
void cairn_picture_cut_label(char *out, size_t cap, const char *label);
/* A text in the middle of (x, y), on a light ground. */
void cairn_picture_tag(const struct cairn_picture_pen *pen, double x, double y, double size,
    struct cairn_picture_colour colour, const char *text);

/* Doorways, frontiers, candidates, discoveries and the goal; marks that would cover each other are moved aside, with a line to their
 * place. */
void cairn_picture_marks(const struct cairn_picture_pen *pen);

#endif
