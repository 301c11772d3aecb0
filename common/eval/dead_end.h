/* dead_end.h - the exploration of one world of dead ends (common/sim/world/dead_ends.h), with the way home, and what came of it.
 *
 * The robot explores by itself, no model asked, and drives home when nothing is left. The way into a dead end is known to be
 * free, as the robot has driven it: so nothing may end in there, and nothing elsewhere may be given up from in there while
 * nobody stands in the way back. */
#ifndef CAIRN_COMMON_EVAL_DEAD_END_H
#define CAIRN_COMMON_EVAL_DEAD_END_H

#include "common/eval/run.h"
#include "common/sim/world/dead_ends.h"

#define CAIRN_DEAD_END_LIMIT_S 1500.0 /* simulated, the way home included */
#define CAIRN_DEAD_END_KEPT 4
#define CAIRN_DEAD_END_GOOD_SHARE 0.99 /* mark: at home and explored in so many */

struct cairn_dead_end_options {
	const struct cairn_config *cfg; /* what a run decides by itself is overwritten */
	uint64_t seed;
	enum cairn_run_map map; /* not CAIRN_RUN_MAP_NONE */
	/* Called after every step of 10 ms, for whoever looks on; may be NULL. */
	void (*watch)(void *ctx, struct cairn_run *run);
	void *ctx;
};

/* A frontier outside of the corridor that was given up by a robot inside it, nothing being in the way back. */
struct cairn_dead_end_given_up {
	double t_s, depth_m; /* when, and how deep the robot stood */
	double x_m, y_m;     /* of the frontier, world frame */
	char reason[64];
};

/* Plain data, so that one process may hand it to another. */
struct cairn_dead_end_result {
	uint64_t number;
	double width_m, depth_m; /* of the first corridor */
	bool bend;
	uint32_t behind;  /* enum cairn_behind */
	bool appeared;    /* the person or the box did */
	double deepest_m; /* that the robot was in any corridor; 0: in none */
	bool home;        /* the mission ended with the robot at its start, by the truth */
	bool
	    explored; /* it ended because nothing was left, and no floor was left without a reason (trial.h) */
	uint32_t contacts;
	double coverage, seconds, path_m;
	double left_m2; /* floor left without a reason */
	double in_corridor_s;
	uint32_t given_up_free; /* frontiers given up as above; the first of them: */
	struct cairn_dead_end_given_up kept[CAIRN_DEAD_END_KEPT];
	struct cairn_pose2 end; /* where the robot stood last, world frame */
	char reason[96];        /* of the mission's state then */
};

/* False with the reason: no memory, or the world has no room for the robot at its start. */
bool cairn_dead_end_run(const struct cairn_dead_end_options *options, uint64_t number,
    struct cairn_dead_end_result *ret, struct cairn_error *err);

/* At home, explored, nothing touched, nothing given up with the way back free. */
bool cairn_dead_end_good(const struct cairn_dead_end_result *result);

#endif
