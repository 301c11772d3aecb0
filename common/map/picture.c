#include "common/map/picture.h"

#include <cairo.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/map/picture_private.h"

#define SIZE_DEFAULT_PX 900u
#define SIZE_MAX_PX 4096u
#define CELL_PX_MAX 24.0
#define MARGIN_CELLS 4
#define PAD_PX 12.0
#define TITLE_PX 26.0
#define FOOT_PX 34.0

static const struct cairn_picture_colour UNKNOWN = {0.72, 0.74, 0.76}, PAPER = {0.93, 0.94, 0.95},
					 INK = {0.13, 0.15, 0.18}, DRIVEN = {0.16, 0.45, 0.85},
					 PLANNED = {0.85, 0.25, 0.75}, ROBOT = {0.10, 0.62, 0.25},
					 START = {0.80, 0.15, 0.15};

struct cairn_board {
	int width_px, height_px;
	cairo_surface_t *surface;
	cairo_t *cr;
	struct cairn_lettering letters;
	int *column; /* width_px + 1: first cell of each pixel's column, while a map is drawn */
};

/* The picture while it is drawn. North up means: map x goes up, map y goes left. */
struct canvas {
	const struct cairn_picture *p;
	struct cairn_board *board;
	cairo_t *cr;                  /* the board's */
	struct cairn_board_area area; /* that it takes up */
	int32_t x0, y0, x1, y1;       /* cells shown, both included */
	double scale;                 /* pixels a cell */
	double left, top;             /* of the map on the board */
};

static void use(cairo_t *cr, struct cairn_picture_colour c, double alpha)
{
	cairo_set_source_rgba(cr, c.r, c.g, c.b, alpha);
}

static void to_px(const struct canvas *c, double x_m, double y_m, double *px, double *py)
{
	const struct cairn_picture_pen pen = {
	    .p = c->p, .left = c->left, .top = c->top, .scale = c->scale, .x1 = c->x1, .y1 = c->y1};
	cairn_picture_to_px(&pen, x_m, y_m, px, py);
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
	if (cell == CAIRN_PICTURE_LOOKED)
		return 0xFFBDE5BDu;
	if (cell > 100)
		return 0xFF000000u | (uint32_t)(UNKNOWN.r * 255) << 16 | (uint32_t)(UNKNOWN.g * 255) << 8 |
		       (uint32_t)(UNKNOWN.b * 255);
	uint32_t grey = cell >= 65 ? 20u : cell <= 45 ? 255u : 255u - (uint32_t)(cell - 45) * 8u;
	return 0xFF000000u | grey << 16 | grey << 8 | grey;
}

/* What a pixel shows that covers several cells: a wall first, so that none gets lost, then free floor. */
static uint8_t cell_of_box(const struct cairn_picture *p, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
	uint8_t best = 255;
	for (int32_t y = y0 > 0 ? y0 : 0; y <= y1 && y < (int32_t)p->height; y++) {
		for (int32_t x = x0 > 0 ? x0 : 0; x <= x1 && x < (int32_t)p->width; x++) {
			uint8_t cell = p->cells[(size_t)y * p->stride_bytes + (size_t)x];
			if (cell <= 100 && (best > 100 || cell > best))
				best = cell;
			else if (cell == CAIRN_PICTURE_LOOKED && best == 255)
				best = cell;
		}
	}
	return best;
}

/* Straight into the surface and without smoothing: walls keep their edges. */
static void draw_cells(struct canvas *c)
{
	int w = (int)((c->y1 - c->y0 + 1) * c->scale), h = (int)((c->x1 - c->x0 + 1) * c->scale);
	int left = (int)c->left, top = (int)c->top, *column = c->board->column;
	cairo_surface_flush(c->board->surface);
	unsigned char *data = cairo_image_surface_get_data(c->board->surface);
	int stride = cairo_image_surface_get_stride(c->board->surface);
	for (int i = 0; i <= w; i++)
		column[i] = c->y1 - (int)(i / c->scale);
	int32_t last_x = 0, last_x_last = -1; /* of the row before: none */
	for (int row = 0; row < h; row++) {
		uint32_t *out = (uint32_t *)(void *)(data + (ptrdiff_t)(top + row) * stride) + left;
		int32_t x = c->x1 - (int)(row / c->scale), x_next = c->x1 - (int)((row + 1) / c->scale);
		int32_t x_last = x_next < x ? x_next + 1 : x;
		if (row > 0 && x == last_x && x_last == last_x_last) {
			memcpy(out, (unsigned char *)out - stride, (size_t)w * sizeof(*out));
			continue;
		}
		for (int i = 0; i < w; i++) {
			int32_t y_last = column[i + 1] < column[i] ? column[i + 1] + 1 : column[i];
			out[i] = cell_colour(cell_of_box(c->p, x_last, x, y_last, column[i]));
		}
		last_x = x;
		last_x_last = x_last;
	}
	cairo_surface_mark_dirty(c->board->surface);
}

