#include "common/record/png16.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define HEAD_BYTES 8
#define CHUNK_BYTES 12 /* length, type, CRC */
#define PIXEL_BYTES 2

static uint32_t big32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint8_t paeth(int left, int up, int corner)
{
	int p = left + up - corner, a = abs(p - left), b = abs(p - up), c = abs(p - corner);
	return (uint8_t)(a <= b && a <= c ? left : b <= c ? up : corner);
}

/* Undoes the filter of one row; before: the row above, zeros for the first. */
static bool unfilter(uint8_t type, uint8_t *row, const uint8_t *before, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		uint8_t left = i >= PIXEL_BYTES ? row[i - PIXEL_BYTES] : 0, up = before[i],
			corner = i >= PIXEL_BYTES ? before[i - PIXEL_BYTES] : 0;
		switch (type) {
		case 0:
			break;
		case 1:
			row[i] = (uint8_t)(row[i] + left);
			break;
		case 2:
			row[i] = (uint8_t)(row[i] + up);
			break;
		case 3:
			row[i] = (uint8_t)(row[i] + (left + up) / 2);
			break;
		case 4:
			row[i] = (uint8_t)(row[i] + paeth(left, up, corner));
			break;
		default:
			return false;
		}
	}
	return true;
}

/* The chunks IDAT, unpacked: exactly bytes. */
static bool inflate_rows(const uint8_t *p, const uint8_t *end, uint8_t *rows, size_t bytes)
{
	z_stream z = {.next_out = rows, .avail_out = (uInt)bytes};
	if (inflateInit(&z) != Z_OK)
		return false;
	int r = Z_OK;
	while (end - p >= CHUNK_BYTES && r == Z_OK) {
		uint32_t length = big32(p);
		if (length > (size_t)(end - p) - CHUNK_BYTES)
			break;
		if (memcmp(p + 4, "IDAT", 4) == 0) {
			z.next_in = (Bytef *)(uintptr_t)(p + 8);
			z.avail_in = length;
			r = length > 0 ? inflate(&z, Z_NO_FLUSH) : Z_OK;
		}
		p += length + CHUNK_BYTES;
	}
	inflateEnd(&z);
	return r == Z_STREAM_END && z.avail_out == 0;
}

static bool to_pixels(uint8_t *rows, uint32_t width, uint32_t height, uint16_t *pixels)
{
	size_t row_bytes = (size_t)width * PIXEL_BYTES;
	uint8_t *above = calloc(1, row_bytes);
	bool good = above != NULL;
	const uint8_t *before = above;
	for (uint32_t y = 0; good && y < height; y++) {
		uint8_t *row = rows + y * (row_bytes + 1);
		good = unfilter(row[0], row + 1, before, row_bytes);
		before = row + 1;
		for (uint32_t x = 0; good && x < width; x++)
			pixels[(size_t)y * width + x] = (uint16_t)(before[2 * x] << 8 | before[2 * x + 1]);
	}
	free(above);
	return good;
}

uint16_t *record_png16(const void *data, size_t bytes, uint32_t px_max, uint32_t *ret_width_px,
    uint32_t *ret_height_px, struct cairn_error *err)
{
	static const uint8_t magic[HEAD_BYTES] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
	const uint8_t *p = data;
	if (bytes < HEAD_BYTES + CHUNK_BYTES + 13 || memcmp(p, magic, HEAD_BYTES) != 0 ||
	    big32(p + 8) != 13 || memcmp(p + 12, "IHDR", 4) != 0 || p[24] != 16 || p[25] != 0 || p[28] != 0) {
		cairn_error_set(err, "no grey PNG of 16 bits");
		return NULL;
	}
	uint32_t width = big32(p + 16), height = big32(p + 20);
	if (width == 0 || height == 0 || width > px_max || height > px_max) {
		cairn_error_set(err, "a PNG of %u x %u pixels; at most %u are read", width, height, px_max);
		return NULL;
	}
	size_t row_bytes = (size_t)width * PIXEL_BYTES + 1;
	uint8_t *rows = malloc(row_bytes * height);
	uint16_t *pixels = malloc((size_t)width * height * sizeof(*pixels));
	bool good = rows != NULL && pixels != NULL &&
		    inflate_rows(p + HEAD_BYTES, p + bytes, rows, row_bytes * height) &&
		    to_pixels(rows, width, height, pixels);
	free(rows);
	if (!good) {
		free(pixels);
		cairn_error_set(err, "a damaged PNG");
		return NULL;
	}
	*ret_width_px = width;
	*ret_height_px = height;
	return pixels;
}
