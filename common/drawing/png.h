/* png.h - grey pictures as PNG (RFC 2083): no colour management, no filters, one zlib stream. */
#ifndef CAIRN_COMMON_DRAWING_PNG_H
#define CAIRN_COMMON_DRAWING_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* pixels: rows of stride_bytes, 8 bit, or 16 bit in the machine's order (little-endian). To be freed by the caller; NULL when
 * there is no memory or no pixel. */
uint8_t *cairn_png_grey8(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride_bytes, size_t *ret_bytes);
uint8_t *cairn_png_grey16(
    const uint8_t *pixels, uint32_t width, uint32_t height, size_t stride_bytes, size_t *ret_bytes);

#endif
