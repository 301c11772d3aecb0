/* report_chart.c - curves over an axis with bands around them, and intervals below each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/eval/report_private.h"

#define CHART_WIDTH 640.0
#define CHART_HEIGHT 340.0
#define LEFT 62.0
#define RIGHT 18.0
#define TOP 16.0
#define BOTTOM 46.0
#define LEGEND_PX 18.0
#define ROW_PX 24.0

/* Values to pixels. */
struct frame {
	double left, top, right, bottom, x_min, x_max, y_min, y_max;
};

static double to_x(const struct frame *f, double x)
{
	return f->left + (x - f->x_min) / (f->x_max - f->x_min) * (f->right - f->left);
}

static double to_y(const struct frame *f, double y)
{
	return f->bottom - (y - f->y_min) / (f->y_max - f->y_min) * (f->bottom - f->top);
}

static void number(char *text, size_t size, double value, int places)
{
	snprintf(text, size, "%.*f", places, fabs(value) < 1e-9 ? 0.0 : value);
}

static void x_axis(struct report_canvas *c, const struct frame *f, const char *label, bool rules)
{
	struct report_ticks t = report_ticks_for(f->x_min, f->x_max, 7);
	char text[32];
	for (int i = 0; i < t.count; i++) {
		double value = t.first + i * t.step, x = to_x(f, value);
		report_use(c, report_grid, 1.0);
		report_stroke(c, x, rules ? f->top : f->bottom, x, f->bottom + (rules ? 0.0 : 4.0), 1.0);
		report_use(c, report_ink, 1.0);
		number(text, sizeof(text), value, t.places);
		report_text(c, x, f->bottom + 16.0, REPORT_SMALL_PX, REPORT_MIDDLE, text);
	}
	report_use(c, report_ink, 1.0);
	report_text(c, 0.5 * (f->left + f->right), f->bottom + 35.0, REPORT_TEXT_PX, REPORT_MIDDLE, label);
}

static void y_axis(struct report_canvas *c, const struct frame *f, const char *label)
{
	struct report_ticks t = report_ticks_for(f->y_min, f->y_max, 6);
	char text[32];
	for (int i = 0; i < t.count; i++) {
		double value = t.first + i * t.step, y = to_y(f, value);
		report_use(c, report_grid, 1.0);
		report_stroke(c, f->left, y, f->right, y, 1.0);
		report_use(c, report_ink, 1.0);
		number(text, sizeof(text), value, t.places);
		report_text(c, f->left - 7.0, y + 4.0, REPORT_SMALL_PX, REPORT_RIGHT, text);
	}
	report_use(c, report_ink, 1.0);
	report_text_up(c, 16.0, 0.5 * (f->top + f->bottom), REPORT_TEXT_PX, label);
}

static void axes(struct report_canvas *c, const struct frame *f)
{
	report_use(c, report_ink, 1.0);
	report_stroke(c, f->left, f->bottom, f->right, f->bottom, 1.2);
	report_stroke(c, f->left, f->top, f->left, f->bottom, 1.2);
}

static void widen(double *min, double *max, double value)
{
	if (!isfinite(value))
		return;
	*min = fmin(*min, value);
	*max = fmax(*max, value);
}

static void find_range(const struct cairn_report_chart *p, struct frame *f)
{
	f->x_min = f->y_min = INFINITY;
	f->x_max = f->y_max = -INFINITY;
	for (uint32_t i = 0; i < p->series_count; i++) {
		const struct cairn_report_series *s = &p->series[i];
		for (uint32_t k = 0; k < s->count; k++) {
			widen(&f->x_min, &f->x_max, s->x[k]);
			widen(&f->y_min, &f->y_max, s->y[k]);
			if (s->low != NULL && s->high != NULL) {
				widen(&f->y_min, &f->y_max, s->low[k]);
				widen(&f->y_min, &f->y_max, s->high[k]);
			}
		}
	}
	for (uint32_t i = 0; i < p->line_count; i++)
		widen(&f->y_min, &f->y_max, p->lines[i].y);
	widen(&f->y_min, &f->y_max, 0.0);
	if (!(f->x_max > f->x_min)) {
		f->x_min = isfinite(f->x_min) ? f->x_min - 0.5 : 0.0;
		f->x_max = f->x_min + 1.0;
	}
	f->y_max += f->y_max > f->y_min ? 0.05 * (f->y_max - f->y_min) : 1.0;
	if (p->y_given && p->y_max > p->y_min) {
		f->y_min = p->y_min;
		f->y_max = p->y_max;
	}
}

