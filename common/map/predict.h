/* predict.h - guesses at unknown cells, each checked against what is seen later.
 *
 *   kind       where                                                                      guess         confidence
 *   boundary   unknown cells in a row or column, at most 0.5 m, wall at both ends         wall          0.30
 *   wall       up to 0.5 m straight on from the end of at least 0.4 m of straight wall,   wall          0.30
 *              in eight directions
 *   corridor   1 m on behind a frontier of kind corridor or doorway, as wide as it is     floor, with   0.25
 *                                                                                         wall beside
 *   open       up to 0.5 m behind a frontier of kind open                                 floor         0.20
 *
 * In this order; the first that speaks of a cell has it. A guess that becomes known counts as right or wrong
 * for its kind, once. Guesses live beside the map and nowhere else: the grid, its frames, the safety stages
 * and the planner never see them. They are for weighing what an opening may show. */
#ifndef CAIRN_COMMON_MAP_PREDICT_H
#define CAIRN_COMMON_MAP_PREDICT_H

#include "common/map/doorway.h"
#include "ipc/messages.h"

#define CAIRN_PREDICTIONS 4

struct cairn_guess {
	int32_t cx, cy; /* map cell */
	uint8_t kind;   /* enum cairn_prediction */
	bool wall;
};

struct cairn_predictions {
	struct cairn_guess *guesses;
	uint32_t count, capacity;
	uint32_t by_kind[CAIRN_PREDICTIONS];
	uint64_t right[CAIRN_PREDICTIONS], wrong[CAIRN_PREDICTIONS];
	uint8_t *mark; /* of the window: 0 no guess, 1 floor, 2 wall */
	size_t mark_capacity;
};

/* Confidence of a kind. */
double cairn_prediction_confidence(enum cairn_prediction kind);

void cairn_predictions_init(struct cairn_predictions *predictions);
void cairn_predictions_free(struct cairn_predictions *predictions);

/* Checks the guesses there are against the map, then makes new ones. False without memory. */
bool cairn_predictions_update(struct cairn_predictions *predictions, const struct cairn_doorway_view *view,
    const struct cairn_msg_frontiers *frontiers);

/* Unknown floor that an opening at (x_m, y_m) may show: unknown cells within radius_m that are not guessed to
 * be wall, in m2. predictions may be NULL. */
double cairn_expected_gain_m2(const struct cairn_predictions *predictions,
    const struct cairn_doorway_view *view, double x_m, double y_m, double radius_m);

#endif
