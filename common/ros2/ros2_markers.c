/* ros2_markers.c - what is drawn into the map: scene graph, zones, frontiers, each as one MarkerArray.
 *
 * Every array begins by deleting what an earlier one has drawn, so that a viewer shows what the newest message says and no more. */
#include <stdio.h>

#include "common/ros2/ros2.h"

/* visualization_msgs/Marker */
#define MARKER_CUBE 1
#define MARKER_SPHERE 2
#define MARKER_LINE_STRIP 4
#define MARKER_TEXT 9
#define MARKER_ADD 0
#define MARKER_DELETE_ALL 3

#define TEXT_M 0.15 /* height of letters */
#define LINE_M 0.03
#define BALL_M 0.12
#define THIN_M 0.02 /* a box without extent would not be seen */

struct colour {
	float r, g, b, a;
};

static const struct colour white = {1.0f, 1.0f, 1.0f, 1.0f};

struct marker {
	const char *ns; /* namespace; ids are unique within one */
	int32_t id, type, action;
	double x_m, y_m, z_m;
	double size_m[3];
	struct colour colour;
	const struct cairn_msg_zone *outline; /* MARKER_LINE_STRIP: its corners, closed */
	const char *text;                     /* MARKER_TEXT */
};

/* The corners, and the first once more. */
static void put_outline(struct cairn_cdr *c, const struct cairn_msg_zone *zone)
{
	uint32_t n = zone != NULL ? zone->corners_count : 0;
	cairn_cdr_put_u32(c, n > 0 ? n + 1 : 0);
	for (uint32_t i = 0; n > 0 && i <= n; i++) {
		const struct cairn_msg_zone_point *p = &zone->corners[i % n];
		cairn_ros2_put_f64s(c, (const double[]){(double)p->x_m, (double)p->y_m, LINE_M}, 3);
	}
}

/* The fields in the order of ros2_types.def. */
static void put_marker(struct cairn_cdr *c, int64_t unix_ns, const struct marker *m)
{
	cairn_ros2_put_header(c, unix_ns, CAIRN_ROS2_FRAME_MAP);
	cairn_cdr_put_text(c, m->ns);
	cairn_cdr_put_i32(c, m->id);
	cairn_cdr_put_i32(c, m->type);
	cairn_cdr_put_i32(c, m->action);
	cairn_ros2_put_f64s(c, (const double[]){m->x_m, m->y_m, m->z_m, 0.0, 0.0, 0.0, 1.0}, 7);
	cairn_ros2_put_f64s(c, m->size_m, 3);
	cairn_cdr_put_f32(c, m->colour.r);
	cairn_cdr_put_f32(c, m->colour.g);
	cairn_cdr_put_f32(c, m->colour.b);
	cairn_cdr_put_f32(c, m->colour.a);
	cairn_cdr_put_i32(c, 0); /* lifetime: until it is deleted */
	cairn_cdr_put_u32(c, 0);
	cairn_cdr_put_bool(c, false); /* frame_locked */
	put_outline(c, m->outline);
	cairn_cdr_put_u32(c, 0);         /* colors */
	cairn_cdr_put_text(c, "");       /* texture_resource */
	cairn_ros2_put_header(c, 0, ""); /* texture: a picture without bytes */
	cairn_cdr_put_text(c, "");
	cairn_cdr_put_u32(c, 0);
	cairn_cdr_put_u32(c, 0); /* uv_coordinates */
	cairn_cdr_put_text(c, m->text != NULL ? m->text : "");
	cairn_cdr_put_text(c, ""); /* mesh_resource */
	cairn_cdr_put_text(c, ""); /* mesh_file */
	cairn_cdr_put_u32(c, 0);
	cairn_cdr_put_bool(c, false); /* mesh_use_embedded_materials */
}

static void begin(struct cairn_cdr *c, int64_t unix_ns, uint32_t markers)
{
	cairn_cdr_put_u32(c, markers + 1);
	put_marker(c, unix_ns, &(struct marker){.ns = "", .action = MARKER_DELETE_ALL});
}

static void put_label(struct cairn_cdr *c, int64_t unix_ns, const char *ns, int32_t id, double x_m,
    double y_m, double z_m, const char *text)
{
	put_marker(c, unix_ns,
	    &(struct marker){.ns = ns,
		.id = id,
		.type = MARKER_TEXT,
		.x_m = x_m,
		.y_m = y_m,
		.z_m = z_m,
		.size_m = {TEXT_M, TEXT_M, TEXT_M},
		.colour = white,
		.text = text});
}

/* ---- scene ---- */

static bool has_box(const struct cairn_msg_scene_node *n)
{
	return n->kind == CAIRN_SCENE_KIND_OBJECT && n->box_m_count == 6;
}

