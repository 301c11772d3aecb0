#include "common/slam/likelihood_field.h"

#include "common/base/prefault.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#define REACH CAIRN_LIKELIHOOD_FIELD_REACH
#define SIDE (2 * REACH + 1)

static const struct cairn_likelihood_field_box nothing = {INT32_MAX, INT32_MAX, -1, -1};

void cairn_likelihood_field_init(struct cairn_likelihood_field *field, int levels)
{
	*field = (struct cairn_likelihood_field){.drawn = nothing, .levels = levels};
}

void cairn_likelihood_field_free(struct cairn_likelihood_field *field)
{
	for (int k = 0; k < CAIRN_LIKELIHOOD_FIELD_LEVELS; k++)
		free(field->level[k]);
	free(field->scratch);
	*field = (struct cairn_likelihood_field){.drawn = nothing, .levels = field->levels};
}

/* Takes away what is there. */
static void clear(struct cairn_likelihood_field *field)
{
	const struct cairn_likelihood_field_box *d = &field->drawn;
	for (int k = 0; k < field->levels; k++) {
		for (int32_t y = d->y0; y <= d->y1; y++)
			memset(field->level[k] + (size_t)y * (size_t)field->width + (size_t)d->x0, 0,
			    (size_t)(d->x1 - d->x0 + 1));
	}
	field->drawn = nothing;
}