static void band(struct report_canvas *c, const struct frame *f, const struct cairn_report_series *s)
{
	bool any = false;
	for (uint32_t i = 0; i < s->count; i++) {
		if (!isfinite(s->x[i]) || !isfinite(s->low[i]) || !isfinite(s->high[i]))
			continue;
		cairo_line_to(c->cr, to_x(f, s->x[i]), to_y(f, s->high[i]));
		any = true;
	}
	for (uint32_t i = s->count; i-- > 0;)
		if (isfinite(s->x[i]) && isfinite(s->low[i]) && isfinite(s->high[i]))
			cairo_line_to(c->cr, to_x(f, s->x[i]), to_y(f, s->low[i]));
	if (any)
		cairo_close_path(c->cr);
	cairo_fill(c->cr);
}

static void curve(struct report_canvas *c, const struct frame *f, const struct cairn_report_series *s)
{
	bool pen_down = false;
	cairo_set_line_width(c->cr, 2.0);
	report_dash(c, s->broken);
	for (uint32_t i = 0; i < s->count; i++) {
		if (!isfinite(s->x[i]) || !isfinite(s->y[i])) {
			pen_down = false;
			continue;
		}
		if (pen_down)
			cairo_line_to(c->cr, to_x(f, s->x[i]), to_y(f, s->y[i]));
		else
			cairo_move_to(c->cr, to_x(f, s->x[i]), to_y(f, s->y[i]));
		pen_down = true;
	}
	cairo_stroke(c->cr);
	report_dash(c, false);
}

/* Left to right, on to the next row where it is full; without canvas only counted. */
static int legend_rows(struct report_canvas *c, const struct cairn_report_chart *p, double y)
{
	double x = LEFT;
	int rows = p->series_count > 0 ? 1 : 0;
	for (uint32_t i = 0; i < p->series_count; i++) {
		const struct cairn_report_series *s = &p->series[i];
		/* Without a font at hand: a letter is at most so wide. */
		double wide =
		    30.0 + 18.0 + (s->name == NULL ? 0.0 : 0.68 * REPORT_SMALL_PX * (double)strlen(s->name));
		if (x + wide > CHART_WIDTH && x > LEFT) {
			rows++;
			x = LEFT;
		}
		if (c != NULL) {
			double at = y + (rows - 1) * LEGEND_PX;
			report_use(c, report_colours[i % REPORT_COLOURS], 1.0);
			report_dash(c, s->broken);
			report_stroke(c, x, at - 4.0, x + 22.0, at - 4.0, 2.5);
			report_dash(c, false);
			report_use(c, report_ink, 1.0);
			report_text(c, x + 29.0, at, REPORT_SMALL_PX, REPORT_LEFT, s->name);
		}
		x += wide;
	}
	return rows;
}

static double head_px(const char *title)
{
	return TOP + (title != NULL ? 22.0 : 0.0);
}

void report_chart_size(const struct cairn_report_chart *p, double *ret_width, double *ret_height)
{
	*ret_width = CHART_WIDTH;
	*ret_height = CHART_HEIGHT + head_px(p->title) + LEGEND_PX * legend_rows(NULL, p, 0.0);
}

void report_draw_chart(struct report_canvas *c, const void *what)
{
	const struct cairn_report_chart *p = what;
	double head = head_px(p->title);
	struct frame f = {.left = LEFT,
	    .right = c->width - RIGHT,
	    .top = head + LEGEND_PX * legend_rows(NULL, p, 0.0),
	    .bottom = c->height - BOTTOM};
	find_range(p, &f);
	report_use(c, report_ink, 1.0);
	report_text(c, LEFT, TOP + 8.0, REPORT_TITLE_PX, REPORT_LEFT, p->title);
	(void)legend_rows(c, p, head + 6.0);
	x_axis(c, &f, p->x_label, true);
	y_axis(c, &f, p->y_label);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, f.left, f.top, f.right - f.left, f.bottom - f.top);
	cairo_clip(c->cr);
	for (uint32_t i = 0; i < p->line_count; i++) {
		double y = to_y(&f, p->lines[i].y);
		report_use(c, report_faint, 1.0);
		report_dash(c, true);
		report_stroke(c, f.left, y, f.right, y, 1.2);
		report_dash(c, false);
		report_text(c, f.right - 4.0, y - 4.0, REPORT_SMALL_PX, REPORT_RIGHT, p->lines[i].name);
	}
	for (uint32_t i = 0; i < p->series_count; i++) {
		report_use(c, report_colours[i % REPORT_COLOURS], 0.16);
		if (p->series[i].low != NULL && p->series[i].high != NULL)
			band(c, &f, &p->series[i]);
	}
	for (uint32_t i = 0; i < p->series_count; i++) {
		report_use(c, report_colours[i % REPORT_COLOURS], 1.0);
		curve(c, &f, &p->series[i]);
	}
	cairo_restore(c->cr);
	axes(c, &f);
}