static void draw_text(struct canvas *c, double x, double y, double size, const char *text)
{
	cairn_lettering_draw(&c->board->letters, c->cr, x, y, size, text);
}

/* Around (x, y); capitals and digits are about 0.73 of the size high. */
static void draw_centred(struct canvas *c, double x, double y, double size, const char *text)
{
	double width = cairn_lettering_width(&c->board->letters, size, text);
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

static void draw_marks(struct canvas *c)
{
	struct cairn_picture_pen pen = {
	    c->p, c->cr, &c->board->letters, c->left, c->top, c->scale, c->x1, c->y1, c->x0, c->y0};
	cairn_picture_marks(&pen);
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
		if (lengths_m[i] * pixels_m <= 0.3 * c->area.width_px) {
			length_m = lengths_m[i];
			break;
		}
	}
	double y = c->area.y_px + c->area.height_px - FOOT_PX / 2.0, x = c->area.x_px + PAD_PX;
	double bar = length_m * pixels_m;
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
	double n = c->area.x_px + c->area.width_px - PAD_PX - 10.0;
	cairo_move_to(c->cr, n, y - 11);
	cairo_line_to(c->cr, n + 6, y + 8);
	cairo_line_to(c->cr, n, y + 4);
	cairo_line_to(c->cr, n - 6, y + 8);
	cairo_close_path(c->cr);
	cairo_fill(c->cr);
	draw_centred(c, n - 18, y, 13.0, "N");
}

static double head_px(const struct cairn_picture *p)
{
	return p->title != NULL ? TITLE_PX : PAD_PX;
}

/* Pixels a cell for a map of w x h cells in a picture of this size. */
static double scale_for(const struct cairn_picture *p, int w, int h, double width_px, double height_px)
{
	double by_width = (width_px - 2 * PAD_PX) / w, by_height = (height_px - head_px(p) - FOOT_PX) / h;
	double scale = fmin(fmin(by_width, by_height), CELL_PX_MAX);
	return scale >= 4.0 ? floor(scale)
			    : scale; /* whole pixels keep cells alike; small ones need the room more */
}

/* In the middle of the area. */
static void lay_out(struct canvas *c)
{
	find_extent(c);
	int w = c->y1 - c->y0 + 1, h = c->x1 - c->x0 + 1;
	double head = head_px(c->p), room = c->area.height_px - head - FOOT_PX;
	c->scale = scale_for(c->p, w, h, c->area.width_px, c->area.height_px);
	c->left = c->area.x_px + floor((c->area.width_px - w * c->scale) / 2.0);
	c->top = c->area.y_px + head + fmax(floor((room - h * c->scale) / 2.0), 0.0);
}

/* As large as the map needs and size_px allows. */
static struct cairn_board_area fitting_area(const struct cairn_picture *p)
{
	struct canvas c = {.p = p};
	find_extent(&c);
	uint32_t size = p->size_px == 0 ? SIZE_DEFAULT_PX : p->size_px;
	size = size < 128 ? 128 : size > SIZE_MAX_PX ? SIZE_MAX_PX : size;
	int w = c.y1 - c.y0 + 1, h = c.x1 - c.x0 + 1;
	double scale = scale_for(p, w, h, size, size);
	int width = (int)ceil(w * scale + 2 * PAD_PX), height = (int)ceil(h * scale + head_px(p) + FOOT_PX);
	return (struct cairn_board_area){0, 0, width < 240 ? 240 : width, height};
}

static bool drawable(const struct cairn_picture *p, struct cairn_error *err)
{
	if (p->cells != NULL && p->width > 0 && p->height > 0 && p->stride_bytes >= p->width &&
	    p->cell_m > 0.0)
		return true;
	cairn_error_set(err, "picture: there is no map to draw");
	return false;
}

