#include "common/map/field.h"

#include <stdlib.h>
#include <string.h>

#define REACH CAIRN_FIELD_REACH
#define SIDE (2 * REACH + 1)

typedef uint8_t bytes16 __attribute__((vector_size(16)));

void cairn_match_field_init(struct cairn_match_field *field, int levels)
{
	*field = (struct cairn_match_field){.levels = levels};
}

void cairn_match_field_free(struct cairn_match_field *field)
{
	for (int k = 0; k < CAIRN_FIELD_LEVELS; k++)
		free(field->level[k]);
	free(field->scratch);
	*field = (struct cairn_match_field){.levels = field->levels};
}

static bool relayout(struct cairn_match_field *field, const struct cairn_grid *grid)
{
	size_t cells = (size_t)grid->width * (size_t)grid->height;
	bool same = field->level[0] != NULL && field->width == grid->width && field->height == grid->height;
	if (!same) {
		cairn_match_field_free(field);
		bool ok = true;
		for (int k = 0; k < field->levels; k++) {
			field->level[k] = calloc(cells, 1);
			ok = ok && field->level[k] != NULL;
		}
		field->scratch = malloc((size_t)grid->width);
		if (!ok || field->scratch == NULL) {
			cairn_match_field_free(field);
			return false;
		}
	}
	field->width = grid->width;
	field->height = grid->height;
	field->cx0 = grid->cx0;
	field->cy0 = grid->cy0;
	field->layout = grid->layout;
	return true;
}

/* The kernel around one occupied cell, laid over what is there. x, y: array cell. */
static void stamp(struct cairn_match_field *field, const uint8_t kernel[SIDE][SIDE], int32_t x, int32_t y)
{
	for (int32_t dy = -REACH; dy <= REACH; dy++) {
		if (y + dy < 0 || y + dy >= field->height)
			continue;
		uint8_t *out = field->level[0] + (size_t)(y + dy) * (size_t)field->width;
		for (int32_t dx = -REACH; dx <= REACH; dx++) {
			if (x + dx < 0 || x + dx >= field->width)
				continue;
			uint8_t value = kernel[dy + REACH][dx + REACH];
			out[x + dx] = out[x + dx] > value ? out[x + dx] : value;
		}
	}
}

/* Occupied cells are few: the box is cleared, and each in or near it stamped. Beyond the box that changes
 * nothing. */
static void level_zero(struct cairn_match_field *field, const struct cairn_grid *grid, int32_t x0, int32_t x1,
    int32_t y0, int32_t y1)
{
	uint8_t kernel[SIDE][SIDE];
	for (int dy = -REACH; dy <= REACH; dy++) {
		for (int dx = -REACH; dx <= REACH; dx++) {
			int d2 = dx * dx + dy * dy;
			kernel[dy + REACH][dx + REACH] =
			    d2 > REACH * REACH ? 0 : (uint8_t)lrint(255.0 * exp(-0.5 * d2));
		}
	}
	size_t w = (size_t)field->width;
	for (int32_t y = y0; y <= y1; y++)
		memset(field->level[0] + (size_t)y * w + x0, 0, (size_t)(x1 - x0 + 1));
	int32_t ex = field->width - 1, ey = field->height - 1;
	x0 = x0 > REACH ? x0 - REACH : 0;
	x1 = x1 + REACH < ex ? x1 + REACH : ex;
	y0 = y0 > REACH ? y0 - REACH : 0;
	y1 = y1 + REACH < ey ? y1 + REACH : ey;
	for (int32_t y = y0; y <= y1; y++) {
		const int8_t *odds = grid->odds + (size_t)y * w;
		for (int32_t x = x0; x <= x1; x++) {
			uint64_t eight;
			if (x + 7 <= x1) {
				memcpy(&eight, odds + x, 8);
				if ((~eight & UINT64_C(0x8080808080808080)) == 0) {
					x += 7; /* all free or unknown: negative */
					continue;
				}
			}
			if (odds[x] >= CAIRN_ODDS_OCCUPIED)
				stamp(field, kernel, x, y);
		}
	}
}

/* out[i] = max(a[i], b[i]); out may be a or b. */
static void max_rows(uint8_t *out, const uint8_t *a, const uint8_t *b, int32_t n)
{
	int32_t i = 0;
	for (; i + (int32_t)sizeof(bytes16) <= n; i += (int32_t)sizeof(bytes16)) {
		bytes16 x, y;
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		bytes16 greater = (bytes16)(x > y);
		x = (x & greater) | (y & ~greater);
		memcpy(out + i, &x, sizeof(x));
	}
	for (; i < n; i++)
		out[i] = a[i] > b[i] ? a[i] : b[i];
}

/* Level k from level k - 1. At the upper edges the window is cut: nothing is occupied beyond the arrays. */
static void pool(struct cairn_match_field *field, int k, int32_t x0, int32_t x1, int32_t y0, int32_t y1)
{
	int32_t half = 1 << (k - 1), w = field->width;
	uint8_t *wide = field->scratch;
	int32_t end = x1 + half < w - 1 ? x1 + half : w - 1;
	for (int32_t y = y0; y <= y1; y++) {
		const uint8_t *a = field->level[k - 1] + (size_t)y * (size_t)w;
		const uint8_t *b = y + half < field->height ? a + (size_t)half * (size_t)w : a;
		uint8_t *out = field->level[k] + (size_t)y * (size_t)w;
		max_rows(wide + x0, a + x0, b + x0, end - x0 + 1);
		int32_t both = end - half - x0 + 1; /* columns whose right half is inside */
		both = both > 0 ? both : 0;
		max_rows(out + x0, wide + x0, wide + x0 + half, both);
		memcpy(out + x0 + both, wide + x0 + both, (size_t)(x1 - x0 + 1 - both));
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
	level_zero(field, grid, x0, x1, y0, y1);
	for (int k = 1; k < field->levels; k++) {
		int32_t reach = (1 << k) - 1;
		pool(field, k, clamp_cell(x0 - reach, ex), x1, clamp_cell(y0 - reach, ey), y1);
	}
	return true;
}
