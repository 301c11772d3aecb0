#include "common/local/view_descriptor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"

#define CONTRAST_MIN 10.0f /* grey levels of deviation: noise of a plain wall is not blown up */
#define EDGE_MIN 24.0f     /* length of a region's histogram in grey levels: the same for its edges */
#define LIGHT_WEIGHT 0.35
#define EDGE_WEIGHT 0.30
#define COLOUR_WEIGHT 0.35
#define LIGHT_SPAN 80.0 /* mean difference that is no likeness at all: two deviations */
#define EDGE_SPAN 100.0
#define GREY_SATURATION 0.18f /* colours paler than this are greys */
#define GREYS 4
#define PALE 0.3f /* strengths of a colour: up to here it is pale, from there on strong */
#define STRONG 0.7f
#define SHIFT 1

#define MEAN_OF(columns) ((CAIRN_VIEW_COLUMNS) / (columns))

void cairn_view_blocks(
    struct cairn_view_blocks *out, const uint8_t *rgb, int width_px, int height_px, size_t stride_bytes)
{
	for (int y = 0; y < CAIRN_VIEW_ROWS; y++) {
		int y0 = y * height_px / CAIRN_VIEW_ROWS, y1 = (y + 1) * height_px / CAIRN_VIEW_ROWS;
		for (int x = 0; x < CAIRN_VIEW_COLUMNS; x++) {
			int x0 = x * width_px / CAIRN_VIEW_COLUMNS,
			    x1 = (x + 1) * width_px / CAIRN_VIEW_COLUMNS;
			int step = x1 - x0 >= 8 ? 2 : 1;
			uint32_t sum[3] = {0, 0, 0}, count = 0;
			/* A picture smaller than the target is repeated: each block has at least one pixel. */
			for (int v = y0; v < (y1 > y0 ? y1 : y0 + 1); v += step)
				for (int u = x0; u < (x1 > x0 ? x1 : x0 + 1); u += step, count++) {
					const uint8_t *p = rgb + (size_t)v * stride_bytes + 3 * (size_t)u;
					for (int i = 0; i < 3; i++)
						sum[i] += p[i];
				}
			for (int i = 0; i < 3; i++)
				out->rgb[y][x][i] = (float)sum[i] / (float)count;
		}
	}
}

float cairn_view_light(const float rgb[3])
{
	return (77.0f * rgb[0] + 150.0f * rgb[1] + 29.0f * rgb[2]) / 256.0f;
}

static uint8_t to_byte(float x)
{
	return x <= 0.0f ? 0 : x >= 255.0f ? 255 : (uint8_t)lrintf(x);
}

/* ---- light ---- */

static void describe_light(
    struct cairn_view_descriptor *out, const float grey[CAIRN_VIEW_ROWS][CAIRN_VIEW_COLUMNS])
{
	const int high = CAIRN_VIEW_ROWS / CAIRN_VIEW_LIGHT_ROWS, wide = MEAN_OF(CAIRN_VIEW_LIGHT_COLUMNS);
	float cell[CAIRN_VIEW_LIGHT_ROWS][CAIRN_VIEW_LIGHT_COLUMNS], mean = 0.0f, square = 0.0f;
	const float cells = CAIRN_VIEW_LIGHT_ROWS * CAIRN_VIEW_LIGHT_COLUMNS;
	for (int r = 0; r < CAIRN_VIEW_LIGHT_ROWS; r++)
		for (int c = 0; c < CAIRN_VIEW_LIGHT_COLUMNS; c++) {
			float sum = 0.0f;
			for (int y = r * high; y < (r + 1) * high; y++)
				for (int x = c * wide; x < (c + 1) * wide; x++)
					sum += grey[y][x];
			cell[r][c] = sum / (float)(high * wide);
			mean += cell[r][c] / cells;
		}
	for (int r = 0; r < CAIRN_VIEW_LIGHT_ROWS; r++)
		for (int c = 0; c < CAIRN_VIEW_LIGHT_COLUMNS; c++)
			square += (cell[r][c] - mean) * (cell[r][c] - mean) / cells;
	float deviation = sqrtf(square);
	deviation = deviation > CONTRAST_MIN ? deviation : CONTRAST_MIN;
	for (int r = 0; r < CAIRN_VIEW_LIGHT_ROWS; r++)
		for (int c = 0; c < CAIRN_VIEW_LIGHT_COLUMNS; c++)
			out->light[r][c] = to_byte(128.0f + 40.0f * (cell[r][c] - mean) / deviation);
}

