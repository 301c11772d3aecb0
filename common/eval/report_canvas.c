/* report_canvas.c - one drawing, twice: as SVG and as PNG of twice the size. */
#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/eval/report_private.h"

#define PNG_SCALE 2.0
#define SEEN_MAX 52 /* pictures in one drawing */

const struct report_colour report_colours[REPORT_COLOURS] = {
    {0.00, 0.45, 0.70}, /* blue */
    {0.84, 0.37, 0.00}, /* vermilion */
    {0.00, 0.62, 0.45}, /* green */
    {0.80, 0.47, 0.65}, /* purple */
    {0.90, 0.62, 0.00}, /* orange */
    {0.34, 0.71, 0.91}, /* sky */
    {0.60, 0.56, 0.10}, /* the palette's yellow is lost on white paper: darker */
    {0.25, 0.25, 0.25},
};
const struct report_colour report_ink = {0.13, 0.15, 0.18}, report_faint = {0.45, 0.48, 0.52},
			   report_grid = {0.88, 0.89, 0.91};

bool report_bytes_add(struct report_bytes *b, const void *data, size_t size)
{
	if (size > b->room - b->size) {
		size_t room = b->room == 0 ? 4096 : b->room;
		while (room - b->size < size)
			room *= 2;
		unsigned char *more = realloc(b->data, room);
		if (more == NULL)
			return false;
		b->data = more;
		b->room = room;
	}
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return true;
}

static cairo_status_t keep(void *bytes, const unsigned char *data, unsigned int size)
{
	return report_bytes_add(bytes, data, size) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
}

static void paint(struct report_canvas *c, cairo_surface_t *surface, report_draw_fn *draw, const void *what)
{
	c->cr = cairo_create(surface);
	if (cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE)
		cairo_scale(c->cr, PNG_SCALE, PNG_SCALE);
	cairo_set_source_rgb(c->cr, 1.0, 1.0, 1.0);
	cairo_paint(c->cr);
	cairo_set_line_join(c->cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_line_cap(c->cr, CAIRO_LINE_CAP_ROUND);
	draw(c, what);
	cairo_destroy(c->cr);
	c->cr = NULL;
}

/* Cairo numbers surfaces and pictures by a count of the whole process: counted anew in each drawing, so that
 * the same drawing gives the same bytes. Names stand behind id=" and #; what else has a quotation mark or a
 * hash in front of it are attributes and colours, which start otherwise. */
static void renumber(struct report_bytes *svg)
{
	static const char *const words[] = {"surface", "image", "source"};
	static const char letters[SEEN_MAX + 1] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	unsigned long seen[SEEN_MAX];
	size_t count = 0, to = 0;
	for (size_t from = 0; from < svg->size;) {
		const char *at = (const char *)svg->data + from;
		size_t left = svg->size - from, word = 0;
		svg->data[to++] = svg->data[from++];
		if (*at != '"' && *at != '#')
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && word == 0; i++)
			if (left > strlen(words[i]) + 1 && memcmp(at + 1, words[i], strlen(words[i])) == 0)
				word = strlen(words[i]);
		unsigned long number = 0;
		size_t digits = 0;
		while (word > 0 && word + 1 + digits < left && at[word + 1 + digits] >= '0' &&
		       at[word + 1 + digits] <= '9')
			number = 10 * number + (unsigned long)(at[word + 1 + digits++] - '0');
		if (digits == 0)
			continue;
		size_t k = 0;
		while (k < count && seen[k] != number)
			k++;
		if (k == SEEN_MAX)
			continue;
		seen[k] = number;
		count += k == count;
		memmove(svg->data + to, at + 1, word);
		to += word;
		svg->data[to++] = (unsigned char)letters[k]; /* one place: never longer than a number */
		from += word + digits;
	}
	svg->size = to;
}

bool report_figure(double width, double height, report_draw_fn *draw, const void *what,
    struct report_bytes *ret_svg, struct report_bytes *ret_png, struct cairn_error *err)
{
	struct report_canvas c = {.width = width, .height = height};
	*ret_svg = *ret_png = (struct report_bytes){0};
	if (!cairn_lettering_open(&c.letters, err)) {
		cairn_lettering_close(&c.letters);
		return false;
	}
	cairo_surface_t *svg = cairo_svg_surface_create_for_stream(keep, ret_svg, width, height);
	paint(&c, svg, draw, what);
	cairo_surface_finish(svg);
	cairo_status_t status = cairo_surface_status(svg);
	cairo_surface_destroy(svg);
	cairo_surface_t *image = cairo_image_surface_create(
	    CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_SCALE), (int)ceil(height * PNG_SCALE));
	paint(&c, image, draw, what);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(image, keep, ret_png);
	cairo_surface_destroy(image);
	cairn_lettering_close(&c.letters);
	if (status == CAIRO_STATUS_SUCCESS) {
		renumber(ret_svg);
		return true;
	}
	cairn_error_set(err, "a figure cannot be drawn: %s", cairo_status_to_string(status));
	free(ret_svg->data);
	free(ret_png->data);
	return false;
}

void report_use(struct report_canvas *c, struct report_colour colour, double alpha)
{
	cairo_set_source_rgba(c->cr, colour.r, colour.g, colour.b, alpha);
}

double report_text_width(struct report_canvas *c, double size_px, const char *text)
{
	return text == NULL ? 0.0 : cairn_lettering_width(&c->letters, size_px, text);
}

void report_text(
    struct report_canvas *c, double x, double y, double size_px, enum report_align align, const char *text)
{
	if (text == NULL)
		return;
	double width = align == REPORT_LEFT ? 0.0 : report_text_width(c, size_px, text);
	double left = align == REPORT_LEFT ? x : align == REPORT_MIDDLE ? x - 0.5 * width : x - width;
	cairn_lettering_draw(&c->letters, c->cr, left, y, size_px, text);
}

void report_text_up(struct report_canvas *c, double x, double y, double size_px, const char *text)
{
	cairo_save(c->cr);
	cairo_translate(c->cr, x, y);
	cairo_rotate(c->cr, -M_PI / 2.0);
	report_text(c, 0.0, 0.0, size_px, REPORT_MIDDLE, text);
	cairo_restore(c->cr);
}

void report_stroke(struct report_canvas *c, double x0, double y0, double x1, double y1, double width)
{
	cairo_set_line_width(c->cr, width);
	cairo_move_to(c->cr, x0, y0);
	cairo_line_to(c->cr, x1, y1);
	cairo_stroke(c->cr);
}

void report_dash(struct report_canvas *c, bool broken)
{
	static const double dashes[] = {5.0, 4.0};
	cairo_set_dash(c->cr, dashes, broken ? 2 : 0, 0.0);
}

struct report_ticks report_ticks_for(double min, double max, int wanted)
{
	static const double steps[] = {1.0, 2.0, 2.5, 5.0, 10.0};
	double raw = (max - min) / (wanted > 1 ? wanted - 1 : 1);
	if (!isfinite(raw) || raw <= 0.0)
		return (struct report_ticks){.first = isfinite(min) ? min : 0.0, .step = 1.0, .count = 1};
	double power = pow(10.0, floor(log10(raw))), step = 10.0 * power;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * power >= raw * 0.999) {
			step = steps[i] * power;
			break;
		}
	double first = ceil(min / step - 1e-9) * step;
	int places = 0;
	for (double s = step; places < 6 && fabs(s - round(s)) > 1e-6; s *= 10.0)
		places++;
	return (struct report_ticks){.first = first,
	    .step = step,
	    .count = (int)floor((max - first) / step + 1e-9) + 1,
	    .places = places};
}
