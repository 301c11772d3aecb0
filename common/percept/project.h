/* project.h - where a point of the world lies in the camera's picture, and back.
 *
 * A pinhole camera as robot.camera_* describes it: on the robot's axis at (x_m, 0, z_m), looking forward,
 * pitched downward by pitch_rad. With c, s the cosine and sine of the pitch and (dx, y, dz) the point seen
 * from the camera in the robot's axes (x forward, y left, z up):
 *
 *   depth = c dx - s dz      along the optical axis
 *   right = -y
 *   down  = -s dx - c dz
 *   u = width / 2 + f right / depth,  v = height / 2 + f down / depth,  f = width / 2 / tan(hfov / 2)
 *
 * u runs to the right and v downward, continuous: the pixel in column i covers i to i + 1. Pure. */
#ifndef CAIRN_COMMON_PERCEPT_PROJECT_H
#define CAIRN_COMMON_PERCEPT_PROJECT_H

#include <stdbool.h>

#include "common/base/geom.h"
#include "common/config/config.h"

/* Nearer points along the optical axis, and those behind the camera, have no place in the picture. */
#define CAIRN_LENS_NEAR_M 0.05

struct cairn_lens {
	double width_px, height_px, focal_px;
	double x_m, z_m; /* on the robot */
	double pitch_cos, pitch_sin;
};

struct cairn_pixel {
	double u, v;
};

struct cairn_lens cairn_lens_make(
    int width_px, int height_px, double hfov_rad, double x_m, double z_m, double pitch_rad);
struct cairn_lens cairn_lens_from_config(const struct cairn_config *cfg);

/* A point of the robot frame, z_m above the floor. False when it is not in front of the camera; the place may
 * lie outside of the picture. */
bool cairn_lens_project(
    const struct cairn_lens *lens, struct cairn_vec2 point, double z_m, struct cairn_pixel *ret);

/* A straight line on the floor, cut off where it passes behind the camera. False when all of it does. */
bool cairn_lens_floor_line(const struct cairn_lens *lens, struct cairn_vec2 a, struct cairn_vec2 b,
    struct cairn_pixel *ret_a, struct cairn_pixel *ret_b);

/* The place of the floor seen at a pixel, robot frame. False at the horizon and above it. */
bool cairn_lens_floor_at(const struct cairn_lens *lens, struct cairn_pixel pixel, struct cairn_vec2 *ret);

#endif
