#include "common/drawing/line_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cairo.h>

#include "common/base/file.h"
#include "common/drawing/lettering.h"

#define SCALE_CHARS 10 /* in front of each line */
#define COLUMNS_MIN 20
#define COLUMNS_MAX 500
#define ROWS_MIN 3
#define ROWS_MAX 100
#define DOTS_X 2 /* of a braille character */
#define DOTS_Y 4
#define BRAILLE 0x2800
#define PNG_WIDTH 960
#define PNG_HEIGHT 360
#define PNG_LEFT 80
#define PNG_EDGE 36
#define PNG_TICKS 4
#define PNG_TEXT_PX 13.0

void cairn_series_add(struct cairn_series *s, double t_s, double value)
{
	if (!isfinite(t_s) || (s->count > 0 && t_s <= s->t_s[s->count - 1]))
		return;
	if (s->count == CAIRN_SERIES_MAX) {
		memmove(s->t_s, s->t_s + 1, (s->count - 1) * sizeof(s->t_s[0]));
		memmove(s->value, s->value + 1, (s->count - 1) * sizeof(s->value[0]));
		s->count--;
	}
	s->t_s[s->count] = t_s;
	s->value[s->count++] = value;
}

bool cairn_series_range(const struct cairn_series *s, double *ret_least, double *ret_greatest)
{
	bool any = false;
	for (size_t i = 0; i < s->count; i++) {
		double v = s->value[i];
		if (!isfinite(v))
			continue;
		*ret_least = any ? fmin(*ret_least, v) : v;
		*ret_greatest = any ? fmax(*ret_greatest, v) : v;
		any = true;
	}
	return any;
}

/* What a chart spans. A constant is a line in its middle. */
struct span {
	double from_s, to_s, least, greatest;
};

static bool span_of(const struct cairn_series *s, struct span *ret)
{
	if (!cairn_series_range(s, &ret->least, &ret->greatest))
		return false;
	ret->from_s = s->t_s[0];
	ret->to_s = s->t_s[s->count - 1];
	if (!(ret->greatest > ret->least)) {
		double room = ret->least != 0.0 ? 0.1 * fabs(ret->least) : 1.0;
		ret->least -= room;
		ret->greatest += room;
	}
	return true;
}

static double x_of(const struct span *span, double t_s, double width)
{
	return span->to_s > span->from_s ? (t_s - span->from_s) / (span->to_s - span->from_s) * width : width;
}

/* From the top. */
static double y_of(const struct span *span, double value, double height)
{
	return (span->greatest - value) / (span->greatest - span->least) * height;
}