/* What is not where it was is pale. */
static void put_node(struct cairn_cdr *c, int64_t unix_ns, int32_t id, const struct cairn_msg_scene_node *n)
{
	static const struct colour thing = {0.2f, 0.6f, 1.0f, 0.6f}, stale = {0.6f, 0.6f, 0.6f, 0.3f},
				   spot = {0.3f, 0.9f, 0.4f, 0.9f};
	struct marker m = {.ns = cairn_enum_text(&cairn_enum_scene_kind, (int)n->kind),
	    .id = id,
	    .type = MARKER_SPHERE,
	    .x_m = n->x_m,
	    .y_m = n->y_m,
	    .z_m = n->z_m,
	    .size_m = {BALL_M, BALL_M, BALL_M},
	    .colour = n->stale                             ? stale
		      : n->kind == CAIRN_SCENE_KIND_OBJECT ? thing
							   : spot};
	if (has_box(n)) {
		const float *b = n->box_m;
		m.type = MARKER_CUBE;
		m.x_m = 0.5 * (double)(b[0] + b[3]);
		m.y_m = 0.5 * (double)(b[1] + b[4]);
		m.z_m = 0.5 * (double)(b[2] + b[5]);
		for (int i = 0; i < 3; i++)
			m.size_m[i] = fmax(THIN_M, (double)(b[3 + i] - b[i]));
	}
	put_marker(c, unix_ns, &m);
	double above_m = m.z_m + 0.5 * m.size_m[2] + TEXT_M;
	put_label(c, unix_ns, "label", id, m.x_m, m.y_m, above_m, n->label[0] != '\0' ? n->label : n->id);
}

void cairn_ros2_put_scene_markers(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	const struct cairn_msg_scene *s = from;
	begin(c, unix_ns, 2 * s->nodes_count);
	for (uint32_t i = 0; i < s->nodes_count; i++)
		put_node(c, unix_ns, (int32_t)i, &s->nodes[i]);
}

/* ---- zones ---- */

void cairn_ros2_put_zone_markers(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	static const struct colour keepout = {0.9f, 0.2f, 0.2f, 1.0f}, other = {0.95f, 0.75f, 0.2f, 1.0f};
	const struct cairn_msg_zones *z = from;
	begin(c, unix_ns, 2 * z->items_count);
	for (uint32_t i = 0; i < z->items_count; i++) {
		const struct cairn_msg_zone *zone = &z->items[i];
		double x_m = 0.0, y_m = 0.0;
		for (uint32_t k = 0; k < zone->corners_count; k++) {
			x_m += (double)zone->corners[k].x_m / zone->corners_count;
			y_m += (double)zone->corners[k].y_m / zone->corners_count;
		}
		put_marker(c, unix_ns,
		    &(struct marker){.ns = "zone",
			.id = (int32_t)i,
			.type = MARKER_LINE_STRIP,
			.size_m = {LINE_M, 0.0, 0.0},
			.colour = zone->kind == CAIRN_ZONE_KIND_KEEPOUT ? keepout : other,
			.outline = zone});
		put_label(c, unix_ns, "label", (int32_t)i, x_m, y_m, TEXT_M, zone->name);
	}
}

/* ---- frontiers ---- */

/* Green ones can be reached, red ones cannot, grey spots show nothing any more. */
void cairn_ros2_put_frontier_markers(struct cairn_cdr *c, int64_t unix_ns, const void *from)
{
	static const struct colour open = {0.2f, 0.9f, 0.5f, 0.9f}, shut = {0.9f, 0.3f, 0.2f, 0.9f},
				   blind = {0.5f, 0.5f, 0.5f, 0.6f};
	const struct cairn_msg_frontiers *f = from;
	begin(c, unix_ns, 2 * f->items_count + f->blind_count);
	struct marker m = {.type = MARKER_SPHERE, .z_m = BALL_M, .size_m = {BALL_M, BALL_M, BALL_M}};
	for (uint32_t i = 0; i < f->items_count; i++) {
		const struct cairn_msg_frontier *it = &f->items[i];
		char text[24];
		m.ns = "frontier";
		m.id = (int32_t)i;
		m.x_m = it->x_m;
		m.y_m = it->y_m;
		m.colour = it->distance_m >= 0.0 ? open : shut;
		put_marker(c, unix_ns, &m);
		snprintf(text, sizeof(text), "F%u", it->id);
		put_label(c, unix_ns, "label", m.id, m.x_m, m.y_m, m.z_m + 2.0 * TEXT_M, text);
	}
	for (uint32_t i = 0; i < f->blind_count; i++) {
		m.ns = "blind";
		m.id = (int32_t)i;
		m.x_m = f->blind[i].x_m;
		m.y_m = f->blind[i].y_m;
		m.colour = blind;
		put_marker(c, unix_ns, &m);
	}
}
