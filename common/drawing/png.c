#include "common/drawing/png.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define SIDE_MAX 16384u
#define LEVEL 3 /* maps are flat: more costs time and gains little */

static uint8_t *put_u32(uint8_t *p, uint32_t v)
{
	*p++ = (uint8_t)(v >> 24);
	*p++ = (uint8_t)(v >> 16);
	*p++ = (uint8_t)(v >> 8);
	*p++ = (uint8_t)v;
	return p;
}

/* Length, name, the data that stand behind already, checksum. */
static uint8_t *end_chunk(uint8_t *start, const char *name, size_t bytes)
{
	put_u32(start, (uint32_t)bytes);
	memcpy(start + 4, name, 4);
	return put_u32(start + 8 + bytes, (uint32_t)crc32(0, start + 4, (uInt)(4 + bytes)));
}

static uint8_t *write_file(
    const uint8_t *raw, size_t raw_bytes, uint32_t width, uint32_t height, int bits, size_t *ret_bytes)
{
	static const uint8_t magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	uLongf packed = compressBound((uLong)raw_bytes);
	uint8_t *file = malloc(sizeof(magic) + 12 + 13 + 12 + packed + 12), *p = file;
	if (file == NULL)
		return NULL;
	memcpy(p, magic, sizeof(magic));
	p += sizeof(magic);
	put_u32(put_u32(p + 8, width), height);
	memcpy(p + 16, (uint8_t[5]){(uint8_t)bits, 0, 0, 0, 0}, 5); /* grey, deflate, no interlace */
	p = end_chunk(p, "IHDR", 13);
	if (compress2(p + 8, &packed, raw, (uLong)raw_bytes, LEVEL) != Z_OK) {
		free(file);
		return NULL;
	}
	p = end_chunk(p, "IDAT", packed);
	p = end_chunk(p, "IEND", 0);
	*ret_bytes = (size_t)(p - file);
	return file;
}

static uint8_t *grey(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride, int bits, size_t *ret)
{
	size_t row = (size_t)width * (size_t)(bits / 8);
	if (width == 0 || height == 0 || width > SIDE_MAX || height > SIDE_MAX || stride < row)
		return NULL;
	uint8_t *raw = malloc((row + 1) * height);
	if (raw == NULL)
		return NULL;
	for (uint32_t y = 0; y < height; y++) {
		uint8_t *to = raw + y * (row + 1);
		const uint8_t *from = pixels + y * stride;
		*to++ = 0; /* no filter */
		if (bits == 8) {
			memcpy(to, from, row);
			continue;
		}
		for (size_t i = 0; i < row; i += 2) {
			to[i] = from[i + 1];
			to[i + 1] = from[i];
		}
	}
	uint8_t *file = write_file(raw, (row + 1) * height, width, height, bits, ret);
	free(raw);
	return file;
}

uint8_t *cairn_png_grey8(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride_bytes, size_t *ret_bytes)
{
	return grey(pixels, width, height, stride_bytes, 8, ret_bytes);
}

uint8_t *cairn_png_grey16(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride_bytes, size_t *ret_bytes)
{
	return grey(pixels, width, height, stride_bytes, 16, ret_bytes);
}
