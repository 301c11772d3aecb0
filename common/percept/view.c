#include "common/percept/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/map/picture.h"
#include "common/percept/jpeg.h"
#include "common/explore/offered_frontiers.h"
#include "common/percept/ranges.h"
#include "common/drawing/stroke.h"

#define SIDE CAIRN_SNAPSHOT_VIEW_PX
#define SMALL 192 /* diameter of the turn beside a map */
#define RANGE_M 4.0
#define RIM_PX 6.0
#define SAME_WALL_M 0.25 /* neighbours nearer than this to one another are joined by a line */
#define FAR_M 1e5        /* nothing lies as far away */
#define TRAIL_POINTS 1024
#define TRAIL_STEP_M 0.1

struct plot {
	double x, y, radius, px_per_m; /* middle */
};

/* The part of the turn that never changes: a square of the picture with the disc, its circles and spokes. */
struct plate {
	int at, side; /* top left corner is (at, at) */
	struct plot plot;
	uint8_t *rgb;
};

struct cairn_view {
	const struct cairn_config *cfg;
	struct cairn_percept_params params;
	struct cairn_board *board;
	struct cairn_font *font;
	struct cairn_jpeg *jpeg;
	uint8_t *rgb;   /* SIDE x SIDE */
	uint8_t *cells; /* of the map */
	size_t cells_capacity;
	struct cairn_frame_header map; /* width 0: there is none */
	struct plate alone, beside;    /* without a map, with one */
	struct cairn_ranges ranges;
	struct cairn_polar scratch;
	float trail[2 * TRAIL_POINTS];
	uint32_t trail_count;
	double trail_step_m;
};

static const struct cairn_rgb night = {28, 32, 38};
static const struct cairn_rgb faint = {120, 126, 134};
static const struct cairn_rgb white = {255, 255, 255};
static const struct cairn_rgb cyan = {0, 229, 255};

static bool plate_new(struct cairn_view *view, struct plate *plate, int at, int side);

struct cairn_view *cairn_view_new(
    const struct cairn_config *cfg, const char *font_file, struct cairn_error *err)
{
	struct cairn_view *view = calloc(1, sizeof(*view));
	if (view == NULL) {
		cairn_error_set(err, "picture from above: out of memory");
		return NULL;
	}
	view->cfg = cfg;
	view->params = cairn_percept_params_from_config(cfg);
	view->trail_step_m = TRAIL_STEP_M;
	view->cells_capacity = cfg->percept.show_map ? cairn_frame_payload_max(cfg, CAIRN_FRAME_MAP_GRID) : 0;
	view->rgb = malloc((size_t)SIDE * SIDE * 3);
	view->cells = malloc(view->cells_capacity + 1);
	bool ok = view->rgb != NULL && view->cells != NULL;
	if (!ok)
		cairn_error_set(err, "picture from above: out of memory");
	ok = ok && (view->board = cairn_board_new(SIDE, SIDE, err)) != NULL;
	ok = ok && (view->font = cairn_font_new(font_file, 16.0, 1.5, err)) != NULL;
	ok = ok && (view->jpeg = cairn_jpeg_new(SIDE, SIDE, err)) != NULL;
	if (ok && cfg->percept.show_polar &&
	    (!plate_new(view, &view->alone, 0, SIDE) ||
		!plate_new(view, &view->beside, SIDE - SMALL, SMALL))) {
		cairn_error_set(err, "picture from above: out of memory");
		ok = false;
	}
	if (!ok)
		cairn_view_destroy(&view);
	return view;
}

void cairn_view_destroy(struct cairn_view **view_p)
{
	struct cairn_view *view = *view_p;
	if (view == NULL)
		return;
	cairn_board_destroy(&view->board);
	cairn_font_destroy(&view->font);
	cairn_jpeg_destroy(&view->jpeg);
	free(view->alone.rgb);
	free(view->beside.rgb);
	free(view->rgb);
	free(view->cells);
	free(view);
	*view_p = NULL;
}

/* ---- what comes in ---- */

void cairn_view_on_scan(struct cairn_view *view, const struct cairn_msg_scan *scan)
{
	cairn_ranges_from_scan(&view->ranges, scan, &view->params, &view->scratch);
}

/* Written so that NaN is not. */
static bool on_earth(double x_m, double y_m)
{
	return fabs(x_m) < FAR_M && fabs(y_m) < FAR_M;
}

