/* scan_check.h - can a LiDAR revolution be true?
 *
 * A LiDAR or its driver can go on sending after it stopped looking. Then everything that judges by the stamp finds the
 * scan fresh, and the robot drives by a picture of the past. Three things give that away:
 *
 *   form         too few returns, not all round, or returns that all have one range or lie at the maximum
 *   repetition   the ranges are those of one of the last revolutions, bit for bit (common/base/repeats.h). Measured
 *                ranges have noise of several millimetres in steps of a quarter of one, so two equal revolutions do not
 *                happen. Angles and stamps are left out, because a driver makes them itself.
 *   motion       by odometry the robot has moved, and the scan fits standing still much better than the motion. Either
 *                the scan is old or the wheels slip; both mean that the free way ahead is not known.
 *
 * A revolution that contradicts the motion stays refused, and so do those after it, until the view has changed or the
 * robot has stood for CAIRN_SCAN_CHECK_RETRY_S. Then the comparison begins anew. After CAIRN_SCAN_CHECK_TRIES
 * contradictions without a motion that the scan confirmed in between, only a changed view or cairn_scan_motion_reset
 * ends the doubt. Pure. */
#ifndef CAIRN_COMMON_SAFETY_SCAN_CHECK_H
#define CAIRN_COMMON_SAFETY_SCAN_CHECK_H

#include "common/scan/scan.h"

#define CAIRN_SCAN_CHECK_BINS 360
#define CAIRN_SCAN_CHECK_RETRY_S 5.0
#define CAIRN_SCAN_CHECK_TRIES 3

/* NULL, or why one must not drive by this revolution whatever came before it. believed: directions of one that had no
 * fault, to save work. */
const char *cairn_scan_fault(const struct cairn_msg_scan *scan, const struct cairn_directions *believed);

/* Ranges by direction: nearest and farthest return in each degree around the robot; near 0 = none. */
struct cairn_scan_view {
	float near_m[CAIRN_SCAN_CHECK_BINS], far_m[CAIRN_SCAN_CHECK_BINS];
};

/* Zeroed: nothing seen yet. */
struct cairn_scan_motion {
	bool some, doubted;
	unsigned doubts; /* since a motion was confirmed */
	int64_t t_doubt_ns;
	uint64_t compared, confirmed, contradicted; /* so far */
	struct cairn_pose2 pose;                    /* of the reference, dead reckoned */
	struct cairn_points points;                 /* the reference, in the robot frame of that pose */
	struct cairn_points moved;                  /* scratch */
};

/* points: a revolution in the robot frame of pose, which dead reckoning gives. standing: the robot stands by odometry.
 * False: the revolution contradicts the motion since an earlier one. */
bool cairn_scan_follows(struct cairn_scan_motion *m, const struct cairn_points *points,
    struct cairn_pose2 pose, bool standing, int64_t now_ns);
/* An operator vouches for the LiDAR. */
void cairn_scan_motion_reset(struct cairn_scan_motion *m);

#endif
