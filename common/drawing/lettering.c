#include "common/drawing/lettering.h"

#include FT_OUTLINE_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/drawing/font.h"

bool cairn_lettering_open(struct cairn_lettering *l, struct cairn_error *err)
{
	memset(l, 0, sizeof(*l));
	if (FT_Init_FreeType(&l->library) != 0) {
		l->library = NULL;
		cairn_error_set(err, "the FreeType library cannot be started");
		return false;
	}
	if (FT_New_Face(l->library, CAIRN_FONT_FILE, 0, &l->face) != 0) {
		l->face = NULL;
		cairn_error_set(
		    err, "%s: cannot be read (Debian package fonts-dejavu-core)", CAIRN_FONT_FILE);
		return false;
	}
	return true;
}

void cairn_lettering_close(struct cairn_lettering *l)
{
	if (l->face != NULL)
		FT_Done_Face(l->face);
	if (l->library != NULL)
		FT_Done_FreeType(l->library);
	memset(l, 0, sizeof(*l));
}

/* The next character of a UTF-8 text; what is malformed counts as one strange character a byte. */
static uint32_t next_character(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	int more = p[0] >= 0xF0 ? 3 : p[0] >= 0xE0 ? 2 : p[0] >= 0xC0 ? 1 : 0;
	uint32_t c = more == 0 ? p[0] : p[0] & (0x3Fu >> more);
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xC0) != 0x80) {
			*text += 1;
			return 0xFFFD;
		}
		c = c << 6 | (p[i] & 0x3Fu);
	}
	*text += more + 1;
	return c;
}

/* Where an outline goes; font units to pixels. */
struct pen {
	cairo_t *cr;
	double x, y, scale;
	double at_x, at_y; /* last point, font units */
};

static int move_to(const FT_Vector *to, void *ctx)
{
	struct pen *p = ctx;
	p->at_x = (double)to->x;
	p->at_y = (double)to->y;
	cairo_close_path(p->cr);
	cairo_move_to(p->cr, p->x + p->at_x * p->scale, p->y - p->at_y * p->scale);
	return 0;
}

static int line_to(const FT_Vector *to, void *ctx)
{
	struct pen *p = ctx;
	p->at_x = (double)to->x;
	p->at_y = (double)to->y;
	cairo_line_to(p->cr, p->x + p->at_x * p->scale, p->y - p->at_y * p->scale);
	return 0;
}

static int cubic_to(const FT_Vector *a, const FT_Vector *b, const FT_Vector *to, void *ctx)
{
	struct pen *p = ctx;
	p->at_x = (double)to->x;
	p->at_y = (double)to->y;
	cairo_curve_to(p->cr, p->x + (double)a->x * p->scale, p->y - (double)a->y * p->scale,
	    p->x + (double)b->x * p->scale, p->y - (double)b->y * p->scale, p->x + p->at_x * p->scale,
	    p->y - p->at_y * p->scale);
	return 0;
}

/* A quadratic curve as a cubic one. */
static int conic_to(const FT_Vector *mid, const FT_Vector *to, void *ctx)
{
	struct pen *p = ctx;
	double ax = (p->at_x + 2.0 * (double)mid->x) / 3.0, ay = (p->at_y + 2.0 * (double)mid->y) / 3.0;
	double bx = ((double)to->x + 2.0 * (double)mid->x) / 3.0,
	       by = ((double)to->y + 2.0 * (double)mid->y) / 3.0;
	p->at_x = (double)to->x;
	p->at_y = (double)to->y;
	cairo_curve_to(p->cr, p->x + ax * p->scale, p->y - ay * p->scale, p->x + bx * p->scale,
	    p->y - by * p->scale, p->x + p->at_x * p->scale, p->y - p->at_y * p->scale);
	return 0;
}

static bool load(struct cairn_lettering *l, const char **text)
{
	uint32_t c = next_character(text);
	return FT_Load_Glyph(l->face, FT_Get_Char_Index(l->face, c), FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING) ==
	       0;
}

double cairn_lettering_width(struct cairn_lettering *l, double size_px, const char *text)
{
	double units = 0.0;
	if (l->face == NULL)
		return 0.0;
	while (*text != '\0')
		if (load(l, &text))
			units += (double)l->face->glyph->metrics.horiAdvance;
	return units * size_px / l->face->units_per_EM;
}

void cairn_lettering_draw(
    struct cairn_lettering *l, cairo_t *cr, double x, double y, double size_px, const char *text)
{
	static const FT_Outline_Funcs funcs = {move_to, line_to, conic_to, cubic_to, 0, 0};
	if (l->face == NULL)
		return;
	struct pen pen = {.cr = cr, .x = x, .y = y, .scale = size_px / l->face->units_per_EM};
	cairo_new_path(cr);
	while (*text != '\0') {
		if (!load(l, &text))
			continue;
		FT_Outline_Decompose(&l->face->glyph->outline, &funcs, &pen);
		cairo_close_path(cr);
		pen.x += (double)l->face->glyph->metrics.horiAdvance * pen.scale;
	}
	cairo_fill(cr);
}
