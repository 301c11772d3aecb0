#include "common/percept/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/percept/jpeg.h"

struct dial {
	int radius_px, reach_px;
	uint8_t *keep, *add; /* (2 reach + 1) squared, three times each, once a colour; one allocation */
};

/* What lay under a drawing. */
struct patch {
	struct cairn_box box;
	uint8_t *rgb; /* rows of the box, without gaps */
};

enum {
	PATCH_DIAL = CAIRN_DEPTH_POINTS, /* those of the depths come before */
	PATCH_NORTH,
	PATCH_HEADING,
	PATCHES
};

#define WIDEST_LABEL "WWWWWWWW" /* of what is written here: "NW 359\u00b0" */
#define ARROW_RUN 64            /* pixels of a row looked at together */

struct cairn_annotate {
	int width_px, height_px;
	double scale; /* 1 at 480 rows */
	struct cairn_font *font, *small;
	struct dial dial;
	struct patch patches[PATCHES]; /* empty box: nothing drawn */
	size_t patch_bytes;            /* room of each */
	struct cairn_jpeg *jpeg;
};

static const struct cairn_rgb black = {0, 0, 0};
static const struct cairn_rgb amber = {255, 196, 0};

/* ---- what lies under a drawing ---- */

static int clamp(int value, int max)
{
	return value < 0 ? 0 : value > max ? max : value;
}

/* Remembers what lies there. False when there is no room for it: then nothing may be drawn. */
static bool keep_patch(
    struct cairn_annotate *annotate, int which, const struct cairn_canvas *canvas, struct cairn_box box)
{
	struct patch *patch = &annotate->patches[which];
	box = (struct cairn_box){clamp(box.x0, canvas->width_px), clamp(box.y0, canvas->height_px),
	    clamp(box.x1, canvas->width_px), clamp(box.y1, canvas->height_px)};
	patch->box = (struct cairn_box){0};
	if (box.x0 >= box.x1 || box.y0 >= box.y1)
		return true;
	size_t row = 3 * (size_t)(box.x1 - box.x0);
	if (row * (size_t)(box.y1 - box.y0) > annotate->patch_bytes)
		return false;
	patch->box = box;
	for (int y = box.y0; y < box.y1; y++)
		memcpy(patch->rgb + (size_t)(y - box.y0) * row,
		    canvas->rgb + (ptrdiff_t)y * canvas->stride_bytes + 3 * box.x0, row);
	return true;
}

static void put_back(struct patch *patch, const struct cairn_canvas *canvas)
{
	size_t row = 3 * (size_t)(patch->box.x1 - patch->box.x0);
	for (int y = patch->box.y0; y < patch->box.y1; y++)
		memcpy(canvas->rgb + (ptrdiff_t)y * canvas->stride_bytes + 3 * patch->box.x0,
		    patch->rgb + (size_t)(y - patch->box.y0) * row, row);
	patch->box = (struct cairn_box){0};
}

void cairn_annotate_undo(struct cairn_annotate *annotate, const struct cairn_canvas *canvas)
{
	for (int i = PATCHES - 1; i >= 0; i--) /* backwards: they may overlap */
		put_back(&annotate->patches[i], canvas);
}

static bool patches_new(struct cairn_annotate *annotate)
{
	struct cairn_box label = cairn_font_box(annotate->font, 0, 0, WIDEST_LABEL);
	size_t side = 2 * (size_t)annotate->dial.reach_px + 1,
	       area = (size_t)(label.x1 - label.x0) * (size_t)(label.y1 - label.y0);
	annotate->patch_bytes = 3 * (area > side * side ? area : side * side);
	uint8_t *rgb = malloc(PATCHES * annotate->patch_bytes);
	for (int i = 0; i < PATCHES && rgb != NULL; i++)
		annotate->patches[i].rgb = rgb + (size_t)i * annotate->patch_bytes;
	return rgb != NULL;
}

static void draw_label(struct cairn_annotate *annotate, int which, const struct cairn_font *font,
    const struct cairn_canvas *canvas, int x, int y, const char *text)
{
	if (keep_patch(annotate, which, canvas, cairn_font_box(font, x, y, text)))
		cairn_font_draw_centred(font, canvas, x, y, text);
}

/* ---- depths ---- */

