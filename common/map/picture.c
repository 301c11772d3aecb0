#include "common/map/picture.h"

#include <cairo.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/map/lettering.h"

#define SIZE_DEFAULT_PX 900u
#define SIZE_MAX_PX 4096u
#define CELL_PX_MAX 24.0
#define MARGIN_CELLS 4
#define PAD_PX 12.0
#define TITLE_PX 26.0
#define FOOT_PX 34.0

struct colour {
	double r, g, b;
};

static const struct colour UNKNOWN = {0.72, 0.74, 0.76}, PAPER = {0.93, 0.94, 0.95}, INK = {0.13, 0.15, 0.18},
			   DRIVEN = {0.16, 0.45, 0.85}, PLANNED = {0.85, 0.25, 0.75},
			   FRONTIER = {0.93, 0.49, 0.10}, AWAY = {0.55, 0.45, 0.40},
			   ROBOT = {0.10, 0.62, 0.25}, START = {0.80, 0.15, 0.15};

/* The picture while it is drawn. North up means: map x goes up, map y goes left. */
struct canvas {
	const struct cairn_picture *p;
	cairo_t *cr;
	struct cairn_lettering letters;
	int32_t x0, y0, x1, y1; /* cells shown, both included */
	double scale;           /* pixels a cell */
	double left, top;       /* of the map on the picture */
	int width_px, height_px;
};

static void use(cairo_t *cr, struct colour c, double alpha)
{
	cairo_set_source_rgba(cr, c.r, c.g, c.b, alpha);
}

static void to_px(const struct canvas *c, double x_m, double y_m, double *px, double *py)
{
	double cx = (x_m - c->p->origin_x_m) / c->p->cell_m, cy = (y_m - c->p->origin_y_m) / c->p->cell_m;
	*px = c->left + (c->y1 + 1 - cy) * c->scale;
	*py = c->top + (c->x1 + 1 - cx) * c->scale;
}

/* The known part with a margin; the whole grid when nothing is known. */
static void find_extent(struct canvas *c)
{
	const struct cairn_picture *p = c->p;
	int32_t w = (int32_t)p->width, h = (int32_t)p->height;
	c->x0 = w, c->y0 = h, c->x1 = -1, c->y1 = -1;
	for (int32_t y = 0; y < h; y++) {
		const uint8_t *row = p->cells + (size_t)y * p->stride_bytes;
		for (int32_t x = 0; x < w; x++) {
			if (row[x] > 100)
				continue;
			c->x0 = x < c->x0 ? x : c->x0;
			c->x1 = x > c->x1 ? x : c->x1;
			c->y0 = y < c->y0 ? y : c->y0;
			c->y1 = y > c->y1 ? y : c->y1;
		}
	}
	if (c->x1 < 0) {
		c->x0 = c->y0 = 0;
		c->x1 = w - 1;
		c->y1 = h - 1;
	}
	c->x0 -= MARGIN_CELLS;
	c->y0 -= MARGIN_CELLS;
	c->x1 += MARGIN_CELLS;
	c->y1 += MARGIN_CELLS;
}

static uint32_t cell_colour(uint8_t cell)
{
	if (cell > 100)
		return 0xFF000000u | (uint32_t)(UNKNOWN.r * 255) << 16 | (uint32_t)(UNKNOWN.g * 255) << 8 |
		       (uint32_t)(UNKNOWN.b * 255);
	uint32_t grey = cell >= 65 ? 20u : cell <= 45 ? 255u : 255u - (uint32_t)(cell - 45) * 8u;
	return 0xFF000000u | grey << 16 | grey << 8 | grey;
}

