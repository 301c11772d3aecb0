/* unseen_tour.h - after an exploration, the floor that no picture has shown is looked at, piece by piece, as the agent's tool
 * `explore` has it (common/agent/coverage.h): a LiDAR has mapped a room from its door, and the camera has not seen what stands there.
 *
 * Drives through the sequencer as the agent does, as a task; no model is asked. Simulated time, one run. */
#ifndef CAIRN_COMMON_EVAL_UNSEEN_TOUR_H
#define CAIRN_COMMON_EVAL_UNSEEN_TOUR_H

#include "common/agent/coverage.h"
#include "common/eval/run.h"

struct cairn_unseen_tour {
	struct cairn_coverage *coverage; /* owned */
	double camera_yaw_rad;
	bool begun, over;
	uint32_t looks, failed; /* places looked from, and in vain */
	uint64_t decision_id;   /* under way; 0 = none */
	bool turns;             /* of it: the turn at the place */
	struct cairn_unseen to; /* what is looked at */
	uint32_t pictures;      /* taken since the robot stands there */
	int64_t t_told_ns, t_stands_ns;
};

/* False without memory. */
bool cairn_unseen_tour_init(struct cairn_unseen_tour *tour, const struct cairn_config *cfg);
void cairn_unseen_tour_free(struct cairn_unseen_tour *tour);
/* From the first picture of the exploration on. */
void cairn_unseen_tour_on_picture(struct cairn_unseen_tour *tour, const struct cairn_msg_detections *seen);
void cairn_unseen_tour_on_result(
    struct cairn_unseen_tour *tour, const struct cairn_msg_result *result, int64_t now_ns);
void cairn_unseen_tour_on_grid(struct cairn_unseen_tour *tour, const struct cairn_scene_grid *grid);
/* At every step after the exploration. False: nothing is left to look at, or the robot takes no task. */
bool cairn_unseen_tour_step(struct cairn_unseen_tour *tour, struct cairn_run *run);

#endif
