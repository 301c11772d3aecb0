/* annotate.h - depth labels and heading on a colour picture, and the JPEG of it.
 *
 * Seven labels ("2.3m", "--" where nothing is known) stand centred on the points whose depth they tell, for a
 * picture of 640 x 480: centre (320, 240), left (160, 240), right (480, 240), floor ahead (320, 400), upper
 * left (160, 120), upper right (480, 120), upper centre (320, 100); other sizes in proportion. Top right a
 * compass: a dial whose top is N, the way the robot faced at the start, an arrow to where it faces now, and
 * the same in words ("NE 47°").
 *
 * Depth of a point: median of the valid pixels (0.1 to 10 m) of the 5 x 5 window around it, clipped at the
 * border; of an even number of values the lower of the two in the middle, so that it is always a measured
 * one.
 *
 * Letters are 24 px at 480 rows: 19 px at the 512 x 512 that a model may be shown. All memory is taken in
 * _new; of what is called here only the JPEG library uses some of its own while it compresses. */
#ifndef CAIRN_COMMON_PERCEPT_ANNOTATE_H
#define CAIRN_COMMON_PERCEPT_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"
#include "common/drawing/font.h"

enum cairn_depth_point {
	CAIRN_DEPTH_CENTRE,
	CAIRN_DEPTH_LEFT,
	CAIRN_DEPTH_RIGHT,
	CAIRN_DEPTH_FLOOR,
	CAIRN_DEPTH_UPPER_LEFT,
	CAIRN_DEPTH_UPPER_RIGHT,
	CAIRN_DEPTH_UPPER_CENTRE,
	CAIRN_DEPTH_POINTS
};

#define CAIRN_DEPTH_VALID_MIN_MM 100
#define CAIRN_DEPTH_VALID_MAX_MM 10000

/* Where a point lies in a picture of this size. */
void cairn_depth_point_px(enum cairn_depth_point point, int width_px, int height_px, int *ret_x, int *ret_y);

/* What one depth picture says at the seven points; 0 = nothing valid there. */
struct cairn_depth_reading {
	int64_t t_ns;
	int width_px, height_px;
	uint16_t mm[CAIRN_DEPTH_POINTS];
};

/* pixels: rows of uint16 millimetres in the machine's byte order, stride_bytes apart, not necessarily
 * aligned. */
void cairn_depth_read(struct cairn_depth_reading *out, const void *pixels, int width_px, int height_px,
    size_t stride_bytes, int64_t t_ns);

/* "2.3m", rounded half up; "--" for 0. */
void cairn_depth_text(char text[8], uint16_t mm);

struct cairn_annotate;

/* For pictures of this size. NULL with err set: font missing, or no memory. */
struct cairn_annotate *cairn_annotate_new(
    const char *font_file, int width_px, int height_px, struct cairn_error *err);
void cairn_annotate_destroy(struct cairn_annotate **annotate_p);

/* The canvas must have the size given to _new. */
void cairn_annotate_depths(struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    const struct cairn_depth_reading *depth);
void cairn_annotate_heading(
    struct cairn_annotate *annotate, const struct cairn_canvas *canvas, double yaw_rad);
/* Gives the canvas back as it was before the last depths and the heading drawn after them: cheaper than
 * drawing on a copy. Does nothing when nothing was drawn since. */
void cairn_annotate_undo(struct cairn_annotate *annotate, const struct cairn_canvas *canvas);

/* JPEG, 4:2:0, into memory of its own that stays valid until the next call. NULL with err set. */
const uint8_t *cairn_annotate_jpeg(struct cairn_annotate *annotate, const struct cairn_canvas *canvas,
    int quality, size_t *ret_bytes, struct cairn_error *err);

#endif