/* ---- edges ---- */

static void describe_edges(
    struct cairn_view_descriptor *out, const float grey[CAIRN_VIEW_ROWS][CAIRN_VIEW_COLUMNS])
{
	float sum[CAIRN_VIEW_EDGE_ROWS][CAIRN_VIEW_EDGE_COLUMNS][CAIRN_VIEW_EDGE_WAYS] = {{{0.0f}}};
	const int high = CAIRN_VIEW_ROWS / CAIRN_VIEW_EDGE_ROWS, wide = MEAN_OF(CAIRN_VIEW_EDGE_COLUMNS);
	for (int y = 1; y < CAIRN_VIEW_ROWS - 1; y++)
		for (int x = 1; x < CAIRN_VIEW_COLUMNS - 1; x++) {
			float dx = grey[y][x + 1] - grey[y][x - 1], dy = grey[y + 1][x] - grey[y - 1][x];
			float turn = atan2f(dy, dx) / (float)M_PI; /* an edge and its reverse are one */
			float way = (turn < 0.0f ? turn + 1.0f : turn) * CAIRN_VIEW_EDGE_WAYS;
			int low = (int)way;
			float part = way - (float)low, length = hypotf(dx, dy);
			float *h = sum[y / high][x / wide];
			h[low % CAIRN_VIEW_EDGE_WAYS] += length * (1.0f - part);
			h[(low + 1) % CAIRN_VIEW_EDGE_WAYS] += length * part;
		}
	for (int r = 0; r < CAIRN_VIEW_EDGE_ROWS; r++)
		for (int c = 0; c < CAIRN_VIEW_EDGE_COLUMNS; c++) {
			float square = 0.0f;
			for (int w = 0; w < CAIRN_VIEW_EDGE_WAYS; w++)
				square += sum[r][c][w] * sum[r][c][w];
			float length = sqrtf(square) + EDGE_MIN * (float)(high * wide) / 16.0f;
			for (int w = 0; w < CAIRN_VIEW_EDGE_WAYS; w++)
				out->edges[r][c][w] = to_byte(255.0f * sum[r][c][w] / length);
		}
}

/* ---- colours ---- */

static void share_out(float count[CAIRN_VIEW_COLOURS], int low, int high, float part)
{
	count[low] += 1.0f - part;
	count[high] += part;
}

/* Four greys, then six hues, each pale or strong. A block counts for two neighbours by how near it is to each, so that a little more
 * or less light does not move it from one to the other. */
static void count_colour(float count[CAIRN_VIEW_COLOURS], const float rgb[3])
{
	float high = fmaxf(rgb[0], fmaxf(rgb[1], rgb[2])), low = fminf(rgb[0], fminf(rgb[1], rgb[2]));
	float spread = high - low, strength = high > 0.0f ? spread / high : 0.0f;
	if (strength <= GREY_SATURATION) {
		float at = fminf(fmaxf(high * GREYS / 256.0f - 0.5f, 0.0f), (float)(GREYS - 1));
		int grey = (int)at < GREYS - 1 ? (int)at : GREYS - 2;
		share_out(count, grey, grey + 1, at - (float)grey);
		return;
	}
	float hue = high <= rgb[0]   ? (rgb[1] - rgb[2]) / spread
		    : high <= rgb[1] ? 2.0f + (rgb[2] - rgb[0]) / spread
				     : 4.0f + (rgb[0] - rgb[1]) / spread;
	int pale = GREYS + 2 * ((int)(hue < 0.0f ? hue + 6.0f : hue) % 6);
	share_out(count, pale, pale + 1, fminf(fmaxf((strength - PALE) / (STRONG - PALE), 0.0f), 1.0f));
}