/* The cells as a small image, scaled up without smoothing: walls keep their edges. */
static bool draw_cells(struct canvas *c, struct cairn_error *err)
{
	int w = c->y1 - c->y0 + 1, h = c->x1 - c->x0 + 1;
	cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
	if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
		cairn_error_set(err, "picture: %s", cairo_status_to_string(cairo_surface_status(image)));
		cairo_surface_destroy(image);
		return false;
	}
	unsigned char *data = cairo_image_surface_get_data(image);
	int stride = cairo_image_surface_get_stride(image);
	for (int row = 0; row < h; row++) {
		uint32_t *out = (uint32_t *)(void *)(data + (ptrdiff_t)row * stride);
		int32_t x = c->x1 - row;
		for (int col = 0; col < w; col++) {
			int32_t y = c->y1 - col;
			bool in = x >= 0 && y >= 0 && x < (int32_t)c->p->width && y < (int32_t)c->p->height;
			out[col] =
			    cell_colour(in ? c->p->cells[(size_t)y * c->p->stride_bytes + (size_t)x] : 255);
		}
	}
	cairo_surface_mark_dirty(image);
	cairo_save(c->cr);
	cairo_translate(c->cr, c->left, c->top);
	cairo_scale(c->cr, c->scale, c->scale);
	cairo_set_source_surface(c->cr, image, 0, 0);
	cairo_pattern_set_filter(cairo_get_source(c->cr), CAIRO_FILTER_NEAREST);
	cairo_paint(c->cr);
	cairo_restore(c->cr);
	cairo_surface_destroy(image);
	return true;
}

static void draw_text(struct canvas *c, double x, double y, double size, const char *text)
{
	cairn_lettering_draw(&c->letters, c->cr, x, y, size, text);
}

/* Around (x, y); capitals and digits are about 0.73 of the size high. */
static void draw_centred(struct canvas *c, double x, double y, double size, const char *text)
{
	double width = cairn_lettering_width(&c->letters, size, text);
	draw_text(c, x - width / 2, y + 0.365 * size, size, text);
}

static void draw_driven(struct canvas *c)
{
	if (c->p->driven == NULL || c->p->driven_points < 2)
		return;
	for (uint32_t i = 0; i < c->p->driven_points; i++) {
		double x, y;
		to_px(c, (double)c->p->driven[2 * i], (double)c->p->driven[2 * i + 1], &x, &y);
		if (i == 0)
			cairo_move_to(c->cr, x, y);
		else
			cairo_line_to(c->cr, x, y);
	}
	use(c->cr, DRIVEN, 0.85);
	cairo_set_line_width(c->cr, 2.0);
	cairo_stroke(c->cr);
}

static void draw_planned(struct canvas *c)
{
	if (c->p->path == NULL || c->p->path_points < 2)
		return;
	const double dash[2] = {7.0, 5.0};
	for (uint32_t i = 0; i < c->p->path_points; i++) {
		double x, y;
		to_px(c, (double)c->p->path[i].x_m, (double)c->p->path[i].y_m, &x, &y);
		if (i == 0)
			cairo_move_to(c->cr, x, y);
		else
			cairo_line_to(c->cr, x, y);
	}
	use(c->cr, PLANNED, 0.95);
	cairo_set_line_width(c->cr, 2.5);
	cairo_set_dash(c->cr, dash, 2, 0.0);
	cairo_stroke(c->cr);
	cairo_set_dash(c->cr, NULL, 0, 0.0);
}

/* A numbered disc; out of reach ones are brown. */
static void draw_frontiers(struct canvas *c)
{
	for (uint32_t i = 0; c->p->frontiers != NULL && i < c->p->frontier_count; i++) {
		const struct cairn_msg_frontier *f = &c->p->frontiers[i];
		double x, y;
		char text[16];
		to_px(c, f->x_m, f->y_m, &x, &y);
		snprintf(text, sizeof(text), "%u", f->id);
		double radius = strlen(text) > 2 ? 14.0 : 11.0;
		cairo_new_path(c->cr);
		cairo_arc(c->cr, x, y, radius, 0.0, 2.0 * M_PI);
		use(c->cr, f->distance_m >= 0.0 ? FRONTIER : AWAY, 0.92);
		cairo_fill_preserve(c->cr);
		cairo_set_source_rgb(c->cr, 1, 1, 1);
		cairo_set_line_width(c->cr, 1.5);
		cairo_stroke(c->cr);
		cairo_set_source_rgb(c->cr, 1, 1, 1);
		draw_centred(c, x, y, 12.0, text);
	}
}

