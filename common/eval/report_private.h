/* report_private.h - what the files of the report writer share; nobody else includes it. */
#ifndef CAIRN_COMMON_EVAL_REPORT_PRIVATE_H
#define CAIRN_COMMON_EVAL_REPORT_PRIVATE_H

#include "common/eval/report.h"
#include "common/drawing/lettering.h"

#define REPORT_COLOURS 8
#define REPORT_TEXT_PX 12.0
#define REPORT_SMALL_PX 10.5
#define REPORT_TITLE_PX 13.5

struct report_colour {
	double r, g, b;
};

/* Told apart by everybody (Okabe and Ito 2008, "Color universal design"), black last. */
extern const struct report_colour report_colours[REPORT_COLOURS];
extern const struct report_colour report_ink, report_faint, report_grid;

/* A figure while it is drawn; the same calls make the SVG and the PNG. */
struct report_canvas {
	cairo_t *cr;
	struct cairn_lettering letters;
	double width, height;
};

enum report_align { REPORT_LEFT, REPORT_MIDDLE, REPORT_RIGHT };

struct report_bytes {
	unsigned char *data;
	size_t size, room;
};

bool report_bytes_add(struct report_bytes *bytes, const void *data, size_t size);

typedef void report_draw_fn(struct report_canvas *canvas, const void *what);

/* Draws twice. The caller frees both; false with the reason, and nothing to free. */
bool report_figure(double width, double height, report_draw_fn *draw, const void *what,
    struct report_bytes *ret_svg, struct report_bytes *ret_png, struct cairn_error *err);

void report_use(struct report_canvas *canvas, struct report_colour colour, double alpha);
void report_text(struct report_canvas *canvas, double x, double y, double size_px, enum report_align align,
    const char *text);
/* Upwards along x. */
void report_text_up(struct report_canvas *canvas, double x, double y, double size_px, const char *text);
void report_stroke(struct report_canvas *canvas, double x0, double y0, double x1, double y1, double width);
double report_text_width(struct report_canvas *canvas, double size_px, const char *text);
void report_dash(struct report_canvas *canvas, bool broken);

/* Round numbers between min and max: first, step, how many places behind the point. About wanted of them. */
struct report_ticks {
	double first, step;
	int count, places;
};
struct report_ticks report_ticks_for(double min, double max, int wanted);

void report_draw_chart(struct report_canvas *canvas, const void *chart);
void report_chart_size(const struct cairn_report_chart *chart, double *ret_width, double *ret_height);
void report_draw_intervals(struct report_canvas *canvas, const void *intervals);
void report_intervals_size(
    const struct cairn_report_intervals *intervals, double *ret_width, double *ret_height);
void report_draw_map(struct report_canvas *canvas, const void *map);
/* Settles what is shown, in *map. */
void report_map_size(struct cairn_report_map *map, double *ret_width, double *ret_height);

#endif
