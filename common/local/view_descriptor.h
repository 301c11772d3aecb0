/* view_descriptor.h - what a picture looks like, in 168 bytes, and how much two of them are alike.
 *
 * Three parts, all classic: where it is light and dark (8 x 6 means, freed of brightness and contrast), how edges run (6 directions in
 * 4 x 3 regions, as in histograms of oriented gradients: Dalal and Triggs 2005), and which colours there are (16 in each of 3
 * bands, compared by the Bhattacharyya coefficient). Light and edges are compared with the picture shifted by a column to either
 * side, too: a robot that comes back never looks quite the same way. Pure. */
#ifndef CAIRN_COMMON_LOCAL_VIEW_DESCRIPTOR_H
#define CAIRN_COMMON_LOCAL_VIEW_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_VIEW_COLUMNS 32 /* of the reduced picture that light and edges are taken from */
#define CAIRN_VIEW_ROWS 24

#define CAIRN_VIEW_LIGHT_COLUMNS 8
#define CAIRN_VIEW_LIGHT_ROWS 6
#define CAIRN_VIEW_EDGE_COLUMNS 4
#define CAIRN_VIEW_EDGE_ROWS 3
#define CAIRN_VIEW_EDGE_WAYS 6
#define CAIRN_VIEW_BANDS 3
#define CAIRN_VIEW_COLOURS 16

struct cairn_view_descriptor {
	uint8_t light[CAIRN_VIEW_LIGHT_ROWS]
		     [CAIRN_VIEW_LIGHT_COLUMNS]; /* 128 = mean of the picture, 40 a deviation */
	uint8_t edges[CAIRN_VIEW_EDGE_ROWS][CAIRN_VIEW_EDGE_COLUMNS]
		     [CAIRN_VIEW_EDGE_WAYS];                   /* unit length is 255 */
	uint8_t colours[CAIRN_VIEW_BANDS][CAIRN_VIEW_COLOURS]; /* 255 times the root of the share */
};

#define CAIRN_VIEW_BYTES sizeof(struct cairn_view_descriptor)

/* Means of the picture's blocks, red, green and blue. */
struct cairn_view_blocks {
	float rgb[CAIRN_VIEW_ROWS][CAIRN_VIEW_COLUMNS][3];
};

/* rgb: rows of 3 bytes a pixel, stride_bytes apart; any size from 1 x 1. Of large pictures every other row and column is looked at. */
void cairn_view_blocks(
    struct cairn_view_blocks *out, const uint8_t *rgb, int width_px, int height_px, size_t stride_bytes);
/* 0..255, weights of ITU-R BT.601. */
float cairn_view_light(const float rgb[3]);

void cairn_view_describe(struct cairn_view_descriptor *out, const struct cairn_view_blocks *blocks);

/* 0..1; 1 for equal ones, and the same both ways round. */
double cairn_view_similarity(const struct cairn_view_descriptor *a, const struct cairn_view_descriptor *b);

#endif
