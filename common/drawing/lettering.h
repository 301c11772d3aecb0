/* lettering.h - text on a cairo drawing, as outlines straight from the font file.
 *
 * Cairo's own text goes through fontconfig, which costs megabytes and keeps caches for ever; a few labels do
 * not need it. */
#ifndef CAIRN_COMMON_DRAWING_LETTERING_H
#define CAIRN_COMMON_DRAWING_LETTERING_H

#include <cairo.h>
#include <ft2build.h>
#include <stdbool.h>
#include FT_FREETYPE_H

#include "common/base/error.h"

struct cairn_lettering {
	FT_Library library;
	FT_Face face; /* NULL: nothing is drawn */
};

/* Opens the font of the project's pictures. False with the reason; the lettering then draws nothing. */
bool cairn_lettering_open(struct cairn_lettering *lettering, struct cairn_error *err);
void cairn_lettering_close(struct cairn_lettering *lettering);

/* Width of a UTF-8 text of size_px, in pixels. */
double cairn_lettering_width(struct cairn_lettering *lettering, double size_px, const char *text);

/* Fills the text with the current source; (x, y) is the left end of its base line. */
void cairn_lettering_draw(
    struct cairn_lettering *lettering, cairo_t *cr, double x, double y, double size_px, const char *text);

#endif
