/* report_map.c - a house from above: what is solid, what was known, where the robot went. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/eval/report_private.h"
#include "common/map/grid.h"
#include "common/sim/world/world.h"

#define SIZE_PX 440.0
#define PAD_PX 10.0
#define FOOT_PX 26.0
#define LEGEND_PX 17.0
#define CELL_PX 3 /* of the grid's picture, so that no viewer blurs its cells */

struct view {
	const struct cairn_report_map *p;
	struct report_canvas *c;
	double left, bottom, scale; /* of x_min y_min; pixels a metre */
};

static void to_px(const struct view *v, double x_m, double y_m, double *px, double *py)
{
	*px = v->left + (x_m - v->p->x_min_m) * v->scale;
	*py = v->bottom - (y_m - v->p->y_min_m) * v->scale;
}

static bool solid_edge(const struct cairn_report_map *p, const struct cairn_edge *e)
{
	return (double)e->z0_m <= p->height_m && (double)e->z1_m >= p->height_m;
}

static bool solid_prism(const struct cairn_report_map *p, const struct cairn_solid *s)
{
	return (double)s->z0_m <= p->height_m && (double)s->z1_m >= p->height_m;
}

static void widen(struct cairn_report_map *p, double x, double y)
{
	p->x_min_m = fmin(p->x_min_m, x);
	p->x_max_m = fmax(p->x_max_m, x);
	p->y_min_m = fmin(p->y_min_m, y);
	p->y_max_m = fmax(p->y_max_m, y);
}

static void find_extent(struct cairn_report_map *p)
{
	if (p->x_max_m > p->x_min_m && p->y_max_m > p->y_min_m)
		return;
	p->x_min_m = p->y_min_m = INFINITY;
	p->x_max_m = p->y_max_m = -INFINITY;
	for (uint32_t i = 0; p->world != NULL && i < p->world->edge_count; i++) {
		const struct cairn_edge *e = &p->world->edges[i];
		if (!solid_edge(p, e))
			continue;
		widen(p, (double)e->ax_m, (double)e->ay_m);
		widen(p, (double)e->bx_m, (double)e->by_m);
	}
	for (uint32_t i = 0; i < p->path_count; i++)
		for (uint32_t k = 0; k < p->paths[i].point_count; k++)
			widen(
			    p, (double)p->paths[i].points_m[2 * k], (double)p->paths[i].points_m[2 * k + 1]);
	for (uint32_t i = 0; i < p->spot_count; i++)
		widen(p, p->spots[i].x_m, p->spots[i].y_m);
	if (!isfinite(p->x_min_m)) {
		p->x_min_m = p->y_min_m = -1.0;
		p->x_max_m = p->y_max_m = 1.0;
	}
	double margin = 0.02 * fmax(p->x_max_m - p->x_min_m, p->y_max_m - p->y_min_m) + 0.05;
	p->x_min_m -= margin;
	p->y_min_m -= margin;
	p->x_max_m += margin;
	p->y_max_m += margin;
}

static uint32_t named_paths(const struct cairn_report_map *p)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->path_count; i++)
		count += p->paths[i].name != NULL;
	return count;
}

void report_map_size(struct cairn_report_map *p, double *ret_width, double *ret_height)
{
	find_extent(p);
	double w = p->x_max_m - p->x_min_m, h = p->y_max_m - p->y_min_m;
	double scale = (p->size_px > 0 ? p->size_px : SIZE_PX) / fmax(w, h);
	*ret_width = ceil(fmax(w * scale, 180.0) + 2.0 * PAD_PX);
	*ret_height = ceil(h * scale + 2.0 * PAD_PX + FOOT_PX + LEGEND_PX * named_paths(p) +
			   (p->title != NULL ? 20.0 : 0.0));
}

/* ---- what was known ---- */

static uint32_t cell_colour(int8_t odds)
{
	if (odds == CAIRN_ODDS_UNKNOWN)
		return 0xFFD9DCE0u;
	return cairn_odds_occupied(odds) ? 0xFF8A5A44u : cairn_odds_free(odds) ? 0xFFFFFFFFu : 0xFFE9EBEEu;
}

static cairo_surface_t *grid_picture(const struct cairn_grid *g, struct cairn_cell_box box)
{
	int w = box.max_cx - box.min_cx + 1, h = box.max_cy - box.min_cy + 1;
	cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w * CELL_PX, h * CELL_PX);
	unsigned char *data = cairo_image_surface_get_data(s);
	if (data == NULL)
		return s;
	cairo_surface_flush(s);
	int stride = cairo_image_surface_get_stride(s);
	for (int y = 0; y < h * CELL_PX; y++) {
		uint32_t *row = (uint32_t *)(void *)(data + (ptrdiff_t)y * stride);
		int32_t cy = box.max_cy - y / CELL_PX; /* the picture's first row is the highest */
		for (int x = 0; x < w * CELL_PX; x++)
			row[x] = cell_colour(cairn_grid_odds(g, box.min_cx + x / CELL_PX, cy));
	}
	cairo_surface_mark_dirty(s);
	return s;
}