static int within(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

/* ---- characters ---- */

struct dots {
	int columns, rows;
	unsigned char cells[ROWS_MAX][COLUMNS_MAX];
};

static void set_dot(struct dots *d, int x, int y)
{
	/* Unicode 15, block Braille Patterns: bits of the eight dots by column and row */
	static const unsigned char bits[DOTS_Y][DOTS_X] = {
	    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	if (x >= 0 && y >= 0 && x < d->columns * DOTS_X && y < d->rows * DOTS_Y)
		d->cells[y / DOTS_Y][x / DOTS_X] |= bits[y % DOTS_Y][x % DOTS_X];
}

static void draw_line(struct dots *d, double x0, double y0, double x1, double y1)
{
	int steps = (int)ceil(fmax(fabs(x1 - x0), fabs(y1 - y0)));
	for (int i = 0; i <= steps; i++) {
		double share = steps > 0 ? (double)i / steps : 0.0;
		set_dot(d, (int)lround(x0 + share * (x1 - x0)), (int)lround(y0 + share * (y1 - y0)));
	}
}

static void draw_series(struct dots *d, const struct cairn_series *s, const struct span *span)
{
	double width = d->columns * DOTS_X - 1, height = d->rows * DOTS_Y - 1, before_x = 0.0, before_y = 0.0;
	bool joined = false;
	for (size_t i = 0; i < s->count; i++) {
		if (!isfinite(s->value[i])) {
			joined = false;
			continue;
		}
		double x = x_of(span, s->t_s[i], width), y = y_of(span, s->value[i], height);
		draw_line(d, joined ? before_x : x, joined ? before_y : y, x, y);
		before_x = x;
		before_y = y;
		joined = true;
	}
}

static void add_cell(struct cairn_text *t, unsigned char bits)
{
	unsigned code = BRAILLE + bits;
	const char utf8[3] = {
	    (char)(0xE0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3F)), (char)(0x80 | (code & 0x3F))};
	if (bits == 0)
		cairn_text_add(t, " ");
	else
		cairn_text_bytes(t, utf8, sizeof(utf8));
}

/* The value at a share of the way down the scale. What is next to nothing beside the scale is 0, not 1.9e-07. */
static double value_at(const struct span *span, double share)
{
	double range = span->greatest - span->least, value = span->greatest - share * range;
	return fabs(value) < 1e-3 * range ? 0.0 : value;
}

void cairn_chart_text(
    const struct cairn_series *s, const char *title, int columns, int rows, struct cairn_text *ret)
{
	struct dots d = {
	    .columns = within(columns, COLUMNS_MIN, COLUMNS_MAX), .rows = within(rows, ROWS_MIN, ROWS_MAX)};
	struct span span;
	if (!span_of(s, &span)) {
		cairn_text_addf(ret, "%s: no values yet\n", title);
		return;
	}
	draw_series(&d, s, &span);
	cairn_text_addf(ret, "%s: %.6g\n", title, s->value[s->count - 1]);
	for (int y = 0; y < d.rows; y++) {
		if (y == 0 || y == d.rows - 1 || y == d.rows / 2)
			cairn_text_addf(
			    ret, "%*.4g ", SCALE_CHARS - 1, value_at(&span, (double)y / (d.rows - 1)));
		else
			cairn_text_addf(ret, "%*s", SCALE_CHARS, "");
		int end = d.columns;
		while (end > 0 && d.cells[y][end - 1] == 0)
			end--;
		for (int x = 0; x < end; x++)
			add_cell(ret, d.cells[y][x]);
		cairn_text_add(ret, "\n");
	}
	char from[24];
	snprintf(from, sizeof(from), "-%.1f s", span.to_s - span.from_s);
	cairn_text_addf(ret, "%*s%s%*s\n", SCALE_CHARS, "", from, d.columns - (int)strlen(from), "now");
}

/* ---- picture ---- */

static void draw_axes(cairo_t *cr, struct cairn_lettering *letters, const struct span *span, double width,
    double height, const char *title)
{
	char text[64];
	cairo_set_line_width(cr, 1.0);
	for (int i = 0; i <= PNG_TICKS; i++) {
		double share = (double)i / PNG_TICKS, y = share * height, x = share * width;
		cairo_set_source_rgb(cr, 0.85, 0.85, 0.85);
		cairo_move_to(cr, 0.0, y);
		cairo_line_to(cr, width, y);
		cairo_stroke(cr);
		cairo_set_source_rgb(cr, 0.2, 0.2, 0.2);
		snprintf(text, sizeof(text), "%.4g", value_at(span, share));
		cairn_lettering_draw(letters, cr, 8.0 - PNG_LEFT, y + 4.0, PNG_TEXT_PX, text);
		snprintf(text, sizeof(text), "%.3g s", (share - 1.0) * (span->to_s - span->from_s));
		cairn_lettering_draw(
		    letters, cr, i == PNG_TICKS ? x - 30.0 : x, height + 20.0, PNG_TEXT_PX, text);
	}
	cairn_lettering_draw(letters, cr, 0.0, -12.0, PNG_TEXT_PX, title);
}

static void draw_picture(cairo_t *cr, struct cairn_lettering *letters, const struct cairn_series *s,
    const struct span *span, const char *title)
{
	double width = PNG_WIDTH - PNG_LEFT - PNG_EDGE, height = PNG_HEIGHT - 2.0 * PNG_EDGE;
	bool joined = false;
	cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
	cairo_paint(cr);
	cairo_translate(cr, PNG_LEFT, PNG_EDGE);
	draw_axes(cr, letters, span, width, height, title);
	cairo_set_source_rgb(cr, 0.1, 0.35, 0.75);
	cairo_set_line_width(cr, 2.0);
	cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND); /* a single value is a dot */
	for (size_t i = 0; i < s->count; i++) {
		if (!isfinite(s->value[i])) {
			joined = false;
			continue;
		}
		double x = x_of(span, s->t_s[i], width), y = y_of(span, s->value[i], height);
		if (!joined)
			cairo_move_to(cr, x, y);
		cairo_line_to(cr, x, y);
		joined = true;
	}
	cairo_stroke(cr);
}

static cairo_status_t keep(void *text, const unsigned char *data, unsigned int bytes)
{
	cairn_text_bytes(text, (const char *)data, bytes);
	return CAIRO_STATUS_SUCCESS;
}

bool cairn_chart_png(
    const struct cairn_series *s, const char *title, const char *path, struct cairn_error *err)
{
	struct span span;
	if (!span_of(s, &span)) {
		cairn_error_set(err, "there are no values to draw");
		return false;
	}
	struct cairn_lettering letters;
	if (!cairn_lettering_open(&letters, err)) {
		cairn_lettering_close(&letters);
		return false;
	}
	struct cairn_text png = {0};
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, PNG_WIDTH, PNG_HEIGHT);
	cairo_t *cr = cairo_create(surface);
	draw_picture(cr, &letters, s, &span, title);
	bool ok = cairo_status(cr) == CAIRO_STATUS_SUCCESS &&
		  cairo_surface_write_to_png_stream(surface, keep, &png) == CAIRO_STATUS_SUCCESS &&
		  !png.failed;
	cairo_destroy(cr);
	cairo_surface_destroy(surface);
	cairn_lettering_close(&letters);
	if (!ok)
		cairn_error_set(err, "%.150s: cannot be drawn (out of memory?)", path);
	ok = ok && cairn_file_replace(path, 0, 0644, png.data, png.len, err);
	cairn_text_free(&png);
	return ok;
}
