/* scan_check.h - can a LiDAR revolution be true?
 *
 * A LiDAR or its driver can go on sending after it stopped looking. Then everything that judges by the stamp finds the
 * scan fresh, and the robot drives by a picture of the past. Three things give that away:
 *
 *   form         too few returns, not all round, or returns that all have one range or lie at the maximum
 *   repetition   the ranges are those of one of the last revolutions, bit for bit (common/base/repeats.h). Measured
 *                ranges have noise of several millimetres in steps of a quarter of one, so two equal revolutions do not
 *                happen. Angles and stamps are left out, because a driver makes them itself.
 *   motion       each revolution is compared with an earlier one as it would look from where the robot is by wheels and
 *                gyro, after 0.1 m or 0.1 rad, and once a second while the robot stands.
 *                STILL   it fits standing still much better than the motion: the scan is old, or the wheels slip.
 *                ASTRAY  several in a row fit neither: a picture of another time or place (a driver that is seconds late,
 *                        a drive that is played again), or a robot that is carried. One that fits badly proves nothing:
 *                        people and doors move, too. So what exceeds the usual is summed up, and what falls below it is
 *                        taken off the sum (Page 1954, "Continuous inspection schemes").
 *                Either way the free way ahead is not known.
 *                And one that fits another motion is a witness against wheels, gyro and steering (sensor_votes.h).
 *
 * A revolution that contradicts the motion stays refused, and so do those after it. A STILL doubt ends when the view has
 * changed or the robot has stood for CAIRN_SCAN_CHECK_RETRY_S; an ASTRAY one when the robot has stood before the same view
 * for two seconds. Then the comparison begins anew. After CAIRN_SCAN_CHECK_TRIES STILL ones without a motion that the scan
 * confirmed in between, only a changed view or cairn_scan_motion_reset ends the doubt; after as many ASTRAY ones of a
 * driving robot only the latter. Between two smooth walls without an end in sight all places look alike, and nothing is found. Pure. */
#ifndef CAIRN_COMMON_SAFETY_SCAN_CHECK_H
#define CAIRN_COMMON_SAFETY_SCAN_CHECK_H

#include "common/safety/sensor_votes.h"
#include "common/scan/scan.h"

#define CAIRN_SCAN_CHECK_BINS 360
#define CAIRN_SCAN_CHECK_RETRY_S 5.0
#define CAIRN_SCAN_CHECK_TRIES 3
#define CAIRN_SCAN_CHECK_FORGIVES 20 /* a picture of another time follows the motion now and then, too */

/* NULL, or why one must not drive by this revolution whatever came before it. believed: directions of one that had no
 * fault, to save work. */
const char *cairn_scan_fault(const struct cairn_msg_scan *scan, const struct cairn_directions *believed);

/* Ranges by direction: nearest and farthest return in each degree around the robot; near 0 = none. */
struct cairn_scan_view {
	float near_m[CAIRN_SCAN_CHECK_BINS], far_m[CAIRN_SCAN_CHECK_BINS];
};

enum cairn_scan_doubt { CAIRN_SCAN_DOUBT_NONE, CAIRN_SCAN_DOUBT_STILL, CAIRN_SCAN_DOUBT_ASTRAY };

/* Zeroed: nothing seen yet. */
struct cairn_scan_motion {
	bool some;
	enum cairn_scan_doubt doubt;
	double unfit_m;  /* by which scans have lately failed to fit more than usual, summed */
	unsigned steady; /* ASTRAY: seconds for which the view has not changed */
	unsigned doubts; /* STILL, since a motion was confirmed */
	unsigned
	    astrays; /* ASTRAY of a driving robot; CAIRN_SCAN_CHECK_FORGIVES confirmed motions take one away */
	unsigned fits;            /* confirmed motions since it was changed */
	int64_t t_doubt_ns, t_ns; /* the latter of the reference */
	uint64_t compared, confirmed, contradicted_still, contradicted_astray; /* so far */
	struct cairn_pose2 pose;    /* of the reference, dead reckoned */
	struct cairn_points points; /* the reference, in the robot frame of that pose */
	double steering_rad;        /* of the reference */
	double turned_in_place_rad; /* of the reference */
	bool voted;                 /* by it already, early */
	struct cairn_sensor_votes votes;
	struct cairn_points moved; /* scratch */
	struct cairn_shift_lines lines;
};

/* Where the robot is by dead reckoning. */
struct cairn_reckoning {
	struct cairn_pose2 pose;
	double steering_rad; /* its heading by the steering that was commanded; not a number: not known */
	double turned_in_place_rad; /* of that heading: by turns in place that were commanded */
	bool standing;              /* by odometry */
};

/* points: a revolution in the robot frame of at. NULL, or why one must not drive by it: it contradicts the motion since an
 * earlier one. That sensors contradict each other is told in m->votes.fault, until cairn_scan_motion_reset. */
const char *cairn_scan_motion_fault(struct cairn_scan_motion *m, const struct cairn_points *points,
    const struct cairn_reckoning *at, int64_t now_ns);
/* An operator vouches for the sensors. */
void cairn_scan_motion_reset(struct cairn_scan_motion *m);

#endif
