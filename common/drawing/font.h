/* font.h - text on RGB pictures: white letters of DejaVu Sans Bold with a black outline.
 *
 * The glyphs (printable ASCII and the degree sign) are rendered once, with FreeType, at one size; drawing is
 * a blend of two small coverage masks and allocates nothing. Nothing is drawn outside of the canvas. */
#ifndef CAIRN_COMMON_DRAWING_FONT_H
#define CAIRN_COMMON_DRAWING_FONT_H

#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_FONT_FILE "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"

/* An RGB picture of 8 bit a channel, borrowed. */
struct cairn_canvas {
	uint8_t *rgb;
	int width_px, height_px;
	int stride_bytes;
};

struct cairn_rgb {
	uint8_t r, g, b;
};

/* Blends colour into one pixel, which must lie on the canvas; coverage 255 replaces it. */
static inline void cairn_canvas_blend(
    const struct cairn_canvas *canvas, int x, int y, struct cairn_rgb colour, unsigned coverage)
{
	uint8_t *p = canvas->rgb + (int64_t)y * canvas->stride_bytes + 3 * x;
	if (coverage == 0)
		return;
	if (coverage == 255) {
		p[0] = colour.r;
		p[1] = colour.g;
		p[2] = colour.b;
		return;
	}
	unsigned keep = 255u - coverage;
	unsigned r = p[0] * keep + colour.r * coverage + 128u, g = p[1] * keep + colour.g * coverage + 128u,
		 b = p[2] * keep + colour.b * coverage + 128u;
	p[0] = (uint8_t)((r + (r >> 8)) >> 8); /* exact division by 255 */
	p[1] = (uint8_t)((g + (g >> 8)) >> 8);
	p[2] = (uint8_t)((b + (b >> 8)) >> 8);
}

struct cairn_font;

/* size_px: height of the em square; outline_px: width of the black rim. NULL with err set when the font is
 * missing. */
struct cairn_font *cairn_font_new(
    const char *file, double size_px, double outline_px, struct cairn_error *err);
void cairn_font_destroy(struct cairn_font **font_p);

/* Width of a text as drawn, without the rim. Characters the font does not hold count as '?'. */
int cairn_font_width_px(const struct cairn_font *font, const char *text);
/* Height of a capital letter. */
int cairn_font_cap_height_px(const struct cairn_font *font);

/* Draws with the middle of the text (half its width, half a capital's height) at (x, y). */
void cairn_font_draw_centred(
    const struct cairn_font *font, const struct cairn_canvas *canvas, int x_px, int y_px, const char *text);

/* Pixels from (x0, y0) to before (x1, y1); empty unless x0 < x1 and y0 < y1. */
struct cairn_box {
	int x0, y0, x1, y1;
};

/* Holds all that cairn_font_draw_centred may change, rims included. May reach over the canvas. */
struct cairn_box cairn_font_box(const struct cairn_font *font, int x_px, int y_px, const char *text);

#endif
