/* mount_finder.h - how LiDAR, gyro, encoders, drive and steering are mounted and wired, from a few motions that a person makes
 * or watches.
 *
 * Nothing is believed beforehand: the LiDAR's points are in a frame of its own, x along its zero mark, its angles taken to
 * run clockwise; gyro and encoders as the base reports them. What two revolutions say of the motion between them
 * (common/scan/scan_shift.h) is chained by key revolutions KEY apart, so that errors do not add up with each revolution.
 *
 *   turned left by hand    the LiDAR's turning gives away whether it is mirrored, and is what the gyro's axes are
 *                          compared with: the one that turned, and its sign
 *   pushed straight ahead  the LiDAR's way gives its yaw, and the encoders their sign and counts per metre
 *   told to drive          the encoders' sign gives the drive's
 *   driven along an arc    the turning on the way gives the steering's sign and scale
 *
 * Each answer comes with its standard deviation, and is refused with what to do when the motion was too little or not what was
 * asked for. Pure. */
#ifndef CAIRN_COMMON_CALIBRATION_MOUNT_FINDER_H
#define CAIRN_COMMON_CALIBRATION_MOUNT_FINDER_H

#include "common/base/error.h"
#include "common/config/config.h"
#include "common/scan/scan_shift.h"

#define CAIRN_MOUNT_TURN_MIN_RAD 0.8
#define CAIRN_MOUNT_PUSH_MIN_M 0.4

/* What was measured between a begin and now. Zeroed by cairn_mount_begin. */
struct cairn_mount_motion {
	bool some, lost;               /* a first revolution has come; one did not fit to the others */
	struct cairn_pose2 key, moved; /* pose of the key revolution, and since; LiDAR's frame at the begin */
	double var_m2, var_rad2;       /* of the pose */
	double turned_rad;             /* until the key, whole turns included */
	double gyro_rad[3];            /* integrated by axis */
	int64_t t_gyro_ns;
	double counts; /* mean of the wheels */
	int32_t count[4];
	bool counting;
	struct cairn_points seen; /* the key revolution */
	struct cairn_shift_lines lines;
};

void cairn_mount_begin(struct cairn_mount_motion *m);
/* Points of a revolution in the LiDAR's frame. */
void cairn_mount_scan(struct cairn_mount_motion *m, const struct cairn_points *points);
void cairn_mount_gyro(struct cairn_mount_motion *m, const double gyro_radps[3], int64_t now_ns);
/* encoder_mask as robot.encoder_mask. */
void cairn_mount_encoders(struct cairn_mount_motion *m, const int32_t count[4], int encoder_mask);
/* Pose of the LiDAR in its frame at the begin. */
struct cairn_pose2 cairn_mount_pose(const struct cairn_mount_motion *m);

struct cairn_mount_turn {
	bool lidar_mirrored;
	enum cairn_choice_gyro_axis gyro_axis;
	double turned_rad;           /* by the LiDAR, left positive */
	double gyro_scale, sd_scale; /* gyro by LiDAR; 1 is right */
};
/* Turned to the left by CAIRN_MOUNT_TURN_MIN_RAD or more. */
bool cairn_mount_turn_found(
    const struct cairn_mount_motion *m, struct cairn_mount_turn *ret, struct cairn_error *err);

struct cairn_mount_push {
	double lidar_yaw_rad, sd_yaw_rad;
	bool encoder_reversed;
	double ticks_per_m, sd_ticks_per_m;
	double pushed_m;
};
/* Pushed straight ahead by CAIRN_MOUNT_PUSH_MIN_M or more. */
bool cairn_mount_push_found(const struct cairn_mount_motion *m, const struct cairn_mount_turn *turn,
    struct cairn_mount_push *ret, struct cairn_error *err);

/* The base was told to drive forward; its wheels may be off the floor. */
bool cairn_mount_drive_found(const struct cairn_mount_motion *m, const struct cairn_mount_push *push,
    bool *ret_drive_reversed, struct cairn_error *err);

struct cairn_mount_steer {
	double scale, sd_scale;
};
/* The robot drove along an arc of the curvature that the base was told, left positive, forward. */
bool cairn_mount_steer_found(const struct cairn_mount_motion *m, const struct cairn_mount_turn *turn,
    const struct cairn_mount_push *push, double told_1pm, struct cairn_mount_steer *ret,
    struct cairn_error *err);

#endif
