#include "common/percept/similarity.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS (CAIRN_GREY_WIDTH * 12) /* colour values in a row of 640 pixels */

/* Red, green, blue and something else, as the four 16 bit lanes of a word (little-endian, like the frames).
 */
static inline uint64_t lanes(const uint16_t *values)
{
	uint64_t word;
	memcpy(&word, values, sizeof(word));
	return word;
}

/* One row of 640 x 480: sums over blocks of 4 x 4 pixels. Four rows are added column by column first, which
 * the compiler turns into vector code; then four pixels, three colours at a time. A lane never overflows:
 * 16 x 255 = 4080. */
static void shrink_four_rows(uint8_t *out, const uint8_t *rgb, size_t stride_bytes)
{
	const uint8_t *r0 = rgb, *r1 = r0 + stride_bytes, *r2 = r1 + stride_bytes, *r3 = r2 + stride_bytes;
	uint16_t column[COLUMNS + 1];
	column[COLUMNS] = 0; /* the last word reaches over the row by one value */
	for (size_t i = 0; i < COLUMNS; i++)
		column[i] = (uint16_t)(r0[i] + r1[i] + r2[i] + r3[i]);
	for (size_t x = 0; x < CAIRN_GREY_WIDTH; x++) {
		const uint16_t *c = column + 12 * x;
		uint64_t sum = lanes(c) + lanes(c + 3) + lanes(c + 6) + lanes(c + 9);
		uint32_t r = sum & 0xffff, g = sum >> 16 & 0xffff, b = sum >> 32 & 0xffff;
		out[x] = (uint8_t)((77 * r + 150 * g + 29 * b + 2048) >> 12);
	}
}

static uint8_t block_mean(const uint8_t *rgb, size_t stride_bytes, size_t x0, size_t x1, size_t y0, size_t y1)
{
	uint64_t sum = 0, count = (uint64_t)(x1 - x0) * (y1 - y0) * 256;
	for (size_t y = y0; y < y1; y++) {
		for (size_t x = x0; x < x1; x++) {
			const uint8_t *p = rgb + y * stride_bytes + 3 * x;
			sum += 77u * p[0] + 150u * p[1] + 29u * p[2];
		}
	}
	return (uint8_t)((sum + count / 2) / count);
}

static bool four_to_one(int width_px, int height_px)
{
	return width_px == 4 * CAIRN_GREY_WIDTH && height_px == 4 * CAIRN_GREY_HEIGHT;
}

void cairn_grey_from_rgb(
    struct cairn_grey *out, const uint8_t *rgb, int width_px, int height_px, size_t stride_bytes)
{
	if (four_to_one(width_px, height_px)) {
		for (size_t y = 0; y < CAIRN_GREY_HEIGHT; y++)
			shrink_four_rows(out->px[y], rgb + 4 * y * stride_bytes, stride_bytes);
		return;
	}
	size_t width = (size_t)width_px, height = (size_t)height_px;
	for (size_t y = 0; y < CAIRN_GREY_HEIGHT; y++) {
		size_t y0 = y * height / CAIRN_GREY_HEIGHT, y1 = (y + 1) * height / CAIRN_GREY_HEIGHT;
		for (size_t x = 0; x < CAIRN_GREY_WIDTH; x++) {
			size_t x0 = x * width / CAIRN_GREY_WIDTH, x1 = (x + 1) * width / CAIRN_GREY_WIDTH;
			/* A picture smaller than the target is repeated: each block has at least one pixel.
			 */
			out->px[y][x] = block_mean(
			    rgb, stride_bytes, x0, x1 > x0 ? x1 : x0 + 1, y0, y1 > y0 ? y1 : y0 + 1);
		}
	}
}

void cairn_grey_copy_rgb(struct cairn_grey *out, uint8_t *copy, const uint8_t *rgb, int width_px,
    int height_px, size_t stride_bytes)
{
	const size_t row = 3 * (size_t)width_px, height = (size_t)height_px;
	const bool fast = four_to_one(width_px, height_px);
	for (size_t y = 0; y < height; y++) {
		memcpy(copy + y * row, rgb + y * stride_bytes, row);
		if (fast && y % 4 == 3)
			shrink_four_rows(out->px[y / 4], copy + (y - 3) * row, row);
	}
	if (!fast)
		cairn_grey_from_rgb(out, copy, width_px, height_px, row);
}

double cairn_grey_similarity(const struct cairn_grey *a, const struct cairn_grey *b)
{
	const uint8_t *pa = &a->px[0][0], *pb = &b->px[0][0];
	uint32_t sum = 0;
	for (int i = 0; i < CAIRN_GREY_WIDTH * CAIRN_GREY_HEIGHT; i++)
		sum += (uint32_t)abs(pa[i] - pb[i]);
	return 1.0 - sum / (255.0 * CAIRN_GREY_WIDTH * CAIRN_GREY_HEIGHT);
}