/* Takes on the grid's layout, all 0. */
static bool relayout(struct cairn_likelihood_field *field, const struct cairn_grid *grid)
{
	size_t cells = (size_t)grid->width * (size_t)grid->height;
	bool same = field->level[0] != NULL && field->width == grid->width && field->height == grid->height;
	if (same) {
		clear(field);
	} else {
		cairn_likelihood_field_free(field);
		bool ok = true;
		for (int k = 0; k < field->levels; k++) {
			field->level[k] = calloc(cells, 1);
			ok = ok && field->level[k] != NULL;
		}
		field->scratch = malloc((size_t)grid->width);
		if (!ok || field->scratch == NULL) {
			cairn_likelihood_field_free(field);
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
static void stamp(
    struct cairn_likelihood_field *field, const uint8_t kernel[SIDE][SIDE], int32_t x, int32_t y)
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

static struct cairn_likelihood_field_box clipped(
    const struct cairn_likelihood_field *field, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
	int32_t ex = field->width - 1, ey = field->height - 1;
	return (struct cairn_likelihood_field_box){
	    x0 > 0 ? x0 : 0, y0 > 0 ? y0 : 0, x1 < ex ? x1 : ex, y1 < ey ? y1 : ey};
}

static struct cairn_likelihood_field_box grown(const struct cairn_likelihood_field *field,
    struct cairn_likelihood_field_box box, int32_t low, int32_t high)
{
	return clipped(field, box.x0 - low, box.y0 - low, box.x1 + high, box.y1 + high);
}

static void make_kernel(uint8_t kernel[SIDE][SIDE])
{
	for (int dy = -REACH; dy <= REACH; dy++) {
		for (int dx = -REACH; dx <= REACH; dx++) {
			int d2 = dx * dx + dy * dy;
			kernel[dy + REACH][dx + REACH] =
			    d2 > REACH * REACH ? 0 : (uint8_t)lrint(255.0 * exp(-0.5 * d2));
		}
	}
}

/* Stamps the occupied cells of box, which are few; returns the box around them. */
static struct cairn_likelihood_field_box stamp_all(struct cairn_likelihood_field *field,
    const struct cairn_grid *grid, struct cairn_likelihood_field_box box)
{
	struct cairn_likelihood_field_box found = nothing;
	uint8_t kernel[SIDE][SIDE];
	make_kernel(kernel);
	for (int32_t y = box.y0; y <= box.y1; y++) {
		const int8_t *odds = grid->odds + (size_t)y * (size_t)field->width;
		for (int32_t x = box.x0; x <= box.x1; x++) {
			uint64_t eight;
			if (x + 7 <= box.x1) {
				memcpy(&eight, odds + x, 8);
				if ((~eight & UINT64_C(0x8080808080808080)) == 0) {
					x += 7; /* all free or unknown: negative */
					continue;
				}
			}
			if (odds[x] < CAIRN_ODDS_OCCUPIED)
				continue;
			stamp(field, kernel, x, y);
			found.x0 = x < found.x0 ? x : found.x0;
			found.x1 = x > found.x1 ? x : found.x1;
			found.y0 = y < found.y0 ? y : found.y0;
			found.y1 = y;
		}
	}
	return found;
}

/* Level 0 in box anew. */
static void level_zero(struct cairn_likelihood_field *field, const struct cairn_grid *grid,
    struct cairn_likelihood_field_box box)
{
	for (int32_t y = box.y0; y <= box.y1; y++)
		memset(field->level[0] + (size_t)y * (size_t)field->width + (size_t)box.x0, 0,
		    (size_t)(box.x1 - box.x0 + 1));
	/* What lies beside the box reaches into it; what that stamps outside is there already. */
	(void)stamp_all(field, grid, grown(field, box, REACH, REACH));
}

/* out[i] = max(a[i], b[i]); out may be a or b. */
static void max_rows(uint8_t *out, const uint8_t *a, const uint8_t *b, int32_t n)
{
	int32_t i = 0;
#if defined(__SSE2__)
	for (; i + 16 <= n; i += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(a + i));
		__m128i y = _mm_loadu_si128((const __m128i *)(const void *)(b + i));
		_mm_storeu_si128((__m128i *)(void *)(out + i), _mm_max_epu8(x, y));
	}
#elif defined(__ARM_NEON)
	for (; i + 16 <= n; i += 16)
		vst1q_u8(out + i, vmaxq_u8(vld1q_u8(a + i), vld1q_u8(b + i)));
#endif
	for (; i < n; i++)
		out[i] = a[i] > b[i] ? a[i] : b[i];
}

/* Level k from level k - 1. At the upper edges the window is cut: nothing is occupied beyond the arrays. */
static void pool(struct cairn_likelihood_field *field, int k, struct cairn_likelihood_field_box box)
{
	const int32_t x0 = box.x0, x1 = box.x1;
	int32_t half = 1 << (k - 1), w = field->width;
	uint8_t *wide = field->scratch;
	int32_t end = x1 + half < w - 1 ? x1 + half : w - 1;
	for (int32_t y = box.y0; y <= box.y1; y++) {
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

bool cairn_likelihood_field_update(struct cairn_likelihood_field *field, struct cairn_grid *grid)
{
	struct cairn_cell_box news = cairn_grid_take_solid(grid);
	if (grid->width == 0)
		return true;
	bool anew = field->layout != grid->layout || field->width != grid->width || field->level[0] == NULL;
	if (anew && !relayout(field, grid))
		return false;
	if (anew)
		news = grid->known;
	if (cairn_cell_box_empty(news))
		return true;
	struct cairn_likelihood_field_box box = clipped(field, news.min_cx - grid->cx0,
	    news.min_cy - grid->cy0, news.max_cx - grid->cx0, news.max_cy - grid->cy0);
	if (anew)
		box = stamp_all(field, grid, box);
	if (box.x1 < box.x0)
		return true;
	box = grown(field, box, REACH, REACH);
	if (!anew)
		level_zero(field, grid, box);
	for (int k = 1; k < field->levels; k++)
		pool(field, k, grown(field, box, (1 << k) - 1, 0));
	struct cairn_likelihood_field_box reached = grown(field, box, (1 << (field->levels - 1)) - 1, 0),
					  *d = &field->drawn;
	*d = (struct cairn_likelihood_field_box){reached.x0 < d->x0 ? reached.x0 : d->x0,
	    reached.y0 < d->y0 ? reached.y0 : d->y0, reached.x1 > d->x1 ? reached.x1 : d->x1,
	    reached.y1 > d->y1 ? reached.y1 : d->y1};
	return true;
}

void cairn_likelihood_field_touch(const struct cairn_likelihood_field *field, int32_t y0, int32_t y1)
{
	int32_t from = y0 > 0 ? y0 : 0, end = y1 < field->height ? y1 : field->height - 1;
	for (int k = 0; k < field->levels && field->level[k] != NULL && from <= end; k++)
		cairn_prefault_touch(field->level[k] + (size_t)from * (size_t)field->width,
		    (size_t)(end - from + 1) * (size_t)field->width);
}
