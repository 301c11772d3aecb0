#include "common/percept/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/camera/camera_pose.h"
#include "common/percept/annotate.h"
#include "common/percept/heat.h"
#include "common/explore/offered_frontiers.h"
#include "common/percept/ranges.h"
#include "common/percept/sectors.h"
#include "common/drawing/stroke.h"

#define HIDDEN_SLACK_M 0.25 /* a place this far behind a return is still its foot */
#define LIFT_TRIES 20       /* a number moves up this often, by half its radius, to get clear of the others */
#define LABEL_HALF_WIDTH_PX 38.0 /* of a depth label, at 480 rows */
#define LABEL_HALF_HEIGHT_PX 12.0
#define HEADING_WIDTH_PX 190.0 /* from the right, with its dial */
#define HEADING_HEIGHT_PX 84.0
#define NAME_WIDTH_PX 70.0 /* of LEFT, CENTRE or RIGHT */
#define ASIDE_RAD 1.55     /* so far aside is as good as a quarter turn */
#define FOOT_PX 34.0       /* arrows begin this far above the picture's foot, at 480 rows */

struct cairn_overlay {
	const struct cairn_config *cfg;
	double scale; /* 1 at 480 rows */
	struct cairn_camera_pose camera;
	struct cairn_percept_params percept_params;
	struct cairn_font *font;
	struct cairn_heat *heat;
	struct cairn_ranges ranges;
	struct cairn_polar polar;
};

static const struct cairn_rgb white = {255, 255, 255};
static const struct cairn_rgb black = {0, 0, 0};
static const struct cairn_rgb cyan = {0, 229, 255};
bool cairn_overlay_wanted(const struct cairn_config *cfg)
{
	return cfg->percept.show_sectors || cfg->percept.show_candidates || cfg->percept.show_arcs ||
	       cfg->percept.show_heat;
}

struct cairn_overlay *cairn_overlay_new(
    const struct cairn_config *cfg, const char *font_file, struct cairn_error *err)
{
	struct cairn_overlay *overlay = calloc(1, sizeof(*overlay));
	if (overlay == NULL) {
		cairn_error_set(err, "annotated picture: out of memory");
		return NULL;
	}
	overlay->cfg = cfg;
	overlay->scale = fmin(cfg->camera.width_px / 640.0, cfg->camera.height_px / 480.0);
	overlay->camera = cairn_camera_pose_from(cfg, cfg->camera.width_px, cfg->camera.height_px);
	overlay->percept_params = cairn_percept_params_from_config(cfg);
	double size_px = fmax(18.0 * overlay->scale, 8.0);
	overlay->font = cairn_font_new(font_file, size_px, size_px / 11.0, err);
	if (overlay->font == NULL) {
		cairn_overlay_destroy(&overlay);
		return NULL;
	}
	if (cfg->percept.show_heat) {
		overlay->heat = cairn_heat_new(cfg->camera.width_px, cfg->camera.height_px);
		if (overlay->heat == NULL) {
			cairn_error_set(err, "annotated picture: out of memory");
			cairn_overlay_destroy(&overlay);
		}
	}
	return overlay;
}

void cairn_overlay_destroy(struct cairn_overlay **overlay_p)
{
	if (*overlay_p == NULL)
		return;
	cairn_heat_destroy(&(*overlay_p)->heat);
	cairn_font_destroy(&(*overlay_p)->font);
	free(*overlay_p);
	*overlay_p = NULL;
}

/* ---- what comes in ---- */

void cairn_overlay_on_scan(struct cairn_overlay *overlay, const struct cairn_msg_scan *scan)
{
	cairn_ranges_from_scan(&overlay->ranges, scan, &overlay->percept_params, &overlay->polar);
}

void cairn_overlay_on_depth(
    struct cairn_overlay *overlay, const void *pixels, size_t stride_bytes, int64_t t_ns)
{
	if (overlay->heat != NULL)
		cairn_heat_keep(overlay->heat, pixels, stride_bytes, t_ns);
}

/* ---- arcs ---- */

static struct cairn_vec2 on_circle(const struct cairn_overlay *overlay, double radius_m, double bearing_rad)
{
	struct cairn_vec2 lidar = overlay->percept_params.lidar;
	return (struct cairn_vec2){
	    lidar.x_m + radius_m * cos(bearing_rad), lidar.y_m + radius_m * sin(bearing_rad)};
}