static void draw_grid(struct view *v)
{
	const struct cairn_grid *g = v->p->grid;
	struct cairn_cell_box box = g->known;
	if (cairn_cell_box_empty(box))
		return;
	cairo_t *cr = v->c->cr;
	cairo_surface_t *s = grid_picture(g, box);
	double x, y, cell_px = g->cell_m * v->scale;
	struct cairn_vec2 corner = cairn_pose_apply(
	    v->p->grid_at, (struct cairn_vec2){box.min_cx * g->cell_m, (box.max_cy + 1) * g->cell_m});
	to_px(v, corner.x_m, corner.y_m, &x, &y);
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rotate(cr, -v->p->grid_at.yaw_rad);
	cairo_scale(cr, cell_px / CELL_PX, cell_px / CELL_PX);
	cairo_set_source_surface(cr, s, 0.0, 0.0);
	cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_GOOD);
	cairo_paint(cr);
	cairo_restore(cr);
	cairo_surface_destroy(s);
}

/* ---- the house ---- */

/* Negative for what is solid outside of its edges: the outline of a floor plan. */
static double signed_area(const struct cairn_world *w, const struct cairn_solid *s)
{
	double twice = 0.0;
	for (uint32_t k = 0; k < s->edge_count; k++) {
		const struct cairn_edge *e = &w->edges[s->edge_first + k];
		twice += (double)e->ax_m * (double)e->by_m - (double)e->bx_m * (double)e->ay_m;
	}
	return 0.5 * twice;
}

static void draw_solids(struct view *v)
{
	const struct cairn_world *w = v->p->world;
	cairo_t *cr = v->c->cr;
	double x, y;
	for (uint32_t i = 0; i < w->solid_count; i++) {
		const struct cairn_solid *s = &w->solids[i];
		if (!solid_prism(v->p, s) || s->edge_count == 0 || signed_area(w, s) <= 0.0)
			continue;
		const struct cairn_edge *e = &w->edges[s->edge_first];
		for (uint32_t k = 0; k < s->edge_count; k++, e++) {
			bool on = k > 0 && e->ax_m == e[-1].bx_m &&
				  e->ay_m == e[-1].by_m; /* else another ring begins */
			to_px(v, (double)e->ax_m, (double)e->ay_m, &x, &y);
			if (!on && k > 0)
				cairo_close_path(cr);
			if (on)
				cairo_line_to(cr, x, y);
			else
				cairo_move_to(cr, x, y);
		}
		cairo_close_path(cr);
	}
	report_use(v->c, report_faint, 0.45);
	cairo_fill(cr);
}

static void draw_edges(struct view *v)
{
	const struct cairn_world *w = v->p->world;
	cairo_t *cr = v->c->cr;
	double x, y;
	for (uint32_t i = 0; i < w->edge_count; i++) {
		const struct cairn_edge *e = &w->edges[i];
		if (!solid_edge(v->p, e))
			continue;
		to_px(v, (double)e->ax_m, (double)e->ay_m, &x, &y);
		cairo_move_to(cr, x, y);
		to_px(v, (double)e->bx_m, (double)e->by_m, &x, &y);
		cairo_line_to(cr, x, y);
	}
	report_use(v->c, report_ink, 1.0);
	cairo_set_line_width(cr, 1.3);
	cairo_stroke(cr);
}

/* ---- what happened ---- */

static void draw_path(struct view *v, const struct cairn_report_path *path)
{
	double x, y;
	cairo_new_path(v->c->cr);
	for (uint32_t i = 0; i < path->point_count; i++) {
		to_px(v, (double)path->points_m[2 * i], (double)path->points_m[2 * i + 1], &x, &y);
		cairo_line_to(v->c->cr, x, y);
	}
	report_use(v->c, report_colours[path->colour % REPORT_COLOURS], 0.9);
	cairo_set_line_width(v->c->cr, 2.0);
	report_dash(v->c, path->broken);
	cairo_stroke(v->c->cr);
	report_dash(v->c, false);
}

/* The robot as an arrow head. */
static void draw_robot(struct view *v, double x, double y, double heading_rad, struct report_colour colour)
{
	cairo_t *cr = v->c->cr;
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rotate(cr, -heading_rad);
	cairo_move_to(cr, 9.0, 0.0);
	cairo_line_to(cr, -6.0, 6.0);
	cairo_line_to(cr, -3.0, 0.0);
	cairo_line_to(cr, -6.0, -6.0);
	cairo_close_path(cr);
	report_use(v->c, colour, 1.0);
	cairo_fill_preserve(cr);
	cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
	cairo_set_line_width(cr, 0.8);
	cairo_stroke(cr);
	cairo_restore(cr);
}

