#include "procs/lab/scene_picture.h"

#include <math.h>
#include <stdio.h>

#include "common/base/file.h"
#include "common/base/text.h"
#include "common/drawing/lettering.h"

#define PX_PER_M 160.0
#define EDGE_M 0.5
#define TEXT_PX 15.0
#define SIDE_MAX_PX 4000.0

static const double colours[][3] = {{0.2, 0.2, 0.2}, {0.1, 0.35, 0.75}, {0.85, 0.35, 0.0}};

static bool is_shown(const struct cairn_scene_object *o)
{
	return o->number != 0 && o->confirmed;
}

static double middle(const struct cairn_scene_object *o, int axis)
{
	return 0.5 * (o->box.min[axis] + o->box.max[axis]);
}

/* y is up in the map and down in the picture. */
static void draw(cairo_t *cr, struct cairn_lettering *letters, struct cairn_scene *const scenes[], int count,
    double left_m, double top_m)
{
	const struct cairn_scene_object *list;
	for (int s = 0; s < count; s++) {
		uint32_t n = cairn_scene_objects(scenes[s], &list);
		cairo_set_source_rgb(cr, colours[s % 3][0], colours[s % 3][1], colours[s % 3][2]);
		for (uint32_t i = 0; i < n; i++) {
			const struct cairn_scene_object *o = &list[i];
			if (!is_shown(o))
				continue;
			double x = PX_PER_M * (middle(o, 0) - left_m), y = PX_PER_M * (top_m - middle(o, 1));
			cairo_set_line_width(cr, s == 0 ? 1.5 : 2.5);
			if (s == 0) {
				cairo_rectangle(cr, PX_PER_M * (o->box.min[0] - left_m),
				    PX_PER_M * (top_m - o->box.max[1]),
				    PX_PER_M * (o->box.max[0] - o->box.min[0]),
				    PX_PER_M * (o->box.max[1] - o->box.min[1]));
				cairo_stroke(cr);
				cairn_lettering_draw(letters, cr, x + 8.0, y - 8.0, TEXT_PX, o->id);
			} else {
				cairo_new_sub_path(cr);
				cairo_arc(cr, x, y, 3.0 + 2.5 * s, 0.0, 2.0 * M_PI);
				cairo_stroke(cr);
			}
		}
	}
	cairo_set_source_rgb(cr, 0.0, 0.0, 0.0);
	cairo_move_to(cr, 20.0, 20.0);
	cairo_rel_line_to(cr, PX_PER_M, 0.0);
	cairo_stroke(cr);
	cairn_lettering_draw(letters, cr, 20.0, 38.0, TEXT_PX, "1 m");
}

static cairo_status_t keep(void *text, const unsigned char *data, unsigned int bytes)
{
	cairn_text_bytes(text, (const char *)data, bytes);
	return CAIRO_STATUS_SUCCESS;
}

bool scene_picture(struct cairn_scene *const scenes[], int count, const char *path, struct cairn_error *err)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
	const struct cairn_scene_object *list;
	uint32_t n = cairn_scene_objects(scenes[0], &list);
	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 2 && is_shown(&list[i]); k++) {
			low[k] = fmin(low[k], list[i].box.min[k] - EDGE_M);
			high[k] = fmax(high[k], list[i].box.max[k] + EDGE_M);
		}
	double width = PX_PER_M * (high[0] - low[0]), height = PX_PER_M * (high[1] - low[1]);
	if (!(width > 0.0 && width < SIDE_MAX_PX && height < SIDE_MAX_PX)) {
		cairn_error_set(err, "no things to draw, or too far apart");
		return false;
	}
	struct cairn_lettering letters;
	struct cairn_text png = {0};
	bool ok = cairn_lettering_open(&letters, err);
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	cairo_t *cr = cairo_create(surface);
	cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
	cairo_paint(cr);
	draw(cr, &letters, scenes, count, low[0], high[1]);
	ok = ok && cairo_surface_write_to_png_stream(surface, keep, &png) == CAIRO_STATUS_SUCCESS;
	cairo_destroy(cr);
	cairo_surface_destroy(surface);
	cairn_lettering_close(&letters);
	if (ok && png.failed)
		cairn_error_set(err, "out of memory");
	ok = ok && !png.failed && cairn_file_replace(path, 0, 0644, png.data, png.len, err);
	cairn_text_free(&png);
	return ok;
}
