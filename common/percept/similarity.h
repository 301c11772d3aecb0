/* similarity.h - how much two pictures look alike, at 160 x 120 grey pixels.
 *
 * A grey pixel is the mean over its block of the picture of (77 R + 150 G + 29 B) / 256 (the weights of ITU-R
 * BT.601), rounded half up; a 640 x 480 picture has blocks of 4 x 4. Similarity is 1 - mean(|a - b|) / 255: 1
 * for the same picture, 0 for black and white. */
#ifndef CAIRN_COMMON_PERCEPT_SIMILARITY_H
#define CAIRN_COMMON_PERCEPT_SIMILARITY_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_GREY_WIDTH 160
#define CAIRN_GREY_HEIGHT 120

struct cairn_grey {
	uint8_t px[CAIRN_GREY_HEIGHT][CAIRN_GREY_WIDTH];
};

/* rgb: rows of 3 bytes a pixel, stride_bytes apart; any size from 1 x 1. */
void cairn_grey_from_rgb(
    struct cairn_grey *out, const uint8_t *rgb, int width_px, int height_px, size_t stride_bytes);

/* The same, and copies the picture on the way, to rows without gaps (3 * width_px * height_px bytes): what
 * was just copied is still in the nearest cache. */
void cairn_grey_copy_rgb(struct cairn_grey *out, uint8_t *copy, const uint8_t *rgb, int width_px,
    int height_px, size_t stride_bytes);

/* 0..1 */
double cairn_grey_similarity(const struct cairn_grey *a, const struct cairn_grey *b);

#endif