static void draw_arc(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_ring *arc, const struct cairn_stroke *stroke)
{
	for (int deg = -90; deg < 90; deg++) {
		double from = cairn_deg_to_rad(deg), to = cairn_deg_to_rad(deg + 1);
		struct cairn_pixel a, b;
		if (cairn_ranges_sight_m(&overlay->ranges, from) < arc->radius_m ||
		    cairn_ranges_sight_m(&overlay->ranges, to) < arc->radius_m)
			continue; /* something stands nearer, or nothing is known */
		if (cairn_camera_floor_line(&overlay->camera, on_circle(overlay, arc->radius_m, from),
			on_circle(overlay, arc->radius_m, to), &a, &b))
			cairn_stroke_line(canvas, a.u, a.v, b.u, b.v, stroke);
	}
}

static void draw_arcs(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas)
{
	float width = (float)fmax(2.5 * overlay->scale, 1.0);
	for (int i = CAIRN_RINGS - 1; i >= 0; i--) {
		draw_arc(overlay, canvas, &cairn_rings[i], &(struct cairn_stroke){width + 2.0f, black, 150});
		draw_arc(overlay, canvas, &cairn_rings[i],
		    &(struct cairn_stroke){width, cairn_rings[i].colour, 255});
	}
}

/* ---- candidates ---- */

/* As on the disc. */
static void mark_label(char text[16], const struct cairn_overlay_mark *mark)
{
	snprintf(text, 16, "%s%u", mark->list == 'C' ? "C" : "", mark->id);
}

static double disc_radius(const struct cairn_overlay *overlay, const struct cairn_overlay_mark *mark)
{
	char text[16];
	mark_label(text, mark);
	return fmax(0.5 * cairn_font_width_px(overlay->font, text) + 3.0 * overlay->scale,
	    0.75 * cairn_font_cap_height_px(overlay->font) + 3.0 * overlay->scale);
}

/* Clear of the numbers placed before it, of the depth labels and of the heading. */
static bool disc_clear(const struct cairn_overlay *overlay, const struct cairn_overlay_mark *mark,
    double radius, const struct cairn_overlay_mark *others, int count)
{
	for (int i = 0; i < count; i++) {
		if (hypot(others[i].disc_u - mark->disc_u, others[i].disc_v - mark->disc_v) <
		    radius + disc_radius(overlay, &others[i]) + 1.0)
			return false;
	}
	if (mark->disc_u + radius > overlay->camera.width_px - HEADING_WIDTH_PX * overlay->scale &&
	    mark->disc_v - radius < HEADING_HEIGHT_PX * overlay->scale)
		return false;
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		int u, v;
		cairn_depth_point_px((enum cairn_depth_point)p, (int)overlay->camera.width_px,
		    (int)overlay->camera.height_px, &u, &v);
		if (fabs(u - mark->disc_u) < radius + LABEL_HALF_WIDTH_PX * overlay->scale &&
		    fabs(v - mark->disc_v) < radius + LABEL_HALF_HEIGHT_PX * overlay->scale)
			return false;
	}
	return true;
}

/* The number stands above its place; where something else is in the way, beside that or higher. */
static void place_disc(const struct cairn_overlay *overlay, struct cairn_overlay_mark *mark,
    const struct cairn_overlay_mark *others, int count)
{
	static const double sides[3] = {0.0, -2.2, 2.2}; /* radii */
	double radius = disc_radius(overlay, mark), top = radius + 2.0;
	double above = mark->tip_v - radius - 8.0 * overlay->scale;
	for (int tries = 0; tries < 3 * LIFT_TRIES; tries++) {
		mark->disc_u = cairn_clamp(mark->tip_u + sides[tries % 3] * radius, radius + 2.0,
		    overlay->camera.width_px - radius - 2.0);
		mark->disc_v = fmax(above - 0.5 * radius * (tries / 3), top);
		if (disc_clear(overlay, mark, radius, others, count))
			return;
	}
}

/* What may be drawn: ids and places in the map, best or nearest first. */
struct place {
	char list;
	uint32_t id;
	double x_m, y_m;
};
#define PLACES_MAX 16

static int places_of(const struct cairn_overlay_inputs *in, struct place ret[PLACES_MAX])
{
	int count = 0;
	for (uint32_t i = 0; in->candidates != NULL && i < in->candidates->items_count && count < PLACES_MAX;
	     i++) {
		const struct cairn_msg_candidate *c = &in->candidates->items[i];
		ret[count++] = (struct place){'C', c->id, c->x_m, c->y_m};
	}
	if (count > 0 || in->frontiers == NULL)
		return count;
	struct cairn_msg_frontier offered[CAIRN_OFFER_MAX];
	uint32_t offered_count = cairn_frontiers_offered(in->frontiers, in->mission, offered);
	for (uint32_t i = 0; i < offered_count; i++)
		ret[count++] = (struct place){'F', offered[i].id, offered[i].x_m, offered[i].y_m};
	return count;
}

