/* picture_scene.c - rooms and things of the scene graph on the drawn map. */
#include <math.h>
#include <strings.h>

#include "common/map/picture_private.h"

#define ROOM_PX 15.0
#define THING_PX 11.0
#define BOX_PX_MIN 5.0 /* a cup is a dot of this size */
#define TEXT_BYTES 64

static const struct cairn_picture_colour THING = {0.20, 0.32, 0.45}, PERSON = {0.55, 0.20, 0.55};

static struct cairn_picture_colour colour_of(const struct cairn_msg_scene_node *n)
{
	return n->kind == CAIRN_SCENE_KIND_AGENT ? PERSON : THING;
}

bool cairn_picture_scene_has(const struct cairn_picture *p, const char *label)
{
	for (uint32_t i = 0; p->nodes != NULL && i < p->node_count; i++)
		if (!p->nodes[i].stale && strcasecmp(p->nodes[i].label, label) == 0)
			return true;
	return false;
}

/* Its box, as seen from above. */
static void draw_box(const struct cairn_picture_pen *pen, const struct cairn_msg_scene_node *n)
{
	double x0, y0, x1, y1;
	if (n->stale || n->box_m_count != 6 ||
	    (n->kind != CAIRN_SCENE_KIND_OBJECT && n->kind != CAIRN_SCENE_KIND_AGENT))
		return;
	cairn_picture_to_px(pen, (double)n->box_m[3], (double)n->box_m[4], &x0, &y0);
	cairn_picture_to_px(pen, (double)n->box_m[0], (double)n->box_m[1], &x1, &y1);
	double width = fmax(x1 - x0, BOX_PX_MIN), height = fmax(y1 - y0, BOX_PX_MIN);
	if (!isfinite(x0 + y0 + width + height))
		return;
	struct cairn_picture_colour c = colour_of(n);
	cairo_new_path(pen->cr);
	cairo_rectangle(pen->cr, 0.5 * (x0 + x1 - width), 0.5 * (y0 + y1 - height), width, height);
	cairo_set_source_rgba(pen->cr, c.r, c.g, c.b, 0.25);
	cairo_fill_preserve(pen->cr);
	cairo_set_source_rgba(pen->cr, c.r, c.g, c.b, 0.9);
	cairo_set_line_width(pen->cr, 1.2);
	cairo_stroke(pen->cr);
}

void cairn_picture_scene(
    const struct cairn_picture_pen *pen, const struct cairn_map_rect *taken, uint32_t taken_count)
{
	const struct cairn_picture *p = pen->p;
	struct cairn_map_name names[CAIRN_MAP_NAMES];
	char text[CAIRN_MAP_NAMES][TEXT_BYTES];
	for (uint32_t i = 0; i < p->node_count; i++)
		draw_box(pen, &p->nodes[i]);
	uint32_t count = cairn_map_names_pick(p->nodes, p->node_count, names);
	for (uint32_t i = 0; i < count; i++) {
		bool room = names[i].node->kind == CAIRN_SCENE_KIND_ROOM;
		double size = room ? ROOM_PX : THING_PX;
		cairn_picture_cut_label(text[i], TEXT_BYTES, names[i].text);
		cairn_picture_to_px(pen, names[i].node->x_m, names[i].node->y_m, &names[i].x, &names[i].y);
		names[i].width = cairn_lettering_width(pen->letters, size, text[i]) + 6.0;
		names[i].height = 1.2 * size;
	}
	/* Names keep to the map: around it are title and scale. */
	cairn_map_names_lay(names, count, taken, taken_count,
	    (struct cairn_map_rect){pen->left, pen->top, (pen->y1 - pen->y0 + 1) * pen->scale,
		(pen->x1 - pen->x0 + 1) * pen->scale});
	for (uint32_t i = 0; i < count; i++)
		if (names[i].shown)
			cairn_picture_tag(pen, names[i].at.left + 0.5 * names[i].at.width,
			    names[i].at.top + 0.5 * names[i].at.height,
			    names[i].node->kind == CAIRN_SCENE_KIND_ROOM ? ROOM_PX : THING_PX,
			    colour_of(names[i].node), text[i]);
}
