#include "common/map/field.h"

#include <stdlib.h>
#include <string.h>

#define REACH CAIRN_FIELD_REACH
#define FAR ((int16_t)(2 * REACH * REACH + 1))

void cairn_match_field_init(struct cairn_match_field *field)
{
	*field = (struct cairn_match_field){0};
}

void cairn_match_field_free(struct cairn_match_field *field)
{
	for (int k = 0; k < CAIRN_FIELD_LEVELS; k++)
		free(field->level[k]);
	free(field->scratch);
	*field = (struct cairn_match_field){0};
}

static bool relayout(struct cairn_match_field *field, const struct cairn_grid *grid)
{
	size_t cells = (size_t)grid->width * (size_t)grid->height;
	cairn_match_field_free(field);
	bool ok = true;
	for (int k = 0; k < CAIRN_FIELD_LEVELS; k++) {
		field->level[k] = calloc(cells, 1);
		ok = ok && field->level[k] != NULL;
	}
	field->scratch = malloc(cells * sizeof(int16_t));
	if (!ok || field->scratch == NULL) {
		cairn_match_field_free(field);
		return false;
	}
	field->width = grid->width;
	field->height = grid->height;
	field->cx0 = grid->cx0;
	field->cy0 = grid->cy0;
	field->layout = grid->layout;
	return true;
}

/* Squared distance along the row to the nearest occupied cell, at most REACH away. */
static void row_distances(struct cairn_match_field *field, const struct cairn_grid *grid, int32_t x0,
    int32_t x1, int32_t y0, int32_t y1)
{
	for (int32_t y = y0; y <= y1; y++) {
		const int8_t *odds = grid->odds + (size_t)y * (size_t)grid->width;
		int16_t *out = field->scratch + (size_t)y * (size_t)grid->width;
		for (int32_t x = x0; x <= x1; x++)
			out[x] = odds[x] >= CAIRN_ODDS_OCCUPIED ? 0 : FAR;
		int16_t run = FAR;
		for (int32_t x = x0; x <= x1; x++) {
			run = out[x] == 0 ? 0 : (int16_t)(run + 1);
			out[x] = run > REACH ? FAR : run;
		}
		run = FAR;
		for (int32_t x = x1; x >= x0; x--) {
			run = out[x] == 0 ? 0 : (int16_t)(run + 1);
			int16_t d = run < out[x] ? run : out[x];
			out[x] = d > REACH ? FAR : (int16_t)(d * d);
		}
	}
}

static void level_zero(struct cairn_match_field *field, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
	uint8_t table[FAR + REACH * REACH + 1];
	for (int d2 = 0; d2 <= FAR + REACH * REACH; d2++)
		table[d2] = d2 > REACH * REACH ? 0 : (uint8_t)lrint(255.0 * exp(-0.5 * d2));
	size_t w = (size_t)field->width;
	for (int32_t y = y0; y <= y1; y++) {
		uint8_t *out = field->level[0] + (size_t)y * w;
		for (int32_t x = x0; x <= x1; x++) {
			int16_t best = FAR;
			for (int32_t dy = -REACH; dy <= REACH; dy++) {
				if (y + dy < 0 || y + dy >= field->height)
					continue;
				int16_t d2 =
				    (int16_t)(field->scratch[(size_t)(y + dy) * w + (size_t)x] + dy * dy);
				best = d2 < best ? d2 : best;
			}
			out[x] = table[best];
		}
	}
}

static uint8_t max4(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	uint8_t m = a > b ? a : b, n = c > d ? c : d;
	return m > n ? m : n;
}

/* Level k from level k - 1. At the upper edges the window is cut: nothing is occupied beyond the arrays. */
static void pool(struct cairn_match_field *field, int k, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
	int32_t half = 1 << (k - 1), w = field->width;
	for (int32_t y = y0; y <= y1; y++) {
		const uint8_t *a = field->level[k - 1] + (size_t)y * (size_t)w;
		const uint8_t *b = y + half < field->height ? a + (size_t)half * (size_t)w : a;
		uint8_t *out = field->level[k] + (size_t)y * (size_t)w;
		int32_t edge = w - half < x1 + 1 ? w - half : x1 + 1;
		for (int32_t x = x0; x < edge; x++)
			out[x] = max4(a[x], a[x + half], b[x], b[x + half]);
		for (int32_t x = edge > x0 ? edge : x0; x <= x1; x++)
			out[x] = a[x] > b[x] ? a[x] : b[x];
	}
}

static int32_t clamp_cell(int32_t v, int32_t end)
{
	return v < 0 ? 0 : v > end ? end : v;
}

bool cairn_match_field_update(struct cairn_match_field *field, struct cairn_grid *grid)
{
	struct cairn_cell_box box = cairn_grid_take_solid(grid);
	if (grid->width == 0)
		return true;
	int32_t x0, x1, y0, y1, ex = grid->width - 1, ey = grid->height - 1;
	if (field->layout != grid->layout || field->width != grid->width || field->level[0] == NULL) {
		if (!relayout(field, grid))
			return false;
		x0 = y0 = 0;
		x1 = ex;
		y1 = ey;
	} else if (cairn_cell_box_empty(box)) {
		return true;
	} else {
		x0 = clamp_cell(box.min_cx - grid->cx0 - REACH, ex);
		x1 = clamp_cell(box.max_cx - grid->cx0 + REACH, ex);
		y0 = clamp_cell(box.min_cy - grid->cy0 - REACH, ey);
		y1 = clamp_cell(box.max_cy - grid->cy0 + REACH, ey);
	}
	row_distances(field, grid, clamp_cell(x0 - REACH, ex), clamp_cell(x1 + REACH, ex),
	    clamp_cell(y0 - REACH, ey), clamp_cell(y1 + REACH, ey));
	level_zero(field, x0, x1, y0, y1);
	for (int k = 1; k < CAIRN_FIELD_LEVELS; k++) {
		int32_t reach = (1 << k) - 1;
		pool(field, k, clamp_cell(x0 - reach, ex), x1, clamp_cell(y0 - reach, ey), y1);
	}
	return true;
}
