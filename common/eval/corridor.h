/* corridor.h - long corridors driven out and back with odometry that slips: is a place revisited found to be the same one, and
 * no other taken for it?
 *
 * The simulated robot is steered along the world's way by its true pose, so that nothing but the mapper is judged. What the
 * mapper is given: the LiDAR's turns, and odometry from the simulated encoders and gyro, of which each leg is long by a share
 * of its own (floors differ, and so do both ways over a carpet) and which wheels that spin lengthen now and then. */
#ifndef CAIRN_COMMON_EVAL_CORRIDOR_H
#define CAIRN_COMMON_EVAL_CORRIDOR_H

#include "common/config/config.h"
#include "common/sim/world/corridors.h"

/* Closed: the way ends in the map where it ends in truth, and the places passed again lie on those passed before: across the
 * corridor everywhere, along it where the LiDAR saw more than two smooth walls. */
#define CAIRN_CORRIDOR_END_MAX_M 0.15
#define CAIRN_CORRIDOR_END_MAX_RAD 0.035
#define CAIRN_CORRIDOR_REVISIT_MAX_M 0.15 /* mean */
/* Wrong: a tie that is off by this and by more than it says itself that it may be. */
#define CAIRN_CORRIDOR_WRONG_M 0.30
#define CAIRN_CORRIDOR_WRONG_RAD 0.087
#define CAIRN_CORRIDOR_WRONG_CHI2 16.3 /* three unknowns, one of a thousand */
/* What is asked of all logs together. */
#define CAIRN_CORRIDOR_CLOSED_SHARE 0.95

struct cairn_corridor_options {
	const struct cairn_config *cfg; /* borrowed; the log's odometry is set over it */
	uint64_t seed;
};

struct cairn_corridor_result {
	uint64_t number;
	enum cairn_corridor_kind kind;
	double length_m, width_m, apart_m;
	double driven_m, odometry_m; /* true; where wheels and gyro alone have the end */
	double end_m, end_rad; /* the end's place in the graph against the truth, as seen from the start */
	/* Keyframes against the nearest keyframe of an earlier pass, within half a metre. Of those between smooth walls alone what
	 * they are off along the corridor, which nothing tells, is apart. */
	uint32_t revisits, blind_revisits;
	double revisit_mean_m, revisit_worst_m, blind_mean_m;
	uint32_t ties, loops; /* of the final graph: to older keyframes, of them found by a search */
	uint32_t wrong;       /* of them */
	double wrong_m;       /* the worst of these */
	uint32_t weak, lost;  /* scans after which tracking was so */
	uint32_t scans, keyframes;
	bool arrived; /* the way was driven to its end */
};

bool cairn_corridor_closed(const struct cairn_corridor_result *r);

/* False with the reason. */
bool cairn_corridor_run(const struct cairn_corridor_options *options, uint64_t number,
    struct cairn_corridor_result *ret, struct cairn_error *err);

#endif
