/* odometry_track.h - wheel odometry made continuous.
 *
 * The motor stage's odometry starts anew whenever that stage does, and a broken sensor may jump. The track
 * chains only believable steps, in a frame of its own that begins at 0 0 0, and remembers enough of them to
 * say where the robot was at the time of any point of a LiDAR turn. */
#ifndef CAIRN_COMMON_SLAM_ODOMETRY_TRACK_H
#define CAIRN_COMMON_SLAM_ODOMETRY_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/geom.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_ODOMETRY_TRACK_POINTS 128 /* five seconds at 25 Hz */

struct cairn_odometry_track_point {
	int64_t t_ns;
	struct cairn_pose2 pose; /* track frame */
	struct cairn_twist twist;
};

enum cairn_odometry_track_step {
	CAIRN_ODOMETRY_TRACK_OK,
	CAIRN_ODOMETRY_TRACK_FIRST, /* the first message, or the first after a restart: where the robot went meanwhile
			       is unknown */
	CAIRN_ODOMETRY_TRACK_WILD,   /* farther than the robot can go: taken as standing still */
	CAIRN_ODOMETRY_TRACK_IGNORED /* not finite, or older than the last */
};

struct cairn_odometry_track {
	struct cairn_odometry_track_point points[CAIRN_ODOMETRY_TRACK_POINTS];
	int count, newest;
	struct cairn_pose2 raw; /* as the motor stage says */
	uint64_t epoch;         /* of the motor stage; 0 before the first message */
	double distance_m;      /* path length */
	uint64_t wild, restarts;
};

/* Takes one message. t_ns and epoch are its header's. */
enum cairn_odometry_track_step cairn_odometry_track_add(struct cairn_odometry_track *track,
    const struct cairn_msg_odom *odom, int64_t t_ns, uint64_t epoch, const struct cairn_config_robot *robot);

/* Pose at t_ns, between the points; before the oldest that one, beyond the newest by its twist for at most
 * 0.2 s. Zero pose when nothing is known. */
struct cairn_pose2 cairn_odometry_track_at(const struct cairn_odometry_track *track, int64_t t_ns);

/* The newest point, or NULL. */
const struct cairn_odometry_track_point *cairn_odometry_track_newest(
    const struct cairn_odometry_track *track);

#endif
