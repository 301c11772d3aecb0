/* jpeg.h - JPEG of RGB pictures of one size, into memory taken once. The library still takes and gives back
 * some of its own while it compresses. */
#ifndef CAIRN_COMMON_PERCEPT_JPEG_H
#define CAIRN_COMMON_PERCEPT_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/drawing/font.h"

struct cairn_jpeg;

/* For pictures of this size, 4:2:0. NULL with err set: no memory. */
struct cairn_jpeg *cairn_jpeg_new(int width_px, int height_px, struct cairn_error *err);
void cairn_jpeg_destroy(struct cairn_jpeg **jpeg_p);

/* The canvas must have the size given to _new. The bytes stay valid until the next call. NULL with err set.
 */
const uint8_t *cairn_jpeg_encode(struct cairn_jpeg *jpeg, const struct cairn_canvas *canvas, int quality,
    size_t *ret_bytes, struct cairn_error *err);

/* The other way round: width and height of a JPEG, and its pixels as RGB, tightly packed, into rgb (3 * width * height bytes). False
 * with err set when it is no picture of at most px_max pixels on each side. */
bool cairn_jpeg_dimensions(const void *jpeg, size_t bytes, uint32_t px_max, uint32_t *ret_width_px,
    uint32_t *ret_height_px, struct cairn_error *err);
bool cairn_jpeg_decode(const void *jpeg, size_t bytes, uint32_t width_px, uint32_t height_px, uint8_t *rgb,
    struct cairn_error *err);

#endif