void cairn_depth_point_px(enum cairn_depth_point point, int width_px, int height_px, int *ret_x, int *ret_y)
{
	static const struct {
		int x, y;
	} at_640x480[CAIRN_DEPTH_POINTS] = {
	    [CAIRN_DEPTH_CENTRE] = {320, 240},
	    [CAIRN_DEPTH_LEFT] = {160, 240},
	    [CAIRN_DEPTH_RIGHT] = {480, 240},
	    [CAIRN_DEPTH_FLOOR] = {320, 400},
	    [CAIRN_DEPTH_UPPER_LEFT] = {160, 120},
	    [CAIRN_DEPTH_UPPER_RIGHT] = {480, 120},
	    [CAIRN_DEPTH_UPPER_CENTRE] = {320, 100},
	};
	*ret_x = at_640x480[point].x * width_px / 640;
	*ret_y = at_640x480[point].y * height_px / 480;
}

static uint16_t median_mm(
    const uint8_t *pixels, int width_px, int height_px, size_t stride_bytes, int x, int y)
{
	uint16_t valid[25];
	int count = 0;
	for (int row = y > 2 ? y - 2 : 0; row <= y + 2 && row < height_px; row++) {
		for (int col = x > 2 ? x - 2 : 0; col <= x + 2 && col < width_px; col++) {
			uint16_t mm;
			memcpy(&mm, pixels + (size_t)row * stride_bytes + (size_t)col * 2, 2);
			if (mm < CAIRN_DEPTH_VALID_MIN_MM || mm > CAIRN_DEPTH_VALID_MAX_MM)
				continue;
			int at = count++; /* insertion: 25 values at most */
			for (; at > 0 && valid[at - 1] > mm; at--)
				valid[at] = valid[at - 1];
			valid[at] = mm;
		}
	}
	return count > 0 ? valid[(count - 1) / 2] : 0;
}

void cairn_depth_read(struct cairn_depth_reading *out, const void *pixels, int width_px, int height_px,
    size_t stride_bytes, int64_t t_ns)
{
	*out = (struct cairn_depth_reading){.t_ns = t_ns, .width_px = width_px, .height_px = height_px};
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		int x, y;
		cairn_depth_point_px((enum cairn_depth_point)p, width_px, height_px, &x, &y);
		out->mm[p] = median_mm(pixels, width_px, height_px, stride_bytes, x, y);
	}
}

void cairn_depth_text(char text[8], uint16_t mm)
{
	if (mm == 0)
		memcpy(text, "--", 3);
	else
		snprintf(text, 8, "%d.%dm", (mm + 50) / 1000, (mm + 50) / 100 % 10);
}

void cairn_annotate_depths(struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    const struct cairn_depth_reading *depth)
{
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		char text[8];
		int x, y;
		cairn_depth_text(text, depth->mm[p]);
		cairn_depth_point_px(
		    (enum cairn_depth_point)p, annotate->width_px, annotate->height_px, &x, &y);
		draw_label(annotate, p, annotate->font, canvas, x, y, text);
	}
}

/* ---- heading ---- */

/* Coverage of a pixel whose centre lies this far outside of a shape's edge, 0..255. */
static inline int edge_coverage(float distance_px)
{
	float c = 0.5f - distance_px;
	c = c < 0.0f ? 0.0f : c;
	c = c > 1.0f ? 1.0f : c;
	return (int)(255.0f * c + 0.5f);
}

/* The dial without its arrow, once: a dark disc with a thin bright ring, as what to keep of the picture and
 * what to add. */
static bool dial_new(struct dial *dial, int radius_px)
{
	int reach = radius_px + 1, side = 2 * reach + 1;
	dial->radius_px = radius_px;
	dial->reach_px = reach;
	size_t bytes = 3 * (size_t)side * (size_t)side;
	dial->keep = malloc(bytes * 2);
	if (dial->keep == NULL)
		return false;
	dial->add = dial->keep + bytes;
	float line = 0.06f * (float)radius_px;
	for (int dy = -reach, i = 0; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++, i += 3) {
			float r = sqrtf((float)(dx * dx + dy * dy)) - (float)radius_px;
			int disc = edge_coverage(r) * 150 / 255,
			    ring = edge_coverage(fabsf(r + line) - line) * 220 / 255;
			memset(dial->keep + i, (255 - disc) * (255 - ring) / 255, 3);
			memset(dial->add + i, ring, 3);
		}
	}
	return true;
}

