#include "common/percept/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <turbojpeg.h>

#include "common/base/geom.h"

struct dial {
	int radius_px, reach_px;
	uint8_t *keep, *add; /* (2 reach + 1) squared; one allocation */
};

struct cairn_annotate {
	int width_px, height_px;
	double scale; /* 1 at 480 rows */
	struct cairn_font *font, *small;
	struct dial dial;
	tjhandle jpeg;
	uint8_t *jpeg_buf;
	unsigned long jpeg_capacity;
};

static const struct cairn_rgb white = {255, 255, 255};
static const struct cairn_rgb black = {0, 0, 0};
static const struct cairn_rgb amber = {255, 196, 0};

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

void cairn_annotate_depths(const struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    const struct cairn_depth_reading *depth)
{
	for (int p = 0; p < CAIRN_DEPTH_POINTS; p++) {
		char text[8];
		int x, y;
		cairn_depth_text(text, depth->mm[p]);
		cairn_depth_point_px(
		    (enum cairn_depth_point)p, annotate->width_px, annotate->height_px, &x, &y);
		cairn_font_draw_centred(annotate->font, canvas, x, y, text, white);
	}
}

/* ---- heading ---- */

/* Coverage of a pixel whose centre lies this far outside of a shape's edge. */
static unsigned edge_coverage(float distance_px)
{
	float c = 0.5f - distance_px;
	return c <= 0.0f ? 0 : c >= 1.0f ? 255 : (unsigned)(255.0f * c + 0.5f);
}

/* The dial without its arrow, once: a dark disc with a thin bright ring, as what to keep of the picture and
 * what to add. */
static bool dial_new(struct dial *dial, int radius_px)
{
	int reach = radius_px + 1, side = 2 * reach + 1;
	dial->radius_px = radius_px;
	dial->reach_px = reach;
	dial->keep = malloc((size_t)(side * side) * 2);
	if (dial->keep == NULL)
		return false;
	dial->add = dial->keep + side * side;
	float line = 0.06f * (float)radius_px;
	for (int dy = -reach, i = 0; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++, i++) {
			float r = sqrtf((float)(dx * dx + dy * dy)) - (float)radius_px;
			unsigned disc = edge_coverage(r) * 150 / 255,
				 ring = edge_coverage(fabsf(r + line) - line) * 220 / 255;
			dial->keep[i] = (uint8_t)((255 - disc) * (255 - ring) / 255);
			dial->add[i] = (uint8_t)ring;
		}
	}
	return true;
}

static void draw_dial(const struct dial *dial, const struct cairn_canvas *canvas, int cx, int cy)
{
	int reach = dial->reach_px;
	for (int dy = -reach, i = 0; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++, i++) {
			int x = cx + dx, y = cy + dy;
			if (dial->keep[i] == 255 || x < 0 || y < 0 || x >= canvas->width_px ||
			    y >= canvas->height_px)
				continue;
			uint8_t *px = canvas->rgb + (ptrdiff_t)y * canvas->stride_bytes + 3 * x;
			for (int c = 0; c < 3; c++)
				px[c] = (uint8_t)(px[c] * dial->keep[i] / 255 + dial->add[i]);
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
	t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
	wx -= t * s->ex;
	wy -= t * s->ey;
	return wx * wx + wy * wy;
}

/* An arrowhead with a notch, turn_rad clockwise from the top of the dial. It is symmetric, so that in its own
 * frame only the right half has to be looked at: its side from the tip to the tail, its back from the tail to
 * the notch. */
static void draw_arrow(
    const struct dial *dial, const struct cairn_canvas *canvas, int cx, int cy, double turn_rad)
{
	const float radius = (float)dial->radius_px, rim = 0.085f * radius, tip_y = -0.78f * radius,
		    tail_x = 0.50f * radius, tail_y = 0.60f * radius, notch_y = 0.30f * radius;
	const struct segment side = segment_between(0.0f, tip_y, tail_x, tail_y),
			     back = segment_between(0.0f, notch_y, tail_x, tail_y);
	const float c = (float)cos(turn_rad), s = (float)sin(turn_rad);
	int reach = (int)(0.9f * radius);
	for (int dy = -reach; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++) {
			int x = cx + dx, y = cy + dy;
			float ax = fabsf(c * (float)dx + s * (float)dy), ay = c * (float)dy - s * (float)dx;
			if (ax > tail_x + rim + 1.0f || ay < tip_y - rim - 1.0f || ay > tail_y + rim + 1.0f ||
			    x < 0 || y < 0 || x >= canvas->width_px || y >= canvas->height_px)
				continue;
			float from_side = segment_distance2(&side, ax, ay),
			      from_back = segment_distance2(&back, ax, ay);
			float d = sqrtf(from_side < from_back ? from_side : from_back);
			if (ax * side.ey < (ay - tip_y) * side.ex && (ay - notch_y) * back.ex < ax * back.ey)
				d = -d; /* inside */
			unsigned fill = edge_coverage(d);
			if (fill < 255)
				cairn_canvas_blend(canvas, x, y, black, edge_coverage(d - rim));
			cairn_canvas_blend(canvas, x, y, amber, fill);
		}
	}
}