static void describe_colours(struct cairn_view_descriptor *out, const struct cairn_view_blocks *blocks)
{
	const int high = CAIRN_VIEW_ROWS / CAIRN_VIEW_BANDS;
	for (int b = 0; b < CAIRN_VIEW_BANDS; b++) {
		float count[CAIRN_VIEW_COLOURS] = {0.0f};
		for (int y = b * high; y < (b + 1) * high; y++)
			for (int x = 0; x < CAIRN_VIEW_COLUMNS; x++)
				count_colour(count, blocks->rgb[y][x]);
		for (int i = 0; i < CAIRN_VIEW_COLOURS; i++)
			out->colours[b][i] =
			    to_byte(255.0f * sqrtf(count[i] / (float)(high * CAIRN_VIEW_COLUMNS)));
	}
}

void cairn_view_describe(struct cairn_view_descriptor *out, const struct cairn_view_blocks *blocks)
{
	float grey[CAIRN_VIEW_ROWS][CAIRN_VIEW_COLUMNS];
	for (int y = 0; y < CAIRN_VIEW_ROWS; y++)
		for (int x = 0; x < CAIRN_VIEW_COLUMNS; x++)
			grey[y][x] = cairn_view_light(blocks->rgb[y][x]);
	describe_light(out, grey);
	describe_edges(out, grey);
	describe_colours(out, blocks);
}

/* ---- likeness ---- */

/* Columns are lists of bytes; b is looked at shift columns to the right of a. Mean difference of what both show. */
static double difference(const uint8_t *a, const uint8_t *b, int rows, int columns, int bytes, int shift)
{
	int sum = 0, count = 0;
	for (int r = 0; r < rows; r++)
		for (int c = 0; c < columns; c++) {
			if (c + shift < 0 || c + shift >= columns)
				continue;
			for (int i = 0; i < bytes; i++, count++)
				sum += abs(a[(r * columns + c) * bytes + i] -
					   b[(r * columns + c + shift) * bytes + i]);
		}
	return (double)sum / count;
}

double cairn_view_similarity(const struct cairn_view_descriptor *a, const struct cairn_view_descriptor *b)
{
	double light = LIGHT_SPAN, edges = EDGE_SPAN, colours = 0.0;
	for (int s = -SHIFT; s <= SHIFT; s++) {
		light = fmin(light, difference(&a->light[0][0], &b->light[0][0], CAIRN_VIEW_LIGHT_ROWS,
					CAIRN_VIEW_LIGHT_COLUMNS, 1, s));
		edges = fmin(edges, difference(&a->edges[0][0][0], &b->edges[0][0][0], CAIRN_VIEW_EDGE_ROWS,
					CAIRN_VIEW_EDGE_COLUMNS, CAIRN_VIEW_EDGE_WAYS, s));
	}
	for (int k = 0; k < CAIRN_VIEW_BANDS; k++) {
		int product = 0, aa = 0, bb = 0; /* rounding keeps the squares from adding up to 1 */
		for (int i = 0; i < CAIRN_VIEW_COLOURS; i++) {
			product += a->colours[k][i] * b->colours[k][i];
			aa += a->colours[k][i] * a->colours[k][i];
			bb += b->colours[k][i] * b->colours[k][i];
		}
		colours += aa > 0 && bb > 0 ? product / sqrt((double)aa * bb) / CAIRN_VIEW_BANDS : 0.0;
	}
	return cairn_clamp(LIGHT_WEIGHT * (1.0 - light / LIGHT_SPAN) +
			       EDGE_WEIGHT * (1.0 - edges / EDGE_SPAN) + COLOUR_WEIGHT * colours,
	    0.0, 1.0);
}