struct cairn_board *cairn_board_new(int width_px, int height_px, struct cairn_error *err)
{
	struct cairn_board *board = calloc(1, sizeof(*board));
	if (board == NULL || (board->column = malloc(((size_t)width_px + 1) * sizeof(int))) == NULL) {
		cairn_error_set(err, "picture: out of memory");
		cairn_board_destroy(&board);
		return NULL;
	}
	board->width_px = width_px;
	board->height_px = height_px;
	board->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width_px, height_px);
	board->cr = cairo_create(board->surface);
	cairo_set_line_join(board->cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_line_cap(board->cr, CAIRO_LINE_CAP_ROUND);
	cairo_status_t status = cairo_status(board->cr);
	if (status != CAIRO_STATUS_SUCCESS)
		cairn_error_set(err, "picture: %s", cairo_status_to_string(status));
	if (status != CAIRO_STATUS_SUCCESS || !cairn_lettering_open(&board->letters, err))
		cairn_board_destroy(&board);
	return board;
}

void cairn_board_destroy(struct cairn_board **board_p)
{
	struct cairn_board *board = *board_p;
	if (board == NULL)
		return;
	cairn_lettering_close(&board->letters);
	if (board->cr != NULL)
		cairo_destroy(board->cr);
	if (board->surface != NULL)
		cairo_surface_destroy(board->surface);
	free(board->column);
	free(board);
	*board_p = NULL;
}

void cairn_board_clear(struct cairn_board *board)
{
	use(board->cr, PAPER, 1.0);
	cairo_paint(board->cr);
}

bool cairn_board_draw(struct cairn_board *board, const struct cairn_picture *picture,
    const struct cairn_board_area *area, struct cairn_error *err)
{
	if (!drawable(picture, err))
		return false;
	struct canvas c = {.p = picture, .board = board, .cr = board->cr, .area = *area};
	lay_out(&c);
	draw_cells(&c);
	cairo_save(c.cr);
	cairo_rectangle(c.cr, area->x_px, area->y_px, area->width_px, area->height_px);
	cairo_clip(c.cr);
	draw_driven(&c);
	draw_planned(&c);
	draw_start(&c);
	draw_marks(&c);
	draw_robot(&c);
	draw_foot(&c);
	if (picture->title != NULL) {
		use(c.cr, INK, 1.0);
		draw_text(&c, area->x_px + PAD_PX, area->y_px + TITLE_PX - 8.0, 14.0, picture->title);
	}
	cairo_restore(c.cr);
	cairo_status_t status = cairo_status(c.cr);
	if (status != CAIRO_STATUS_SUCCESS)
		cairn_error_set(err, "picture: %s", cairo_status_to_string(status));
	return status == CAIRO_STATUS_SUCCESS;
}

void cairn_board_rgb(const struct cairn_board *board, uint8_t *rgb)
{
	cairo_surface_flush(board->surface);
	const unsigned char *data = cairo_image_surface_get_data(board->surface);
	int stride = cairo_image_surface_get_stride(board->surface);
	for (int y = 0; y < board->height_px; y++) {
		const uint32_t *in = (const uint32_t *)(const void *)(data + (ptrdiff_t)y * stride);
		for (int x = 0; x < board->width_px; x++, rgb += 3) {
			rgb[0] = (uint8_t)(in[x] >> 16);
			rgb[1] = (uint8_t)(in[x] >> 8);
			rgb[2] = (uint8_t)in[x];
		}
	}
}

/* On a board of its own; NULL with the reason. */
static struct cairn_board *draw(const struct cairn_picture *p, struct cairn_error *err)
{
	if (!drawable(p, err))
		return NULL;
	struct cairn_board_area area = fitting_area(p);
	struct cairn_board *board = cairn_board_new(area.width_px, area.height_px, err);
	if (board == NULL)
		return NULL;
	cairn_board_clear(board);
	if (!cairn_board_draw(board, p, &area, err))
		cairn_board_destroy(&board);
	return board;
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
	struct cairn_board *board = draw(picture, err);
	if (board == NULL)
		return NULL;
	struct buffer b = {0};
	cairo_status_t status = cairo_surface_write_to_png_stream(board->surface, append, &b);
	cairn_board_destroy(&board);
	if (status != CAIRO_STATUS_SUCCESS) {
		cairn_error_set(err, "picture: %s", cairo_status_to_string(status));
		free(b.data);
		return NULL;
	}
	*ret_bytes = b.count;
	return b.data;
}

bool cairn_picture_write(const struct cairn_picture *picture, const char *path, struct cairn_error *err)
{
	size_t bytes = 0;
	unsigned char *png = cairn_picture_encode(picture, &bytes, err);
	bool ok = png != NULL && cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, png, bytes, err);
	free(png);
	return ok;
}