static void draw_dial(const struct dial *dial, const struct cairn_canvas *canvas, int cx, int cy)
{
	int reach = dial->reach_px, side = 2 * reach + 1;
	int x0 = clamp(cx - reach, canvas->width_px), x1 = clamp(cx + reach + 1, canvas->width_px);
	for (int dy = -reach; dy <= reach; dy++) {
		int y = cy + dy;
		if (y < 0 || y >= canvas->height_px)
			continue;
		ptrdiff_t at = 3 * ((ptrdiff_t)(dy + reach) * side + x0 - (cx - reach));
		const uint8_t *keep = dial->keep + at, *add = dial->add + at;
		uint8_t *px = canvas->rgb + (ptrdiff_t)y * canvas->stride_bytes + 3 * x0;
		for (int i = 0; i < 3 * (x1 - x0); i++) {
			uint16_t v = (uint16_t)(px[i] * keep[i]); /* exact division by 255, rounded down */
			px[i] = (uint8_t)(((uint16_t)(v + 1 + (v >> 8)) >> 8) + add[i]);
		}
	}
}

/* A straight line between two points, made ready to be asked for distances. */
struct segment {
	float x, y, ex, ey, inverse_length2;
};

static struct segment segment_between(float ax, float ay, float bx, float by)
{
	float ex = bx - ax, ey = by - ay;
	return (struct segment){ax, ay, ex, ey, 1.0f / (ex * ex + ey * ey)};
}

static inline float segment_distance2(const struct segment *s, float x, float y)
{
	float wx = x - s->x, wy = y - s->y, t = (wx * s->ex + wy * s->ey) * s->inverse_length2;
	t = t < 0.0f ? 0.0f : t;
	t = t > 1.0f ? 1.0f : t;
	wx -= t * s->ex;
	wy -= t * s->ey;
	return wx * wx + wy * wy;
}

struct arrow {
	float rim, tip_y, notch_y, c, s;
	struct segment side, back;
};

/* Coverage of the arrow and of it with its rim, for a run of pixels of one row. In its own frame the arrow is
 * symmetric, so that only the right half has to be looked at: its side from the tip to the tail, its back
 * from the tail to the notch. Free of branches, for vectors. */
static void cover_run(
    const struct arrow *arrow, uint8_t *fill, uint8_t *rim, int count, float from_dx, float dy)
{
	const struct segment side = arrow->side, back = arrow->back;
	for (int i = 0; i < count; i++) {
		float dx = from_dx + (float)i;
		float ax = fabsf(arrow->c * dx + arrow->s * dy), ay = arrow->c * dy - arrow->s * dx;
		float from_side = segment_distance2(&side, ax, ay),
		      from_back = segment_distance2(&back, ax, ay);
		float d = sqrtf(from_side < from_back ? from_side : from_back);
		bool inside = (ax * side.ey < (ay - arrow->tip_y) * side.ex) &
			      ((ay - arrow->notch_y) * back.ex < ax * back.ey);
		d *= inside ? -1.0f : 1.0f;
		fill[i] = (uint8_t)edge_coverage(d);
		rim[i] = (uint8_t)edge_coverage(d - arrow->rim);
	}
}

/* An arrowhead with a notch, turn_rad clockwise from the top of the dial. */
static void draw_arrow(
    const struct dial *dial, const struct cairn_canvas *canvas, int cx, int cy, double turn_rad)
{
	const float radius = (float)dial->radius_px, tip_y = -0.78f * radius, tail_x = 0.50f * radius,
		    tail_y = 0.60f * radius, notch_y = 0.30f * radius;
	const struct arrow arrow = {0.085f * radius, tip_y, notch_y, (float)cos(turn_rad),
	    (float)sin(turn_rad), segment_between(0.0f, tip_y, tail_x, tail_y),
	    segment_between(0.0f, notch_y, tail_x, tail_y)};
	int reach = (int)(0.9f * radius);
	int x0 = clamp(cx - reach, canvas->width_px), x1 = clamp(cx + reach + 1, canvas->width_px);
	int y0 = clamp(cy - reach, canvas->height_px), y1 = clamp(cy + reach + 1, canvas->height_px);
	uint8_t fill[ARROW_RUN], rim[ARROW_RUN];
	for (int y = y0; y < y1; y++) {
		for (int x = x0; x < x1; x += ARROW_RUN) {
			int count = x1 - x < ARROW_RUN ? x1 - x : ARROW_RUN;
			cover_run(&arrow, fill, rim, count, (float)(x - cx), (float)(y - cy));
			for (int i = 0; i < count; i++) {
				if (rim[i] == 0)
					continue;
				if (fill[i] < 255)
					cairn_canvas_blend(canvas, x + i, y, black, rim[i]);
				cairn_canvas_blend(canvas, x + i, y, amber, fill[i]);
			}
		}
	}
}

