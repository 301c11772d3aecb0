/* local_rig.h - the stage local beside a run in simulated time: pictures of the simulated camera, the simulated detector and the scene
 * graph's things into its core, and its word to the run's model. And what a model is shown: which things and rooms of the house the
 * pictures of its questions could have told it of.
 *
 * Pictures are drawn at 160 x 120: the core reduces them to 32 x 24 anyway. Rooms of the scene graph are left out: they would take
 * the map, and so the score's term for rooms is 0. */
#ifndef CAIRN_COMMON_EVAL_LOCAL_RIG_H
#define CAIRN_COMMON_EVAL_LOCAL_RIG_H

#include "common/eval/run.h"

struct cairn_local_rig;

struct cairn_local_rig_totals {
	uint32_t things,
	    rooms; /* of the house that a picture of a question has shown; in which a question was asked */
	uint32_t pictures; /* scored */
	double novelty_mean;
	uint32_t bands[4]; /* pictures by score: below 0.2, 0.5, 0.8, and the others */
};

/* cfg and world are borrowed. scores: run the core and tell the run; else only what questions show is counted. NULL: no memory. */
struct cairn_local_rig *cairn_local_rig_new(
    const struct cairn_config *cfg, const struct cairn_world *world, bool scores);
void cairn_local_rig_destroy(struct cairn_local_rig **rig_p);

/* After each step of the run. */
void cairn_local_rig_step(struct cairn_local_rig *rig, struct cairn_run *run);
struct cairn_local_rig_totals cairn_local_rig_totals(const struct cairn_local_rig *rig);

#endif