/* When it is full every second point goes, and new ones come half as often. */
static void thin_trail(struct cairn_view *view)
{
	for (uint32_t i = 0; i < TRAIL_POINTS / 2; i++) {
		view->trail[2 * i] = view->trail[4 * i];
		view->trail[2 * i + 1] = view->trail[4 * i + 1];
	}
	view->trail_count = TRAIL_POINTS / 2;
	view->trail_step_m *= 2.0;
}

void cairn_view_on_pose(struct cairn_view *view, double x_m, double y_m)
{
	if (!on_earth(x_m, y_m))
		return;
	if (view->trail_count > 0) {
		const float *last = view->trail + 2 * (size_t)view->trail_count - 2;
		if (hypot(x_m - (double)last[0], y_m - (double)last[1]) < view->trail_step_m)
			return;
	}
	if (view->trail_count == TRAIL_POINTS)
		thin_trail(view);
	view->trail[2 * view->trail_count] = (float)x_m;
	view->trail[2 * view->trail_count + 1] = (float)y_m;
	view->trail_count++;
}

bool cairn_view_on_map(
    struct cairn_view *view, const struct cairn_frame_header *hdr, const void *cells, struct cairn_error *err)
{
	uint64_t bytes = (uint64_t)hdr->stride_bytes * hdr->height;
	if (hdr->format != CAIRN_FORMAT_GRID8 || hdr->t_ns <= 0 || hdr->width == 0 || hdr->height == 0 ||
	    hdr->stride_bytes < hdr->width || bytes > hdr->payload_bytes || bytes > view->cells_capacity) {
		cairn_error_set(err, "map of %u x %u cells in %u bytes, format %u", hdr->width, hdr->height,
		    hdr->payload_bytes, (unsigned)hdr->format);
		return false;
	}
	if (!isfinite(hdr->cell_m) || !(hdr->cell_m > 0.0) || !isfinite(hdr->origin_x_m) ||
	    !isfinite(hdr->origin_y_m)) {
		cairn_error_set(err, "map without a place");
		return false;
	}
	memcpy(view->cells, cells, bytes);
	view->map = *hdr;
	return true;
}

int64_t cairn_view_map_ns(const struct cairn_view *view)
{
	return view->map.t_ns;
}

/* ---- the LiDAR's turn ---- */

static void plot_point(const struct plot *p, double bearing_rad, double range_m, double *u, double *v)
{
	*u = p->x - range_m * p->px_per_m * sin(bearing_rad);
	*v = p->y - range_m * p->px_per_m * cos(bearing_rad);
}

static void draw_rings(const struct cairn_canvas *canvas, const struct plot *p)
{
	for (int k = 0; k < CAIRN_SECTOR_COUNT; k++) {
		double a = cairn_deg_to_rad(15.0 + 30.0 * k), u, v;
		const struct cairn_stroke spoke = {1.0f, faint, 120};
		plot_point(p, a, RANGE_M, &u, &v);
		cairn_stroke_line(canvas, p->x, p->y, u, v, &spoke);
	}
	for (int i = 0; i < CAIRN_RINGS; i++) {
		const struct cairn_stroke ring = {
		    (float)fmax(p->radius / 100.0, 1.5), cairn_rings[i].colour, 230};
		for (int deg = 0; deg < 360; deg += 5) {
			double au, av, bu, bv;
			plot_point(p, cairn_deg_to_rad(deg), cairn_rings[i].radius_m, &au, &av);
			plot_point(p, cairn_deg_to_rad(deg + 5), cairn_rings[i].radius_m, &bu, &bv);
			cairn_stroke_line(canvas, au, av, bu, bv, &ring);
		}
	}
}

static void draw_returns(
    const struct cairn_view *view, const struct cairn_canvas *canvas, const struct plot *p)
{
	double width = fmax(p->radius / 80.0, 1.6);
	for (int deg = 0; deg < 360; deg++) {
		double m = (double)view->ranges.m[deg], next = (double)view->ranges.m[(deg + 1) % 360];
		double au, av, bu, bv;
		if (!(m > 0.0) || m > RANGE_M)
			continue;
		plot_point(p, cairn_deg_to_rad(deg), m, &au, &av);
		cairn_stroke_disc(canvas, au, av, 0.7 * width, white, 255);
		if (!(next > 0.0) || next > RANGE_M || fabs(next - m) > SAME_WALL_M)
			continue;
		plot_point(p, cairn_deg_to_rad(deg + 1), next, &bu, &bv);
		cairn_stroke_line(canvas, au, av, bu, bv, &(struct cairn_stroke){(float)width, white, 255});
	}
}