int cairn_overlay_marks(const struct cairn_overlay *overlay, const struct cairn_overlay_inputs *in,
    struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES])
{
	struct place places[PLACES_MAX];
	int count = 0, place_count = in->pose != NULL ? places_of(in, places) : 0;
	for (int i = 0; i < place_count && count < CAIRN_OVERLAY_CANDIDATES; i++) {
		struct cairn_pose2 at =
		    cairn_pose_between(*in->pose, (struct cairn_pose2){places[i].x_m, places[i].y_m, 0.0});
		struct cairn_vec2 place = {at.x_m, at.y_m}, lidar = overlay->percept_params.lidar;
		struct cairn_pixel tip;
		double depth_m;
		if (!cairn_camera_pixel(&overlay->camera, (double[3]){at.x_m, at.y_m, 0.0}, &tip, &depth_m) ||
		    tip.u < 0.0 || tip.v < 0.0 || tip.u >= overlay->camera.width_px ||
		    tip.v >= overlay->camera.height_px)
			continue;
		double away_m = hypot(place.x_m - lidar.x_m, place.y_m - lidar.y_m);
		double seen_m = cairn_ranges_sight_m(
		    &overlay->ranges, atan2(place.y_m - lidar.y_m, place.x_m - lidar.x_m));
		struct cairn_overlay_mark *mark = &marks[count];
		*mark = (struct cairn_overlay_mark){.list = places[i].list,
		    .id = places[i].id,
		    .tip_u = tip.u,
		    .tip_v = tip.v,
		    .hidden = in->scan_fresh && seen_m > 0.0 && seen_m + HIDDEN_SLACK_M < away_m};
		place_disc(overlay, mark, marks, count);
		count++;
	}
	return count;
}

/* In which column a direction of the robot shows, the camera's pitch and place left aside; at the picture's end if it lies beyond. */
static double direction_px(const struct cairn_overlay *overlay, double bearing_rad)
{
	const struct cairn_config_robot *r = &overlay->cfg->robot;
	double width_px = overlay->camera.width_px, off_rad = cairn_wrap_rad(bearing_rad - r->camera_yaw_rad);
	double left_px = overlay->camera.focal_px * tan(cairn_clamp(off_rad, -ASIDE_RAD, ASIDE_RAD));
	double u = cairn_clamp(0.5 * width_px - left_px, 0.0, width_px);
	return cos(r->camera_roll_rad) < 0.0 ? width_px - u : u;
}

/* From where the robot comes into the picture's foot to the place; broken into dashes when the place is hidden. */
static void draw_shaft(const struct cairn_canvas *canvas, const struct cairn_overlay_mark *mark,
    double foot_u, double foot_v, double dash_px, const struct cairn_stroke *stroke)
{
	double du = mark->tip_u - foot_u, dv = mark->tip_v - foot_v;
	int dashes = mark->hidden ? (int)(hypot(du, dv) / (2.0 * dash_px)) : 1;
	for (int i = 0; i < dashes; i++) {
		double from = (double)i / dashes, to = mark->hidden ? from + 0.5 / dashes : 1.0;
		cairn_stroke_line(canvas, foot_u + from * du, foot_v + from * dv, foot_u + to * du,
		    foot_v + to * dv, stroke);
	}
}

static void draw_arrow(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_overlay_mark *mark, const struct cairn_stroke *stroke)
{
	double foot_u = direction_px(overlay, 0.0), foot_v = canvas->height_px - FOOT_PX * overlay->scale;
	draw_shaft(canvas, mark, foot_u, foot_v, 9.0 * overlay->scale, stroke);
	double back_rad = atan2(foot_v - mark->tip_v, foot_u - mark->tip_u), barb = 12.0 * overlay->scale;
	for (int side = -1; side <= 1; side += 2) {
		double a = back_rad + side * cairn_deg_to_rad(28.0);
		cairn_stroke_line(canvas, mark->tip_u, mark->tip_v, mark->tip_u + barb * cos(a),
		    mark->tip_v + barb * sin(a), stroke);
	}
}

static void draw_number(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_overlay_mark *mark)
{
	char text[16];
	double radius = disc_radius(overlay, mark);
	mark_label(text, mark);
	cairn_stroke_line(canvas, mark->tip_u, mark->tip_v, mark->disc_u, mark->disc_v,
	    &(struct cairn_stroke){(float)fmax(1.5 * overlay->scale, 1.0), cyan, 255});
	cairn_stroke_disc(canvas, mark->disc_u, mark->disc_v, radius + 1.5, mark->hidden ? cyan : black, 255);
	cairn_stroke_disc(canvas, mark->disc_u, mark->disc_v, radius - 1.0, mark->hidden ? black : cyan, 255);
	cairn_font_draw_centred(overlay->font, canvas, (int)mark->disc_u, (int)mark->disc_v, text);
}

