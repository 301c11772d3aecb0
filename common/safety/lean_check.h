/* lean_check.h - does the robot stand on a level floor?
 *
 * The accelerometer of a robot that stands shows which way is up, whatever way round the board is mounted: its mean over
 * the first second without motion is level. From then on the direction that it shows, averaged over a quarter of a second so
 * that braking and bumps hardly count, must not be farther from that than a limit: else the robot climbs something, tips
 * over, or has been picked up. A robot that is started on a slope takes the slope for level. Pure. */
#ifndef CAIRN_COMMON_SAFETY_LEAN_CHECK_H
#define CAIRN_COMMON_SAFETY_LEAN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* Zeroed: nothing known, and no verdict. */
struct cairn_lean_check {
	double level[3],
	    level_s; /* sum of accelerations, and of time, while level is learned; then of length 1 */
	bool known;
	double mean[3];
	bool leans;
	double lean_rad; /* now */
	double upright_s;
	int64_t t_ns;
};

/* One measurement. limit_rad 0: not watched. True: it leans. The verdict ends when the lean has been below 0.8 of the limit for
 * a second. */
bool cairn_lean_check_step(
    struct cairn_lean_check *c, double limit_rad, const double accel_mps2[3], bool stands, int64_t now_ns);

#endif