void cairn_annotate_heading(
    struct cairn_annotate *annotate, const struct cairn_canvas *canvas, double yaw_rad)
{
	char text[16];
	double compass = cairn_compass_deg(yaw_rad), scale = annotate->scale;
	if (!isfinite(compass))
		return;
	int radius = annotate->dial.radius_px, margin = (int)lround(12.0 * scale);
	int cx = annotate->width_px - margin - radius, cy = margin + radius + (int)lround(6.0 * scale);
	int reach = annotate->dial.reach_px;
	if (keep_patch(annotate, PATCH_DIAL, canvas,
		(struct cairn_box){cx - reach, cy - reach, cx + reach + 1, cy + reach + 1})) {
		draw_dial(&annotate->dial, canvas, cx, cy);
		draw_arrow(&annotate->dial, canvas, cx, cy, -yaw_rad);
	}
	draw_label(annotate, PATCH_NORTH, annotate->small, canvas, cx, cy - radius, "N");
	snprintf(text, sizeof(text), "%s %d\u00b0", cairn_compass_point(compass),
	    cairn_compass_whole_deg(yaw_rad));
	int width = cairn_font_width_px(annotate->font, text);
	draw_label(
	    annotate, PATCH_HEADING, annotate->font, canvas, cx - radius - margin - width / 2, cy, text);
}

/* ---- picture ---- */

struct cairn_annotate *cairn_annotate_new(
    const char *font_file, int width_px, int height_px, struct cairn_error *err)
{
	struct cairn_annotate *annotate = calloc(1, sizeof(*annotate));
	if (annotate == NULL) {
		cairn_error_set(err, "annotated picture: out of memory");
		return NULL;
	}
	annotate->width_px = width_px;
	annotate->height_px = height_px;
	annotate->scale = fmin(width_px / 640.0, height_px / 480.0);
	double size_px = fmax(24.0 * annotate->scale, 8.0);
	annotate->font = cairn_font_new(font_file, size_px, size_px / 11.0, err);
	if (annotate->font != NULL)
		annotate->small = cairn_font_new(font_file, size_px * 0.62, size_px / 14.0, err);
	if (annotate->small == NULL) {
		cairn_annotate_destroy(&annotate);
		return NULL;
	}
	bool drawn = dial_new(&annotate->dial, (int)lround(fmax(30.0 * annotate->scale, 8.0))) &&
		     patches_new(annotate);
	if (!drawn)
		cairn_error_set(
		    err, "annotated picture of %d x %d pixels: out of memory", width_px, height_px);
	else
		annotate->jpeg = cairn_jpeg_new(width_px, height_px, err);
	if (annotate->jpeg == NULL)
		cairn_annotate_destroy(&annotate);
	return annotate;
}

void cairn_annotate_destroy(struct cairn_annotate **annotate_p)
{
	struct cairn_annotate *annotate = *annotate_p;
	if (annotate == NULL)
		return;
	cairn_font_destroy(&annotate->font);
	cairn_font_destroy(&annotate->small);
	cairn_jpeg_destroy(&annotate->jpeg);
	free(annotate->dial.keep);
	free(annotate->patches[0].rgb);
	free(annotate);
	*annotate_p = NULL;
}

const uint8_t *cairn_annotate_jpeg(struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    int quality, size_t *ret_bytes, struct cairn_error *err)
{
	return cairn_jpeg_encode(annotate->jpeg, canvas, quality, ret_bytes, err);
}
