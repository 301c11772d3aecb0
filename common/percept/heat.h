/* heat.h - depth as colour over the picture: red near, through yellow, green and cyan, to blue far.
 *
 * Depth pictures come before anybody knows which colour picture they belong to, so the last few are kept,
 * every second pixel of every second row, reduced to a colour number each. All memory is taken in _new. */
#ifndef CAIRN_COMMON_PERCEPT_HEAT_H
#define CAIRN_COMMON_PERCEPT_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "common/drawing/font.h"

#define CAIRN_HEAT_NEAR_MM 300 /* red, and all that is nearer */
#define CAIRN_HEAT_FAR_MM 5000 /* blue, and all that is farther */
#define CAIRN_HEAT_KEPT 8

struct cairn_heat;

/* For pictures of this size; NULL without memory. */
struct cairn_heat *cairn_heat_new(int width_px, int height_px);
void cairn_heat_destroy(struct cairn_heat **heat_p);

/* Keeps a depth picture of the size given to _new: rows of uint16 millimetres, stride_bytes apart, not
 * necessarily aligned. */
void cairn_heat_keep(struct cairn_heat *heat, const void *pixels, size_t stride_bytes, int64_t t_ns);

/* Blends the kept picture of this stamp into the canvas, half and half; where depth is not known the canvas
 * stays. Nothing when there is none. */
void cairn_heat_draw(const struct cairn_heat *heat, const struct cairn_canvas *canvas, int64_t t_ns);

/* The colour of a depth: with s = (mm - near) / (far - near), clamped, red at 0, yellow at 1/4, green at 1/2,
 * cyan at 3/4, blue at 1, straight between. */
struct cairn_rgb cairn_heat_colour(unsigned mm);

#endif