static void draw_candidates(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_overlay_mark *marks, int count)
{
	float width = (float)fmax(3.0 * overlay->scale, 1.0);
	for (int i = count - 1; i >= 0; i--) { /* the nearest on top */
		draw_arrow(overlay, canvas, &marks[i], &(struct cairn_stroke){width + 2.0f, black, 200});
		draw_arrow(overlay, canvas, &marks[i], &(struct cairn_stroke){width, cyan, 255});
	}
	for (int i = count - 1; i >= 0; i--)
		draw_number(overlay, canvas, &marks[i]);
}

/* ---- the rest ---- */

/* LEFT, CENTRE and RIGHT of the robot: thirds where the camera looks ahead. One that looks back shows them the wrong way round, so it
 * has none. */
static void draw_sectors(const struct cairn_overlay *overlay, const struct cairn_canvas *canvas)
{
	static const char *const names[3] = {"LEFT", "CENTRE", "RIGHT"};
	const struct cairn_camera_pose *camera = &overlay->camera;
	const struct cairn_stroke line = {(float)fmax(1.5 * overlay->scale, 1.0), white, 150};
	int foot = canvas->height_px - (int)lround(18.0 * overlay->scale);
	double edge_rad = atan(camera->width_px / 6.0 / camera->focal_px);
	double left_end = camera->down[2] > 0.0 ? camera->width_px : 0.0; /* upside down */
	const double ends[4] = {left_end, direction_px(overlay, edge_rad), direction_px(overlay, -edge_rad),
	    camera->width_px - left_end};
	if (!(camera->ahead[0] > 0.0))
		return;
	for (int i = 0; i < 3; i++) {
		if (i > 0 && ends[i] > 0.0 && ends[i] < camera->width_px)
			cairn_stroke_line(canvas, ends[i], 0.0, ends[i], canvas->height_px, &line);
		if (fabs(ends[i + 1] - ends[i]) > NAME_WIDTH_PX * overlay->scale)
			cairn_font_draw_centred(
			    overlay->font, canvas, (int)(0.5 * (ends[i] + ends[i + 1])), foot, names[i]);
	}
}

struct legend {
	char *text;
	size_t used;
};

static void legend_add(struct legend *legend, const char *between, const char *words)
{
	int n = snprintf(legend->text + legend->used, CAIRN_OVERLAY_LEGEND_CAP - legend->used, "%s%s",
	    legend->used > 0 ? between : "", words);
	legend->used += (size_t)n;
	if (legend->used >= CAIRN_OVERLAY_LEGEND_CAP)
		legend->used = CAIRN_OVERLAY_LEGEND_CAP - 1;
}

static void legend_candidates(
    struct legend *legend, const struct cairn_overlay_mark *marks, int count, bool hidden, const char *words)
{
	int told = 0;
	for (int i = 0; i < count; i++) {
		char item[64];
		if (marks[i].hidden != hidden)
			continue;
		snprintf(item, sizeof(item), "%s%c%u", told++ == 0 ? words : "", marks[i].list, marks[i].id);
		legend_add(legend, told == 1 ? "; " : ", ", item);
	}
}

void cairn_overlay_draw(struct cairn_overlay *overlay, const struct cairn_canvas *canvas,
    const struct cairn_overlay_inputs *in, char legend_text[CAIRN_OVERLAY_LEGEND_CAP])
{
	const struct cairn_config *cfg = overlay->cfg;
	struct legend legend = {legend_text, 0};
	legend_text[0] = '\0';
	if (overlay->heat != NULL && in->t_depth_ns != 0) {
		cairn_heat_draw(overlay->heat, canvas, in->t_depth_ns);
	}
	if (cfg->percept.show_arcs && in->scan_fresh) {
		draw_arcs(overlay, canvas);
	}
	if (cfg->percept.show_sectors) {
		draw_sectors(overlay, canvas);
	}
	if (cfg->percept.show_candidates) {
		struct cairn_overlay_mark marks[CAIRN_OVERLAY_CANDIDATES];
		int count = cairn_overlay_marks(overlay, in, marks);
		draw_candidates(overlay, canvas, marks, count);
		legend_candidates(&legend, marks, count, false, "arrows to ");
		legend_candidates(&legend, marks, count, true, "hidden ");
	}
}
