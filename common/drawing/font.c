#include "common/drawing/font.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_GLYPH_H
#include FT_STROKER_H

#define FIRST_CHAR 32
#define ASCII_GLYPHS 95
#define DEGREE_GLYPH ASCII_GLYPHS
#define GLYPHS (ASCII_GLYPHS + 1)

/* Coverage of one glyph; left and top as FreeType gives them: offset from the pen to the mask's upper left
 * corner. Each value stands there three times, once for each colour of a pixel: so a row is blended without
 * a thought for pixels, in vectors. */
struct mask {
	int left, top, width, height;
	uint8_t *coverage;
};

struct cairn_font {
	int cap_height_px;
	int advance_px[GLYPHS];
	/* How far a glyph reaches at most: left of the pen, right of its advance, above and below the base
	 * line.
	 */
	int left_px, right_px, above_px, below_px;
	struct mask fill[GLYPHS], rim[GLYPHS];
};

static bool copy_mask(struct mask *mask, FT_BitmapGlyph glyph)
{
	const FT_Bitmap *bitmap = &glyph->bitmap;
	size_t width = bitmap->width, height = bitmap->rows;
	*mask = (struct mask){glyph->left, glyph->top, (int)width, (int)height, NULL};
	if (width * height == 0)
		return true;
	mask->coverage = malloc(3 * width * height);
	if (mask->coverage == NULL)
		return false;
	uint8_t *out = mask->coverage;
	for (size_t y = 0; y < height; y++) {
		for (size_t x = 0; x < width; x++, out += 3)
			memset(out, bitmap->buffer[(ptrdiff_t)y * bitmap->pitch + (ptrdiff_t)x], 3);
	}
	return true;
}

/* Renders the current glyph of the face, stroked on both sides when stroker is given. */
static bool render(struct mask *mask, FT_Face face, FT_Stroker stroker)
{
	FT_Glyph glyph = NULL;
	bool ok = FT_Get_Glyph(face->glyph, &glyph) == 0;
	if (ok && stroker != NULL && glyph->format == FT_GLYPH_FORMAT_OUTLINE)
		ok = FT_Glyph_StrokeBorder(&glyph, stroker, 0, 1) == 0;
	ok = ok && FT_Glyph_To_Bitmap(&glyph, FT_RENDER_MODE_NORMAL, NULL, 1) == 0;
	ok = ok && copy_mask(mask, (FT_BitmapGlyph)glyph);
	if (glyph != NULL)
		FT_Done_Glyph(glyph);
	return ok;
}

static void measure(struct cairn_font *font, const struct mask *mask, int advance_px)
{
	const int left = -mask->left, right = mask->left + mask->width - advance_px,
		  below = mask->height - mask->top;
	font->left_px = left > font->left_px ? left : font->left_px;
	font->right_px = right > font->right_px ? right : font->right_px;
	font->above_px = mask->top > font->above_px ? mask->top : font->above_px;
	font->below_px = below > font->below_px ? below : font->below_px;
}

static bool render_all(struct cairn_font *font, FT_Face face, FT_Stroker stroker)
{
	for (int i = 0; i < GLYPHS; i++) {
		FT_ULong code = i == DEGREE_GLYPH ? 0xB0 : (FT_ULong)(FIRST_CHAR + i);
		if (FT_Load_Char(face, code, FT_LOAD_NO_BITMAP) != 0)
			return false;
		font->advance_px[i] = (int)((face->glyph->advance.x + 32) >> 6);
		if (code == 'H')
			font->cap_height_px = (int)((face->glyph->metrics.height + 32) >> 6);
		if (!render(&font->fill[i], face, NULL) || !render(&font->rim[i], face, stroker))
			return false;
		measure(font, &font->fill[i], font->advance_px[i]);
		measure(font, &font->rim[i], font->advance_px[i]);
	}
	return true;
}

