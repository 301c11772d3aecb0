/* wheel_check.h - do the wheels do what they are told?
 *
 * Commands to the board can be lost while its reports arrive: then everything looks well, and the robot does something
 * else. Compared are the speed that was sent and the speed that odometry measures:
 *
 *   RUNS     faster than what was sent since the wheels had time to follow, or in the other direction: motion against
 *            a zero command is the gravest of these. Ends when the wheels have obeyed for a second.
 *            Wheels that set off in the other direction are wired the wrong way round, and will not obey later.
 *   STANDS   no motion although one was sent: lost commands, a switch that has cut the power, or a wheel that is held.
 *            The command is held back for CAIRN_WHEELS_RETRY_S, and twice as long after each further try in vain.
 *
 * Pure. */
#ifndef CAIRN_COMMON_SAFETY_WHEEL_CHECK_H
#define CAIRN_COMMON_SAFETY_WHEEL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#define CAIRN_WHEELS_RETRY_S 2.0
#define CAIRN_WHEELS_RETRY_MAX_S 30.0
#define CAIRN_WHEELS_OPPOSED_M 0.03

enum cairn_wheels { CAIRN_WHEELS_OBEY, CAIRN_WHEELS_RUN, CAIRN_WHEELS_STAND };

struct cairn_wheel_params {
	double limit_s;    /* a contradiction that lasts longer is one; 0: not watched */
	double decel_mps2; /* by which the wheels follow at the least */
};

/* Zeroed: the wheels obey. */
struct cairn_wheel_check {
	enum cairn_wheels verdict;
	double forward_mps,
	    backward_mps; /* what the wheels may still do because of what was sent, both positive */
	double runs_s, stands_s, obeys_s; /* for how long */
	double retry_s;                   /* STANDS: to wait before the next try */
	double sent_mps, measured_mps;    /* when the verdict was passed, for people */
	uint64_t alarms;                  /* verdicts other than OBEY so far */
	double opposed_m;                 /* run in one go against the direction they were told */
	bool opposed; /* more than CAIRN_WHEELS_OPPOSED_M of that: until the caller clears it */
};

/* One step of dt_s in which sent_mps was sent; measured: a fresh measured_mps is there. */
enum cairn_wheels cairn_wheel_check_step(struct cairn_wheel_check *c, const struct cairn_wheel_params *p,
    double sent_mps, bool measured, double measured_mps, double dt_s);

#endif
