/* camera_floor.h - pitch, roll and height of the camera from the floor in one depth picture.
 *
 * With (X right, Y down, Z along the optical axis) a point seen from the camera, the floor is the plane n.(X, Y, Z) = height with
 * n = (cos pitch sin roll, cos pitch cos roll, sin pitch): the angles of common/camera/camera_pose.h. It is searched by planes through three
 * points (Fischler and Bolles 1981, RANSAC); of flat things the lowest is the floor, as next to nothing may lie below it. Then least
 * squares over what is near it, in which far points count less: a stereo camera's error grows with depth. Pure. */
#ifndef CAIRN_COMMON_CALIBRATION_CAMERA_FLOOR_H
#define CAIRN_COMMON_CALIBRATION_CAMERA_FLOOR_H

#include "common/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct cairn_camera_floor {
	double pitch_rad, roll_rad; /* downward, and right side down, positive */
	double height_m;
	double sd_pitch_rad, sd_roll_rad, sd_height_m;
	double share; /* of the points with depth */
};

/* depth_mm: rows of width_px values, 0 = unknown; optical axis in the middle. near_roll_rad: the roll is looked for within 0.4 rad
 * of this. seed: of the search. False with what to do. */
bool cairn_camera_floor_found(const uint16_t *depth_mm, uint32_t width_px, uint32_t height_px,
    double hfov_rad, double near_roll_rad, uint64_t seed, struct cairn_camera_floor *ret,
    struct cairn_error *err);

#endif