struct cairn_font *cairn_font_new(
    const char *file, double size_px, double outline_px, struct cairn_error *err)
{
	FT_Library library = NULL;
	FT_Face face = NULL;
	FT_Stroker stroker = NULL;
	struct cairn_font *font = calloc(1, sizeof(*font));
	if (font == NULL || FT_Init_FreeType(&library) != 0) {
		cairn_error_set(err, "%s: cannot start FreeType: out of memory", file);
		free(font);
		return NULL;
	}
	bool ok = false;
	if (FT_New_Face(library, file, 0, &face) != 0) {
		cairn_error_set(err, "%s: cannot be read as a font (package fonts-dejavu-core)", file);
	} else if (FT_Set_Char_Size(face, 0, (FT_F26Dot6)lround(size_px * 64.0), 72, 72) != 0 ||
		   FT_Stroker_New(library, &stroker) != 0) {
		cairn_error_set(err, "%s: size %.1f px cannot be used", file, size_px);
	} else {
		FT_Stroker_Set(stroker, (FT_Fixed)lround(outline_px * 64.0), FT_STROKER_LINECAP_ROUND,
		    FT_STROKER_LINEJOIN_ROUND, 0);
		ok = render_all(font, face, stroker);
		if (!ok)
			cairn_error_set(err, "%s: a glyph cannot be rendered", file);
	}
	if (stroker != NULL)
		FT_Stroker_Done(stroker);
	if (face != NULL)
		FT_Done_Face(face);
	FT_Done_FreeType(library);
	if (!ok)
		cairn_font_destroy(&font);
	return font;
}

void cairn_font_destroy(struct cairn_font **font_p)
{
	struct cairn_font *font = *font_p;
	if (font == NULL)
		return;
	for (int i = 0; i < GLYPHS; i++) {
		free(font->fill[i].coverage);
		free(font->rim[i].coverage);
	}
	free(font);
	*font_p = NULL;
}

/* Glyph of the next character; advances *text past it. */
static int next_glyph(const char **text)
{
	unsigned char c = (unsigned char)*(*text)++;
	if (c == 0xC2 && (unsigned char)**text == 0xB0) {
		(*text)++;
		return DEGREE_GLYPH;
	}
	return c >= FIRST_CHAR && c < FIRST_CHAR + ASCII_GLYPHS ? c - FIRST_CHAR : '?' - FIRST_CHAR;
}

int cairn_font_width_px(const struct cairn_font *font, const char *text)
{
	int width = 0;
	while (*text != '\0')
		width += font->advance_px[next_glyph(&text)];
	return width;
}

int cairn_font_cap_height_px(const struct cairn_font *font)
{
	return font->cap_height_px;
}

/* The same as cairn_canvas_blend for each pixel, coverage 0 and 255 included. shine: 255 white, 0 black. */
static void blend_row(uint8_t *restrict px, const uint8_t *restrict coverage, int count, uint8_t shine)
{
	for (int i = 0; i < count; i++) {
		uint16_t v = (uint16_t)(px[i] * (uint8_t)(255 - coverage[i]) + shine * coverage[i] + 128);
		px[i] = (uint8_t)((uint16_t)(v + (v >> 8)) >> 8);
	}
}

static void draw_mask(
    const struct mask *mask, const struct cairn_canvas *canvas, int pen_x, int pen_y, uint8_t shine)
{
	int x0 = pen_x + mask->left, y0 = pen_y - mask->top;
	int from_x = x0 < 0 ? -x0 : 0, from_y = y0 < 0 ? -y0 : 0;
	int to_x = x0 + mask->width > canvas->width_px ? canvas->width_px - x0 : mask->width;
	int to_y = y0 + mask->height > canvas->height_px ? canvas->height_px - y0 : mask->height;
	for (int y = from_y; y < to_y && from_x < to_x; y++) {
		blend_row(
		    canvas->rgb + (ptrdiff_t)(y0 + y) * canvas->stride_bytes + 3 * (ptrdiff_t)(x0 + from_x),
		    mask->coverage + 3 * ((ptrdiff_t)y * mask->width + from_x), 3 * (to_x - from_x), shine);
	}
}

struct cairn_box cairn_font_box(const struct cairn_font *font, int x_px, int y_px, const char *text)
{
	int width = cairn_font_width_px(font, text), left = x_px - width / 2,
	    base = y_px + font->cap_height_px / 2;
	return (struct cairn_box){left - font->left_px, base - font->above_px, left + width + font->right_px,
	    base + font->below_px};
}

void cairn_font_draw_centred(
    const struct cairn_font *font, const struct cairn_canvas *canvas, int x_px, int y_px, const char *text)
{
	int left = x_px - cairn_font_width_px(font, text) / 2;
	int base = y_px + font->cap_height_px / 2;

	/* All rims first: the rim of a letter must not cut into the letter before it. */
	const char *at = text;
	for (int pen = left; *at != '\0';) {
		int glyph = next_glyph(&at);
		draw_mask(&font->rim[glyph], canvas, pen, base, 0);
		pen += font->advance_px[glyph];
	}
	at = text;
	for (int pen = left; *at != '\0';) {
		int glyph = next_glyph(&at);
		draw_mask(&font->fill[glyph], canvas, pen, base, 255);
		pen += font->advance_px[glyph];
	}
}
