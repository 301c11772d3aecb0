/* stroke.h - lines and discs with smooth edges on RGB pictures. Nothing allocates, and nothing is drawn
 * outside of the canvas, wherever the shape lies; one that is not finite is not drawn. Positions are
 * continuous: the pixel in column i covers i to i + 1. */
#ifndef CAIRN_COMMON_DRAWING_STROKE_H
#define CAIRN_COMMON_DRAWING_STROKE_H

#include "common/drawing/font.h"

struct cairn_stroke {
	float width_px;
	struct cairn_rgb colour;
	uint8_t opacity; /* 255 covers what is below */
};

/* A straight line with round ends. */
void cairn_stroke_line(const struct cairn_canvas *canvas, double ax, double ay, double bx, double by,
    const struct cairn_stroke *stroke);

/* A filled disc. */
void cairn_stroke_disc(const struct cairn_canvas *canvas, double x, double y, double radius_px,
    struct cairn_rgb colour, uint8_t opacity);

#endif
