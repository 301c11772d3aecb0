/* camera_pose.h - where the camera is and what it looks at: from a pixel and its depth to a point, and back.
 *
 * A pinhole camera as robot.camera_* describes it. Its place is in the robot frame (REP-105 base_link: x forward, y left, z up).
 * Its attitude is rolled about x, then pitched about y, then turned about z, each about the axes of the robot (REP-103): yaw is
 * positive to the left, pitch downward, roll with the right side down. The axes of the camera are those of REP-103's optical
 * frame: right, down, ahead. For a point that lies (right, down, ahead) from the camera:
 *
 *   u = width / 2 + f right / ahead,  v = height / 2 + f down / ahead,  f = width / 2 / tan(hfov / 2)
 *
 * u runs to the right and v downward, continuous: the pixel in column i covers i to i + 1. Depth is along the optical axis, as
 * depth cameras tell it. This is the one place with this geometry; loops over many pixels take the axes from the struct. Pure. */
#ifndef CAIRN_COMMON_CAMERA_CAMERA_POSE_H
#define CAIRN_COMMON_CAMERA_CAMERA_POSE_H

#include <stdbool.h>

#include "common/base/geom.h"
#include "common/config/config.h"

/* Nearer points along the optical axis, and those behind the camera, have no place in the picture. */
#define CAIRN_CAMERA_NEAR_M 0.05

/* As the keys of the same names. */
struct cairn_camera_mount {
	double x_m, y_m, z_m, yaw_rad, pitch_rad, roll_rad;
};

/* In the robot frame, or in the map (cairn_camera_pose_in_map). Points and directions are x, y, z in that frame. */
struct cairn_camera_pose {
	double width_px, height_px, focal_px;
	double at[3];                       /* of the camera, metres */
	double right[3], down[3], ahead[3]; /* its axes, of length 1 */
};

struct cairn_pixel {
	double u, v;
};

struct cairn_camera_pose cairn_camera_pose_make(
    struct cairn_camera_mount mount, double hfov_rad, double width_px, double height_px);
struct cairn_camera_mount cairn_camera_mount_from(const struct cairn_config *cfg);
/* The robot's camera, for pictures of this size. */
struct cairn_camera_pose cairn_camera_pose_from(const struct cairn_config *cfg, int width_px, int height_px);
/* The same camera in the map frame, on a robot that stands there. */
struct cairn_camera_pose cairn_camera_pose_in_map(
    const struct cairn_camera_pose *on_robot, struct cairn_pose2 robot);
/* Its place and attitude as numbers again. */
struct cairn_camera_mount cairn_camera_pose_mount(const struct cairn_camera_pose *pose);

/* What is seen at a pixel, so far away along the optical axis. */
void cairn_camera_point(
    const struct cairn_camera_pose *pose, struct cairn_pixel pixel, double depth_m, double ret_point[3]);
/* Where a point shows, and its depth. False when it is not in front of the camera, or not finite; the place may lie outside of the
 * picture. */
bool cairn_camera_pixel(const struct cairn_camera_pose *pose, const double point[3], struct cairn_pixel *ret,
    double *ret_depth_m);

/* The same between a point and its right, down and ahead from the camera, metres. ret may be the input. */
void cairn_camera_from_optical(
    const struct cairn_camera_pose *pose, const double optical[3], double ret_point[3]);
void cairn_camera_to_optical(
    const struct cairn_camera_pose *pose, const double point[3], double ret_optical[3]);

/* A straight line on the floor, cut off where it passes behind the camera. False when all of it does. */
bool cairn_camera_floor_line(const struct cairn_camera_pose *pose, struct cairn_vec2 a, struct cairn_vec2 b,
    struct cairn_pixel *ret_a, struct cairn_pixel *ret_b);

/* The lines of sight that the picture shows along one direction over the floor, by how much they fall for each metre: a negative
 * one rises. -INFINITY, INFINITY: up to straight above, down to straight below. False when it shows nothing of that direction. */
bool cairn_camera_falls(
    const struct cairn_camera_pose *pose, double bearing_rad, double *ret_least, double *ret_most);

/* How far from the camera, along one direction over the floor, the picture begins to show what is height_m high. INFINITY where it
 * shows nothing of that. */
double cairn_camera_shown_from_m(const struct cairn_camera_pose *pose, double bearing_rad, double height_m);

/* In which direction from the robot a thing so far from its origin lies that the camera looks straight at, on the floor plan. */
double cairn_camera_faces_rad(const struct cairn_camera_pose *on_robot, double distance_m);

#endif