/* Its outline from above, with a nose: which end is the front must be seen. */
static void draw_body(const struct cairn_view *view, const struct cairn_canvas *canvas, const struct plot *p)
{
	const struct cairn_footprint *body = &view->params.body;
	double front = (body->front_m - view->params.lidar.x_m) * p->px_per_m;
	double rear = (body->rear_m + view->params.lidar.x_m) * p->px_per_m;
	double half = fmax(body->half_width_m * p->px_per_m, 2.0);
	double x = p->x + view->params.lidar.y_m * p->px_per_m;
	const struct cairn_stroke trunk = {(float)(2.0 * half), cyan, 255};
	const struct cairn_stroke nose = {(float)fmax(0.5 * half, 1.5), cyan, 255};
	cairn_stroke_line(
	    canvas, x, p->y - fmax(front - half, 0.0), x, p->y + fmax(rear - half, 0.0), &trunk);
	for (int side = -1; side <= 1; side += 2)
		cairn_stroke_line(canvas, x, p->y - front - 1.6 * half, x + side * 0.9 * half,
		    p->y - front - 0.2 * half, &nose);
}

static void draw_polar(const struct cairn_view *view, const struct cairn_canvas *canvas, const struct plot *p)
{
	static const char *const names[4] = {"0\u00b0", "270\u00b0", "180\u00b0", "90\u00b0"};
	draw_returns(view, canvas, p);
	draw_body(view, canvas, p);
	for (int i = 0; i < CAIRN_RINGS && p->radius >= SMALL; i++) {
		char text[8];
		double u, v; /* behind the robot on the right, where least is looked for */
		snprintf(text, sizeof(text), "%.0fm", cairn_rings[i].radius_m);
		plot_point(p, cairn_deg_to_rad(-150.0), cairn_rings[i].radius_m - 0.25, &u, &v);
		cairn_font_draw_centred(view->font, canvas, (int)u, (int)v, text);
	}
	for (int turn = 0; turn < 4; turn++) {                    /* as the text counts: clockwise */
		double u, v, inset = turn % 2 == 0 ? 16.0 : 26.0; /* they are wider than high */
		plot_point(p, turn * M_PI / 2.0, RANGE_M * (1.0 - inset / p->radius), &u, &v);
		cairn_font_draw_centred(view->font, canvas, (int)u, (int)v, names[turn]);
	}
}

static bool plate_new(struct cairn_view *view, struct plate *plate, int at, int side)
{
	double middle = at + 0.5 * side, radius = 0.5 * side - RIM_PX;
	struct cairn_canvas canvas = {view->rgb, SIDE, SIDE, SIDE * 3};
	*plate = (struct plate){
	    at, side, {middle, middle, radius, radius / RANGE_M}, malloc((size_t)side * (size_t)side * 3)};
	if (plate->rgb == NULL)
		return false;
	cairn_board_clear(view->board);
	cairn_board_rgb(view->board, view->rgb);
	cairn_stroke_disc(&canvas, middle, middle, radius + 0.5 * RIM_PX, night, 255);
	draw_rings(&canvas, &plate->plot);
	for (int row = 0; row < side; row++)
		memcpy(plate->rgb + (size_t)row * (size_t)side * 3,
		    view->rgb + ((size_t)(at + row) * SIDE + (size_t)at) * 3, (size_t)side * 3);
	return true;
}

static void put_plate(struct cairn_view *view, const struct plate *plate)
{
	for (int row = 0; row < plate->side; row++)
		memcpy(view->rgb + ((size_t)(plate->at + row) * SIDE + (size_t)plate->at) * 3,
		    plate->rgb + (size_t)row * (size_t)plate->side * 3, (size_t)plate->side * 3);
}

/* ---- the whole ---- */

/* The map beside the turn: above it or on its left, whichever leaves the map larger. North is up, so the
 * map's width on the picture is its extent in y. */
