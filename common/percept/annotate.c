#include "common/percept/annotate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <turbojpeg.h>

#include "common/base/geom.h"

struct cairn_annotate {
	int width_px, height_px;
	double scale; /* 1 at 480 rows */
	struct cairn_font *font, *small;
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

/* Signed distance to a closed polygon, negative inside (even-odd rule), in the units of the points. */
static double polygon_distance(const struct cairn_vec2 *v, int count, double x, double y)
{
	double best = INFINITY;
	bool inside = false;
	for (int i = 0, j = count - 1; i < count; j = i++) {
		double ex = v[j].x_m - v[i].x_m, ey = v[j].y_m - v[i].y_m;
		double wx = x - v[i].x_m, wy = y - v[i].y_m;
		double t = cairn_clamp((wx * ex + wy * ey) / (ex * ex + ey * ey), 0.0, 1.0);
		best = fmin(best, (wx - t * ex) * (wx - t * ex) + (wy - t * ey) * (wy - t * ey));
		if ((v[i].y_m > y) != (v[j].y_m > y) && x < v[i].x_m + ex * (y - v[i].y_m) / ey)
			inside = !inside;
	}
	return inside ? -sqrt(best) : sqrt(best);
}

/* Coverage of a pixel whose centre lies this far outside of a shape's edge. */
static unsigned edge_coverage(double distance_px)
{
	return (unsigned)(255.0 * cairn_clamp(0.5 - distance_px, 0.0, 1.0) + 0.5);
}

/* A dark dial with a thin bright ring; on it an arrow that points turn_rad clockwise from the top. */
static void draw_dial(const struct cairn_canvas *canvas, int cx, int cy, double radius, double turn_rad)
{
	/* Arrow in units of the radius, pointing up: tip, right tail, notch, left tail. */
	static const struct cairn_vec2 shape[4] = {{0.0, -0.78}, {0.50, 0.60}, {0.0, 0.30}, {-0.50, 0.60}};
	struct cairn_vec2 arrow[4];
	double c = cos(turn_rad), s = sin(turn_rad), line = radius * 0.06;
	for (int i = 0; i < 4; i++)
		arrow[i] = (struct cairn_vec2){radius * (c * shape[i].x_m - s * shape[i].y_m),
		    radius * (s * shape[i].x_m + c * shape[i].y_m)};
	int reach = (int)ceil(radius) + 2;
	for (int dy = -reach; dy <= reach; dy++) {
		for (int dx = -reach; dx <= reach; dx++) {
			int x = cx + dx, y = cy + dy;
			double r = sqrt((double)(dx * dx + dy * dy));
			if (x < 0 || y < 0 || x >= canvas->width_px || y >= canvas->height_px || r > reach)
				continue;
			cairn_canvas_blend(canvas, x, y, black, edge_coverage(r - radius) * 150u / 255u);
			cairn_canvas_blend(
			    canvas, x, y, white, edge_coverage(fabs(r - radius + line) - line) * 220u / 255u);
			double d = polygon_distance(arrow, 4, dx, dy);
			if (d > line * 2.0)
				continue;
			cairn_canvas_blend(canvas, x, y, black, edge_coverage(d - line * 1.4));
			cairn_canvas_blend(canvas, x, y, amber, edge_coverage(d));
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
	int radius = (int)lround(30.0 * scale), margin = (int)lround(12.0 * scale);
	int cx = annotate->width_px - margin - radius, cy = margin + radius + (int)lround(6.0 * scale);
	draw_dial(canvas, cx, cy, radius, cairn_deg_to_rad(compass));
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
	annotate->jpeg = tjInitCompress();
	annotate->jpeg_capacity = tjBufSize(width_px, height_px, TJSAMP_420);
	annotate->jpeg_buf = malloc(annotate->jpeg_capacity);
	if (annotate->jpeg == NULL || annotate->jpeg_buf == NULL) {
		cairn_error_set(err, "JPEG of %d x %d pixels: out of memory", width_px, height_px);
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
