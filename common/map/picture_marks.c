#include <math.h>
#include <string.h>

#include "common/map/mark_places.h"
#include "common/map/narrow_gap.h"
#include "common/map/picture_private.h"

#define LABEL_MAX 22 /* characters of a name; longer ones end in ".." */
#define ROUND_PX CAIRN_MARK_HALF_PX
#define TICK_PX 5.0

static const struct cairn_picture_colour FRONTIER = {0.93, 0.49, 0.10}, AWAY = {0.55, 0.45, 0.40},
					 CANDIDATE = {0.45, 0.25, 0.75}, DOORWAY = {0.00, 0.55, 0.58},
					 THING = {0.20, 0.32, 0.45}, HAZARD = {0.78, 0.10, 0.10},
					 GOAL = {0.75, 0.10, 0.45}, GAP = {0.85, 0.15, 0.15};

static void use(cairo_t *cr, struct cairn_picture_colour c, double alpha)
{
	cairo_set_source_rgba(cr, c.r, c.g, c.b, alpha);
}

static void number(const struct cairn_picture_pen *pen, double x, double y, const char *text)
{
	cairo_set_source_rgb(pen->cr, 1, 1, 1);
	double width = cairn_lettering_width(pen->letters, 12.0, text);
	cairn_lettering_draw(pen->letters, pen->cr, x - width / 2, y + 0.365 * 12.0, 12.0, text);
}

static void leader(const struct cairn_picture_pen *pen, double x0, double y0, double x1, double y1,
    struct cairn_picture_colour c)
{
	if (hypot(x1 - x0, y1 - y0) < 1.0)
		return;
	use(pen->cr, c, 0.9);
	cairo_set_line_width(pen->cr, 1.5);
	cairo_move_to(pen->cr, x0, y0);
	cairo_line_to(pen->cr, x1, y1);
	cairo_stroke(pen->cr);
	cairo_new_path(pen->cr);
	cairo_arc(pen->cr, x0, y0, 2.5, 0.0, 2.0 * M_PI);
	cairo_fill(pen->cr);
}

static void rim(const struct cairn_picture_pen *pen)
{
	cairo_set_source_rgb(pen->cr, 1, 1, 1);
	cairo_set_line_width(pen->cr, 1.5);
	cairo_stroke(pen->cr);
}

/* A numbered disc; out of reach ones are brown. */
static void draw_frontier(
    const struct cairn_picture_pen *pen, const struct cairn_msg_frontier *f, struct cairn_mark_places *t)
{
	double at_x, at_y, x, y;
	char text[16];
	struct cairn_picture_colour colour = f->distance_m >= 0.0 ? FRONTIER : AWAY;
	cairn_picture_to_px(pen, f->x_m, f->y_m, &at_x, &at_y);
	x = at_x, y = at_y;
	cairn_mark_places_find(t, ROUND_PX, &x, &y);
	leader(pen, at_x, at_y, x, y, colour);
	snprintf(text, sizeof(text), "%u", f->id);
	cairo_new_path(pen->cr);
	cairo_arc(pen->cr, x, y, strlen(text) > 2 ? 14.0 : ROUND_PX, 0.0, 2.0 * M_PI);
	use(pen->cr, colour, 0.92);
	cairo_fill_preserve(pen->cr);
	rim(pen);
	number(pen, x, y, text);
}

/* A ring round a gap that is too narrow, with its width. */
static void draw_gap(
    const struct cairn_picture_pen *pen, const struct cairn_msg_frontier *f, struct cairn_mark_places *t)
{
	double at_x, at_y, x, y;
	char text[16];
	cairn_picture_to_px(pen, f->gap_x_m, f->gap_y_m, &at_x, &at_y);
	use(pen->cr, GAP, 0.95);
	cairo_set_line_width(pen->cr, 2.5);
	cairo_new_path(pen->cr);
	cairo_arc(pen->cr, at_x, at_y, 6.0, 0.0, 2.0 * M_PI);
	cairo_stroke(pen->cr);
	x = at_x, y = at_y;
	snprintf(text, sizeof(text), "%.2f m", f->gap_m);
	double half = 0.5 * cairn_lettering_width(pen->letters, 12.0, text) + 4.0;
	cairn_mark_places_find(t, half, &x, &y);
	leader(pen, at_x, at_y, x, y, GAP);
	cairo_new_path(pen->cr);
	cairo_rectangle(pen->cr, x - half, y - ROUND_PX + 2.0, 2.0 * half, 2.0 * ROUND_PX - 4.0);
	use(pen->cr, GAP, 0.94);
	cairo_fill(pen->cr);
	number(pen, x, y, text);
}