static struct cairn_board_area map_area(const struct cairn_view *view, bool polar)
{
	const int rest = SIDE - SMALL;
	double wide = fmin((double)SIDE / view->map.height, (double)rest / view->map.width);
	double tall = fmin((double)rest / view->map.height, (double)SIDE / view->map.width);
	if (!polar)
		return (struct cairn_board_area){0, 0, SIDE, SIDE};
	return wide >= tall ? (struct cairn_board_area){0, 0, SIDE, rest}
			    : (struct cairn_board_area){0, 0, rest, SIDE};
}

/* Points of a path up to the first that lies nowhere: cairo must not see it. */
static uint32_t sound_points(const struct cairn_msg_nav_path *path)
{
	uint32_t n = 0;
	while (n < path->points_count && on_earth((double)path->points[n].x_m, (double)path->points[n].y_m))
		n++;
	return n;
}

static bool draw_map(struct cairn_view *view, const struct cairn_view_inputs *in,
    const struct cairn_board_area *area, struct cairn_error *err)
{
	struct cairn_msg_frontier offered[CAIRN_OFFER_MAX];
	struct cairn_msg_candidate
	    candidates[sizeof(in->candidates->items) / sizeof(in->candidates->items[0])];
	const struct cairn_footprint *body = &view->params.body;
	struct cairn_picture picture = {.cells = view->cells,
	    .width = view->map.width,
	    .height = view->map.height,
	    .stride_bytes = view->map.stride_bytes,
	    .cell_m = view->map.cell_m,
	    .origin_x_m = view->map.origin_x_m,
	    .origin_y_m = view->map.origin_y_m,
	    .have_robot = in->pose != NULL && on_earth(in->pose->x_m, in->pose->y_m),
	    .robot_front_m = body->front_m,
	    .robot_rear_m = body->rear_m,
	    .robot_half_width_m = body->half_width_m,
	    .have_start = true,
	    .driven = view->trail,
	    .driven_points = view->trail_count,
	    .frontiers = offered,
	    .candidates = candidates};
	if (picture.have_robot)
		picture.robot = *in->pose;
	if (in->frontiers != NULL)
		picture.frontier_count = cairn_frontiers_offered(in->frontiers, in->mission, offered);
	for (uint32_t i = picture.frontier_count; i-- > 0;) {
		if (!on_earth(offered[i].x_m, offered[i].y_m))
			offered[i] = offered[--picture.frontier_count];
	}
	for (uint32_t i = 0; in->candidates != NULL && i < in->candidates->items_count; i++) {
		const struct cairn_msg_candidate *c = &in->candidates->items[i];
		if (on_earth(c->x_m, c->y_m))
			candidates[picture.candidate_count++] = *c;
	}
	if (in->path != NULL) {
		picture.path = in->path->points;
		picture.path_points = sound_points(in->path);
	}
	if (in->mission != NULL && in->mission->goal_known &&
	    on_earth(in->mission->goal_x_m, in->mission->goal_y_m)) {
		picture.have_goal = true;
		picture.goal = (struct cairn_vec2){in->mission->goal_x_m, in->mission->goal_y_m};
	}
	return cairn_board_draw(view->board, &picture, area, err);
}

bool cairn_view_draw(struct cairn_view *view, const struct cairn_view_inputs *in,
    struct cairn_view_picture *ret, struct cairn_error *err)
{
	const struct cairn_config_percept *cfg = &view->cfg->percept;
	struct cairn_view_picture out = {.map = cfg->show_map && in->map_fresh && view->map.width > 0,
	    .polar = cfg->show_polar && in->scan_fresh};
	if (!out.map && !out.polar)
		return false;
	struct cairn_canvas canvas = {view->rgb, SIDE, SIDE, SIDE * 3};
	if (out.map) {
		struct cairn_board_area area = map_area(view, out.polar);
		cairn_board_clear(view->board);
		if (!draw_map(view, in, &area, err))
			return false;
		cairn_board_rgb(view->board, view->rgb);
	}
	if (out.polar) {
		const struct plate *plate = out.map ? &view->beside : &view->alone;
		put_plate(view, plate);
		draw_polar(view, &canvas, &plate->plot);
	}
	out.jpeg = cairn_jpeg_encode(view->jpeg, &canvas, cfg->jpeg_quality, &out.bytes, err);
	if (out.jpeg == NULL)
		return false;
	*ret = out;
	return true;
}
