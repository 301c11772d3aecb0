/* mounting_trial.h - a robot with something mounted or wired the wrong way round sets off through a house: is it stopped,
 * and how far did it get?
 *
 * The stack believes the default configuration; the simulated robot has one fault (common/sim/robot/mounting.h). Houses are
 * drawn by chance, with furniture and people, and the scripted pilot explores. The run is over when the motor stage has
 * stopped for it, or after a minute. */
#ifndef CAIRN_COMMON_EVAL_MOUNTING_TRIAL_H
#define CAIRN_COMMON_EVAL_MOUNTING_TRIAL_H

#include "common/eval/run.h"

enum cairn_mounting_fault {
	CAIRN_MOUNTING_RIGHT, /* none: nothing may be found */
	CAIRN_MOUNTING_LIDAR_MIRRORED,
	CAIRN_MOUNTING_LIDAR_BACKWARD,
	CAIRN_MOUNTING_LIDAR_LEFT, /* by 90 degrees */
	CAIRN_MOUNTING_LIDAR_RIGHT,
	CAIRN_MOUNTING_LIDAR_ASKEW, /* by 35 degrees */
	CAIRN_MOUNTING_STEERING,
	CAIRN_MOUNTING_GYRO,
	CAIRN_MOUNTING_GYRO_AXIS,
	CAIRN_MOUNTING_DRIVE,
	CAIRN_MOUNTING_ENCODERS,
	CAIRN_MOUNTING_DRIVE_AND_ENCODERS,
	CAIRN_MOUNTING_COUNT
};

const char *cairn_mounting_fault_name(enum cairn_mounting_fault fault);
/* Makes the simulated robot of this configuration have it. */
void cairn_mounting_fault_set(struct cairn_config *cfg, enum cairn_mounting_fault fault);

/* Plain data. */
struct cairn_mounting_result {
	bool skipped; /* no room for the robot in that house */
	bool stopped; /* for a contradiction, and it stands */
	uint32_t contacts;
	double driven_m;
	/* Of it where the fault could be seen: all, or, of one that shows only in turning, on arcs tighter than 1 m. */
	double shown_m;
	uint64_t heard; /* pieces of motion by sensor_votes.h */
	char reason[96];
};

/* False with the reason: no memory, no house. */
bool cairn_mounting_trial(const struct cairn_config *cfg, enum cairn_mounting_fault fault, uint64_t seed,
    double seconds, struct cairn_mounting_result *ret, struct cairn_error *err);

#endif