void cairn_annotate_heading(
    const struct cairn_annotate *annotate, const struct cairn_canvas *canvas, double yaw_rad)
{
	char text[16];
	double compass = cairn_compass_deg(yaw_rad), scale = annotate->scale;
	if (!isfinite(compass))
		return;
	int radius = annotate->dial.radius_px, margin = (int)lround(12.0 * scale);
	int cx = annotate->width_px - margin - radius, cy = margin + radius + (int)lround(6.0 * scale);
	draw_dial(&annotate->dial, canvas, cx, cy);
	draw_arrow(&annotate->dial, canvas, cx, cy, -yaw_rad);
	cairn_font_draw_centred(annotate->small, canvas, cx, cy - radius, "N", white);
	snprintf(text, sizeof(text), "%s %d\u00b0", cairn_compass_point(compass), (int)lround(compass) % 360);
	int width = cairn_font_width_px(annotate->font, text);
	cairn_font_draw_centred(annotate->font, canvas, cx - radius - margin - width / 2, cy, text, white);
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
	bool drawn = dial_new(&annotate->dial, (int)lround(fmax(30.0 * annotate->scale, 8.0)));
	annotate->jpeg = tjInitCompress();
	annotate->jpeg_capacity = tjBufSize(width_px, height_px, TJSAMP_420);
	annotate->jpeg_buf = malloc(annotate->jpeg_capacity);
	if (!drawn || annotate->jpeg == NULL || annotate->jpeg_buf == NULL) {
		cairn_error_set(
		    err, "annotated picture of %d x %d pixels: out of memory", width_px, height_px);
		cairn_annotate_destroy(&annotate);
	}
	return annotate;
}

void cairn_annotate_destroy(struct cairn_annotate **annotate_p)
{
	struct cairn_annotate *annotate = *annotate_p;
	if (annotate == NULL)
		return;
	cairn_font_destroy(&annotate->font);
	cairn_font_destroy(&annotate->small);
	if (annotate->jpeg != NULL)
		tjDestroy(annotate->jpeg);
	free(annotate->dial.keep);
	free(annotate->jpeg_buf);
	free(annotate);
	*annotate_p = NULL;
}

const uint8_t *cairn_annotate_jpeg(struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    int quality, size_t *ret_bytes, struct cairn_error *err)
{
	unsigned long bytes = annotate->jpeg_capacity;
	unsigned char *buf = annotate->jpeg_buf;
	if (tjCompress2(annotate->jpeg, canvas->rgb, canvas->width_px, canvas->stride_bytes,
		canvas->height_px, TJPF_RGB, &buf, &bytes, TJSAMP_420, quality, TJFLAG_NOREALLOC) != 0) {
		cairn_error_set(err, "JPEG: %s", tjGetErrorStr2(annotate->jpeg));
		return NULL;
	}
	*ret_bytes = bytes;
	return buf;
}
