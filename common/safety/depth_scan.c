#include "common/safety/depth_scan.h"

#include <math.h>
#include <string.h>

#define COLUMNS 64
#define STEP_PX 2
#define BIN_M 0.05
#define BINS 256     /* 12.8 m */
#define THICK_BINS 2 /* what stands so little behind the front is the same thing */
#define BACKED_BY 3  /* pixels in two neighbouring bins */

struct camera {
	double focal_px, cos_pitch, sin_pitch, x_m, z_m;
	double low_m, high_m, range_max_m;
	int width_px, height_px;
};

struct column {
	uint16_t count[BINS];
	double nearest_m[BINS];
	double top_m[BINS]; /* highest of the pixels counted */
	double free_m;      /* farthest that was seen at or below the robot's height */
};

static void read_pixel(const struct camera *c, double u, double v, double z_m, struct column *col)
{
	double right = (u - 0.5 * c->width_px) / c->focal_px * z_m,
	       down = (v - 0.5 * c->height_px) / c->focal_px * z_m;
	double ahead = c->cos_pitch * z_m - c->sin_pitch * down;
	double height = c->z_m - c->sin_pitch * z_m - c->cos_pitch * down;
	if (!(ahead > 0.0) || height > c->high_m)
		return;
	double range = hypot(ahead, right);
	col->free_m = fmax(col->free_m, range);
	int bin = (int)(range / BIN_M);
	if (height < c->low_m || bin >= BINS)
		return;
	if (col->count[bin] == 0 || range < col->nearest_m[bin])
		col->nearest_m[bin] = range;
	col->top_m[bin] = fmax(col->top_m[bin], height);
	col->count[bin]++;
}

static void tell_column(
    const struct camera *c, const struct column *col, uint32_t i, struct cairn_msg_depth_scan *out)
{
	out->free_to_m[i] = col->free_m > 0.0 ? (float)fmin(col->free_m, c->range_max_m) : -1.0f;
	for (int bin = 0; bin + 1 < BINS && bin * BIN_M < c->range_max_m; bin++) {
		if (col->count[bin] == 0 || col->count[bin] + col->count[bin + 1] < BACKED_BY)
			continue;
		out->hit[i] = col->nearest_m[bin] <= c->range_max_m;
		out->free_to_m[i] = (float)fmin(col->nearest_m[bin], c->range_max_m);
		for (int k = bin; k < BINS && k <= bin + THICK_BINS; k++)
			out->top_m[i] = fmaxf(out->top_m[i], (float)col->top_m[k]);
		return;
	}
}

void cairn_depth_scan_make(struct cairn_msg_depth_scan *out, const struct cairn_config *cfg,
    const void *pixels, int width_px, int height_px, size_t stride_bytes)
{
	double tan_half = tan(0.5 * cfg->robot.camera_hfov_rad), pitch = cfg->robot.camera_pitch_rad;
	struct camera c = {.focal_px = 0.5 * width_px / tan_half,
	    .cos_pitch = cos(pitch),
	    .sin_pitch = sin(pitch),
	    .x_m = cfg->robot.camera_x_m,
	    .z_m = cfg->robot.camera_z_m,
	    .low_m = cfg->safety.depth_height_min_m,
	    .high_m = cfg->robot.height_m,
	    .range_max_m = cfg->safety.depth_range_m,
	    .width_px = width_px,
	    .height_px = height_px};
	double lowest = pitch + atan(0.5 * height_px / c.focal_px); /* of the picture's last row */
	double from = lowest > 0.0 ? fmax(c.z_m - c.low_m, 0.0) / tan(fmin(lowest, 1.5)) : 1e3;
	*out = (struct cairn_msg_depth_scan){.x_m = (float)c.x_m, .range_max_m = (float)c.range_max_m};
	out->angle_rad_count = out->free_from_m_count = out->free_to_m_count = out->hit_count =
	    out->top_m_count = COLUMNS;
	for (uint32_t i = 0; i < COLUMNS; i++) {
		struct column col = {.free_m = 0.0};
		int first = (int)i * width_px / COLUMNS, end = ((int)i + 1) * width_px / COLUMNS;
		double a = atan((0.5 * width_px - 0.5 * (first + end)) / c.focal_px);
		for (int v = 0; v < height_px; v += STEP_PX)
			for (int u = first; u < end; u += STEP_PX) {
				uint16_t mm;
				memcpy(&mm,
				    (const char *)pixels + (size_t)v * stride_bytes + (size_t)u * sizeof(mm),
				    sizeof(mm));
				if (mm != 0)
					read_pixel(&c, u + 0.5, v + 0.5, mm * 1e-3, &col);
			}
		out->angle_rad[i] = (float)a;
		out->free_from_m[i] = (float)(from / cos(a));
		tell_column(&c, &col, i, out);
	}
}
