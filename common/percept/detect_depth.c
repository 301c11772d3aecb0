/* Depth for detectors that know none. */
#include <math.h>
#include <stdlib.h>

#include "common/percept/detect.h"

#define DEPTH_GRID 12 /* samples along each side of a box */
#define TILE_GRID 6   /* of a tile */
#define FLOOR_SLACK_M 0.05
#define DEPTH_GAP_M                                                                                          \
	0.06 /* between neighbours in depth on one surface, up to 2 m away; in proportion beyond */
#define DEPTH_SPREAD_M 0.4 /* a surface that is nearer to its middle's depth than this belongs to it */

/* The corners of a box show what stands around the thing rather than the thing. */
static bool in_ellipse(int row, int column)
{
	float half = 0.5f * DEPTH_GRID, y = ((float)row + 0.5f - half) / half,
	      x = ((float)column + 0.5f - half) / half;
	return x * x + y * y <= 1.0f;
}

static int by_depth(const void *a, const void *b)
{
	const float *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The stretch of depth around `at` in which no gap is wider than a surface that leans away would leave. v: n depths, sorted here. */
static void stretch(float *v, int n, float at, float *ret_low, float *ret_high)
{
	float gap = (float)DEPTH_GAP_M * fmaxf(1.0f, 0.5f * at), low = at, high = at;
	qsort(v, (size_t)n, sizeof(*v), by_depth);
	for (int i = 0; i < n; i++)
		if (v[i] > high && v[i] - high <= gap && v[i] - at <= (float)DEPTH_SPREAD_M)
			high = v[i];
	for (int i = n; i-- > 0;)
		if (v[i] < low && low - v[i] <= gap && at - v[i] <= (float)DEPTH_SPREAD_M)
			low = v[i];
	*ret_low = low;
	*ret_high = high;
}

static void sample(
    const uint16_t *depth_mm, const struct cairn_detected_list *s, struct cairn_detected *t, float focal_px)
{
	float z[DEPTH_GRID * DEPTH_GRID], mid[DEPTH_GRID * DEPTH_GRID], all[DEPTH_GRID * DEPTH_GRID],
	    u[DEPTH_GRID], v[DEPTH_GRID], from, to;
	int mids = 0, alls = 0;
	for (int i = 0; i < DEPTH_GRID; i++) {
		float k = ((float)i + 0.5f) / DEPTH_GRID;
		u[i] = fminf(fmaxf(t->px[0] + k * (t->px[2] - t->px[0]), 0.0f), (float)s->width_px - 1.0f);
		v[i] = fminf(fmaxf(t->px[1] + k * (t->px[3] - t->px[1]), 0.0f), (float)s->height_px - 1.0f);
	}
	for (int r = 0; r < DEPTH_GRID; r++)
		for (int c = 0; c < DEPTH_GRID; c++) {
			size_t at = (size_t)v[r] * s->width_px + (size_t)u[c];
			float d = 0.001f * (float)depth_mm[at];
			z[r * DEPTH_GRID + c] = in_ellipse(r, c) ? d : 0.0f;
			d = z[r * DEPTH_GRID + c];
			if (d > 0.0f)
				all[alls++] = d;
			if (d > 0.0f && abs(2 * r - DEPTH_GRID + 1) < DEPTH_GRID / 2 &&
			    abs(2 * c - DEPTH_GRID + 1) < DEPTH_GRID / 2)
				mid[mids++] = d;
		}
	if (mids == 0)
		return; /* no depth in its middle: it stays without points, and is left out */
	qsort(mid, (size_t)mids, sizeof(*mid), by_depth);
	stretch(all, alls, mid[mids / 2], &from, &to);
	struct cairn_detect_point low = {0}, high = {0};
	for (int i = 0, some = 0; i < DEPTH_GRID * DEPTH_GRID; i++) {
		if (!(z[i] > 0.0f) || z[i] < from || z[i] > to)
			continue;
		float x = (u[i % DEPTH_GRID] + 0.5f - 0.5f * (float)s->width_px) * z[i] / focal_px,
		      y = (v[i / DEPTH_GRID] + 0.5f - 0.5f * (float)s->height_px) * z[i] / focal_px;
		low = some ? (struct cairn_detect_point){fminf(low.right_m, x), fminf(low.down_m, y),
				 fminf(low.ahead_m, z[i])}
			   : (struct cairn_detect_point){x, y, z[i]};
		high = some++ ? (struct cairn_detect_point){fmaxf(high.right_m, x), fmaxf(high.down_m, y),
				    fmaxf(high.ahead_m, z[i])}
			      : (struct cairn_detect_point){x, y, z[i]};
	}
	t->points[0] = (struct cairn_detect_point){low.right_m, low.down_m, low.ahead_m};
	t->points[1] = (struct cairn_detect_point){high.right_m, high.down_m, low.ahead_m};
	t->points[2] = (struct cairn_detect_point){low.right_m, high.down_m, high.ahead_m};
	t->points[3] = (struct cairn_detect_point){high.right_m, low.down_m, high.ahead_m};
	t->point_count = 4;
}

/* The nearest thing above the floor in each tile. A tile that shows nothing but floor, or of which no depth is known, hides nothing. */
static void find_nearest(
    const struct cairn_camera_pose *camera, const uint16_t *depth_mm, struct cairn_detected_list *s)
{
	for (uint32_t i = 0; i < CAIRN_DETECT_TILES; i++) {
		uint32_t col = i % CAIRN_DETECT_TILE_COLS, row = i / CAIRN_DETECT_TILE_COLS;
		float *near = &s->nearest_m[i];
		for (uint32_t k = 0; k < TILE_GRID * TILE_GRID; k++) {
			uint32_t x = (col * TILE_GRID + k % TILE_GRID) * s->width_px /
				     (TILE_GRID * CAIRN_DETECT_TILE_COLS),
				 y = (row * TILE_GRID + k / TILE_GRID) * s->height_px /
				     (TILE_GRID * CAIRN_DETECT_TILE_ROWS);
			float z = 0.001f * (float)depth_mm[(size_t)y * s->width_px + x];
			double point[3];
			cairn_camera_point(camera, (struct cairn_pixel){x + 0.5, y + 0.5}, (double)z, point);
			if (z > 0.0f && point[2] > FLOOR_SLACK_M && (!(*near > 0.0f) || z < *near))
				*near = z;
		}
	}
}

void cairn_detect_depth(
    const struct cairn_config *cfg, const uint16_t *depth_mm, struct cairn_detected_list *s)
{
	struct cairn_camera_pose camera = cairn_camera_pose_from(cfg, (int)s->width_px, (int)s->height_px);
	bool known = false;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->items[i].point_count == 0)
			sample(depth_mm, s, &s->items[i], (float)camera.focal_px);
	for (int i = 0; i < CAIRN_DETECT_TILES; i++)
		known = known || s->nearest_m[i] > 0.0f;
	if (!known)
		find_nearest(&camera, depth_mm, s);
}
