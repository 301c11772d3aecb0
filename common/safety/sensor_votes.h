/* sensor_votes.h - do LiDAR, wheels, gyro and steering tell of the same motion?
 *
 * A sensor that is mounted or wired the wrong way round is fresh, follows the motion and looks healthy, but in another
 * direction. Then the way that is free is not the way that is driven. Four witnesses tell of each piece of motion:
 *
 *   LiDAR      by what two revolutions show (common/scan/scan_shift.h)
 *   wheels     the way by the encoders
 *   gyro       the turning
 *   steering   the turning that was commanded, on the way by the encoders
 *
 * Of turning, each two are compared by 2 sum(ab) / (sum(aa) + sum(bb)), which is 1 where they agree, -1 where one is the
 * other's mirror image and 0 where one says nothing; the odd one out is named. Of the way, the angle between what the
 * LiDAR and what the wheels say is summed up over about a metre: a large one shows within 0.1 m, 20 degrees within 0.7 m; 13 and less are left to calibration.
 * The error of that is summed up, too, by what the revolutions leave open. How far each says is compared as well. A LiDAR that shows no motion is no matter of this (scan_check.h: old picture, or
 * slip), nor are revolutions between which the LiDAR shows nothing for certain. Pure. */
#ifndef CAIRN_COMMON_SAFETY_SENSOR_VOTES_H
#define CAIRN_COMMON_SAFETY_SENSOR_VOTES_H

#include <stdint.h>

#include "common/scan/scan_shift.h"

/* Two witnesses of turning. */
struct cairn_votes_pair {
	double aa, bb, ab; /* rad2 */
};

/* Zeroed: nothing heard yet. */
struct cairn_sensor_votes {
	struct cairn_votes_pair scan_gyro, scan_steering, gyro_steering;
	double along_m2, across_m2, way_m2, seen_m2; /* sums of scan x wheels, and of both by themselves */
	double error_m4;                             /* variance of across_m2 */
	uint64_t heard, contradicted; /* pieces of motion so far; times that the verdict was passed */
	char fault
	    [96]; /* the verdict, for people; empty: they agree. It stays until it is cleared by whoever asks */
};

/* One piece of motion by the witnesses. */
struct cairn_votes_piece {
	struct cairn_shift scan;
	struct cairn_pose2 odometry; /* by wheels and gyro */
	double steering_rad;         /* turned by the steering; not a number: not known */
};

/* False, and the verdict is in fault: they contradict each other. */
bool cairn_sensor_votes_hear(struct cairn_sensor_votes *v, const struct cairn_votes_piece *piece);

/* Forgets what was heard, and the verdict. */
void cairn_sensor_votes_clear(struct cairn_sensor_votes *v);

#endif
