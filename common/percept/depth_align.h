/* depth_align.h - a depth picture laid onto the colour picture of a camera beside it.
 *
 * Two pinhole cameras without distortion. Pixel (i, j) of the depth camera, whose middle is at u = i, v = j, with depth z along its
 * optical axis (X right, Y down, Z ahead) is the point
 *
 *   p = z ((u - cx) / fx, (v - cy) / fy, 1),   seen from the colour camera   q = R p + t,
 *
 * and lies there at u' = fx' q_x / q_z + cx', v' = fy' q_y / q_z + cy', with depth q_z. As a pixel of the one covers several of the
 * other, or a part of one, its two corners (i - 1/2, j - 1/2) and (i + 1/2, j + 1/2) are laid, and all pixels get the depth whose
 * middles lie between, or a twentieth of that beside it, as cameras turned a little against each other would leave gaps; where
 * there is none, the one that has the middle of the area. Of several depths the nearest wins. What
 * nothing falls on stays 0, unknown: also what the depth camera cannot see past an edge. Pure. */
#ifndef CAIRN_COMMON_PERCEPT_DEPTH_ALIGN_H
#define CAIRN_COMMON_PERCEPT_DEPTH_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/device/camera_link.h"

struct cairn_pinhole {
	uint32_t width, height;
	double fx, fy, cx, cy; /* pixels; the middle of the first pixel is at 0 0 */
};

struct cairn_depth_alignment {
	struct cairn_pinhole depth, color;
	double rotation[9];      /* R, rows one after the other */
	double translation_m[3]; /* t */
	double depth_unit_m;     /* what a step of the depth camera's values is */
};

/* Of a YAML file (docs/cameras.md). False with the reason in err: the file cannot be read, a value is missing or out of range, the
 * rotation is none. */
bool cairn_depth_alignment_load(struct cairn_depth_alignment *ret, const char *path, struct cairn_error *err);

/* depth: 16 bit values of the machine's order in rows of stride_bytes, a multiple of 2; 0 = unknown. ret_mm: millimetres,
 * color.width x color.height, tightly packed; what is farther than 65.535 m is unknown. */
void cairn_depth_align(
    const struct cairn_depth_alignment *a, const uint8_t *depth, uint32_t stride_bytes, uint16_t *ret_mm);

/* The same of a picture as a depth camera sends it, whose payload is whole: *ret_hdr is that of ret_mm. pictures_width, _height: of the
 * colour camera's newest picture, 0: none came yet. NULL, or why the alignment is not that of these cameras: nothing is written. */
const char *cairn_depth_align_picture(const struct cairn_depth_alignment *a,
    const struct cairn_camera_header *hdr, const uint8_t *payload, uint32_t pictures_width,
    uint32_t pictures_height, uint16_t *ret_mm, struct cairn_camera_header *ret_hdr);

#endif
