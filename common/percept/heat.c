#include "common/percept/heat.h"

#include <stdlib.h>
#include <string.h>

#include "common/percept/annotate.h"

#define UNKNOWN 0 /* colour numbers of known depths are 1 to 255 */
#define STEPS 254

struct cairn_heat {
	int width_px, height_px, cols, rows; /* of the pictures, of what is kept */
	uint32_t count;
	int64_t t_ns[CAIRN_HEAT_KEPT];
	struct cairn_rgb palette[256];
	uint8_t *kept; /* CAIRN_HEAT_KEPT times rows x cols */
};

struct cairn_rgb cairn_heat_colour(unsigned mm)
{
	const unsigned span = CAIRN_HEAT_FAR_MM - CAIRN_HEAT_NEAR_MM;
	unsigned above = mm < CAIRN_HEAT_NEAR_MM  ? 0
			 : mm > CAIRN_HEAT_FAR_MM ? span
						  : mm - CAIRN_HEAT_NEAR_MM;
	unsigned s = above * 4 * 255 / span; /* a quarter of the way is 255 */
	uint8_t part = (uint8_t)(s % 255), rest = (uint8_t)(255 - part);
	switch (s / 255) {
	case 0:
		return (struct cairn_rgb){255, part, 0};
	case 1:
		return (struct cairn_rgb){rest, 255, 0};
	case 2:
		return (struct cairn_rgb){0, 255, part};
	case 3:
		return (struct cairn_rgb){0, rest, 255};
	default:
		return (struct cairn_rgb){0, 0, 255};
	}
}

struct cairn_heat *cairn_heat_new(int width_px, int height_px)
{
	struct cairn_heat *heat = calloc(1, sizeof(*heat));
	if (heat == NULL)
		return NULL;
	heat->width_px = width_px;
	heat->height_px = height_px;
	heat->cols = (width_px + 1) / 2;
	heat->rows = (height_px + 1) / 2;
	heat->kept = malloc((size_t)heat->cols * (size_t)heat->rows * CAIRN_HEAT_KEPT);
	if (heat->kept == NULL)
		cairn_heat_destroy(&heat);
	for (unsigned i = 1; heat != NULL && i < 256; i++)
		heat->palette[i] = cairn_heat_colour(
		    CAIRN_HEAT_NEAR_MM + (i - 1) * (CAIRN_HEAT_FAR_MM - CAIRN_HEAT_NEAR_MM) / STEPS);
	return heat;
}

void cairn_heat_destroy(struct cairn_heat **heat_p)
{
	if (*heat_p == NULL)
		return;
	free((*heat_p)->kept);
	free(*heat_p);
	*heat_p = NULL;
}

static uint8_t colour_number(unsigned mm)
{
	if (mm < CAIRN_DEPTH_VALID_MIN_MM || mm > CAIRN_DEPTH_VALID_MAX_MM)
		return UNKNOWN;
	unsigned clamped = mm < CAIRN_HEAT_NEAR_MM  ? CAIRN_HEAT_NEAR_MM
			   : mm > CAIRN_HEAT_FAR_MM ? CAIRN_HEAT_FAR_MM
						    : mm;
	return (
	    uint8_t)(1 + (clamped - CAIRN_HEAT_NEAR_MM) * STEPS / (CAIRN_HEAT_FAR_MM - CAIRN_HEAT_NEAR_MM));
}

void cairn_heat_keep(struct cairn_heat *heat, const void *pixels, size_t stride_bytes, int64_t t_ns)
{
	uint32_t slot = heat->count++ % CAIRN_HEAT_KEPT;
	uint8_t *out = heat->kept + (size_t)slot * (size_t)heat->cols * (size_t)heat->rows;
	heat->t_ns[slot] = t_ns;
	for (int row = 0; row < heat->rows; row++) {
		const uint8_t *in = (const uint8_t *)pixels + (size_t)row * 2 * stride_bytes;
		for (int col = 0; col < heat->cols; col++) {
			uint16_t mm;
			memcpy(&mm, in + (size_t)col * 4, 2);
			*out++ = colour_number(mm);
		}
	}
}

void cairn_heat_draw(const struct cairn_heat *heat, const struct cairn_canvas *canvas, int64_t t_ns)
{
	uint32_t slot = 0, known = heat->count < CAIRN_HEAT_KEPT ? heat->count : CAIRN_HEAT_KEPT;
	while (slot < known && heat->t_ns[slot] != t_ns)
		slot++;
	if (slot == known || canvas->width_px != heat->width_px || canvas->height_px != heat->height_px)
		return;
	const uint8_t *kept = heat->kept + (size_t)slot * (size_t)heat->cols * (size_t)heat->rows;
	for (int y = 0; y < heat->height_px; y++) {
		const uint8_t *row = kept + (ptrdiff_t)(y / 2) * heat->cols;
		uint8_t *px = canvas->rgb + (ptrdiff_t)y * canvas->stride_bytes;
		for (int x = 0; x < heat->width_px; x++, px += 3) {
			if (row[x / 2] == UNKNOWN)
				continue;
			const struct cairn_rgb *c = &heat->palette[row[x / 2]];
			px[0] = (uint8_t)((px[0] + c->r) / 2);
			px[1] = (uint8_t)((px[1] + c->g) / 2);
			px[2] = (uint8_t)((px[2] + c->b) / 2);
		}
	}
}