/* ---- intervals ---- */

static double names_px(const struct cairn_report_intervals *p)
{
	size_t longest = 0;
	for (uint32_t i = 0; i < p->count; i++)
		if (p->items[i].name != NULL && strlen(p->items[i].name) > longest)
			longest = strlen(p->items[i].name);
	return fmin(24.0 + 0.64 * REPORT_TEXT_PX * (double)longest, 0.5 * CHART_WIDTH);
}

void report_intervals_size(const struct cairn_report_intervals *p, double *ret_width, double *ret_height)
{
	*ret_width = CHART_WIDTH;
	*ret_height = head_px(p->title) + ROW_PX * p->count + 10.0 + BOTTOM;
}

static struct report_colour mark_colour(enum cairn_report_mark mark)
{
	return mark == CAIRN_REPORT_GOOD   ? report_colours[2]
	       : mark == CAIRN_REPORT_BAD  ? report_colours[1]
	       : mark == CAIRN_REPORT_WEAK ? report_colours[4]
					   : report_colours[0];
}

static void draw_interval(
    struct report_canvas *c, const struct frame *f, const struct cairn_report_interval *item, double y)
{
	report_use(c, report_ink, 1.0);
	report_text(c, f->left - 12.0, y + 4.0, REPORT_TEXT_PX, REPORT_RIGHT, item->name);
	report_use(c, mark_colour(item->mark), 1.0);
	if (isfinite(item->low) && isfinite(item->high)) {
		double a = to_x(f, item->low), b = to_x(f, item->high);
		report_stroke(c, a, y, b, y, 2.0);
		report_stroke(c, a, y - 4.0, a, y + 4.0, 2.0);
		report_stroke(c, b, y - 4.0, b, y + 4.0, 2.0);
	}
	if (isfinite(item->mean)) {
		cairo_arc(c->cr, to_x(f, item->mean), y, 4.5, 0.0, 2.0 * M_PI);
		cairo_fill(c->cr);
	}
}

void report_draw_intervals(struct report_canvas *c, const void *what)
{
	const struct cairn_report_intervals *p = what;
	struct frame f = {.left = names_px(p),
	    .right = c->width - RIGHT,
	    .top = head_px(p->title),
	    .bottom = c->height - BOTTOM,
	    .x_min = INFINITY,
	    .x_max = -INFINITY,
	    .y_max = 1.0};
	for (uint32_t i = 0; i < p->count; i++) {
		widen(&f.x_min, &f.x_max, p->items[i].mean);
		widen(&f.x_min, &f.x_max, p->items[i].low);
		widen(&f.x_min, &f.x_max, p->items[i].high);
	}
	if (p->has_reference)
		widen(&f.x_min, &f.x_max, p->reference);
	if (!isfinite(f.x_min))
		f.x_min = f.x_max = 0.0;
	double room = f.x_max > f.x_min ? 0.06 * (f.x_max - f.x_min) : 0.5;
	f.x_min -= room;
	f.x_max += room;
	report_use(c, report_ink, 1.0);
	report_text(c, 12.0, TOP + 8.0, REPORT_TITLE_PX, REPORT_LEFT, p->title);
	x_axis(c, &f, p->x_label, true);
	if (p->has_reference) {
		report_use(c, report_faint, 1.0);
		report_dash(c, true);
		report_stroke(c, to_x(&f, p->reference), f.top, to_x(&f, p->reference), f.bottom, 1.4);
		report_dash(c, false);
	}
	for (uint32_t i = 0; i < p->count; i++)
		draw_interval(c, &f, &p->items[i], f.top + 8.0 + (i + 0.5) * ROW_PX);
	report_use(c, report_ink, 1.0);
	report_stroke(c, f.left, f.bottom, f.right, f.bottom, 1.2);
}
