#include "common/safety/depth_scan.h"

#include <math.h>
#include <string.h>

#include "common/camera/camera_pose.h"

#define COLUMNS 64
#define STEP_PX 2
#define BIN_M 0.05
#define BINS 256     /* 12.8 m */
#define THICK_BINS 2 /* what stands so little behind the front is the same thing */
#define BACKED_BY 3  /* pixels in two neighbouring bins */
#define FAR_M 1e3f   /* the floor begins to show: nowhere */

/* The camera's pose with its x axis below the line of sight and its origin below the camera. */
struct view {
	struct cairn_camera_pose pose;
	double low_m, high_m, range_max_m;
	int width_px, height_px;
};

/* What is seen in one direction over the floor. Of bins without a pixel nothing but the count is set. */
struct column {
	float free_m; /* farthest that was seen at or below the robot's height */
	uint16_t count[BINS];
	float nearest_m[BINS];
	float top_m[BINS]; /* highest of the pixels counted */
};

/* Directions are those of the columns of a level picture: which of them lies at so much to the left for each metre ahead? -1: none. */
static int column_at(const struct view *view, double left)
{
	double u = 0.5 * view->width_px - view->pose.focal_px * left;
	if (!(u >= 0.0 && u < view->width_px))
		return -1;
	return (((int)u + 1) * COLUMNS - 1) / view->width_px;
}

/* ray: where the pixel looks, for each metre of depth. */
static void read_pixel(const struct view *view, const double ray[3], double depth_m, struct column *columns)
{
	double height_m = view->pose.at[2] + depth_m * ray[2];
	if (!(ray[0] > 0.0) || height_m > view->high_m)
		return;
	int at = column_at(view, ray[1] / ray[0]);
	if (at < 0)
		return;
	struct column *col = &columns[at];
	double range_m = depth_m * sqrt(ray[0] * ray[0] + ray[1] * ray[1]);
	col->free_m = fmaxf(col->free_m, (float)range_m);
	int bin = (int)(range_m / BIN_M);
	if (height_m < view->low_m || bin >= BINS)
		return;
	bool first = col->count[bin]++ == 0;
	col->nearest_m[bin] = first ? (float)range_m : fminf(col->nearest_m[bin], (float)range_m);
	col->top_m[bin] = fmaxf(first ? 0.0f : col->top_m[bin], (float)height_m);
}

static void tell_column(
    const struct view *view, const struct column *col, uint32_t i, struct cairn_msg_depth_scan *out)
{
	float range_max_m = (float)view->range_max_m;
	out->free_to_m[i] = col->free_m > 0.0f ? fminf(col->free_m, range_max_m) : -1.0f;
	for (int bin = 0; bin + 1 < BINS && bin * BIN_M < view->range_max_m; bin++) {
		if (col->count[bin] == 0 || col->count[bin] + col->count[bin + 1] < BACKED_BY)
			continue;
		out->hit[i] = col->nearest_m[bin] <= range_max_m;
		out->free_to_m[i] = fminf(col->nearest_m[bin], range_max_m);
		for (int k = bin; k < BINS && k <= bin + THICK_BINS; k++)
			if (col->count[k] > 0)
				out->top_m[i] = fmaxf(out->top_m[i], col->top_m[k]);
		return;
	}
}

static void read_picture(
    const struct view *view, const void *pixels, size_t stride_bytes, struct column *columns)
{
	const struct cairn_camera_pose *p = &view->pose;
	for (int i = 0; i < COLUMNS; i++) /* in strips, which mostly fill one column each */
		for (int v = 0; v < view->height_px; v += STEP_PX) {
			int end = (i + 1) * view->width_px / COLUMNS;
			double down = (v + 0.5 - 0.5 * view->height_px) / p->focal_px, row[3];
			for (int k = 0; k < 3; k++)
				row[k] = p->ahead[k] + down * p->down[k];
			for (int u = i * view->width_px / COLUMNS; u < end; u += STEP_PX) {
				uint16_t mm;
				memcpy(&mm,
				    (const char *)pixels + (size_t)v * stride_bytes + (size_t)u * sizeof(mm),
				    sizeof(mm));
				double right = (u + 0.5 - 0.5 * view->width_px) / p->focal_px;
				const double ray[3] = {row[0] + right * p->right[0],
				    row[1] + right * p->right[1], row[2] + right * p->right[2]};
				if (mm != 0)
					read_pixel(view, ray, mm * 1e-3, columns);
			}
		}
}

void cairn_depth_scan_make(struct cairn_msg_depth_scan *out, const struct cairn_config *cfg,
    const void *pixels, int width_px, int height_px, size_t stride_bytes)
{
	const struct cairn_camera_mount on_robot = cairn_camera_mount_from(cfg);
	struct cairn_camera_mount turned = on_robot;
	struct column columns[COLUMNS];
	turned.x_m = turned.y_m = turned.yaw_rad = 0.0;
	struct view view = {
	    .pose = cairn_camera_pose_make(turned, cfg->robot.camera_hfov_rad, width_px, height_px),
	    .low_m = cfg->safety.depth_height_min_m,
	    .high_m = cfg->robot.height_m,
	    .range_max_m = cfg->safety.depth_range_m,
	    .width_px = width_px,
	    .height_px = height_px};
	for (int i = 0; i < COLUMNS; i++) {
		columns[i].free_m = 0.0f;
		memset(columns[i].count, 0, sizeof(columns[i].count));
	}
	read_picture(&view, pixels, stride_bytes, columns);
	*out = (struct cairn_msg_depth_scan){
	    .x_m = (float)on_robot.x_m, .y_m = (float)on_robot.y_m, .range_max_m = (float)view.range_max_m};
	out->angle_rad_count = out->free_from_m_count = out->free_to_m_count = out->hit_count =
	    out->top_m_count = COLUMNS;
	for (uint32_t i = 0; i < COLUMNS; i++) {
		int first = (int)i * width_px / COLUMNS, end = ((int)i + 1) * width_px / COLUMNS;
		double a = atan((0.5 * width_px - 0.5 * (first + end)) / view.pose.focal_px);
		out->angle_rad[i] = (float)(on_robot.yaw_rad + a);
		out->free_from_m[i] =
		    fminf((float)cairn_camera_shown_from_m(&view.pose, a, view.low_m), FAR_M);
		tell_column(&view, &columns[i], i, out);
	}
}