/* A numbered square. */
static void draw_candidate(
    const struct cairn_picture_pen *pen, const struct cairn_msg_candidate *c, struct cairn_mark_places *t)
{
	double at_x, at_y, x, y;
	char text[16];
	cairn_picture_to_px(pen, c->x_m, c->y_m, &at_x, &at_y);
	x = at_x, y = at_y;
	snprintf(text, sizeof(text), "%u", c->id);
	double half = fmax(ROUND_PX, 0.5 * cairn_lettering_width(pen->letters, 12.0, text) + 4.0);
	cairn_mark_places_find(t, half, &x, &y);
	leader(pen, at_x, at_y, x, y, CANDIDATE);
	cairo_new_path(pen->cr);
	cairo_rectangle(pen->cr, x - half, y - ROUND_PX + 1.0, 2.0 * half, 2.0 * ROUND_PX - 2.0);
	use(pen->cr, CANDIDATE, 0.94);
	cairo_fill_preserve(pen->cr);
	rim(pen);
	number(pen, x, y, text);
}

/* A bar from jamb to jamb with a tick at each end. */
static void draw_doorway(const struct cairn_picture_pen *pen, const struct cairn_msg_doorway *d)
{
	double ux = -sin(d->yaw_rad), uy = cos(d->yaw_rad), half = 0.5 * d->width_m, end[2][2];
	for (int k = 0; k < 2; k++)
		cairn_picture_to_px(pen, d->x_m + (k == 0 ? half : -half) * ux,
		    d->y_m + (k == 0 ? half : -half) * uy, &end[k][0], &end[k][1]);
	use(pen->cr, DOORWAY, 0.95);
	cairo_set_line_width(pen->cr, 3.0);
	cairo_move_to(pen->cr, end[0][0], end[0][1]);
	cairo_line_to(pen->cr, end[1][0], end[1][1]);
	double length = fmax(hypot(end[1][0] - end[0][0], end[1][1] - end[0][1]), 1e-6);
	double nx = -(end[1][1] - end[0][1]) / length * TICK_PX,
	       ny = (end[1][0] - end[0][0]) / length * TICK_PX;
	for (int k = 0; k < 2; k++) {
		cairo_move_to(pen->cr, end[k][0] - nx, end[k][1] - ny);
		cairo_line_to(pen->cr, end[k][0] + nx, end[k][1] + ny);
	}
	cairo_stroke(pen->cr);
}

void cairn_picture_cut_label(char *out, size_t cap, const char *label)
{
	size_t at = 0;
	int shown = 0;
	for (const char *c = label; *c != '\0' && at + 8 < cap; c++) {
		bool begins = ((unsigned char)*c & 0xC0u) != 0x80u;
		if (begins && ++shown > LABEL_MAX) {
			memcpy(out + at, "..", 2);
			at += 2;
			break;
		}
		out[at++] = *c;
	}
	out[at] = '\0';
}

void cairn_picture_tag(const struct cairn_picture_pen *pen, double x, double y, double size,
    struct cairn_picture_colour colour, const char *text)
{
	double width = cairn_lettering_width(pen->letters, size, text);
	cairo_new_path(pen->cr);
	cairo_rectangle(pen->cr, x - width / 2 - 3.0, y - 0.6 * size, width + 6.0, 1.2 * size);
	cairo_set_source_rgba(pen->cr, 1, 1, 1, 0.82);
	cairo_fill(pen->cr);
	use(pen->cr, colour, 1.0);
	cairn_lettering_draw(pen->letters, pen->cr, x - width / 2, y + 0.365 * size, size, text);
}