static void draw_spot(struct view *v, const struct cairn_report_spot *s)
{
	cairo_t *cr = v->c->cr;
	double x, y, ring = s->radius_m * v->scale;
	to_px(v, s->x_m, s->y_m, &x, &y);
	switch (s->kind) {
	case CAIRN_REPORT_START:
		draw_robot(v, x, y, s->heading_rad, report_colours[2]);
		break;
	case CAIRN_REPORT_END:
		draw_robot(v, x, y, s->heading_rad, report_colours[0]);
		break;
	case CAIRN_REPORT_GOAL:
		report_use(v->c, report_colours[1], 0.15);
		cairo_arc(cr, x, y, fmax(ring, 3.0), 0.0, 2.0 * M_PI);
		cairo_fill_preserve(cr);
		report_use(v->c, report_colours[1], 1.0);
		cairo_set_line_width(cr, 1.5);
		cairo_stroke(cr);
		cairo_arc(cr, x, y, 2.5, 0.0, 2.0 * M_PI);
		cairo_fill(cr);
		break;
	case CAIRN_REPORT_CONTACT:
		report_use(v->c, report_colours[1], 1.0);
		report_stroke(v->c, x - 6.0, y - 6.0, x + 6.0, y + 6.0, 3.0);
		report_stroke(v->c, x - 6.0, y + 6.0, x + 6.0, y - 6.0, 3.0);
		break;
	case CAIRN_REPORT_PLACE:
		report_use(v->c, report_colours[4], 1.0);
		cairo_arc(cr, x, y, fmax(ring, 3.0), 0.0, 2.0 * M_PI);
		cairo_fill(cr);
		break;
	}
	report_use(v->c, report_ink, 1.0);
	report_text(v->c, x + fmax(ring, 8.0) + 3.0, y - 5.0, REPORT_SMALL_PX, REPORT_LEFT, s->name);
}

static void draw_foot(struct view *v, double y)
{
	struct report_ticks t = report_ticks_for(0.0, 0.25 * (v->p->x_max_m - v->p->x_min_m), 2);
	double length = t.step;
	char text[32];
	while (length * v->scale > 0.5 * v->c->width)
		length *= 0.5;
	report_use(v->c, report_ink, 1.0);
	report_stroke(v->c, PAD_PX, y, PAD_PX + length * v->scale, y, 2.0);
	report_stroke(v->c, PAD_PX, y - 3.0, PAD_PX, y + 3.0, 1.2);
	report_stroke(v->c, PAD_PX + length * v->scale, y - 3.0, PAD_PX + length * v->scale, y + 3.0, 1.2);
	snprintf(text, sizeof(text), "%g m", length);
	report_text(v->c, PAD_PX + length * v->scale + 7.0, y + 4.0, REPORT_SMALL_PX, REPORT_LEFT, text);
	for (uint32_t i = 0; i < v->p->path_count; i++) {
		const struct cairn_report_path *path = &v->p->paths[i];
		if (path->name == NULL)
			continue;
		y += LEGEND_PX;
		report_use(v->c, report_colours[path->colour % REPORT_COLOURS], 1.0);
		report_dash(v->c, path->broken);
		report_stroke(v->c, PAD_PX, y, PAD_PX + 22.0, y, 2.5);
		report_dash(v->c, false);
		report_use(v->c, report_ink, 1.0);
		report_text(v->c, PAD_PX + 29.0, y + 4.0, REPORT_SMALL_PX, REPORT_LEFT, path->name);
	}
}

void report_draw_map(struct report_canvas *c, const void *what)
{
	const struct cairn_report_map *p = what;
	double w = p->x_max_m - p->x_min_m, h = p->y_max_m - p->y_min_m;
	struct view v = {.p = p, .c = c, .left = PAD_PX, .scale = (c->width - 2.0 * PAD_PX) / w};
	double top = PAD_PX + (p->title != NULL ? 20.0 : 0.0);
	v.scale = (p->size_px > 0 ? p->size_px : SIZE_PX) / fmax(w, h);
	v.bottom = top + h * v.scale;
	report_use(c, report_ink, 1.0);
	report_text(c, PAD_PX, PAD_PX + 8.0, REPORT_TITLE_PX, REPORT_LEFT, p->title);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, v.left, top, w * v.scale, h * v.scale);
	cairo_clip(c->cr);
	if (p->grid != NULL) {
		cairo_set_source_rgb(c->cr, 0.851, 0.863, 0.878);
		cairo_paint(c->cr);
		draw_grid(&v);
	}
	if (p->world != NULL) {
		draw_solids(&v);
		draw_edges(&v);
	}
	for (uint32_t i = 0; i < p->path_count; i++)
		draw_path(&v, &p->paths[i]);
	for (uint32_t i = 0; i < p->spot_count; i++)
		draw_spot(&v, &p->spots[i]);
	cairo_restore(c->cr);
	draw_foot(&v, v.bottom + 15.0);
}