static void draw_start(struct canvas *c)
{
	if (!c->p->have_start)
		return;
	double x, y;
	to_px(c, 0.0, 0.0, &x, &y);
	use(c->cr, START, 1.0);
	cairo_set_line_width(c->cr, 3.0);
	cairo_move_to(c->cr, x - 7, y - 7);
	cairo_line_to(c->cr, x + 7, y + 7);
	cairo_move_to(c->cr, x + 7, y - 7);
	cairo_line_to(c->cr, x - 7, y + 7);
	cairo_stroke(c->cr);
}

/* The footprint, and an arrow ahead that is seen even where the footprint is a few pixels. */
static void draw_robot(struct canvas *c)
{
	const struct cairn_picture *p = c->p;
	if (!p->have_robot)
		return;
	double x, y, pixels_m = c->scale / p->cell_m;
	to_px(c, p->robot.x_m, p->robot.y_m, &x, &y);
	cairo_save(c->cr);
	cairo_translate(c->cr, x, y);
	cairo_rotate(c->cr, -p->robot.yaw_rad); /* forward is up at yaw 0 */
	double half = p->robot_half_width_m * pixels_m, front = p->robot_front_m * pixels_m;
	double rear = p->robot_rear_m * pixels_m;
	if (half > 0.0) {
		cairo_rectangle(c->cr, -half, -front, 2 * half, front + rear);
		use(c->cr, ROBOT, 0.45);
		cairo_fill_preserve(c->cr);
		use(c->cr, ROBOT, 1.0);
		cairo_set_line_width(c->cr, 1.5);
		cairo_stroke(c->cr);
	}
	double mid = (rear - front) / 2.0;
	cairo_move_to(c->cr, 0.0, mid - 15.0);
	cairo_line_to(c->cr, 8.5, mid + 9.0);
	cairo_line_to(c->cr, 0.0, mid + 4.0);
	cairo_line_to(c->cr, -8.5, mid + 9.0);
	cairo_close_path(c->cr);
	use(c->cr, ROBOT, 1.0);
	cairo_fill_preserve(c->cr);
	cairo_set_source_rgb(c->cr, 1, 1, 1);
	cairo_set_line_width(c->cr, 1.2);
	cairo_stroke(c->cr);
	cairo_restore(c->cr);
}

/* Scale bar on the left, north arrow on the right. */
static void draw_foot(struct canvas *c)
{
	static const double lengths_m[] = {20.0, 10.0, 5.0, 2.0, 1.0, 0.5};
	double pixels_m = c->scale / c->p->cell_m, length_m = 0.5;
	for (size_t i = 0; i < sizeof(lengths_m) / sizeof(lengths_m[0]); i++) {
		if (lengths_m[i] * pixels_m <= 0.3 * c->width_px) {
			length_m = lengths_m[i];
			break;
		}
	}
	double y = c->height_px - FOOT_PX / 2.0, x = PAD_PX, bar = length_m * pixels_m;
	use(c->cr, INK, 1.0);
	cairo_set_line_width(c->cr, 2.0);
	cairo_move_to(c->cr, x, y - 5);
	cairo_line_to(c->cr, x, y + 5);
	cairo_move_to(c->cr, x, y);
	cairo_line_to(c->cr, x + bar, y);
	cairo_move_to(c->cr, x + bar, y - 5);
	cairo_line_to(c->cr, x + bar, y + 5);
	cairo_stroke(c->cr);
	char text[32];
	snprintf(text, sizeof(text), "%g m", length_m);
	draw_text(c, x + bar + 8, y + 5, 13.0, text);
	double n = c->width_px - PAD_PX - 10.0;
	cairo_move_to(c->cr, n, y - 11);
	cairo_line_to(c->cr, n + 6, y + 8);
	cairo_line_to(c->cr, n, y + 4);
	cairo_line_to(c->cr, n - 6, y + 8);
	cairo_close_path(c->cr);
	cairo_fill(c->cr);
	draw_centred(c, n - 18, y, 13.0, "N");
}