/* Its name on a light ground; of a thing with a dot where the robot saw it from. */
static void draw_discovery(
    const struct cairn_picture_pen *pen, const struct cairn_msg_discovery *d, struct cairn_mark_places *t)
{
	double at_x, at_y, x, y;
	char text[sizeof(d->label) + 8];
	bool room = d->kind == CAIRN_SIGNIFICANCE_ROOM;
	double size = room ? 15.0 : 11.0;
	struct cairn_picture_colour colour = d->kind == CAIRN_SIGNIFICANCE_HAZARD ? HAZARD : THING;
	cairn_picture_cut_label(text, sizeof(text), d->label);
	cairn_picture_to_px(pen, d->x_m, d->y_m, &at_x, &at_y);
	x = at_x, y = at_y;
	cairn_mark_places_find(t, 0.5 * cairn_lettering_width(pen->letters, size, text) + 3.0, &x, &y);
	if (!room)
		leader(pen, at_x, at_y, x, y, colour);
	cairn_picture_tag(pen, x, y, size, colour, text);
}

static void draw_scene(const struct cairn_picture_pen *pen, const struct cairn_mark_places *t)
{
	struct cairn_map_rect rects[CAIRN_MARK_PLACES];
	for (int i = 0; i < t->count; i++)
		rects[i] = (struct cairn_map_rect){
		    t->x[i] - t->half_px[i], t->y[i] - ROUND_PX, 2.0 * t->half_px[i], 2.0 * ROUND_PX};
	cairn_picture_scene(pen, rects, (uint32_t)t->count);
}

static void draw_goal(const struct cairn_picture_pen *pen)
{
	double x, y;
	cairn_picture_to_px(pen, pen->p->goal.x_m, pen->p->goal.y_m, &x, &y);
	use(pen->cr, GOAL, 1.0);
	cairo_set_line_width(pen->cr, 3.0);
	cairo_new_path(pen->cr);
	cairo_arc(pen->cr, x, y, ROUND_PX + 4.0, 0.0, 2.0 * M_PI);
	cairo_stroke(pen->cr);
	cairo_arc(pen->cr, x, y, 4.0, 0.0, 2.0 * M_PI);
	cairo_fill(pen->cr);
}

void cairn_picture_marks(const struct cairn_picture_pen *pen)
{
	const struct cairn_picture *p = pen->p;
	struct cairn_mark_places taken = {.count = 0};
	double x, y;
	if (p->have_robot) {
		cairn_picture_to_px(pen, p->robot.x_m, p->robot.y_m, &x, &y);
		cairn_mark_places_take(&taken, ROUND_PX, x, y);
	}
	for (uint32_t i = 0; p->doorways != NULL && i < p->doorway_count; i++)
		draw_doorway(pen, &p->doorways[i]);
	for (uint32_t i = 0; p->frontiers != NULL && i < p->frontier_count; i++)
		draw_frontier(pen, &p->frontiers[i], &taken);
	for (uint32_t i = 0; p->frontiers != NULL && i < p->frontier_count; i++)
		if (cairn_narrow_gap_first(p->frontiers, i))
			draw_gap(pen, &p->frontiers[i], &taken);
	for (uint32_t i = 0; p->candidates != NULL && i < p->candidate_count; i++)
		draw_candidate(pen, &p->candidates[i], &taken);
	for (uint32_t i = 0; p->discoveries != NULL && i < p->discovery_count; i++)
		if (p->discoveries[i].kind == CAIRN_SIGNIFICANCE_HAZARD ||
		    !cairn_picture_scene_has(p, p->discoveries[i].label))
			draw_discovery(pen, &p->discoveries[i], &taken);
	if (p->nodes != NULL)
		draw_scene(pen, &taken);
	if (p->have_goal)
		draw_goal(pen);
}