static void lay_out(struct canvas *c)
{
	find_extent(c);
	uint32_t size = c->p->size_px == 0 ? SIZE_DEFAULT_PX : c->p->size_px;
	size = size < 128 ? 128 : size > SIZE_MAX_PX ? SIZE_MAX_PX : size;
	int w = c->y1 - c->y0 + 1, h = c->x1 - c->x0 + 1;
	double head = c->p->title != NULL ? TITLE_PX : PAD_PX;
	double by_width = (size - 2 * PAD_PX) / w, by_height = (size - head - FOOT_PX) / h;
	c->scale = fmin(fmin(by_width, by_height), CELL_PX_MAX);
	c->scale = c->scale > 1.0 ? floor(c->scale) : c->scale; /* whole pixels keep cells alike */
	c->left = PAD_PX;
	c->top = head;
	c->width_px = (int)ceil(w * c->scale + 2 * PAD_PX);
	c->width_px = c->width_px < 240 ? 240 : c->width_px;
	c->height_px = (int)ceil(h * c->scale + head + FOOT_PX);
	c->left = floor((c->width_px - w * c->scale) / 2.0);
}

static cairo_surface_t *draw(const struct cairn_picture *p, struct cairn_error *err)
{
	if (p->cells == NULL || p->width == 0 || p->height == 0 || p->stride_bytes < p->width ||
	    !(p->cell_m > 0.0)) {
		cairn_error_set(err, "picture: there is no map to draw");
		return NULL;
	}
	struct canvas c = {.p = p};
	lay_out(&c);
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, c.width_px, c.height_px);
	c.cr = cairo_create(surface);
	use(c.cr, PAPER, 1.0);
	cairo_paint(c.cr);
	cairo_set_line_join(c.cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_line_cap(c.cr, CAIRO_LINE_CAP_ROUND);
	bool ok = cairn_lettering_open(&c.letters, err) && draw_cells(&c, err);
	draw_driven(&c);
	draw_planned(&c);
	draw_start(&c);
	draw_frontiers(&c);
	draw_robot(&c);
	draw_foot(&c);
	if (p->title != NULL) {
		use(c.cr, INK, 1.0);
		draw_text(&c, PAD_PX, TITLE_PX - 8.0, 14.0, p->title);
	}
	cairo_status_t status = cairo_status(c.cr);
	if (status != CAIRO_STATUS_SUCCESS)
		cairn_error_set(err, "picture: %s", cairo_status_to_string(status));
	cairo_destroy(c.cr);
	cairn_lettering_close(&c.letters);
	if (ok && status == CAIRO_STATUS_SUCCESS)
		return surface;
	cairo_surface_destroy(surface);
	return NULL;
}

bool cairn_picture_write(const struct cairn_picture *picture, const char *path, struct cairn_error *err)
{
	cairo_surface_t *surface = draw(picture, err);
	if (surface == NULL)
		return false;
	cairo_status_t status = cairo_surface_write_to_png(surface, path);
	cairo_surface_destroy(surface);
	if (status != CAIRO_STATUS_SUCCESS)
		cairn_error_set(err, "%s: %s", path,
		    status == CAIRO_STATUS_WRITE_ERROR ? strerror(errno) : cairo_status_to_string(status));
	return status == CAIRO_STATUS_SUCCESS;
}

struct buffer {
	unsigned char *data;
	size_t count, capacity;
};

static cairo_status_t append(void *ctx, const unsigned char *data, unsigned int bytes)
{
	struct buffer *b = ctx;
	if (b->count + bytes > b->capacity) {
		size_t room = 2 * (b->count + bytes) + 65536;
		unsigned char *grown = realloc(b->data, room);
		if (grown == NULL)
			return CAIRO_STATUS_NO_MEMORY;
		b->data = grown;
		b->capacity = room;
	}
	memcpy(b->data + b->count, data, bytes);
	b->count += bytes;
	return CAIRO_STATUS_SUCCESS;
}

unsigned char *cairn_picture_encode(
    const struct cairn_picture *picture, size_t *ret_bytes, struct cairn_error *err)
{
	cairo_surface_t *surface = draw(picture, err);
	if (surface == NULL)
		return NULL;
	struct buffer b = {0};
	cairo_status_t status = cairo_surface_write_to_png_stream(surface, append, &b);
	cairo_surface_destroy(surface);
	if (status != CAIRO_STATUS_SUCCESS) {
		cairn_error_set(err, "picture: %s", cairo_status_to_string(status));
		free(b.data);
		return NULL;
	}
	*ret_bytes = b.count;
	return b.data;
}
